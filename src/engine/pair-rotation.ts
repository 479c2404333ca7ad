/**
 * Factors a two-qubit unitary that keeps parity into diagonals around two rotations without their cosines: of
 * |00⟩ with |11⟩ and of |01⟩ with |10⟩. Such unitaries are exp(i(a·XX + b·YY + c·ZZ)), fSim, Givens rotations, and
 * all of these between phases.
 */
import { type Complex, negated, ONE, over, type Real, times } from './complex.ts';
import { type Rotation, type Rounding, rotationOf } from './rotation.ts';

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
