/** Plans over HTTP: a goal of several tasks becomes a tree of tasks, and comes to one end. */
import { describe, expect, test } from 'vitest';
import { Workloads } from '../../src/workloads/workloads.ts';
import { InProcessPool } from './support/in-process-pool.ts';
import { START, settled } from './support/test-service.ts';
import { openWorkService, type WorkService } from './support/work-service.ts';

const PLANS = '/systems/asi/plans';
const CHAIN = {
  goal: 'Twice six and one',
  tasks: [
    { name: 'six', agent: 'computation', task: 'evaluate', input: { expression: '2 * 3' } },
    {
      name: 'twice',
      agent: 'computation',
      task: 'evaluate',
      input: { expression: '2 * x + 1', scope: { x: { $from: 'six', path: 'result' } } },
    },
  ],
};

async function held(work: WorkService, count: number): Promise<void> {
  while (work.pool.held.length < count) await settled();
}

async function recordOf(work: WorkService, id: string) {
  return (await work.service.get(`/tasks/${id}`)).json().data;
}

describe('a plan', () => {
  test('is a task, whose tasks feed one another and have records of their own', async () => {
    await using work = await openWorkService();
    const answer = await work.post(PLANS, CHAIN);
    expect(answer.statusCode).toBe(201);
    const { task_id } = answer.json().data;
    expect(answer.headers['location']).toBe(`/api/v1/tasks/${task_id}`);
    expect(answer.json().data).toMatchObject({
      agent: 'asi',
      task: 'plan',
      goal: CHAIN.goal,
      tasks: [
        { name: 'six', needs: [] },
        { name: 'twice', status: 'queued', needs: ['six'] },
      ],
    });
    const record = await work.finished(`/tasks/${task_id}`);
    expect(record).toMatchObject({
      status: 'completed',
      result: { output: { result: 13 } },
      tasks: [{ status: 'completed' }, { status: 'completed' }],
    });
    const children = record['tasks'] as readonly { task_id: string }[];
    expect(await recordOf(work, children[1]?.task_id ?? '')).toMatchObject({
      agent: 'computation',
      task: 'evaluate',
      parent_id: task_id,
      status: 'completed',
      result: { result: 13 },
    });
    const { data } = (await work.service.get('/tasks')).json();
    expect(data.tasks).toHaveLength(3);
  });

  test('fills in what an earlier task feeds, and says so', async () => {
    await using work = await openWorkService();
    const answer = await work.post(PLANS, {
      tasks: [
        { name: 'ground', agent: 'research', task: 'vqe', input: { problem: 'h2' } },
        { name: 'sampled', agent: 'computation', task: 'simulate', input: { shots: 100 } },
      ],
    });
    expect(answer.json().data.tasks[1]).toMatchObject({
      needs: ['ground'],
      fed: [{ field: 'circuit', from: 'ground', path: 'circuit' }],
    });
    const record = await work.finished(`/tasks/${answer.json().data.task_id}`);
    expect(record['status']).toBe('completed');
  });

  test('knows a task by its other name', async () => {
    await using work = await openWorkService();
    const sum = { agent: 'computation', task: 'computation', input: { expression: '1' } };
    const { task_id, tasks } = (await work.post(PLANS, { tasks: [sum] })).json().data;
    expect(tasks[0].task).toBe('evaluate');
    expect(await work.finished(`/tasks/${task_id}`)).toMatchObject({ status: 'completed' });
  });

  test('runs what does not need one another at the same time', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const sum = { agent: 'computation', task: 'evaluate', input: { expression: '1' } };
    const { task_id } = (await work.post(PLANS, { tasks: [sum, sum] })).json().data;
    await held(work, 2);
    for (const { hooks, finish } of work.pool.held) {
      hooks.onStarted?.();
      finish({ result: 1 });
    }
    expect(await work.finished(`/tasks/${task_id}`)).toMatchObject({ status: 'completed' });
  });

  test('tells how far it is and what it does', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const { task_id } = (await work.post(PLANS, CHAIN)).json().data;
    await held(work, 1);
    work.pool.held[0]?.hooks.onStarted?.();
    work.pool.held[0]?.hooks.onProgress?.(0.5);
    await settled();
    expect(await recordOf(work, task_id)).toMatchObject({ status: 'running', progress: 0.25 });
    work.pool.held[0]?.finish({ result: 6 });
    await held(work, 2);
    expect(work.pool.held[1]?.call.input).toEqual({ expression: '2 * x + 1', scope: { x: 6 } });
    expect((await recordOf(work, task_id)).progress).toBe(0.5);
    work.pool.held[1]?.finish({ result: 13 });
    await work.finished(`/tasks/${task_id}`);
  });

  test('fails where one of its tasks fails, and the rest does not run', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const { task_id } = (await work.post(PLANS, CHAIN)).json().data;
    await held(work, 1);
    work.pool.held[0]?.finish({ nothing: 6 });
    const record = await work.finished(`/tasks/${task_id}`);
    expect(record).toMatchObject({
      status: 'failed',
      error: { code: 'WORKLOADS_PLAN_REFERENCE', message: expect.stringContaining('nothing') },
      tasks: [{ status: 'completed' }, { status: 'cancelled' }],
    });
    expect(work.pool.calls).toHaveLength(1);
  });

  test('holds what a task is fed to the limits of its input', async () => {
    await using work = await openWorkService();
    const from = { $from: 'many', path: 'result' };
    const tasks = [
      { name: 'many', agent: 'computation', task: 'evaluate', input: { expression: '10^6' } },
      { agent: 'research', task: 'vqe', input: { problem: 'h2', steps: from } },
    ];
    const { task_id, tasks: nodes } = (await work.post(PLANS, { tasks })).json().data;
    expect(await work.finished(`/tasks/${task_id}`)).toMatchObject({ status: 'failed' });
    expect(await recordOf(work, nodes[1].task_id)).toMatchObject({
      status: 'failed',
      error: { code: 'WORKLOADS_TASK_INPUT', message: expect.stringContaining('steps') },
    });
  });

  test('fails where one of its tasks is cancelled', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const { task_id, tasks } = (await work.post(PLANS, CHAIN)).json().data;
    await held(work, 1);
    await work.post(`/tasks/${tasks[0].task_id}/cancel`, '');
    const record = await work.finished(`/tasks/${task_id}`);
    expect(record).toMatchObject({
      status: 'failed',
      error: { code: 'WORKLOADS_PLAN_TASK', message: expect.stringContaining('six') },
    });
  });

  test('that is cancelled cancels the tasks under way', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const { task_id, tasks } = (await work.post(PLANS, CHAIN)).json().data;
    await held(work, 1);
    await work.post(`/tasks/${task_id}/cancel`, '');
    const child = await work.finished(`/tasks/${tasks[0].task_id}`);
    expect(child['status']).toBe('cancelled');
    const record = await recordOf(work, task_id);
    expect(record).toMatchObject({
      status: 'cancelled',
      tasks: [{ status: 'cancelled' }, { status: 'cancelled' }],
    });
  });

  test('that is put back by a stop does not cancel its tasks', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const { task_id, tasks } = (await work.post(PLANS, CHAIN)).json().data;
    await held(work, 1);
    await work.service.runner.shutdown(0);
    expect((await recordOf(work, task_id)).status).toBe('queued');
    expect((await recordOf(work, tasks[0].task_id)).status).toBe('queued');
  });
});

