/**
 * Runs the points of a batch: gives them to the processor in pieces, and saves what comes back as parts of the job's
 * result. Points whose parts were stored before a crash are not run again.
 */
import { inputRows } from '../../circuit/input-columns.ts';
import { CodedError } from '../../errors/coded-error.ts';
import { BatchPieces, RunSizes } from '../../fleet/batch-pieces.ts';
import type { BatchRun, BatchRunResult, Processor } from '../../fleet/processor.ts';
import {
  type BatchRunOutputs,
  type BatchRunRequest,
  factsOfShape,
} from '../../fleet/workers/sent-batch.ts';
import type { Job } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import { addToSeed } from '../../math/philox.ts';
import { ExecutionLog } from '../../workloads/procedures/executed-on.ts';
import { milliseconds, viewBackend } from '../backend-view.ts';
import { type CheckedProgram, isEstimated, numbersOf, type ProgramGroup } from './batch-program.ts';
import {
  programOfSeries,
  type ResultName,
  resultsOf,
  seriesOf,
  storedResultJson,
} from './batch-result.ts';
import { Estimates } from './estimates.ts';
import { pointsIn } from './group-points.ts';
import { RangeResults } from './range-results.ts';
import { batchFactsOf } from './read-batch.ts';

/** Points of a program that are run together. */
interface Range {
  readonly program: number;
  readonly from: number;
  readonly to: number;
}

/** Dependencies of a batch that runs. */
interface BatchJobDeps {
  readonly processor: Pick<Processor, 'runBatch'>;
  readonly hooks: Pick<JobHooks, 'started' | 'progress' | 'saveParts' | 'savedParts'>;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/**
 * Runs a batch.
 *
 * @returns Text of its result, stored beside its parts.
 * @throws as `Processor.runBatch`.
 */
export async function runBatchJob(
  job: Job,
  programs: readonly CheckedProgram[],
  deps: BatchJobDeps,
): Promise<string> {
  const saved = await deps.hooks.savedParts();
  return new BatchJobRun(job, programs, deps).run(saved);
}

class BatchJobRun {
  readonly #job: Job;
  readonly #programs: readonly CheckedProgram[];
  readonly #deps: BatchJobDeps;
  readonly #seeds: readonly number[];
  readonly #log = new ExecutionLog();
  /** By the index of the program. */
  readonly #sizes = new Map<number, RunSizes>();
  readonly #pieces = new BatchPieces();
  /** By the index of the program. */
  readonly #estimates = new Map<number, Estimates>();
  #numRuns = 0;
  #pointsDone = 0;
  #startedAt: number | undefined;
  #compileMs = 0;
  #executionMs = 0;

  constructor(job: Job, programs: readonly CheckedProgram[], deps: BatchJobDeps) {
    this.#job = job;
    this.#programs = programs;
    this.#deps = deps;
    this.#seeds = firstSeeds(programs, batchFactsOf(job.request).seed);
  }

