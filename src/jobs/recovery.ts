/**
 * Recovery of the jobs that an earlier process left.
 *
 * A process seldom dies because of one of its jobs, so an interrupted job runs again. A job that crashes
 * every process must be given up at some point. Only the other jobs that ran at the time tell the two apart:
 * of k units of work that ran when a process died, each gets a suspicion of 1/k². A job that runs alone is
 * given up after `maxSuspicion` interruptions, one of two that run together after four times as many, and one
 * among many only after very many. So recovery always ends, and a job is hardly ever given up by chance.
 * (Running suspects alone would find the culprit, but would delay everybody else for as long as a suspect
 * takes.)
 *
 * A plan and the tasks that it waits for are one unit of work; the suspicion is on the tasks. A circuit
 * whose caller waits for it is not stored in its first quarter of a second, so work may look more alone than
 * it was. While the process holds a suspect, all circuits are therefore stored before they begin.
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
interface InterruptedOptions {
  readonly store: JobStore;
  /** Job that waits for this one, which is read briefly. */
  readonly parentOf: (job: Job) => JobId | undefined;
  /** True for jobs that this process already runs; they are skipped. */
  readonly isOurs: (id: JobId) => boolean;
  /** Suspicion at which a job is given up. */
  readonly maxSuspicion: number;
  readonly now: () => number;
}

/**
 * Puts all jobs that ran when a process died back into the queue, except those that are given up, which fail.
 * All are written in one transaction: if the process dies meanwhile, all or none are changed, and the next
 * process counts the same jobs.
 *
 * @returns The stored jobs.
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
  const suspects = suspicionOf(running, parentOf, awaited);
  const writes = running.map((job) => {
    const { id, attempts } = job;
    const share = suspects.get(id);
    if (share === undefined) return store.transition(id, 'running', 'queued');
    const suspicion = (job.suspicion ?? 0) + share;
    if (suspicion < maxSuspicion) return store.transition(id, 'running', 'queued', { suspicion });
    const { code, message } = new JobInterruptedError(attempts);
    const error = { code, message };
    return store.transition(id, 'running', 'failed', { finishedAt: now(), suspicion, error });
  });
  return await Promise.all(writes);
}

/**
 * Suspicion that falls on each of the jobs that ran when a process died. Jobs that wait for others, and that are one
 * unit of work with these, are not suspected and left out.
 *
 * @param awaiting - Further jobs that wait for others.
 */
export function suspicionOf(
  running: readonly Job[],
  parentOf: (job: Job) => JobId | undefined,
  awaiting: ReadonlySet<JobId> = new Set(),
): ReadonlyMap<JobId, number> {
  const waiting = new Set([...awaiting, ...running.map(parentOf)]);
  const suspects = running.filter(({ id }) => !waiting.has(id));
  return new Map(suspects.map(({ id }) => [id, 1 / suspects.length ** 2]));
}

/**
 * Walks through the queued jobs, oldest first within a kind, and yields the new record of each:
 * `queued`, to be run, or `failed`, if no handler runs its kind any more.
 *
 * @param isOurs - True for jobs that this process already runs; they are skipped.
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
