/**
 * Tests of SP 800-22 for structure in the order of the bits: patterns that are too frequent, linear
 * dependence, periods.
 *
 * @see NIST SP 800-22 revision 1a, sections 2.5 (rank), 2.6 (spectral), 2.11 (serial) and 2.12
 *   (approximate entropy).
 */

import { halfSpectrum } from './fourier.ts';
import { erfc, upperGamma } from './special-functions.ts';

/** Section 2.11: how often each pattern of m bits occurs, at least 2. Patterns overlap and go on from the last bit to the first. */
export function serial(bits: Uint8Array, m: number): { first: number; second: number } {
  const [full, shorter, shortest] = [m, m - 1, m - 2].map((length) => psiSquared(bits, length));
  const delta = full! - shorter!;
  const delta2 = full! - 2 * shorter! + shortest!;
  // Rounding may leave a difference of nothing just below 0.
  return {
    first: upperGamma(2 ** (m - 2), Math.max(delta, 0) / 2),
    second: upperGamma(2 ** (m - 3), Math.max(delta2, 0) / 2),
  };
}

/** Section 2.12, with such patterns of m and m + 1 bits. */
export function approximateEntropy(bits: Uint8Array, m: number): number {
  const entropy = phi(bits, m) - phi(bits, m + 1);
  const chiSquared = 2 * bits.length * (Math.LN2 - entropy);
  return upperGamma(2 ** (m - 1), Math.max(chiSquared, 0) / 2);
}

function psiSquared(bits: Uint8Array, m: number): number {
  if (m <= 0) return 0;
  let squares = 0;
  for (const count of patternCounts(bits, m)) squares += count * count;
  return (2 ** m / bits.length) * squares - bits.length;
}

function phi(bits: Uint8Array, m: number): number {
  let sum = 0;
  for (const count of patternCounts(bits, m)) {
    if (count > 0) sum += (count / bits.length) * Math.log(count / bits.length);
  }
  return sum;
}

function patternCounts(bits: Uint8Array, m: number): Uint32Array {
  const n = bits.length;
  const counts = new Uint32Array(2 ** m);
  const mask = 2 ** m - 1;
  let pattern = 0;
  for (let i = 0; i < m - 1; i++) pattern = (pattern << 1) | bits[i % n]!;
  for (let i = 0; i < n; i++) {
    pattern = ((pattern << 1) | bits[(i + m - 1) % n]!) & mask;
    counts[pattern]!++;
  }
  return counts;
}

/**
 * Section 2.5: linear dependence among pieces of the bits, in matrices of `size` rows and columns, at
 * most 32; 32 unless given.
 *
 * @see NIST SP 800-22 revision 1a, section 3.5, for the probabilities.
 */
export function matrixRank(bits: Uint8Array, size = 32): number {
  const numMatrices = Math.floor(bits.length / (size * size));
  const [full, less] = [rankProbability(32, 32), rankProbability(32, 31)];
  const found = [0, 0, 0];
  for (let matrix = 0; matrix < numMatrices; matrix++) {
    const missing = size - rankOf(bits.subarray(matrix * size * size), size);
    found[Math.min(missing, 2)]!++;
  }
  const chiSquared = [full, less, 1 - full - less].reduce((sum, probability, i) => {
    const expected = numMatrices * probability;
    return sum + (found[i]! - expected) ** 2 / expected;
  }, 0);
  return Math.exp(-chiSquared / 2);
}

/** The probability that a random square matrix over GF(2) has that rank. */
export function rankProbability(size: number, rank: number): number {
  let probability = 2 ** -((size - rank) ** 2);
  for (let i = 0; i < rank; i++) {
    probability *= (1 - 2 ** (i - size)) ** 2 / (1 - 2 ** (i - rank));
  }
  return probability;
}

/** The rank over GF(2) of the matrix that the first size² bits fill row by row. */
function rankOf(bits: Uint8Array, size: number): number {
  const rows = Array.from({ length: size }, (_, row) => {
    let word = 0;
    for (let column = 0; column < size; column++) word = (word << 1) | bits[row * size + column]!;
    return word >>> 0;
  });
  let rank = 0;
  for (let column = 0; column < size; column++) {
    const pivot = rows.findIndex((row, i) => i >= rank && (row >>> column) & 1);
    if (pivot < 0) continue;
    [rows[rank], rows[pivot]] = [rows[pivot]!, rows[rank]!];
    for (let i = rank + 1; i < size; i++) {
      if ((rows[i]! >>> column) & 1) rows[i] = (rows[i]! ^ rows[rank]!) >>> 0;
    }
    rank++;
  }
  return rank;
}

/** Expected share of the peaks of random bits below the threshold. */
const SHARE_BELOW = 0.95;

/**
 * Section 2.6: whether periods stand out in the discrete Fourier transform. Threshold and variance differ
 * from those of the first edition.
 */
export function spectral(bits: Uint8Array): number {
  const n = bits.length;
  const threshold = Math.sqrt(Math.log(1 / (1 - SHARE_BELOW)) * n);
  const peaks = halfSpectrum(Float64Array.from(bits, (bit) => 2 * bit - 1));
  let below = 0;
  for (const peak of peaks) if (peak < threshold) below++;
  const expected = (SHARE_BELOW * n) / 2;
  const deviation = (below - expected) / Math.sqrt((n * SHARE_BELOW * (1 - SHARE_BELOW)) / 4);
  return erfc(Math.abs(deviation) / Math.SQRT2);
}
