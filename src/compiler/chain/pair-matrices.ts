/** Matrices of gates on two neighbouring sites; the first site is the more significant bit of their index. */
import type { GateOperation, UnitaryOperation } from '../../circuit/circuit.ts';
import { matrixOfOperations } from '../../circuit/operation-matrix.ts';
import { type ComplexMatrix, identity, maxAbsDifference } from '../../math/complex-matrix.ts';

/** Exchanges the states of two sites. */
export const SWAP_MATRIX: ComplexMatrix = Float64Array.from(
  [1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1].flatMap((entry) => [entry, 0]),
);

/** A 2×2 matrix as one on a pair of sites. */
export function onPair(matrix: ComplexMatrix, isFirst: boolean): ComplexMatrix {
  const out = new Float64Array(32);
  const step = isFirst ? 2 : 1;
  for (const other of isFirst ? [0, 1] : [0, 2]) {
    for (let row = 0; row < 2; row++) {
      for (let column = 0; column < 2; column++) {
        const to = 2 * (4 * (other + step * row) + other + step * column);
        out[to] = matrix[2 * (2 * row + column)]!;
        out[to + 1] = matrix[2 * (2 * row + column) + 1]!;
      }
    }
  }
  return out;
}

/** Whether a matrix is the identity but for rounding. */
export function isIdentity(matrix: ComplexMatrix): boolean {
  return maxAbsDifference(matrix, identity(matrix.length === 32 ? 4 : 2)) < 1e-15;
}

/** Most matrices that are kept; circuits repeat few gates many times. */
const MAX_KEPT = 4096;

/** Matrices of operations on one or two sites, of which equal gates share one. */
export class GateMatrices {
  readonly #known = new Map<string, ComplexMatrix>();

  /**
   * @param bitOf - Bit of the matrix's index for each qubit.
   * @param numBits - 1 or 2.
   */
  of(
    operation: GateOperation | UnitaryOperation,
    bitOf: (qubit: number) => number,
    numBits: number,
  ): ComplexMatrix {
    const controls = operation.controls.map(bitOf);
    const targets = operation.targets.map(bitOf);
    const compute = () => matrixOfOperations([{ ...operation, controls, targets }], numBits);
    if (operation.kind === 'unitary') return compute();
    const key = `${operation.gate}(${operation.angles.join()})${controls.join()}:${targets.join()}`;
    let matrix = this.#known.get(key);
    if (matrix === undefined) {
      matrix = compute();
      if (this.#known.size < MAX_KEPT) this.#known.set(key, matrix);
    }
    return matrix;
  }
}

/** Entry below which a number counts as rounding. */
const ROUNDING = 1e-12;

/**
 * Operator Schmidt rank of a 4×4 matrix: the number of products of one-site matrices that it is a sum of, 1 to 4.
 *
 * @param at - Number of its first double.
 */
export function operatorRank(matrices: Float64Array, at = 0): number {
  // Rows of the rearranged matrix are (row bit, column bit) of the first site, columns those of the second.
  const re = new Float64Array(16);
  const im = new Float64Array(16);
  for (let i = 0; i < 16; i++) {
    const row = i >> 2;
    const column = i & 3;
    const to = 4 * ((row & 2) + (column >> 1)) + 2 * (row & 1) + (column & 1);
    re[to] = matrices[at + 2 * i]!;
    im[to] = matrices[at + 2 * i + 1]!;
  }
  for (let rank = 0; rank < 4; rank++) {
    let pivot = 0;
    let largest = 0;
    for (let i = 0; i < 16; i++) {
      const size = re[i]! ** 2 + im[i]! ** 2;
      if (size > largest) [pivot, largest] = [i, size];
    }
    if (largest < ROUNDING ** 2) return rank;
    const [pivotRow, pivotColumn] = [pivot & 12, pivot & 3];
    for (let row = 0; row < 16; row += 4) {
      if (row === pivotRow) continue;
      const [ar, ai] = [re[row + pivotColumn]!, im[row + pivotColumn]!];
      const fr = (ar * re[pivot]! + ai * im[pivot]!) / largest;
      const fi = (ai * re[pivot]! - ar * im[pivot]!) / largest;
      for (let column = 0; column < 4; column++) {
        const [br, bi] = [re[pivotRow + column]!, im[pivotRow + column]!];
        re[row + column]! -= fr * br - fi * bi;
        im[row + column]! -= fr * bi + fi * br;
      }
    }
    for (let column = 0; column < 4; column++) re[pivotRow + column] = im[pivotRow + column] = 0;
  }
  return 4;
}
