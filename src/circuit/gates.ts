/**
 * The gate table: one record per gate. Parser, compiler, validation, catalog, docs/gates.md and the
 * conformance suite read it; adding a gate means adding a record here.
 *
 * A controlled gate is its base matrix plus a number of controls. Controls thus reach the engines as
 * controls, where they cost nothing, instead of growing the matrix. Its record has what the base lacks.
 *
 * The file is long because it is a table: a gate is looked up and added in one place. Matrices follow
 * OpenQASM 3's stdgates.inc and Qiskit's circuit library. A difference of global phase matters under further
 * controls, so phases are exact, not "up to".
 */
import type { GateDefinition, InverseGate } from './gate-definition.ts';
import {
  diagonal,
  equatorRotation,
  euler,
  exchange,
  H,
  imaginary,
  ONE,
  phase,
  phasedRotation,
  phaseGate,
  RX,
  RXX,
  RY,
  RYY,
  RZ,
  RZX,
  RZZ,
  real,
  rows,
  SQRT_HALF,
  SWAP,
  SX,
  X,
  Y,
  Z,
  ZERO,
} from './gate-matrices.ts';

const a = (angles: readonly number[], i: number): number => angles[i] ?? Number.NaN;
const negated =
  (gate: string) =>
  (angles: readonly number[]): InverseGate => ({
    gate,
    angles: angles.map((angle) => -angle),
  });
const fixed =
  (gate: string, ...angles: readonly number[]) =>
  (): InverseGate => ({ gate, angles });

const DUAL = 'qelib1+stdgates';

/** A gate that is another one under controls. */
interface ControlledGate
  extends Pick<GateDefinition, 'name' | 'aliases' | 'summary' | 'numControls' | 'openqasm'> {
  /** Name of a gate above it. */
  readonly base: string;
  /** That of the base unless given. */
  readonly formula?: string;
}

