/** Counts of an experiment that runs, kept up to date by its events. */
import type { Experiment, TaskCounts } from '../../client/api-types.ts';

/** A record with the counts that an event brings of some of its tasks, in the order of the tasks. */
export function withCounts<Job>(job: Job, counts: readonly TaskCounts[]): Job {
  // Events of other kinds of jobs have no counts.
  const { tasks = [] } = job as Pick<Experiment, 'tasks'>;
  const byNumber = new Map([...tasks, ...counts].map((each) => [each.task, each]));
  return { ...job, tasks: [...byNumber.values()].toSorted((a, b) => a.task - b.task) };
}
