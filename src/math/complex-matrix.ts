/**
 * Square complex matrices as flat arrays: row-major, interleaved re, im, length 2·d².
 *
 * Small (d ≤ 64) and used off the hot path only: gate definitions, validation, compile passes. Row and column
 * indices follow the project's convention: bit i of an index is `targets[i]`, so `targets[0]` is the least
 * significant bit.
 */

/** Row-major, interleaved re, im; length 2·d². */
export type ComplexMatrix = Float64Array;

/** Number of rows of a square matrix. */
export function dimension(matrix: ComplexMatrix): number {
  return Math.round(Math.sqrt(matrix.length / 2));
}

/** Identity matrix of `d` rows. */
export function identity(d: number): ComplexMatrix {
  const out = new Float64Array(2 * d * d);
  for (let i = 0; i < d; i++) out[2 * (i * d + i)] = 1;
  return out;
}

/** Matrix product a·b. */
export function multiply(a: ComplexMatrix, b: ComplexMatrix): ComplexMatrix {
  const d = dimension(a);
  const out = new Float64Array(a.length);
  for (let row = 0; row < d; row++) {
    for (let col = 0; col < d; col++) {
      let re = 0;
      let im = 0;
      for (let k = 0; k < d; k++) {
        const i = 2 * (row * d + k);
        const j = 2 * (k * d + col);
        re += a[i]! * b[j]! - a[i + 1]! * b[j + 1]!;
        im += a[i]! * b[j + 1]! + a[i + 1]! * b[j]!;
      }
      out[2 * (row * d + col)] = re;
      out[2 * (row * d + col) + 1] = im;
    }
  }
  return out;
}

/** Transpose, without conjugation. */
export function transpose(matrix: ComplexMatrix): ComplexMatrix {
  const d = dimension(matrix);
  const out = new Float64Array(matrix.length);
  for (let row = 0; row < d; row++) {
    for (let col = 0; col < d; col++) {
      const i = 2 * (row * d + col);
      out.set(matrix.subarray(i, i + 2), 2 * (col * d + row));
    }
  }
  return out;
}

/** Conjugate transpose; the inverse of a unitary. */
export function adjoint(matrix: ComplexMatrix): ComplexMatrix {
  const d = dimension(matrix);
  const out = new Float64Array(matrix.length);
  for (let row = 0; row < d; row++) {
    for (let col = 0; col < d; col++) {
      out[2 * (col * d + row)] = matrix[2 * (row * d + col)]!;
      out[2 * (col * d + row) + 1] = -matrix[2 * (row * d + col) + 1]!;
    }
  }
  return out;
}

/** Largest |a_ij − b_ij|. */
export function maxAbsDifference(a: ComplexMatrix, b: ComplexMatrix): number {
  let worst = 0;
  for (let i = 0; i < a.length; i += 2) {
    worst = Math.max(worst, Math.hypot(a[i]! - b[i]!, a[i + 1]! - b[i + 1]!));
  }
  return worst;
}

/** Largest entry of |U†U − 1|: how far a matrix is from unitary. */
export function unitarityDefect(matrix: ComplexMatrix): number {
  return maxAbsDifference(multiply(adjoint(matrix), matrix), identity(dimension(matrix)));
}

/** Whether a matrix is unitary but for rounding. */
export const isUnitary = (matrix: ComplexMatrix): boolean => unitarityDefect(matrix) < 1e-12;

/** Whether every entry off the diagonal is exactly zero. */
export function isDiagonal(matrix: ComplexMatrix): boolean {
  const d = dimension(matrix);
  for (let i = 0; i < d * d; i++) {
    const offDiagonal = Math.floor(i / d) !== i % d;
    if (offDiagonal && (matrix[2 * i] !== 0 || matrix[2 * i + 1] !== 0)) return false;
  }
  return true;
}

/** Entries of four rows between indices with an even and an odd number of ones. */
const BETWEEN_PARITIES = [1, 2, 4, 7, 8, 11, 13, 14];

/**
 * Whether a two-qubit matrix connects |00⟩ and |11⟩ only with each other, and |01⟩ and |10⟩ too. Only exact zeros
 * count.
 *
 * @param matrix - Four rows, interleaved re, im, from number `at` on.
 */
export function keepsParity(matrix: Float64Array, at = 0): boolean {
  return BETWEEN_PARITIES.every((i) => matrix[at + 2 * i] === 0 && matrix[at + 2 * i + 1] === 0);
}

/**
 * Row of the only nonzero entry of each column; undefined where a column has none or several, so that the
 * matrix is not monomial.
 */
export function monomialRows(matrix: ComplexMatrix): readonly number[] | undefined {
  const d = dimension(matrix);
  const rows: number[] = [];
  for (let col = 0; col < d; col++) {
    let found = -1;
    for (let row = 0; row < d; row++) {
      const i = 2 * (row * d + col);
      if (matrix[i] === 0 && matrix[i + 1] === 0) continue;
      if (found >= 0) return undefined;
      found = row;
    }
    if (found < 0) return undefined;
    rows.push(found);
  }
  return rows;
}

/**
 * Makes the rows orthonormal, one after the other. An almost unitary matrix becomes a unitary one, as close
 * to it as it was to being unitary.
 *
 * @see Golub & Van Loan, "Matrix Computations", section 5.2.8 (modified Gram–Schmidt).
 */
export function orthonormalizedRows(matrix: ComplexMatrix): ComplexMatrix {
  const d = dimension(matrix);
  const out = Float64Array.from(matrix);
  for (let row = 0; row < d; row++) {
    const current = out.subarray(2 * d * row, 2 * d * (row + 1));
    for (let earlier = 0; earlier < row; earlier++) {
      removeProjection(current, out.subarray(2 * d * earlier, 2 * d * (earlier + 1)));
    }
    const norm = Math.hypot(...current);
    for (let i = 0; i < current.length; i++) current[i]! /= norm;
  }
  return out;
}

/** vector −= unit·⟨unit|vector⟩. */
function removeProjection(vector: Float64Array, unit: Float64Array): void {
  let re = 0;
  let im = 0;
  for (let i = 0; i < vector.length; i += 2) {
    re += unit[i]! * vector[i]! + unit[i + 1]! * vector[i + 1]!;
    im += unit[i]! * vector[i + 1]! - unit[i + 1]! * vector[i]!;
  }
  for (let i = 0; i < vector.length; i += 2) {
    vector[i]! -= unit[i]! * re - unit[i + 1]! * im;
    vector[i + 1]! -= unit[i]! * im + unit[i + 1]! * re;
  }
}
