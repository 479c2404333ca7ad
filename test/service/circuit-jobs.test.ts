/** Circuits as jobs: waiting and not waiting, looking, listing, cancelling, failing. */
import { describe, expect, test } from 'vitest';
import { EngineFailure, EngineLostError, QueueFullError } from '../../src/fleet/errors.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { BELL, openTestService, settled, type TestService } from './support/test-service.ts';

const ASYNC = { prefer: 'respond-async' };

async function submitAsync(service: TestService): Promise<string> {
  return (await service.submit(BELL, ASYNC)).json().data.circuit_id;
}

describe('what of a program is ignored', () => {
  const qasm = 'OPENQASM 3.0;\n#pragma user alice\nqubit q;';
  const body = { qasm, target_processor: 'statevector-sim', shots: 5 };
  const warnings = [
    {
      code: 'CIRCUIT_PRAGMA_IGNORED',
      message: 'OpenQASM line 2: The pragma "user alice" is ignored.',
      line: 2,
    },
  ];

  test('is reported in the answer and in the record', async () => {
    await using service = await openTestService();
    const { data } = (await service.submit(body)).json();
    expect(data).toMatchObject({ status: 'completed', warnings });
    const record = await service.get(`/quantum/circuits/${data.circuit_id}`);
    expect(record.json().data.warnings).toEqual(warnings);
  });

  test('is reported at once to a caller who does not wait', async () => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    for (const headers of [ASYNC, { ...ASYNC, 'idempotency-key': 'a' }]) {
      const { data } = (await service.submit(body, headers)).json();
      expect(data).toMatchObject({ status: 'queued', warnings });
    }
  });

  test('is reported where another process read the program', async () => {
    await using service = await openTestService();
    const long = { ...body, qasm: `${qasm}${'// A comment.\n'.repeat(20_000)}` };
    expect((await service.submit(long)).json().data.warnings).toEqual(warnings);
  });

  test('is absent where nothing is', async () => {
    await using service = await openTestService();
    const { data } = (await service.submit({ ...body, qasm: 'qubit q;' })).json();
    expect(data).not.toHaveProperty('warnings');
  });
});

describe('Prefer', () => {
  test('respond-async answers 201 at once, queued, without counts', async () => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    const answer = await service.submit(BELL, ASYNC);
    expect(answer.statusCode).toBe(201);
    const { data } = answer.json();
    expect(data).toMatchObject({ status: 'queued', queue_position: 0, seed: 7, qubits: 2 });
    expect(data).not.toHaveProperty('counts');
    expect(answer.headers['location']).toBe(`/api/v1/quantum/circuits/${data.circuit_id}`);
    expect(answer.headers['preference-applied']).toBe('respond-async');
  });

  test('wait=N answers as respond-async does when the time is over', async () => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    const answer = await service.submit(BELL, { prefer: 'wait=0' });
    expect(answer.statusCode).toBe(201);
    expect(answer.json().data.status).toBe('queued');
    expect(answer.headers['preference-applied']).toBe('wait=0');
  });

  test('wait=N answers with the result when it is there in time', async () => {
    await using service = await openTestService();
    const answer = await service.submit(BELL, { prefer: 'respond-async, wait=30' });
    expect(answer.json().data).toMatchObject({ status: 'completed', counts: { '00': 100 } });
    expect(answer.headers['preference-applied']).toBe('respond-async, wait=30');
  });

  test.each(['handling=lenient', 'wait=soon', 'waiting=3', ''])(
    '%j is ignored, as RFC 7240 asks, and not confirmed',
    async (prefer) => {
      await using service = await openTestService();
      const answer = await service.submit(BELL, { prefer });
      expect(answer.json().data.status).toBe('completed');
      expect(answer.headers).not.toHaveProperty('preference-applied');
    },
  );
});

