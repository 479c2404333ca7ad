/**
 * Weyl (KAK) decomposition: any two-qubit unitary as one-qubit gates around exp(i(a·XX + b·YY + c·ZZ)), with
 * (a, b, c) unique in the Weyl chamber. These coordinates are all that one-qubit gates cannot change.
 *
 * In the basis of Bell states with the right phases ("magic") one-qubit gates are real orthogonal matrices
 * and the middle is diagonal, so V = O₁·D·O₂ there, and VᵀV = O₂ᵀ·D²·O₂ gives O₂ and D.
 *
 * @see Kraus, Cirac, "Optimal creation of entanglement using a two-qubit gate", Phys. Rev. A 63, 062309
 *   (2001); Zhang, Vala, Sastry, Whaley, "Geometric theory of nonlocal two-qubit operations", Phys. Rev. A
 *   67, 042313 (2003), for the chamber.
 */
import {
  adjoint,
  type ComplexMatrix,
  identity,
  multiply,
  transpose,
} from '../../math/complex-matrix.ts';
import { jointEigenvectors } from '../../math/joint-diagonal.ts';
import { tensorFactors } from '../../math/tensor-product.ts';
import { imaginary, ONE, real, rows, X, Y, Z, ZERO } from '../gate-matrices.ts';

/** One matrix for each of two qubits, that of `targets[0]` first. */
export type OneQubitPair = readonly [low: ComplexMatrix, high: ComplexMatrix];

/** U = e^{i·phase} · after · exp(i(a·XX + b·YY + c·ZZ)) · before. */
export interface WeylDecomposition {
  readonly phase: number;
  readonly before: OneQubitPair;
  /** [a, b, c] with π/4 ≥ a ≥ b ≥ |c|, and c ≥ 0 where a is π/4, up to rounding. */
  readonly coordinates: readonly [number, number, number];
  readonly after: OneQubitPair;
}

/** Distance from the chamber's wall a = π/4 at which a coordinate is on it. */
const ON_WALL = 1e-9;
const QUARTER = Math.PI / 4;

const MAGIC = rows(
  [ONE, ZERO, ZERO, imaginary(1)],
  [ZERO, imaginary(1), ONE, ZERO],
  [ZERO, imaginary(1), real(-1), ZERO],
  [ONE, ZERO, ZERO, imaginary(-1)],
).map((part) => part * Math.SQRT1_2);
const MAGIC_ADJOINT = adjoint(MAGIC);
const PAULIS = [X(), Y(), Z()] as const;

/**
 * Decomposes a unitary.
 *
 * @param unitary - Four rows, unitary to rounding.
 */
export function weylDecomposition(unitary: ComplexMatrix): WeylDecomposition {
  const inMagic = multiply(multiply(MAGIC_ADJOINT, unitary), MAGIC);
  const square = multiply(transpose(inMagic), inMagic);
  const eigenvectors = jointEigenvectors([part(square, 0), part(square, 1)], 4);
  if (determinant4(eigenvectors) < 0) for (let i = 0; i < 4; i++) eigenvectors[4 * i]! *= -1;
  const second = fromReal(eigenvectors);
  const diagonal = multiply(multiply(transpose(second), square), second);
  const angles = [0, 1, 2, 3].map((i) => Math.atan2(diagonal[10 * i + 1]!, diagonal[10 * i]!) / 2);
  let first = timesDiagonal(multiply(inMagic, second), angles);
  // O₁ must have determinant 1 too: negating one of its columns moves that angle by π.
  if (determinant4(part(first, 0)) < 0) {
    angles[0]! += Math.PI;
    first = timesDiagonal(multiply(inMagic, second), angles);
  }
  const after = tensorFactors(multiply(multiply(MAGIC, first), MAGIC_ADJOINT));
  const before = tensorFactors(multiply(multiply(MAGIC, transpose(second)), MAGIC_ADJOINT));
  const [d0 = 0, d1 = 0, d2 = 0, d3 = 0] = angles;
  // The columns of the magic basis are eigenvectors of XX, YY, ZZ with these signs.
  const chamber = new Chamber(
    (d0 + d1 + d2 + d3) / 4,
    [(d0 + d1 - d2 - d3) / 4, (d1 + d3 - d0 - d2) / 4, (d0 + d3 - d1 - d2) / 4],
    [before.low, before.high],
    [after.low, after.high],
  );
  chamber.enter();
  return chamber.decomposition();
}

