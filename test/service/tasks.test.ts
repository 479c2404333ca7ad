/** Agents over HTTP: what is listed, what is taken and refused, and what becomes of a task. */
import { describe, expect, test, vi } from 'vitest';
import { ProcedureInputError } from '../../src/workloads/procedures/errors.ts';
import { Workloads } from '../../src/workloads/workloads.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { InProcessPool } from './support/in-process-pool.ts';
import { settled } from './support/test-service.ts';
import { openWorkService } from './support/work-service.ts';

const SUM = { task: 'evaluate', input: { expression: '1 + 2' } };
const EXECUTE = '/agents/computation/execute';

describe('GET /agents', () => {
  test('lists five agents, each with capabilities, and a measured speed with its basis', async () => {
    await using work = await openWorkService();
    await work.workloads.measure();
    const { data } = (await work.service.get('/agents')).json();
    expect(data.agents.map(({ id, kind }: { id: string; kind: string }) => [id, kind])).toEqual([
      ['computation', 'Computation'],
      ['research', 'Research'],
      ['security', 'Security'],
      ['design', 'Design'],
      ['robotics', 'Robotics'],
    ]);
    for (const agent of data.agents) {
      expect(agent.available).toBe(true);
      expect(agent.tasks_per_sec).toBeGreaterThan(0);
      const { tasks, duration_ms } = agent.tasks_per_sec_basis;
      expect(agent.tasks_per_sec).toBeCloseTo((1000 * tasks) / duration_ms, -1);
      expect(agent.tasks_per_sec_basis).toMatchObject({
        basis: 'measured',
        task: expect.any(String),
      });
      for (const capability of agent.capabilities) {
        expect(capability.example).toEqual({ task: capability.task, input: expect.any(Object) });
        expect(capability.input_schema).toMatchObject({ type: 'object' });
        expect(capability.limits.deadline_ms).toBeGreaterThan(0);
      }
    }
  });

  test('one agent is the same as its item', async () => {
    await using work = await openWorkService();
    const { data } = (await work.service.get('/agents')).json();
    const one = (await work.service.get('/agents/security')).json().data;
    const [, , item] = data.agents;
    // The window grows with the time since the start.
    const stats = { ...item.stats, window_s: expect.any(Number) };
    expect(one).toEqual({ ...item, stats });
  });

  test('an unknown one answers 404 and names the known', async () => {
    await using work = await openWorkService();
    for (const answer of [
      await work.service.get('/agents/oracle'),
      await work.post('/agents/oracle/execute', SUM),
    ]) {
      expect(answer.statusCode).toBe(404);
      expect(answer.json().error.message).toContain('robotics');
      expect(answer.json().error.details[0].code).toBe('SERVICE_AGENT_NOT_FOUND');
    }
  });
});

