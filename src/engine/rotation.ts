/**
 * Factors a general 2×2 unitary into phases around a real rotation, without the rotation's cosine.
 */
import {
  type Complex,
  type EntryFormula,
  negated,
  ONE,
  over,
  type Real,
  ROTATION_PARTS,
  type RotationForm,
  type RotationPart,
  times,
} from './complex.ts';

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
  readonly t: Real;
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

/** Row-major u00, u01, u10, u11. */
type Matrix = readonly [Complex, Complex, Complex, Complex];

/**
 * Factors a unitary.
 *
 * @param u - Row-major u00, u01, u10, u11; either all or none of them has a formula.
 * @param rounding - The scale is the cosine of the rounded tangent, so rounding rotates a state
 *   slightly but keeps its norm.
 */
export function rotationOf(u: Matrix, rounding: Rounding): Rotation {
  const [a, b, c, d] = u;
  if (a.formula !== undefined) return tracedRotation(u, rounding);
  const cosine = Math.hypot(a.re, a.im);
  const sine = Math.hypot(c.re, c.im);
  if (sine > MAX_TANGENT * cosine) {
    return { ...rotationOf([b, a, d, c], rounding), flips: true };
  }
  const tangent = sine / cosine;
  if (tangent <= rounding.negligible) return withoutTangent(u);
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

function withoutTangent([a, , , d]: Matrix): Rotation {
  return { scale: a, after: over(d, a), t: 0, before: ONE, flips: false };
}

/** A modulus below this, at the angles of a shape, is 0 at all angles. */
const NEVER = 1e-12;

/** The form of a matrix of which nothing is known. */
const ANY_FORM: RotationForm = { after: -1, before: -1 };

/**
 * Factors the matrix of a shape. The tangent may have any size at other angles, because whether columns are
 * swapped cannot depend on angles.
 */
function tracedRotation(matrix: Matrix, rounding: Rounding): Rotation {
  const [a, b, c, d] = matrix;
  const { index, isFragile, leftOut } = entryOf(a);
  if (!isFragile) {
    if (Math.hypot(a.re, a.im) < NEVER) return { ...withoutTangent([b, a, d, c]), flips: true };
    if (Math.hypot(c.re, c.im) < NEVER) return withoutTangent(matrix);
  }
  const form = isFragile ? ANY_FORM : formOf(matrix);
  const values = SCRATCH;
  for (const [place, { re, im }] of matrix.entries()) {
    values[2 * place] = re;
    values[2 * place + 1] = im;
  }
  if (!factorInto(values, 0, 1, 2, 3, form.after, form.before, rounding, 4)) {
    throw new Error('unreachable: a matrix does not have the form found in it');
  }
  const entries = [index, entryOf(b).index, entryOf(c).index, entryOf(d).index] as const;
  const rotation = { entries, form, place: -1 };
  const part = (name: RotationPart): Complex => {
    const at = 2 * (4 + ROTATION_PARTS.indexOf(name));
    const formula = {
      kind: 'rotation',
      rotation,
      part: name,
      isFragile,
      leftOut,
      place: -1,
    } as const;
    return { re: values[at]!, im: values[at + 1]!, formula };
  };
  const tangent = part('tangent');
  return {
    scale: part('scale'),
    after: form.after < 0 ? part('after') : powerOfI(form.after),
    t: { value: tangent.re, formula: tangent.formula!, isImaginary: false, sign: 1 },
    before: form.before < 0 ? part('before') : powerOfI(form.before),
    flips: false,
  };
}

function entryOf({ formula }: Complex): EntryFormula {
  if (formula?.kind !== 'entry') throw new Error('unreachable: a matrix of other than entries');
  return formula;
}

/** A matrix and its parts, while it is factored. */
const SCRATCH = new Float64Array(2 * (4 + ROTATION_PARTS.length));

/** Powers of i, as interleaved re, im. */
const POWERS_OF_I = Float64Array.of(1, 0, 0, 1, -1, 0, 0, -1);

function powerOfI(exponent: number): Complex {
  return { re: POWERS_OF_I[2 * exponent]!, im: POWERS_OF_I[2 * exponent + 1]! };
}

/** Finds which phases are powers of i; neither entry of the first column vanishes. */
function formOf([a, b, c]: Matrix): RotationForm {
  // c/a = after·t and −b/a = before·t.
  const [lower, upper] = [over(c, a), over({ re: -b.re, im: -b.im }, a)];
  const before = exponentOf(upper);
  const after = exponentOf(lower);
  if (before < 0 || after < 0) return { before, after };
  // Both tangents must have one sign.
  const isOpposite = signOf(lower, after) !== signOf(upper, before);
  return { before, after: isOpposite ? after + 2 : after };
}

/** 0 for a real number, 1 for an imaginary one, −1 for others. */
function exponentOf({ re, im }: Complex): number {
  const tolerance = FOUND_FORM * Math.hypot(re, im);
  if (Math.abs(im) <= tolerance) return 0;
  return Math.abs(re) <= tolerance ? 1 : -1;
}

function signOf({ re, im }: Complex, exponent: number): number {
  return Math.sign(exponent === 0 ? re : im);
}

/** Deviation from a form that is more than rounding. */
const FORM_TOLERANCE = 1e-10;
/** Deviation up to which a form is found; less, so that a matrix has the form that was found in it. */
const FOUND_FORM = FORM_TOLERANCE / 10;

/**
 * Factors a unitary of a known form, at any angles. Phases come from the larger entries, so each is exact; where
 * the smaller ones vanish, phases that the matrix leaves open are chosen.
 *
 * @param values - Complex numbers, interleaved re, im; the parts are stored from place `to` on in the order of
 *   `ROTATION_PARTS`, the tangent with hypot(1, t) as its imaginary part.
 * @param a - Place of u00; `b`, `c` and `d` are those of u01, u10 and u11.
 * @param after - As in `RotationForm`.
 * @param before - As in `RotationForm`.
 * @returns Whether the matrix has the form.
 */
export function factorInto(
  values: Float64Array,
  a: number,
  b: number,
  c: number,
  d: number,
  after: number,
  before: number,
  { negligible, round }: Rounding,
  to: number,
): boolean {
  const ar = values[2 * a]!;
  const ai = values[2 * a + 1]!;
  const br = values[2 * b]!;
  const bi = values[2 * b + 1]!;
  const cr = values[2 * c]!;
  const ci = values[2 * c + 1]!;
  const dr = values[2 * d]!;
  const di = values[2 * d + 1]!;
  const cosine = Math.sqrt(ar * ar + ai * ai);
  const sine = Math.sqrt(cr * cr + ci * ci);
  const isSmall = sine < cosine;
  // Beyond that, the cosine is below the precision's resolution.
  let tangent = Math.min(sine / cosine, 1 / negligible);
  if (tangent <= negligible) tangent = 0;
  const hasAfter = after >= 0;
  const hasBefore = before >= 0;
  // after, p
  let pr = hasAfter ? POWERS_OF_I[2 * after]! : 1;
  let pi = hasAfter ? POWERS_OF_I[2 * after + 1]! : 0;
  // before, q
  let qr = hasBefore ? POWERS_OF_I[2 * before]! : 1;
  let qi = hasBefore ? POWERS_OF_I[2 * before + 1]! : 0;

  // t has the sign of c/(a·p) and −b/(a·q), which are real; it is positive where neither phase is known.
  let sign = 1;
  if (hasAfter || hasBefore) {
    const xr = hasAfter ? cr : -br;
    const xi = hasAfter ? ci : -bi;
    const kr = hasAfter ? ar * pr - ai * pi : ar * qr - ai * qi;
    const ki = hasAfter ? ar * pi + ai * pr : ar * qi + ai * qr;
    if (Math.abs(xi * kr - xr * ki) > FORM_TOLERANCE) return false;
    if (xr * kr + xi * ki < 0) sign = -1;
  }
  if (hasAfter && hasBefore) {
    const kr = pr * qr - pi * qi;
    const ki = pr * qi + pi * qr;
    if (Math.abs(dr - (ar * kr - ai * ki)) > FORM_TOLERANCE) return false;
    if (Math.abs(di - (ar * ki + ai * kr)) > FORM_TOLERANCE) return false;
  }

  // The scale without its modulus, s.
  let sr = 1;
  let si = 0;
  if (isSmall || !(hasAfter || hasBefore)) {
    if (cosine > VANISHING) {
      sr = ar / cosine;
      si = ai / cosine;
    }
  } else if (hasAfter) {
    sr = (sign * (cr * pr + ci * pi)) / sine;
    si = (sign * (ci * pr - cr * pi)) / sine;
  } else {
    sr = (-sign * (br * qr + bi * qi)) / sine;
    si = (-sign * (bi * qr - br * qi)) / sine;
  }
  if (!hasAfter) {
    if (isSmall && (hasBefore || tangent === 0)) {
      const kr = sr * qr - si * qi;
      const ki = sr * qi + si * qr;
      pr = (dr * kr + di * ki) / cosine;
      pi = (di * kr - dr * ki) / cosine;
    } else {
      pr = (sign * (cr * sr + ci * si)) / sine;
      pi = (sign * (ci * sr - cr * si)) / sine;
    }
  }
  if (!hasBefore) {
    if (isSmall) {
      const kr = sr * pr - si * pi;
      const ki = sr * pi + si * pr;
      qr = (dr * kr + di * ki) / cosine;
      qi = (di * kr - dr * ki) / cosine;
    } else {
      qr = (-sign * (br * sr + bi * si)) / sine;
      qi = (-sign * (bi * sr - br * si)) / sine;
    }
  }
  const t = round(sign * tangent);
  const hypotenuse = Math.sqrt(1 + t * t);
  values[2 * to] = sr / hypotenuse;
  values[2 * to + 1] = si / hypotenuse;
  values[2 * to + 2] = pr;
  values[2 * to + 3] = pi;
  values[2 * to + 4] = qr;
  values[2 * to + 5] = qi;
  values[2 * to + 6] = t;
  values[2 * to + 7] = hypotenuse;
  return true;
}

/** A modulus below which a number has no phase. */
const VANISHING = 1e-100;

// Factors a two-qubit unitary that keeps parity into diagonals around two rotations without their cosines: of
// |00⟩ with |11⟩ and of |01⟩ with |10⟩. Such unitaries are exp(i(a·XX + b·YY + c·ZZ)), fSim, Givens rotations, and
// all of these between phases.

/**
 * U = after · rotations · before · permutation. Diagonals and the permutation are on the basis indices 0 to 3, with
 * 0 and 1 the lower indices of the pairs {0, 3} and {1, 2}.
 *
 * The rotations take two fused multiply-adds an amplitude, a dense block sixteen.
 */
export interface PairRotation {
  /** Four entries. */
  readonly after: readonly Complex[];
  /** Tangents of the rotations of {0, 3} and {1, 2}. */
  readonly even: Real;
  readonly odd: Real;
  /** Whether the rotations are [[1, it], [it, 1]] instead of [[1, −t], [t, 1]]. */
  readonly isImaginary: boolean;
  readonly before: readonly Complex[];
  /** Sends |j⟩ to |rows[j]⟩. */
  readonly rows: readonly number[];
}

/** Difference from ±i at which a phase counts as ±i. */
const ROUNDING = 1e-14;

/**
 * Factors a unitary.
 *
 * @param entry - Entries by row and column; those between indices of different parity are not read.
 */
export function pairRotationOf(
  entry: (row: number, column: number) => Complex,
  rounding: Rounding,
): PairRotation {
  const block = (low: number, high: number) =>
    rotationOf([entry(low, low), entry(low, high), entry(high, low), entry(high, high)], rounding);
  const blocks = [block(0, 3), block(1, 2)] as const;
  const rotating = blocks.filter(({ t }) => t !== 0);
  const isImaginary = rotating.length > 0 && rotating.every(isTurnedByI);
  const [even, odd] = isImaginary ? [imaginary(blocks[0]), imaginary(blocks[1])] : blocks;
  return {
    after: [even.scale, odd.scale, times(odd.scale, odd.after), times(even.scale, even.after)],
    even: even.t,
    odd: odd.t,
    isImaginary,
    before: [ONE, ONE, odd.before, even.before],
    rows: [even.flips ? 3 : 0, odd.flips ? 2 : 1, odd.flips ? 1 : 2, even.flips ? 0 : 3],
  };
}

function isTurnedByI({ before }: Rotation): boolean {
  return before.formula === undefined && Math.abs(before.re) < ROUNDING;
}

/** The same unitary with an imaginary tangent: [[1, −t], [t, 1]] = diag(1, −i)·[[1, it], [it, 1]]·diag(1, i). */
function imaginary(rotation: Rotation): Rotation {
  if (rotation.t === 0) return rotation;
  const i = { re: 0, im: rotation.before.im < 0 ? 1 : -1 };
  return {
    ...rotation,
    t: i.im < 0 ? negated(rotation.t) : rotation.t,
    before: times(rotation.before, i),
    after: over(rotation.after, i),
  };
}
