/**
 * Base of jobs of one circuit and of batches. Programs are checked when they are submitted, and kept until the job
 * runs, so that they are not read twice; after a restart they are read from the stored request.
 */

import { StepsSpentError } from '../../circuit/circuit-limits.ts';
import type { JobQueueing, WaitingJob } from '../../cluster/shared-job.ts';
import type { ComingRun, Processor } from '../../fleet/processor.ts';
import { levelOf } from '../../fleet/schedule/scheduled-run.ts';
import type { Job, JobId } from '../../jobs/job.ts';
import type { Tier } from '../http/api-key.ts';
import { isoTime } from '../http/envelope.ts';
import { type Reading, readInProcess } from '../http/reading/reading.ts';
import type { ComingJob, JobKindDeps, JobSubmission } from '../jobs/job-kind.ts';
import { storedBodyJson, storedFacts } from '../jobs/stored-request.ts';
import { type Estimate, estimateOf, type PlannedJob } from './run-estimate.ts';
import { type Target, targetsOf } from './targets.ts';

/** Processors that a submission is checked against. */
export interface CircuitContext {
  readonly targets: readonly Target[];
}

/** Programs that will become a job. */
interface ProgramSubmission extends JobSubmission {
  /** Body that is stored and shown, JSON text. */
  readonly bodyJson: string;
}

/** Jobs whose programs run on the fleet's processors. */
export abstract class ProgramJobs<Submission extends ProgramSubmission, Checked> {
  protected readonly deps: Pick<JobKindDeps, 'fleet' | 'readers' | 'jobs' | 'now'>;
  /** Programs of jobs that are about to run. */
  readonly #submitted = new Map<JobId, Checked>();

  constructor(deps: Pick<JobKindDeps, 'fleet' | 'readers' | 'jobs' | 'now'>) {
    this.deps = deps;
  }

  protected abstract readonly kind: Estimate['kind'];
  /** Reading of the stored request in a process. */
  protected abstract readonly storedReading: Reading<CircuitContext, Checked>;
  /** Expected time of a job on hardware, milliseconds. */
  protected abstract readonly hardwareCostMs: number;

  /** The part of a submission that is kept until the job runs. */
  protected abstract checkedOf(submission: Submission): Checked;

  /** The runs that the job will make. */
  protected abstract planned(
    submission: Submission,
    seed: number,
  ): PlannedJob | Promise<PlannedJob>;

  /** Time until the job would start, milliseconds; undefined or infinite while nobody knows. */
  abstract expectedWaitMs(submission: Submission): number | undefined;

  /** The coming run, for which the processor reserves a place. */
  protected abstract comingRun(
    submission: Submission,
    seed: number,
  ): Pick<ComingRun, 'work' | 'together' | 'methodReason'>;

  /** Reads a stored request in this thread; undefined if that would take too long. */
  protected abstract readSmall(text: string, targets: readonly Target[]): Checked | undefined;

  /** Queueing of a job that runs on engines; its programs are given if known. */
  protected abstract queueingOnEngines(
    job: WaitingJob,
    processor: Processor | undefined,
    submitted: Checked | undefined,
  ): Omit<JobQueueing, 'level'>;

  /** Id of the run of a job that is in the queue first. */
  protected abstract firstRunOf(id: JobId): string;

  /**
   * Reserves a place at the processor and keeps the programs for the run.
   *
   * @throws {ProcessorUnavailableError | CircuitTooLargeError | CircuitTooLongError | QueueFullError}
   */
  admit(submission: Submission, { id, key, seed }: ComingJob): Disposable {
    const processor = this.deps.fleet.get(submission.target);
    processor?.admit({ id, keyId: key.id, ...this.comingRun(submission, seed) });
    this.#submitted.set(id, this.checkedOf(submission));
    return {
      [Symbol.dispose]: () => {
        this.#submitted.delete(id);
        processor?.withdraw(id);
      },
    };
  }

  /**
   * Estimate of a job, which is not submitted. It refuses what `admit` refuses, and keeps no place.
   *
   * @throws what `admit` throws.
   */
  async estimate(
    submission: Submission,
    { id, key }: Pick<ComingJob, 'id' | 'key'>,
  ): Promise<Estimate> {
    const { seed = 0 } = submission;
    const planned = await this.planned(submission, seed);
    using _place = this.admit(submission, { id, key, seed });
    const processor = this.processorOf(submission);
    const waitMs = this.expectedWaitMs(submission) ?? Number.POSITIVE_INFINITY;
    return {
      ...estimateOf(this.kind, planned, processor),
      ...(Number.isFinite(waitMs) && { expected_start_at: isoTime(this.deps.now() + waitMs) }),
    };
  }

  queueing(job: WaitingJob): JobQueueing {
    // The cast is safe: a request is stored with its facts; earlier versions stored no tier.
    const { tier = 'standard' } = storedFacts(job.request) as { readonly tier?: Tier };
    const level = levelOf(job.priority, tier);
    const processor = this.deps.fleet.get(job.target);
    if (processor?.runOnDevice !== undefined) {
      return { line: 'hardware', level, costMs: this.hardwareCostMs, width: 0 };
    }
    return { level, ...this.queueingOnEngines(job, processor, this.#submitted.get(job.id)) };
  }

  storedBody({ bodyJson }: Submission): string {
    return bodyJson;
  }

  requestJson({ request }: Pick<Job, 'request'>): string {
    return storedBodyJson(request);
  }

  queuePosition(id: JobId): number | undefined {
    return this.#firstOf((processor) => processor.queuePosition(this.firstRunOf(id)));
  }

  expectedStart(id: JobId): number | undefined {
    return this.#firstOf((processor) => processor.expectedStart(this.firstRunOf(id)));
  }

  #firstOf(ask: (processor: Processor) => number | undefined): number | undefined {
    for (const processor of this.deps.fleet.processors) {
      const found = ask(processor);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  protected processorOf({ target }: Pick<Job, 'target'>): Processor {
    const processor = this.deps.fleet.get(target);
    if (processor === undefined) throw new Error('unreachable: a job without its target');
    return processor;
  }

  /** Forgets the programs of a job that will be read again. */
  protected forget(id: JobId): void {
    this.#submitted.delete(id);
  }

  /**
   * The programs of a job: the submitted ones the first time, later read from the stored request.
   *
   * @throws {RequestInvalidError | RelayedError} if its target no longer accepts it.
   * @throws what `Readers.run` throws.
   */
  async programsOf(
    { id, keyId, request }: Pick<Job, 'id' | 'keyId' | 'request'>,
    signal: AbortSignal,
  ): Promise<Checked> {
    const submitted = this.#submitted.get(id);
    this.#submitted.delete(id);
    if (submitted !== undefined) return submitted;
    const targets = targetsOf(this.deps.fleet);
    const read = this.readSmall(request, targets);
    if (read !== undefined) return read;
    const caller = { keyId, numBytes: request.length, signal };
    const source = { text: request };
    return readInProcess(this.deps.readers, this.storedReading, source, { targets }, caller);
  }
}

/** Result of `read`; undefined if its budget of steps is spent. */
export function unlessSpent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof StepsSpentError) return undefined;
    throw error;
  }
}
