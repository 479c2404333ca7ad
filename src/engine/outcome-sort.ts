/**
 * Sorts outcomes of one word, each with its occurrences, and adds up those of equal outcomes.
 *
 * A radix sort, lowest digit first, that moves both numbers. Sorting their positions instead reads
 * them in no order and takes several times as long for a million; a sorted list of one typed array
 * has no place for the occurrences.
 */
import type { TimeSlicer } from './time-slicer.ts';

/** Outcomes of one word, and how often each occurred; equally long. */
export interface WordCounts {
  readonly outcomes: Uint32Array<ArrayBuffer>;
  readonly occurrences: Uint32Array<ArrayBuffer>;
}

/** From here on wide digits, of which 24 bits are two, save more time than their tables take. */
const LONG_LIST = 2 ** 12;

/** The same outcomes, ascending and distinct; what is given is written over. */
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

/** How many bits the widest of the outcomes has. */
function widthOf(outcomes: Uint32Array): number {
  let all = 0;
  for (let i = 0; i < outcomes.length; i++) all |= outcomes[i]!;
  return 32 - Math.clz32(all);
}

/** One stable pass. */
function sortByDigit(from: WordCounts, into: WordCounts, shift: number, digitBits: number): void {
  const { outcomes, occurrences } = from;
  const { outcomes: sortedOutcomes, occurrences: sortedOccurrences } = into;
  const mask = 2 ** digitBits - 1;
  // Entry v + 1 counts the digits v, so that the sums are where each digit starts.
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

/** Equal neighbours as one; written over the list. */
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

/** An array's first numbers in a buffer of that size, for what is sent to a thread is the buffer. */
export function firstOf(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  return 4 * length === array.buffer.byteLength ? array : array.slice(0, length);
}
