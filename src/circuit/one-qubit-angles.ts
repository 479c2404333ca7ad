/** Euler angles of one-qubit unitaries. */
import type { ComplexMatrix } from '../math/complex-matrix.ts';

/** Angles of e^{iγ}·U(θ, φ, λ), in radians. */
interface EulerAngles {
  readonly theta: number;
  readonly phi: number;
  readonly lambda: number;
  readonly gamma: number;
}

/** Entries below this are rounding errors and have no meaningful phase. */
const NEGLIGIBLE = 1e-15;

/**
 * Returns the angles of e^{iγ}·U(θ, φ, λ) for a unitary; U has a real upper left entry.
 *
 * @param unitary - Two rows.
 */
export function eulerAngles(unitary: ComplexMatrix): EulerAngles {
  const size = (i: number) => Math.hypot(unitary[2 * i]!, unitary[2 * i + 1]!);
  const angle = (i: number, sign = 1) =>
    size(i) < NEGLIGIBLE ? 0 : Math.atan2(sign * unitary[2 * i + 1]!, sign * unitary[2 * i]!);
  const theta = 2 * Math.atan2(size(2), size(0));
  const gamma = angle(0);
  const phi = size(2) < NEGLIGIBLE ? 0 : angle(2) - gamma;
  // The larger pair of entries gives the last angle, because it is more precise.
  const lambda = size(0) >= size(2) ? angle(3) - gamma - phi : angle(1, -1) - gamma;
  return { theta, phi, lambda, gamma };
}
