/**
 * Whether two circuits without measurements are the same unitary, by simulation.
 *
 * On few qubits exactly: one half of n Bell pairs is put through each circuit, and the state of all
 * 2n qubits then is the whole unitary (Choi, Jamiołkowski). On more qubits random states are put
 * through both; unequal unitaries agree on one of those with probability zero, but nearly equal ones
 * are told apart only where the state feels the difference.
 *
 * The circuits are run as they are written: barriers keep the compiler's passes from rewriting them,
 * some of which made one of the two.
 */
import {
  type Circuit,
  type GateOperation,
  type Operation,
  operationQubits,
} from '../../../circuit/circuit.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { Chance } from '../chance.ts';
import { gateOperation as gate } from '../gate-operation.ts';
import { isSinglePrecision, stateDistance } from './state-distance.ts';

/** Qubits up to which the whole unitary is compared; each one multiplies its entries by four. */
export const MAX_EXACT_QUBITS = 8;
/** Qubits up to which random states are compared. */
export const MAX_STATE_QUBITS = 18;
/** Number of random states. */
const NUM_STATES = 3;
/** Distance of states of double precision: what rounding makes of ten thousand gates stays far below. */
export const TOLERANCE = 1e-8;
/** Distance of states of single precision. */
export const SINGLE_TOLERANCE = 2e-3;

/** Result of a comparison. */
export interface Compared {
  readonly method: 'whole_unitary' | 'random_states' | 'state_from_zero';
  /** States that were put through both. */
  readonly states: number;
  readonly fidelity: number;
  readonly distance: number;
  readonly tolerance: number;
  readonly isEqual: boolean;
}

/** Whether circuits of so many qubits can be compared on what runs circuits now. */
export function isComparable(numQubits: number, { circuits }: ProcedureContext): boolean {
  return numQubits <= Math.min(MAX_STATE_QUBITS, circuits.maxQubits);
}

/** On which states circuits are compared, and how closely. */
export interface CompareOptions {
  readonly seed: number;
  /** All states, or only what becomes of |0…0⟩. */
  readonly on: 'all' | 'zero';
  /** Qubits, as bits, that both circuits measure in the end. */
  readonly measured: number;
}

/**
 * Compares two circuits of one width, of gates, unitaries and barriers without conditions: at most
 * MAX_STATE_QUBITS.
 */
export async function compareUnitaries(
  a: Circuit,
  b: Circuit,
  { seed, on, measured }: CompareOptions,
  context: ProcedureContext,
): Promise<Compared> {
  const n = a.numQubits;
  const isWhole = on === 'all' && n <= MAX_EXACT_QUBITS && 2 * n <= context.circuits.maxQubits;
  const numStates = isWhole || on === 'zero' ? 1 : NUM_STATES;
  let [fidelity, distance, tolerance] = [1, 0, TOLERANCE];
  for (let k = 0; k < numStates; k++) {
    const start = startOf(n, isWhole, on, new Chance(seed, k));
    const first = await stateOf(a, start, context);
    const second = await stateOf(b, start, context);
    const apart = stateDistance(first, second, measured);
    fidelity = Math.min(fidelity, apart.fidelity);
    distance = Math.max(distance, apart.distance);
    if (isSinglePrecision(first)) tolerance = SINGLE_TOLERANCE;
  }
  return {
    method: on === 'zero' ? 'state_from_zero' : isWhole ? 'whole_unitary' : 'random_states',
    states: numStates,
    fidelity,
    distance,
    tolerance,
    isEqual: distance <= tolerance,
  };
}

function startOf(n: number, isWhole: boolean, on: 'all' | 'zero', chance: Chance): Preparation {
  if (on === 'zero') return { numQubits: n, operations: [] };
  return isWhole ? bellPairs(n) : randomState(n, chance);
}

/** Preparation of a state before a circuit. */
export interface Preparation {
  readonly numQubits: number;
  readonly operations: readonly Operation[];
}

async function stateOf(
  { operations }: Circuit,
  { numQubits, operations: prepared }: Preparation,
  { circuits, signal }: ProcedureContext,
): Promise<Float64Array> {
  signal.throwIfAborted();
  const circuit = { numQubits, numBits: 0, operations: [...prepared, ...asWritten(operations)] };
  const { statevector } = await circuits.run(circuit, { statevector: true });
  if (statevector === undefined) throw new Error('unreachable: a run without what was asked for');
  return statevector;
}

/** A barrier on the qubits of each operation before it: then no pass takes two of them together. */
export function asWritten(operations: readonly Operation[]): readonly Operation[] {
  return operations.flatMap((operation): readonly Operation[] => {
    const qubits = operationQubits(operation);
    if (operation.kind === 'barrier' || qubits.length === 0) return [operation];
    return [{ kind: 'barrier', qubits }, operation];
  });
}

/** Qubit q of n in a Bell pair with qubit n + q. */
function bellPairs(n: number): Preparation {
  const operations = Array.from({ length: n }, (_, q) => [
    gate('H', [n + q]),
    gate('CX', [q], [], [n + q]),
  ]).flat();
  return { numQubits: 2 * n, operations };
}

/** Random rotations of every qubit, entangled along a line, and rotated again. */
export function randomState(n: number, chance: Chance): Preparation {
  const turn = (q: number) => randomTurn(q, chance);
  const qubits = Array.from({ length: n }, (_, q) => q);
  return {
    numQubits: n,
    operations: [
      ...qubits.map(turn),
      ...qubits.slice(1).map((q) => gate('CX', [q], [], [q - 1])),
      ...qubits.map(turn),
    ],
  };
}

/** A rotation to an axis drawn uniformly from the sphere. */
export function randomTurn(qubit: number, chance: Chance): GateOperation {
  const angle = () => 2 * Math.PI * chance.uniform();
  return gate('U', [qubit], [Math.acos(1 - 2 * chance.uniform()), angle(), angle()]);
}
