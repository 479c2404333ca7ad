/**
 * Gates with angles as what a batch does for each circuit at once: phases, and rotations of two
 * basis states by an angle that is a multiple of one parameter.
 *
 * Written out rather than found: a matrix of cosines does not say which angle they are of. A gate
 * that has no recipe is run all the same, from matrices that are computed circuit by circuit, and a
 * test holds each recipe to the gate's own matrix.
 */

/** A multiple of one of the gate's parameters, or an angle that is the same in all circuits. */
export type RecipeAngle =
  | { readonly kind: 'parameter'; readonly index: number; readonly factor: number }
  | { readonly kind: 'fixed'; readonly radians: number };

/**
 * One thing to do to the targets; rows are basis states of these.
 *
 * A phase multiplies a row, or everything, by e^{i·angle}. The others act on two rows:
 * [[cos, −i·sin], [−i·sin, cos]] for `turnX`, [[cos, −sin], [sin, cos]] for `turnY`.
 */
export type RecipePart =
  | { readonly kind: 'phase'; readonly row: number | 'all'; readonly angle: RecipeAngle }
  | {
      readonly kind: 'turnX' | 'turnY';
      readonly rows: readonly [number, number];
      readonly angle: RecipeAngle;
    };

/** In the order in which they act. */
export type Recipe = readonly RecipePart[];

const times = (index: number, factor: number): RecipeAngle => ({
  kind: 'parameter',
  index,
  factor,
});
const phase = (row: number | 'all', angle: RecipeAngle): RecipePart => ({
  kind: 'phase',
  row,
  angle,
});
const turnX = (from: number, to: number, angle: RecipeAngle): RecipePart => ({
  kind: 'turnX',
  rows: [from, to],
  angle,
});
const turnY = (from: number, to: number, angle: RecipeAngle): RecipePart => ({
  kind: 'turnY',
  rows: [from, to],
  angle,
});

const HALF_THETA = times(0, 1 / 2);
const RX: Recipe = [turnX(0, 1, HALF_THETA)];
const RY: Recipe = [turnY(0, 1, HALF_THETA)];
const RZ: Recipe = [phase('all', times(0, -1 / 2)), phase(1, times(0, 1))];
const P: Recipe = [phase(1, times(0, 1))];
const U: Recipe = [phase(1, times(2, 1)), ...RY, phase(1, times(1, 1))];

/** By canonical name; controls are not part of a recipe. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  RX,
  RY,
  RZ,
  P,
  U,
  U2: [
    phase(1, times(1, 1)),
    turnY(0, 1, { kind: 'fixed', radians: Math.PI / 4 }),
    phase(1, times(0, 1)),
  ],
  PRX: [phase(1, times(1, -1)), ...RX, phase(1, times(1, 1))],
  CP: P,
  CRX: RX,
  CRY: RY,
  CRZ: RZ,
  CU: [...U, phase('all', times(3, 1))],
  CU3: U,
  RXX: [turnX(0, 3, HALF_THETA), turnX(1, 2, HALF_THETA)],
  RYY: [turnX(0, 3, times(0, -1 / 2)), turnX(1, 2, HALF_THETA)],
  RZZ: [phase('all', times(0, -1 / 2)), phase(1, times(0, 1)), phase(2, times(0, 1))],
  RZX: [turnX(0, 2, HALF_THETA), turnX(1, 3, times(0, -1 / 2))],
  'XX+YY': [phase(2, times(1, -1)), turnX(1, 2, HALF_THETA), phase(2, times(1, 1))],
  'XX-YY': [phase(3, times(1, -1)), turnX(0, 3, HALF_THETA), phase(3, times(1, 1))],
  FSIM: [turnX(1, 2, times(0, 1)), phase(3, times(1, -1))],
  GPHASE: [phase('all', times(0, 1))],
};
