/**
 * Computes the lowest eigenvalue of an observable by the Lanczos method on whole states.
 *
 * All vectors are kept, and each new one is orthogonalised against them twice. That costs memory, which
 * is why widths are bounded, and avoids spurious copies of eigenvalues.
 *
 * @see Golub & Van Loan, "Matrix Computations", sections 8.4.1 (bisection) and 10.3.
 */
import type { PauliSum } from '../../../circuit/observable.ts';
import { uniformDraw } from '../../../math/philox.ts';
import { norm, removeProjection } from '../linear-algebra/vectors.ts';
import { applyObservable } from './observable-action.ts';

/** Most qubits of an observable: 250 vectors of 2^14 amplitudes take 64 MB. */
export const MAX_LANCZOS_QUBITS = 14;
const MAX_STEPS = 250;
/** Number of steps without change after which the estimate has converged. */
const STANDSTILL_STEPS = 10;
/** The start is random, so that no symmetry hides the ground state; the seed only has to be fixed. */
const START_SEED = 0x6a09e667;

/**
 * The ground energy, to about 10 digits after the largest coefficient's.
 *
 * @param numQubits - At most 14.
 */
export function groundEnergy(observable: PauliSum, numQubits: number): number {
  const scale = observable.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 0);
  if (scale === 0) return 0;
  const start = randomVector(2 * 2 ** numQubits);
  return lowestEnergy((from, to) => applyObservable(observable, from, to), start, scale);
}

/**
 * The lowest eigenvalue of a Hermitian operator among those whose eigenstates are part of the start.
 *
 * @param apply - Writes the image of a state, interleaved re, im; returns its product with the state.
 * @param scale - Bound on the size of all eigenvalues, greater than 0.
 */
export function lowestEnergy(
  apply: (from: Float64Array, to: Float64Array) => number,
  start: Float64Array,
  scale: number,
): number {
  const basis: Float64Array[] = [normalised(start)];
  const diagonal: number[] = [];
  const offDiagonal: number[] = [];
  const next = new Float64Array(start.length);
  let energy = Number.POSITIVE_INFINITY;
  let still = 0;
  for (let step = 0; step < Math.min(MAX_STEPS, start.length / 2); step++) {
    const current = basis[step]!;
    diagonal.push(apply(current, next));
    for (let pass = 0; pass < 2; pass++) {
      for (const earlier of basis) removeProjection(next, earlier);
    }
    const before = energy;
    energy = lowestEigenvalue(diagonal, offDiagonal, scale);
    const rest = norm(next);
    // The residual is 0: the vectors span every component of the start.
    if (rest < 1e-12 * scale) break;
    still = Math.abs(before - energy) < 1e-14 * scale ? still + 1 : 0;
    if (still >= STANDSTILL_STEPS) break;
    offDiagonal.push(rest);
    basis.push(next.map((part) => part / rest));
  }
  return energy;
}

function randomVector(length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => uniformDraw(START_SEED, i, 0, 0) - 0.5);
}

function normalised(vector: Float64Array): Float64Array {
  const length = norm(vector);
  return vector.map((part) => part / length);
}

/**
 * Lowest eigenvalue of a symmetric tridiagonal matrix whose eigenvalues are at most `scale` in
 * size.
 */
function lowestEigenvalue(
  diagonal: readonly number[],
  offDiagonal: readonly number[],
  scale: number,
): number {
  let [low, high] = [-1.001 * scale, 1.001 * scale];
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (hasEigenvalueBelow(diagonal, offDiagonal, middle)) high = middle;
    else low = middle;
  }
}

/** Tests for an eigenvalue below a value, by the signs of the pivots of T − value. */
function hasEigenvalueBelow(
  diagonal: readonly number[],
  offDiagonal: readonly number[],
  value: number,
): boolean {
  let pivot = diagonal[0]! - value;
  for (let i = 1; pivot >= 0 && i < diagonal.length; i++) {
    const coupling = offDiagonal[i - 1]!;
    pivot = diagonal[i]! - value - coupling ** 2 / (pivot === 0 ? Number.MIN_VALUE : pivot);
  }
  return pivot < 0;
}
