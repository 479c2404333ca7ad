/**
 * The discrete Fourier transform of real numbers of any count, by Bluestein's way: a convolution
 * with a chirp, which transforms of lengths that are powers of two make.
 *
 * @see Bluestein, "A linear filtering approach to the computation of discrete Fourier transform"
 *   (1970); Cooley & Tukey (1965).
 */

/** Complex numbers, the parts apart. */
interface ComplexArray {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

/**
 * |Σ_k x_k·e^{−2πijk/n}| for j = 0 … ⌊n/2⌋ − 1.
 *
 * @param values - At most 2^20 of them: some hundred megabytes are used for a million.
 */
export function halfSpectrum(values: ArrayLike<number>): Float64Array {
  const n = values.length;
  let length = 1;
  while (length < 2 * n) length *= 2;
  const turns = twiddles(length);
  const signal = { re: new Float64Array(length), im: new Float64Array(length) };
  const chirp = { re: new Float64Array(length), im: new Float64Array(length) };
  for (let k = 0; k < n; k++) {
    // k² mod 2n in whole numbers: as an angle itself it would lose its digits.
    const angle = (Math.PI * ((k * k) % (2 * n))) / n;
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    signal.re[k] = values[k]! * c;
    signal.im[k] = -values[k]! * s;
    chirp.re[k] = c;
    chirp.im[k] = s;
    if (k > 0) {
      chirp.re[length - k] = c;
      chirp.im[length - k] = s;
    }
  }
  transform(signal, turns);
  transform(chirp, turns);
  for (let k = 0; k < length; k++) {
    const a = signal.re[k]!;
    const b = signal.im[k]!;
    const c = chirp.re[k]!;
    const d = chirp.im[k]!;
    // The conjugate, so that the same transform is the inverse one; moduli do not mind.
    signal.re[k] = a * c - b * d;
    signal.im[k] = -(a * d + b * c);
  }
  transform(signal, turns);
  const moduli = new Float64Array(Math.floor(n / 2));
  for (let j = 0; j < moduli.length; j++) {
    moduli[j] = Math.sqrt(signal.re[j]! ** 2 + signal.im[j]! ** 2) / length;
  }
  return moduli;
}

/** e^{−2πik/length} for the first half of k. */
function twiddles(length: number): ComplexArray {
  const re = new Float64Array(length / 2);
  const im = new Float64Array(length / 2);
  for (let k = 0; k < length / 2; k++) {
    re[k] = Math.cos((2 * Math.PI * k) / length);
    im[k] = -Math.sin((2 * Math.PI * k) / length);
  }
  return { re, im };
}

/** In place; the length is a power of two. */
function transform({ re, im }: ComplexArray, turns: ComplexArray): void {
  const length = re.length;
  reverseBits(re, im);
  for (let half = 1; half < length; half *= 2) {
    const stride = length / (2 * half);
    for (let start = 0; start < length; start += 2 * half) {
      for (let k = 0; k < half; k++) {
        const i = start + k;
        const j = i + half;
        const c = turns.re[k * stride]!;
        const s = turns.im[k * stride]!;
        const x = re[j]! * c - im[j]! * s;
        const y = re[j]! * s + im[j]! * c;
        re[j] = re[i]! - x;
        im[j] = im[i]! - y;
        re[i]! += x;
        im[i]! += y;
      }
    }
  }
}

function reverseBits(re: Float64Array, im: Float64Array): void {
  const length = re.length;
  let j = 0;
  for (let i = 1; i < length; i++) {
    let bit = length >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    swap(re, i, j);
    swap(im, i, j);
  }
}

function swap(values: Float64Array, i: number, j: number): void {
  const kept = values[i]!;
  values[i] = values[j]!;
  values[j] = kept;
}
