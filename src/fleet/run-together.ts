/**
 * Batching rules: only this module decides which circuits run together, by an engine's batches, and which one by one.
 *
 * Batches take narrow circuits whose measurements are all last. Threads compute these in double precision, and narrow
 * circuits by themselves, too, so that a circuit has the same counts alone and in a batch.
 */
import {
  type Circuit,
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  isStatic,
  measuredQubits,
} from '../circuit/circuit.ts';
import { askedFields, type OutputMethod, type RequestedOutputs } from '../circuit/outputs.ts';
import { MAX_BATCH_QUBITS } from '../engine/batch-request.ts';
import { MAX_LISTED_BITS } from './run-outputs.ts';
import type { Precision } from './schedule/lane.ts';

/** The precision in which batches give the counts of compiled circuits. */
export const EXACT_PRECISION: Precision = 'f64';

/** Batching of the circuits of a shape. */
export interface JointFacts {
  readonly mayRunTogether: boolean;
  readonly measuresAllQubits: boolean;
}

/** Outputs that a run asks for of each of its circuits. */
interface AskedOfBatch extends RequestedOutputs {
  readonly shots?: number;
  readonly countsOfSingles?: boolean;
  readonly method?: OutputMethod;
}

/** Outputs that an engine's batches have. */
const BATCH_OUTPUTS: ReadonlySet<keyof RequestedOutputs> = new Set([
  'statevector',
  'probabilities',
  'observables',
  'variances',
]);

/** Whether a state is narrow enough for an engine's batches. */
export function isNarrow(numQubits: number): boolean {
  return numQubits <= MAX_BATCH_QUBITS;
}

/**
 * Whether a thread computes a run in that precision: batches of narrow circuits, and narrow circuits that ask for
 * counts alone. They are so small that it takes no longer, and a parameter sweep of them takes a tenth of the time.
 */
export function isExactOnThread({
  numQubits,
  numCircuits,
  numReadouts,
}: {
  readonly numQubits: number;
  /** A batch has it, a single circuit does not. */
  readonly numCircuits?: number;
  /** Outputs other than counts. */
  readonly numReadouts: number;
}): boolean {
  return isNarrow(numQubits) && (numCircuits !== undefined || numReadouts === 0);
}

/** Whether circuits of a shape may run together, and measure all qubits. */
export function jointFactsOf(shape: DynamicCircuit): JointFacts {
  const isJoint = mayRunTogether(shape);
  return { mayRunTogether: isJoint, measuresAllQubits: isJoint && measuresAllQubits(shape) };
}

/** Whether the circuits of a shape may run together. */
function mayRunTogether(shape: DynamicCircuit): shape is Circuit {
  const { numQubits, numBits } = shape;
  if (!isNarrow(numQubits) || numBits > MAX_LISTED_BITS) return false;
  return isStatic(shape) && !hasMidCircuitMeasurement(shape);
}

/**
 * Whether all qubits are measured. Of other circuits, the compiler may drop gates that no measurement shows, which
 * keeps the distribution but gives a seed another sample of it.
 */
function measuresAllQubits(shape: Circuit): boolean {
  const read = new Set(measuredQubits(shape));
  read.delete(null);
  return read.size === shape.numQubits;
}

/** Whether an engine's batches have the method and the outputs that a request asks for. */
export function isForBatches(asked: AskedOfBatch): boolean {
  const { method = 'statevector' } = asked;
  return method === 'statevector' && askedFields(asked).every((field) => BATCH_OUTPUTS.has(field));
}

/** Whether an engine's batches give the outputs that the request asks for of the circuits of a shape. */
export function runsTogether(shape: JointFacts, asked: AskedOfBatch): boolean {
  const { shots = 0, countsOfSingles } = asked;
  if (!shape.mayRunTogether || !isForBatches(asked)) return false;
  return shots === 0 || countsOfSingles !== true || shape.measuresAllQubits;
}

/** As `runsTogether`, by the shape itself. */
export function isRunTogether(shape: DynamicCircuit, asked: AskedOfBatch): shape is Circuit {
  return runsTogether(jointFactsOf(shape), asked);
}

/** Whether batches give the counts that a circuit of the shape has when it is compiled by itself. */
export function hasExactBatches(shape: DynamicCircuit): shape is Circuit {
  return mayRunTogether(shape) && measuresAllQubits(shape);
}