describe('POST /agents/{agent_id}/execute', () => {
  test('takes the task computation with an expression as evaluate', async () => {
    await using work = await openWorkService();
    const input = { expression: '6 * 7' };
    const { data } = (await work.post(EXECUTE, { task: 'computation', input })).json();
    expect(data.task).toBe('evaluate');
    expect(await work.finished(`/tasks/${data.task_id}`)).toMatchObject({
      status: 'completed',
      task: 'evaluate',
      result: { result: 42 },
    });
    const other = await work.post('/agents/research/execute', { task: 'computation', input });
    expect(other.statusCode).toBe(400);
    expect(other.json().error.details[0].path).toBe('task');
  });

  test('answers 201 at once with the record of a queued task, and the task completes', async () => {
    await using work = await openWorkService();
    const answer = await work.post(EXECUTE, SUM);
    expect(answer.statusCode).toBe(201);
    const { data } = answer.json();
    expect(data).toEqual({
      task_id: expect.stringMatching(/^task_[0-9a-f]{32}$/),
      agent: 'computation',
      task: 'evaluate',
      status: 'queued',
      priority: 'normal',
      created_at: '2026-01-02T03:04:05.678Z',
      queue_position: 0,
    });
    expect(answer.headers['location']).toBe(`/api/v1/tasks/${data.task_id}`);
    const record = await work.finished(`/tasks/${data.task_id}`);
    expect(record).toMatchObject({
      status: 'completed',
      result: { result: 3 },
      seed: 1234,
      executed_on: { process: { hardware: 'a CPU' }, processors: [] },
      timing: { queue_ms: 0.5, execution_ms: 1.5 },
    });
  });

  test('lists all that is wrong with a body, each with its path', async () => {
    await using work = await openWorkService();
    const answer = await work.post(EXECUTE, {
      task: 'evaluate',
      input: { expression: 7, colour: 'blue' },
      priority: 'urgent',
    });
    expect(answer.statusCode).toBe(400);
    const paths = answer.json().error.details.map(({ path }: { path: string }) => path);
    expect(paths.sort()).toEqual(['input.colour', 'input.expression', 'priority']);
    expect(work.pool.calls).toHaveLength(0);
  });

  test('a task that the agent does not know answers 400 and lists those it does', async () => {
    await using work = await openWorkService();
    const answer = await work.post('/agents/robotics/execute', SUM);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toEqual([
      expect.objectContaining({ path: 'task', message: expect.stringContaining('assignment') }),
    ]);
  });

  test('faults of meaning have paths into the input', async () => {
    await using work = await openWorkService();
    const circuit = [{ gate: 'CX', control: 0, target: 0 }];
    const answer = await work.post(EXECUTE, { task: 'simulate', input: { circuit, shots: 10 } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details[0].path).toBe('input.circuit[0].target');
  });

  test.each([
    ['evaluate', '2 * (3 + 4', 'Parenthesis ) expected (char 11).'],
    ['evaluate', '2 +', 'Unexpected end of expression (char 4).'],
    ['evaluate', 'parse("1")', '"parse" is not available in expressions.'],
    ['simplify', '2 x x +* 3', 'Value expected (char 8).'],
    ['simplify', 'x = 3', 'An assignment is not taken.'],
    ['derivative', 'sin(x', 'Parenthesis ) expected (char 6).'],
  ])('%s of "%s" answers 400 at once, with the place', async (task, expression, message) => {
    await using work = await openWorkService();
    const variable = task === 'derivative' ? { variable: 'x' } : {};
    const answer = await work.post(EXECUTE, { task, input: { expression, ...variable } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toMatchObject([{ path: 'input.expression', message }]);
    expect(work.pool.calls).toHaveLength(0);
  });

  test.each([
    ['number', '2 x^2'],
    ['bignumber', '0.1e400 + 0xff'],
    ['fraction', "[1/3, 2; 3, 4]' * 2"],
  ])(
    'an expression that its parser takes is taken with precision %s',
    async (precision, expression) => {
      await using work = await openWorkService();
      const answer = await work.post(EXECUTE, {
        task: 'evaluate',
        input: { expression, precision },
      });
      expect(answer.statusCode).toBe(201);
    },
  );

  test.each([
    ['no body', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['an input that is a text', '{"task":"evaluate","input":"1+2"}'],
    ['an input that is a list', '{"task":"evaluate","input":[1]}'],
    ['no task', '{"input":{}}'],
    ['an unknown field', '{"task":"evaluate","input":{"expression":"1"},"shot":1}'],
  ])('%s answers 400', async (_, body) => {
    await using work = await openWorkService();
    const answer = await work.post(EXECUTE, body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.code).toBe('BAD_REQUEST');
  });

  test('an array that is longer than any good one is refused before it is looked through', async () => {
    await using work = await openWorkService();
    const circuit = Array.from({ length: 70_000 }, () => 0);
    const answer = await work.post(EXECUTE, { task: 'simulate', input: { circuit } });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toHaveLength(1);
    expect(answer.json().error.details[0].path).toBe('input.circuit');
  });

  test('OpenQASM and large bodies are read elsewhere, with the same faults and the same hash', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const bad = { qasm: 'OPENQASM 3.0;\nqubit q;\nnonsense q;\n' };
    const refused = await work.post(EXECUTE, { task: 'simulate', input: bad });
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.details[0].path).toBe('input.qasm');
    const circuit = Array.from({ length: 4000 }, () => ({ gate: 'H', qubit: 0 }));
    const large = { task: 'simulate', input: { circuit, shots: 10 } };
    const key = { 'idempotency-key': 'large' };
    const [first, second] = [
      await work.post(EXECUTE, large, key),
      await work.post(EXECUTE, JSON.stringify(large, null, 1), key),
    ];
    expect(first.statusCode).toBe(201);
    expect(second.headers['idempotent-replayed']).toBe('true');
    while (work.pool.calls.length === 0) await settled();
    expect(work.pool.calls[0]?.input).toEqual(large.input);
    const wide = {
      ...large,
      input: { circuit: [...circuit, { gate: 'CX', control: 0, target: 0 }] },
    };
    const answer = await work.post(EXECUTE, wide);
    expect(answer.json().error.details[0].path).toBe('input.circuit[4000].target');
  });

  test('passes priority, tier, key, seed and processor to the work', async () => {
    await using work = await openWorkService({
      processors: [
        new FakeProcessor(),
        new FakeProcessor({ id: 'gpu-fleet', family: 'gpu-fleet' }),
      ],
    });
    const enterprise = await work.service.createKey('enterprise');
    const body = { ...SUM, priority: 'high', target_processor: 'gpu-fleet' };
    const answer = await work.post(EXECUTE, body, { 'x-api-key': enterprise });
    while (work.pool.calls.length === 0) await settled();
    expect(answer.json().data.priority).toBe('high');
    expect(work.pool.calls[0]).toMatchObject({
      priority: 'high',
      tier: 'enterprise',
      seed: 1234,
      processorId: 'gpu-fleet',
    });
  });

  test('high priority of a Standard key runs as normal, and the answer says so', async () => {
    await using work = await openWorkService();
    const answer = await work.post(EXECUTE, { ...SUM, priority: 'high' });
    expect(answer.json().data.priority).toBe('normal');
  });

  test('a processor that is no simulator answers 400 and names those', async () => {
    await using work = await openWorkService();
    const answer = await work.post(EXECUTE, { ...SUM, target_processor: 'superconducting-1' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details[0]).toMatchObject({
      path: 'target_processor',
      message: expect.stringContaining('statevector-sim'),
    });
  });

  test('inputs that wait take a bounded amount of memory', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const submit = () => work.post(EXECUTE, SUM);
    await submit();
    const length = work.service.runner.inFlightCharacters('task');
    const held = vi.spyOn(work.service.runner, 'inFlightCharacters');
    held.mockReturnValue(128 * 1024 * 1024 - length);
    expect((await submit()).statusCode).toBe(201);
    held.mockReturnValue(128 * 1024 * 1024 - length + 1);
    const refused = await submit();
    expect(refused.statusCode).toBe(503);
    expect(refused.json().error.details[0].code).toBe('SERVICE_WORK_MEMORY');
  });

  test('a processor that is not available now answers 503 at once', async () => {
    const processor = new FakeProcessor();
    await using work = await openWorkService({ processors: [processor] });
    processor.reason = 'in maintenance';
    const answer = await work.post(EXECUTE, { ...SUM, target_processor: 'statevector-sim' });
    expect(answer.statusCode).toBe(503);
    expect(answer.json().error.details[0].code).toBe('FLEET_PROCESSOR_UNAVAILABLE');
    expect((await work.service.get('/tasks')).json().data.tasks).toEqual([]);
  });

  test('a key without the scope answers 403, no key 401', async () => {
    await using work = await openWorkService();
    const key = await work.service.createKey('standard', ['read']);
    expect((await work.post(EXECUTE, SUM, { 'x-api-key': key })).statusCode).toBe(403);
    expect((await work.post(EXECUTE, SUM, { 'x-api-key': '' })).statusCode).toBe(401);
  });

  test('a full queue answers 503 with Retry-After and creates no task', async () => {
    await using work = await openWorkService();
    work.pool.isFull = true;
    const answer = await work.post(EXECUTE, SUM);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('3');
    expect((await work.service.get('/tasks')).json().data.tasks).toEqual([]);
  });

  test('a key has so many tasks at once as its tier allows', async () => {
    await using work = await openWorkService({
      settings: { inFlightLimits: { standard: 2, enterprise: 3 } },
    });
    work.pool.isHolding = true;
    await work.post(EXECUTE, SUM);
    await work.post(EXECUTE, SUM);
    const third = await work.post(EXECUTE, SUM);
    expect(third.statusCode).toBe(429);
    expect(third.json().error.details[0].code).toBe('SERVICE_IN_FLIGHT_LIMIT');
    while (work.pool.held.length < 2) await settled();
    work.pool.held[0]?.finish();
    await settled();
    await settled();
    expect((await work.post(EXECUTE, SUM)).statusCode).toBe(201);
  });

  test('an agent whose self-test fails answers 503 with the reason', async () => {
    const pool = new InProcessPool();
    pool.lie = { result: 'nonsense' };
    const workloads = new Workloads({ processors: [], pool, queueLimit: 4, now: () => 0 });
    await workloads.start();
    await using work = await openWorkService({ workloads });
    const answer = await work.post(EXECUTE, SUM);
    expect(answer.statusCode).toBe(503);
    expect(answer.json().error.details[0].code).toBe('WORKLOADS_UNAVAILABLE');
    await workloads.close();
  });
});

describe('a repeat with an idempotency key', () => {
  const KEY = { 'idempotency-key': 'once' };

  test('answers as the first did and runs nothing', async () => {
    await using work = await openWorkService();
    const first = await work.post(EXECUTE, SUM, KEY);
    await work.finished(`/tasks/${first.json().data.task_id}`);
    const second = await work.post(EXECUTE, SUM, KEY);
    expect(second.statusCode).toBe(201);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.json().data).toEqual(first.json().data);
    expect(work.pool.calls).toHaveLength(1);
  });

  test('for another endpoint answers 400', async () => {
    await using work = await openWorkService();
    await work.post(EXECUTE, SUM, KEY);
    const plan = { tasks: [{ agent: 'computation', ...SUM }] };
    const other = await work.post('/systems/asi/plans', plan, KEY);
    expect(other.statusCode).toBe(400);
    expect(other.json().error.details[0].code).toBe('JOBS_IDEMPOTENCY_CONFLICT');
  });

  test('at the same time runs the work once', async () => {
    await using work = await openWorkService();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => work.post(EXECUTE, SUM, KEY)),
    );
    const ids = answers.map((answer) => answer.json().data.task_id);
    expect(new Set(ids).size).toBe(1);
    await work.finished(`/tasks/${ids[0]}`);
    expect(work.pool.calls).toHaveLength(1);
  });
});

