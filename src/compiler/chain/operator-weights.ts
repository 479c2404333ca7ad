/**
 * Gates on two neighbouring sites: their matrices, in which the first site is the more significant bit of an index, and
 * their Schmidt weights, which say how much they entangle.
 */

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

/** A 4×4 matrix as a sum of products of one-site matrices. */
export interface OperatorWeights {
  /** Number of products, 1 to 4. */
  readonly rank: number;
  /** Entropy of their weights, in nats: exact for rank 1 and 2, and where all weights but the largest are equal. */
  readonly entropy: number;
}

/** Bond dimensions grow with e to the entropy of a gate's weights, to this power, for cuts of a weight around 1e-12. */
const TAIL_POWER = 2.5;

/** The factor by which a gate with these weights is likely to multiply a bond. */
export const bondFactor = ({ rank, entropy }: OperatorWeights): number =>
  Math.min(rank, Math.exp(TAIL_POWER * entropy));

/** Weight that counts as rounding, relative to the whole. */
const ROUNDING = 1e-24;

/**
 * Decomposes a matrix.
 *
 * @param at - Number of its first double; 16 complex entries, row-major.
 * @param isSwapped - Whether the rows are those of the matrix after a swap of the sites.
 * @see Nielsen et al., "Quantum dynamics as a physical resource", Phys. Rev. A 67, 052301 (2003).
 */
export function operatorWeights(
  matrices: Float64Array,
  at: number,
  isSwapped = false,
): OperatorWeights {
  const { re, im } = rearranged(matrices, at, isSwapped, SCRATCH);
  const purity = purityOf(re, im);
  const rank = rankOf(re, im);
  if (rank === 1) return { rank, entropy: 0 };
  // The largest weight, from the sum of the squares, if the others are equal.
  const others = rank - 1;
  const largest = (1 + Math.sqrt(Math.max(0, others * (rank * purity - 1)))) / rank;
  const rest = Math.max(Number.MIN_VALUE, 1 - largest);
  const entropy = -largest * Math.log(largest) - rest * Math.log(rest / others);
  return { rank, entropy };
}

interface Rearranged {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

const newRearranged = (): Rearranged => ({
  re: new Float64Array(16),
  im: new Float64Array(16),
});

/** Memory that all decompositions work on: allocating it takes longer than a decomposition does. */
const SCRATCH = newRearranged();

/** The matrix with (row bit, column bit) of the first site as rows, and those of the second as columns. */
function rearranged(
  matrices: Float64Array,
  at: number,
  isSwapped: boolean,
  out: Rearranged,
): Rearranged {
  const { re, im } = out;
  for (let i = 0; i < 16; i++) {
    const written = i >> 2;
    const row = isSwapped ? ((written & 1) << 1) + (written >> 1) : written;
    const column = i & 3;
    const to = 4 * ((row & 2) + (column >> 1)) + 2 * (row & 1) + (column & 1);
    re[to] = matrices[at + 2 * i]!;
    im[to] = matrices[at + 2 * i + 1]!;
  }
  return out;
}

/** Sum of the squares of the weights, which add up to 1. */
function purityOf(re: Float64Array, im: Float64Array): number {
  let total = 0;
  let squares = 0;
  for (let a = 0; a < 16; a += 4) {
    for (let b = 0; b <= a; b += 4) {
      let [pr, pi] = [0, 0];
      for (let i = 0; i < 4; i++) {
        pr += re[a + i]! * re[b + i]! + im[a + i]! * im[b + i]!;
        pi += im[a + i]! * re[b + i]! - re[a + i]! * im[b + i]!;
      }
      if (a === b) total += pr;
      squares += (a === b ? 1 : 2) * (pr * pr + pi * pi);
    }
  }
  return squares / (total * total);
}

/** Rank, by elimination with the largest entry as pivot; overwrites the matrix. */
function rankOf(re: Float64Array, im: Float64Array): number {
  let total = 0;
  for (let i = 0; i < 16; i++) total += re[i]! ** 2 + im[i]! ** 2;
  for (let rank = 0; rank < 4; rank++) {
    let pivot = 0;
    let largest = 0;
    for (let i = 0; i < 16; i++) {
      const size = re[i]! ** 2 + im[i]! ** 2;
      if (size > largest) {
        pivot = i;
        largest = size;
      }
    }
    if (largest < ROUNDING * total) return rank;
    const pivotRow = pivot & 12;
    const pivotColumn = pivot & 3;
    for (let row = 0; row < 16; row += 4) {
      if (row === pivotRow) continue;
      const ar = re[row + pivotColumn]!;
      const ai = im[row + pivotColumn]!;
      const fr = (ar * re[pivot]! + ai * im[pivot]!) / largest;
      const fi = (ai * re[pivot]! - ar * im[pivot]!) / largest;
      for (let column = 0; column < 4; column++) {
        const br = re[pivotRow + column]!;
        const bi = im[pivotRow + column]!;
        re[row + column]! -= fr * br - fi * bi;
        im[row + column]! -= fr * bi + fi * br;
      }
    }
    re.fill(0, pivotRow, pivotRow + 4);
    im.fill(0, pivotRow, pivotRow + 4);
  }
  return 4;
}

/**
 * The matrices on the first and the second site that a 4×4 matrix is the product of; undefined if it entangles.
 *
 * @returns Two matrices, 2×2; the first of a unitary is unitary, and so the second.
 */
export function productFactors(
  matrix: ComplexMatrix,
): readonly [ComplexMatrix, ComplexMatrix] | undefined {
  if (operatorWeights(matrix, 0).rank > 1) return undefined;
  const { re, im } = rearranged(matrix, 0, false, newRearranged());
  let pivot = 0;
  for (let i = 1; i < 16; i++) {
    if (Math.hypot(re[i]!, im[i]!) > Math.hypot(re[pivot]!, im[pivot]!)) pivot = i;
  }
  const row = pivot >> 2;
  const column = pivot & 3;
  const first = new Float64Array(8);
  let mass = 0;
  for (let i = 0; i < 4; i++) {
    first[2 * i] = re[4 * i + column]!;
    first[2 * i + 1] = im[4 * i + column]!;
    mass += first[2 * i]! ** 2 + first[2 * i + 1]! ** 2;
  }
  // Entries of a 2×2 unitary have squares that add up to 2.
  for (let i = 0; i < 8; i++) first[i]! *= Math.sqrt(2 / mass);
  const [ar, ai] = [first[2 * row]!, first[2 * row + 1]!];
  const size = ar * ar + ai * ai;
  const second = new Float64Array(8);
  for (let i = 0; i < 4; i++) {
    const [br, bi] = [re[4 * row + i]!, im[4 * row + i]!];
    second[2 * i] = (br * ar + bi * ai) / size;
    second[2 * i + 1] = (bi * ar - br * ai) / size;
  }
  return [first, second];
}
