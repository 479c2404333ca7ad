/**
 * Batch jobs: many programs, each with a sweep of its inputs, run as one job.
 *
 * Small bodies are read in the main thread, others in a process. The programs of a submitted batch are kept until its
 * job runs; after a restart they are read from the store.
 */
import { StepsSpentError } from '../../circuit/openqasm/circuit-builder.ts';
import type { ComingRun, Processor } from '../../fleet/processor.ts';
import { levelOf, type RunWork, runWork } from '../../fleet/schedule/scheduled-run.ts';
import { placeOnScale, type RunState } from '../../fleet/schedule/width-scale.ts';
import { factsOfShape } from '../../fleet/workers/sent-batch.ts';
import { JobCancelledError } from '../../jobs/errors.ts';
import { type Job, type JobId, type JobQueueing, labelsOf } from '../../jobs/job.ts';
import type { JobHooks, WaitingJob } from '../../jobs/job-handler.ts';
import { methodRequestOf } from '../circuits/check-method.ts';
import { submissionHeaders } from '../circuits/circuit-schema.ts';
import { liveTargetsOf, targetsOf } from '../circuits/targets.ts';
import { readInProcess } from '../http/reading/reading.ts';
import {
  type ComingJob,
  defineJobKind,
  type JobBody,
  type JobKindDeps,
  type ServedJobs,
} from '../jobs/job-kind.ts';
import { BATCHES } from '../jobs/job-resources.ts';
import { viewJob } from '../jobs/job-view.ts';
import { MAX_CHARACTERS_IN_FLIGHT } from '../jobs/procedure-jobs.ts';
import { storedBodyJson } from '../jobs/stored-request.ts';
import type { CheckedProgram } from './batch-program.ts';
import { batchResultText } from './batch-result.ts';
import { type BatchSummary, batchRecord, batchSummary } from './batch-schema.ts';
import { DeviceRuns } from './device-runs.ts';
import { EngineRuns } from './engine-runs.ts';
import { FIT_READING } from './fit-batch.ts';
import {
  BATCH_READING,
  type BatchContext,
  type BatchSubmission,
  batchFactsOf,
  checkedPrograms,
  readBatch,
  STORED_BATCH_READING,
  storedBatch,
} from './read-batch.ts';
import { runBatchJob } from './run-batch-job.ts';

/** Greatest length of a request that is read in the main thread, and the steps of each of its programs. */
const SMALL_BATCH = { length: 16_384, steps: 2_000 };

/** Time by which keys are charged for a batch, milliseconds. Its runs take turns with others' in the node's own queue. */
const BATCH_COST_MS = 100;

/** Definition of batch jobs. */
export const BATCH_KIND = defineJobKind({
  resource: BATCHES,
  summary: batchSummary,
  record: batchRecord,
  headers: submissionHeaders,
  waitsForResult: true,
  maxCharactersInFlight: 4 * MAX_CHARACTERS_IN_FLIGHT,
  readings: [BATCH_READING, STORED_BATCH_READING, FIT_READING],
  serve: (deps) => new BatchJobs(deps),
});

/** Batches on the fleet's processors. */
export class BatchJobs implements ServedJobs<BatchSubmission> {
  readonly #deps: Pick<JobKindDeps, 'fleet' | 'readers' | 'jobs' | 'now'>;
  /** Programs of jobs that are about to run. */
  readonly #submitted = new Map<JobId, readonly CheckedProgram[]>();
  /** The body of POST /quantum/batches. */
  readonly body: JobBody<BatchSubmission, BatchContext>;

  constructor(deps: Pick<JobKindDeps, 'fleet' | 'readers' | 'jobs' | 'now'>) {
    this.#deps = deps;
    this.body = {
      path: BATCHES.path,
      reading: BATCH_READING,
      context: () => ({ targets: targetsOf(deps.fleet) }),
      readSmall: (body, numBytes) =>
        unlessLong(numBytes, (maxSteps) => readBatch(body, liveTargetsOf(deps.fleet), maxSteps)),
    };
  }

  /**
   * Reserves a place at the processor and keeps the programs for the run.
   *
   * @throws {ProcessorUnavailableError | CircuitTooLargeError | CircuitTooLongError | QueueFullError}
   */
  admit({ target, programs }: BatchSubmission, { id, key }: ComingJob): Disposable {
    const processor = this.#deps.fleet.get(target);
    processor?.admit({
      id,
      keyId: key.id,
      ...heaviestPoint(programs),
      together: programs.map(workOf),
    });
    this.#submitted.set(id, programs);
    return {
      [Symbol.dispose]: () => {
        this.#submitted.delete(id);
        processor?.withdraw(id);
      },
    };
  }

  queueing({ id, priority, target, request }: WaitingJob): JobQueueing {
    const level = levelOf(priority, batchFactsOf(request).tier);
    const processor = this.#deps.fleet.get(target);
    const line = processor?.runOnDevice === undefined ? 'batch' : 'hardware';
    const width = line === 'hardware' ? 0 : placeOnScale(this.#runsOf(id, processor));
    return { line, level, costMs: BATCH_COST_MS, width };
  }

  /** Runs of a batch. A batch whose programs are not known counts as one run of the processor's full width. */
  #runsOf(id: JobId, processor: Processor | undefined): readonly RunState[] {
    const programs = this.#submitted.get(id);
    if (programs !== undefined) return programs.map(workOf);
    const { device, maxQubits = 0 } = processor?.spec ?? {};
    return [{ numQubits: device?.emulation?.maxUsedQubits ?? maxQubits }];
  }

