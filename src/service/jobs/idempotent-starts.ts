/** Idempotency: a repeated request finds the job that the first one started. */
import { JobNotFoundError } from '../../jobs/errors.ts';
import { type Job, type JobId, type JobKind, wasInterrupted } from '../../jobs/job.ts';
import { newJobId } from '../../jobs/job-id.ts';
import { specCodeOf } from '../error-table.ts';
import type { ServiceDeps } from '../service-deps.ts';

/** Identity of a request that may be repeated. */
export interface Idempotency {
  readonly key: string;
  /** Hash of path and body. */
  readonly bodyHash: string;
}

/** Identity of a request; undefined where it came without a key. */
export function idempotencyOf(
  key: string | undefined,
  bodyHash: string | undefined,
): Idempotency | undefined {
  return key === undefined || bodyHash === undefined ? undefined : { key, bodyHash };
}

/** A job that a request started, or an earlier one with the same key. */
export interface StartedJob {
  readonly job: Job;
  /**
   * The answer that the earlier request was given; undefined where it is not known, where the job
   * was final then, whose record says it all and cannot change, and where the service died under the
   * job since: the answer spoke of a run that has come to nothing.
   */
  readonly storedAnswer?: string;
  readonly isReplay: boolean;
}

/** Dependencies of `IdempotentStarts`. */
export type IdempotentStartsDeps = Pick<ServiceDeps, 'idempotency' | 'now'> & {
  readonly jobs: Pick<ServiceDeps['jobs'], 'get'>;
};

/** Stored as the answer where the job was final. */
const FINAL = '';

/** Starts jobs of one kind. */
export class IdempotentStarts {
  readonly #deps: IdempotentStartsDeps;
  readonly #kind: JobKind;
  /** Claims under way, by key and idempotency key: the second of two waits for the first. */
  readonly #claiming = new Map<string, Promise<StartedJob>>();
  /** Claims whose job was refused while the database could not be written: they are still to be released. */
  readonly #unreleased = new Set<string>();

  constructor(deps: IdempotentStartsDeps, kind: JobKind) {
    this.#deps = deps;
    this.#kind = kind;
  }

  /**
   * Starts a job, or finds the one that the idempotency key already stands for.
   *
   * @param start - Submits the job in the turn in which it is called. What it throws creates no job,
   *   and the key is free again.
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
   * Stores what the request was answered.
   *
   * @param job - As it was answered.
   */
  async settle(keyId: string, { key }: Idempotency, job: Job, answer: string): Promise<void> {
    const { idempotency } = this.#deps;
    if (job.status === 'failed' && isPassing(job)) {
      // What failed may be back soon: a repeat is then to run, not to be told of the failure again.
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
    // Finished jobs are deleted after a time that may be no longer than the key's.
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
