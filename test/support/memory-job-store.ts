/**
 * Jobs in memory, for tests.
 *
 * It is the reference for a store's behaviour; the SQLite store passes the same suite. A listing sorts all
 * matches, which is fast enough for the thousands of jobs of a test.
 */
import { DuplicateJobError, JobNotFoundError, JobTransitionError } from '../../src/jobs/errors.ts';
import {
  BRIEF_REQUEST_LENGTH,
  isFinal,
  type Job,
  type JobId,
  type JobPatch,
  type JobPlace,
  type JobQuery,
  type JobStatus,
  movedJob,
  type NewJob,
  TRANSITIONS,
} from '../../src/jobs/job.ts';
import type { JobStore } from '../../src/jobs/job-store.ts';

/** JobStore whose jobs end with the process. */
export class MemoryJobStore implements JobStore {
  readonly #jobs = new Map<JobId, Job>();

  async create(job: NewJob | Job): Promise<Job> {
    if (this.#jobs.has(job.id)) throw new DuplicateJobError(job.id);
    const created: Job = { status: 'queued', attempts: 0, ...job };
    this.#jobs.set(job.id, created);
    return created;
  }

  async get(id: JobId): Promise<Job | undefined> {
    return this.#jobs.get(id);
  }

  async list(query: JobQuery): Promise<readonly Job[]> {
    const sign = query.oldestFirst ? 1 : -1;
    return [...this.#jobs.values()]
      .filter((job) => matches(job, query))
      .sort((a, b) => (isOlder(a, b) ? -sign : sign))
      .slice(0, query.limit)
      .map((job) => (query.isBrief ? brief(job) : job));
  }

  async transition(id: JobId, from: JobStatus, to: JobStatus, patch: JobPatch = {}): Promise<Job> {
    const job = this.#jobs.get(id);
    if (job === undefined) throw new JobNotFoundError(id);
    if (job.status !== from || !TRANSITIONS[from].includes(to)) {
      throw new JobTransitionError(id, from, to, job.status);
    }
    const moved = movedJob(job, to, patch);
    this.#jobs.set(id, moved);
    return moved;
  }

  async remove(id: JobId): Promise<boolean> {
    const job = this.#jobs.get(id);
    return job !== undefined && isFinal(job.status) && this.#jobs.delete(id);
  }

  async failDamaged(): Promise<number> {
    return 0;
  }
}

function brief({ result: _, request, ...rest }: Job): Job {
  return { ...rest, request: request.slice(0, BRIEF_REQUEST_LENGTH) };
}

function matches(job: Job, query: JobQuery): boolean {
  return (
    (query.kind === undefined || job.kind === query.kind) &&
    (query.keyId === undefined || job.keyId === query.keyId) &&
    (query.statuses === undefined || query.statuses.includes(job.status)) &&
    (query.name === undefined || job.name === query.name) &&
    (query.tags === undefined || query.tags.every((tag) => job.tags?.includes(tag))) &&
    (query.createdFrom === undefined || job.createdAt >= query.createdFrom) &&
    (query.createdBefore === undefined || job.createdAt < query.createdBefore) &&
    (query.before === undefined || isOlder(job, query.before)) &&
    (query.after === undefined || isOlder(query.after, job))
  );
}

function isOlder(a: JobPlace, b: JobPlace): boolean {
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt;
}
