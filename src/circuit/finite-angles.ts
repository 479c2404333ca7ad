/** Tells where the angles of formulas are finite. */
import { type AngleFormulas, Block, CONSTANT } from './angle-formulas.ts';
import { type Range, rangeOf } from './angle-operations.ts';

/**
 * First row at which an angle is not finite, or another value that has to be; undefined if there is none.
 *
 * @param rows - As for `evaluateAngles`.
 */
export function firstNotFinite(
  formulas: AngleFormulas,
  rows: Float64Array,
  numRows: number,
): number | undefined {
  const checked = checkedValues(formulas);
  const block = new Block(formulas, checked, numRows);
  for (let row = 0; row < numRows; row += block.numRows) {
    const count = Math.min(block.numRows, numRows - row);
    block.compute(rows, row * formulas.numInputs, count);
    let first = count;
    for (const value of checked) {
      const at = value * block.numRows;
      for (let i = 0; i < first; i++) if (!Number.isFinite(block.values[at + i])) first = i;
    }
    if (first < count) return row + first;
  }
  return undefined;
}

const checkedValues = ({ results, finite }: AngleFormulas): ReadonlySet<number> =>
  new Set([...results, ...finite].filter((value) => value !== CONSTANT));

/**
 * Whether all angles are finite wherever the inputs are within bounds. False where that cannot be told from bounds
 * alone; `firstNotFinite` then tells for each row.
 *
 * @param inputs - Bounds of each input.
 */
export function areFiniteWithin(formulas: AngleFormulas, inputs: readonly Range[]): boolean {
  const { constants, operators, left, right } = formulas;
  const ranges: (Range | undefined)[] = [...inputs];
  for (const constant of constants) ranges.push([constant, constant]);
  for (let i = 0; i < operators.length; i++) {
    const [x, y] = [ranges[left[i]!], ranges[right[i]!]];
    const range = x && y && rangeOf(operators[i]!, x, y);
    ranges.push(range?.every(Number.isFinite) ? range : undefined);
  }
  for (const value of checkedValues(formulas)) if (ranges[value] === undefined) return false;
  return true;
}
