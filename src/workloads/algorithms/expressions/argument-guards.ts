/**
 * Checks of arguments before a call, for functions where small arguments cause a large result or a long
 * computation. Results are checked after every call, which suffices for the other functions.
 */
import { isBigNumber, isFraction, isMatrix } from '../mathjs.ts';
import { EXPRESSION_LIMITS } from './expression-limits.ts';
import {
  bitsOf,
  checkElementCount,
  ExpressionLimitError,
  isCollection,
  sizeOf,
} from './value-size.ts';

/** Checks the arguments of a call. Throws ExpressionLimitError. */
export type ArgumentGuard = (args: readonly unknown[], name: string) => void;

const { max_integer_bits, max_matrix_rows, max_iterated_rows, max_iterated_exact_rows } =
  EXPRESSION_LIMITS;
/** Most multiplications in one product of matrices: 100 × 100 × 100. */
const MAX_PRODUCTS = 1e6;
/** Most bits of a fraction under a fractional power, which is factored by trial division. */
const MAX_FACTORED_BITS = 32;

/** The guard of a function, if it has one beside the common one. */
export function guardOf(name: string): ArgumentGuard | undefined {
  return GUARDS.get(name);
}

/** Functions of several matrices fit them to each other, so that a row and a column make a matrix. */
export function guardBroadcast(args: readonly unknown[]): void {
  const sizes = args.filter(isCollection).map(sizeOf);
  if (sizes.length < 2) return;
  const numDimensions = Math.max(...sizes.map((size) => size.length));
  let count = 1;
  for (let back = 1; back <= numDimensions; back++) {
    count *= Math.max(...sizes.map((size) => size.at(-back) ?? 1));
  }
  checkElementCount(count);
}

/** Converts any kind of number to a double; NaN for anything else. */
function numeric(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'string') return Number(value);
  if (isBigNumber(value)) return value.toNumber();
  if (isFraction(value)) return Number(value.valueOf());
  return Number.NaN;
}

/** The numbers among arguments, those in lists and matrices included. */
function* numbersIn(args: readonly unknown[]): Generator<unknown> {
  for (const arg of args) {
    if (isMatrix(arg)) yield* numbersIn([arg.valueOf()]);
    else if (Array.isArray(arg)) yield* numbersIn(arg);
    else yield arg;
  }
}

/** Guards of functions whose arguments are the sizes of their results. */
function guardSizes(args: readonly unknown[]): void {
  let count = 1;
  for (const size of numbersIn(args)) {
    // A text names the way of storing.
    if (typeof size !== 'string') count *= Math.max(1, numeric(size));
  }
  checkElementCount(count);
}

function guardIdentity(args: readonly unknown[]): void {
  const sizes = [...numbersIn(args)].filter((size) => typeof size !== 'string').map(numeric);
  checkElementCount(sizes.length === 1 ? sizes[0]! ** 2 : sizes.reduce((a, b) => a * b, 1));
}

function guardFirstAsSizes([size]: readonly unknown[]): void {
  if (isCollection(size)) guardSizes([size]);
}

function guardResize([, size]: readonly unknown[]): void {
  guardSizes([size]);
}

function guardRange(args: readonly unknown[]): void {
  const [first] = args;
  const parts = typeof first === 'string' ? first.split(':').map(Number) : args.map(numeric);
  const [start = 0, second = 0, third] = parts;
  // In a text the step stands between, in a call after the end.
  const isText = typeof first === 'string' && third !== undefined;
  const end = isText ? third : second;
  const step = isText ? second : Number.isNaN(third) ? 1 : (third ?? 1);
  if (args.length === 1 && typeof first !== 'string') return;
  checkElementCount(Math.floor(Math.abs((end - start) / step)) + 1);
}

function guardIndex(args: readonly unknown[]): void {
  let count = 1;
  for (const arg of args) {
    // A text would name a property.
    if (typeof arg === 'string') throw new ExpressionLimitError('An index is a number or a range.');
    let largest = 1;
    for (const place of numbersIn([arg])) {
      const value = numeric(place);
      if (value > largest) largest = value;
    }
    count *= largest;
  }
  checkElementCount(count);
}

function guardKronecker(args: readonly unknown[]): void {
  const counts = args.map((arg) => sizeOf(arg).reduce((count, length) => count * length, 1));
  checkElementCount(counts.reduce((a, b) => a * b, 1));
}

function guardDiagonal([first, shift]: readonly unknown[]): void {
  const size = sizeOf(first);
  const offset = Math.abs(numeric(shift) || 0);
  if (size.length === 1) checkElementCount((size[0]! + offset) ** 2);
}

function guardMultiply(args: readonly unknown[]): void {
  for (let i = 1; i < args.length; i++) {
    const left = sizeOf(args[i - 1]);
    const right = sizeOf(args[i]);
    const products = [...left, ...right.slice(1)].reduce((count, length) => count * length, 1);
    if (left.length === 0 || right.length === 0 || products <= MAX_PRODUCTS) continue;
    throw new ExpressionLimitError(
      `A product of matrices takes ${products} multiplications; the limit is ${MAX_PRODUCTS}.`,
    );
  }
}

function guardRows(args: readonly unknown[], name: string): void {
  for (const arg of args) {
    const size = sizeOf(arg);
    if (size.length < 2) continue;
    const rows = Math.max(...size);
    if (rows <= max_matrix_rows) continue;
    throw new ExpressionLimitError(
      `${name} of a matrix of ${rows} rows or columns; the limit max_matrix_rows is ${max_matrix_rows}.`,
    );
  }
}

