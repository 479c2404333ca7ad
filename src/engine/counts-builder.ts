/**
 * Collects measurement outcomes and their occurrences; returns them distinct and ascending.
 *
 * Typed arrays and a radix sort are used instead of a map of strings: a million shots may give a
 * million outcomes of many bits. Outcomes that arrive in ascending order, as from a sampled
 * full measurement, are neither sorted nor copied.
 */
import { wordsFor } from './classical-bits.ts';
import type { Counts } from './engine.ts';
import type { TimeSlicer } from './time-slicer.ts';

const INITIAL_CAPACITY = 16;

/** Bytes for counting the outcomes of shots: drawn, sorted and returned copies, and four words a shot to sort. */
export const countingBytes = (numBits: number, shots: number): number =>
  4 * shots * (3 * wordsFor(numBits) + 4);

/** Growing list of outcomes with their occurrences. */
export class CountsBuilder {
  readonly #numBits: number;
  readonly #wordsPerOutcome: number;
  // Empty at first: a builder that receives all outcomes at once needs no room of its own.
  #outcomes: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  #occurrences: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  #length = 0;
  #isAscending = true;

  constructor(numBits: number) {
    this.#numBits = numBits;
    this.#wordsPerOutcome = wordsFor(numBits);
  }

  /**
   * Adds an outcome; the same outcome may be added again.
   *
   * @param words - Copied: `wordsFor(numBits)` of them.
   * @param first - Index of the outcome's first word.
   */
  add(words: Uint32Array, occurrences: number, first = 0): void {
    this.reserve(1);
    const start = this.#length * this.#wordsPerOutcome;
    for (let i = 0; i < this.#wordsPerOutcome; i++) {
      this.#outcomes[start + i] = words[first + i]!;
    }
    this.#occurrences[this.#length] = occurrences;
    this.#length++;
    if (this.#length > 1 && this.#isAscending) {
      this.#isAscending = this.#compare(this.#length - 2, this.#length - 1) < 0;
    }
  }

  /**
   * Adds many outcomes of one word each; requires `wordsFor(numBits)` to be 1.
   *
   * @param outcomes - Ownership passes to the builder, also of the occurrences: the first arrays
   *   added become its list.
   * @param occurrences - As long as `outcomes`.
   */
  addWords(outcomes: Uint32Array<ArrayBuffer>, occurrences: Uint32Array<ArrayBuffer>): void {
    const first = this.#length;
    if (first === 0) {
      this.#outcomes = outcomes;
      this.#occurrences = occurrences;
    } else {
      this.reserve(outcomes.length);
      this.#outcomes.set(outcomes, first);
      this.#occurrences.set(occurrences, first);
    }
    this.#length += outcomes.length;
    for (let i = Math.max(1, first); i < this.#length && this.#isAscending; i++) {
      this.#isAscending = this.#outcomes[i - 1]! < this.#outcomes[i]!;
    }
  }

