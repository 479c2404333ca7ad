/** Device memory of a piece of a batch, and the decoding of its results. */
import type { BatchRequest, BatchResults, BatchSizes } from '../../batch-request.ts';
import { type MeasuredPatterns, scatterPatterns } from './batch-tables.ts';

/** Largest buffer, unless a single circuit needs more. */
const MAX_BUFFER_BYTES = 2 ** 26;
const WORD_BYTES = 4;
const AMPLITUDE_BYTES = 8;

/** Bytes of one circuit; 0 for outputs that are not requested. */
export interface CircuitBytes {
  readonly angles: number;
  readonly state: number;
  readonly expectations: number;
  readonly variances: number;
  readonly probabilities: number;
  readonly counts: number;
  /** Number of undecided draws; with counts. */
  readonly undecided: number;
  /** Bytes of the state that is read back. */
  readonly statevector: number;
}

/** Computes the bytes of one circuit of a request. */
export function circuitBytes(
  sizes: { readonly numAngles: number; readonly roomQubits: number; readonly numMeasured: number },
  request: BatchRequest,
): CircuitBytes {
  const state = AMPLITUDE_BYTES * 2 ** sizes.roomQubits;
  const patterns = WORD_BYTES * 2 ** sizes.numMeasured;
  const { shots = 0, observables = [] } = request;
  return {
    angles: WORD_BYTES * sizes.numAngles,
    state,
    expectations: WORD_BYTES * observables.length,
    variances: request.variances === true ? WORD_BYTES * observables.length : 0,
    probabilities: request.probabilities === true ? patterns : 0,
    counts: shots > 0 ? patterns : 0,
    undecided: shots > 0 ? WORD_BYTES : 0,
    statevector: request.statevector === true ? state : 0,
  };
}

/** Bytes of the results of one circuit. */
export function resultBytes(bytes: CircuitBytes): number {
  const { expectations, variances, probabilities, counts, undecided, statevector } = bytes;
  return expectations + variances + probabilities + counts + undecided + statevector;
}

/** Largest number of circuits in a piece. */
export function maxCircuits(
  bytes: CircuitBytes,
  { maxBufferSize, maxStorageBufferBindingSize }: GPUSupportedLimits,
): number {
  const most = Math.min(MAX_BUFFER_BYTES, maxBufferSize, maxStorageBufferBindingSize);
  const largest = Math.max(bytes.angles, bytes.state, resultBytes(bytes));
  return Math.max(1, Math.floor(most / largest));
}

/**
 * Copies a piece's results into the result arrays of the batch.
 *
 * @returns The circuits that have undecided draws.
 */
export function readPiece(
  batch: { readonly sizes: BatchSizes; readonly patterns: MeasuredPatterns },
  { first, count }: { readonly first: number; readonly count: number },
  bytes: CircuitBytes,
  mapped: ArrayBuffer,
  results: BatchResults,
): readonly number[] {
  const { numQubits, numBits } = batch.sizes;
  const { expectations, variances, probabilities, counts, statevectors } = results;
  let at = 0;
  const next = (bytesOfOne: number) => {
    const from = at;
    at += count * bytesOfOne;
    return from;
  };
  const reals = (bytesOfOne: number) =>
    new Float32Array(mapped, next(bytesOfOne), (count * bytesOfOne) / 4);
  const values = reals(bytes.expectations);
  expectations?.set(values, (first * bytes.expectations) / 4);
  variances?.set(reals(bytes.variances), (first * bytes.variances) / 4);
  const masses = reals(bytes.probabilities);
  if (probabilities !== undefined) {
    scatterPatterns(batch.patterns, masses, probabilities, first, 2 ** numBits);
  }
  const words = (bytesOfOne: number) =>
    new Uint32Array(mapped, next(bytesOfOne), (count * bytesOfOne) / 4);
  const found = words(bytes.counts);
  if (counts !== undefined) {
    scatterPatterns(batch.patterns, found, counts, first, 2 ** numBits);
  }
  const undecided: number[] = [];
  for (const [k, draws] of words(bytes.undecided).entries()) {
    if (draws > 0) undecided.push(first + k);
  }
  if (statevectors === undefined) return undecided;
  const amplitudes = reals(bytes.statevector);
  const length = 2 * 2 ** numQubits;
  const room = bytes.statevector / 4;
  for (let k = 0; k < count; k++) {
    statevectors.set(amplitudes.subarray(k * room, k * room + length), (first + k) * length);
  }
  return undecided;
}
