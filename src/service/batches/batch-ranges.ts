/** Ranges of points of a batch's programs: those that have results, and those that are left. */
import type { JobPartPlace } from '../../jobs/job.ts';
import type { CheckedProgram } from './batch-program.ts';
import { programOfSeries, resultsOf, seriesOf } from './batch-result.ts';

/** Points of a program that are run together. */
export interface Range {
  readonly program: number;
  readonly from: number;
  readonly to: number;
}

/** Ranges that have results whose parts are stored, in order. All results of a point are stored together. */
export function coveredRanges(
  programs: readonly CheckedProgram[],
  saved: readonly JobPartPlace[],
): readonly Range[] {
  return saved.flatMap(({ series, from, to }) => {
    const index = programOfSeries(series);
    const program = programs[index];
    if (program === undefined || seriesOf(index, resultsOf(program)[0]!) !== series) return [];
    return [{ program: index, from, to }];
  });
}

/**
 * The points that are in none of some ranges, cut as they come up.
 *
 * @param taken - Ranges in order of their programs and points.
 * @param most - The most points that the next range of a program may have.
 */
export function* rangesLeft(
  programs: readonly CheckedProgram[],
  taken: readonly Range[],
  most: (program: number) => number,
): Generator<Range, void, undefined> {
  const takenOf = Map.groupBy(taken, ({ program }) => program);
  for (const [program, { inputs }] of programs.entries()) {
    let from = 0;
    for (const range of [...(takenOf.get(program) ?? []), { from: inputs.numPoints, to: 0 }]) {
      while (from < range.from) {
        const to = Math.min(range.from, from + most(program));
        yield { program, from, to };
        from = to;
      }
      from = range.to;
    }
  }
}
