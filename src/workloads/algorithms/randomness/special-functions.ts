/**
 * The functions that P-values are made of, to near double precision: the regularised upper
 * incomplete gamma function Q(a, x) and erfc.
 *
 * @see Abramowitz & Stegun, "Handbook of mathematical functions", 6.1.41, 6.5.29, 6.5.31; Press et
 *   al., "Numerical recipes", 3rd edition, section 6.2.
 */

const MAX_TERMS = 100_000;
const TINY = 1e-300;
/** Stirling's series has full precision from here on. */
const LEAST_STIRLING = 15;
/** B_2k/(2k(2k − 1)): the coefficients of 1/x, 1/x³, … */
const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156];

/** Stirling's series: ln Γ(x) − (x − ½)·ln x + x − ½·ln 2π, for x of at least 15. */
function stirlingRest(x: number): number {
  let sum = 0;
  for (const coefficient of STIRLING.toReversed()) sum = sum / (x * x) + coefficient;
  return sum / x;
}

/** ln Γ(a) for a above 0. */
export function lnGamma(a: number): number {
  let product = 1;
  let x = a;
  for (; x < LEAST_STIRLING; x++) product *= x;
  const large = (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + stirlingRest(x);
  return large - Math.log(product);
}

/** x^a·e^{−x}/Γ(a), without the loss of digits that its large factors would bring. */
function density(a: number, x: number): number {
  if (a < LEAST_STIRLING) return Math.exp(a * Math.log(x) - x - lnGamma(a));
  const u = (x - a) / a;
  return Math.sqrt(a / (2 * Math.PI)) * Math.exp(a * (Math.log1p(u) - u) - stirlingRest(a));
}

/**
 * Q(a, x) = Γ(a, x)/Γ(a), which SP 800-22 calls igamc.
 *
 * @param a - Above 0.
 * @param x - At least 0.
 */
export function upperGamma(a: number, x: number): number {
  if (!(a > 0) || !(x >= 0)) throw new RangeError(`Q(${a}, ${x}) is not defined.`);
  if (x === 0) return 1;
  if (x === Number.POSITIVE_INFINITY) return 0;
  return x < a + 1 ? 1 - lowerBySeries(a, x) : upperByFraction(a, x);
}

function lowerBySeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < MAX_TERMS && term > sum * Number.EPSILON; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * density(a, x);
}

/** Lentz's way of going through the continued fraction. */
function upperByFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < MAX_TERMS; n++) {
    const factor = -n * (n - a);
    b += 2;
    d = 1 / awayFromZero(factor * d + b);
    c = awayFromZero(b + factor / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < Number.EPSILON) break;
  }
  return fraction * density(a, x);
}

function awayFromZero(x: number): number {
  return Math.abs(x) < TINY ? TINY : x;
}

/** The complementary error function. */
export function erfc(x: number): number {
  return x < 0 ? 2 - erfc(-x) : upperGamma(0.5, x * x);
}
