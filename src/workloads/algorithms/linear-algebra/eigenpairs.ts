/**
 * Eigenvalues and eigenvectors of square complex matrices, each with the residual it really has.
 *
 * mathjs's `eigs` is no alternative: it does not converge on a cyclic permutation, takes every matrix of small
 * entries for zero, and leaves out vectors of large ones.
 */
import { type DenseMatrix, frobeniusNorm, isHermitian, isRealMatrix } from './linear-systems.ts';
import { type SchurDecomposition, schurOf } from './schur-decomposition.ts';

/** One eigenvalue. */
export interface Eigenpair {
  /** [re, im] */
  readonly value: readonly [number, number];
  /** Interleaved re, im; of unit length, its largest entry real and positive. */
  readonly vector: Float64Array;
  /** ‖A·v − λ·v‖. */
  readonly residual: number;
}

/**
 * All eigenvalues, each as often as it occurs, by ascending real part, then imaginary part.
 *
 * A defective matrix has fewer independent vectors than values; those of a repeated value then
 * coincide. Those of a normal matrix (Hermitian, unitary) are orthonormal.
 *
 * @returns undefined where the iteration does not converge.
 */
export function eigenpairsOf(matrix: DenseMatrix): readonly Eigenpair[] | undefined {
  const schur = schurOf(matrix);
  if (schur === undefined) return undefined;
  const norm = frobeniusNorm(matrix);
  const hasRealValues = isHermitian(matrix);
  const isReal = isRealMatrix(matrix);
  // T of a normal matrix is diagonal but for rounding, so that Q's columns are the vectors.
  const isNormal = isDiagonal(schur, norm);
  const pairs = Array.from({ length: schur.size }, (_, k): Eigenpair => {
    const at = 2 * (k * schur.size + k);
    const vector = normalised(isNormal ? columnOf(schur, k) : vectorOf(schur, k, norm));
    const im = hasRealValues ? 0 : schur.t[at + 1]!;
    const value = cleaned([schur.t[at]!, im], norm, schur.size, isReal);
    return { value, vector, residual: residualOf(matrix, value, vector) };
  });
  return pairs.sort((a, b) => a.value[0] - b.value[0] || a.value[1] - b.value[1]);
}

/** Whether the entries above the diagonal of T are rounding errors. */
function isDiagonal({ size, t }: SchurDecomposition, norm: number): boolean {
  const bound = 4 * size * Number.EPSILON * norm;
  for (let row = 0; row < size; row++) {
    for (let column = row + 1; column < size; column++) {
      const at = 2 * (row * size + column);
      if (Math.hypot(t[at]!, t[at + 1]!) > bound) return false;
    }
  }
  return true;
}

/** Eigenvalues of a real matrix that are within rounding of the real axis lie on it. */
function cleaned(
  [re, im]: readonly [number, number],
  norm: number,
  size: number,
  isReal: boolean,
): readonly [number, number] {
  const isRounding = isReal && Math.abs(im) <= 4 * size * Number.EPSILON * norm;
  return [re + 0, isRounding ? 0 : im + 0];
}

function columnOf({ size, q }: SchurDecomposition, k: number): Float64Array {
  const out = new Float64Array(2 * size);
  for (let row = 0; row < size; row++) {
    out[2 * row] = q[2 * (row * size + k)]!;
    out[2 * row + 1] = q[2 * (row * size + k) + 1]!;
  }
  return out;
}

