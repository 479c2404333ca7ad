/**
 * The Schur decomposition A = Q·T·Q† of a square complex matrix: Q unitary, T upper triangular with the
 * eigenvalues on its diagonal. Reduction to Hessenberg form by Householder reflections, then QR steps
 * with Wilkinson's shift. It exists for every matrix, defective ones too, and is backward stable.
 *
 * @see Golub & Van Loan, Matrix Computations, sections 7.4 and 7.5.
 */
import { type DenseMatrix, frobeniusNorm } from './linear-systems.ts';

/** Q and T, row-major, interleaved. */
export interface SchurDecomposition {
  readonly size: number;
  readonly q: Float64Array;
  readonly t: Float64Array;
}

/** Steps for one eigenvalue; some three are usual. */
const MAX_STEPS = 100;
/** Steps after which an exceptional shift breaks cycles. */
const STEPS_PER_EXCEPTION = 10;

/** Decomposes; undefined if the iteration does not converge. */
export function schurOf(matrix: DenseMatrix): SchurDecomposition | undefined {
  const size = matrix.rows;
  const t = matrix.data.slice();
  const q = new Float64Array(2 * size * size);
  for (let k = 0; k < size; k++) q[2 * (k * size + k)] = 1;
  for (let k = 0; k < size - 2; k++) reflectColumn(t, q, size, k);
  const negligible = Number.EPSILON * frobeniusNorm(matrix);
  let last = size - 1;
  let numSteps = 0;
  while (last > 0) {
    const first = startOfBlock(t, size, last, negligible);
    if (first === last) {
      last--;
      numSteps = 0;
      continue;
    }
    numSteps++;
    if (numSteps > MAX_STEPS) return undefined;
    qrStep(t, q, size, first, last, shiftOf(t, size, last, numSteps));
  }
  return { size, q, t };
}

/** Zeroes column k below the subdiagonal by a reflection of both sides, which Q takes up. */
function reflectColumn(t: Float64Array, q: Float64Array, size: number, k: number): void {
  const length = size - k - 1;
  const v = new Float64Array(2 * length);
  for (let i = 0; i < length; i++) {
    const at = 2 * ((k + 1 + i) * size + k);
    v[2 * i] = t[at]!;
    v[2 * i + 1] = t[at + 1]!;
  }
  if (v.subarray(2).every((value) => value === 0)) return;
  const norm = Math.hypot(...v);
  const head = Math.hypot(v[0]!, v[1]!);
  // Away from the target, so that nothing cancels.
  v[0]! += head === 0 ? norm : (v[0]! / head) * norm;
  v[1]! += head === 0 ? 0 : (v[1]! / head) * norm;
  const scale = 1 / Math.hypot(...v);
  for (let i = 0; i < v.length; i++) v[i]! *= scale;
  reflectRows(t, size, k + 1, v);
  reflectColumns(t, size, k + 1, v);
  reflectColumns(q, size, k + 1, v);
}

/** (1 − 2·v·v†) from the left on the rows from `start` on. */
function reflectRows(m: Float64Array, size: number, start: number, v: Float64Array): void {
  for (let column = 0; column < size; column++) {
    let re = 0;
    let im = 0;
    for (let i = 0; i < v.length; i += 2) {
      const at = 2 * ((start + i / 2) * size + column);
      re += v[i]! * m[at]! + v[i + 1]! * m[at + 1]!;
      im += v[i]! * m[at + 1]! - v[i + 1]! * m[at]!;
    }
    for (let i = 0; i < v.length; i += 2) {
      const at = 2 * ((start + i / 2) * size + column);
      m[at]! -= 2 * (v[i]! * re - v[i + 1]! * im);
      m[at + 1]! -= 2 * (v[i]! * im + v[i + 1]! * re);
    }
  }
}

/** (1 − 2·v·v†) from the right on the columns from `start` on. */
function reflectColumns(m: Float64Array, size: number, start: number, v: Float64Array): void {
  for (let row = 0; row < size; row++) {
    let re = 0;
    let im = 0;
    for (let i = 0; i < v.length; i += 2) {
      const at = 2 * (row * size + start + i / 2);
      re += m[at]! * v[i]! - m[at + 1]! * v[i + 1]!;
      im += m[at]! * v[i + 1]! + m[at + 1]! * v[i]!;
    }
    for (let i = 0; i < v.length; i += 2) {
      const at = 2 * (row * size + start + i / 2);
      m[at]! -= 2 * (re * v[i]! + im * v[i + 1]!);
      m[at + 1]! -= 2 * (im * v[i]! - re * v[i + 1]!);
    }
  }
}

/** First row of the block that ends at row `last`. The entry that separates it from the block before becomes zero. */
function startOfBlock(t: Float64Array, size: number, last: number, negligible: number): number {
  for (let row = last; row > 0; row--) {
    const below = 2 * (row * size + row - 1);
    const neighbours = modulusAt(t, row * size + row) + modulusAt(t, (row - 1) * size + row - 1);
    const bound = neighbours === 0 ? negligible : Number.EPSILON * neighbours;
    if (modulusAt(t, row * size + row - 1) <= bound) {
      t[below] = 0;
      t[below + 1] = 0;
      return row;
    }
  }
  return 0;
}

function modulusAt(m: Float64Array, index: number): number {
  return Math.hypot(m[2 * index]!, m[2 * index + 1]!);
}

