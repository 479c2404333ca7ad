/** Records show the request, and the name and tags that came with it. */
import { describe, expect, test } from 'vitest';
import { newJob } from '../support/jobs.ts';
import { BELL, openTestService, settled } from './support/test-service.ts';
import { openWorkService, type WorkService } from './support/work-service.ts';

const RECORDS = '/quantum/circuits';
const LABELS = { name: 'Bell pair ✓', tags: ['nightly', 'calibration 7'] };
const SUM = { task: 'evaluate', input: { expression: '1 + 2' } };
const TPU_JOB = { job_type: 'optimization', tpu_type: 'v4', zone: 'us-central2-b' };
const PLAN = {
  goal: 'seven',
  tasks: [
    { name: 'six', agent: 'computation', task: 'evaluate', input: { expression: '2 * 3' } },
    {
      agent: 'computation',
      task: 'computation',
      input: { expression: 'x + 1', scope: { x: { $from: 'six', path: 'result' } } },
    },
  ],
};
/** Every way to submit a job. */
const SUBMISSIONS: readonly (readonly [
  what: string,
  path: string,
  listing: string,
  body: object,
])[] = [
  ['circuit', RECORDS, RECORDS, BELL],
  ['task', '/agents/computation/execute', '/tasks', SUM],
  ['plan', '/systems/asi/plans', '/tasks', PLAN],
  ['TPU job', '/tpu/jobs', '/tpu/jobs', TPU_JOB],
];

const BAD_LABELS: readonly (readonly [labels: object, path: string, message?: string])[] = [
  [{ name: '' }, 'name', 'name must be 1 to 100 printable characters, not the string "".'],
  [{ name: 'x'.repeat(101) }, 'name'],
  [{ name: 'a\nb' }, 'name'],
  [{ name: 7 }, 'name'],
  [{ tags: ['ok', 'x'.repeat(41)] }, 'tags[1]'],
  [{ tags: ['a', 'b', 'a'] }, 'tags[2]', 'The tag "a" is given twice; give it once.'],
  [{ tags: [7] }, 'tags[0]'],
  [{ tags: 'a' }, 'tags'],
  [{ tags: Array.from({ length: 11 }, (_, i) => `${i}`) }, 'tags'],
];

async function submitted(work: WorkService, path: string, body: object) {
  const answer = await work.post(path, body);
  expect(answer.statusCode).toBe(201);
  const location = String(answer.headers['location']).replace('/api/v1', '');
  return { data: answer.json().data, location };
}

