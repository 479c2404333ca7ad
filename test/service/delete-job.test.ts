/** Deleting what has ended: circuits, tasks, plans, TPU jobs. */
import { describe, expect, test } from 'vitest';
import { BELL, openTestService, settled } from './support/test-service.ts';
import { openWorkService } from './support/work-service.ts';

const ASYNC = { prefer: 'respond-async' };
const RECORDS = '/quantum/circuits';

describe('DELETE /quantum/circuits/{circuit_id}', () => {
  test('removes a completed circuit: its record, its listing and its events', async () => {
    await using service = await openTestService();
    const { circuit_id: id } = (await service.submit(BELL)).json().data;
    const { circuit_id: other } = (await service.submit(BELL)).json().data;
    const url = `${RECORDS}/${id}`;
    const answer = await service.request({ method: 'DELETE', url });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    for (const path of [url, `${url}/events`]) {
      expect((await service.get(path)).statusCode).toBe(404);
    }
    for (const action of ['cancel', 'retry']) {
      const late = await service.request({ method: 'POST', url: `${url}/${action}` });
      expect(late.statusCode).toBe(404);
    }
    expect((await service.request({ method: 'DELETE', url })).statusCode).toBe(404);
    const { circuits } = (await service.get(RECORDS)).json().data;
    expect(circuits.map((each: { circuit_id: string }) => each.circuit_id)).toEqual([other]);
  });

  test.each(['queued', 'running'])(
    'answers 400 to a %s one, names the route that cancels it, and keeps it',
    async (status) => {
      await using service = await openTestService();
      service.processor.isHolding = true;
      const { circuit_id: id } = (await service.submit(BELL, ASYNC)).json().data;
      while (service.processor.held.length === 0) await settled();
      if (status === 'running') service.processor.held[0]?.hooks.onStarted?.();
      await settled();
      const url = `${RECORDS}/${id}`;
      const answer = await service.request({ method: 'DELETE', url });
      expect(answer.statusCode).toBe(400);
      const { error } = answer.json();
      expect(error.message).toContain(`is ${status};`);
      expect(error.message).toContain(`POST /api/v1${url}/cancel`);
      expect(error.details).toMatchObject([{ code: 'SERVICE_JOB_NOT_FINISHED' }]);
      expect((await service.get(url)).json().data.status).toBe(status);
      await service.request({ method: 'POST', url: `${url}/cancel` });
      expect((await service.request({ method: 'DELETE', url })).statusCode).toBe(204);
    },
  );

  test("answers 404 to another key's circuit, which stays, and 403 without the scope", async () => {
    await using service = await openTestService();
    const { circuit_id: id } = (await service.submit(BELL)).json().data;
    const url = `${RECORDS}/${id}`;
    const remove = async (key: string) =>
      (await service.request({ method: 'DELETE', url, headers: { 'x-api-key': key } })).statusCode;
    expect(await remove(await service.createKey())).toBe(404);
    expect(await remove(await service.createKey('standard', ['read']))).toBe(403);
    expect((await service.get(url)).statusCode).toBe(200);
  });

  test.each([{}, ASYNC])(
    'a repeat of its submission (%o) then answers 404 and runs nothing',
    async (prefer) => {
      await using service = await openTestService();
      const headers = { ...prefer, 'idempotency-key': 'once' };
      const { circuit_id: id } = (await service.submit(BELL, headers)).json().data;
      await service.runner.waitFor(id);
      await service.request({ method: 'DELETE', url: `${RECORDS}/${id}` });
      const repeat = await service.submit(BELL, headers);
      expect(repeat.statusCode).toBe(404);
      expect(repeat.json().error.message).toContain(id);
      expect(service.processor.tasks).toHaveLength(1);
    },
  );
});

describe('DELETE /tasks/{task_id}', () => {
  const step = { agent: 'computation', task: 'evaluate' };
  const tasks = [
    { ...step, name: 'a', input: { expression: '1 + 2' } },
    {
      ...step,
      name: 'b',
      input: { expression: 'x', scope: { x: { $from: 'a', path: 'result' } } },
    },
  ];

  test('removes a task', async () => {
    await using work = await openWorkService();
    const body = { task: 'evaluate', input: { expression: '1 + 2' } };
    const { data } = (await work.post('/agents/computation/execute', body)).json();
    const url = `/tasks/${data.task_id}`;
    await work.finished(url);
    expect((await work.service.request({ method: 'DELETE', url })).statusCode).toBe(204);
    expect((await work.service.get(url)).statusCode).toBe(404);
  });

  test('removes a plan with its tasks', async () => {
    await using work = await openWorkService();
    const { data: plan } = (await work.post('/systems/asi/plans', { tasks })).json();
    const url = `/tasks/${plan.task_id}`;
    await work.finished(url);
    expect((await work.service.request({ method: 'DELETE', url })).statusCode).toBe(204);
    expect((await work.service.get('/tasks')).json().data.tasks).toEqual([]);
  });

  test('keeps a task of a plan that has not ended, whose result the plan needs', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const { data: plan } = (await work.post('/systems/asi/plans', { tasks })).json();
    while (work.pool.held.length === 0) await settled();
    work.pool.held[0]?.finish({ result: 3 });
    const url = `/tasks/${plan.tasks[0].task_id}`;
    await work.finished(url);
    const answer = await work.service.request({ method: 'DELETE', url });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.message).toContain(`part of ${plan.task_id}, which is running`);
    expect(answer.json().error.message).toContain(`/api/v1/tasks/${plan.task_id}/cancel`);

    await work.post(`/tasks/${plan.task_id}/cancel`, '');
    const whole = { method: 'DELETE', url: `/tasks/${plan.task_id}` } as const;
    expect((await work.service.request(whole)).statusCode).toBe(204);
    expect((await work.service.get('/tasks')).json().data.tasks).toEqual([]);
  });
});

test('DELETE /tpu/jobs/{job_id} removes a cancelled job', async () => {
  await using work = await openWorkService();
  work.pool.isHolding = true;
  const body = { job_type: 'optimization', tpu_type: 'v4', zone: 'us-central2-b' };
  const { data } = (await work.post('/tpu/jobs', body)).json();
  const url = `/tpu/jobs/${data.job_id}`;
  expect((await work.service.request({ method: 'DELETE', url })).statusCode).toBe(400);
  await work.post(`${url}/cancel`, '');
  expect((await work.service.request({ method: 'DELETE', url })).statusCode).toBe(204);
  expect((await work.service.get(url)).statusCode).toBe(404);
});
