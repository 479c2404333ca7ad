/** Batches of all engines: the shapes that can run as one, requests, results, and their validation. */

import { type Circuit, hasMidCircuitMeasurement, measuredQubits } from '../circuit/circuit.ts';
import type { PauliSum } from '../circuit/observable.ts';
import type { RequestedOutputs } from '../circuit/outputs.ts';
import type { Fault } from '../errors/coded-error.ts';
import { reducedAngle } from '../math/angles.ts';
import { MAX_SEED } from '../math/philox.ts';
import {
  InvalidBatchError,
  OutputNeedsFinalStateError,
  ProgramTooWideError,
  TooManyOutcomesError,
} from './errors.ts';

/** Largest number of qubits of a batch's circuits. */
export const MAX_BATCH_QUBITS = 12;

/**
 * Refuses a shape that cannot run as a batch.
 *
 * @param engine - Name of the engine in the error message.
 * @throws {ProgramTooWideError} if the shape has more than 12 qubits.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 */
export function checkBatchShape(shape: Circuit, engine: string): void {
  if (shape.numQubits > MAX_BATCH_QUBITS) {
    throw new ProgramTooWideError(shape.numQubits, MAX_BATCH_QUBITS, engine);
  }
  if (hasMidCircuitMeasurement(shape)) throw new OutputNeedsFinalStateError('A batch');
}

/** For each qubit, the mask of classical bits that it is measured into. */
export function outcomeBitsOf(shape: Circuit): readonly number[] {
  const bits = new Array<number>(shape.numQubits).fill(0);
  for (const [bit, qubit] of measuredQubits(shape).entries()) {
    if (qubit !== null) bits[qubit]! |= 1 << bit;
  }
  return bits;
}

/** Shots of one circuit. A batch can be cancelled between circuits, not within one. */
const MAX_SHOTS = 1_000_000;
/**
 * Classical bits whose distribution can be listed: 2^16 probabilities take half a megabyte a
 * circuit.
 */
const MAX_OUTCOME_BITS = 16;
/** Numbers in one result array: 2 GiB. */
const MAX_RESULT_LENGTH = 2 ** 28;
/** Angles above this (radians) are reduced modulo 4π before a kernel sees them. */
const MAX_PLAIN_ANGLE = 2 ** 16;

/** Outputs that batches have. */
type BatchOutputs = Pick<
  RequestedOutputs,
  'statevector' | 'probabilities' | 'observables' | 'variances'
>;

/** Request for a batch. The result holds only the outputs that are requested. */
export interface BatchRequest extends BatchOutputs {
  readonly numCircuits: number;
  /** Radians, circuit after circuit; length numCircuits · numAngles. */
  readonly angles: Float64Array;
  /** Shots of each circuit, at most 1,000,000; 0 by default. */
  readonly shots?: number;
  /** Circuit k draws with seed `seed` + k; 0 by default. */
  readonly seed?: number;
  /** Replaces `seed`: circuit k draws with `seeds[k]`. */
  readonly seeds?: ArrayLike<number>;
}

/** Result of a batch; each array lists circuit after circuit. */
export interface BatchResult {
  /** Number of shots for each value of the register; length 2^numBits a circuit. */
  readonly counts?: Uint32Array;
  /**
   * With counts of an engine in single precision that examines its draws: the circuits, ascending, that have a draw so
   * close to a boundary between two outcomes that double precision may draw the other one. Counts of all other
   * circuits are those of double precision.
   */
  readonly undecided?: Uint32Array;
  /** Interleaved re, im; length 2·2^numQubits a circuit. */
  readonly statevectors?: Float64Array;
  /** Length 2^numBits a circuit. */
  readonly probabilities?: Float64Array;
  /** One value for each observable, for each circuit. */
  readonly expectations?: Float64Array;
  /** One value for each observable, for each circuit; at least 0. */
  readonly variances?: Float64Array;
}

/** Result arrays while they are filled. */
export type BatchResults = { -readonly [K in keyof BatchResult]: BatchResult[K] };

/** A circuit shape compiled for one engine; it runs any number of batches. */
export interface BatchExecutable extends AsyncDisposable {
  /**
   * Number of angles of one circuit: the parameters of the shape's gates, in the order of its
   * operations.
   */
  readonly numAngles: number;
  /**
   * Runs all circuits from |0…0⟩.
   *
   * @throws {InvalidBatchError} if the request does not fit the shape or has an angle that is not finite.
   * @throws {TooManyOutcomesError} if counts or probabilities of more than 16 bits are asked for.
   * @throws {DOMException} the signal's reason, soon after it aborts.
   */
  run(request: BatchRequest, signal: AbortSignal): Promise<BatchResult>;
}

/** Sizes of a shape that a request is validated against. */
export interface BatchSizes {
  readonly numQubits: number;
  readonly numBits: number;
  readonly numAngles: number;
}

/**
 * Validates a request against the shape.
 *
 * @throws {InvalidBatchError} listing every fault.
 * @throws {TooManyOutcomesError} if counts or probabilities of more than 16 bits are requested.
 */