describe('a task', () => {
  test('tells its place in the queue, then its progress', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    await work.post(EXECUTE, SUM);
    const { task_id } = (await work.post(EXECUTE, SUM)).json().data;
    while (work.pool.held.length < 2) await settled();
    const queued = (await work.service.get(`/tasks/${task_id}`)).json().data;
    expect(queued).toMatchObject({ status: 'queued', queue_position: 1 });
    work.pool.held[1]?.hooks.onStarted?.();
    work.pool.held[1]?.hooks.onProgress?.(0.25, 'a quarter');
    await settled();
    const running = (await work.service.get(`/tasks/${task_id}`)).json().data;
    expect(running).toMatchObject({ status: 'running', progress: 0.25 });
  });

  test('is cancelled, and its work with it', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const { task_id } = (await work.post(EXECUTE, SUM)).json().data;
    while (work.pool.held.length < 1) await settled();
    work.pool.held[0]?.hooks.onStarted?.();
    const { data } = (await work.post(`/tasks/${task_id}/cancel`, '')).json();
    expect(data.status).toBe('cancelled');
    const stats = async () =>
      (await work.service.get('/agents/computation')).json().data.stats as object;
    expect(await stats()).toMatchObject({ cancelled: 1, running: 0 });
  });

  test('has the seed in its record that its input names', async () => {
    await using work = await openWorkService();
    const body = { task: 'chsh', input: { shots: 10, seed: 99 } };
    const { task_id } = (await work.post('/agents/security/execute', body)).json().data;
    const record = await work.finished(`/tasks/${task_id}`);
    expect(record).toMatchObject({ seed: 99, result: { seed: 99 } });
  });

  test('fails with the code and the words of its fault', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const { task_id } = (await work.post(EXECUTE, SUM)).json().data;
    while (work.pool.held.length < 1) await settled();
    work.pool.held[0]?.fail(
      new ProcedureInputError([{ path: 'expression', message: 'Nonsense.' }]),
    );
    const record = await work.finished(`/tasks/${task_id}`);
    expect(record).toMatchObject({
      status: 'failed',
      error: { code: 'WORKLOADS_TASK_INPUT', message: expect.stringContaining('expression') },
    });
  });

  test('of another key does not exist', async () => {
    await using work = await openWorkService();
    const { task_id } = (await work.post(EXECUTE, SUM)).json().data;
    const other = { 'x-api-key': await work.service.createKey() };
    expect((await work.service.get(`/tasks/${task_id}`, other)).statusCode).toBe(404);
    expect((await work.post(`/tasks/${task_id}/cancel`, '', other)).statusCode).toBe(404);
    expect((await work.service.get(`/tasks/${task_id}/events`, other)).statusCode).toBe(404);
    expect((await work.service.get('/tasks', other)).json().data.tasks).toEqual([]);
  });

  test('is none of the circuits, and no circuit is a task', async () => {
    await using work = await openWorkService();
    const { task_id } = (await work.post(EXECUTE, SUM)).json().data;
    expect((await work.service.get(`/quantum/circuits/${task_id}`)).statusCode).toBe(404);
    expect((await work.service.get(`/tasks/circ_${task_id.slice(5)}`)).statusCode).toBe(404);
  });

  test('is listed newest first, page by page', async () => {
    await using work = await openWorkService();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.push((await work.post(EXECUTE, SUM)).json().data.task_id);
    }
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const path = `/tasks?limit=2${cursor && `&cursor=${cursor}`}`;
      const { data } = (await work.service.get(path)).json();
      seen.push(...data.tasks.map((task: { task_id: string }) => task.task_id));
      if (data.next_cursor === null) break;
      cursor = data.next_cursor;
    }
    expect(seen).toEqual(ids.toReversed());
    const wrong = await work.service.get(`/tasks?cursor=circ_${ids[0]?.slice(5)}`);
    expect(wrong.statusCode).toBe(400);
  });

  test('tells its events to whoever watches', async () => {
    await using work = await openWorkService();
    const { task_id } = (await work.post(EXECUTE, SUM)).json().data;
    await work.finished(`/tasks/${task_id}`);
    const events = await work.service.get(`/tasks/${task_id}/events`);
    expect(events.body.match(/^event: \w+/gm)).toEqual([
      'event: status',
      'event: status',
      'event: status',
      'event: done',
    ]);
    expect(events.body).toContain(`"location":"/api/v1/tasks/${task_id}"`);
  });
});
