/** Gates of the composer's palette, by the names of the API. Controls are apart: CX is X with a control. */

/** Names of the angles of gates. */
export const ANGLES = ['theta', 'phi', 'lambda', 'gamma', 'beta'] as const;
export type AngleName = (typeof ANGLES)[number];

/** A gate of the palette. */
export interface PaletteGate {
  /** Name in the API, without the C of controls. */
  readonly name: string;
  /** Its action, in a few words. */
  readonly summary: string;
  /** Qubits beside controls; 0 for any number. */
  readonly numTargets: number;
  /** Controls that it has when it is put into a circuit. */
  readonly numControls?: number;
  readonly angles: readonly AngleName[];
  /** Key that inserts it. */
  readonly key?: string;
}

export interface PaletteGroup {
  readonly title: string;
  /** Class of its gates, for their colour. */
  readonly family: string;
  readonly gates: readonly PaletteGate[];
}

const gate = (name: string, summary: string, options: Partial<PaletteGate> = {}): PaletteGate => ({
  name,
  summary,
  numTargets: 1,
  angles: [],
  ...options,
});

export const PALETTE: readonly PaletteGroup[] = [
  {
    title: 'Basic',
    family: 'of-basic',
    gates: [
      gate('H', 'Hadamard: makes |0⟩ an equal superposition', { key: 'h' }),
      gate('X', 'Bit flip', { key: 'x' }),
      gate('Y', 'Bit and phase flip', { key: 'y' }),
      gate('Z', 'Phase flip', { key: 'z' }),
      gate('S', 'Quarter turn about z', { key: 's' }),
      gate('T', 'Eighth turn about z', { key: 't' }),
      gate('SDG', 'Inverse of S'),
      gate('TDG', 'Inverse of T'),
      gate('SX', 'Square root of X'),
      gate('SXDG', 'Inverse of SX'),
      gate('ID', 'Identity'),
    ],
  },
  {
    title: 'With angles',
    family: 'of-angles',
    gates: [
      gate('RX', 'Turn about x by theta', { angles: ['theta'], key: 'a' }),
      gate('RY', 'Turn about y by theta', { angles: ['theta'], key: 'b' }),
      gate('RZ', 'Turn about z by theta', { angles: ['theta'], key: 'd' }),
      gate('P', 'Phase theta of |1⟩', { angles: ['theta'], key: 'p' }),
      gate('U', 'Any gate of one qubit', { angles: ['theta', 'phi', 'lambda'], key: 'u' }),
      gate('PRX', 'Turn by theta about an axis in the xy plane', { angles: ['theta', 'phi'] }),
    ],
  },
  {
    title: 'On several qubits',
    family: 'of-several',
    gates: [
      gate('X', 'Flips the target if the control is 1 (CX)', { numControls: 1, key: 'c' }),
      gate('Z', 'Flips the phase if both are 1 (CZ)', { numControls: 1 }),
      gate('X', 'Flips the target if both controls are 1 (CCX)', { numControls: 2 }),
      gate('SWAP', 'Exchanges two qubits', { numTargets: 2, key: 'w' }),
      gate('SWAP', 'Exchanges two qubits if the control is 1 (CSWAP)', {
        numTargets: 2,
        numControls: 1,
      }),
      gate('ISWAP', 'Exchanges two qubits, with a phase', { numTargets: 2 }),
      gate('SQRTISWAP', 'Square root of ISWAP', { numTargets: 2 }),
      gate('RXX', 'Turn about xx by theta', { numTargets: 2, angles: ['theta'] }),
      gate('RYY', 'Turn about yy by theta', { numTargets: 2, angles: ['theta'] }),
      gate('RZZ', 'Turn about zz by theta', { numTargets: 2, angles: ['theta'] }),
      gate('RZX', 'Turn about zx by theta', { numTargets: 2, angles: ['theta'] }),
      gate('ECR', 'Echoed cross resonance', { numTargets: 2 }),
      gate('DCX', 'Two CX, one each way', { numTargets: 2 }),
      gate('FSIM', 'Exchange by theta, phase phi', { numTargets: 2, angles: ['theta', 'phi'] }),
    ],
  },
  {
    title: 'Other',
    family: 'of-other',
    gates: [
      gate('M', 'Measures a qubit into a bit', { key: 'm' }),
      gate('RESET', 'Returns a qubit to |0⟩', { key: 'r' }),
      gate('BARRIER', 'Nothing is moved across it', { numTargets: 0, key: '|' }),
      gate('UNITARY', 'A matrix of your own'),
    ],
  },
  {
    title: 'Displays',
    family: 'of-display',
    gates: [
      gate('probability', 'Shows how likely the qubit is 1 at this place; it is no gate', {
        key: 'e',
      }),
      gate('bloch', 'Shows the Bloch vector of the qubit at this place; it is no gate', {
        key: 'l',
      }),
    ],
  },
];

/** Name on the palette: CX for X with one control. */
export function paletteName({ name, numControls = 0 }: PaletteGate): string {
  const display = { probability: 'P(1)', bloch: 'Bloch' }[name];
  if (display !== undefined) return display;
  return `${'C'.repeat(numControls)}${name}`;
}

/** Controlled gates with a name of their own in the API, by base name and number of controls. */
const CONTROLLED: Readonly<Record<string, readonly (string | undefined)[]>> = {
  X: ['CX', 'CCX'],
  Y: ['CY'],
  Z: ['CZ', 'CCZ'],
  H: ['CH'],
  S: ['CS'],
  SX: ['CSX'],
  P: ['CP'],
  RX: ['CRX'],
  RY: ['CRY'],
  RZ: ['CRZ'],
  SWAP: ['CSWAP'],
};

/** The API's name of a gate with its controls; undefined if they are written as `controls` of the gate itself. */
export function controlledName(name: string, numControls: number): string | undefined {
  return CONTROLLED[name]?.[numControls - 1];
}

/** The gate and its number of own controls behind a name of the API. */
export function uncontrolled(name: string): { readonly name: string; readonly own: number } {
  for (const [base, names] of Object.entries(CONTROLLED)) {
    const at = names.indexOf(name);
    if (at >= 0) return { name: base, own: at + 1 };
  }
  // These two have angles that their uncontrolled forms lack or read otherwise.
  if (name === 'CU' || name === 'CU3') return { name, own: 1 };
  return { name, own: 0 };
}

const GATES = PALETTE.flatMap(({ gates }) => gates);

/** Angles of a gate of the palette, and of the others with angles that a text may bring. */
export function anglesOf(name: string): readonly AngleName[] {
  const others: Readonly<Record<string, readonly AngleName[]>> = {
    U2: ['phi', 'lambda'],
    CU: ['theta', 'phi', 'lambda', 'gamma'],
    CU3: ['theta', 'phi', 'lambda'],
    'XX+YY': ['theta', 'beta'],
    'XX-YY': ['theta', 'beta'],
    GPHASE: ['gamma'],
  };
  return GATES.find((each) => each.name === name)?.angles ?? others[name] ?? [];
}

/** Family of a gate, by its colour; of one with angles that a text may bring, that of angles. */
export function familyOf(name: string): string {
  const group = PALETTE.find(({ gates }) => gates.some((each) => each.name === name));
  return group?.family ?? (anglesOf(name).length > 0 ? 'of-angles' : 'of-other');
}

/** The gate that a key inserts. */
export function gateOfKey(key: string): PaletteGate | undefined {
  return GATES.find((each) => each.key === key);
}
