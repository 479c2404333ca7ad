/** The TPU fleet over HTTP: modelled chips, real work. */
import { describe, expect, test } from 'vitest';
import { settled } from './support/test-service.ts';
import { openWorkService, type WorkService } from './support/work-service.ts';

const JOB = {
  job_type: 'inference',
  tpu_type: 'v5e',
  zone: 'us-central1-a',
  input: { inputs: [[5.7, 2.9, 4.2, 1.3]], shots: 0 },
};

async function held(work: WorkService, count: number): Promise<void> {
  while (work.pool.held.length < count) await settled();
}

async function fleetOf(work: WorkService) {
  return (await work.service.get('/tpu/fleet')).json().data;
}

describe('GET /tpu/fleet', () => {
  test('has 320 chips in 6 zones, says that they are modelled, and how ratings came about', async () => {
    await using work = await openWorkService();
    await work.workloads.measure();
    const data = await fleetOf(work);
    expect(data).toMatchObject({
      modelled: true,
      available: true,
      chips: 320,
      available_chips: 320,
      rated_tasks_per_sec: 105_000_000,
      rated_tasks_per_sec_basis: { basis: 'modelled' },
      measured_tasks_per_sec: 0,
      measured_tasks_per_sec_basis: { basis: 'measured' },
    });
    const zones = data.zones.map(
      ({ zone, chips, types }: { zone: string; chips: number; types: { tpu_type: string }[] }) => [
        zone,
        chips,
        types.map(({ tpu_type }) => tpu_type).join(),
      ],
    );
    expect(zones).toEqual([
      ['us-central2-b', 64, 'v4'],
      ['europe-west4-b', 64, 'v5e'],
      ['us-central1-a', 64, 'v5e'],
      ['europe-west4-a', 64, 'v6e'],
      ['us-east1-d', 32, 'v6e'],
      ['us-east5-b', 32, 'v6e'],
    ]);
    const rated = data.types.map(
      ({ rated_tasks_per_sec }: { rated_tasks_per_sec: number }) => rated_tasks_per_sec,
    );
    expect(rated).toEqual([11_500_000, 16_500_000, 77_000_000]);
    expect(data.benchmark.jobs_per_sec).toBeGreaterThan(0);
    expect(data.capabilities).toHaveLength(4);
  });
});

