/**
 * Decomposes any small unitary into one-qubit gates with controls on all other qubits.
 *
 * Givens rotations between basis states that are neighbours in Gray code clear one entry after the other.
 * Such neighbours differ in one bit, so each rotation is a one-qubit gate on that bit, controlled by all
 * others. The number of gates is quadratic in the number of rows and not minimal, but the result is exact to
 * rounding and needs no special cases.
 *
 * @see Nielsen & Chuang, section 4.5.1 and 4.5.2 (two-level unitaries).
 */
import { type ComplexMatrix, dimension } from '../math/complex-matrix.ts';

/** A one-qubit gate that acts where each control reads its value. Positions index the unitary's qubits. */
interface TwoLevelGate {
  readonly target: number;
  readonly controls: readonly { readonly position: number; readonly value: 0 | 1 }[];
  /** Two rows. */
  readonly matrix: ComplexMatrix;
}

const NEGLIGIBLE = 1e-15;

/** Returns gates whose product, the first one applied first, is the unitary. */
export function twoLevelGates(unitary: ComplexMatrix): readonly TwoLevelGate[] {
  const d = dimension(unitary);
  const left = unitary.slice();
  const rotations: TwoLevelGate[] = [];
  const gray = (i: number) => i ^ (i >> 1);
  for (let c = 0; c + 1 < d; c++) {
    for (let i = d - 1; i > c; i--) {
      const rotation = clear(left, d, gray(i - 1), gray(i), gray(c));
      if (rotation !== undefined) rotations.push(rotation);
    }
  }
  // The remaining matrix is diagonal: U = (first rotation)† … (last rotation)† · diagonal.
  return [...diagonalGates(left, d), ...rotations.reverse()];
}

/** Rotates two rows so that entry (low, column) vanishes; returns the inverse rotation. */
function clear(
  matrix: ComplexMatrix,
  d: number,
  high: number,
  low: number,
  column: number,
): TwoLevelGate | undefined {
  const [i, j] = [2 * (high * d + column), 2 * (low * d + column)];
  const [ar, ai, br, bi] = [matrix[i]!, matrix[i + 1]!, matrix[j]!, matrix[j + 1]!];
  if (Math.hypot(br, bi) < NEGLIGIBLE) return undefined;
  const norm = Math.hypot(ar, ai, br, bi);
  const [xr, xi, yr, yi] = [ar / norm, ai / norm, br / norm, bi / norm];
  // The rows become x̄·high + ȳ·low and −y·high + x·low.
  for (let col = 0; col < d; col++) {
    const [p, q] = [2 * (high * d + col), 2 * (low * d + col)];
    const [hr, hi, lr, li] = [matrix[p]!, matrix[p + 1]!, matrix[q]!, matrix[q + 1]!];
    matrix[p] = xr * hr + xi * hi + yr * lr + yi * li;
    matrix[p + 1] = xr * hi - xi * hr + yr * li - yi * lr;
    matrix[q] = xr * lr - xi * li - yr * hr + yi * hi;
    matrix[q + 1] = xr * li + xi * lr - yr * hi - yi * hr;
  }
  // The inverse in the order (high, low) is [[x, −ȳ], [y, x̄]].
  const inverse = [xr, xi, -yr, yi, yr, yi, xr, -xi];
  const swapped = [xr, -xi, yr, yi, -yr, yi, xr, xi];
  const isLowOne = low > high;
  return gateBetween(high, low, d, Float64Array.from(isLowOne ? inverse : swapped));
}

/** One gate per pair of rows that differ in bit 0. */
function diagonalGates(matrix: ComplexMatrix, d: number): readonly TwoLevelGate[] {
  const gates: TwoLevelGate[] = [];
  for (let row = 0; row < d; row += 2) {
    const [i, j] = [2 * (row * d + row), 2 * ((row + 1) * d + row + 1)];
    const entries = [matrix[i]!, matrix[i + 1]!, 0, 0, 0, 0, matrix[j]!, matrix[j + 1]!];
    const isIdentity = Math.hypot(entries[0]! - 1, entries[1]!, entries[6]! - 1, entries[7]!);
    if (isIdentity < NEGLIGIBLE) continue;
    gates.push(gateBetween(row, row + 1, d, Float64Array.from(entries)));
  }
  return gates;
}

/** The gate between two basis states that differ in one bit. */
function gateBetween(a: number, b: number, d: number, matrix: ComplexMatrix): TwoLevelGate {
  const target = Math.log2(a ^ b);
  const positions = Array.from({ length: Math.log2(d) }, (_, position) => position);
  const controls = positions
    .filter((position) => position !== target)
    .map((position) => ({ position, value: (a >> position) & 1 ? (1 as const) : (0 as const) }));
  return { target, controls, matrix };
}
