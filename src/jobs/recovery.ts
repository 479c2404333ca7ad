/** What an earlier process left behind, brought back to where it can run again. */
import { JobInterruptedError, NoHandlerError } from './errors.ts';
import { JOB_KINDS, type Job, type JobId, type JobKind } from './job.ts';
import type { JobStore } from './job-store.ts';

/** A job is started at most so often without coming to an end. */
const MAX_ATTEMPTS = 2;
const PAGE = 200;

/**
 * Goes through the unfinished jobs, oldest first within a kind, and yields each as it is stored
 * afterwards: `queued`, to be run again; or `failed`, when nothing runs its kind any more or it was
 * interrupted as often as it may be.
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
    let page: readonly Job[];
    let after: JobId = '';
    do {
      const statuses = ['queued', 'running'] as const;
      page = await store.list({ kind, statuses, after, oldestFirst: true, limit: PAGE });
      for (const job of page) {
        after = job.id;
        if (!isOurs(job.id)) yield bringBack(store, job, runs(kind), now);
      }
    } while (page.length === PAGE);
  }
}

async function bringBack(
  store: JobStore,
  job: Job,
  hasHandler: boolean,
  now: () => number,
): Promise<Job> {
  const { id, kind, status, attempts } = job;
  const interrupted = status === 'running' && attempts >= MAX_ATTEMPTS;
  if (!hasHandler || interrupted) {
    const { code, message } = hasHandler
      ? new JobInterruptedError(attempts)
      : new NoHandlerError(kind);
    return store.transition(id, status, 'failed', { finishedAt: now(), error: { code, message } });
  }
  return status === 'running' ? store.transition(id, 'running', 'queued') : job;
}
