/** Distances: of two state vectors, up to a global phase, and of two unitaries. */
import { adjoint, type ComplexMatrix, dimension, multiply } from '../../../math/complex-matrix.ts';

/** Fidelity and distance of two state vectors. */
export interface StateDistance {
  /** (Σ |⟨a|b⟩|)² over both norms, the sum running over what is measured. */
  readonly fidelity: number;
  /** The length of a − e^{iφ}·b for the φ that makes it shortest, one φ for each outcome. */
  readonly distance: number;
}

/**
 * Computes fidelity and distance.
 *
 * @param a - Interleaved re, im; norm 1 up to rounding, as is `b`; at most 30 qubits.
 * @param measured - Bit mask of the qubits that are measured next: the relative phases of their outcomes
 *   do not matter.
 */
export function stateDistance(a: Float64Array, b: Float64Array, measured = 0): StateDistance {
  const size = a.length / 2;
  // Overlaps by outcome; the others stay 0.
  const overlaps = new Float64Array(2 * (measured + 1));
  let [normA, normB] = [0, 0];
  for (let i = 0; i < size; i++) {
    const [ar, ai, br, bi] = [a[2 * i]!, a[2 * i + 1]!, b[2 * i]!, b[2 * i + 1]!];
    const at = 2 * (i & measured);
    overlaps[at]! += ar * br + ai * bi;
    overlaps[at + 1]! += ar * bi - ai * br;
    normA += ar * ar + ai * ai;
    normB += br * br + bi * bi;
  }
  let total = 0;
  for (let at = 0; at < overlaps.length; at += 2) {
    const overlap = Math.hypot(overlaps[at]!, overlaps[at + 1]!);
    total += overlap;
    overlaps[at] = overlap === 0 ? 1 : overlaps[at]! / overlap;
    overlaps[at + 1] = overlap === 0 ? 0 : overlaps[at + 1]! / overlap;
  }
  // Summed instead of taken from the overlaps, which would lose half of the digits.
  let squares = 0;
  for (let i = 0; i < size; i++) {
    const at = 2 * (i & measured);
    const [c, s, br, bi] = [overlaps[at]!, overlaps[at + 1]!, b[2 * i]!, b[2 * i + 1]!];
    squares += (a[2 * i]! - c * br - s * bi) ** 2 + (a[2 * i + 1]! - c * bi + s * br) ** 2;
  }
  return {
    fidelity: Math.min(1, (total * total) / (normA * normB)),
    distance: Math.sqrt(squares),
  };
}

/**
 * Whether all amplitudes are single-precision numbers; they are then accurate to single precision only.
 */
export function isSinglePrecision(state: Float64Array): boolean {
  return state.every((part) => Math.fround(part) === part);
}

/** Number of squarings of a Hermitian matrix after which only its largest eigenvalue is left. */
const SQUARINGS = 12;

/**
 * Operator norm of a − b: the largest distance over all states.
 */
export function operatorDistance(a: ComplexMatrix, b: ComplexMatrix): number {
  const difference = a.map((part, i) => part - b[i]!);
  let power = multiply(adjoint(difference), difference);
  // The trace of A^(2^k), of which the 2^k-th root tends to the largest eigenvalue of A.
  let logarithm = 0;
  for (let k = 0; k < SQUARINGS; k++) {
    const trace = traceOf(power);
    if (trace === 0) return 0;
    logarithm += Math.log(trace) / 2 ** k;
    const scaled = power.map((part) => part / trace);
    power = multiply(scaled, scaled);
  }
  return Math.sqrt(Math.exp(logarithm + Math.log(traceOf(power)) / 2 ** SQUARINGS));
}

/** Trace of a Hermitian matrix. */
function traceOf(matrix: ComplexMatrix): number {
  const d = dimension(matrix);
  let trace = 0;
  for (let i = 0; i < d; i++) trace += matrix[2 * (i * d + i)]!;
  return trace;
}
