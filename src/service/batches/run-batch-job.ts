/**
 * Runs the points of a batch in chunks, a few at a time, and saves their results as parts of the job's result. Points
 * whose parts were stored before a crash are not run again.
 */

import { inputRows } from '../../circuit/input-columns.ts';
import { givesMeans, requestFor } from '../../circuit/outputs.ts';
import { anglesOf } from '../../compiler/shape.ts';
import { CodedError, RelayedError } from '../../errors/coded-error.ts';
import { BatchChunks } from '../../fleet/batch-chunks.ts';
import { countsOfRow, type RunOutputs } from '../../fleet/run-outputs.ts';
import type { BatchRunRequest } from '../../fleet/schedule/scheduled-run.ts';
import { factsOfShape } from '../../fleet/workers/sent-batch.ts';
import type { Job, JobPart } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import { addToSeed } from '../../math/philox.ts';
import { milliseconds } from '../circuits/backend-view.ts';
import { methodRequestOf } from '../circuits/check-method.ts';
import { isEstimable, isEstimated } from '../circuits/check-outputs.ts';
import { numOutcomeBits } from '../circuits/outcome-labels.ts';
import { type GroupPoints, type PointGroup, pointsIn } from '../circuits/point-groups.ts';
import type { PlannedPart } from '../circuits/run-estimate.ts';
import { flattened } from '../circuits/saved-outputs.ts';
import { type CheckedProgram, numbersOf, type ResultName } from './batch-program.ts';
import { countsBytes, numberBytes, resultsOf, seriesOf, storedResultJson } from './batch-result.ts';
import {
  type Chunk,
  type ChunkContext,
  type CircuitRuns,
  coveredRanges,
  type Range,
  type RangeRuns,
  type RunShapes,
} from './circuit-runs.ts';
import { Estimates, groupedInTurns, numEstimatedCircuits } from './estimates.ts';
import { batchFactsOf } from './read-batch.ts';

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
  readonly #chunks = new BatchChunks();
  readonly #context: ChunkContext;
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
    this.#context = { chunks: this.#chunks, onStarted };
  }

  async run(covered: readonly Range[]): Promise<string> {
    const { hooks, runs, signal, now } = this.#deps;
    this.#pointsDone = numPointsOf(covered);
    const resumedPoints = this.#pointsDone;
    await this.#chunks.run(runs.chunks(covered), (chunk) => this.#run(chunk), signal);
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

  async #run(chunk: Chunk): Promise<void> {
    const { hooks } = this.#deps;
    const runs = chunk.start(this.#context);
    const isOne = chunk.ranges.length === 1;
    const parts = await Promise.all(
      chunk.ranges.map((range, i) => this.#runRange(range, runs[i]!, isOne)),
    );
    hooks.saveParts(parts.flat());
    this.#pointsDone += numPointsOf(chunk.ranges);
    hooks.progress(this.#pointsDone / batchFactsOf(this.#job.request).points);
  }

  /** @param isOne - Whether the chunk has no other range, so that a failure is that of the program. */
  async #runRange(range: Range, { run, end }: RangeRuns, isOne: boolean) {
    try {
      return await runRange(this.#runningProgram(range.program), range, run);
    } catch (error) {
      const isOwn = isOne && error instanceof CodedError && !this.#chunks.signal.aborted;
      if (!isOwn) throw error;
      const message = `programs[${range.program}]: ${error.message}`;
      throw new RelayedError(error.code, message, [], { cause: error });
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

/** A program whose points are run. */
export interface RunningProgram {
  readonly program: CheckedProgram;
  /** Seed of its first point. */
  readonly seed: number;
  /** Undefined where none of its values is an estimate. */
  readonly estimates: Estimates | undefined;
}

/**
 * Runs the points of a range.
 *
 * @returns Their results.
 * @throws what `run` throws.
 */
async function runRange(
  { program, seed, estimates }: RunningProgram,
  { program: index, from, to }: Range,
  run: RunShapes,
): Promise<readonly JobPart[]> {
  const results = new RangeResults(program, from, to - from);
  const groups = program.groups.flatMap((group) => {
    const points = pointsIn(group, from, to);
    if (points.length === 0) return [];
    const rows = inputRows(program.inputs, points.list, points.from, points.to);
    const seeds = () => Float64Array.from(points.indices(), (point) => addToSeed(seed, point));
    const request = exactRequest(program, group, { rows, numPoints: points.length, seeds });
    return [{ group, points, rows, seeds, request }];
  });
  const exact = groups.flatMap(({ group, points, request }) =>
    request === undefined ? [] : [{ points, circuit: group.circuit, request }],
  );
  const outputs = exact.length === 0 ? [] : await run(exact);
  for (const [i, { points }] of exact.entries()) results.set(points, outputs[i]!);
  if (estimates !== undefined) {
    for (const { group, points, rows, seeds } of groups) {
      results.setNumbers(points, await estimates.at(group, { rows, seeds: seeds() }, run));
    }
  }
  return results.parts(index);
}

/** The runs of a program, all points of a group together. */
export async function plannedProgram(program: CheckedProgram): Promise<PlannedPart> {
  const { groups, inputs, method, methodReason, shots = 0 } = program;
  const { numPoints: points } = inputs;
  const exact = groups.flatMap((group) => {
    const numPoints = group.points?.length ?? points;
    const seeds = () => NO_NUMBERS;
    const request = exactRequest(program, group, { rows: NO_NUMBERS, numPoints, seeds });
    return request === undefined ? [] : [{ circuit: factsOfShape(group.circuit).work, request }];
  });
  const measured = isEstimated(program) ? await groupedInTurns(program.observables) : undefined;
  const estimated = groups.flatMap((group) => {
    if (measured === undefined) return [];
    const numCircuits = numEstimatedCircuits(program, group, measured.groups.length);
    const request = { numCircuits, angles: NO_NUMBERS, shots, ...methodRequestOf(program) };
    return [{ circuit: factsOfShape(group.circuit).work, request }];
  });
  const runs = [...exact, ...estimated];
  const numShots = runs.reduce(
    (sum, { request }) => sum + request.numCircuits * (request.shots ?? 0),
    0,
  );
  return { method, methodReason, points, shots: numShots, runs };
}

const NO_NUMBERS = new Float64Array();

/** Points whose results are exact, or counts. */
interface ExactPoints {
  readonly rows: Float64Array;
  readonly numPoints: number;
  readonly seeds: () => Float64Array;
}

/** Request for the counts and values of some points that are computed, not estimated; undefined without any. */
function exactRequest(
  program: CheckedProgram,
  { circuit, formulas }: PointGroup,
  { rows, numPoints, seeds }: ExactPoints,
): BatchRunRequest | undefined {
  const { observables, outputs, shots = 0, method } = program;
  const exact = outputs.filter((name) => !isEstimated(program) || !isEstimable(name));
  if (exact.length === 0) return undefined;
  return {
    numCircuits: numPoints,
    ...(formulas === undefined
      ? { angles: Float64Array.from(anglesOf(circuit)) }
      : { angles: rows, formulas }),
    countsOfSingles: true,
    ...methodRequestOf(program),
    ...((exact.includes('counts') || givesMeans(method)) && { shots, seeds: seeds() }),
    ...requestFor(exact, { observables }),
    ...(exact.includes('gradient') && { gradientInputs: program.gradientInputs }),
  };
}

/** Numbers of some points, by result. */
type NumberArrays = Readonly<
  Partial<Record<Exclude<ResultName, 'counts'>, Float64Array | undefined>>
>;

/** Results of consecutive points of a program. */
export class RangeResults {
  readonly #program: CheckedProgram;
  readonly #from: number;
  readonly #numPoints: number;
  readonly #counts: ReturnType<typeof countsOfRow>[] = [];
  readonly #numbers = new Map<ResultName, Float64Array>();

  constructor(program: CheckedProgram, from: number, numPoints: number) {
    this.#program = program;
    this.#from = from;
    this.#numPoints = numPoints;
  }

  /** Sets the results of some of the points. */
  set(points: GroupPoints, batch: RunOutputs): void {
    const { outputs, saves } = this.#program;
    if (outputs.includes('counts')) {
      const numBits = numOutcomeBits(this.#program);
      let row = 0;
      for (const point of points.indices()) {
        this.#counts[point - this.#from] = countsOfRow(batch, row++, numBits);
      }
    }
    const arrays: Required<NumberArrays> = {
      expectation: batch.expectations,
      standard_error: batch.standardErrors,
      variance: batch.variances,
      gradient: batch.gradients,
      probabilities: batch.probabilities,
      statevector: batch.statevectors,
      truncation_error: batch.truncationErrors,
      largest_bond: batch.largestBonds,
      saved: saves && batch.saved && flattened(batch.saved, saves, points.length),
    };
    this.setNumbers(points, arrays);
  }

  /** Sets numbers of some of the points, those of gradients by all inputs. */
  setNumbers(points: GroupPoints, arrays: NumberArrays): void {
    for (const result of resultsOf(this.#program)) {
      const numbers = result === 'counts' ? undefined : arrays[result];
      if (numbers === undefined) continue;
      const wanted = result === 'gradient' ? this.#byInputsAsked(numbers) : numbers;
      this.#setNumbers(result, points, wanted);
    }
  }

  #setNumbers(result: ResultName, points: GroupPoints, numbers: Float64Array): void {
    if (points.length === this.#numPoints) {
      this.#numbers.set(result, numbers);
      return;
    }
    const each = numbersOf(this.#program, result);
    const out = this.#numbers.get(result) ?? new Float64Array(this.#numPoints * each);
    this.#numbers.set(result, out);
    let row = 0;
    for (const point of points.indices()) {
      out.set(numbers.subarray(row * each, (row + 1) * each), (point - this.#from) * each);
      row++;
    }
  }

  /** Derivatives by the inputs that were asked for, of derivatives by all. */
  #byInputsAsked(gradients: Float64Array): Float64Array {
    const { gradientInputs, inputs } = this.#program;
    const numInputs = inputs.names.length;
    const areAll = gradientInputs.length === numInputs;
    if (areAll && gradientInputs.every((input, i) => input === i)) return gradients;
    const numRows = gradients.length / numInputs;
    const picked = new Float64Array(numRows * gradientInputs.length);
    for (let row = 0, at = 0; row < numRows; row++) {
      for (const input of gradientInputs) picked[at++] = gradients[row * numInputs + input]!;
    }
    return picked;
  }

  /** The results as parts. */
  parts(program: number): readonly JobPart[] {
    const place = { from: this.#from, to: this.#from + this.#numPoints };
    return resultsOf(this.#program).map((result) => {
      const numbers = this.#numbers.get(result);
      const bytes =
        numbers === undefined ? countsBytes(this.#program, this.#counts) : numberBytes(numbers);
      return { series: seriesOf(program, result), ...place, bytes };
    });
  }
}