describe('GET /quantum/circuits/{circuit_id}', () => {
  test('follows a circuit from the queue over its progress to its result', async () => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    await submitAsync(service);
    const id = await submitAsync(service);
    await settled();
    const look = async () => (await service.get(`/quantum/circuits/${id}`)).json().data;
    expect(await look()).toMatchObject({ status: 'queued', queue_position: 1 });

    const held = service.processor.held[1];
    service.clock.now += 1000;
    held?.hooks.onStarted?.();
    held?.hooks.onProgress?.(0.25);
    await settled();
    const running = await look();
    expect(running).toMatchObject({
      status: 'running',
      progress: 0.25,
      started_at: '2026-01-02T03:04:06.678Z',
    });
    expect(running).not.toHaveProperty('queue_position');
    held?.hooks.onStartedOver?.();
    expect(await look()).toMatchObject({ status: 'running', progress: 0 });

    service.clock.now += 1000;
    held?.finish();
    await settled();
    const completed = await look();
    expect(completed).toMatchObject({
      status: 'completed',
      finished_at: '2026-01-02T03:04:07.678Z',
      counts: { '00': 100 },
    });
    expect(completed).not.toHaveProperty('progress');
  });

  test('answers the same data as the submission did, and the request', async () => {
    await using service = await openTestService();
    const { data } = (await service.submit(BELL)).json();
    expect((await service.get(`/quantum/circuits/${data.circuit_id}`)).json().data).toEqual({
      ...data,
      request: BELL,
    });
  });

  test.each([
    'circ_1',
    'task_0199f3a2c5d87c3e9b1f2a4d6c8e0b35',
    'circ_0199f3a2c5d87c3e9b1f2a4d6c8e0b35',
    '..',
  ])('answers 404 to %j', async (id) => {
    await using service = await openTestService();
    const answer = await service.get(`/quantum/circuits/${encodeURIComponent(id)}`);
    expect(answer.statusCode).toBe(404);
  });

  test("answers 404 to another key's circuit, and so does its cancellation", async () => {
    await using service = await openTestService();
    const { circuit_id } = (await service.submit(BELL)).json().data;
    const headers = { 'x-api-key': await service.createKey() };
    const url = `/quantum/circuits/${circuit_id}`;
    for (const answer of [
      await service.get(url, headers),
      await service.request({ method: 'POST', url: `${url}/cancel`, headers }),
    ]) {
      expect(answer.statusCode).toBe(404);
      expect(answer.json().error.details).toMatchObject([{ code: 'JOBS_NOT_FOUND' }]);
    }
  });
});

describe('GET /quantum/circuits', () => {
  test("lists the caller's own, newest first, without results", async () => {
    await using service = await openTestService();
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await service.submit(BELL)).json().data.circuit_id);
    await service.submit(BELL, { 'x-api-key': await service.createKey() });
    const { data } = (await service.get('/quantum/circuits')).json();
    expect(data.circuits.map(({ circuit_id }: { circuit_id: string }) => circuit_id)).toEqual(
      ids.reverse(),
    );
    expect(data.next_cursor).toBeNull();
    expect(data.circuits[0]).toMatchObject({ status: 'completed', shots: 100, seed: 7, qubits: 2 });
    for (const name of ['counts', 'backend', 'timing']) {
      expect(data.circuits[0]).not.toHaveProperty(name);
    }
  });

  test('shows the facts of circuits however long their bodies are', async () => {
    await using service = await openTestService();
    const circuit = new Array(500).fill({ gate: 'H', qubit: 23 });
    await service.submit({ ...BELL, circuit, shots: 1_000_000, seed: 2 ** 53 - 1 });
    const [shown] = (await service.get('/quantum/circuits')).json().data.circuits;
    expect(shown).toMatchObject({ shots: 1_000_000, seed: 2 ** 53 - 1, qubits: 24 });
  });

  test('walks through all pages by limit and cursor, each circuit once', async () => {
    await using service = await openTestService();
    for (let i = 0; i < 25; i++) await service.submit(BELL);
    const sizes: number[] = [];
    const seen = new Set<string>();
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { data } = (await service.get(`/quantum/circuits?limit=10${page}`)).json();
      sizes.push(data.circuits.length);
      for (const { circuit_id } of data.circuits) seen.add(circuit_id);
      cursor = data.next_cursor;
    }
    expect(sizes).toEqual([10, 10, 5]);
    expect(seen.size).toBe(25);
    expect((await service.get('/quantum/circuits')).json().data.circuits).toHaveLength(20);
  });

  test('ends where the last page is exactly full', async () => {
    await using service = await openTestService();
    for (let i = 0; i < 4; i++) await service.submit(BELL);
    const { data } = (await service.get('/quantum/circuits?limit=4')).json();
    expect(data.circuits).toHaveLength(4);
    expect(data.next_cursor).toBeNull();
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'limit=', 'cursor=x', 'cursor='])(
    'answers 400 to %s and names the field',
    async (query) => {
      await using service = await openTestService();
      const answer = await service.get(`/quantum/circuits?${query}`);
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error.details[0].path).toBe(`query.${query.split('=')[0]}`);
    },
  );
});

