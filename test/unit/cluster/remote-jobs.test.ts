/** Jobs of a node that other nodes run, and looks for them in the database. */
import { expect, test } from 'vitest';
import { RemoteJobs } from '../../../src/cluster/remote-jobs.ts';
import type { SharedJob } from '../../../src/cluster/shared-job.ts';
import type { Job, JobId, JobStatus } from '../../../src/jobs/job.ts';
import { JobWatches } from '../../../src/jobs/job-watch.ts';
import { newJob, turn } from '../../support/jobs.ts';

test('a look that comes before the job is stored leaves its caller waiting', async () => {
  const finals: Job[] = [];
  const jobs = new RemoteJobs({
    store: { get: async () => undefined },
    nodes: { node: 'a', send: () => {}, statesOf: async () => new Map() },
    watches: new JobWatches(),
    isHeld: () => false,
    counts: { enter: () => {}, leave: (job) => void finals.push(job) },
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

/** Jobs of a node in a store that the test fills, and what looks read of it. */
function storedJobs() {
  const stored = new Map<JobId, SharedJob>();
  const looks: (readonly JobId[])[] = [];
  const reads: JobId[] = [];
  const left: JobId[] = [];
  const held = new Set<JobId>();
  const watches = new JobWatches();
  const jobs = new RemoteJobs({
    store: {
      get: async (id) => {
        reads.push(id);
        return stored.get(id);
      },
    },
    nodes: {
      node: 'a',
      send: () => {},
      statesOf: async (ids) => {
        looks.push(ids);
        return new Map(
          ids.flatMap((id) => {
            const job = stored.get(id);
            return job === undefined ? [] : [[id, job] as const];
          }),
        );
      },
    },
    watches,
    isHeld: (id) => held.has(id),
    counts: { enter: () => {}, leave: ({ id }) => void left.push(id) },
  });
  const take = (status: JobStatus = 'queued') => {
    const job: Job = { ...newJob(), status: 'queued', attempts: 0 };
    jobs.take(job);
    stored.set(job.id, { ...job, status });
    return job.id;
  };
  return { jobs, stored, looks, reads, left, held, watches, take };
}

test('looks read a bounded number of the jobs that nobody waits for, and all of them in turn', async () => {
  const { jobs, looks, take } = storedJobs();
  const ids = Array.from({ length: 1200 }, () => take());
  const awaited = ids[1100]!;
  void jobs.wait(awaited);
  for (let i = 0; i < 3; i++) await jobs.look();
  for (const read of looks) {
    expect(read.length).toBeLessThanOrEqual(501);
    expect(read).toContain(awaited);
  }
  expect(new Set(looks.flat()).size).toBe(1200);
});

test('a look reads the record of a job once for each change of its status', async () => {
  const { jobs, reads, take } = storedJobs();
  const id = take('running');
  for (let i = 0; i < 3; i++) {
    await jobs.look();
    await turn();
  }
  expect(reads).toEqual([id]);
});

test('watches of a job that was deleted end', async () => {
  const { jobs, stored, watches, take } = storedJobs();
  const id = take('queued');
  jobs.drop(id);
  const job = stored.get(id)!;
  using watch = await watches.open(id, async () => ({ record: job }));
  jobs.follow(job);
  let isGone = false;
  watch!.onGone = () => {
    isGone = true;
  };
  await jobs.look();
  expect(isGone).toBe(false);
  stored.delete(id);
  await jobs.look();
  expect(isGone).toBe(true);
});

test('progress that comes before the record that says that the job runs is shown with it', async () => {
  const { jobs, stored, watches, take } = storedJobs();
  const id = take('running');
  const job: Job = { ...stored.get(id)!, status: 'queued' };
  using watch = await watches.open(id, async () => ({ record: job }));
  jobs.follow(job);
  jobs.tellProgress(id, 0.25, 'a quarter');
  await turn();
  expect(watch?.state).toMatchObject({ progress: 0.25, message: 'a quarter' });
  expect(watch?.state.record.status).toBe('running');
});

test('jobs that another node took over when this one was given up are counted there', async () => {
  const { jobs, stored, left, held, take } = storedJobs();
  const [kept, moved, runsHere] = [take(), take(), take()];
  // The node has claimed it since.
  held.add(runsHere);
  for (const [id, origin] of [
    [kept, 'a'],
    [moved, 'b'],
    [runsHere, 'b'],
  ] as const) {
    stored.set(id, { ...stored.get(id)!, origin });
  }
  const answer = jobs.wait(moved);
  await jobs.look();
  expect(left.toSorted()).toEqual([moved, runsHere].toSorted());
  expect([kept, moved, runsHere].map((id) => jobs.has(id))).toEqual([true, false, false]);
  // Its callers here wait for it as before, and it is counted out once.
  stored.set(moved, { ...stored.get(moved)!, status: 'completed' });
  await jobs.changed(moved);
  expect(await answer).toMatchObject({ status: 'completed' });
  expect(left).toHaveLength(2);
});