const RECORDS: readonly (GateDefinition | ControlledGate)[] = [
  {
    name: 'ID',
    aliases: ['i', 'identity', 'u0'],
    summary: 'Identity',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, ONE),
    formula: '[[1, 0], [0, 1]]',
    traits: ['diagonal', 'permutation', 'real', 'self-inverse'],
    inverse: fixed('ID'),
    openqasm: { name: 'id', library: DUAL },
  },
  {
    name: 'H',
    aliases: ['hadamard'],
    summary: 'Hadamard',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: H,
    formula: '1/√2 · [[1, 1], [1, −1]]',
    traits: ['real', 'self-inverse'],
    inverse: fixed('H'),
    openqasm: { name: 'h', library: DUAL },
  },
  {
    name: 'X',
    aliases: ['not', 'paulix'],
    summary: 'Pauli X, the bit flip',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: X,
    formula: '[[0, 1], [1, 0]]',
    traits: ['permutation', 'real', 'self-inverse'],
    inverse: fixed('X'),
    openqasm: { name: 'x', library: DUAL },
  },
  {
    name: 'Y',
    aliases: ['pauliy'],
    summary: 'Pauli Y',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: Y,
    formula: '[[0, −i], [i, 0]]',
    traits: ['permutation', 'self-inverse'],
    inverse: fixed('Y'),
    openqasm: { name: 'y', library: DUAL },
  },
  {
    name: 'Z',
    aliases: ['pauliz'],
    summary: 'Pauli Z, the phase flip',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: Z,
    formula: '[[1, 0], [0, −1]]',
    traits: ['diagonal', 'permutation', 'real', 'self-inverse'],
    inverse: fixed('Z'),
    openqasm: { name: 'z', library: DUAL },
  },
  {
    name: 'S',
    aliases: ['phase90'],
    summary: 'Square root of Z',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, imaginary(1)),
    formula: '[[1, 0], [0, i]]',
    traits: ['diagonal', 'permutation'],
    inverse: fixed('SDG'),
    openqasm: { name: 's', library: DUAL },
  },
  {
    name: 'SDG',
    aliases: ['si', 'sdag', 's_dag'],
    summary: 'Inverse of S',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, imaginary(-1)),
    formula: '[[1, 0], [0, −i]]',
    traits: ['diagonal', 'permutation'],
    inverse: fixed('S'),
    openqasm: { name: 'sdg', library: DUAL },
  },
  {
    name: 'T',
    aliases: [],
    summary: 'Fourth root of Z',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, [SQRT_HALF, SQRT_HALF]),
    formula: '[[1, 0], [0, e^{iπ/4}]]',
    traits: ['diagonal', 'permutation'],
    inverse: fixed('TDG'),
    openqasm: { name: 't', library: DUAL },
  },
  {
    name: 'TDG',
    aliases: ['ti', 'tdag', 't_dag'],
    summary: 'Inverse of T',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => diagonal(ONE, [SQRT_HALF, -SQRT_HALF]),
    formula: '[[1, 0], [0, e^{−iπ/4}]]',
    traits: ['diagonal', 'permutation'],
    inverse: fixed('T'),
    openqasm: { name: 'tdg', library: DUAL },
  },
  {
    name: 'SX',
    aliases: ['v', 'sqrtx', 'sqrt_x'],
    summary: 'Square root of X',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => SX(1),
    formula: '½ · [[1 + i, 1 − i], [1 − i, 1 + i]]',
    traits: [],
    inverse: fixed('SXDG'),
    openqasm: { name: 'sx', library: DUAL },
  },
  {
    name: 'SXDG',
    aliases: ['vi', 'vdg', 'sqrtxdg', 'sqrt_x_dag'],
    summary: 'Inverse of SX',
    numControls: 0,
    numTargets: 1,
    parameters: [],
    matrix: () => SX(-1),
    formula: '½ · [[1 − i, 1 + i], [1 + i, 1 − i]]',
    traits: [],
    inverse: fixed('SX'),
    openqasm: { name: 'sxdg', library: 'qelib1' },
  },
  {
    name: 'RX',
    aliases: [],
    summary: 'Rotation about X',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => RX(a(angles, 0)),
    formula: 'exp(−iθ/2 · X)',
    traits: [],
    inverse: negated('RX'),
    openqasm: { name: 'rx', library: DUAL },
  },
  {
    name: 'RY',
    aliases: [],
    summary: 'Rotation about Y',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => RY(a(angles, 0)),
    formula: 'exp(−iθ/2 · Y)',
    traits: ['real'],
    inverse: negated('RY'),
    openqasm: { name: 'ry', library: DUAL },
  },
  {
    name: 'RZ',
    aliases: [],
    summary: 'Rotation about Z',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => RZ(a(angles, 0)),
    formula: 'exp(−iθ/2 · Z)',
    traits: ['diagonal', 'permutation'],
    inverse: negated('RZ'),
    openqasm: { name: 'rz', library: DUAL },
  },
  {
    name: 'P',
    aliases: ['phase', 'phaseshift', 'u1'],
    summary: 'Phase on |1⟩',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta'],
    matrix: (angles) => phaseGate(a(angles, 0)),
    formula: '[[1, 0], [0, e^{iθ}]]',
    traits: ['diagonal', 'permutation'],
    inverse: negated('P'),
    openqasm: { name: 'p', library: DUAL },
  },
  {
    name: 'U',
    aliases: ['u3'],
    summary: 'Any one-qubit gate by Euler angles',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta', 'phi', 'lambda'],
    matrix: (angles) => euler(a(angles, 0), a(angles, 1), a(angles, 2), 0),
    formula: '[[cos θ/2, −e^{iλ} sin θ/2], [e^{iφ} sin θ/2, e^{i(φ+λ)} cos θ/2]]',
    traits: [],
    inverse: ([theta = 0, phi = 0, lambda = 0]) => ({ gate: 'U', angles: [-theta, -lambda, -phi] }),
    openqasm: { name: 'U', library: 'builtin' },
  },
  {
    name: 'U2',
    aliases: [],
    summary: 'U with θ = π/2',
    numControls: 0,
    numTargets: 1,
    parameters: ['phi', 'lambda'],
    matrix: (angles) => euler(Math.PI / 2, a(angles, 0), a(angles, 1), 0),
    formula: '1/√2 · [[1, −e^{iλ}], [e^{iφ}, e^{i(φ+λ)}]]',
    traits: [],
    inverse: ([phi = 0, lambda = 0]) => ({ gate: 'U', angles: [-Math.PI / 2, -lambda, -phi] }),
    openqasm: { name: 'u2', library: DUAL },
  },
  {
    name: 'PRX',
    aliases: ['r', 'phasedx', 'phased_x'],
    summary: 'Rotation by θ about the axis cos φ X + sin φ Y',
    numControls: 0,
    numTargets: 1,
    parameters: ['theta', 'phi'],
    matrix: (angles) => equatorRotation(a(angles, 0), a(angles, 1)),
    formula: 'exp(−iθ/2 · (cos φ X + sin φ Y))',
    traits: [],
    inverse: ([theta = 0, phi = 0]) => ({ gate: 'PRX', angles: [-theta, phi] }),
    openqasm: { name: 'prx', library: 'none' },
  },
  {
    name: 'CX',
    aliases: ['cnot'],
    summary: 'Controlled X',
    numControls: 1,
    base: 'X',
    openqasm: { name: 'cx', library: DUAL },
  },
  {
    name: 'CY',
    aliases: [],
    summary: 'Controlled Y',
    numControls: 1,
    base: 'Y',
    openqasm: { name: 'cy', library: DUAL },
  },
  {
    name: 'CZ',
    aliases: [],
    summary: 'Controlled Z',
    numControls: 1,
    base: 'Z',
    openqasm: { name: 'cz', library: DUAL },
  },
  {
    name: 'CH',
    aliases: [],
    summary: 'Controlled Hadamard',
    numControls: 1,
    base: 'H',
    openqasm: { name: 'ch', library: DUAL },
  },
  {
    name: 'CS',
    aliases: [],
    summary: 'Controlled S',
    numControls: 1,
    base: 'S',
    openqasm: { name: 'cs', library: 'none' },
  },
  {
    name: 'CSX',
    aliases: ['cv'],
    summary: 'Controlled square root of X',
    numControls: 1,
    base: 'SX',
    openqasm: { name: 'csx', library: 'qelib1' },
  },
  {
    name: 'CP',
    aliases: ['cphase', 'cphaseshift', 'cu1'],
    summary: 'Controlled phase',
    numControls: 1,
    base: 'P',
    openqasm: { name: 'cp', library: DUAL },
  },
  {
    name: 'CRX',
    aliases: [],
    summary: 'Controlled rotation about X',
    numControls: 1,
    base: 'RX',
    openqasm: { name: 'crx', library: DUAL },
  },
  {
    name: 'CRY',
    aliases: [],
    summary: 'Controlled rotation about Y',
    numControls: 1,
    base: 'RY',
    openqasm: { name: 'cry', library: DUAL },
  },
  {
    name: 'CRZ',
    aliases: [],
    summary: 'Controlled rotation about Z',
    numControls: 1,
    base: 'RZ',
    openqasm: { name: 'crz', library: DUAL },
  },
  {
    name: 'CU',
    aliases: [],
    summary: 'Controlled e^{iγ}·U(θ, φ, λ)',
    numControls: 1,
    numTargets: 1,
    parameters: ['theta', 'phi', 'lambda', 'gamma'],
    matrix: (angles) => euler(a(angles, 0), a(angles, 1), a(angles, 2), a(angles, 3)),
    formula: 'e^{iγ} · U(θ, φ, λ)',
    traits: [],
    inverse: ([theta = 0, phi = 0, lambda = 0, gamma = 0]) => ({
      gate: 'CU',
      angles: [-theta, -lambda, -phi, -gamma],
    }),
    openqasm: { name: 'cu', library: DUAL },
  },
  {
    name: 'CU3',
    aliases: [],
    summary: 'Controlled U(θ, φ, λ)',
    numControls: 1,
    base: 'U',
    formula: 'U(θ, φ, λ)',
    openqasm: { name: 'cu3', library: 'qelib1' },
  },
  {
    name: 'SWAP',
    aliases: [],
    summary: 'Exchanges two qubits',
    numControls: 0,
    numTargets: 2,
    parameters: [],
    matrix: SWAP,
    formula: '|01⟩ ↔ |10⟩',
    traits: ['permutation', 'real', 'self-inverse'],
    inverse: fixed('SWAP'),
    openqasm: { name: 'swap', library: DUAL },
  },
  {
    name: 'ISWAP',
    aliases: [],
    summary: 'Exchanges two qubits with a phase of i',
    numControls: 0,
    numTargets: 2,
    parameters: [],
    matrix: () => exchange(ZERO, imaginary(1), imaginary(1), ZERO, ONE),
    formula: '|01⟩ → i|10⟩, |10⟩ → i|01⟩',
    traits: ['permutation'],
    inverse: fixed('XX+YY', Math.PI, 0),
    openqasm: { name: 'iswap', library: 'none' },
  },
  {
    name: 'SQRTISWAP',
    aliases: ['sqrt_iswap', 'siswap'],
    summary: 'Square root of ISWAP',
    numControls: 0,
    numTargets: 2,
    parameters: [],
    matrix: () =>
      exchange(real(SQRT_HALF), imaginary(SQRT_HALF), imaginary(SQRT_HALF), real(SQRT_HALF), ONE),
    formula: '|01⟩ → (|01⟩ + i|10⟩)/√2, |10⟩ → (i|01⟩ + |10⟩)/√2',
    traits: [],
    inverse: fixed('XX+YY', Math.PI / 2, 0),
    openqasm: { name: 'sqrtiswap', library: 'none' },
  },
  {
    name: 'ECR',
    aliases: [],
    summary: 'Echoed cross-resonance',
    numControls: 0,
    numTargets: 2,
    parameters: [],
    matrix: () =>
      rows(
        [ZERO, real(SQRT_HALF), ZERO, imaginary(SQRT_HALF)],
        [real(SQRT_HALF), ZERO, imaginary(-SQRT_HALF), ZERO],
        [ZERO, imaginary(SQRT_HALF), ZERO, real(SQRT_HALF)],
        [imaginary(-SQRT_HALF), ZERO, real(SQRT_HALF), ZERO],
      ),
    formula: '1/√2 · (I⊗X − X⊗Y), first qubit rightmost',
    traits: ['self-inverse'],
    inverse: fixed('ECR'),
    openqasm: { name: 'ecr', library: 'none' },
  },
  {
    name: 'DCX',
    aliases: [],
    summary: 'CX from first to second, then from second to first',
    numControls: 0,
    numTargets: 2,
    parameters: [],
    matrix: () =>
      rows(
        [ONE, ZERO, ZERO, ZERO],
        [ZERO, ZERO, ZERO, ONE],
        [ZERO, ONE, ZERO, ZERO],
        [ZERO, ZERO, ONE, ZERO],
      ),
    formula: '|01⟩ → |10⟩ → |11⟩ → |01⟩',
    traits: ['permutation', 'real'],
    inverse: () => ({ gate: 'DCX', angles: [], targetOrder: [1, 0] }),
    openqasm: { name: 'dcx', library: 'none' },
  },
  {
    name: 'RXX',
    aliases: ['xx'],
    summary: 'Two-qubit rotation about XX',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta'],
    matrix: (angles, out) => RXX(a(angles, 0), out),
    formula: 'exp(−iθ/2 · X⊗X)',
    traits: [],
    inverse: negated('RXX'),
    openqasm: { name: 'rxx', library: 'qelib1' },
  },
  {
    name: 'RYY',
    aliases: ['yy'],
    summary: 'Two-qubit rotation about YY',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta'],
    matrix: (angles, out) => RYY(a(angles, 0), out),
    formula: 'exp(−iθ/2 · Y⊗Y)',
    traits: [],
    inverse: negated('RYY'),
    openqasm: { name: 'ryy', library: 'none' },
  },
  {
    name: 'RZZ',
    aliases: ['zz'],
    summary: 'Two-qubit rotation about ZZ',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta'],
    matrix: (angles, out) => RZZ(a(angles, 0), out),
    formula: 'exp(−iθ/2 · Z⊗Z)',
    traits: ['diagonal', 'permutation'],
    inverse: negated('RZZ'),
    openqasm: { name: 'rzz', library: 'qelib1' },
  },
  {
    name: 'RZX',
    aliases: [],
    summary: 'Two-qubit rotation about Z on the first, X on the second',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta'],
    matrix: (angles, out) => RZX(a(angles, 0), out),
    formula: 'exp(−iθ/2 · X⊗Z), first qubit rightmost',
    traits: [],
    inverse: negated('RZX'),
    openqasm: { name: 'rzx', library: 'none' },
  },
  {
    name: 'XX+YY',
    aliases: ['xx_plus_yy', 'xxplusyy'],
    summary: 'Rotation between |01⟩ and |10⟩ by θ with phase β',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta', 'beta'],
    matrix: (angles) => {
      const { c, low, high } = phasedRotation(a(angles, 0), a(angles, 1));
      return exchange(c, high, low, c, ONE);
    },
    formula: '[[cos θ/2, −i e^{−iβ} sin θ/2], [−i e^{iβ} sin θ/2, cos θ/2]] on |01⟩, |10⟩',
    traits: [],
    inverse: ([theta = 0, beta = 0]) => ({ gate: 'XX+YY', angles: [-theta, beta] }),
    openqasm: { name: 'xx_plus_yy', library: 'none' },
  },
  {
    name: 'XX-YY',
    aliases: ['xx_minus_yy', 'xxminusyy'],
    summary: 'Rotation between |00⟩ and |11⟩ by θ with phase β',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta', 'beta'],
    matrix: (angles) => {
      const { c, low, high } = phasedRotation(a(angles, 0), a(angles, 1));
      return rows(
        [c, ZERO, ZERO, high],
        [ZERO, ONE, ZERO, ZERO],
        [ZERO, ZERO, ONE, ZERO],
        [low, ZERO, ZERO, c],
      );
    },
    formula: '[[cos θ/2, −i e^{−iβ} sin θ/2], [−i e^{iβ} sin θ/2, cos θ/2]] on |00⟩, |11⟩',
    traits: [],
    inverse: ([theta = 0, beta = 0]) => ({ gate: 'XX-YY', angles: [-theta, beta] }),
    openqasm: { name: 'xx_minus_yy', library: 'none' },
  },
  {
    name: 'FSIM',
    aliases: [],
    summary: 'Fermionic simulation gate',
    numControls: 0,
    numTargets: 2,
    parameters: ['theta', 'phi'],
    matrix: (angles) => {
      const c = real(Math.cos(a(angles, 0)));
      const s = imaginary(-Math.sin(a(angles, 0)));
      return exchange(c, s, s, c, phase(-a(angles, 1)));
    },
    formula: '[[cos θ, −i sin θ], [−i sin θ, cos θ]] on |01⟩, |10⟩; e^{−iφ} on |11⟩',
    traits: [],
    inverse: negated('FSIM'),
    openqasm: { name: 'fsim', library: 'none' },
  },
  {
    name: 'CCX',
    aliases: ['toffoli', 'ccnot'],
    summary: 'X under two controls',
    numControls: 2,
    base: 'X',
    openqasm: { name: 'ccx', library: DUAL },
  },
  {
    name: 'CCZ',
    aliases: [],
    summary: 'Z under two controls',
    numControls: 2,
    base: 'Z',
    openqasm: { name: 'ccz', library: 'none' },
  },
  {
    name: 'CSWAP',
    aliases: ['fredkin'],
    summary: 'Controlled SWAP',
    numControls: 1,
    base: 'SWAP',
    openqasm: { name: 'cswap', library: DUAL },
  },
  {
    name: 'GPHASE',
    aliases: ['globalphase', 'global_phase'],
    summary: 'Phase of the whole state; under controls, a phase on |1…1⟩',
    numControls: 0,
    numTargets: 0,
    parameters: ['gamma'],
    matrix: (angles) => rows([phase(a(angles, 0))]),
    formula: 'e^{iγ}',
    traits: ['diagonal', 'permutation'],
    inverse: negated('GPHASE'),
    openqasm: { name: 'gphase', library: 'builtin' },
  },
];

