/** Times in the record of a plan during which the clock of the machine was set. */
import { expect, test } from 'vitest';
import type { Job } from '../../../src/jobs/job.ts';
import { encodeTask, PLAN_TASK, PLANNER } from '../../../src/service/work/read-task.ts';
import { runPlanJob } from '../../../src/service/work/run-plan-job.ts';
import { newJob } from '../../support/jobs.ts';

const HOUR_MS = 3_600_000;
const HOOKS = {
  started() {},
  progress() {},
  startedOver() {},
  saveParts() {},
  storeParts: async () => {},
  savedParts: async () => [],
  readmitted: false,
};

test.each([
  ['an hour back', -HOUR_MS, 0],
  ['not at all', 250, 250],
])('the time in the queue is never below 0: set %s', async (_how, laterMs, queueMs) => {
  const createdAt = 10 * HOUR_MS;
  const request = encodeTask({ task: PLAN_TASK, seed: 1, tier: 'standard' }, { steps: [] });
  const made = newJob({ kind: 'task', target: PLANNER, request, createdAt });
  const job: Job = { ...made, status: 'queued', attempts: 0 };
  const jobs = () => {
    throw new Error('unreachable: a plan without tasks asks for no job');
  };
  const deps = {
    jobs: () => ({ get: jobs, submit: jobs, cancel: jobs, watch: jobs, waitFor: jobs }),
    now: () => createdAt + laterMs,
  };
  const text = await runPlanJob(job, HOOKS, new AbortController().signal, deps);
  expect(JSON.parse(text).timing.queue_ms).toBe(queueMs);
});