describe.each(SUBMISSIONS)('a %s', (_what, path, listing, body) => {
  test('shows its request as it was sent, to GET of the record alone', async () => {
    await using work = await openWorkService();
    // "high" does not take effect for the key, and was asked for all the same.
    const sent = { ...LABELS, priority: 'high', ...body };
    const { data, location } = await submitted(work, path, sent);
    expect(data).not.toHaveProperty('request');
    await work.finished(location);
    const answer = await work.service.get(location);
    // The text: fields in the order in which they came.
    expect(answer.body).toContain(`"request":${JSON.stringify(sent)}`);
    expect(answer.json().data).toMatchObject({ status: 'completed', priority: 'normal' });
    const page = (await work.service.get(listing)).json().data;
    expect(JSON.stringify(page)).not.toContain('"request"');
  });

  test('keeps its name and tags in every answer, and when it is run again', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    work.service.processor.isHolding = true;
    const sent = { ...body, ...LABELS };
    const headers = { prefer: 'respond-async' };
    const { data } = (await work.post(path, sent, headers)).json();
    expect(data).toMatchObject(LABELS);
    const location = `${listing}/${data.circuit_id ?? data.task_id ?? data.job_id}`;
    expect((await work.service.get(location)).json().data).toMatchObject(LABELS);
    const cancelled = await work.post(`${location}/cancel`, '');
    expect(cancelled.json().data).toMatchObject({ ...LABELS, status: 'cancelled' });
    const again = await work.service.request({
      method: 'POST',
      url: `${location}/retry`,
      headers,
    });
    expect(again.json().data).toMatchObject(LABELS);
    const place = String(again.headers['location']).replace('/api/v1', '');
    expect((await work.service.get(place)).json().data).toMatchObject({
      ...LABELS,
      request: sent,
      retry_of: expect.any(String),
    });
    const page = (await work.service.get(`${listing}?tag=nightly&limit=1`)).json().data;
    expect(page.circuits ?? page.tasks ?? page.jobs).toMatchObject([LABELS]);
    await work.service.request({ method: 'POST', url: `${place}/cancel` });
    await settled();
  });

  test('whose name or tags are out of bounds is refused, and told where', async () => {
    await using work = await openWorkService();
    for (const [labels, place, message] of BAD_LABELS) {
      const answer = await work.post(path, { ...body, ...labels });
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error.details).toMatchObject([
        { path: place, ...(message !== undefined && { message }) },
      ]);
    }
    const page = (await work.service.get(listing)).json().data;
    expect(page.circuits ?? page.tasks ?? page.jobs).toEqual([]);
  });

  test('as long and as many as they may be is taken; no tags are none', async () => {
    await using work = await openWorkService();
    const tags = Array.from({ length: 10 }, (_, i) => `${i}${'🜁'.repeat(39)}`);
    const name = '🜁'.repeat(100);
    const { data } = await submitted(work, path, { ...body, name, tags });
    expect(data).toMatchObject({ name, tags });
    const plain = await submitted(work, path, { ...body, tags: [] });
    expect(plain.data).not.toHaveProperty('tags');
    expect(plain.data).not.toHaveProperty('name');
  });

  test('with other tags is another request, also under one idempotency key', async () => {
    await using work = await openWorkService();
    const headers = { 'idempotency-key': 'once' };
    const tagged = { ...body, tags: ['a'] };
    const first = await work.post(path, tagged, headers);
    expect(first.statusCode).toBe(201);
    const same = await work.post(path, tagged, headers);
    expect(same.headers['idempotent-replayed']).toBe('true');
    expect(same.json().data.tags).toEqual(['a']);
    const other = await work.post(path, { ...body, tags: ['b'] }, headers);
    expect(other.json().error.details[0].code).toBe('JOBS_IDEMPOTENCY_CONFLICT');
  });
});

