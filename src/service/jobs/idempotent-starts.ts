/** Idempotent submission: a repeated request returns the job that the first one started. */
import { JobNotFoundError } from '../../jobs/errors.ts';
import { type Job, type JobId, type JobKind, wasInterrupted } from '../../jobs/job.ts';
import { newJobId } from '../../jobs/job-id.ts';
import { specCodeOf } from '../error-table.ts';
import type { ServiceDeps } from '../service-deps.ts';

/** Identity of a request, by which a repeat is recognized. */
export interface Idempotency {
  readonly key: string;
  /** Hash of path and body. */
  readonly bodyHash: string;
}

/** Identity of a request; undefined without an idempotency key. */
export function idempotencyOf(
  key: string | undefined,
  bodyHash: string | undefined,
): Idempotency | undefined {
  return key === undefined || bodyHash === undefined ? undefined : { key, bodyHash };
}

/** Job started by this request, or by an earlier one with the same key. */
export interface StartedJob {
  readonly job: Job;
  /**
   * Answer that the earlier request got. Undefined if it is unknown; if the job was final then, because its
   * record cannot change; or if the service has restarted since, because that run was lost.
   */
  readonly storedAnswer?: string;
  readonly isReplay: boolean;
}

/** Dependencies of `IdempotentStarts`. */
export type IdempotentStartsDeps = Pick<ServiceDeps, 'idempotency' | 'now'> & {
  readonly jobs: Pick<ServiceDeps['jobs'], 'get'>;
};

/** Stored as the answer if the job was final. */
const FINAL = '';

/** Starts jobs of one kind idempotently. */
export class IdempotentStarts {
  readonly #deps: IdempotentStartsDeps;
  readonly #kind: JobKind;
  /** Claims in progress, by key and idempotency key. The second of two requests waits for the first. */
  readonly #claiming = new Map<string, Promise<StartedJob>>();
  /** Claims of refused jobs that could not be released because the database was not writable. */
  readonly #unreleased = new Set<string>();

  constructor(deps: IdempotentStartsDeps, kind: JobKind) {
    this.#deps = deps;
    this.#kind = kind;
  }

  /**
   * Starts a job, or returns the one that the idempotency key stands for.
   *
   * @param start - Submits the job synchronously. If it throws, no job is created and the key is free again.
   * @throws {IdempotencyConflictError} if the key stands for another request.
   */
  async startOrFind(
    keyId: string,
    idempotency: Idempotency | undefined,
    start: (id: JobId) => Promise<Job>,
  ): Promise<StartedJob> {
    if (idempotency === undefined) {
      return { job: await start(newJobId(this.#kind)), isReplay: false };
    }
    const name = nameOf(keyId, idempotency.key);
    for (;;) {
      const earlier = this.#claiming.get(name);
      if (earlier === undefined) break;
      await earlier.catch(() => undefined);
    }
    const claiming = this.#claim(keyId, idempotency, start);
    this.#claiming.set(name, claiming);
    try {
      return await claiming;
    } finally {
      this.#claiming.delete(name);
    }
  }

  /**
   * Stores the answer to a request.
   *
   * @param job - The job as it was answered.
   */
  async settle(keyId: string, { key }: Idempotency, job: Job, answer: string): Promise<void> {
    const { idempotency } = this.#deps;
    if (job.status === 'failed' && isPassing(job)) {
      // A refusal may be temporary, so a repeat must run again instead of getting the same error.
      await idempotency.release(keyId, key);
      return;
    }
    const isOpen = job.status === 'queued' || job.status === 'running';
    await idempotency.settle(keyId, key, isOpen ? answer : FINAL);
  }

  async #claim(
    keyId: string,
    { key: idempotencyKey, bodyHash }: Idempotency,
    start: (id: JobId) => Promise<Job>,
  ): Promise<StartedJob> {
    const { idempotency, now } = this.#deps;
    const jobId = newJobId(this.#kind);
    const request = { keyId, idempotencyKey, bodyHash, jobId, now: now() };
    const name = nameOf(keyId, idempotencyKey);
    if (this.#unreleased.has(name)) await this.#release(name, keyId, idempotencyKey);
    const claim = await idempotency.claim(request);
    if (claim.kind === 'replay') return this.#replay(claim.jobId, claim.response);
    try {
      return { job: await start(jobId), isReplay: false };
    } catch (error) {
      this.#unreleased.add(name);
      await this.#release(name, keyId, idempotencyKey);
      throw error;
    }
  }

  async #release(name: string, keyId: string, idempotencyKey: string): Promise<void> {
    await this.#deps.idempotency.release(keyId, idempotencyKey);
    this.#unreleased.delete(name);
  }

  async #replay(jobId: JobId, response: string | undefined): Promise<StartedJob> {
    const job = await this.#deps.jobs.get(jobId);
    // Finished jobs may be deleted before their idempotency key expires.
    if (job === undefined) throw new JobNotFoundError(jobId);
    const isKnown = response !== undefined && response !== FINAL && !wasInterrupted(job);
    return { job, isReplay: true, ...(isKnown ? { storedAnswer: response } : {}) };
  }
}

function nameOf(keyId: string, idempotencyKey: string): string {
  return `${keyId} ${idempotencyKey}`;
}

function isPassing(job: Job): boolean {
  return specCodeOf(job.error?.code ?? '') === 'SERVICE_UNAVAILABLE';
}
