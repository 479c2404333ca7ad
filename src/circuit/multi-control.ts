/**
 * Decomposes gates with many controls: one-qubit gates with any number into gates with at most one, CX and CCX, without
 * further qubits; small unitaries into one-qubit gates with controls on all other qubits (`twoLevelGates`).
 *
 * Other qubits of the circuit serve as "dirty" ancillas: they may be in any state, and it is restored.
 *
 * @see Barenco et al., "Elementary gates for quantum computation", Phys. Rev. A 52, 3457 (1995): lemmas 7.2
 *   and 7.3 (X), 7.5 (any gate).
 */
import {
  adjoint,
  type ComplexMatrix,
  dimension,
  maxAbsDifference,
} from '../math/complex-matrix.ts';
import type { Qubit } from './circuit.ts';
import { principalPower } from './unitary-power.ts';

/** X with up to two controls, or any one-qubit gate with at most one control. */
export type ElementaryGate =
  | { readonly kind: 'x'; readonly controls: readonly Qubit[]; readonly target: Qubit }
  | {
      readonly kind: 'any';
      readonly controls: readonly Qubit[];
      readonly target: Qubit;
      readonly matrix: ComplexMatrix;
    };

/**
 * Returns gates that apply `matrix` to `target` where all controls are 1.
 *
 * @param spare - Other qubits; more of them make the result shorter.
 */
export function controlledGates(
  matrix: ComplexMatrix,
  controls: readonly Qubit[],
  target: Qubit,
  spare: readonly Qubit[],
): readonly ElementaryGate[] {
  if (controls.length <= 1) {
    return [{ kind: 'any', controls, target, matrix }];
  }
  if (maxAbsDifference(matrix, X) === 0) return controlledX(controls, target, spare);
  return byRoot(matrix, controls, target, spare);
}

/** Decomposes with the matrix's square root under the last control, which the others flip and restore. */
function byRoot(
  matrix: ComplexMatrix,
  controls: readonly Qubit[],
  target: Qubit,
  spare: readonly Qubit[],
): readonly ElementaryGate[] {
  const root = principalPower(matrix, 0.5);
  const rest = controls.slice(0, -1);
  const last = controls.at(-1)!;
  const flip = controlledX(rest, last, [...spare, target]);
  return [
    { kind: 'any', controls: [last], target, matrix: root },
    ...flip,
    { kind: 'any', controls: [last], target, matrix: adjoint(root) },
    ...flip,
    ...controlledGates(root, rest, target, [...spare, last]),
  ];
}

const X: ComplexMatrix = Float64Array.from([0, 0, 1, 0, 1, 0, 0, 0]);

function controlledX(
  controls: readonly Qubit[],
  target: Qubit,
  spare: readonly Qubit[],
): readonly ElementaryGate[] {
  if (controls.length <= 2) return [{ kind: 'x', controls, target }];
  if (spare.length >= controls.length - 2) return ladder(controls, target, spare);
  const ancilla = spare[0];
  if (ancilla === undefined) return byRoot(X, controls, target, spare);
  const half = Math.ceil(controls.length / 2);
  const [first, second] = [controls.slice(0, half), controls.slice(half)];
  const onAncilla = controlledX(first, ancilla, [...second, target]);
  const onTarget = controlledX([...second, ancilla], target, first);
  return [...onAncilla, ...onTarget, ...onAncilla, ...onTarget];
}

/** A ladder of Toffoli gates over ancillas, down and up, twice. */
function ladder(
  controls: readonly Qubit[],
  target: Qubit,
  spare: readonly Qubit[],
): readonly ElementaryGate[] {
  const n = controls.length;
  const rungs: ElementaryGate[] = [];
  for (let i = n - 1; i >= 2; i--) {
    const onto = i === n - 1 ? target : spare[i - 1]!;
    rungs.push({ kind: 'x', controls: [controls[i]!, spare[i - 2]!], target: onto });
  }
  const [top, ...lower] = rungs;
  const foot: ElementaryGate = {
    kind: 'x',
    controls: [controls[0]!, controls[1]!],
    target: spare[0]!,
  };
  const valley = [...lower, foot, ...lower.toReversed()];
  return [top!, ...valley, top!, ...valley];
}

// Decomposes any small unitary into one-qubit gates with controls on all other qubits.
//
// Givens rotations between basis states that are neighbours in Gray code clear one entry after the other.
// Such neighbours differ in one bit, so each rotation is a one-qubit gate on that bit, controlled by all
// others. The number of gates is quadratic in the number of rows and not minimal, but the result is exact to
// rounding and needs no special cases.
//
// @see Nielsen & Chuang, section 4.5.1 and 4.5.2 (two-level unitaries).

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