  expectedWaitMs({ target }: BatchSubmission): number | undefined {
    return this.#deps.fleet.get(target)?.load().expectedWaitMs;
  }

  storedBody({ bodyJson }: BatchSubmission): string {
    return bodyJson;
  }

  async submissionOf(job: Job, signal: AbortSignal): Promise<BatchSubmission> {
    const { request, priority, target } = job;
    const { points, seed } = batchFactsOf(request);
    return {
      target,
      programs: await this.#programsOf(job, signal),
      points,
      seed,
      priority,
      ...labelsOf(job),
      facts: { points },
      bodyJson: storedBodyJson(request),
    };
  }

  async run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string> {
    const processor = this.#processorOf(job);
    const { now } = this.#deps;
    try {
      const programs = await this.#programsOf(job, signal);
      const runs =
        processor.runOnDevice === undefined
          ? new EngineRuns(job, programs, processor)
          : await this.#deviceRuns(job, programs, processor, hooks, signal);
      return await runBatchJob(job, programs, { runs, hooks, signal, now });
    } finally {
      processor.withdraw(job.id);
    }
  }

  #deviceRuns(
    job: Job,
    programs: readonly CheckedProgram[],
    processor: Processor,
    hooks: JobHooks,
    signal: AbortSignal,
  ): Promise<DeviceRuns> {
    const { readers, jobs } = this.#deps;
    const { id, keyId, request } = job;
    const caller = { keyId, numBytes: request.length, signal };
    return DeviceRuns.open(job, programs, {
      processor,
      hooks,
      readParts: (after) => jobs().parts(id, after),
      fit: (circuits) => readInProcess(readers, FIT_READING, { text: '' }, circuits, caller),
      // Where one of the batch's jobs fails, the others are of no use.
      isCancelled: (reason) => reason instanceof JobCancelledError || !signal.aborted,
    });
  }

  queuePosition(id: JobId): number | undefined {
    for (const { queuePosition } of this.#firstRuns(id)) {
      if (queuePosition !== undefined) return queuePosition;
    }
    return undefined;
  }

  expectedStart(id: JobId): number | undefined {
    for (const { expectedStart } of this.#firstRuns(id)) {
      if (expectedStart !== undefined) return expectedStart;
    }
    return undefined;
  }

  *#firstRuns(id: JobId) {
    const run = `${id}/0`;
    for (const processor of this.#deps.fleet.processors) {
      yield {
        queuePosition: processor.queuePosition(run),
        expectedStart: processor.expectedStart(run),
      };
    }
  }

  summarize(job: Job): BatchSummary {
    const { points, seed } = batchFactsOf(job.request);
    const fields = viewJob(job, this.#deps.jobs());
    return { batch_id: job.id, processor: job.target, points, seed, ...fields };
  }

  resultText({ id, result = '' }: Job): AsyncIterable<string> {
    return batchResultText(result, (after) => this.#deps.jobs().parts(id, after));
  }

  requestJson({ request }: Job): string {
    return storedBodyJson(request);
  }

  #processorOf({ target }: Job): Processor {
    const processor = this.#deps.fleet.get(target);
    if (processor === undefined) throw new Error('unreachable: a batch without its target');
    return processor;
  }

  /**
   * Programs of a job: the submitted ones the first time, later read from the stored request.
   *
   * @throws {RequestInvalidError | ReadingRefusedError} if its target no longer accepts it.
   * @throws what `Readers.run` throws.
   */
  async #programsOf(
    { id, keyId, request }: Pick<Job, 'id' | 'keyId' | 'request'>,
    signal: AbortSignal,
  ): Promise<readonly CheckedProgram[]> {
    const submitted = this.#submitted.get(id);
    this.#submitted.delete(id);
    if (submitted !== undefined) return submitted;
    const { fleet, readers } = this.#deps;
    const targets = targetsOf(fleet);
    const read = unlessLong(request.length, (maxSteps) =>
      checkedPrograms(storedBatch(request), targets, maxSteps),
    );
    if (read !== undefined) return read;
    const caller = { keyId, numBytes: request.length, signal };
    const text = { text: request };
    const { programs } = await readInProcess(
      readers,
      STORED_BATCH_READING,
      text,
      { targets },
      caller,
    );
    return programs;
  }
}

/** Work of a point of a program. */
function workOf(program: CheckedProgram): RunWork {
  const { groups, shots = 0, observables } = program;
  const request = { shots, seed: 0, observables, ...methodRequestOf(program) };
  return runWork(factsOfShape(groups[0]!.circuit).work, request);
}

/** Work of the point that takes longest. A batch may take long, but not one of its points. */
function heaviestPoint(
  programs: readonly CheckedProgram[],
): Pick<ComingRun, 'work' | 'methodReason'> {
  const sizeOf = (program: CheckedProgram) => {
    const { numQubits, gateCost, trajectories } = workOf(program);
    return 2 ** numQubits * (trajectories?.numEvolutions ?? 1) * (1 + gateCost);
  };
  const heaviest = programs.reduce((most, each) => (sizeOf(each) > sizeOf(most) ? each : most));
  return { work: workOf(heaviest), methodReason: heaviest.methodReason };
}

/** Reads a body in this thread; undefined if that would take too long. */
export function unlessLong<T>(length: number, read: (maxSteps: number) => T): T | undefined {
  if (length > SMALL_BATCH.length) return undefined;
  try {
    return read(SMALL_BATCH.steps);
  } catch (error) {
    if (error instanceof StepsSpentError) return undefined;
    throw error;
  }
}