export function checkBatchRequest(request: BatchRequest, sizes: BatchSizes): void {
  const { numCircuits, shots = 0, probabilities = false } = request;
  const needsOutcomes = shots > 0 || probabilities;
  if (needsOutcomes && sizes.numBits > MAX_OUTCOME_BITS) {
    throw new TooManyOutcomesError(sizes.numBits, MAX_OUTCOME_BITS);
  }
  const faults = [
    ...wrongNumber('numCircuits', numCircuits, 0, 2 ** 32 - 1),
    ...wrongNumber('shots', shots, 0, MAX_SHOTS),
  ];
  if (faults.length === 0) faults.push(...wrongAngles(request, sizes), ...wrongSeeds(request));
  faults.push(...wrongObservables(request, sizes), ...tooLong(request, sizes));
  if (faults.length > 0) throw new InvalidBatchError(faults);
}

/** Allocates the requested result arrays, filled with 0. */
export function emptyResults(
  { numQubits, numBits }: Pick<BatchSizes, 'numQubits' | 'numBits'>,
  request: BatchRequest,
): BatchResults {
  const { numCircuits, shots = 0, observables } = request;
  const results: BatchResults = {};
  if (shots > 0) results.counts = new Uint32Array(numCircuits * 2 ** numBits);
  if (request.statevector === true) {
    results.statevectors = new Float64Array(numCircuits * 2 * 2 ** numQubits);
  }
  if (request.probabilities === true) {
    results.probabilities = new Float64Array(numCircuits * 2 ** numBits);
  }
  if (observables !== undefined) {
    results.expectations = new Float64Array(numCircuits * observables.length);
    if (request.variances === true) {
      results.variances = new Float64Array(numCircuits * observables.length);
    }
  }
  return results;
}

function wrongNumber(path: string, value: number, least: number, most: number): readonly Fault[] {
  if (Number.isInteger(value) && value >= least && value <= most) return [];
  return [{ path, message: `${value} is not a whole number from ${least} to ${most}.` }];
}

function wrongAngles({ angles, numCircuits }: BatchRequest, sizes: BatchSizes): readonly Fault[] {
  const length = numCircuits * sizes.numAngles;
  if (angles.length !== length) {
    const message = `There are ${angles.length} numbers; ${numCircuits} circuits of ${sizes.numAngles} angles need ${length}.`;
    return [{ path: 'angles', message }];
  }
  // A plain loop: a call for each of millions of angles would take as long as the circuits.
  let wrong = 0;
  while (wrong < length && Number.isFinite(angles[wrong])) wrong++;
  if (wrong === length) return [];
  const circuit = Math.floor(wrong / sizes.numAngles);
  const message = `${angles[wrong]} is not a finite number: angle ${wrong % sizes.numAngles} of circuit ${circuit}.`;
  return [{ path: `angles[${wrong}]`, message }];
}

function wrongSeeds({ seed = 0, seeds, shots = 0, numCircuits }: BatchRequest): readonly Fault[] {
  if (shots === 0) return [];
  if (seeds === undefined) {
    return wrongNumber('seed', seed, 0, MAX_SEED - Math.max(0, numCircuits - 1));
  }
  if (seeds.length !== numCircuits) {
    const message = `There are ${seeds.length} seeds for ${numCircuits} circuits.`;
    return [{ path: 'seeds', message }];
  }
  for (let i = 0; i < seeds.length; i++) {
    const faults = wrongNumber(`seeds[${i}]`, seeds[i]!, 0, MAX_SEED);
    if (faults.length > 0) return faults;
  }
  return [];
}

function wrongObservables({ observables = [] }: BatchRequest, sizes: BatchSizes): readonly Fault[] {
  const { numQubits } = sizes;
  return observables.flatMap((sum, i) => {
    const wrong = wrongQubit(sum, numQubits);
    if (wrong === undefined) return [];
    const message = `There is no qubit ${wrong}; the circuits have ${numQubits}.`;
    return [{ path: `observables[${i}]`, message }];
  });
}

/** The first qubit that is not there. Plain loops: a sum may have thousands of terms. */
function wrongQubit(sum: PauliSum, numQubits: number): number | undefined {
  for (const { factors } of sum) {
    for (const { qubit } of factors) {
      if (!Number.isInteger(qubit) || qubit < 0 || qubit >= numQubits) return qubit;
    }
  }
  return undefined;
}

function tooLong(request: BatchRequest, sizes: BatchSizes): readonly Fault[] {
  const { numCircuits, shots = 0, observables = [] } = request;
  const outcomes = shots > 0 || request.probabilities === true ? 2 ** sizes.numBits : 0;
  const amplitudes = request.statevector === true ? 2 * 2 ** sizes.numQubits : 0;
  const length = numCircuits * Math.max(outcomes, amplitudes, observables.length);
  if (!(length > MAX_RESULT_LENGTH)) return [];
  const message = `The result has ${length} numbers; one call gives at most ${MAX_RESULT_LENGTH}.`;
  return [{ path: 'numCircuits', message }];
}

/**
 * Returns a small angle unchanged, and a large one reduced to [−2π, 2π] with the same half-angle.
 */
export function plainAngle(angle: number): number {
  return Math.abs(angle) > MAX_PLAIN_ANGLE ? reducedAngle(angle) : angle;
}

/** Copies angles, reducing those that are too large for the kernels' own range reduction. */
export function copyAngles(from: Float64Array, to: Float64Array): void {
  for (let i = 0; i < from.length; i++) to[i] = plainAngle(from[i]!);
}
