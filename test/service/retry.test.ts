/** Running again what failed or was cancelled: circuits, tasks, plans, TPU jobs. */
import { describe, expect, test } from 'vitest';
import { EngineFailure } from '../../src/fleet/errors.ts';
import { DiskFullError } from '../../src/storage/errors.ts';
import { ProcedureInputError } from '../../src/workloads/procedures/errors.ts';
import { BELL, openTestService, settled, type TestService } from './support/test-service.ts';
import { openWorkService } from './support/work-service.ts';

const ASYNC = { prefer: 'respond-async' };
const RECORDS = '/quantum/circuits';

/** A circuit whose caller did not wait, cancelled while it waits or runs. */
async function cancelledCircuit(service: TestService, body: object = BELL): Promise<string> {
  service.processor.isHolding = true;
  const { circuit_id: id } = (await service.submit(body, ASYNC)).json().data;
  await service.request({ method: 'POST', url: `${RECORDS}/${id}/cancel` });
  service.processor.isHolding = false;
  return id;
}

function retry(service: TestService, id: string, headers: Readonly<Record<string, string>> = {}) {
  return service.request({ method: 'POST', url: `${RECORDS}/${id}/retry`, headers });
}

describe('POST /quantum/circuits/{circuit_id}/retry', () => {
  test('runs a cancelled circuit again under a new id that names the old one', async () => {
    await using service = await openTestService();
    const id = await cancelledCircuit(service, { ...BELL, seed: undefined, priority: 'low' });
    const answer = await retry(service, id);
    expect(answer.statusCode).toBe(201);
    const { data } = answer.json();
    expect(data).toMatchObject({
      status: 'completed',
      retry_of: id,
      priority: 'low',
      shots: 100,
      // The seed that was drawn for the first.
      seed: 1234,
      counts: { '00': 100 },
    });
    expect(data.circuit_id).not.toBe(id);
    expect(answer.headers['location']).toBe(`/api/v1${RECORDS}/${data.circuit_id}`);
    const [again, first] = (await service.get(RECORDS)).json().data.circuits;
    expect(again).toMatchObject({ circuit_id: data.circuit_id, retry_of: id });
    expect(first).toMatchObject({ circuit_id: id, status: 'cancelled' });
    expect(first).not.toHaveProperty('retry_of');
  });

  test('runs a failed circuit again, of OpenQASM too', async () => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    const { circuit: _, ...rest } = BELL;
    const qasm = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; h q[0]; cx q[0], q[1];';
    const { data } = (await service.submit({ ...rest, qasm }, ASYNC)).json();
    while (service.processor.held.length === 0) await settled();
    service.processor.held[0]?.fail(new EngineFailure('ENGINE_STATE_MEMORY', 'It broke.', []));
    await settled();
    service.processor.isHolding = false;
    const answer = await retry(service, data.circuit_id);
    expect(answer.json().data).toMatchObject({ status: 'completed', retry_of: data.circuit_id });
    // And what was run again as well.
    const tasks = service.processor.tasks.map(({ request }) => request);
    expect(tasks[1]).toEqual(tasks[0]);
  });

  test('honours Prefer and Idempotency-Key as a submission does', async () => {
    await using service = await openTestService();
    const id = await cancelledCircuit(service);
    service.processor.isHolding = true;
    const headers = { ...ASYNC, 'idempotency-key': 'once' };
    const first = await retry(service, id, headers);
    expect(first.json().data.status).toBe('queued');
    expect(first.headers['preference-applied']).toBe('respond-async');
    const second = await retry(service, id, headers);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.json().data).toEqual(first.json().data);
    const other = await retry(service, await cancelledCircuit(service), headers);
    expect(other.json().error.details).toMatchObject([{ code: 'JOBS_IDEMPOTENCY_CONFLICT' }]);
  });

  test.each(['queued', 'running', 'completed'])(
    'answers 400 to a %s one and names the status',
    async (status) => {
      await using service = await openTestService();
      service.processor.isHolding = true;
      const { circuit_id: id } = (await service.submit(BELL, ASYNC)).json().data;
      while (service.processor.held.length === 0) await settled();
      const [held] = service.processor.held;
      if (status === 'running') held?.hooks.onStarted?.();
      if (status === 'completed') held?.finish();
      await settled();
      const answer = await retry(service, id);
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error.message).toContain(`is ${status};`);
      expect(answer.json().error.details).toMatchObject([{ code: 'JOBS_NOT_RETRIABLE' }]);
    },
  );

  test("answers 404 to another key's circuit and 403 without the scope", async () => {
    await using service = await openTestService();
    const id = await cancelledCircuit(service);
    const stranger = await service.createKey();
    expect((await retry(service, id, { 'x-api-key': stranger })).statusCode).toBe(404);
    const reader = await service.createKey('standard', ['read']);
    expect((await retry(service, id, { 'x-api-key': reader })).statusCode).toBe(403);
  });

  test('is refused where a submission is: no room, offline, too many in flight, shutting down', async () => {
    let fault: Error | undefined;
    const limits = { standard: 1, enterprise: 1 };
    const settings = { inFlightLimits: limits };
    await using service = await openTestService({ settings, storageFault: () => fault });
    const id = await cancelledCircuit(service);
    const refused = async () => {
      const answer = await retry(service, id);
      return [answer.statusCode, answer.json().error?.details?.[0]?.code];
    };
    fault = new DiskFullError(1, 2);
    expect(await refused()).toEqual([503, 'STORAGE_DISK_FULL']);
    fault = undefined;
    service.processor.reason = 'offline';
    expect(await refused()).toEqual([503, 'FLEET_PROCESSOR_UNAVAILABLE']);
    service.processor.reason = undefined;
    service.processor.isHolding = true;
    await service.submit(BELL, ASYNC);
    expect(await refused()).toEqual([429, 'SERVICE_IN_FLIGHT_LIMIT']);
    await service.runner.shutdown(0);
    expect(await refused()).toEqual([503, 'JOBS_SHUTTING_DOWN']);
    expect((await service.get(RECORDS)).json().data.circuits).toHaveLength(2);
  });
});