/** All named gates, in the order documents list them. */
export const GATES: readonly GateDefinition[] = RECORDS.map((record) =>
  'base' in record ? controlled(record) : record,
);

function controlled({ base: baseName, ...own }: ControlledGate): GateDefinition {
  const base = RECORDS.find(({ name }) => name === baseName);
  if (base === undefined || 'base' in base) throw new Error(`unreachable: no base ${baseName}`);
  return {
    ...base,
    ...own,
    inverse: (angles) => {
      const inverse = base.inverse(angles);
      return inverse.gate === baseName ? { ...inverse, gate: own.name } : inverse;
    },
  };
}

const byName = new Map<string, GateDefinition>();
for (const definition of GATES) {
  for (const name of [definition.name, ...definition.aliases]) {
    const key = name.toLowerCase();
    if (byName.has(key)) throw new Error(`unreachable: two gates are called ${key}`);
    byName.set(key, definition);
  }
}

/** Finds a gate by name or alias, in any case; undefined where there is none. */
export function findGate(name: string): GateDefinition | undefined {
  return byName.get(name.toLowerCase());
}

const byCanonicalName = new Map(GATES.map((definition) => [definition.name, definition]));

/** Returns the gate of a canonical name that is known to exist. */
export function gateNamed(name: string): GateDefinition {
  const definition = byCanonicalName.get(name);
  if (definition === undefined) throw new Error(`unreachable: no gate is called ${name}`);
  return definition;
}
