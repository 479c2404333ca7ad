/**
 * Counting of errors among the shots of a circuit whose detectors a decoder reads. A worker samples, decodes and counts;
 * a few numbers come back.
 *
 * Shots come in chunks. A chunk is a run of its own with a seed of its own, so that its tally depends neither on the
 * chunks that are run with it nor on where they run.
 */

import type { RepeatedParities } from '../circuit/stim/repeated-parities.ts';
import type { Parities } from '../compiler/clifford/error-walk.ts';
import type { Postselection } from '../decoding/count-errors.ts';
import type { DecoderChoice } from '../decoding/decoders.ts';
import type { Stratum } from '../decoding/fault-strata.ts';
import { listsOfParities, type ParityLists } from '../math/bit-matrix.ts';

/**
 * Shots of a chunk, one block of the stabilizer engine's. Tallies of interrupted jobs are stored by chunks: another
 * number makes their counts wrong.
 */
export const CHUNK_SHOTS = 1024;

/** What counts as an error. Its arrays lie in memory that threads share. */
export interface ErrorCounting extends Postselection {
  /** Names circuit, decoder and sampling: a worker keeps what it prepared for the next run with this key. */
  readonly key: string;
  readonly decoder: DecoderChoice;
  readonly parities: { readonly detectors: ParityLists; readonly observables: ParityLists };
  /** The same in the form of the circuit's loops, if it has any, for its decoder. */
  readonly repeated?: RepeatedParities;
}

/** The parities as lists, in the form of the circuit's loops if it has any. */
export function declaredIn({
  parities: { detectors, observables },
  repeated,
}: Pick<ErrorCounting, 'parities' | 'repeated'>): Parities {
  if (repeated !== undefined) return { detectors: [], logicalObservables: [], repeated };
  return {
    detectors: listsOfParities(detectors),
    logicalObservables: listsOfParities(observables),
  };
}

/** Result of a chunk. */
export interface Tally {
  readonly shots: number;
  /** Among the shots that were kept. */
  readonly errors: number;
  readonly discards: number;
  /** As in `ErrorCounts`. */
  readonly errorProbability: number;
  /** Milliseconds of sampling and decoding. */
  readonly ms: number;
}

/** Numbers of a tally in a column. */
export const TALLY_LENGTH = 5;

/** Writes the tally of chunk k. */
export function writeTally(tallies: Float64Array, k: number, tally: Tally): void {
  const { shots, errors, discards, errorProbability, ms } = tally;
  tallies.set([shots, errors, discards, errorProbability, ms], TALLY_LENGTH * k);
}

/** The tally of chunk k of a run. */
export function tallyOf(tallies: Float64Array, k: number): Tally {
  const [shots = 0, errors = 0, discards = 0, errorProbability = 0, ms = 0] = tallies.subarray(
    TALLY_LENGTH * k,
    TALLY_LENGTH * (k + 1),
  );
  return { shots, errors, discards, errorProbability, ms };
}

/** The shots of each chunk in a range that begins with a chunk; those of strata have their own numbers. */
export function chunksOf(
  { from, to }: { readonly from: number; readonly to: number },
  strata?: readonly Stratum[],
): readonly { readonly index: number; readonly shots: number; readonly stratum?: Stratum }[] {
  if (strata !== undefined) {
    const first = from / CHUNK_SHOTS;
    return strata.map((stratum, k) => ({ index: first + k, shots: stratum.shots, stratum }));
  }
  return Array.from({ length: Math.ceil((to - from) / CHUNK_SHOTS) }, (_, k) => {
    const first = from + k * CHUNK_SHOTS;
    return { index: first / CHUNK_SHOTS, shots: Math.min(CHUNK_SHOTS, to - first) };
  });
}