describe('a goal that cannot be planned', () => {
  test.each([
    ['without tasks', { tasks: [] }, 'tasks'],
    ['of a task without its agent', { tasks: [{ task: 'evaluate' }] }, 'tasks[0].agent'],
    ['of an unknown agent', { tasks: [{ agent: 'oracle', task: 'x' }] }, 'tasks[0].agent'],
    [
      'with a wrong input',
      { tasks: [{ agent: 'computation', task: 'evaluate', input: { expression: 1 } }] },
      'tasks[0].input.expression',
    ],
    [
      'with an expression that cannot be parsed',
      {
        tasks: [
          { agent: 'computation', task: 'simplify', input: { expression: 'x + x' } },
          { agent: 'computation', task: 'simplify', input: { expression: '(x' } },
        ],
      },
      'tasks[1].input.expression',
    ],
    [
      'that refers to what is not there',
      {
        tasks: [
          { agent: 'computation', task: 'evaluate', input: { expression: { $from: 'nobody' } } },
        ],
      },
      'tasks[0].input.expression',
    ],
  ])('%s answers 400 with the path', async (_, body, path) => {
    await using work = await openWorkService();
    const answer = await work.post(PLANS, body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details[0].path).toBe(path);
  });

  test('counts with all its tasks against those that a key may have at once', async () => {
    await using work = await openWorkService({
      settings: { inFlightLimits: { standard: 3, enterprise: 3 } },
    });
    work.pool.isHolding = true;
    const sum = { agent: 'computation', task: 'evaluate', input: { expression: '1' } };
    const refused = await work.post(PLANS, { tasks: [sum, sum, sum] });
    expect(refused.statusCode).toBe(429);
    expect((await work.post(PLANS, { tasks: [sum, sum] })).statusCode).toBe(201);
  });

  test('and one of too many tasks answers 400', async () => {
    await using work = await openWorkService();
    const sum = { agent: 'computation', task: 'evaluate', input: { expression: '1' } };
    const answer = await work.post(PLANS, { tasks: Array.from({ length: 21 }, () => sum) });
    expect(answer.statusCode).toBe(400);
  });
});

