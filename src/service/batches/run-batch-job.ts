/**
 * Runs the points of a batch in pieces, a few at a time, and saves what comes back as parts of the job's result. Points
 * whose parts were stored before a crash are not run again.
 */
import { CodedError } from '../../errors/coded-error.ts';
import { BatchPieces } from '../../fleet/batch-pieces.ts';
import type { Job } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import { addToSeed } from '../../math/philox.ts';
import { milliseconds } from '../circuits/backend-view.ts';
import { isEstimated } from '../circuits/check-outputs.ts';
import type { CheckedProgram } from './batch-program.ts';
import { coveredRanges, type Range } from './batch-ranges.ts';
import { storedResultJson } from './batch-result.ts';
import type { CircuitRuns, Piece, PieceContext, RangeRuns } from './circuit-runs.ts';
import { Estimates } from './estimates.ts';
import { batchFactsOf } from './read-batch.ts';
import { type RunningProgram, runRange } from './run-range.ts';

/** Dependencies of a batch that runs. */
interface BatchJobDeps {
  readonly runs: CircuitRuns;
  readonly hooks: Pick<JobHooks, 'started' | 'progress' | 'saveParts' | 'savedParts'>;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/**
 * Runs a batch.
 *
 * @returns Text of its result, stored beside its parts.
 * @throws what running its circuits throws.
 */
export async function runBatchJob(
  job: Job,
  programs: readonly CheckedProgram[],
  deps: BatchJobDeps,
): Promise<string> {
  const covered = coveredRanges(programs, await deps.hooks.savedParts());
  try {
    return await new BatchJobRun(job, programs, deps).run(covered);
  } catch (error) {
    deps.runs.abandon(deps.signal);
    throw error;
  }
}

class BatchJobRun {
  readonly #job: Job;
  readonly #programs: readonly CheckedProgram[];
  readonly #deps: BatchJobDeps;
  readonly #seeds: readonly number[];
  readonly #pieces = new BatchPieces();
  readonly #context: PieceContext;
  /** By the index of the program. */
  readonly #running = new Map<number, RunningProgram>();
  #pointsDone = 0;
  #startedAt: number | undefined;

  constructor(job: Job, programs: readonly CheckedProgram[], deps: BatchJobDeps) {
    this.#job = job;
    this.#programs = programs;
    this.#deps = deps;
    this.#seeds = firstSeeds(programs, batchFactsOf(job.request).seed);
    const onStarted = () => {
      this.#startedAt ??= deps.now();
      deps.hooks.started();
    };
    this.#context = { pieces: this.#pieces, onStarted };
  }

  async run(covered: readonly Range[]): Promise<string> {
    const { hooks, runs, signal, now } = this.#deps;
    this.#pointsDone = numPointsOf(covered);
    const resumedPoints = this.#pointsDone;
    await this.#pieces.run(runs.pieces(covered), (piece) => this.#run(piece), signal);
    hooks.progress(1);
    const { executedOn, compileMs, executionMs } = runs.facts;
    return storedResultJson(
      {
        executed_on: executedOn,
        ...(resumedPoints > 0 && { resumed_points: resumedPoints }),
        timing: {
          queue_ms: milliseconds(Math.max(0, (this.#startedAt ?? now()) - this.#job.createdAt)),
          compile_ms: milliseconds(compileMs),
          execution_ms: milliseconds(executionMs),
        },
        bit_order: 'little-endian',
      },
      this.#programs,
      (program) => this.#seeds[program]!,
      runs.areSimulated,
    );
  }

  async #run(piece: Piece): Promise<void> {
    const { hooks } = this.#deps;
    const runs = piece.start(this.#context);
    const isOne = piece.ranges.length === 1;
    const parts = await Promise.all(
      piece.ranges.map((range, i) => this.#runRange(range, runs[i]!, isOne)),
    );
    hooks.saveParts(parts.flat());
    this.#pointsDone += numPointsOf(piece.ranges);
    hooks.progress(this.#pointsDone / batchFactsOf(this.#job.request).points);
  }

  /** @param isOne - Whether the piece has no other range, so that a failure is that of the program. */
  async #runRange(range: Range, { run, end }: RangeRuns, isOne: boolean) {
    try {
      return await runRange(this.#runningProgram(range.program), range, run);
    } catch (error) {
      const isOwn = isOne && error instanceof CodedError && !this.#pieces.signal.aborted;
      throw isOwn ? new ProgramFailedError(range.program, error) : error;
    } finally {
      end();
    }
  }

  #runningProgram(index: number): RunningProgram {
    const known = this.#running.get(index);
    if (known !== undefined) return known;
    const program = this.#programs[index]!;
    const estimates = isEstimated(program) ? new Estimates(program) : undefined;
    const running = { program, seed: this.#seeds[index]!, estimates };
    this.#running.set(index, running);
    return running;
  }
}

/** A program of a batch failed; the error has the code of its cause. */
class ProgramFailedError extends CodedError {
  readonly code: string;

  constructor(program: number, cause: CodedError) {
    super(`programs[${program}]: ${cause.message}`, [], { cause });
    this.code = cause.code;
  }
}

function numPointsOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Seed of the first point of each program. */
function firstSeeds(programs: readonly CheckedProgram[], seed: number): readonly number[] {
  let points = 0;
  return programs.map((program) => {
    const first = program.seed ?? addToSeed(seed, points);
    points += program.inputs.numPoints;
    return first;
  });
}