/** The eigenvalue of the last 2 × 2 block that is closer to its last entry. */
function shiftOf(
  t: Float64Array,
  size: number,
  last: number,
  numSteps: number,
): readonly [number, number] {
  const corner = last * size + last;
  const above = corner - size;
  const [dRe, dIm] = [t[2 * corner]!, t[2 * corner + 1]!];
  if (numSteps % STEPS_PER_EXCEPTION === 0) return [dRe + modulusAt(t, corner - 1), dIm];
  const [aRe, aIm] = [t[2 * (above - 1)]!, t[2 * (above - 1) + 1]!];
  const [bRe, bIm] = [t[2 * above]!, t[2 * above + 1]!];
  const [cRe, cIm] = [t[2 * (corner - 1)]!, t[2 * (corner - 1) + 1]!];
  // λ = d + h ± √(h² + b·c) with h half of a − d.
  const [hRe, hIm] = [(aRe - dRe) / 2, (aIm - dIm) / 2];
  const [rRe, rIm] = squareRoot(
    hRe * hRe - hIm * hIm + bRe * cRe - bIm * cIm,
    2 * hRe * hIm + bRe * cIm + bIm * cRe,
  );
  const sign = hRe * rRe + hIm * rIm > 0 ? -1 : 1;
  return [dRe + hRe + sign * rRe, dIm + hIm + sign * rIm];
}

function squareRoot(re: number, im: number): [number, number] {
  const modulus = Math.hypot(re, im);
  const outRe = Math.sqrt((modulus + Math.abs(re)) / 2);
  if (outRe === 0) return [0, 0];
  const other = im / (2 * outRe);
  if (re >= 0) return [outRe, other];
  return [Math.abs(other), im < 0 ? -outRe : outRe];
}

/** One step on the block from `first` to `last`: T − μ = G·R, then R·G + μ. */
function qrStep(
  t: Float64Array,
  q: Float64Array,
  size: number,
  first: number,
  last: number,
  [shiftRe, shiftIm]: readonly [number, number],
): void {
  const addToDiagonal = (sign: number): void => {
    for (let k = first; k <= last; k++) {
      t[2 * (k * size + k)]! += sign * shiftRe;
      t[2 * (k * size + k) + 1]! += sign * shiftIm;
    }
  };
  addToDiagonal(-1);
  const rotations: Rotation[] = [];
  for (let k = first; k < last; k++) {
    const rotation = rotationAt(t, size, k);
    rotations.push(rotation);
    rotateRows(t, size, k, rotation);
  }
  for (const [i, rotation] of rotations.entries()) {
    const k = first + i;
    rotateColumns(t, size, k, rotation, Math.min(k + 2, last + 1));
    rotateColumns(q, size, k, rotation, size);
  }
  addToDiagonal(1);
}

/** The unitary [[ā, b̄], [−b, a]] of unit rows that turns (x, y) into (r, 0). */
interface Rotation {
  readonly aRe: number;
  readonly aIm: number;
  readonly bRe: number;
  readonly bIm: number;
}

function rotationAt(t: Float64Array, size: number, k: number): Rotation {
  const x = 2 * (k * size + k);
  const y = x + 2 * size;
  const norm = Math.hypot(t[x]!, t[x + 1]!, t[y]!, t[y + 1]!);
  if (norm === 0) return { aRe: 1, aIm: 0, bRe: 0, bIm: 0 };
  return {
    aRe: t[x]! / norm,
    aIm: t[x + 1]! / norm,
    bRe: t[y]! / norm,
    bIm: t[y + 1]! / norm,
  };
}

function rotateRows(t: Float64Array, size: number, k: number, rotation: Rotation): void {
  const { aRe, aIm, bRe, bIm } = rotation;
  for (let column = k; column < size; column++) {
    const i = 2 * (k * size + column);
    const j = i + 2 * size;
    const [xRe, xIm, yRe, yIm] = [t[i]!, t[i + 1]!, t[j]!, t[j + 1]!];
    t[i] = aRe * xRe + aIm * xIm + bRe * yRe + bIm * yIm;
    t[i + 1] = aRe * xIm - aIm * xRe + bRe * yIm - bIm * yRe;
    t[j] = aRe * yRe - aIm * yIm - bRe * xRe + bIm * xIm;
    t[j + 1] = aRe * yIm + aIm * yRe - bRe * xIm - bIm * xRe;
  }
}

/** The rotation's adjoint from the right, on the first `numRows` rows. */
function rotateColumns(
  m: Float64Array,
  size: number,
  k: number,
  { aRe, aIm, bRe, bIm }: Rotation,
  numRows: number,
): void {
  for (let row = 0; row < numRows; row++) {
    const i = 2 * (row * size + k);
    const j = i + 2;
    const [xRe, xIm, yRe, yIm] = [m[i]!, m[i + 1]!, m[j]!, m[j + 1]!];
    m[i] = xRe * aRe - xIm * aIm + yRe * bRe - yIm * bIm;
    m[i + 1] = xRe * aIm + xIm * aRe + yRe * bIm + yIm * bRe;
    m[j] = yRe * aRe + yIm * aIm - xRe * bRe - xIm * bIm;
    m[j + 1] = yIm * aRe - yRe * aIm - xIm * bRe + xRe * bIm;
  }
}
