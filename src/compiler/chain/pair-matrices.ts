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
  return maxAbsDifference(matrix, matrix.length === 32 ? ON_PAIR : ON_SITE) < 1e-15;
}

const [ON_SITE, ON_PAIR] = [identity(2), identity(4)];

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
