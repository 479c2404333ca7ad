/**
 * Runs of a batch's circuits: on engines (`engine-runs.ts`), or as jobs of a vendor (`device-runs.ts`); and the ranges
 * of points of its programs that have results, and that are left.
 */
import type { BatchChunks } from '../../fleet/batch-chunks.ts';
import type { RunOutputs } from '../../fleet/run-outputs.ts';
import type { Batch } from '../../fleet/workers/sent-batch.ts';
import type { JobPartPlace } from '../../jobs/job.ts';
import type { CheckedProgram } from './batch-program.ts';
import { programOfSeries, resultsOf, seriesOf } from './batch-result.ts';
import type { BatchResultFields } from './batch-schema.ts';

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

/** Runs circuits of some shapes; resolves with the results of each shape. */
export type RunShapes = (asked: readonly Batch[]) => Promise<readonly RunOutputs[]>;

/** Batch that a running chunk reports to. */
export interface ChunkContext {
  /** The chunks of the batch, among which this one waits; with the signal that ends them. */
  readonly chunks: BatchChunks;
  /** Called when circuits begin to run. */
  readonly onStarted: () => void;
}

/** The circuits of one range of a chunk. */
export interface RangeRuns {
  readonly run: RunShapes;
  /** To be called once, when nothing more is asked for, also after a failure. */
  readonly end: () => void;
}

/** Ranges that run together, and whose results are stored together. */
export interface Chunk {
  readonly ranges: readonly Range[];
  /** Begins the chunk. Gives the runs of each range. */
  start(context: ChunkContext): readonly RangeRuns[];
}

/** The circuits of a batch. */
export interface CircuitRuns {
  /** Whether engines of this service run the circuits. */
  readonly areSimulated: boolean;
  /**
   * Chunks with all points that have no results yet, made lazily.
   *
   * @param covered - Ranges that have results, in order of their programs and points.
   */
  chunks(covered: readonly Range[]): Iterable<Chunk>;
  /** Called when the batch ends without a result: cancels vendor jobs of earlier processes for chunks not started. */
  abandon(signal: AbortSignal): void;
  /** Facts about the runs so far. Times are milliseconds. */
  readonly facts: {
    readonly executedOn: BatchResultFields['executed_on'];
    readonly compileMs: number;
    readonly executionMs: number;
  };
}