/** Iterations may take their full number, hundreds of products a row. */
function guardIterated(args: readonly unknown[], name: string): void {
  guardRows(args, name);
  for (const arg of args) {
    const size = sizeOf(arg);
    if (size.length < 2 || (name === 'eigs' && isSymmetric(arg))) continue;
    const isExact = [...numbersIn([arg])].some((each) => isBigNumber(each) || isFraction(each));
    const [limit, limitName] = isExact
      ? [max_iterated_exact_rows, 'max_iterated_exact_rows']
      : [max_iterated_rows, 'max_iterated_rows'];
    const rows = Math.max(...size);
    if (rows <= limit) continue;
    const instead = name === 'eigs' ? ' The task eigenvalues takes larger ones.' : '';
    throw new ExpressionLimitError(
      `${name} of a matrix of ${rows} rows or columns; the limit ${limitName} is ${limit}.${instead}`,
    );
  }
}

/** Whether a matrix is of doubles, and equal to its transpose: its eigenvalues are found fast. */
function isSymmetric(matrix: unknown): boolean {
  const rows: unknown = isMatrix(matrix) ? matrix.toArray() : matrix;
  if (!Array.isArray(rows)) return false;
  return rows.every(
    (row: unknown, i) =>
      Array.isArray(row) &&
      row.every((entry, j) => typeof entry === 'number' && entry === rows[j]?.[i]),
  );
}

function guardPower(args: readonly unknown[], name: string): void {
  guardRows(args, name);
  const [base, exponent] = args;
  const largest = [...numbersIn([exponent])].reduce(
    (most: number, each) => Math.max(most, Math.abs(numeric(each)) || 0),
    0,
  );
  if (name === 'pow' && isCollection(base)) atMost(1e6)([exponent], name);
  const isRoot = [...numbersIn([exponent])].some((each) => isFraction(each) && !isWhole(each.d));
  for (const each of numbersIn([base])) {
    const bits = exactBits(each);
    if (bits === undefined) continue;
    if (bits * largest > max_integer_bits) {
      throw new ExpressionLimitError(
        `A power would take ${bits * largest} bits; the limit max_integer_bits is ${max_integer_bits}.`,
      );
    }
    if (isRoot && isFraction(each) && bits > MAX_FACTORED_BITS) {
      throw new ExpressionLimitError(
        `A root of a fraction of ${bits} bits; the limit is ${MAX_FACTORED_BITS}: take number(x) first.`,
      );
    }
  }
}

function isWhole(denominator: bigint | number): boolean {
  return BigInt(denominator) === 1n;
}

/** Bits of a number of unlimited width; undefined for a type of fixed width. */
function exactBits(value: unknown): number | undefined {
  if (typeof value === 'bigint') return bitsOf(value);
  if (isFraction(value)) return Math.max(bitsOf(BigInt(value.n)), bitsOf(BigInt(value.d)));
  return undefined;
}

/** All numbers among the arguments are at most that, either side of zero. */
function atMost(limit: number): ArgumentGuard {
  return (args, name) => {
    for (const each of numbersIn(args)) {
      const value = Math.abs(numeric(each));
      if (value > limit) {
        throw new ExpressionLimitError(`${name} of ${value}; the limit is ${limit}.`);
      }
    }
  };
}

/** Applies `atMost` to the arguments after the first. */
function restAtMost(limit: number): ArgumentGuard {
  const guard = atMost(limit);
  return (args, name) => guard(args.slice(1), name);
}

function guardPowerset([set]: readonly unknown[]): void {
  checkElementCount(2 ** Math.min(1000, sizeOf(set)[0] ?? 0));
}

function guardPrime(args: readonly unknown[], name: string): void {
  atMost(Number.MAX_SAFE_INTEGER)(args, name);
}

const BY_SIZES = ['zeros', 'ones'];
const DRAWING = ['random', 'randomInt'];
const DECOMPOSING = [
  ...['det', 'expm', 'inv', 'lup', 'lusolve', 'norm', 'pinv', 'qr', 'slu', 'lsolve', 'usolve'],
];
const ITERATING = ['eigs', 'lyap', 'schur', 'sqrtm', 'sylvester'];
const COUNTING = [
  ...['combinations', 'combinationsWithRep', 'factorial', 'gamma', 'multinomial', 'permutations'],
  'composition',
];
const RECURRING = ['bellNumbers', 'bernoulli', 'catalan', 'stirlingS2'];
const SHIFTING = ['leftShift', 'rightArithShift', 'rightLogShift'];
const WRITING = ['format', 'bin', 'hex', 'oct', 'round', 'fix', 'floor', 'ceil'];

const GUARDS: ReadonlyMap<string, ArgumentGuard> = new Map<string, ArgumentGuard>([
  ...BY_SIZES.map((name) => [name, guardSizes] as const),
  ...DRAWING.map((name) => [name, guardFirstAsSizes] as const),
  ...DECOMPOSING.map((name) => [name, guardRows] as const),
  ...ITERATING.map((name) => [name, guardIterated] as const),
  ...COUNTING.map((name) => [name, atMost(10_000)] as const),
  ...RECURRING.map((name) => [name, atMost(200)] as const),
  ...SHIFTING.map((name) => [name, restAtMost(10_000)] as const),
  ...WRITING.map((name) => [name, restAtMost(64)] as const),
  ['identity', guardIdentity],
  ['resize', guardResize],
  ['range', guardRange],
  ['index', guardIndex],
  ['kron', guardKronecker],
  ['setCartesian', guardKronecker],
  ['setPowerset', guardPowerset],
  ['diag', guardDiagonal],
  ['multiply', guardMultiply],
  ['pow', guardPower],
  ['dotPow', guardPower],
  ['nthRoots', restAtMost(1000)],
  ['isPrime', guardPrime],
]);
