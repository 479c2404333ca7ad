/**
 * Exact reduction of angles in integer arithmetic, with π to more digits than the largest double
 * needs.
 */

/** Bits behind the point: enough for 2^1024 and 60 digits of what is left. */
const BITS = 1300n;

/** 4π times 2^BITS, by Machin's formula. */
const FOUR_PI = 4n * 4n * (4n * inverseTangent(5n) - inverseTangent(239n));

/** arctan(1/n) times 2^BITS. */
function inverseTangent(n: bigint): bigint {
  let power = (1n << BITS) / n;
  let sum = power;
  for (let k = 3n, sign = -1n; power > 0n; k += 2n, sign = -sign) {
    power /= n * n;
    sum += (sign * power) / k;
  }
  return sum;
}

/** The double in [−2π, 2π] nearest to `times` · angle modulo 4π, both taken as exact. */
export function exactAngle(angle: number, times = 1): number {
  const product = scaled(angle) * scaled(times);
  let rest = ((product >> BITS) % FOUR_PI) + (product < 0n ? FOUR_PI : 0n);
  if (rest > FOUR_PI / 2n) rest -= FOUR_PI;
  return Number(rest >> (BITS - 200n)) / 2 ** 200;
}

/** A double times 2^BITS. */
function scaled(value: number): bigint {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = (word >> 52n) & 0x7ffn;
  const fraction = word & ((1n << 52n) - 1n);
  const mantissa = exponent === 0n ? fraction : fraction | (1n << 52n);
  const shift = BITS + (exponent === 0n ? 1n : exponent) - 1075n;
  return (value < 0 ? -1n : 1n) * (mantissa << shift);
}