describe('the request of a record', () => {
  test('is the text of a program as it was sent', async () => {
    await using service = await openTestService();
    const { circuit: _, ...rest } = BELL;
    const qasm =
      'OPENQASM 3.0; // a comment, "quoted" \\ and é\ninclude "stdgates.inc";\n\nqubit[2] q;\n\th q[0];\n';
    const { circuit_id } = (await service.submit({ ...rest, qasm })).json().data;
    const { data } = (await service.get(`${RECORDS}/${circuit_id}`)).json();
    expect(data.request).toEqual({ ...rest, qasm });
  });

  test('of more than 64 KiB is shown where it is asked for, and else its size', async () => {
    await using service = await openTestService();
    const { circuit: _, ...rest } = BELL;
    const qasm = 'OPENQASM 3.0; qubit q; // ';
    const length = JSON.stringify({ ...rest, qasm }).length;
    const small = { ...rest, qasm: qasm + 'x'.repeat(65_536 - length) };
    const large = { ...small, qasm: `${small.qasm}x` };
    const shown = async (body: object, query = '') => {
      const { circuit_id } = (await service.submit(body)).json().data;
      return (await service.get(`${RECORDS}/${circuit_id}${query}`)).json().data;
    };
    expect((await shown(small)).request).toEqual(small);
    const without = await shown(large);
    expect(without).not.toHaveProperty('request');
    expect(without.request_bytes).toBe(65_537);
    const whole = await shown(large, '?include=request');
    expect(whole.request).toEqual(large);
    expect(whole).not.toHaveProperty('request_bytes');
  });

  test('is that of a task which a plan made, with what others fed', async () => {
    await using work = await openWorkService();
    const { location } = await submitted(work, '/systems/asi/plans', PLAN);
    const { tasks } = (await work.finished(location)) as { tasks: { task_id: string }[] };
    const part = (await work.service.get(`/tasks/${tasks[1]?.task_id}`)).json().data;
    expect(part.request).toEqual({
      task: 'evaluate',
      input: { expression: 'x + 1', scope: { x: 6 } },
    });
  });

  test('is not there for jobs that an earlier version stored, which run and are run again', async () => {
    await using work = await openWorkService();
    const { key } = work.service;
    const keyId = (await work.service.deps.keys.find(key))?.id ?? '';
    // Their bodies are the input alone.
    const task =
      '{"facts":{"task":"evaluate","seed":5,"tier":"standard"},"body":{"expression":"2^5"}}';
    const tpu =
      '{"facts":{"job_type":"optimization","tpu_type":"v4","chips":4,"seed":5,"tier":"standard"},"body":{}}';
    for (const [kind, target, request, again] of [
      ['task', 'computation', task, { task: 'evaluate', input: { expression: '2^5' } }],
      ['tpu_job', TPU_JOB.zone, tpu, { ...TPU_JOB, chips: 4, input: {} }],
    ] as const) {
      const path = kind === 'task' ? '/tasks' : '/tpu/jobs';
      const old = newJob({ kind, keyId, target, request });
      await work.service.runner.submit(old);
      const record = await work.finished(`${path}/${old.id}`);
      expect(record).toMatchObject({ status: 'completed', seed: 5 });
      expect(record).not.toHaveProperty('request');

      work.pool.isHolding = true;
      const cancelled = newJob({ kind, keyId, target, request });
      await work.service.runner.submit(cancelled);
      await work.post(`${path}/${cancelled.id}/cancel`, '');
      work.pool.isHolding = false;
      const answer = await work.post(`${path}/${cancelled.id}/retry`, '');
      const location = String(answer.headers['location']);
      expect(await work.finished(location)).toMatchObject({ status: 'completed', request: again });
    }
  });

  test('is shown to nobody but its key', async () => {
    await using service = await openTestService();
    const { circuit_id } = (await service.submit({ ...BELL, name: 'secret' })).json().data;
    const headers = { 'x-api-key': await service.createKey() };
    for (const path of [`${RECORDS}/${circuit_id}?include=request`, `${RECORDS}?name=secret`]) {
      expect((await service.get(path, headers)).body).not.toContain('"secret"');
    }
  });

  test.each(['include=result', 'include=', 'include=request&x=1'])(
    'asked for with %s answers 400',
    async (query) => {
      await using service = await openTestService();
      const { circuit_id } = (await service.submit(BELL)).json().data;
      expect((await service.get(`${RECORDS}/${circuit_id}?${query}`)).statusCode).toBe(400);
    },
  );
});

