/**
 * Any unitary as 2×2 matrices between rows that differ in one bit, after phases of single rows.
 *
 * Entries are eliminated column by column, in the order of a Gray code, in which neighbours differ in
 * one bit; zeros cost nothing, so permutations and blocks stay short. A k-qubit unitary takes at most
 * 2^(k−1)·(2^k − 1) matrices.
 *
 * @see Nielsen & Chuang, section 4.5.1 (two-level unitary gates are universal).
 */
import { type ComplexMatrix, dimension } from '../../../math/complex-matrix.ts';
import { type Complex, ONE } from '../../complex.ts';

/** A matrix on two rows, row-major; `from` has a 0 where `to` has a 1, and else the same bits. */
export interface TwoLevelMatrix {
  readonly from: number;
  readonly to: number;
  readonly matrix: readonly [Complex, Complex, Complex, Complex];
}

/** A unitary taken apart. */
export interface TwoLevelFactors {
  /** By row; acts first. */
  readonly phases: readonly Complex[];
  /** In the order in which they act. */
  readonly matrices: readonly TwoLevelMatrix[];
}

/** Entries below this are rounding errors of 0. */
const ROUNDING = 1e-14;
const ZERO: Complex = { re: 0, im: 0 };

/** Factors a unitary: it equals the last matrix · … · the first · the phases. */
export function twoLevelFactors(unitary: ComplexMatrix): TwoLevelFactors {
  const numRows = dimension(unitary);
  const rest = Float64Array.from(unitary);
  const gray = Array.from({ length: numRows }, (_, i) => i ^ (i >> 1));
  const eliminated: TwoLevelMatrix[] = [];
  for (let column = 0; column < numRows; column++) {
    for (let i = numRows - 1; i > column; i--) {
      const upper = gray[i - 1]!;
      const lower = gray[i]!;
      const y = entryOf(rest, lower, gray[column]!);
      if (Math.hypot(y.re, y.im) < ROUNDING) continue;
      const x = entryOf(rest, upper, gray[column]!);
      if (Math.hypot(x.re, x.im) < ROUNDING) {
        exchangeRows(rest, upper, lower);
        eliminated.push(ordered(upper, lower, [ZERO, ONE, ONE, ZERO]));
        continue;
      }
      const size = Math.hypot(x.re, x.im, y.re, y.im);
      const a = { re: x.re / size, im: x.im / size };
      const b = { re: y.re / size, im: y.im / size };
      // [[a*, b*], [−b, a]] maps (x, y) to (size, 0); its inverse is a factor of the unitary.
      turnRows(rest, upper, lower, a, b);
      eliminated.push(ordered(upper, lower, [a, negated(conjugate(b)), b, conjugate(a)]));
    }
  }
  const phases = Array.from({ length: numRows }, (_, row) => entryOf(rest, row, row));
  return { phases, matrices: eliminated.reverse() };
}

function exchangeRows(m: ComplexMatrix, upper: number, lower: number): void {
  const length = 2 * dimension(m);
  const before = m.slice(upper * length, (upper + 1) * length);
  m.copyWithin(upper * length, lower * length, (lower + 1) * length);
  m.set(before, lower * length);
}

/** Multiplies two rows by [[a*, b*], [−b, a]] from the left. */
function turnRows(m: ComplexMatrix, upper: number, lower: number, a: Complex, b: Complex): void {
  const numRows = dimension(m);
  for (let column = 0; column < numRows; column++) {
    const x = entryOf(m, upper, column);
    const y = entryOf(m, lower, column);
    const u = 2 * (upper * numRows + column);
    const l = 2 * (lower * numRows + column);
    m[u] = a.re * x.re + a.im * x.im + b.re * y.re + b.im * y.im;
    m[u + 1] = a.re * x.im - a.im * x.re + b.re * y.im - b.im * y.re;
    m[l] = a.re * y.re - a.im * y.im - b.re * x.re + b.im * x.im;
    m[l + 1] = a.re * y.im + a.im * y.re - b.re * x.im - b.im * x.re;
  }
}

/** Orders the rows ascending, so that `from` has the bit's 0. */
function ordered(
  upper: number,
  lower: number,
  [a, b, c, d]: TwoLevelMatrix['matrix'],
): TwoLevelMatrix {
  return upper < lower
    ? { from: upper, to: lower, matrix: [a, b, c, d] }
    : { from: lower, to: upper, matrix: [d, c, b, a] };
}

function entryOf(matrix: ComplexMatrix, row: number, column: number): Complex {
  const i = 2 * (row * dimension(matrix) + column);
  return { re: matrix[i]!, im: matrix[i + 1]! };
}

function conjugate({ re, im }: Complex): Complex {
  return { re, im: -im };
}

function negated({ re, im }: Complex): Complex {
  return { re: -re, im: -im };
}
