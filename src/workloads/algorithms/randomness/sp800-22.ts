/**
 * Tests of SP 800-22: whether ones and zeros balance over the whole and in blocks, whether they change as
 * often as chance does, and whether periods stand out.
 *
 * Each function gives the P-value of bits of any number; the suite says how many are enough. Symbols are
 * those of the publication.
 *
 * @see NIST SP 800-22 revision 1a, sections 2.1, 2.2, 2.3 and 2.6.
 */
import { countOnes } from './bits.ts';
import { halfSpectrum } from './fourier.ts';
import { erfc, upperGamma } from './special-functions.ts';

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
