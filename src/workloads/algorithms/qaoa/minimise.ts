/**
 * Minimises a smooth function of few numbers, values of many points being had at one go: the
 * quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno, slopes from central differences,
 * and steps of several lengths tried together.
 *
 * For a handful of angles this takes a tenth of the steps of Adam, which is made for many parameters
 * and noisy slopes.
 *
 * @see Nocedal & Wright, "Numerical optimization", 2nd edition, chapters 6 and 8.
 */

/** Values of the function at points, in order. */
export type ValuesAt = (points: readonly Float64Array[]) => Promise<readonly number[]>;

/** When to stop. */
export interface MinimiseOptions {
  readonly maxSteps: number;
  /** A step that gains less is the last. */
  readonly tolerance: number;
  /** Called with the value after each step. */
  readonly onStep?: (step: number, value: number) => void;
}

/** The best point found. */
export interface Minimum {
  readonly point: Float64Array;
  readonly value: number;
  /** At the start, and after each step; never rises. */
  readonly history: readonly number[];
}

/** Small enough for the parabola's error, large enough for values of single precision. */
const DIFFERENCE = 2e-3;
/** Of the first step, before curvature is known. */
const FIRST_LENGTH = 0.1;
const LENGTHS = [1, 0.5, 0.2, 0.05, 2.5];
/** A step's product with the change of slope below this part of their lengths tells no curvature. */
const LEAST_CURVATURE = 1e-10;

/** Descends from `start`. */
export async function minimise(
  valuesAt: ValuesAt,
  start: Float64Array,
  { maxSteps, tolerance, onStep }: MinimiseOptions,
): Promise<Minimum> {
  let point = start;
  let { value, slope } = await valueAndSlope(valuesAt, point);
  let inverse = scaledIdentity(point.length, FIRST_LENGTH / (norm(slope) || 1));
  let isFresh = true;
  const history = [value];
  for (let step = 1; step <= maxSteps && norm(slope) > 0; step++) {
    const direction = times(inverse, slope).map((entry) => -entry);
    const points = LENGTHS.map((length) => point.map((x, i) => x + length * direction[i]!));
    const values = await valuesAt(points);
    const best = values.reduce((least, v, i) => (v < values[least]! ? i : least), 0);
    const gain = value - values[best]!;
    if (!(gain > tolerance)) {
      // A model of the curvature gone wrong is given up once before the search is.
      if (isFresh) break;
      inverse = scaledIdentity(point.length, FIRST_LENGTH / norm(slope));
      isFresh = true;
      continue;
    }
    const next = await valueAndSlope(valuesAt, points[best]!);
    const moved = points[best]!.map((x, i) => x - point[i]!);
    const change = next.slope.map((g, i) => g - slope[i]!);
    inverse = updated(inverse, moved, change, isFresh);
    isFresh = false;
    point = points[best]!;
    ({ slope } = next);
    value = Math.min(value, next.value);
    history.push(value);
    onStep?.(step, value);
  }
  return { point, value, history };
}

async function valueAndSlope(valuesAt: ValuesAt, point: Float64Array) {
  const shifted = Array.from(point, (_, i) =>
    [DIFFERENCE, -DIFFERENCE].map((by) => point.map((x, j) => (i === j ? x + by : x))),
  );
  const [value = 0, ...values] = await valuesAt([point, ...shifted.flat()]);
  const slope = point.map((_, i) => (values[2 * i]! - values[2 * i + 1]!) / (2 * DIFFERENCE));
  return { value, slope };
}

type Matrix = readonly Float64Array[];

function scaledIdentity(size: number, scale: number): Matrix {
  return Array.from({ length: size }, (_, i) => {
    const row = new Float64Array(size);
    row[i] = scale;
    return row;
  });
}

/** The inverse of the curvature after a step that changed the slope. */
function updated(
  inverse: Matrix,
  moved: Float64Array,
  change: Float64Array,
  isFresh: boolean,
): Matrix {
  const product = dot(moved, change);
  if (!(product > LEAST_CURVATURE * norm(moved) * norm(change))) return inverse;
  const base = isFresh ? scaledIdentity(moved.length, product / dot(change, change)) : inverse;
  const turned = times(base, change);
  const weight = (1 + dot(change, turned) / product) / product;
  return base.map((row, i) =>
    row.map(
      (entry, j) =>
        entry +
        weight * moved[i]! * moved[j]! -
        (turned[i]! * moved[j]! + moved[i]! * turned[j]!) / product,
    ),
  );
}

function times(matrix: Matrix, vector: Float64Array): Float64Array {
  return Float64Array.from(matrix, (row) => dot(row, vector));
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function norm(vector: Float64Array): number {
  return Math.sqrt(dot(vector, vector));
}
