/** What the records of all kinds of jobs say alike. */
import type { Job, JobId } from '../../jobs/job.ts';
import { isoTime } from '../envelope.ts';
import type { JobFields } from '../schemas/jobs.ts';

/** What is known of a job only while the process works on it. */
export interface LiveFacts {
  queuePosition(id: JobId): number | undefined;
  /** Milliseconds since 1970 UTC. */
  expectedStart(id: JobId): number | undefined;
  progress(id: JobId): number | undefined;
}

/** The fields that every record has. */
export function viewJob(job: Job, live: LiveFacts): JobFields {
  const isQueued = job.status === 'queued';
  const position = isQueued ? live.queuePosition(job.id) : undefined;
  const expectedStart = isQueued ? live.expectedStart(job.id) : undefined;
  return {
    status: job.status,
    priority: job.priority,
    created_at: isoTime(job.createdAt),
    ...(job.startedAt === undefined ? {} : { started_at: isoTime(job.startedAt) }),
    ...(job.finishedAt === undefined ? {} : { finished_at: isoTime(job.finishedAt) }),
    ...(position === undefined ? {} : { queue_position: position }),
    ...(expectedStart === undefined ? {} : { expected_start_at: isoTime(expectedStart) }),
    ...(job.status === 'running' ? { progress: live.progress(job.id) ?? 0 } : {}),
    ...(job.error === undefined ? {} : { error: job.error }),
  };
}
