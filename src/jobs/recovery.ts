/**
 * Recovery of the jobs that an earlier process left.
 *
 * A process that dies is seldom the fault of a job that ran in it, so an interrupted job runs again;
 * but a job that brings every process down must be given up one day. Nothing tells the two apart but
 * the company: of k pieces of work that ran when a process died, each gets a suspicion of 1/k². Alone
 * a job is given up after `maxSuspicion` interruptions, one of two that crash together after four times
 * as many, and among many only after very many, so that it always ends and chance hardly ever does it.
 * (Running suspects alone would decide guilt, but hold up everybody else for as long as one of them takes.)
 *
 * A plan and the tasks that it waits for are one piece of work, and its tasks bear the suspicion. A
 * circuit that its caller waits for is not seen in its first quarter of a second, so work may look more
 * alone than it was; while a suspect is in hand all circuits are stored before they begin.
 */
import { JobInterruptedError, NoHandlerError } from './errors.ts';
import {
  JOB_KINDS,
  type Job,
  type JobId,
  type JobKind,
  type JobPlace,
  type JobQuery,
} from './job.ts';
import type { JobStore } from './job-store.ts';

const PAGE = 200;

/** Options of `requeueInterrupted`. */
export interface InterruptedOptions {
  readonly store: JobStore;
  /** The job that waits for this one, which is briefly listed. */
  readonly parentOf: (job: Job) => JobId | undefined;
  /** Jobs that this process runs already; they are passed over. */
  readonly isOurs: (id: JobId) => boolean;
  /** Suspicion at which a job is given up. */
  readonly maxSuspicion: number;
  readonly now: () => number;
}

/**
 * Puts all jobs that ran when a process died back into the queue, but those that are given up, which
 * fail. All of them are written in one transaction: a process that dies over it leaves all or none,
 * and the next one knows the same company.
 *
 * @returns The jobs as they are stored afterwards.
 */
export async function requeueInterrupted({
  store,
  parentOf,
  isOurs,
  maxSuspicion,
  now,
}: InterruptedOptions): Promise<readonly Job[]> {
  const running: Job[] = [];
  const awaited = new Set<JobId>();
  for (const kind of JOB_KINDS) {
    const query = { kind, statuses: ['queued', 'running'], isBrief: true } as const;
    for await (const job of oldestFirst(store, query)) {
      const parent = parentOf(job);
      if (parent !== undefined) awaited.add(parent);
      if (job.status === 'running' && !isOurs(job.id)) running.push(job);
    }
  }
  const isWaiting = ({ id }: Job) => awaited.has(id);
  const share = 1 / running.filter((job) => !isWaiting(job)).length ** 2;
  const writes = running.map((job) => {
    const { id, attempts } = job;
    if (isWaiting(job)) return store.transition(id, 'running', 'queued');
    const suspicion = (job.suspicion ?? 0) + share;
    if (suspicion < maxSuspicion) return store.transition(id, 'running', 'queued', { suspicion });
    const { code, message } = new JobInterruptedError(attempts);
    const error = { code, message };
    return store.transition(id, 'running', 'failed', { finishedAt: now(), suspicion, error });
  });
  return await Promise.all(writes);
}

/**
 * Goes through the queued jobs, oldest first within a kind, and yields each as it is stored afterwards:
 * `queued`, to be run; or `failed`, when nothing runs its kind any more.
 *
 * @param isOurs - Jobs that this process runs already; they are passed over.
 */
export async function* leftoverJobs(
  store: JobStore,
  runs: (kind: JobKind) => boolean,
  isOurs: (id: JobId) => boolean,
  now: () => number,
): AsyncGenerator<Job, void, undefined> {
  for (const kind of JOB_KINDS) {
    for await (const job of oldestFirst(store, { kind, statuses: ['queued'] })) {
      if (isOurs(job.id)) continue;
      if (runs(kind)) {
        yield job;
        continue;
      }
      const { code, message } = new NoHandlerError(kind);
      const error = { code, message };
      yield await store.transition(job.id, 'queued', 'failed', { finishedAt: now(), error });
    }
  }
}

async function* oldestFirst(
  store: JobStore,
  query: Pick<JobQuery, 'kind' | 'statuses' | 'isBrief'>,
): AsyncGenerator<Job, void, undefined> {
  let page: readonly Job[];
  let after: JobPlace | undefined;
  do {
    const from = after && { after };
    page = await store.list({ ...query, ...from, oldestFirst: true, limit: PAGE });
    after = page.at(-1);
    yield* page;
  } while (page.length === PAGE);
}
