/**
 * Factors a general 2×2 unitary into phases around a real rotation, without the rotation's cosine.
 */
import { type Complex, ONE, over, times } from './phase-polynomial.ts';

/**
 * U = scale · diag(1, after) · [[1, −t], [t, 1]] · diag(1, before) · X^flips.
 *
 * The rotation takes two fused multiply-adds an amplitude instead of eight. The phases join
 * neighbouring diagonals, and the scales of a whole sweep are multiplied together and applied when
 * the tile is stored.
 */
export interface Rotation {
  readonly scale: Complex;
  readonly after: Complex;
  readonly t: number;
  readonly before: Complex;
  readonly flips: boolean;
}

/** Rounding of tangents to a precision. */
export interface Rounding {
  /** A tangent up to this counts as 0: it is below the precision's resolution. */
  readonly negligible: number;
  /** Rounds to the nearest number of the precision. */
  readonly round: (x: number) => number;
}

/** Above this tangent the two columns are swapped (`flips`), which inverts the tangent. */
const MAX_TANGENT = 64;

/**
 * Factors a unitary.
 *
 * @param u - Row-major u00, u01, u10, u11.
 * @param rounding - The scale is the cosine of the rounded tangent, so rounding rotates a state
 *   slightly but keeps its norm.
 */
export function rotationOf(
  u: readonly [Complex, Complex, Complex, Complex],
  rounding: Rounding,
): Rotation {
  const [a, b, c, d] = u;
  const cosine = Math.hypot(a.re, a.im);
  const sine = Math.hypot(c.re, c.im);
  if (sine > MAX_TANGENT * cosine) {
    return { ...rotationOf([b, a, d, c], rounding), flips: true };
  }
  const tangent = sine / cosine;
  if (tangent <= rounding.negligible) {
    return { scale: a, after: over(d, a), t: 0, before: ONE, flips: false };
  }
  // c = scale·after·t and d = scale·after·before. The sign of t is chosen so that `before` may be
  // 1.
  const lower = { re: c.re / tangent, im: c.im / tangent };
  const phase = over(d, lower);
  const t = rounding.round(phase.re < 0 ? -tangent : tangent);
  const sign = phase.re < 0 ? { re: -1, im: 0 } : ONE;
  const shorter = 1 / (cosine * Math.hypot(1, t));
  return {
    scale: { re: a.re * shorter, im: a.im * shorter },
    after: over(times(lower, sign), a),
    t,
    before: times(phase, sign),
    flips: false,
  };
}
