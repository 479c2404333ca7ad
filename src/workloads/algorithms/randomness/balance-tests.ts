/**
 * Tests of SP 800-22 that look at how ones and zeros balance, over the whole and in blocks.
 *
 * Each function gives P-values for bits of any number; from how many on they mean something is the
 * suite's business. Symbols are those of the publication.
 *
 * @see NIST SP 800-22 revision 1a, sections 2.1, 2.2, 2.3, 2.4 and 2.13.
 */
import { countOnes } from './bits.ts';
import { erfc, normalCdf, upperGamma } from './special-functions.ts';

/** Section 2.1, the monobit test. */
export function frequency(bits: Uint8Array): number {
  const sum = 2 * countOnes(bits) - bits.length;
  return erfc(Math.abs(sum) / Math.sqrt(2 * bits.length));
}

/** Section 2.2, in blocks of `blockLength` bits. */
export function blockFrequency(bits: Uint8Array, blockLength: number): number {
  const numBlocks = Math.floor(bits.length / blockLength);
  let chiSquared = 0;
  for (let block = 0; block < numBlocks; block++) {
    const of = bits.subarray(block * blockLength, (block + 1) * blockLength);
    chiSquared += 4 * blockLength * (countOnes(of) / blockLength - 0.5) ** 2;
  }
  return upperGamma(numBlocks / 2, chiSquared / 2);
}

/** Section 2.3; 0 where ones and zeros are too far out of balance for it. */
export function runs(bits: Uint8Array): number {
  const n = bits.length;
  const share = countOnes(bits) / n;
  if (Math.abs(share - 0.5) >= 2 / Math.sqrt(n)) return 0;
  let numRuns = 1;
  for (let i = 1; i < n; i++) if (bits[i] !== bits[i - 1]) numRuns++;
  const expected = 2 * n * share * (1 - share);
  return erfc(Math.abs(numRuns - expected) / (2 * Math.sqrt(2 * n) * share * (1 - share)));
}

/** Blocks of one size: the classes of longest runs and their probabilities, as published. */
interface RunClasses {
  readonly leastBits: number;
  readonly blockLength: number;
  /** The longest run of the first class, which takes shorter ones in too. */
  readonly shortest: number;
  readonly probabilities: readonly number[];
}

/** Tables of section 2.4.4 and 3.4, the largest blocks first. */
const RUN_CLASSES: readonly RunClasses[] = [
  {
    leastBits: 750_000,
    blockLength: 10_000,
    shortest: 10,
    probabilities: [0.0882, 0.2092, 0.2483, 0.1933, 0.1208, 0.0675, 0.0727],
  },
  {
    leastBits: 6_272,
    blockLength: 128,
    shortest: 4,
    probabilities: [0.1174, 0.243, 0.2493, 0.1752, 0.1027, 0.1124],
  },
  {
    leastBits: 0,
    blockLength: 8,
    shortest: 1,
    probabilities: [0.2148, 0.3672, 0.2305, 0.1875],
  },
];

/** Section 2.4, the longest run of ones in a block. */
export function longestRun(bits: Uint8Array): number {
  const classes = RUN_CLASSES.find(({ leastBits }) => bits.length >= leastBits)!;
  const { blockLength, shortest, probabilities } = classes;
  const numBlocks = Math.floor(bits.length / blockLength);
  const last = probabilities.length - 1;
  const found = new Array<number>(probabilities.length).fill(0);
  for (let block = 0; block < numBlocks; block++) {
    const longest = longestRunIn(bits.subarray(block * blockLength, (block + 1) * blockLength));
    found[Math.min(Math.max(longest - shortest, 0), last)]!++;
  }
  const chiSquared = probabilities.reduce((sum, probability, i) => {
    const expected = numBlocks * probability;
    return sum + (found[i]! - expected) ** 2 / expected;
  }, 0);
  return upperGamma(last / 2, chiSquared / 2);
}

function longestRunIn(bits: Uint8Array): number {
  let [longest, run] = [0, 0];
  for (const bit of bits) {
    run = bit === 1 ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** Section 2.13, forward and backward. */
export function cumulativeSums(bits: Uint8Array): { forward: number; backward: number } {
  return {
    forward: excursion(bits),
    backward: excursion(bits.toReversed()),
  };
}

/** Probability that a random walk of this length goes at least as far as this one. */
function excursion(bits: Uint8Array): number {
  const n = bits.length;
  let [position, farthest] = [0, 0];
  for (const bit of bits) {
    position += 2 * bit - 1;
    farthest = Math.max(farthest, Math.abs(position));
  }
  const scale = farthest / Math.sqrt(n);
  const between = (k: number, low: number, high: number) =>
    normalCdf((4 * k + high) * scale) - normalCdf((4 * k + low) * scale);
  const ratio = n / farthest;
  let p = 1;
  const last = Math.floor((ratio - 1) / 4);
  for (let k = Math.ceil((1 - ratio) / 4); k <= last; k++) p -= between(k, -1, 1);
  for (let k = Math.ceil((-ratio - 3) / 4); k <= last; k++) p += between(k, 1, 3);
  return Math.min(Math.max(p, 0), 1);
}
