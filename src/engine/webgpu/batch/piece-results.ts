/** Decodes the results of a piece, which are ordered by kind, then by circuit. */
import type { BatchResults, BatchSizes } from '../../batch-request.ts';
import { type MeasuredPatterns, scatterPatterns } from './batch-tables.ts';
import type { CircuitBytes } from './piece-layout.ts';

/** Copies a piece's results into the result arrays of the batch. */
export function readPiece(
  batch: { readonly sizes: BatchSizes; readonly patterns: MeasuredPatterns },
  { first, count }: { readonly first: number; readonly count: number },
  bytes: CircuitBytes,
  mapped: ArrayBuffer,
  results: BatchResults,
): void {
  const { numQubits, numBits } = batch.sizes;
  const { expectations, probabilities, counts, statevectors } = results;
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
  const masses = reals(bytes.probabilities);
  if (probabilities !== undefined) {
    scatterPatterns(batch.patterns, masses, probabilities, first, 2 ** numBits);
  }
  if (counts !== undefined) {
    const found = new Uint32Array(mapped, next(bytes.counts), (count * bytes.counts) / 4);
    scatterPatterns(batch.patterns, found, counts, first, 2 ** numBits);
  }
  if (statevectors === undefined) return;
  const amplitudes = reals(bytes.statevector);
  const length = 2 * 2 ** numQubits;
  const room = bytes.statevector / 4;
  for (let k = 0; k < count; k++) {
    statevectors.set(amplitudes.subarray(k * room, k * room + length), (first + k) * length);
  }
}
