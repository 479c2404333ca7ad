/** Whether an answer of the classifier is right, as far as its shots can tell. */

/** One right answer in five hundred million is further off by chance alone. */
const STANDARD_ERRORS = 6;
/** Of a number that is written in full and read again. */
const ROUNDING = 1e-12;

/** What is read of one classified row. */
export interface AnsweredRow {
  readonly expectation: number;
}

/**
 * Holds expectations from shots to the exact ones, by the exact ones' own shot noise, so that a wrong
 * value cannot widen what is allowed. Where that noise is nearly nothing, a few shots are allowed.
 *
 * @throws {Error} naming the first row that is further off than six standard errors, or their number
 *   where that is wrong.
 */
export function checkExpectations(
  found: ArrayLike<number>,
  exact: readonly number[],
  shots: number,
): void {
  if (found.length !== exact.length) {
    throw new Error(`${found.length} rows are answered, not ${exact.length}`);
  }
  for (const [row, expected] of exact.entries()) {
    const error = Math.sqrt(Math.max(1 / shots, 1 - expected ** 2) / shots);
    const value = found[row] ?? Number.NaN;
    if (!(Math.abs(value - expected) <= STANDARD_ERRORS * error)) {
      throw new Error(`row ${row} has ⟨Z₀⟩ = ${value}, and exactly it is ${expected}`);
    }
  }
}

/**
 * Holds an expectation to the counts that it is said to come from: +1 for each shot whose rightmost
 * bit is 0, −1 for the others.
 *
 * @throws {Error} if the counts are not those of so many shots, or say another value.
 */
export function checkCounts(
  { expectation }: AnsweredRow,
  counts: Readonly<Record<string, number>>,
  shots: number,
): void {
  let sum = 0;
  let total = 0;
  for (const [label, times] of Object.entries(counts)) {
    total += times;
    sum += label.endsWith('0') ? times : -times;
  }
  if (total !== shots) throw new Error(`${total} shots are counted, not ${shots}`);
  if (!(Math.abs(sum / shots - expectation) < ROUNDING)) {
    throw new Error(`the counts say ${sum / shots}, the answer ${expectation}`);
  }
}
