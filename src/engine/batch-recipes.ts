/**
 * Decompositions of parametric gates for batches: phases, and rotations of two basis states, each
 * by a multiple of one gate parameter. `rowSubcube` gives the basis states of the register that such a basis state
 * stands for.
 *
 * The table is written by hand, because a gate's matrix of cosines does not say which parameter an
 * entry depends on. A gate without a recipe still runs, from a matrix computed for each circuit. A
 * test compares each recipe with the gate's own matrix.
 */

/** Angle of a recipe part: a multiple of one gate parameter, or a constant. */
export type RecipeAngle =
  | { readonly kind: 'parameter'; readonly index: number; readonly factor: number }
  | { readonly kind: 'fixed'; readonly radians: number };

/**
 * One factor of a gate, acting on rows, the basis states of its targets.
 *
 * A `phase` multiplies a row, or all rows, by e^{i·angle}. The others mix two rows: [[cos, −i·sin],
 * [−i·sin, cos]] for `turnX`, [[cos, −sin], [sin, cos]] for `turnY`.
 */
export type RecipePart =
  | { readonly kind: 'phase'; readonly row: number | 'all'; readonly angle: RecipeAngle }
  | {
      readonly kind: 'turnX' | 'turnY';
      readonly rows: readonly [number, number];
      readonly angle: RecipeAngle;
    };

/** Parts of a gate, in the order in which they act. */
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

/** Recipes by canonical gate name. Controls are not part of a recipe. */
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

/** The basis states whose bits under `mask` are `value`. */
export interface Subcube {
  readonly mask: number;
  readonly value: number;
}

/**
 * The basis states in which the targets read `row` and the controls are 1.
 *
 * @param controls - Mask of qubits.
 * @param targets - Bit i of a row is targets[i].
 */
export function rowSubcube(controls: number, targets: readonly number[], row: number): Subcube {
  const mask = targets.reduce((all, qubit) => all | (1 << qubit), controls);
  const value = targets.reduce((all, qubit, i) => all | (((row >> i) & 1) << qubit), controls);
  return { mask, value };
}