describe('listings', () => {
  async function listed(query: string, work: WorkService, path = RECORDS): Promise<string[]> {
    const answer = await work.service.get(`${path}?${query}`);
    expect(answer.statusCode, answer.body).toBe(200);
    const { circuits, tasks, jobs } = answer.json().data;
    return (circuits ?? tasks ?? jobs).map(({ name }: { name: string }) => name);
  }

  test('filter by status, name, tags and time, and by several of them', async () => {
    await using work = await openWorkService();
    const { service } = work;
    const at = (hour: number) => Date.UTC(2026, 0, 2, hour);
    const submit = async (name: string, tags: readonly string[], hour: number) => {
      service.clock.now = at(hour);
      return (await service.submit({ ...BELL, name, tags })).json().data.circuit_id;
    };
    await submit('a', ['p', 'q'], 1);
    await submit('b', ['p'], 2);
    await submit('c', ['q'], 3);
    service.clock.now = at(4);
    service.processor.isHolding = true;
    const body = { ...BELL, name: 'd', tags: ['p', 'q'] };
    const { circuit_id } = (await service.submit(body, { prefer: 'respond-async' })).json().data;
    await service.request({ method: 'POST', url: `${RECORDS}/${circuit_id}/cancel` });

    expect(await listed('', work)).toEqual(['d', 'c', 'b', 'a']);
    expect(await listed('status=cancelled', work)).toEqual(['d']);
    expect(await listed('status=completed', work)).toEqual(['c', 'b', 'a']);
    expect(await listed('status=failed&status=cancelled', work)).toEqual(['d']);
    expect(await listed('name=b', work)).toEqual(['b']);
    expect(await listed('name=B', work)).toEqual([]);
    expect(await listed('tag=p', work)).toEqual(['d', 'b', 'a']);
    expect(await listed('tag=p&tag=q', work)).toEqual(['d', 'a']);
    expect(await listed('tag=q&status=completed', work)).toEqual(['c', 'a']);
    const between = 'created_after=2026-01-02T02:00:00Z&created_before=2026-01-02T04:00:00Z';
    expect(await listed(between, work)).toEqual(['c', 'b']);
    expect(await listed(`${between}&tag=q`, work)).toEqual(['c']);
    expect(await listed('created_after=2026-01-02T04:00:00%2B01:00', work)).toEqual(['d', 'c']);
    // As it comes from who forgot to write + as %2B.
    expect(await listed('created_after=2026-01-02T04:00:00+01:00', work)).toEqual(['d', 'c']);
    expect(await listed('created_before=2026-01-02', work)).toEqual([]);
    expect(await listed('created_after=2026-01-02', work)).toHaveLength(4);
    expect(await listed('name=d&tag=q&status=cancelled', work)).toEqual(['d']);
    expect(await listed('search=CANCELLED+d', work)).toEqual(['d']);
    expect(await listed(`search=${circuit_id}`, work)).toEqual(['d']);
  });

  test('of other kinds filter alike, and no kind shows another', async () => {
    await using work = await openWorkService();
    for (const [what, path, , body] of SUBMISSIONS) {
      const { location } = await submitted(work, path, { ...body, name: what, tags: ['all'] });
      await work.finished(location);
    }
    expect(await listed('tag=all', work, '/tasks')).toEqual(['plan', 'task']);
    expect(await listed('tag=all&name=task', work, '/tasks')).toEqual(['task']);
    expect(await listed('tag=all&status=completed', work, '/tpu/jobs')).toEqual(['TPU job']);
    expect(await listed('tag=all', work)).toEqual(['circuit']);
  });

  test('are walked through page by page with a filter', async () => {
    await using work = await openWorkService();
    for (let i = 0; i < 9; i++) {
      await work.service.submit({ ...BELL, name: `${i}`, tags: [i % 3 === 0 ? 'third' : 'other'] });
    }
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = cursor === '' ? '' : `&cursor=${cursor}`;
      const answer = await work.service.get(`${RECORDS}?tag=other&limit=4${page}`);
      const { circuits, next_cursor } = answer.json().data;
      seen.push(...circuits.map(({ name }: { name: string }) => name));
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    expect(seen).toEqual(['8', '7', '5', '4', '2', '1']);
  });

  test('go on below a cursor whose circuit was deleted', async () => {
    await using work = await openWorkService();
    for (const name of ['a', 'b', 'c']) await work.service.submit({ ...BELL, name });
    const { circuits, next_cursor } = (await work.service.get(`${RECORDS}?limit=2`)).json().data;
    await work.service.request({ method: 'DELETE', url: `${RECORDS}/${circuits[1].circuit_id}` });
    expect(await listed(`cursor=${next_cursor}`, work)).toEqual(['a']);
  });

  test('answer 400 to what is no filter, and name the field', async () => {
    await using work = await openWorkService();
    for (const [query, path] of [
      ['status=done', 'query.status[0]'],
      ['name=', 'query.name'],
      ['tag=', 'query.tag[0]'],
      [`tag=${'x'.repeat(41)}`, 'query.tag[0]'],
      ['created_after=yesterday', 'query.created_after'],
      ['created_after=2026-02-30', 'query.created_after'],
      ['created_before=2026-01-02T03:04:05', 'query.created_before'],
      ['tags=a', 'query.tags'],
      ['search=%20', 'query.search'],
      [`search=${'x'.repeat(101)}`, 'query.search'],
    ]) {
      for (const listing of [RECORDS, '/tasks', '/tpu/jobs']) {
        const answer = await work.service.get(`${listing}?${query}`);
        expect(answer.statusCode).toBe(400);
        expect(answer.json().error.details[0].path).toBe(path);
      }
    }
  });
});