describe('POST /quantum/circuits/{circuit_id}/cancel', () => {
  test.each([
    ['queued', false],
    ['running', true],
  ])('stops the work of a %s circuit and answers its record', async (_status, isStarted) => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    const id = await submitAsync(service);
    await settled();
    if (isStarted) service.processor.held[0]?.hooks.onStarted?.();
    await settled();
    const url = `/quantum/circuits/${id}/cancel`;
    const answer = await service.request({ method: 'POST', url });
    expect(answer.statusCode).toBe(200);
    expect(answer.json().data).toMatchObject({
      status: 'cancelled',
      finished_at: '2026-01-02T03:04:05.678Z',
    });
    expect(service.processor.held).toHaveLength(0);
    expect((await service.request({ method: 'POST', url })).json().data).toEqual(
      answer.json().data,
    );
  });

  test('takes an empty body that is declared as JSON', async () => {
    await using service = await openTestService();
    const { circuit_id } = (await service.submit(BELL)).json().data;
    const answer = await service.request({
      method: 'POST',
      url: `/quantum/circuits/${circuit_id}/cancel`,
      headers: { 'content-type': 'application/json', 'content-length': '0' },
    });
    expect(answer.statusCode).toBe(200);
  });

  test('leaves a completed circuit as it is', async () => {
    await using service = await openTestService();
    const { data } = (await service.submit(BELL)).json();
    const url = `/quantum/circuits/${data.circuit_id}/cancel`;
    expect((await service.request({ method: 'POST', url })).json().data).toEqual(data);
  });

  test('answers whoever waits for the result 201 with status cancelled', async () => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    const waiting = service.submit(BELL);
    await settled();
    await settled();
    const [job] = await service.runner.list({ limit: 1 });
    const url = `/quantum/circuits/${job?.id}/cancel`;
    await service.request({ method: 'POST', url });
    const answer = await waiting;
    expect(answer.statusCode).toBe(201);
    expect(answer.json().data).toMatchObject({ status: 'cancelled', circuit_id: job?.id });
  });
});

test('a circuit whose caller hangs up while waiting runs on and can be looked at', async () => {
  await using service = await openTestService();
  service.processor.isHolding = true;
  const origin = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const hangUp = new AbortController();
  const waiting = fetch(`${origin}/api/v1/quantum/circuits`, {
    method: 'POST',
    headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
    body: JSON.stringify(BELL),
    signal: hangUp.signal,
  });
  while (service.processor.held.length === 0) await settled();
  hangUp.abort();
  await expect(waiting).rejects.toThrow();
  while ((await connections(service)) > 0) await settled();
  expect(service.processor.held).toHaveLength(1);
  service.processor.held[0]?.finish();
  await settled();
  const { data } = (await service.get('/quantum/circuits')).json();
  expect(data.circuits).toMatchObject([{ status: 'completed' }]);
});

function connections({ app }: TestService): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

