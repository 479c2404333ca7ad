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
  type JobPart,
  type JobPartPlace,
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
  readonly #parts = new Map<JobId, readonly JobPart[]>();

  async create(job: NewJob | Job, parts: readonly JobPart[] = []): Promise<Job> {
    if (this.#jobs.has(job.id)) throw new DuplicateJobError(job.id);
    const created: Job = { status: 'queued', attempts: 0, ...job };
    this.#jobs.set(job.id, created);
    this.#put(job.id, parts);
    return created;
  }

  async addParts(id: JobId, parts: readonly JobPart[]): Promise<boolean> {
    const job = this.#jobs.get(id);
    if (job === undefined || isFinal(job.status)) return false;
    this.#put(id, parts);
    return true;
  }

  async partPlaces(id: JobId): Promise<readonly JobPartPlace[]> {
    return (this.#parts.get(id) ?? []).map(({ series, from, to }) => ({ series, from, to }));
  }

  async parts(id: JobId, after?: JobPartPlace): Promise<readonly JobPart[]> {
    const all = this.#parts.get(id) ?? [];
    return all.filter((part) => after === undefined || inOrder(part, after) > 0);
  }

  #put(id: JobId, parts: readonly JobPart[]): void {
    const old = this.#parts.get(id) ?? [];
    const kept = old.filter((each) => !parts.some((part) => inOrder(part, each) === 0));
    this.#parts.set(id, [...kept, ...parts].sort(inOrder));
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
    if (to === 'failed' || to === 'cancelled') this.#parts.delete(id);
    else this.#put(id, patch.parts ?? []);
    return moved;
  }

  async remove(id: JobId): Promise<boolean> {
    const job = this.#jobs.get(id);
    if (job === undefined || !isFinal(job.status)) return false;
    this.#parts.delete(id);
    return this.#jobs.delete(id);
  }

  async failDamaged(): Promise<number> {
    return 0;
  }
}

function inOrder(a: JobPartPlace, b: JobPartPlace): number {
  return a.series - b.series || a.from - b.from;
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
    (query.words ?? []).every((word) => isFound(job, word)) &&
    (query.createdFrom === undefined || job.createdAt >= query.createdFrom) &&
    (query.createdBefore === undefined || job.createdAt < query.createdBefore) &&
    (query.before === undefined || isOlder(job, query.before)) &&
    (query.after === undefined || isOlder(query.after, job))
  );
}

function isFound({ id, kind, status, name = '', target }: Job, word: string): boolean {
  const texts = [name, target].map((each) =>
    each.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  );
  return (
    [kind, status].some((each) => each === word) ||
    id.startsWith(word) ||
    texts.some((each) => each.includes(word))
  );
}

function isOlder(a: JobPlace, b: JobPlace): boolean {
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt;
}
