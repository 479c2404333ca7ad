/**
 * Bit sequences: their binary and hexadecimal texts, and estimates of their min-entropy, bits by bit of output: −log₂
 * of the likeliest guess.
 *
 * Each estimate is a lower bound at 99 % confidence under its own model of the source, so the least of them
 * counts. No estimate tells a good pseudorandom generator from chance.
 *
 * @see NIST SP 800-90B, sections 6.3.1 (most common value), 6.3.2 (collision) and 6.3.3 (Markov).
 */

/** Bits of a text of 0 and 1. */
export function bitsOfBinary(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => (character === '1' ? 1 : 0));
}

/** Bits of hexadecimal digits, the first of a digit being its highest. */
export function bitsOfHex(text: string): Uint8Array {
  const bits = new Uint8Array(4 * text.length);
  for (let i = 0; i < bits.length; i++) {
    bits[i] = (Number.parseInt(text[i >> 2]!, 16) >> (3 - (i & 3))) & 1;
  }
  return bits;
}

/** Whole hexadecimal digits of the first bits; up to three bits at the end are left out. */
export function hexOfBits(bits: Uint8Array): string {
  const digits: string[] = [];
  for (let i = 0; i + 3 < bits.length; i += 4) {
    const digit = 8 * bits[i]! + 4 * bits[i + 1]! + 2 * bits[i + 2]! + bits[i + 3]!;
    digits.push(digit.toString(16));
  }
  return digits.join('');
}

/** Number of ones. */
export function countOnes(bits: Uint8Array): number {
  let ones = 0;
  for (const bit of bits) ones += bit;
  return ones;
}

/** The 0.995 quantile of the normal distribution, with the digits of the publication. */
const Z = 2.576;
/** Length of the sequence whose likeliest value the Markov estimate takes. */
const MARKOV_LENGTH = 128;

/** Section 6.3.1; of two bits or more. */
export function mostCommonValue(bits: Uint8Array): number {
  const share = countOnes(bits) / bits.length;
  const likeliest = Math.max(share, 1 - share);
  const error = Math.sqrt((likeliest * (1 - likeliest)) / (bits.length - 1));
  return entropyOf(Math.min(1, likeliest + Z * error));
}

/** Mean time until a bit value repeats, and the estimate from it. */
export interface CollisionEstimate {
  readonly meanTime: number;
  readonly deviation: number;
  readonly minEntropy: number;
}

/** Section 6.3.2, of bits; undefined where there are fewer than two collisions. */
export function collision(bits: Uint8Array): CollisionEstimate | undefined {
  let [count, sum, squares] = [0, 0, 0];
  for (let i = 0; i + 1 < bits.length; ) {
    const time = bits[i] === bits[i + 1] ? 2 : 3;
    // Two of three bits are alike; the last ones may be too few to have met.
    if (i + time > bits.length) break;
    i += time;
    count++;
    sum += time;
    squares += time * time;
  }
  if (count < 2) return undefined;
  const meanTime = sum / count;
  const deviation = Math.sqrt(Math.max(0, (squares - count * meanTime ** 2) / (count - 1)));
  const lower = meanTime - (Z * deviation) / Math.sqrt(count);
  // The mean time of a bit with probability p is 2 + 2p(1 − p), from 2 to 5/2.
  const p = lower >= 2.5 ? 0.5 : 0.5 + Math.sqrt(1.25 - 0.5 * Math.max(lower, 2));
  return { meanTime, deviation, minEntropy: entropyOf(Math.min(p, 1)) };
}

/** Section 6.3.3; of two bits or more. */
export function markov(bits: Uint8Array): number {
  const n = bits.length;
  const share = countOnes(bits) / n;
  const first = [1 - share, share];
  const pairs = [
    [0, 0],
    [0, 0],
  ];
  for (let i = 1; i < n; i++) pairs[bits[i - 1]!]![bits[i]!]!++;
  const next = pairs.map(([zeros = 0, ones = 0]) => {
    const from = zeros + ones;
    return from === 0 ? [0, 0] : [zeros / from, ones / from];
  });
  // The likeliest sequence stays, or goes to and fro, perhaps after one other step.
  const stay = MARKOV_LENGTH - 1;
  const half = MARKOV_LENGTH / 2;
  const paths: (readonly [number, number, number, number, number])[] = [
    [0, stay, 0, 0, 0],
    [0, 0, half, half - 1, 0],
    [0, 0, 1, 0, stay - 1],
    [1, stay - 1, 0, 1, 0],
    [1, 0, half - 1, half, 0],
    [1, 0, 0, 0, stay],
  ];
  const logs = paths.map(
    ([start, zeroZero, zeroOne, oneZero, oneOne]) =>
      Math.log2(first[start]!) +
      power(next[0]![0]!, zeroZero) +
      power(next[0]![1]!, zeroOne) +
      power(next[1]![0]!, oneZero) +
      power(next[1]![1]!, oneOne),
  );
  return Math.min(1, plain(-Math.max(...logs) / MARKOV_LENGTH));
}

/** log₂ of p to the power; nothing to the power of nothing is 1. */
function power(p: number, exponent: number): number {
  return exponent === 0 ? 0 : exponent * Math.log2(p);
}

function entropyOf(probability: number): number {
  return plain(-Math.log2(probability));
}

/** 0 for −0. */
function plain(x: number): number {
  return x === 0 ? 0 : x;
}