describe('a circuit that fails while its caller waits', () => {
  test.each([
    [new EngineLostError(2), 503, 'SERVICE_UNAVAILABLE', 'FLEET_ENGINE_LOST'],
    [
      new QueueFullError('statevector-sim', '5 circuits', 3),
      503,
      'SERVICE_UNAVAILABLE',
      'FLEET_QUEUE_FULL',
    ],
    [
      new EngineFailure('ENGINE_PROGRAM_TOO_WIDE', 'too wide', []),
      400,
      'BAD_REQUEST',
      'ENGINE_PROGRAM_TOO_WIDE',
    ],
  ] as const)(
    '%s answers %i with its code and its location',
    async (error, status, code, ownCode) => {
      await using service = await openTestService();
      service.processor.isHolding = true;
      const waiting = service.submit(BELL);
      while (service.processor.held.length === 0) await settled();
      service.processor.held[0]?.fail(error);
      const answer = await waiting;
      expect(answer.statusCode).toBe(status);
      expect(answer.json().error).toMatchObject({ code, details: [{ code: ownCode }] });
      const record = await service.app.inject({
        url: String(answer.headers['location']),
        headers: { 'x-api-key': service.key },
      });
      expect(record.json().data).toMatchObject({ status: 'failed', error: { code: ownCode } });
    },
  );

  test('in a way nobody foresaw answers 500 and tells nothing of it', async () => {
    const service = await openTestService();
    service.processor.isHolding = true;
    const waiting = service.submit(BELL);
    while (service.processor.held.length === 0) await settled();
    service.processor.held[0]?.fail(new Error('secret detail'));
    const answer = await waiting;
    expect(answer.statusCode).toBe(500);
    expect(answer.json().error).toMatchObject({
      code: 'INTERNAL_ERROR',
      details: [{ code: 'INTERNAL_ERROR' }],
    });
    expect(answer.body).not.toContain('secret detail');
    // The runner reported the bug, and disposal repeats it.
    await expect(service[Symbol.asyncDispose]()).rejects.toThrow('secret detail');
  });
});

describe('a processor that would not run the circuit now', () => {
  test('answers 503 at once with its reason and Retry-After, and makes no job', async () => {
    await using service = await openTestService();
    service.processor.setMaintenance({ reason: 'being cleaned' });
    const answer = await service.submit(BELL);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('30');
    expect(answer.json().error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('being cleaned'),
      details: [{ code: 'FLEET_PROCESSOR_UNAVAILABLE' }],
    });
    expect(await service.runner.list({ limit: 1 })).toEqual([]);
  });

  test('answers 503 also where it knows no limits, and still 400 to what nothing would run', async () => {
    const offline = new FakeProcessor({ maxQubits: 0, maxShots: 0, maxGates: 0 });
    offline.reason = 'offline';
    const other = new FakeProcessor({ id: 'other' });
    await using service = await openTestService({ processors: [offline, other] });
    expect((await service.submit(BELL)).statusCode).toBe(503);
    expect((await service.submit({ ...BELL, qubits: 25 })).statusCode).toBe(400);
  });

  test('answers without Retry-After where no time is known', async () => {
    await using service = await openTestService();
    service.processor.reason = 'offline';
    service.processor.retryAfterS = undefined;
    const answer = await service.submit(BELL);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers).not.toHaveProperty('retry-after');
  });

  test('answers 503 with Retry-After when its queue is full', async () => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    service.processor.queueLimit = 1;
    await submitAsync(service);
    await settled();
    const answer = await service.submit(BELL, ASYNC);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('7');
    expect(answer.json().error.details).toMatchObject([{ code: 'FLEET_QUEUE_FULL' }]);
  });
});

describe('while the service is stopping', () => {
  test('new submissions answer 503 with Retry-After', async () => {
    await using service = await openTestService();
    await service.runner.shutdown(0);
    const answer = await service.submit(BELL);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
    expect(answer.json().error.details).toMatchObject([{ code: 'JOBS_SHUTTING_DOWN' }]);
  });

  test('who waits is answered with the record of the job that was put back', async () => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    const waiting = service.submit(BELL);
    while (service.processor.held.length === 0) await settled();
    await service.runner.shutdown(0);
    const answer = await waiting;
    expect(answer.statusCode).toBe(201);
    expect(answer.json().data.status).toBe('queued');
  });
});
