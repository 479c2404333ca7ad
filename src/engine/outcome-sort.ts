/**
 * Sorts one-word outcomes with their occurrences, and adds up the occurrences of equal outcomes.
 *
 * The radix sort (lowest digit first) moves both numbers. Sorting positions instead reads the
 * outcomes in random order, which takes several times as long for a million of them.
 */
import type { TimeSlicer } from './time-slicer.ts';

/** Outcomes of one word and how often each occurred; two arrays of the same length. */
export interface WordCounts {
  readonly outcomes: Uint32Array<ArrayBuffer>;
  readonly occurrences: Uint32Array<ArrayBuffer>;
}

/** Lists of this length and more are sorted by 12-bit digits: the larger tables pay off. */
const LONG_LIST = 2 ** 12;

/**
 * Sorts and merges outcomes.
 *
 * @param counts - Overwritten.
 * @returns Distinct outcomes, ascending.
 */
export async function sortedWordCounts(
  counts: WordCounts,
  slicer: TimeSlicer,
): Promise<WordCounts> {
  const { length } = counts.outcomes;
  const digitBits = length < LONG_LIST ? 8 : 12;
  const width = widthOf(counts.outcomes);
  let from = counts;
  let into: WordCounts = {
    outcomes: new Uint32Array(length),
    occurrences: new Uint32Array(length),
  };
  for (let shift = 0; shift < width; shift += digitBits) {
    sortByDigit(from, into, shift, digitBits);
    [from, into] = [into, from];
    if (slicer.spend(length)) await slicer.pause();
  }
  return merged(from);
}

/** Number of bits of the largest outcome. */
function widthOf(outcomes: Uint32Array): number {
  let all = 0;
  for (let i = 0; i < outcomes.length; i++) all |= outcomes[i]!;
  return 32 - Math.clz32(all);
}

/** One stable pass of the radix sort. */
function sortByDigit(from: WordCounts, into: WordCounts, shift: number, digitBits: number): void {
  const { outcomes, occurrences } = from;
  const { outcomes: sortedOutcomes, occurrences: sortedOccurrences } = into;
  const mask = 2 ** digitBits - 1;
  // Entry v + 1 counts the digits v, so that prefix sums give where each digit starts.
  const starts = new Uint32Array(mask + 2);
  for (let i = 0; i < outcomes.length; i++) starts[((outcomes[i]! >>> shift) & mask) + 1]!++;
  for (let digit = 1; digit <= mask; digit++) starts[digit]! += starts[digit - 1]!;
  for (let i = 0; i < outcomes.length; i++) {
    const outcome = outcomes[i]!;
    const place = starts[(outcome >>> shift) & mask]!++;
    sortedOutcomes[place] = outcome;
    sortedOccurrences[place] = occurrences[i]!;
  }
}

/** Merges equal neighbours, in place. */
function merged({ outcomes, occurrences }: WordCounts): WordCounts {
  let numDistinct = 0;
  for (let i = 0; i < outcomes.length; i++) {
    const outcome = outcomes[i]!;
    const isNew = numDistinct === 0 || outcomes[numDistinct - 1] !== outcome;
    if (isNew) {
      outcomes[numDistinct] = outcome;
      occurrences[numDistinct] = occurrences[i]!;
      numDistinct++;
    } else {
      occurrences[numDistinct - 1]! += occurrences[i]!;
    }
  }
  return {
    outcomes: firstOf(outcomes, numDistinct),
    occurrences: firstOf(occurrences, numDistinct),
  };
}

/**
 * First entries of an array in a buffer of exactly that size, because a thread message sends whole
 * buffers.
 */
export function firstOf(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  return 4 * length === array.buffer.byteLength ? array : array.slice(0, length);
}