describe('POST /tpu/jobs', () => {
  test('answers 201, and the record has what ran it, measured and modelled', async () => {
    await using work = await openWorkService();
    const answer = await work.post('/tpu/jobs', JOB);
    expect(answer.statusCode).toBe(201);
    const { job_id } = answer.json().data;
    expect(answer.json().data).toMatchObject({
      job_id: expect.stringMatching(/^tpujob_[0-9a-f]{32}$/),
      job_type: 'inference',
      tpu_type: 'v5e',
      zone: 'us-central1-a',
      chips: 4,
      status: 'queued',
    });
    expect(answer.headers['location']).toBe(`/api/v1/tpu/jobs/${job_id}`);
    const record = await work.finished(`/tpu/jobs/${job_id}`);
    expect(record).toMatchObject({
      status: 'completed',
      result: { predictions: [0] },
      executed_on: { process: { hardware: 'a CPU' } },
      measured: { basis: 'measured', duration_ms: 1.5 },
      modelled: { basis: 'modelled', how: expect.stringContaining('Nothing was timed') },
    });
    expect(record).not.toHaveProperty('placed');
    expect((await fleetOf(work)).measured_tasks_per_sec).toBeGreaterThan(0);
  });

  test.each([
    ['a type that the zone has not', { ...JOB, tpu_type: 'v4' }, 'zone', 'us-central2-b'],
    ['an unknown zone', { ...JOB, zone: 'mars-north1-a' }, 'zone', 'europe-west4-a'],
    ['an unknown type', { ...JOB, tpu_type: 'v9' }, 'tpu_type', 'v6e'],
    ['an unknown job type', { ...JOB, job_type: 'mining' }, 'job_type', 'optimization'],
    ['chips that make no slice', { ...JOB, chips: 3 }, 'chips', '64'],
    ['more chips than the zone has', { ...JOB, chips: 128 }, 'chips', '64'],
    ['a wrong input', { ...JOB, input: { inputs: [[1]] } }, 'input.inputs[0]', ''],
    ['an unknown field', { ...JOB, chip: 4 }, 'chip', ''],
  ])('%s answers 400 with the path and what there is', async (_, body, path, hint) => {
    await using work = await openWorkService();
    const answer = await work.post('/tpu/jobs', body);
    expect(answer.statusCode).toBe(400);
    const [detail] = answer.json().error.details;
    expect(detail.path).toBe(path);
    expect(detail.message).toContain(hint);
  });

  test('the three fields of the specification are enough', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const { job_type, tpu_type, zone } = JOB;
    const answer = await work.post('/tpu/jobs', { job_type, tpu_type, zone });
    expect(answer.statusCode).toBe(201);
    await held(work, 1);
    expect(work.pool.calls[0]?.input).toEqual({});
  });

  test.each([
    [{ tpu_type: 'v9', zone: 'mars-north1-a' }, ['tpu_type', 'zone']],
    [
      { tpu_type: 'v9', zone: 'mars-north1-a', priority: 'urgent', input: { x: 1 } },
      ['input.x', 'priority', 'tpu_type', 'zone'],
    ],
    [{ tpu_type: 7, zone: 'mars-north1-a' }, ['tpu_type', 'zone']],
    [{ zone: 7, chips: 3 }, ['zone']],
  ])('all that is wrong with %j is listed together', async (wrong, paths) => {
    await using work = await openWorkService();
    const answer = await work.post('/tpu/jobs', { ...JOB, ...wrong });
    expect(answer.statusCode).toBe(400);
    const found = answer.json().error.details.map(({ path }: { path: string }) => path);
    expect(found.sort()).toEqual(paths);
  });

  test('a full zone keeps a job waiting until another gives its chips back', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const first = (await work.post('/tpu/jobs', { ...JOB, chips: 64 })).json().data;
    await held(work, 1);
    const second = (await work.post('/tpu/jobs', { ...JOB, chips: 32 })).json().data;
    const third = (await work.post('/tpu/jobs', { ...JOB, chips: 32 })).json().data;
    await settled();
    const record = async (id: string) => (await work.service.get(`/tpu/jobs/${id}`)).json().data;
    expect(await record(first.job_id)).toMatchObject({ status: 'queued', placed: true });
    expect(await record(third.job_id)).toMatchObject({
      status: 'queued',
      placed: false,
      queue_position: 1,
    });
    expect(await fleetOf(work)).toMatchObject({
      available_chips: 256,
      jobs_placed: 1,
      jobs_waiting: 2,
    });
    work.pool.held[0]?.finish({ flops: 1000 });
    await held(work, 3);
    expect(await record(second.job_id)).toMatchObject({ placed: true });
    expect(await fleetOf(work)).toMatchObject({ jobs_placed: 2, jobs_waiting: 0 });
    work.pool.held[1]?.finish({ flops: 1000 });
    work.pool.held[2]?.finish({ flops: 1000 });
    await work.finished(`/tpu/jobs/${third.job_id}`);
    await settled();
    expect((await fleetOf(work)).available_chips).toBe(320);
  });

  test('a job that is cancelled while it waits or runs gives everything back', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const running = (await work.post('/tpu/jobs', { ...JOB, chips: 64 })).json().data;
    await held(work, 1);
    const waiting = (await work.post('/tpu/jobs', { ...JOB, chips: 64 })).json().data;
    for (const { job_id } of [waiting, running]) {
      const { data } = (await work.post(`/tpu/jobs/${job_id}/cancel`, '')).json();
      expect(data.status).toBe('cancelled');
    }
    await settled();
    expect(await fleetOf(work)).toMatchObject({
      available_chips: 320,
      jobs_placed: 0,
      jobs_waiting: 0,
    });
  });

  test('a full queue answers 503 and creates no job', async () => {
    await using work = await openWorkService();
    work.pool.isHolding = true;
    const whole = { ...JOB, chips: 64 };
    await work.post('/tpu/jobs', whole);
    await held(work, 1);
    for (let i = 0; i < 4; i++) expect((await work.post('/tpu/jobs', whole)).statusCode).toBe(201);
    const refused = await work.post('/tpu/jobs', whole);
    expect(refused.statusCode).toBe(503);
    expect(refused.headers).toHaveProperty('retry-after');
    expect((await work.service.get('/tpu/jobs')).json().data.jobs).toHaveLength(5);
  });

  test('a repeat with an idempotency key finds the first job', async () => {
    await using work = await openWorkService();
    const KEY = { 'idempotency-key': 'once' };
    const first = await work.post('/tpu/jobs', JOB, KEY);
    const second = await work.post('/tpu/jobs', JOB, KEY);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.json().data.job_id).toBe(first.json().data.job_id);
    const other = await work.post('/tpu/jobs', { ...JOB, chips: 8 }, KEY);
    expect(other.statusCode).toBe(400);
  });

  test('a key without the scope answers 403', async () => {
    await using work = await openWorkService();
    const key = await work.service.createKey('standard', ['read', 'agents']);
    expect((await work.post('/tpu/jobs', JOB, { 'x-api-key': key })).statusCode).toBe(403);
  });
});
