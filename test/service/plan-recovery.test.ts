/** Plans and tasks over a stop or a crash: the next process goes on with what the last one had submitted. */
import { expect, test } from 'vitest';
import { type Job, newJobId } from '../../src/jobs/job.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { encodeTask, PLAN_TASK, PLANNER } from '../../src/service/work/read-task.ts';
import { MemoryJobStore } from '../support/memory-job-store.ts';
import { InProcessPool } from './support/in-process-pool.ts';
import { openKinds, openWorkloads } from './support/test-kinds.ts';
import { directory, settled } from './support/test-service.ts';

const STEP = { agent: 'computation', task: 'evaluate', fed: [] };

function openProcess(store: MemoryJobStore) {
  const pool = new InProcessPool();
  pool.isHolding = true;
  const now = () => 0;
  const { kinds } = openKinds({
    fleet: directory([]),
    now,
    jobs: () => runner,
    workloads: openWorkloads(now, pool),
  });
  const problems: unknown[] = [];
  const runner: JobRunner = new JobRunner({
    store,
    handlers: kinds,
    now,
    onUnexpectedError: (error) => problems.push(error),
  });
  return { pool, runner, problems };
}

function newPlan() {
  const first = { ...STEP, id: newJobId('task'), name: 'a', input: { expression: '1' }, needs: [] };
  const input = { expression: 'x', scope: { x: { $from: 'a', path: 'result' } } };
  const second = { ...STEP, id: newJobId('task'), name: 'b', input, needs: ['a'] };
  const facts = { task: PLAN_TASK, seed: 1, tier: 'standard' } as const;
  const job = {
    id: newJobId('task'),
    kind: 'task',
    keyId: 'k',
    priority: 'normal',
    target: PLANNER,
    request: encodeTask(facts, { steps: [first, second] }),
    createdAt: 0,
  } as const;
  return { job, first, second };
}

async function held(pool: InProcessPool, count: number): Promise<void> {
  while (pool.held.length < count) await settled();
}

/** The jobs of the store as a crash leaves them: the process has gone, and said nothing. */
async function crashed(store: MemoryJobStore): Promise<MemoryJobStore> {
  const copy = new MemoryJobStore();
  const jobs: readonly Job[] = await store.list({ limit: 100 });
  for (const job of jobs) await copy.create(job);
  return copy;
}

test('a plan that a stop put back goes on with the task that was under way', async () => {
  const store = new MemoryJobStore();
  const before = openProcess(store);
  const { job, first, second } = newPlan();
  await before.runner.submit(job);
  await held(before.pool, 1);
  before.pool.held[0]?.hooks.onStarted?.();
  await settled();
  await before.runner.shutdown(0);
  expect((await store.get(job.id))?.status).toBe('queued');
  expect((await store.get(first.id))?.status).toBe('queued');

  const after = openProcess(store);
  await after.runner.recover();
  await held(after.pool, 1);
  expect(after.pool.held[0]?.hooks.readmitted).toBe(true);
  after.pool.held[0]?.finish({ result: 5 });
  await held(after.pool, 2);
  expect(after.pool.held[1]?.call.id).toBe(second.id);
  expect(after.pool.held[1]?.call.input).toEqual({ expression: 'x', scope: { x: 5 } });
  after.pool.held[1]?.finish({ result: 6 });
  const done = await after.runner.waitFor(job.id);
  expect(done.status).toBe('completed');
  expect(JSON.parse(done.result ?? '')).toMatchObject({ result: { output: { result: 6 } } });
  expect(after.pool.calls).toHaveLength(2);
  expect([...before.problems, ...after.problems]).toEqual([]);
});

test('a plan runs nothing again that was completed before a crash', async () => {
  const store = new MemoryJobStore();
  const before = openProcess(store);
  const { job, second } = newPlan();
  await before.runner.submit(job);
  await held(before.pool, 1);
  before.pool.held[0]?.finish({ result: 5 });
  await held(before.pool, 2);

  const after = openProcess(await crashed(store));
  await after.runner.recover();
  await held(after.pool, 1);
  expect(after.pool.calls.map(({ id }) => id)).toEqual([second.id]);
  after.pool.held[0]?.finish({ result: 6 });
  expect((await after.runner.waitFor(job.id)).status).toBe('completed');
  await before.runner.shutdown(0);
});

test('a task whose plan ended with a crash is cancelled', async () => {
  const store = new MemoryJobStore();
  const before = openProcess(store);
  const { job, first } = newPlan();
  await before.runner.submit(job);
  await held(before.pool, 1);
  const left = await crashed(store);
  await left.transition(job.id, 'running', 'failed', { finishedAt: 0 });

  const after = openProcess(left);
  await after.runner.recover();
  expect((await after.runner.waitFor(first.id)).status).toBe('cancelled');
  expect(after.pool.calls).toEqual([]);
  await before.runner.shutdown(0);
});

test('a stop while a plan is between two tasks leaves the rest to the next process', async () => {
  const store = new MemoryJobStore();
  const before = openProcess(store);
  const { job, second } = newPlan();
  await before.runner.submit(job);
  await held(before.pool, 1);
  before.pool.held[0]?.hooks.onStarted?.();
  await settled();
  const stopping = before.runner.shutdown(100);
  before.pool.held[0]?.finish({ result: 5 });
  await stopping;
  expect((await store.get(job.id))?.status).toBe('queued');
  expect(await store.get(second.id)).toBeUndefined();

  const after = openProcess(store);
  await after.runner.recover();
  await held(after.pool, 1);
  after.pool.held[0]?.finish({ result: 6 });
  expect((await after.runner.waitFor(job.id)).status).toBe('completed');
  expect(before.problems).toEqual([]);
});
