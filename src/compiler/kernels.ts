/**
 * From an operation to a kernel.
 *
 * The kind of a kernel is read off the numbers, not off the gate's name: RX(0), a UNITARY that is
 * diagonal and a gate added tomorrow are all classified alike. Only exact zeros count, so a kernel
 * computes just what the matrix says.
 */
import type { GateOperation, Qubit, UnitaryOperation } from '../circuit/circuit.ts';
import { gateNamed } from '../circuit/gates.ts';
import {
  type ComplexMatrix,
  dimension,
  identity,
  isDiagonal,
  monomialRows,
} from '../math/complex-matrix.ts';
import type { MatrixPool } from './matrix-pool.ts';
import type { Kernel } from './program.ts';

/** What acts on the targets where the controls are |1⟩. */
export function targetMatrix(operation: GateOperation | UnitaryOperation): ComplexMatrix {
  return operation.kind === 'unitary'
    ? operation.matrix
    : gateNamed(operation.gate).matrix(operation.angles);
}

/**
 * The kernel of an operation; undefined when it changes nothing.
 *
 * @param layout - Logical qubit → physical qubit.
 */
export function kernelOf(
  operation: GateOperation | UnitaryOperation,
  layout: readonly Qubit[],
  pool: MatrixPool,
): Kernel | undefined {
  const matrix = targetMatrix(operation);
  const place = (qubit: Qubit): Qubit => layout[qubit]!;
  const targets = operation.targets.map(place);
  const controls = operation.controls.map(place);
  const d = dimension(matrix);
  if (isDiagonal(matrix)) {
    const ones = identity(d);
    if (matrix.every((entry, i) => entry === ones[i])) return undefined;
    const entries = pickEntries(matrix, (j) => j);
    return { kind: 'diagonal', targets, controls, offset: pool.add(entries) };
  }
  const rows = monomialRows(matrix);
  if (rows !== undefined && isPermutation(rows)) {
    const entries = pickEntries(matrix, (j) => rows[j]!);
    return { kind: 'permutation', targets, controls, offset: pool.add(entries), rows };
  }
  return { kind: 'dense', targets, controls, offset: pool.add(matrix) };
}

/** The one entry of each column that is not zero; interleaved re, im. */
function pickEntries(matrix: ComplexMatrix, rowOf: (column: number) => number): Float64Array {
  const d = dimension(matrix);
  const out = new Float64Array(2 * d);
  for (let column = 0; column < d; column++) {
    const i = 2 * (rowOf(column) * d + column);
    out[2 * column] = matrix[i]!;
    out[2 * column + 1] = matrix[i + 1]!;
  }
  return out;
}

/** A matrix that is unitary only within rounding may have one entry a column and share rows. */
function isPermutation(rows: readonly number[]): boolean {
  return new Set(rows).size === rows.length;
}
