/** Checks answers of the classifier within the noise of their shots. */

/**
 * Tolerance in standard errors: with normal noise, one right answer in five hundred million is
 * further off.
 */
const STANDARD_ERRORS = 6;
/**
 * With fewer shots of the rarer outcome the noise is not normal; Bernstein's bound then gives the
 * same probability.
 */
const RARE_SHOTS = 50;
const LOG_CHANCE = Math.log(5e8);
/** Rounding of a number that is printed and parsed. */
const ROUNDING = 1e-12;

/** The fields checked of a classified row. */
export interface AnsweredRow {
  readonly expectation: number;
}

/**
 * Holds expectations from shots to the exact ones, by the exact ones' own shot noise, so that a wrong
 * value cannot widen what is allowed.
 *
 * @throws {Error} naming the first row that is further off than chance explains, or their number where
 *   that is wrong.
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
    const value = found[row] ?? Number.NaN;
    if (!((Math.abs(value - expected) * shots) / 2 <= allowedShots(expected, shots))) {
      throw new Error(`row ${row} has ⟨Z₀⟩ = ${value}, and exactly it is ${expected}`);
    }
  }
}

/** Largest difference of an outcome's count from its expected value. */
function allowedShots(expectation: number, shots: number): number {
  const chance = (1 - Math.abs(expectation)) / 2;
  const variance = shots * chance * (1 - chance);
  if (shots * chance >= RARE_SHOTS) return STANDARD_ERRORS * Math.sqrt(variance);
  // An impossible outcome must not occur, except for rounding of the exact value.
  if (shots * chance < ROUNDING) return ROUNDING * shots;
  const third = LOG_CHANCE / 3;
  return third + Math.sqrt(third ** 2 + 2 * LOG_CHANCE * variance);
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
