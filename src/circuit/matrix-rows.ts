/** Converts matrices between JSON, as rows of `[re, im]`, and the flat form. */
import {
  adjoint,
  type ComplexMatrix,
  dimension,
  orthonormalizedRows,
  unitarityDefect,
} from '../math/complex-matrix.ts';
import { UNITARITY_TOLERANCE } from './circuit-limits.ts';
import { counted, type FaultList } from './errors.ts';

/** A matrix as rows of `[re, im]`. */
export type MatrixRows = readonly (readonly (readonly [re: number, im: number])[])[];

/** Unitarity defect that double precision can leave. */
const ROUNDING = 1e-14;

/**
 * Reads a unitary on `numTargets` qubits; returns undefined after reporting its faults.
 *
 * @param path - Path of the matrix, for example `circuit[3].matrix`.
 */
export function unitaryFromRows(
  rows: MatrixRows,
  numTargets: number,
  path: string,
  faults: FaultList,
): ComplexMatrix | undefined {
  const matrix = matrixFromRows(rows, numTargets, path, faults);
  if (matrix === undefined) return undefined;
  const defect = unitarityDefect(matrix);
  // A larger defect is corrected: over many gates it would add up to probabilities above 1.
  if (defect <= ROUNDING) return matrix;
  if (defect <= UNITARITY_TOLERANCE) return orthonormalizedRows(matrix);
  const found = `U†U differs from 1 by ${defect.toPrecision(2)} in its worst entry`;
  faults.add(path, `Not unitary: ${found}; the tolerance is ${UNITARITY_TOLERANCE}.`);
  return undefined;
}

/**
 * Reads a Hermitian matrix on `numQubits` qubits, as `unitaryFromRows` reads a unitary. What differs from M†
 * within the tolerance is averaged out.
 */
export function hermitianFromRows(
  rows: MatrixRows,
  numQubits: number,
  path: string,
  faults: FaultList,
): ComplexMatrix | undefined {
  const matrix = matrixFromRows(rows, numQubits, path, faults);
  if (matrix === undefined) return undefined;
  const other = adjoint(matrix);
  const largest = matrix.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0);
  const defect = matrix.reduce((most, entry, i) => Math.max(most, Math.abs(entry - other[i]!)), 0);
  if (defect <= UNITARITY_TOLERANCE * largest) {
    return matrix.map((entry, i) => (entry + other[i]!) / 2);
  }
  const found = `it differs from its conjugate transpose by ${defect.toPrecision(2)} in its worst entry`;
  faults.add(path, `Not Hermitian: ${found}.`);
  return undefined;
}

/** Reads a matrix of any kind on `numQubits` qubits; returns undefined after reporting its faults. */
export function matrixFromRows(
  rows: MatrixRows,
  numQubits: number,
  path: string,
  faults: FaultList,
): ComplexMatrix | undefined {
  const before = faults.count;
  const d = 2 ** numQubits;
  if (rows.length !== d) {
    const expected = `${counted(numQubits, 'qubit')} need ${d} rows of ${d} entries`;
    faults.add(path, `${counted(rows.length, 'row')}; ${expected}.`);
    return undefined;
  }
  const matrix = new Float64Array(2 * d * d);
  for (const [i, row] of rows.entries()) {
    if (row.length !== d) {
      const found = row.length === 1 ? '1 entry' : `${row.length} entries`;
      faults.add(`${path}[${i}]`, `${found}; each row has ${d}.`);
      continue;
    }
    for (const [j, [re, im]] of row.entries()) {
      if (!Number.isFinite(re) || !Number.isFinite(im)) {
        faults.add(`${path}[${i}][${j}]`, 'An entry is [re, im], two finite numbers.');
      }
      matrix[2 * (i * d + j)] = re;
      matrix[2 * (i * d + j) + 1] = im;
    }
  }
  return faults.count > before ? undefined : matrix;
}

/** Writes a matrix as rows; −0 becomes 0, as in JSON. */
export function rowsFromMatrix(matrix: ComplexMatrix): MatrixRows {
  const d = dimension(matrix);
  return Array.from({ length: d }, (_, row) =>
    Array.from({ length: d }, (_, column): readonly [number, number] => {
      const i = 2 * (row * d + column);
      return [matrix[i]! + 0, matrix[i + 1]! + 0];
    }),
  );
}
