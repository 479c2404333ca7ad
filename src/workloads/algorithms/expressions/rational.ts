/** Exact fractions. */

/** n/d in lowest terms, d positive. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

/** A fraction in lowest terms; `d` is not zero. */
export function rational(n: bigint, d = 1n): Rational {
  let [a, b] = [n < 0n ? -n : n, d < 0n ? -d : d];
  while (b !== 0n) [a, b] = [b, a % b];
  const divisor = d < 0n ? -a : a;
  return divisor === 0n ? { n: 0n, d: 1n } : { n: n / divisor, d: d / divisor };
}

/** Zero and one. */
export const ZERO = rational(0n);
export const ONE = rational(1n);

/** a + b. */
export function plus(a: Rational, b: Rational): Rational {
  return rational(a.n * b.d + b.n * a.d, a.d * b.d);
}

/** a·b. */
export function times(a: Rational, b: Rational): Rational {
  return rational(a.n * b.n, a.d * b.d);
}

/** Whether they are one number. */
export function isSame(a: Rational, b: Rational): boolean {
  return a.n === b.n && a.d === b.d;
}

/** To a whole power; zero has no negative ones. */
export function toPower({ n, d }: Rational, exponent: number): Rational {
  const size = BigInt(Math.abs(exponent));
  return exponent < 0 ? rational(d ** size, n ** size) : rational(n ** size, d ** size);
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d{1,2}))?$/;

/**
 * The fraction that a double's shortest decimal text denotes: 0.1 is 1/10. Undefined for infinite,
 * tiny and huge doubles.
 */
export function fromDouble(value: number): Rational | undefined {
  const match = DECIMAL.exec(String(value));
  if (match === null) return undefined;
  const [, sign = '', whole = '', decimals = '', exponent = '0'] = match;
  const shift = Number(exponent) - decimals.length;
  const digits = BigInt(`${sign}${whole}${decimals}`);
  return shift < 0
    ? rational(digits, 10n ** BigInt(-shift))
    : rational(digits * 10n ** BigInt(shift));
}

/** `3`, `-1/2`. */
export function rationalText({ n, d }: Rational): string {
  return d === 1n ? `${n}` : `${n}/${d}`;
}