/** Q·y with (T − λ)·y = 0, y solved from its entry k = 1 upwards. */
function vectorOf({ size, q, t }: SchurDecomposition, k: number, norm: number): Float64Array {
  const y = new Float64Array(2 * size);
  y[2 * k] = 1;
  const smallest = Number.EPSILON * norm || Number.MIN_VALUE;
  const lambda = 2 * (k * size + k);
  for (let i = k - 1; i >= 0; i--) {
    let re = 0;
    let im = 0;
    for (let j = i + 1; j <= k; j++) {
      const at = 2 * (i * size + j);
      re -= t[at]! * y[2 * j]! - t[at + 1]! * y[2 * j + 1]!;
      im -= t[at]! * y[2 * j + 1]! + t[at + 1]! * y[2 * j]!;
    }
    const diagonal = 2 * (i * size + i);
    const gapRe = t[diagonal]! - t[lambda]!;
    const gapIm = t[diagonal + 1]! - t[lambda + 1]!;
    // A repeated value: a gap as small as rounding makes it gives the vector that it shares.
    const isGap = Math.hypot(gapRe, gapIm) > smallest;
    [y[2 * i], y[2 * i + 1]] = isGap ? divide(re, im, gapRe, gapIm) : divide(re, im, smallest, 0);
    shrinkWhereLarge(y, 2 * i);
  }
  const out = new Float64Array(2 * size);
  for (let row = 0; row < size; row++) {
    for (let j = 0; j <= k; j++) {
      const at = 2 * (row * size + j);
      out[2 * row]! += q[at]! * y[2 * j]! - q[at + 1]! * y[2 * j + 1]!;
      out[2 * row + 1]! += q[at]! * y[2 * j + 1]! + q[at + 1]! * y[2 * j]!;
    }
  }
  return out;
}

/** A quotient of complex numbers by Smith's method: no square that could overflow. */
function divide(re: number, im: number, byRe: number, byIm: number): [number, number] {
  if (Math.abs(byRe) >= Math.abs(byIm)) {
    const ratio = byIm / byRe;
    const scale = byRe + byIm * ratio;
    return [(re + im * ratio) / scale, (im - re * ratio) / scale];
  }
  const ratio = byRe / byIm;
  const scale = byRe * ratio + byIm;
  return [(re * ratio + im) / scale, (im * ratio - re) / scale];
}

/** Small gaps in a row multiply; only the vector's direction is wanted. */
function shrinkWhereLarge(y: Float64Array, at: number): void {
  const modulus = Math.hypot(y[at]!, y[at + 1]!);
  if (modulus < 1e100) return;
  for (let i = 0; i < y.length; i++) y[i]! /= modulus;
}

function normalised(vector: Float64Array): Float64Array {
  const norm = Math.hypot(...vector);
  let largest = 0;
  for (let i = 0; i < vector.length; i += 2) {
    const modulus = Math.hypot(vector[i]!, vector[i + 1]!);
    // A little more, so that of entries of one modulus the first is chosen whatever their rounding.
    if (modulus > 1.000001 * Math.hypot(vector[largest]!, vector[largest + 1]!)) largest = i;
  }
  const modulus = Math.hypot(vector[largest]!, vector[largest + 1]!);
  const re = vector[largest]! / modulus / norm;
  const im = -vector[largest + 1]! / modulus / norm;
  const out = new Float64Array(vector.length);
  for (let i = 0; i < vector.length; i += 2) {
    out[i] = vector[i]! * re - vector[i + 1]! * im;
    out[i + 1] = vector[i]! * im + vector[i + 1]! * re;
  }
  out[largest + 1] = 0;
  return out;
}

function residualOf(
  { rows, columns, data }: DenseMatrix,
  [re, im]: readonly [number, number],
  v: Float64Array,
): number {
  const differences: number[] = [];
  for (let row = 0; row < rows; row++) {
    let sumRe = -(re * v[2 * row]! - im * v[2 * row + 1]!);
    let sumIm = -(re * v[2 * row + 1]! + im * v[2 * row]!);
    for (let k = 0; k < columns; k++) {
      const at = 2 * (row * columns + k);
      sumRe += data[at]! * v[2 * k]! - data[at + 1]! * v[2 * k + 1]!;
      sumIm += data[at]! * v[2 * k + 1]! + data[at + 1]! * v[2 * k]!;
    }
    differences.push(sumRe, sumIm);
  }
  return Math.hypot(...differences);
}