  /** Reserves room for more outcomes, so that adding them reallocates nothing. */
  reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#occurrences.length) return;
    const capacity = Math.max(needed, 2 * this.#occurrences.length, INITIAL_CAPACITY);
    const outcomes = new Uint32Array(capacity * this.#wordsPerOutcome);
    outcomes.set(this.#outcomes);
    this.#outcomes = outcomes;
    const occurrences = new Uint32Array(capacity);
    occurrences.set(this.#occurrences);
    this.#occurrences = occurrences;
  }

  /** Returns the counts. The builder must not be used afterwards. */
  async finish(slicer: TimeSlicer): Promise<Counts> {
    const counts = this.#isAscending ? this.#asIs() : await this.#sorted(slicer);
    return { numBits: this.#numBits, wordsPerOutcome: this.#wordsPerOutcome, ...counts };
  }

  async #sorted(slicer: TimeSlicer): Promise<Pick<Counts, 'outcomes' | 'occurrences'>> {
    if (this.#wordsPerOutcome === 1) return await sortedWordCounts(this.#asIs(), slicer);
    return await this.#merge(await this.#ascendingOrder(slicer), slicer);
  }

  /** Compares entries i and j: negative, 0 or positive. */
  #compare(i: number, j: number): number {
    for (let word = this.#wordsPerOutcome - 1; word >= 0; word--) {
      const difference =
        this.#outcomes[i * this.#wordsPerOutcome + word]! -
        this.#outcomes[j * this.#wordsPerOutcome + word]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #asIs(): WordCounts {
    return {
      outcomes: firstOf(this.#outcomes, this.#length * this.#wordsPerOutcome),
      occurrences: firstOf(this.#occurrences, this.#length),
    };
  }

  /** Positions of the entries in ascending order of outcome, by a radix sort, lowest byte first. */
  async #ascendingOrder(slicer: TimeSlicer): Promise<Uint32Array> {
    let order = new Uint32Array(this.#length);
    for (let i = 0; i < this.#length; i++) order[i] = i;
    let spare = new Uint32Array(this.#length);
    for (let byte = 0; byte < 4 * this.#wordsPerOutcome; byte++) {
      if (this.#sortByByte(byte, order, spare)) [order, spare] = [spare, order];
      if (slicer.spend(this.#length)) await slicer.pause();
    }
    return order;
  }

  /**
   * One stable pass of the radix sort from `order` into `sorted`. Returns false, without sorting,
   * if the byte is the same in all outcomes.
   */
  #sortByByte(byte: number, order: Uint32Array, sorted: Uint32Array): boolean {
    const word = byte >>> 2;
    const shift = 8 * (byte & 3);
    const stride = this.#wordsPerOutcome;
    const starts = new Uint32Array(257);
    for (let i = 0; i < this.#length; i++) {
      starts[((this.#outcomes[i * stride + word]! >>> shift) & 255) + 1]!++;
    }
    if (starts.includes(this.#length)) return false;
    for (let value = 1; value < 256; value++) starts[value]! += starts[value - 1]!;
    for (let i = 0; i < this.#length; i++) {
      const entry = order[i]!;
      const value = (this.#outcomes[entry * stride + word]! >>> shift) & 255;
      sorted[starts[value]!++] = entry;
    }
    return true;
  }

  /** Lists the outcomes in the given order, adding up equal ones. */
  async #merge(
    order: Uint32Array,
    slicer: TimeSlicer,
  ): Promise<Pick<Counts, 'outcomes' | 'occurrences'>> {
    const stride = this.#wordsPerOutcome;
    const outcomes = new Uint32Array(order.length * stride);
    const occurrences = new Uint32Array(order.length);
    let last = -1;
    for (let i = 0; i < order.length; i++) {
      const entry = order[i]!;
      if (i === 0 || this.#compare(order[i - 1]!, entry) !== 0) {
        last++;
        for (let word = 0; word < stride; word++) {
          outcomes[last * stride + word] = this.#outcomes[entry * stride + word]!;
        }
      }
      occurrences[last]! += this.#occurrences[entry]!;
      if (slicer.spend(4 * stride)) await slicer.pause();
    }
    return {
      outcomes: outcomes.slice(0, (last + 1) * stride),
      occurrences: occurrences.slice(0, last + 1),
    };
  }
}

/** Outcomes of one word and how often each occurred; two arrays of the same length. */
interface WordCounts {
  readonly outcomes: Uint32Array<ArrayBuffer>;
  readonly occurrences: Uint32Array<ArrayBuffer>;
}

/** Lists of this length and more are sorted by 12-bit digits: the larger tables pay off. */
const LONG_LIST = 2 ** 12;

/**
 * Sorts one-word outcomes with their occurrences, and adds up the occurrences of equal outcomes.
 *
 * The radix sort (lowest digit first) moves both numbers. Sorting positions instead reads the
 * outcomes in random order, which takes several times as long for a million of them.
 *
 * @param counts - Overwritten.
 * @returns Distinct outcomes, ascending.
 */
async function sortedWordCounts(counts: WordCounts, slicer: TimeSlicer): Promise<WordCounts> {
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
function firstOf(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  return 4 * length === array.buffer.byteLength ? array : array.slice(0, length);
}
