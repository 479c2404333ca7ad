/**
 * Compares the unitaries of two circuits without measurements, by simulation, and measures how far states and unitaries
 * are apart.
 *
 * On few qubits the comparison is exact: each circuit acts on one half of n Bell pairs, and the state of
 * all 2n qubits is the whole unitary (Choi, Jamiołkowski). On more qubits both act on random states;
 * unequal unitaries agree on such a state with probability 0, but nearly equal ones are distinguished
 * only if the state shows the difference.
 *
 * The circuits run as written: barriers keep the compiler's passes from rewriting them, because such
 * passes made one of the two.
 */

import {
  type Circuit,
  type GateOperation,
  type Operation,
  operationQubits,
} from '../../../circuit/circuit.ts';
import { coded } from '../../../errors/coded-error.ts';
import { adjoint, type ComplexMatrix, dimension, multiply } from '../../../math/complex-matrix.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { Chance } from '../chance.ts';
import { gateOperation as gate } from '../gate-operation.ts';

/**
 * A synthesised circuit differs from the requested one; no circuit is returned. `what` is the compared property,
 * `found` its deviation, `allowed` the tolerance.
 */
export class EquivalenceError extends coded(
  'WORKLOADS_NOT_EQUIVALENT',
  (what: string, found: number, allowed: number) =>
    `The circuit that was found failed its verification: its ${what} is ${found.toPrecision(3)}, and at most ${allowed.toPrecision(3)} is allowed.`,
) {}

/** Fidelity and distance of two state vectors. */
export interface StateDistance {
  /** (Σ |⟨a|b⟩|)² over both norms, the sum running over outcomes. */
  readonly fidelity: number;
  /** The length of a − e^{iφ}·b for the φ that makes it shortest, one φ for each outcome. */
  readonly distance: number;
}

/**
 * Computes fidelity and distance.
 *
 * @param a - Interleaved re, im; norm 1 up to rounding, as is `b`; at most 30 qubits.
 * @param measured - Bit mask of the qubits that are measured next: the relative phases of their outcomes
 *   do not matter.
 */
export function stateDistance(a: Float64Array, b: Float64Array, measured = 0): StateDistance {
  const size = a.length / 2;
  // Overlaps by outcome; the others stay 0.
  const overlaps = new Float64Array(2 * (measured + 1));
  let [normA, normB] = [0, 0];
  for (let i = 0; i < size; i++) {
    const [ar, ai, br, bi] = [a[2 * i]!, a[2 * i + 1]!, b[2 * i]!, b[2 * i + 1]!];
    const at = 2 * (i & measured);
    overlaps[at]! += ar * br + ai * bi;
    overlaps[at + 1]! += ar * bi - ai * br;
    normA += ar * ar + ai * ai;
    normB += br * br + bi * bi;
  }
  let total = 0;
  for (let at = 0; at < overlaps.length; at += 2) {
    const overlap = Math.hypot(overlaps[at]!, overlaps[at + 1]!);
    total += overlap;
    overlaps[at] = overlap === 0 ? 1 : overlaps[at]! / overlap;
    overlaps[at + 1] = overlap === 0 ? 0 : overlaps[at + 1]! / overlap;
  }
  // Summed instead of taken from the overlaps, which would lose half of the digits.
  let squares = 0;
  for (let i = 0; i < size; i++) {
    const at = 2 * (i & measured);
    const [c, s, br, bi] = [overlaps[at]!, overlaps[at + 1]!, b[2 * i]!, b[2 * i + 1]!];
    squares += (a[2 * i]! - c * br - s * bi) ** 2 + (a[2 * i + 1]! - c * bi + s * br) ** 2;
  }
  return {
    fidelity: Math.min(1, (total * total) / (normA * normB)),
    distance: Math.sqrt(squares),
  };
}

/**
 * Whether all amplitudes are single-precision numbers; they are then accurate to single precision only.
 */
export function isSinglePrecision(state: Float64Array): boolean {
  return state.every((part) => Math.fround(part) === part);
}

/** Number of squarings of a Hermitian matrix after which only its largest eigenvalue is left. */
const SQUARINGS = 12;

/**
 * Operator norm of a − b: the largest distance over all states.
 */
export function operatorDistance(a: ComplexMatrix, b: ComplexMatrix): number {
  const difference = a.map((part, i) => part - b[i]!);
  let power = multiply(adjoint(difference), difference);
  // The trace of A^(2^k), of which the 2^k-th root tends to the largest eigenvalue of A.
  let logarithm = 0;
  for (let k = 0; k < SQUARINGS; k++) {
    const trace = traceOf(power);
    if (trace === 0) return 0;
    logarithm += Math.log(trace) / 2 ** k;
    const scaled = power.map((part) => part / trace);
    power = multiply(scaled, scaled);
  }
  return Math.sqrt(Math.exp(logarithm + Math.log(traceOf(power)) / 2 ** SQUARINGS));
}

/** Trace of a Hermitian matrix. */
function traceOf(matrix: ComplexMatrix): number {
  const d = dimension(matrix);
  let trace = 0;
  for (let i = 0; i < d; i++) trace += matrix[2 * (i * d + i)]!;
  return trace;
}

/** Most qubits for comparing the whole unitary; each one quadruples its entries. */
const MAX_EXACT_QUBITS = 8;
/** Most qubits for comparing random states. */
export const MAX_STATE_QUBITS = 18;
/** Number of random states. */
const NUM_STATES = 3;
/** Tolerance for states of double precision; the rounding of ten thousand gates stays far below it. */
export const TOLERANCE = 1e-8;
/** Tolerance for states of single precision. */
export const SINGLE_TOLERANCE = 2e-3;

/** Result of a comparison. */
export interface Compared {
  readonly method: 'whole_unitary' | 'random_states' | 'state_from_zero';
  /** Number of states compared. */
  readonly states: number;
  readonly fidelity: number;
  readonly distance: number;
  readonly tolerance: number;
  readonly isEqual: boolean;
}

/** Whether circuits with this many qubits can be compared on the available processors. */
export function isComparable(numQubits: number, { circuits }: ProcedureContext): boolean {
  return numQubits <= Math.min(MAX_STATE_QUBITS, circuits.maxQubits);
}

/** Initial states and tolerance of a comparison. */
export interface CompareOptions {
  readonly seed: number;
  /** Initial states: all, or |0…0⟩ alone. */
  readonly on: 'all' | 'zero';
  /** Bit mask of the qubits that both circuits measure at the end. */
  readonly measured: number;
}

/**
 * Compares two circuits of one width that have gates, unitaries and barriers without conditions, on at
 * most MAX_STATE_QUBITS qubits.
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
  const { statevectors } = await circuits.run(circuit, { statevector: true });
  if (statevectors === undefined) throw new Error('unreachable: a run without what was asked for');
  return statevectors;
}

/** Puts a barrier before each operation on its qubits, so that no pass merges two operations. */
export function asWritten(operations: readonly Operation[]): readonly Operation[] {
  return operations.flatMap((operation): readonly Operation[] => {
    const qubits = operationQubits(operation);
    if (operation.kind === 'barrier' || qubits.length === 0) return [operation];
    return [{ kind: 'barrier', qubits }, operation];
  });
}

/** Operations that make Bell pairs of qubit q and qubit n + q. */
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
