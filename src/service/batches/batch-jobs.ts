/**
 * Batch jobs: many programs, each with a sweep of its inputs, run as one job.
 *
 * Small bodies are read in the main thread, others in a process.
 */
import type { Processor } from '../../fleet/processor.ts';
import { JobCancelledError } from '../../jobs/errors.ts';
import { type Job, labelsOf } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import { submissionHeaders } from '../circuits/circuit-schema.ts';
import { FIT_READING } from '../circuits/fitted-circuit.ts';
import type { CircuitContext } from '../circuits/program-jobs.ts';
import type { PlannedJob } from '../circuits/run-estimate.ts';
import { liveTargetsOf, type Target, targetsOf } from '../circuits/targets.ts';
import { readInProcess } from '../http/reading/reading.ts';
import {
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
import { ManyRunJobs, type Programs, unlessLong } from './many-run-jobs.ts';
import {
  BATCH_READING,
  type BatchSubmission,
  batchFactsOf,
  checkedPrograms,
  readBatch,
  STORED_BATCH_READING,
  storedBatch,
} from './read-batch.ts';
import { plannedProgram, runBatchJob } from './run-batch-job.ts';

/** Definition of batch jobs. */
export const BATCH_KIND = defineJobKind({
  resource: BATCHES,
  summary: batchSummary,
  record: batchRecord,
  headers: submissionHeaders,
  waitsForResult: 'always',
  maxCharactersInFlight: 4 * MAX_CHARACTERS_IN_FLIGHT,
  readings: [BATCH_READING, STORED_BATCH_READING, FIT_READING],
  serve: (deps) => new BatchJobs(deps),
});

/** Batches on the fleet's processors. */
export class BatchJobs
  extends ManyRunJobs<CheckedProgram, BatchSubmission>
  implements ServedJobs<BatchSubmission>
{
  protected readonly kind = 'batch';
  /** The body of POST /quantum/batches. */
  readonly body: JobBody<BatchSubmission, CircuitContext>;
  protected readonly storedReading = STORED_BATCH_READING;

  constructor(deps: Pick<JobKindDeps, 'fleet' | 'readers' | 'jobs' | 'now'>) {
    super(deps);
    this.body = {
      path: BATCHES.path,
      reading: BATCH_READING,
      context: () => ({ targets: targetsOf(deps.fleet) }),
      readSmall: (body, numBytes) =>
        unlessLong(numBytes, (maxSteps) => readBatch(body, liveTargetsOf(deps.fleet), maxSteps)),
    };
  }

  protected readSmall(
    text: string,
    targets: readonly Target[],
  ): Programs<CheckedProgram> | undefined {
    return unlessLong(text.length, (maxSteps) => ({
      programs: checkedPrograms(storedBatch(text), targets, maxSteps),
    }));
  }

  protected async planned({ programs }: BatchSubmission): Promise<PlannedJob> {
    return { listed: 'programs', parts: await Promise.all(programs.map(plannedProgram)) };
  }

  async submissionOf(job: Job, signal: AbortSignal): Promise<BatchSubmission> {
    const { request, priority, target } = job;
    const { points, seed } = batchFactsOf(request);
    return {
      target,
      ...(await this.programsOf(job, signal)),
      points,
      seed,
      priority,
      ...labelsOf(job),
      facts: { points },
      bodyJson: storedBodyJson(request),
    };
  }

  async run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string> {
    const processor = this.processorOf(job);
    const { now } = this.deps;
    try {
      const { programs } = await this.programsOf(job, signal);
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
    const { readers, jobs } = this.deps;
    const { id, keyId, request } = job;
    const caller = { keyId, numBytes: request.length, signal };
    return DeviceRuns.open(job, programs, {
      processor,
      hooks,
      readParts: (after) => jobs().parts(id, after),
      fit: (circuits) => readInProcess(readers, FIT_READING, { text: '' }, circuits, caller),
      // If one of the batch's jobs fails, the others are of no use.
      isCancelled: (reason) => reason instanceof JobCancelledError || !signal.aborted,
    });
  }

  summarize(job: Job): BatchSummary {
    const { points, seed } = batchFactsOf(job.request);
    const fields = viewJob(job, this.deps.jobs());
    return { batch_id: job.id, processor: job.target, points, seed, ...fields };
  }

  resultText({ id, result = '' }: Job): AsyncIterable<string> {
    return batchResultText(result, (after) => this.deps.jobs().parts(id, after));
  }
}
