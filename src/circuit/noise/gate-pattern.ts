/** Names in noise models: gates with their controls, and all gates on a number of qubits. */

import { didYouMean } from '../../errors/nearest-names.ts';
import { type ComplexMatrix, maxAbsDifference } from '../../math/complex-matrix.ts';
import type { GateOperation, UnitaryOperation } from '../circuit.ts';
import type { GateDefinition } from '../gate-definition.ts';
import { findOperation, operationNames } from '../gate-object.ts';
import { GATES, gateNamed } from '../gates.ts';
import { matrixOfOperations } from '../operation-matrix.ts';

/** Gates that a name in a noise model stands for. */
export interface GatePattern {
  /** Canonical name, or `*`. */
  readonly name: string;
  /** Number of qubits of every gate that it stands for; undefined where they differ. */
  readonly numQubits: number | undefined;
}

/**
 * Operations that are no gates and have noise and a duration all the same, each qubit of them by itself. Only their names
 * stand for them.
 */
const ON_EACH_QUBIT = ['M', 'RESET'];

/** Ends of layers, which have noise and take no time. */
export const LAYER_END = 'BARRIER';

/** Why noise or a duration cannot be attached to other operations. */
const NO_GATES: Readonly<Record<string, string>> = {
  EVOLVE:
    'EVOLVE is written out as gates; name these, such as RZZ, RX or UNITARY. POST /quantum/compile shows them.',
  BARRIER: 'BARRIER is not a gate, and takes no time.',
  NOISE: 'NOISE is not a gate, and takes no time.',
};

/**
 * Reads a name in a noise model.
 *
 * @param takes - What is wanted of the operations that it names: layers have noise, but no duration.
 * @returns A sentence on its fault, if it has one.
 */
export function readPattern(name: string, takes: 'noise' | 'duration'): GatePattern | string {
  const width = /^\*([1-9]\d?)?$/.exec(name);
  if (width !== null) {
    const digits = width[1];
    return { name, numQubits: digits === undefined ? undefined : Number(digits) };
  }
  const found = findOperation(name);
  if (found === undefined) {
    const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name;
    return `There is no gate called ${JSON.stringify(shown)}.${didYouMean(name, operationNames())}`;
  }
  if ('parameters' in found) {
    return { name: found.name, numQubits: found.numControls + found.numTargets };
  }
  if (found.name === 'UNITARY') return { name: found.name, numQubits: undefined };
  if (ON_EACH_QUBIT.includes(found.name)) return { name: found.name, numQubits: 1 };
  const isLayer = found.name === LAYER_END && takes === 'noise';
  return isLayer ? { name: LAYER_END, numQubits: undefined } : (NO_GATES[found.name] ?? '');
}

/** Names that stand for a gate in a noise model, the most specific first. A gate without a name has its width alone. */
export function namesOfGate(operation: GateOperation | UnitaryOperation): readonly string[] {
  const { controls, targets } = operation;
  const widths = [`*${controls.length + targets.length}`, '*'];
  if (operation.kind === 'unitary') {
    return controls.length === 0 ? ['UNITARY', ...widths] : widths;
  }
  const name = nameWithControls(operation.gate, controls.length);
  return name === undefined ? widths : [name, ...widths];
}

const namesWithControls = new Map<string, string | undefined>();

/** Name of a gate with a number of controls in all: CX with two is CCX. Undefined where the table has none. */
function nameWithControls(gate: string, numControls: number): string | undefined {
  const key = `${numControls} ${gate}`;
  if (!namesWithControls.has(key)) namesWithControls.set(key, lookedUp(gate, numControls));
  return namesWithControls.get(key);
}

function lookedUp(gate: string, numControls: number): string | undefined {
  const own = gateNamed(gate);
  if (own.numControls === numControls) return own.name;
  const numQubits = numControls + own.numTargets;
  const alike = GATES.filter(
    ({ numControls: controls, numTargets, parameters }) =>
      controls + numTargets === numQubits && parameters.length === own.parameters.length,
  );
  const wanted = alike.length === 0 ? undefined : wholeMatrix(own, numControls);
  return alike.find(
    (other) => maxAbsDifference(wanted!, wholeMatrix(other, other.numControls)) < 1e-12,
  )?.name;
}

/** Angles at which no two different gates agree by chance. */
const GENERIC = [0.831, 1.377, 2.203, 0.519];

/** Matrix of a gate on its controls, which come first, and its targets. */
function wholeMatrix(definition: GateDefinition, numControls: number): ComplexMatrix {
  const numQubits = numControls + definition.numTargets;
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const operation = {
    kind: 'gate',
    gate: definition.name,
    controls: qubits.slice(0, numControls),
    targets: qubits.slice(numControls),
    angles: GENERIC.slice(0, definition.parameters.length),
  } as const;
  return matrixOfOperations([operation], numQubits);
}
