/**
 * The discrete Fourier transform test of SP 800-22: whether periods stand out.
 *
 * @see NIST SP 800-22 revision 1a, section 2.6, whose threshold and variance differ from those of the
 *   first edition.
 */
import { halfSpectrum } from './fourier.ts';
import { erfc } from './special-functions.ts';

/** Expected share of the peaks of random bits below the threshold. */
const SHARE_BELOW = 0.95;

/** Section 2.6. */
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