describe('POST /tasks/{task_id}/retry', () => {
  test('runs a failed task again, with the same input and seed', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const body = { task: 'evaluate', input: { expression: '1 + 2' }, priority: 'low' };
    const { data: first } = (await work.post('/agents/computation/execute', body)).json();
    while (work.pool.held.length === 0) await settled();
    work.pool.held[0]?.fail(new ProcedureInputError([{ path: 'expression', message: 'No.' }]));
    await settled();
    work.pool.isHolding = false;
    const answer = await work.post(`/tasks/${first.task_id}/retry`, '');
    expect(answer.statusCode).toBe(201);
    expect(answer.json().data).toMatchObject({
      status: 'queued',
      retry_of: first.task_id,
      priority: 'low',
    });
    const { task_id } = answer.json().data;
    expect(answer.headers['location']).toBe(`/api/v1/tasks/${task_id}`);
    expect(await work.finished(`/tasks/${task_id}`)).toMatchObject({ result: { result: 3 } });
    const [before, after] = work.pool.calls;
    expect(after).toEqual({ ...before, id: task_id });
  });

  test('runs a plan again with tasks of its own, and a task of it by itself', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const step = { agent: 'computation', task: 'evaluate' };
    const tasks = [
      { ...step, name: 'a', input: { expression: '1 + 2' } },
      {
        ...step,
        name: 'b',
        input: { expression: 'x', scope: { x: { $from: 'a', path: 'result' } } },
      },
    ];
    const { data: plan } = (await work.post('/systems/asi/plans', { goal: 'g', tasks })).json();
    while (work.pool.held.length === 0) await settled();
    await work.post(`/tasks/${plan.task_id}/cancel`, '');
    await work.finished(`/tasks/${plan.tasks[0].task_id}`);
    work.pool.isHolding = false;

    const again = (await work.post(`/tasks/${plan.task_id}/retry`, '')).json().data;
    expect(again).toMatchObject({ agent: 'asi', goal: 'g', retry_of: plan.task_id });
    const done = await work.finished(`/tasks/${again.task_id}`);
    expect(done).toMatchObject({ status: 'completed', result: { output: { result: 3 } } });
    const idsOf = ({ tasks: all }: { tasks: { task_id: string }[] }) =>
      all.map(({ task_id }) => task_id);
    const ids = [...idsOf(plan), ...idsOf(again)];
    expect(new Set(ids).size).toBe(4);

    const alone = (await work.post(`/tasks/${plan.tasks[0].task_id}/retry`, '')).json().data;
    expect(alone).not.toHaveProperty('parent_id');
    expect(await work.finished(`/tasks/${alone.task_id}`)).toMatchObject({ status: 'completed' });
  });
});

test('POST /tpu/jobs/{job_id}/retry runs a cancelled job again on a slice of the same kind', async () => {
  await using work = await openWorkService();
  work.pool.isHolding = true;
  const body = { job_type: 'optimization', tpu_type: 'v4', zone: 'us-central2-b', chips: 8 };
  const { data: first } = (await work.post('/tpu/jobs', body)).json();
  await work.post(`/tpu/jobs/${first.job_id}/cancel`, '');
  const headers = { 'idempotency-key': 'again' };
  const url = `/tpu/jobs/${first.job_id}/retry`;
  const { data: again } = (await work.post(url, '', headers)).json();
  expect(again).toMatchObject({ ...body, status: 'queued', retry_of: first.job_id });
  const repeat = await work.post(url, '', headers);
  expect(repeat.headers['idempotent-replayed']).toBe('true');
  expect(repeat.json().data.job_id).toBe(again.job_id);
});
