/** A general 2×2 unitary as phases around a real rotation whose cosine is left for later. */
import { type Complex, ONE, over, times } from './phase-polynomial.ts';

/**
 * U = scale · diag(1, after) · [[1, −t], [t, 1]] · diag(1, before), and before that the two basis
 * states change places when `flips`.
 *
 * The rotation takes two fused multiply-adds an amplitude where U takes eight; phases join the
 * diagonals around it, and the scales of a whole sweep are multiplied into its store.
 */
export interface Rotation {
  readonly scale: Complex;
  readonly after: Complex;
  readonly t: number;
  readonly before: Complex;
  readonly flips: boolean;
}

/** What a precision makes of tangents. */
export interface Rounding {
  /** Tangents up to this change nothing that the precision could hold: they count as 0. */
  readonly negligible: number;
  /** The nearest number that the precision holds. */
  readonly round: (x: number) => number;
}

/** Above this tangent the two columns are exchanged, which makes it as small as its inverse. */
const MAX_TANGENT = 64;

/**
 * Takes a unitary apart.
 *
 * @param u - Row-major u00, u01, u10, u11.
 * @param rounding - The scale is the cosine of the rounded tangent, so that rounding turns states a
 *   little but makes none shorter.
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
  // c = scale·after·t and d = scale·after·before; of both signs of t, that which may spare `before`.
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