  async run(saved: readonly SavedPlace[]): Promise<string> {
    const { hooks, signal, now } = this.#deps;
    const covered = coveredPoints(this.#programs, saved);
    for (const ranges of covered.values()) {
      for (const { from, to } of ranges) this.#pointsDone += to - from;
    }
    const resumedPoints = this.#pointsDone;
    const run = async (range: Range) => {
      try {
        await this.#run(range);
      } catch (error) {
        const isOwn = error instanceof CodedError && !this.#pieces.signal.aborted;
        throw isOwn ? new ProgramFailedError(range.program, error) : error;
      }
    };
    await this.#pieces.run(this.#missing(covered), run, signal);
    hooks.progress(1);
    return storedResultJson(
      {
        executed_on: this.#log.entries.map(({ backend, circuits, executionMs }) => ({
          backend: viewBackend(backend),
          circuits,
          execution_ms: milliseconds(executionMs),
        })),
        ...(resumedPoints > 0 && { resumed_points: resumedPoints }),
        timing: {
          queue_ms: milliseconds(Math.max(0, (this.#startedAt ?? now()) - this.#job.createdAt)),
          compile_ms: milliseconds(this.#compileMs),
          execution_ms: milliseconds(this.#executionMs),
        },
        bit_order: 'little-endian',
      },
      this.#programs,
      (program) => this.#seeds[program]!,
    );
  }

  /** Points that have no parts yet, cut into runs as they come up. */
  *#missing(covered: ReadonlyMap<number, readonly Span[]>): Generator<Range, void, undefined> {
    for (const [program, { inputs }] of this.#programs.entries()) {
      let from = 0;
      for (const span of [...(covered.get(program) ?? []), { from: inputs.numPoints, to: 0 }]) {
        while (from < span.from) {
          const to = Math.min(span.from, from + this.#sizesOf(program).next());
          yield { program, from, to };
          from = to;
        }
        from = span.to;
      }
    }
  }

  #sizesOf(index: number): RunSizes {
    const sizes = this.#sizes.get(index) ?? runSizesOf(this.#programs[index]!);
    this.#sizes.set(index, sizes);
    return sizes;
  }

  async #run(range: Range): Promise<void> {
    const { program: index, from, to } = range;
    const program = this.#programs[index]!;
    const sizes = this.#sizesOf(index);
    const results = new RangeResults(program, from, to - from);
    const spent = { ms: 0 };
    for (const group of program.groups) {
      const points = pointsIn(group, from, to);
      if (points.length === 0) continue;
      const run: RunShape = async (asked) => {
        const result = await this.#runBatch(asked, sizes.expectedMs(points.length));
        spent.ms += result.timing.compileMs + result.timing.executionMs;
        return result.batch;
      };
      const rows = inputRows(program.inputs, points.list, points.from, points.to);
      const seeds = () =>
        Float64Array.from(points.indices(), (point) => addToSeed(this.#seeds[index]!, point));
      const request = exactRequest(program, group, { rows, numPoints: points.length, seeds });
      if (request !== undefined) {
        results.set(points, await run({ shape: group.circuit, request }));
      }
      const estimates = this.#estimatesOf(index);
      if (estimates !== undefined) {
        results.setNumbers(points, await estimates.at(group, { rows, seeds: seeds() }, run));
      }
    }
    sizes.learn(to - from, spent.ms);
    const { hooks } = this.#deps;
    hooks.saveParts(results.parts(index));
    this.#pointsDone += to - from;
    hooks.progress(this.#pointsDone / batchFactsOf(this.#job.request).points);
  }

  /** Estimates for a program; undefined where none of its values is one. */
  #estimatesOf(index: number): Estimates | undefined {
    const program = this.#programs[index]!;
    if (!isEstimated(program)) return undefined;
    const known = this.#estimates.get(index) ?? new Estimates(program);
    this.#estimates.set(index, known);
    return known;
  }

  async #runBatch(
    asked: Pick<BatchRun, 'shape' | 'request'>,
    expectedMs: number,
  ): Promise<BatchRunResult> {
    const { id, keyId, priority, target } = this.#job;
    const { tier } = batchFactsOf(this.#job.request);
    const number = this.#numRuns++;
    const endWait = this.#pieces.waits(expectedMs);
    const begin = () => {
      endWait();
      this.#startedAt ??= this.#deps.now();
      this.#deps.hooks.started();
    };
    try {
      const result = await this.#deps.processor.runBatch(
        { id: `${id}/${number}`, keyId, tier, priority, partOf: id, ...asked },
        { onStarted: begin },
        this.#pieces.signal,
      );
      const { backend, timing } = result;
      const { compileMs, executionMs } = timing;
      const { numCircuits: circuits } = asked.request;
      this.#log.note({ processor: target, backend, circuits, executionMs });
      this.#compileMs += compileMs;
      this.#executionMs += executionMs;
      return result;
    } finally {
      endWait();
    }
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

/** Runs circuits of one shape and notes their time. */
type RunShape = (asked: Pick<BatchRun, 'shape' | 'request'>) => Promise<BatchRunOutputs>;

/** Points whose results are exact, or counts. */
interface ExactPoints {
  readonly rows: Float64Array;
  readonly numPoints: number;
  readonly seeds: () => Float64Array;
}

/** Request for the counts and the exact results of some points; undefined where there are none. */
function exactRequest(
  program: CheckedProgram,
  { formulas }: ProgramGroup,
  { rows, numPoints, seeds }: ExactPoints,
): BatchRunRequest | undefined {
  const { observables, shots = 0 } = program;
  const exact = resultsOf(program).filter(
    (result) => !isEstimated(program) || !ESTIMATED.includes(result),
  );
  if (exact.length === 0) return undefined;
  const needsObservables = exact.some(
    (name) => name === 'expectation' || name === 'variance' || name === 'gradient',
  );
  return {
    numCircuits: numPoints,
    angles: rows,
    formulas,
    countsOfSingles: true,
    ...(exact.includes('counts') && { shots, seeds: seeds() }),
    ...(needsObservables && { observables }),
    ...(exact.includes('variance') && { variances: true }),
    ...(exact.includes('gradient') && { gradients: true, gradientInputs: program.gradientInputs }),
    ...(exact.includes('probabilities') && { probabilities: true }),
    ...(exact.includes('statevector') && { statevectors: true }),
  };
}

/** Results that are estimated where shots are given and counts are not asked for. */
const ESTIMATED: readonly ResultName[] = ['expectation', 'standard_error', 'gradient'];

type SavedPlace = Awaited<ReturnType<JobHooks['savedParts']>>[number];

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Points of each program whose results are stored. All results of a point are stored together. */
function coveredPoints(
  programs: readonly CheckedProgram[],
  saved: readonly SavedPlace[],
): ReadonlyMap<number, readonly Span[]> {
  const covered = new Map<number, Span[]>();
  for (const { series, from, to } of saved) {
    const index = programOfSeries(series);
    const program = programs[index];
    if (program === undefined || seriesOf(index, resultsOf(program)[0]!) !== series) continue;
    const spans = covered.get(index) ?? [];
    spans.push({ from, to });
    covered.set(index, spans);
  }
  return covered;
}

/** Seed of the first point of each program. */
export function firstSeeds(programs: readonly CheckedProgram[], seed: number): readonly number[] {
  let points = 0;
  return programs.map((program) => {
    const first = program.seed ?? addToSeed(seed, points);
    points += program.inputs.numPoints;
    return first;
  });
}

/** Numbers of points that the next runs of a program have. */
function runSizesOf(program: CheckedProgram): RunSizes {
  const { groups, numBits, shots = 0, observables, outputs, inputs } = program;
  const results = resultsOf(program).reduce((sum, name) => sum + numbersOf(program, name), 0);
  const counts = outputs.includes('counts') ? 2 * Math.min(shots, 2 ** numBits) : 0;
  return new RunSizes({
    numQubits: groups[0]!.circuit.numQubits,
    numOperations: factsOfShape(groups[0]!.circuit).work.numOperations,
    numTerms: observables.reduce((sum, terms) => sum + terms.length, 0),
    shots,
    numNumbers: inputs.names.length + results + counts,
  });
}
