/** One job, followed to its end by its events. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { NotFoundError } from '../../client/errors.ts';
import { type Progress, progressOf } from '../../client/job-events.ts';
import { withCounts } from '../experiments/live-counts.ts';
import { client } from '../shell/session.ts';
import { isActive, type Job, rowOf } from './job-row.ts';

/** State of a followed job. */
interface KnownJob {
  /** Undefined before the first answer, and if there is no such job. */
  readonly job: Job | undefined;
  /** State by the last event; undefined before the first one. */
  readonly progress: Progress | undefined;
  readonly error: unknown;
  /** True if the service has no job with this id. */
  readonly isMissing: boolean;
  /** Reads the record again. */
  readonly reload: () => void;
}

/** Interval of reading a plan's record at most, because the events of its tasks are many. */
const PLAN_MS = 3000;

/** Follows a job to its end. */
export function useJob(id: string): KnownJob {
  const [state, setState] = useState<Omit<KnownJob, 'reload'>>({
    job: undefined,
    progress: undefined,
    error: undefined,
    isMissing: false,
  });
  const [round, setRound] = useState(0);
  const own = client.value;
  useEffect(() => {
    const end = new AbortController();
    const { signal } = end;
    const follow = async () => {
      const jobs = own.jobsOf(id);
      const read = async (): Promise<Job> => {
        // The id says which kind of job it is, and each kind has its record.
        const job = (await jobs.get(id, { signal })) as Job;
        setState({ job, progress: undefined, error: undefined, isMissing: false });
        return job;
      };
      const first = await read();
      if (!isActive(first)) return;
      let readAt = performance.now();
      for await (const event of jobs.events(id, { signal })) {
        if (event.event === 'done') break;
        const progress = progressOf(event);
        const counts = event.event === 'progress' ? event.data.tasks : undefined;
        setState((old) => ({
          ...old,
          progress,
          job: counts === undefined ? old.job : old.job && withCounts(old.job, counts),
        }));
        const isPlan = rowOf(first).kind === 'plan';
        if ((isPlan && performance.now() >= readAt + PLAN_MS) || event.event === 'status') {
          readAt = performance.now();
          await read();
        }
      }
      await read();
    };
    follow().catch((error: unknown) => {
      if (signal.aborted) return;
      const isMissing =
        error instanceof NotFoundError || Reflect.get(Object(error), 'code') === 'JOB_ID_INVALID';
      setState((old) => ({ ...old, error: isMissing ? undefined : error, isMissing }));
    });
    return () => end.abort();
  }, [own, id, round]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  return { ...state, reload };
}
