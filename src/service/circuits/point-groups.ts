/** Points of a circuit's inputs at which it differs in its angles alone. */
import {
  type AngleFormulas,
  CONSTANT,
  dependentAngles,
  evaluateAngles,
} from '../../circuit/angle-formulas.ts';
import { type DynamicCircuit, numAnglesOf, withAngles } from '../../circuit/circuit.ts';
import { type InputColumns, inputRows } from '../../circuit/input-columns.ts';
import { anglesOf } from '../../compiler/shape.ts';

/** Points that run the same gates. */
export interface PointGroup {
  /** The circuit with its final measurement; its own angles are those of the first point. */
  readonly circuit: DynamicCircuit;
  /** Formulas of the angles in a row of inputs; absent for a single point, whose angles the circuit has. */
  readonly formulas?: AngleFormulas;
  /** Indices of the points, ascending; undefined for all points in order. */
  readonly points: Uint32Array | undefined;
}

/** Points of a group within a range. */
export interface GroupPoints {
  readonly length: number;
  /** As in `PointGroup`; `from` and `to` are positions in it, or points where it is undefined. */
  readonly list: Uint32Array | undefined;
  readonly from: number;
  readonly to: number;
  indices(): Iterable<number>;
}

/** The points of a group from `first` to before `end`. */
export function pointsIn(
  { points: list }: Pick<PointGroup, 'points'>,
  first: number,
  end: number,
): GroupPoints {
  const [from, to] =
    list === undefined ? [first, end] : [lowerBound(list, first), lowerBound(list, end)];
  return {
    length: to - from,
    list,
    from,
    to,
    *indices() {
      for (let i = from; i < to; i++) yield list === undefined ? i : list[i]!;
    },
  };
}

/** Index of the first entry that is not below a number, in ascending entries. */
function lowerBound(list: Uint32Array, number: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Angles of the circuits of a group at rows of inputs, circuit after circuit. */
export function anglesAt(
  { circuit, formulas }: PointGroup,
  rows: Float64Array,
  numRows: number,
): Float64Array {
  return formulas === undefined
    ? Float64Array.from(anglesOf(circuit))
    : evaluateAngles(formulas, rows, numRows);
}

/** For each angle of a group 1 if it depends on one of some inputs. */
export function openAnglesOf(
  { circuit, formulas }: PointGroup,
  inputs: readonly number[],
): Uint8Array {
  return formulas === undefined
    ? new Uint8Array(numAnglesOf(circuit))
    : dependentAngles(formulas, inputs);
}

/** The points of a group as groups of their own. */
export function* singlePoints(
  group: PointGroup,
  inputs: InputColumns | undefined,
): Iterable<PointGroup> {
  const { circuit, formulas } = group;
  if (formulas === undefined || inputs === undefined) {
    yield group;
    return;
  }
  const { list, from, to } = pointsIn(group, 0, inputs.numPoints);
  const numAngles = numAnglesOf(circuit);
  const angles = evaluateAngles(formulas, inputRows(inputs, list, from, to), to - from);
  for (let k = 0; k < to - from; k++) {
    const own = angles.subarray(k * numAngles, (k + 1) * numAngles);
    const point = list === undefined ? from + k : list[from + k]!;
    yield { circuit: withAngles(circuit, own), points: Uint32Array.of(point) };
  }
}

/** Relative place of the representative point: neither an end nor the middle, at which angles are often 0. */
const TYPICAL_PLACE = 0.62;

/** Makes the circuit of one point that stands for its group; undefined where all have the group's angles. */
export function typicalCircuit(
  { circuit, formulas, points }: PointGroup,
  inputs: InputColumns | undefined,
): (() => DynamicCircuit) | undefined {
  if (formulas === undefined || inputs === undefined) return undefined;
  if (inputs.numPoints === 1 || formulas.results.every((at) => at === CONSTANT)) return undefined;
  const at = Math.floor(TYPICAL_PLACE * (points?.length ?? inputs.numPoints));
  return () =>
    withAngles(circuit, evaluateAngles(formulas, inputRows(inputs, points, at, at + 1), 1));
}
