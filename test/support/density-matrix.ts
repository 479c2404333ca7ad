/** Dense density matrices, and the full 2^n × 2^n matrices that act on them. */
import type { Qubit } from '../../src/circuit/circuit.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import {
  type Complex,
  circuitUnitary,
  type Entries,
  type Matrix,
  matrixProduct,
  operationEntries,
} from './kronecker-oracle.ts';
import { gate } from './random-circuits.ts';

/** Row-major, interleaved re, im; length 2·4^n. */
export type DensityMatrix = Float64Array;

/** |0…0⟩⟨0…0|. */
export function zeroDensity(numQubits: number): DensityMatrix {
  const rho = new Float64Array(2 * 4 ** numQubits);
  rho[0] = 1;
  return rho;
}

/** Σ KρK†. */
export function throughKraus(rho: DensityMatrix, kraus: readonly Entries[]): DensityMatrix {
  const sum = new Float64Array(rho.length);
  for (const matrix of kraus) addConjugated(sum, matrix, rho);
  return sum;
}

/** The sum of two. */
export const sumOfDensities = (a: DensityMatrix, b: DensityMatrix): DensityMatrix =>
  a.map((part, i) => part + b[i]!);

/** tr(ρ). */
export function traceOf(rho: DensityMatrix): number {
  const d = Math.sqrt(rho.length / 2);
  let sum = 0;
  for (let i = 0; i < d; i++) sum += rho[2 * i * (d + 1)]!;
  return sum;
}

/** tr(ρO). */
export function densityExpectation(rho: DensityMatrix, observable: PauliSum): number {
  return traceOfProduct(rho, observableMatrix(rho, observable));
}

/** tr(ρO²) − tr(ρO)². */
export function densityVariance(rho: DensityMatrix, observable: PauliSum): number {
  const matrix = observableMatrix(rho, observable);
  return traceOfProduct(rho, matrixProduct(matrix, matrix)) - traceOfProduct(rho, matrix) ** 2;
}

/** tr(ρ²). */
export function purityOf(rho: DensityMatrix): number {
  return rho.reduce((sum, part) => sum + part * part, 0);
}

/** A matrix on some qubits as one on all of them. */
export function embedded(matrix: Matrix, qubits: readonly Qubit[], numQubits: number): Entries {
  const flat = Float64Array.from(matrix.flat(2));
  const operation = { kind: 'unitary', controls: [], targets: qubits, matrix: flat } as const;
  return operationEntries(operation, numQubits);
}

/** Drops the zeros. */
function entriesOf(matrix: Matrix): Entries {
  return matrix.flatMap((row, i) =>
    row.flatMap(([re, im], j) => (re === 0 && im === 0 ? [] : [[i, j, re, im] as const])),
  );
}

/** A matrix times a number. */
export const scaledMatrix = (matrix: Matrix, factor: number): Matrix =>
  matrix.map((row) => row.map(([re, im]): Complex => [factor * re, factor * im]));

/** Adds KρK†. */
function addConjugated(sum: Float64Array, matrix: Entries, rho: DensityMatrix): void {
  const d = Math.sqrt(rho.length / 2);
  const left = new Float64Array(rho.length);
  for (const [row, column, re, im] of matrix) {
    for (let j = 0; j < d; j++) {
      const [x, y] = [rho[2 * (column * d + j)]!, rho[2 * (column * d + j) + 1]!];
      left[2 * (row * d + j)]! += re * x - im * y;
      left[2 * (row * d + j) + 1]! += re * y + im * x;
    }
  }
  for (const [row, column, re, im] of matrix) {
    for (let i = 0; i < d; i++) {
      const [x, y] = [left[2 * (i * d + column)]!, left[2 * (i * d + column) + 1]!];
      sum[2 * (i * d + row)]! += re * x + im * y;
      sum[2 * (i * d + row) + 1]! += re * y - im * x;
    }
  }
}

function observableMatrix(rho: DensityMatrix, observable: PauliSum): Matrix {
  const numQubits = Math.log2(rho.length / 2) / 2;
  const terms = observable.map(({ coefficient, factors }) => {
    const operations = factors.map(({ pauli, qubit }) => gate(pauli, [qubit]));
    return scaledMatrix(circuitUnitary({ numQubits, numBits: 0, operations }), coefficient);
  });
  return terms.reduce((a, b) =>
    a.map((row, i) => row.map(([re, im], j): Complex => [re + b[i]![j]![0], im + b[i]![j]![1]])),
  );
}

function traceOfProduct(rho: DensityMatrix, matrix: Matrix): number {
  const d = matrix.length;
  let sum = 0;
  for (const [row, column, re, im] of entriesOf(matrix)) {
    sum += rho[2 * (column * d + row)]! * re - rho[2 * (column * d + row) + 1]! * im;
  }
  return sum;
}
