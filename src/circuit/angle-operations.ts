/** Operations that angle formulas are made of: their values, derivatives and bounds. */
import { multipleOfAngle } from '../math/angles.ts';

/** Codes of the operations that are written out where they are used; the others are positions in `FUNCTIONS`. */
export const NEGATE = 0;
export const ADD = 1;
export const SUBTRACT = 2;
export const MULTIPLY = 3;
export const DIVIDE = 4;
/** First code of an operation that is a function of `FUNCTIONS`. */
export const FIRST_FUNCTION = 5;

/** An operation that is a call of a function. */
interface TapeFunction {
  readonly name: string;
  readonly value: (x: number, y: number) => number;
  /** Derivatives with respect to x and y, 0 for the second of a function of one number; `v` is the value. */
  readonly partials: (x: number, y: number, v: number) => readonly [byX: number, byY: number];
  /** Bounds of the value for x and y within bounds; undefined where the value may not be finite. */
  readonly range?: (x: Range, y: Range) => Range | undefined;
}

/** Least and greatest value, both finite. */
export type Range = readonly [low: number, high: number];

const UNIT: Range = [-1, 1];

/** Functions of one or two numbers, as `classical-evaluation.ts` computes them. */
export const FUNCTIONS: readonly TapeFunction[] = [
  {
    name: 'sin',
    value: Math.sin,
    partials: (x) => [Math.cos(x), 0],
    range: () => UNIT,
  },
  {
    name: 'cos',
    value: Math.cos,
    partials: (x) => [-Math.sin(x), 0],
    range: () => UNIT,
  },
  { name: 'tan', value: Math.tan, partials: (_, __, v) => [1 + v * v, 0] },
  {
    name: 'exp',
    value: Math.exp,
    partials: (_, __, v) => [v, 0],
    range: ([, high]) => [0, Math.exp(high)],
  },
  { name: 'log', value: Math.log, partials: (x) => [1 / x, 0] },
  {
    name: 'sqrt',
    value: Math.sqrt,
    partials: (_, __, v) => [0.5 / v, 0],
    range: ([low, high]) => (low < 0 ? undefined : [0, Math.sqrt(high)]),
  },
  { name: 'asin', value: Math.asin, partials: (x) => [1 / Math.sqrt((1 - x) * (1 + x)), 0] },
  { name: 'acos', value: Math.acos, partials: (x) => [-1 / Math.sqrt((1 - x) * (1 + x)), 0] },
  {
    name: 'atan',
    value: Math.atan,
    partials: (x) => [1 / (1 + x * x), 0],
    range: () => [-2, 2],
  },
  {
    name: 'abs',
    value: Math.abs,
    partials: (x) => [Math.sign(x), 0],
    range: (x) => [0, sizeOf(x)],
  },
  {
    name: '%',
    value: (x, y) => x % y,
    partials: (x, y) => [1, -Math.trunc(x / y)],
  },
  {
    name: '**',
    value: (x, y) => x ** y,
    // A constant power has no derivative where the logarithm of its base is none.
    partials: (x, y, v) => [y === 0 ? 0 : y * x ** (y - 1), v === 0 ? 0 : v * Math.log(x)],
  },
  {
    name: 'multiple',
    value: multipleOfAngle,
    partials: (_, times) => [times, 0],
    range: (x, [times]) =>
      Number.isFinite(sizeOf(x) * times) ? [-2 * Math.PI, 2 * Math.PI] : undefined,
  },
];

const sizeOf = ([low, high]: Range): number => Math.max(Math.abs(low), Math.abs(high));

const CODES: ReadonlyMap<string, number> = new Map([
  ['negate', NEGATE],
  ['+', ADD],
  ['-', SUBTRACT],
  ['*', MULTIPLY],
  ['/', DIVIDE],
  ...FUNCTIONS.map(({ name }, i) => [name, FIRST_FUNCTION + i] as const),
]);

/** Code of an operation by its name; undefined where formulas have no such operation. */
export const codeOf = (name: string): number | undefined => CODES.get(name);

/**
 * Bounds of the result of an operation on values within bounds; undefined where it may not be finite.
 *
 * Rounding is monotonic, so that bounds are computed as the values are.
 */
export function rangeOf(operator: number, x: Range, y: Range): Range | undefined {
  switch (operator) {
    case NEGATE:
      return [-x[1], -x[0]];
    case ADD:
      return [x[0] + y[0], x[1] + y[1]];
    case SUBTRACT:
      return [x[0] - y[1], x[1] - y[0]];
    case MULTIPLY:
      return spanOf(x, y, (a, b) => a * b);
    case DIVIDE:
      return y[0] <= 0 && y[1] >= 0 ? undefined : spanOf(x, y, (a, b) => a / b);
    default:
      return FUNCTIONS[operator - FIRST_FUNCTION]!.range?.(x, y);
  }
}

function spanOf(x: Range, y: Range, f: (a: number, b: number) => number): Range {
  const corners = x.flatMap((a) => y.map((b) => f(a, b)));
  return [Math.min(...corners), Math.max(...corners)];
}
