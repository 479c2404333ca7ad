/**
 * Tests of SP 800-22 that count how often each pattern of m bits occurs, patterns overlapping and
 * going on from the last bit to the first.
 *
 * @see NIST SP 800-22 revision 1a, sections 2.11 (serial) and 2.12 (approximate entropy).
 */
import { upperGamma } from './special-functions.ts';

/** Section 2.11, with patterns of m bits, at least 2. */
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

/** Section 2.12, with patterns of m and m + 1 bits. */
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