/** A decomposition whose coordinates are moved into the chamber; each step keeps the product. */
class Chamber {
  #phase: number;
  readonly #coordinates: [number, number, number];
  readonly #before: [ComplexMatrix, ComplexMatrix];
  readonly #after: [ComplexMatrix, ComplexMatrix];

  constructor(
    phase: number,
    coordinates: [number, number, number],
    before: [ComplexMatrix, ComplexMatrix],
    after: [ComplexMatrix, ComplexMatrix],
  ) {
    this.#phase = phase;
    this.#coordinates = coordinates;
    this.#before = before;
    this.#after = after;
  }

  enter(): void {
    const k = this.#coordinates;
    for (const axis of [0, 1, 2] as const) this.#shift(axis, Math.round(k[axis] / (2 * QUARTER)));
    // Sorts by size, the largest first.
    for (const [i, j] of [
      [0, 1],
      [1, 2],
      [0, 1],
    ] as const) {
      if (Math.abs(k[i]) < Math.abs(k[j])) this.#exchange(i, j);
    }
    if (k[0] < 0) this.#flip(0, 2);
    if (k[1] < 0) this.#flip(1, 2);
    if (k[2] < 0 && k[0] > QUARTER - ON_WALL) {
      this.#shift(0, 1);
      this.#flip(0, 2);
    }
  }

  decomposition(): WeylDecomposition {
    return {
      phase: this.#phase,
      before: this.#before,
      coordinates: this.#coordinates,
      after: this.#after,
    };
  }

  /** Moves a coordinate by multiples of π/2: exp(iπ/2·PP) = i·PP. */
  #shift(axis: 0 | 1 | 2, quarters: number): void {
    this.#coordinates[axis] -= quarters * 2 * QUARTER;
    this.#phase += quarters * 2 * QUARTER;
    if (quarters % 2 === 0) return;
    this.#before[0] = multiply(PAULIS[axis], this.#before[0]);
    this.#before[1] = multiply(PAULIS[axis], this.#before[1]);
  }

  /** Reverses two signs: conjugates one qubit by the Pauli of the third axis. */
  #flip(i: 0 | 1, j: 1 | 2): void {
    this.#coordinates[i] *= -1;
    this.#coordinates[j] *= -1;
    const third = PAULIS[3 - i - j]!;
    this.#before[0] = multiply(third, this.#before[0]);
    this.#after[0] = multiply(this.#after[0], third);
  }

  /** Exchanges two coordinates: (P + Q)/√2 on both qubits exchanges P and Q. */
  #exchange(i: 0 | 1, j: 1 | 2): void {
    const k = this.#coordinates;
    [k[i], k[j]] = [k[j], k[i]];
    const [p, q] = [PAULIS[i], PAULIS[j]];
    const swap = p.map((entry, at) => (entry + q[at]!) * Math.SQRT1_2);
    for (const qubit of [0, 1] as const) {
      this.#before[qubit] = multiply(swap, this.#before[qubit]);
      this.#after[qubit] = multiply(this.#after[qubit], swap);
    }
  }
}

/** Real parts (0) or imaginary parts (1). */
function part(matrix: ComplexMatrix, which: 0 | 1): Float64Array {
  return Float64Array.from({ length: matrix.length / 2 }, (_, i) => matrix[2 * i + which]!);
}

function fromReal(matrix: Float64Array): ComplexMatrix {
  const out = new Float64Array(2 * matrix.length);
  for (const [i, entry] of matrix.entries()) out[2 * i] = entry;
  return out;
}

/** matrix · diag(e^{−i·angle}). */
function timesDiagonal(matrix: ComplexMatrix, angles: readonly number[]): ComplexMatrix {
  const diagonal = identity(4);
  for (const [i, angle] of angles.entries()) {
    diagonal[10 * i] = Math.cos(angle);
    diagonal[10 * i + 1] = -Math.sin(angle);
  }
  return multiply(matrix, diagonal);
}

/** Determinant of a real matrix of four rows, by its two-row minors. */
function determinant4(m: Float64Array): number {
  const minor = (row: number, i: number, j: number) =>
    m[4 * row + i]! * m[4 * (row + 1) + j]! - m[4 * row + j]! * m[4 * (row + 1) + i]!;
  return (
    minor(0, 0, 1) * minor(2, 2, 3) -
    minor(0, 0, 2) * minor(2, 1, 3) +
    minor(0, 0, 3) * minor(2, 1, 2) +
    minor(0, 1, 2) * minor(2, 0, 3) -
    minor(0, 1, 3) * minor(2, 0, 2) +
    minor(0, 2, 3) * minor(2, 0, 1)
  );
}
