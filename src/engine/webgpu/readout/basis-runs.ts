/** Converts lists of drawn basis states into samples. */
import type { BasisIndices, BasisSamples } from '../../state-operations.ts';

/** Basis states that shots drew, as the device lists them. */
export interface DrawnList {
  /** Pairs [lower 32 bits of the basis index, occurrences], ascending; occurrences may be 0. */
  readonly pairs: Uint32Array;
  /**
   * Indices of the pairs from which on the index's upper word is 1, 2, …; empty up to 32 qubits.
   */
  readonly upperStarts: readonly number[];
}

/** Converts a list into samples. */
export function samplesOf({ pairs, upperStarts }: DrawnList): BasisSamples {
  const numPairs = pairs.length / 2;
  const basisIndices = new Uint32Array(numPairs);
  const occurrences = new Uint32Array(numPairs);
  let length = 0;
  let from = 0;
  /** Indices of the samples from which on the upper word is 1, 2, …. */
  const starts: number[] = [];
  for (const to of [...upperStarts, numPairs]) {
    for (let i = from; i < to; i++) {
      if (pairs[2 * i + 1] === 0) continue;
      basisIndices[length] = pairs[2 * i]!;
      occurrences[length] = pairs[2 * i + 1]!;
      length++;
    }
    starts.push(length);
    from = to;
  }
  return {
    basisIndices: widened(basisIndices.slice(0, length), starts.slice(0, -1)),
    occurrences: occurrences.slice(0, length),
  };
}

/** Adds the upper words, if there are any. */
function widened(words: Uint32Array<ArrayBuffer>, upperStarts: readonly number[]): BasisIndices {
  if (upperStarts.length === 0) return words;
  const indices = Float64Array.from(words);
  for (const start of upperStarts) {
    for (let i = start; i < indices.length; i++) indices[i]! += 2 ** 32;
  }
  return indices;
}