describe('GET /systems', () => {
  test('lists what stands behind each name, and how it is', async () => {
    await using work = await openWorkService();
    const { data } = (await work.service.get('/systems')).json();
    expect(
      data.systems.map(({ id, available }: { id: string; available: boolean }) => [id, available]),
    ).toEqual([
      ['qvm', true],
      ['quantum-os', true],
      ['asi', true],
      ['llma', false],
    ]);
  });

  test('one system has live facts: jobs in flight are those that are', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const sum = { task: 'evaluate', input: { expression: '1' } };
    await work.post('/agents/computation/execute', sum);
    await held(work, 1);
    const { data } = (await work.service.get('/systems/quantum-os')).json();
    expect(data.detail.jobs_in_flight).toEqual({
      circuit: { queued: 0, running: 0 },
      batch: { queued: 0, running: 0 },
      experiment: { queued: 0, running: 0 },
      task: { queued: 1, running: 0 },
      tpu_job: { queued: 0, running: 0 },
    });
    expect(data.detail.work_processes.waiting).toBe(1);
    expect(data.detail.devices.total).toBe(48);
    for (const id of ['qvm', 'asi', 'llma']) {
      expect((await work.service.get(`/systems/${id}`)).statusCode).toBe(200);
    }
  });

  test('the planner is unavailable, with the reason, while its own plan fails', async () => {
    const pool = new InProcessPool();
    pool.lie = { result: 7 };
    const workloads = new Workloads({ processors: [], pool, queueLimit: 4, now: () => START });
    await workloads.start();
    await using work = await openWorkService({ workloads });
    const { data } = (await work.service.get('/systems/asi')).json();
    expect(data).toMatchObject({ available: false, reason: expect.stringContaining('43') });
    expect((await work.post(PLANS, CHAIN)).statusCode).toBe(503);
    await workloads.close();
  });

  test('an unknown one answers 404 and names the known', async () => {
    await using work = await openWorkService();
    const answer = await work.service.get('/systems/skynet');
    expect(answer.statusCode).toBe(404);
    expect(answer.json().error.message).toContain('quantum-os');
  });
});
