/** Submits tasks, plans and TPU jobs: all of them answer at once, with the record of a queued job. */
import type { Job, JobId, JobKind, JobLabels, JobPriority } from '../../jobs/job.ts';
import { InFlightLimitError, WorkMemoryError } from '../errors.ts';
import type { ApiKey } from '../keys/api-key.ts';
import { checkStorage } from '../limits/storage-quota.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { effectivePriority } from './effective-priority.ts';
import { type Idempotency, IdempotentStarts, type StartedJob } from './idempotent-starts.ts';

/** Of the requests of one kind that wait or run, so that inputs of the largest size do not fill memory. */
const MAX_CHARACTERS = 128 * 1024 * 1024;

/** Work that is to become a job. */
export interface WorkSubmission {
  readonly key: ApiKey;
  readonly idempotency: Idempotency | undefined;
  readonly priority: JobPriority | undefined;
  readonly labels: JobLabels;
  readonly target: string;
  /** Jobs that it comes to, itself included. */
  readonly numJobs: number;
  /** The stored text, made once the job's id is known. */
  readonly request: (id: JobId) => string;
  /**
   * Sees to it that the work would be taken now; throws otherwise.
   *
   * @returns What gives up the place in a queue that was kept for it, if any was.
   */
  readonly admit: (id: JobId) => Disposable | undefined;
  /** The job that is run again. */
  readonly retryOf?: JobId;
}

/** What is answered. */
export interface WorkAnswer extends StartedJob {
  /** The record's JSON text. */
  readonly json: string;
}

type WorkSubmitterDeps = Pick<ServiceDeps, 'idempotency' | 'now' | 'jobs' | 'settings' | 'usage'>;

/** Submits work of one kind. */
export class WorkSubmitter {
  readonly #deps: WorkSubmitterDeps;
  readonly #kind: JobKind;
  readonly #plural: 'tasks' | 'TPU jobs';
  readonly #starts: IdempotentStarts;

  constructor(deps: WorkSubmitterDeps, kind: JobKind, plural: 'tasks' | 'TPU jobs') {
    this.#deps = deps;
    this.#kind = kind;
    this.#plural = plural;
    this.#starts = new IdempotentStarts(deps, kind);
  }

  /**
   * Creates the job, or finds the one that an idempotency key already stands for.
   *
   * @param recordJson - Writes its record.
   * @throws what `admit` throws, {InFlightLimitError}, {RunnerClosedError}, {StorageQuotaError} and
   *   {StorageFullError}, and creates no job.
   * @throws {IdempotencyConflictError}
   */
  async submit(
    submission: WorkSubmission,
    recordJson: (job: Job) => Promise<string>,
  ): Promise<WorkAnswer> {
    const { key, idempotency } = submission;
    const started = await this.#starts.startOrFind(key.id, idempotency, (id) =>
      this.#start(submission, id),
    );
    if (started.storedAnswer !== undefined) return { ...started, json: started.storedAnswer };
    const json = await recordJson(started.job);
    if (idempotency !== undefined) {
      await this.#starts.settle(key.id, idempotency, started.job, json);
    }
    return { ...started, json };
  }

  async #start(submission: WorkSubmission, id: JobId): Promise<Job> {
    const { key, target, priority, labels, numJobs, request, admit, retryOf } = submission;
    const { jobs, settings, now } = this.#deps;
    checkStorage(this.#deps, key);
    const limit = settings.inFlightLimits[key.tier];
    if (jobs.inFlight(this.#kind, key.id) + numJobs > limit) {
      throw new InFlightLimitError(key.tier, limit, this.#plural, 1);
    }
    const text = request(id);
    if (jobs.inFlightCharacters(this.#kind) + text.length > MAX_CHARACTERS) {
      throw new WorkMemoryError(this.#plural, MAX_CHARACTERS);
    }
    const place = admit(id);
    try {
      return await jobs.submit({
        id,
        kind: this.#kind,
        keyId: key.id,
        priority: effectivePriority(key, priority),
        target,
        request: text,
        ...labels,
        createdAt: now(),
        ...(retryOf !== undefined && { retryOf }),
      });
    } catch (error) {
      place?.[Symbol.dispose]();
      throw error;
    }
  }
}
