/**
 * Reads a list of gates in IonQ's form and translates it to gate objects, or adds every fault with its path.
 *
 * Two sets of gates: `qis`, with angles in radians, and `native`, with phases in turns. Fields that a gate does not
 * have are passed over, and null means that a field is not given: clients send both.
 *
 * @see https://docs.ionq.com/guides/getting-started-with-native-gates (matrices of the native gates)
 */
import type { Qubit } from '../../circuit/circuit.ts';
import { MAX_UNITARY_QUBITS } from '../../circuit/circuit-limits.ts';
import { counted, type FaultList } from '../../circuit/errors.ts';
import type { GateObject } from '../../circuit/gate-object.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import { GateFields } from './gate-fields.ts';
import { evolutionGates } from './pauli-evolution.ts';

/** Names of IonQ's sets of gates. */
export const GATESETS = ['qis', 'native'] as const;
export type Gateset = (typeof GATESETS)[number];

/** Circuit as gate objects. */
export interface TranslatedGates {
  readonly objects: readonly GateObject[];
  /** For each gate object, the index of the gate that it came from. */
  readonly origins: readonly number[];
  /** Number of qubits: as given, otherwise one more than the highest qubit used. */
  readonly numQubits: number;
  /** Number of gates by the number of qubits that they act on: `1q`, `2q`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Operands and fields that a gate takes, and its gate objects. */
interface GateRule {
  /** A gate on one target may name several: it then acts on each of them. */
  readonly numTargets: 1 | 2;
  readonly takesControls: boolean;
  readonly needsControl?: true;
  readonly takesRotation?: true;
  /** Gate objects on these targets, without controls; none if a field has a fault. */
  readonly objects: (fields: GateFields, targets: readonly Qubit[]) => readonly GateObject[];
}

function fixed(gate: string): GateRule {
  return { numTargets: 1, takesControls: true, objects: (_, targets) => [{ gate, targets }] };
}

/** A rotation; `rotation` is its angle in radians. */
function rotated(gate: string, numTargets: 1 | 2 = 1): GateRule {
  return {
    numTargets,
    takesControls: true,
    takesRotation: true,
    objects: (fields, targets) => {
      const theta = fields.number('rotation', 'radians');
      return theta === undefined ? [] : [{ gate, targets, theta }];
    },
  };
}

const PHASE = rotated('P');

const QIS: ReadonlyMap<string, GateRule> = new Map<string, GateRule>([
  ['x', fixed('X')],
  ['y', fixed('Y')],
  [
    'z',
    {
      ...PHASE,
      // qiskit-ionq writes the phase gate as z with an angle.
      objects: (fields, targets) =>
        (fields.has('rotation') ? PHASE : fixed('Z')).objects(fields, targets),
    },
  ],
  ['h', fixed('H')],
  ['s', fixed('S')],
  ['si', fixed('SDG')],
  ['t', fixed('T')],
  ['ti', fixed('TDG')],
  ['v', fixed('SX')],
  ['vi', fixed('SXDG')],
  ['rx', rotated('RX')],
  ['ry', rotated('RY')],
  ['rz', rotated('RZ')],
  ['cnot', { ...fixed('X'), needsControl: true }],
  ['swap', { ...fixed('SWAP'), numTargets: 2 }],
  ['xx', rotated('RXX', 2)],
  ['yy', rotated('RYY', 2)],
  ['zz', rotated('RZZ', 2)],
  ['not', fixed('X')],
]);
const EVOLUTION = 'pauliexp';

const NATIVE: ReadonlyMap<string, GateRule> = new Map<string, GateRule>([
  ['gpi', { numTargets: 1, takesControls: false, objects: onEquator(Math.PI) }],
  ['gpi2', { numTargets: 1, takesControls: false, objects: onEquator(Math.PI / 2) }],
  ['ms', { numTargets: 2, takesControls: false, objects: molmerSorensen }],
  ['zz', { numTargets: 2, takesControls: false, objects: zzInTurns }],
  ['nop', { numTargets: 1, takesControls: false, objects: () => [] }],
]);

const TURN = 2 * Math.PI;

/** GPi(φ) and GPi2(φ), up to a global phase: rotations by π and π/2 about an axis on the equator. */
function onEquator(theta: number): GateRule['objects'] {
  return (fields, targets) => {
    const phase = fields.number('phase', 'turns');
    return phase === undefined ? [] : [{ gate: 'PRX', targets, theta, phi: TURN * phase }];
  };
}

/** MS(φ0, φ1, θ) = exp(−iπθ · GPi(φ0) ⊗ GPi(φ1)): XX between turned frames. */
function molmerSorensen(fields: GateFields, targets: readonly Qubit[]): readonly GateObject[] {
  const phases = fields.numbers('phases', 'turns');
  const angle = fields.has('angle') ? fields.number('angle', 'turns') : 0.25;
  if (phases !== undefined && phases.length !== 2) {
    fields.fault('phases', `Must be the phases of two targets, not of ${phases.length}.`);
    return [];
  }
  if (phases === undefined || angle === undefined) return [];
  const frames = (sign: 1 | -1) =>
    phases.map((phase, i) => ({ gate: 'RZ', target: targets[i]!, theta: sign * TURN * phase }));
  return [...frames(-1), { gate: 'RXX', targets, theta: TURN * angle }, ...frames(1)];
}

/** ZZ(θ) = exp(−iπθ · Z ⊗ Z). cirq-ionq calls its angle phase. */
function zzInTurns(fields: GateFields, targets: readonly Qubit[]): readonly GateObject[] {
  const angle = fields.number(fields.has('phase') ? 'phase' : 'angle', 'turns');
  return angle === undefined ? [] : [{ gate: 'RZZ', targets, theta: TURN * angle }];
}

/** Names of the gates of a set, in the order in which documents list them. */
export function gateNames(gateset: Gateset): readonly string[] {
  return gateset === 'native' ? [...NATIVE.keys()] : [...QIS.keys(), EVOLUTION];
}

/**
 * Translates a list of gates.
 *
 * @param path - Path of the list, for the faults.
 * @param numQubits - Number of qubits of the circuit, if it is given.
 * @param mayTakeLong - Whether matrices that take milliseconds each may be computed.
 * @param noisy - Gives the gate objects of a gate with its noise.
 * @throws {StepsSpentError} if such a matrix is needed and may not be computed.
 */
export function translateGates(
  list: unknown,
  gateset: Gateset,
  numQubits: number | undefined,
  path: string,
  faults: FaultList,
  mayTakeLong = true,
  noisy: (objects: readonly GateObject[]) => readonly GateObject[] = (objects) => objects,
): TranslatedGates {
  const objects: GateObject[] = [];
  const origins: number[] = [];
  const counts: Record<string, number> = {};
  let highest = -1;
  if (!Array.isArray(list)) faults.add(path, 'Required: a list of gates.');
  for (const [i, entry] of (Array.isArray(list) ? list : []).entries()) {
    if (faults.isFull) break;
    const fields = new GateFields(entry, `${path}[${i}]`, numQubits, faults);
    for (const object of noisy(gateObjects(fields, gateset, mayTakeLong))) {
      objects.push(object);
      origins.push(i);
    }
    highest = Math.max(highest, ...fields.qubits);
    const arity = `${fields.qubits.size}q`;
    counts[arity] = (counts[arity] ?? 0) + 1;
  }
  return { objects, origins, numQubits: numQubits ?? Math.max(1, highest + 1), counts };
}

function gateObjects(
  fields: GateFields,
  gateset: Gateset,
  mayTakeLong: boolean,
): readonly GateObject[] {
  const name = fields.name();
  if (name === undefined) return [];
  const rule = (gateset === 'native' ? NATIVE : QIS).get(name);
  if (rule === undefined && (name !== EVOLUTION || gateset === 'native')) {
    fields.fault('gate', unknownGate(name, gateset));
    return [];
  }
  const controls = fields.controls();
  const targets = fields.targets();
  if (controls === undefined || targets === undefined) return [];
  if (controls.length > 0 && rule?.takesControls !== true) {
    fields.fault('controls', `${name} takes no controls.`);
    return [];
  }
  if (rule === undefined) return evolution(fields, targets, mayTakeLong);
  if (rule.needsControl === true && controls.length === 0) {
    fields.fault('control', `Required: ${name} takes a control.`);
    return [];
  }
  if (gateset === 'qis' && rule.takesRotation !== true && fields.has('rotation')) {
    fields.fault('rotation', `${name} takes no rotation; rx, ry, rz, xx, yy, zz and z do.`);
    return [];
  }
  if (rule.numTargets === 2 && targets.length !== 2) {
    fields.fault('targets', `${name} acts on 2 targets, not on ${targets.length}.`);
    return [];
  }
  const groups = rule.numTargets === 2 ? [targets] : targets.map((target) => [target]);
  const own = controls.length === 0 ? {} : { controls };
  return groups.flatMap((group) =>
    rule.objects(fields, group).map((object) => ({ ...object, ...own })),
  );
}

function unknownGate(name: string, gateset: Gateset): string {
  const other = gateset === 'native' ? 'qis' : 'native';
  const known = gateNames(gateset);
  const shown = JSON.stringify(name.slice(0, 40));
  const hint = gateNames(other).includes(name)
    ? ` It is one of the set ${other}: set gateset to "${other}".`
    : didYouMean(name, known);
  return `There is no gate ${shown} in the set ${gateset}, which has ${known.join(', ')}.${hint}`;
}

/** Greatest sum of |coefficient · time| of an evolution, radians; rounding errors are below 1e-9 up to here. */
const MAX_EVOLUTION = 1e6;

/** Terms of an evolution; each pair of them is compared. */
const MAX_EVOLUTION_TERMS = 4096;

/** Gates of `pauliexp`. */
function evolution(
  fields: GateFields,
  targets: readonly Qubit[],
  mayTakeLong: boolean,
): readonly GateObject[] {
  const terms = fields.texts('terms');
  const coefficients = fields.numbers('coefficients');
  const time = fields.number('time');
  if (terms === undefined || coefficients === undefined || time === undefined) return [];
  if (terms.length > MAX_EVOLUTION_TERMS) {
    fields.fault('terms', `${terms.length} terms; the limit is ${MAX_EVOLUTION_TERMS}.`);
    return [];
  }
  const wrong = terms.findIndex((each) => each.length !== targets.length || /[^IXYZ]/.test(each));
  if (wrong >= 0) {
    const length = counted(targets.length, 'character');
    fields.fault(`terms[${wrong}]`, `Must have ${length} I, X, Y or Z, one for each target.`);
    return [];
  }
  if (coefficients.length !== terms.length) {
    const given = `${counted(coefficients.length, 'coefficient')} for ${counted(terms.length, 'term')}`;
    fields.fault('coefficients', `Must have one number for each term; there are ${given}.`);
    return [];
  }
  const norm = coefficients.reduce((sum, each) => sum + Math.abs(each * time), 0);
  if (norm > MAX_EVOLUTION) {
    const problem = `The evolution is too long: the sum of |coefficient · time| is ${norm}; the limit is ${MAX_EVOLUTION}.`;
    fields.fault('time', problem);
    return [];
  }
  const gates = evolutionGates({ terms, coefficients, time, targets }, mayTakeLong);
  if (gates !== undefined) return gates;
  const limit = `on more than ${MAX_UNITARY_QUBITS} targets`;
  fields.fault(
    'terms',
    `The terms do not commute, and ${limit} only terms that do are evolved exactly. Split the evolution into several gates of commuting terms.`,
  );
  return [];
}
