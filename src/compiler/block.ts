/**
 * Blocks: kernels that have no place in memory yet. They act on wires instead of physical qubits, and hold
 * their entries instead of an offset in the pool.
 *
 * Two blocks commute if on every wire they share both act diagonally, or both as a function of X. A control
 * acts diagonally; the target of a CX or an RX, and both targets of an RXX, as a function of X.
 */
import { type ComplexMatrix, dimension, monomialRows } from '../math/complex-matrix.ts';
import type { GateLike } from './passes/gate-like.ts';
import type { ProbeSums } from './program.ts';

/** A logical qubit, once SWAPs are relabelling. */
export type Wire = number;

/** Action of a block on a wire. Blocks with the same action commute there, unless they act generally. */
export const ACTS_DIAGONALLY = 0;
export const ACTS_AS_X = 1;
export const ACTS_GENERALLY = 2;

/** Source of the entries of a form that depend on parameters. */
export type FormSource =
  /** Those of a gate's matrix. */
  | { readonly kind: 'operation'; readonly operation: GateLike }
  /** Those of a product of blocks. */
  | {
      readonly kind: 'product';
      readonly factors: readonly Block[];
      readonly wires: ProductWires;
    };

/** Wires of a product: its targets, and the controls that all factors share. */
export interface ProductWires {
  readonly targets: readonly Wire[];
  readonly controls: readonly Wire[];
}

/** A matrix in the form of a kernel; `program.ts` explains the entries of each kind. */
export type BlockForm = {
  /** Interleaved re, im. */
  readonly entries: Float64Array;
  /** Action on each target. */
  readonly actions: readonly number[];
  /** Source of the entries; absent if they do not depend on parameters. */
  readonly source?: FormSource;
} & (
  | { readonly kind: 'dense' | 'diagonal' }
  | { readonly kind: 'permutation'; readonly rows: readonly number[] }
  /** No factor of any product. */
  | { readonly kind: 'map'; readonly rows: readonly number[]; readonly rest: number }
  /** Sums in place of a matrix: actions on its targets but the ancilla, which is last if any, and no entries. */
  | { readonly kind: 'probe'; readonly sums: ProbeSums }
);

/** A dense block, diagonal or permutation on wires. */
export interface Block {
  readonly form: BlockForm;
  readonly targets: readonly Wire[];
  readonly controls: readonly Wire[];
}

/**
 * Classifies a matrix; undefined for the identity. The kind follows from the numbers, not from a gate's name,
 * so RX(0), a diagonal unitary and a new gate are all treated alike. Only exact zeros count, so a kernel
 * multiplies exactly by the matrix.
 */
export function formOf(matrix: ComplexMatrix): BlockForm | undefined {
  const d = dimension(matrix);
  const rows = monomialRows(matrix);
  // A matrix that is unitary only within rounding may have one entry a column, but two in one row.
  if (rows !== undefined && new Set(rows).size === d) {
    return monomialForm(rows, monomialEntries(matrix, rows));
  }
  const actions: number[] = [];
  for (let bit = 1; bit < d; bit *= 2) actions.push(actionOfDense(matrix, d, bit));
  return { kind: 'dense', entries: matrix, actions };
}

/**
 * Classifies a matrix that sends |j⟩ to entry(j)·|rows[j]⟩; undefined for the identity.
 *
 * @param rows - A permutation of 0 … 2^k − 1.
 */
export function monomialForm(
  rows: readonly number[],
  entries: Float64Array,
): BlockForm | undefined {
  const d = rows.length;
  if (rows.every((row, j) => row === j)) {
    const isOne = rows.every((j) => entries[2 * j] === 1 && entries[2 * j + 1] === 0);
    if (isOne) return undefined;
    const actions = new Array<number>(Math.round(Math.log2(d))).fill(ACTS_DIAGONALLY);
    return { kind: 'diagonal', entries, actions };
  }
  const actions: number[] = [];
  for (let bit = 1; bit < d; bit *= 2) actions.push(actionOfPermutation(rows, entries, bit));
  return { kind: 'permutation', entries, actions, rows };
}

/**
 * Action of a permutation on a bit: diagonal if it keeps the bit, as X if flipping the bit of a column flips
 * it in the row.
 */
function actionOfPermutation(rows: readonly number[], entries: Float64Array, bit: number): number {
  let diagonal = true;
  let asX = true;
  for (let j = 0; j < rows.length; j++) {
    const flipped = j ^ bit;
    diagonal &&= ((rows[j]! ^ j) & bit) === 0;
    asX &&=
      rows[flipped] === (rows[j]! ^ bit) &&
      entries[2 * flipped] === entries[2 * j] &&
      entries[2 * flipped + 1] === entries[2 * j + 1];
  }
  return diagonal ? ACTS_DIAGONALLY : asX ? ACTS_AS_X : ACTS_GENERALLY;
}

/**
 * Action of a matrix on a bit: diagonal if no entry connects values of the bit, as X if flipping the bit in
 * both indices changes no entry.
 */
function actionOfDense(entries: ComplexMatrix, d: number, bit: number): number {
  let diagonal = true;
  let asX = true;
  for (let row = 0; row < d && (diagonal || asX); row++) {
    for (let col = 0; col < d; col++) {
      const i = 2 * (row * d + col);
      const j = 2 * ((row ^ bit) * d + (col ^ bit));
      if (((row ^ col) & bit) !== 0) diagonal &&= entries[i] === 0 && entries[i + 1] === 0;
      asX &&= entries[i] === entries[j] && entries[i + 1] === entries[j + 1];
    }
  }
  return diagonal ? ACTS_DIAGONALLY : asX ? ACTS_AS_X : ACTS_GENERALLY;
}

/** Entry of each column in the row `rows[column]`; interleaved re, im. */
export function monomialEntries(
  matrix: ComplexMatrix,
  rows: readonly number[],
  out = new Float64Array(2 * rows.length),
): Float64Array {
  const d = rows.length;
  for (let column = 0; column < d; column++) {
    const i = 2 * (rows[column]! * d + column);
    out[2 * column] = matrix[i]!;
    out[2 * column + 1] = matrix[i + 1]!;
  }
  return out;
}
