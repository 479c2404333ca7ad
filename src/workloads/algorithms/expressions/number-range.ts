/**
 * Detects overflow and underflow of numbers whose exponents are bounded.
 *
 * Bignumbers end silently at 10^±9999, because whole-number functions write all their digits. An infinite
 * result of finite numbers is therefore refused, unless the function has a pole there; so is a zero
 * product of non-zero numbers. Doubles overflow as in IEEE 754.
 */
import { isBigNumber, isMatrix } from '../mathjs.ts';
import { EXPRESSION_LIMITS } from './expression-limits.ts';
import { ExpressionLimitError } from './value-size.ts';

const { max_decimal_exponent } = EXPRESSION_LIMITS;

/** Index of the argument whose zero is a pole of the function. */
const POLE_AT_ZERO: ReadonlyMap<string, number> = new Map([
  ...['divide', 'dotDivide', 'mod'].map((name) => [name, 1] as const),
  ...['pow', 'dotPow', 'nthRoot', 'inv', 'log', 'log2', 'log10', 'kldivergence'].map(
    (name) => [name, 0] as const,
  ),
  ...['cot', 'csc', 'coth', 'csch', 'asech', 'acsch', 'asec', 'acsc', 'acoth'].map(
    (name) => [name, 0] as const,
  ),
]);
/** Those with poles elsewhere. */
const POLES = new Set(['atanh', 'acoth', 'log', 'log1p', 'zeta', 'kldivergence']);
/** Infinite at zero and below, where whole. */
const FACTORIALS = new Set(['factorial', 'gamma', 'lgamma']);
/** Functions that, for finite arguments, are zero only where an argument is. */
const NEVER_ZERO = new Set([
  ...['multiply', 'divide', 'dotMultiply', 'dotDivide', 'pow', 'dotPow', 'square', 'cube', 'exp'],
  ...['sech', 'csch', 'prod', 'unit', 'inv'],
]);

/**
 * @throws {ExpressionLimitError} if a value is infinite or zero because its exponent has an end.
 */
export function checkRange(name: string, args: readonly unknown[], value: unknown): void {
  if (name === 'bignumber' && typeof args[0] === 'string') checkLiterals(args[0]);
  const results = [...decimalsIn(value)];
  const isInfinite = results.some((each) => !each.isFinite() && !each.isNaN());
  const isZero = !isInfinite && NEVER_ZERO.has(name) && results.some((each) => each.isZero());
  if (!isInfinite && !isZero) return;
  const numbers = [...numbersIn(args)];
  // Infinite values and values that are no numbers have no range to check.
  if (numbers.length === 0 || !numbers.every(Number.isFinite)) return;
  if (isZero) {
    // Sums of products may cancel.
    const isSum = name === 'multiply' && args.filter((arg) => isList(arg)).length > 1;
    if (!isSum && !numbers.includes(0)) refuse(name, 'closer to zero');
    return;
  }
  if (POLES.has(name)) return;
  if (FACTORIALS.has(name) && numbers.some((each) => each <= 0)) return;
  const pole = POLE_AT_ZERO.get(name);
  if (pole !== undefined && [...numbersIn([args[pole]])].includes(0)) return;
  refuse(name, 'larger');
}

function refuse(what: string, direction: string): never {
  throw new ExpressionLimitError(
    `A value of ${what} is ${direction} than 10^±${max_decimal_exponent}; the limit max_decimal_exponent is ${max_decimal_exponent}.`,
  );
}

const LITERAL = /(?<![\w.])(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?/g;

/**
 * Checks the decimal numbers of an expression's text.
 *
 * @throws {ExpressionLimitError} if a bignumber cannot hold one.
 */
export function checkLiterals(text: string): void {
  for (const [, whole = '', part = '', exponent = '0'] of text.matchAll(LITERAL)) {
    const first = `${whole}${part}`.search(/[1-9]/);
    if (first < 0) continue;
    const power = whole.length - 1 - first + Number(exponent);
    if (Math.abs(power) > max_decimal_exponent) {
      refuse('a number that is written out', power > 0 ? 'larger' : 'closer to zero');
    }
  }
}

/** Doubles end below this argument of Γ, and mathjs's Γ before it. */
const GAMMA_END = 171.624;
const GAMMA_OF_MATHJS = 171;

/**
 * Γ and factorials of doubles, where mathjs gives infinity though a double can hold the value.
 *
 * @throws {ExpressionLimitError} of a list with such a number.
 */
export function correctedGamma(
  name: string,
  [of]: readonly unknown[],
  value: unknown,
  gamma: (x: number) => unknown,
): unknown {
  if (name !== 'gamma' && name !== 'factorial') return value;
  const shift = name === 'gamma' ? 0 : 1;
  const isLate = (x: number) => x + shift > GAMMA_OF_MATHJS && x + shift < GAMMA_END;
  if (typeof of === 'number' && isLate(of) && value === Number.POSITIVE_INFINITY) {
    const x = of + shift;
    return (x - 1) * (x - 2) * Number(gamma(x - 2));
  }
  if (isList(of) && [...numbersIn([of])].some((x) => isLate(x) && !Number.isInteger(x))) {
    throw new ExpressionLimitError(
      `${name} of a list takes numbers that are not whole up to ${GAMMA_OF_MATHJS - shift} only.`,
    );
  }
  return value;
}

interface Decimal {
  isFinite(): boolean;
  isNaN(): boolean;
  isZero(): boolean;
}

function isList(value: unknown): boolean {
  return Array.isArray(value) || isMatrix(value);
}

function* decimalsIn(value: unknown): Generator<Decimal> {
  if (isBigNumber(value)) yield value;
  else if (isMatrix(value)) yield* decimalsIn(value.valueOf());
  else if (Array.isArray(value)) for (const entry of value) yield* decimalsIn(entry);
}

/** Numbers in values, as doubles of which only the sign, zero and finiteness are right. */
function* numbersIn(values: readonly unknown[]): Generator<number> {
  for (const value of values) {
    if (typeof value === 'number') yield value;
    else if (typeof value === 'bigint') yield value === 0n ? 0 : value < 0n ? -1 : 1;
    else if (isBigNumber(value)) {
      if (!value.isFinite()) yield Number.NaN;
      else yield value.isZero() ? 0 : value.isNegative() ? -1 : 1;
    } else if (isMatrix(value)) yield* numbersIn([value.valueOf()]);
    else if (Array.isArray(value)) yield* numbersIn(value);
  }
}
