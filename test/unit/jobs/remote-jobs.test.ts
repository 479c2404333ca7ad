/** Jobs of a node that other nodes run, and looks for them in the database. */
import { expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import { JobWatches } from '../../../src/jobs/job-watch.ts';
import { RemoteJobs } from '../../../src/jobs/remote-jobs.ts';
import { newJob, turn } from '../../support/jobs.ts';

test('a look that comes before the job is stored leaves its caller waiting', async () => {
  const finals: Job[] = [];
  const jobs = new RemoteJobs({
    store: { get: async () => undefined },
    sharing: { askForProgress: () => {}, statusesOf: async () => new Map() },
    watches: new JobWatches(),
    isHeld: () => false,
    onFinal: (job) => void finals.push(job),
  });
  const job: Job = { ...newJob(), status: 'queued', attempts: 0 };
  jobs.take(job);
  const answer = jobs.wait(job.id);
  await turn();
  await jobs.look();
  expect(finals).toEqual([]);
  jobs.tell({ ...job, status: 'completed', finishedAt: 2000 });
  expect(await answer).toMatchObject({ status: 'completed' });
});
