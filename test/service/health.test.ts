/** Whether the service lives and takes work, and what it does while its disk is full. */
import { expect, test } from 'vitest';
import { Fleet } from '../../src/fleet/fleet.ts';
import { DiskFullError, StorageUnwritableError } from '../../src/storage/errors.ts';
import { DiskWatch } from '../../src/storage/storage-space.ts';
import { BELL, openTestService } from './support/test-service.ts';

const MIB = 2 ** 20;

async function answers(service: Awaited<ReturnType<typeof openTestService>>) {
  const [alive, ready] = await Promise.all(
    ['/healthz', '/readyz'].map((url) => service.app.inject({ url })),
  );
  return [alive?.statusCode, alive?.body, ready?.statusCode, ready?.body];
}

const SUM = { task: 'evaluate', input: { expression: '1 + 1' } };
const FLOWER = [5.1, 3.5, 1.4, 0.2];

const READY = [200, 'alive\n', 200, 'ready\n'];
const UNREADY = [200, 'alive\n', 503, 'unready\n'];

test('a service that takes work is alive and ready, and says so without a key', async () => {
  await using service = await openTestService();
  expect(await answers(service)).toEqual(READY);
});

test('before its warm-up is over it is alive and not ready, and takes work', async () => {
  let isWarm = false;
  await using service = await openTestService({ isWarm: () => isWarm });
  expect(await answers(service)).toEqual(UNREADY);
  expect((await service.submit(BELL)).statusCode).toBe(201);
  isWarm = true;
  expect(await answers(service)).toEqual(READY);
});

test('without a processor it is alive and not ready', async () => {
  await using service = await openTestService();
  service.processor.reason = 'Its self-test failed.';
  expect(await answers(service)).toEqual(UNREADY);
  service.processor.reason = undefined;
  expect(await answers(service)).toEqual(READY);
});

test('what has not been through its first self-test answers 503 and says to try again in a second', async () => {
  const fleet = new Fleet({
    machine: { cpuModel: 'a CPU', numCores: 1, memoryBytes: MIB },
    engine: 'webgpu',
    numThreads: 1,
    memoryBytes: MIB,
    maxShots: 1000,
    maxGates: 1000,
    queueLimit: 9,
    now: () => 0,
  });
  await using service = await openTestService({ processors: fleet.processors });
  const answered = (url: string, body: object) =>
    service.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
  const plan = { goal: 'One task', tasks: [{ agent: 'computation', ...SUM }] };
  const answers = await Promise.all([
    service.submit(BELL),
    service.submit({ ...BELL, target_processor: 'gpu-fleet' }),
    answered('/agents/computation/execute', SUM),
    answered('/systems/asi/plans', plan),
    answered('/models/qnn-hybrid/inference', { input: FLOWER }),
    answered('/demo/qnn-hybrid', { input: FLOWER }),
  ]);
  await fleet.close();
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 503));
  expect(answers.map(({ headers }) => headers['retry-after'])).toEqual(answers.map(() => '1'));
});

test('while it shuts down it is alive and not ready', async () => {
  await using service = await openTestService();
  await service.runner.shutdown(0);
  expect(await answers(service)).toEqual(UNREADY);
});

test('while its disk is full it refuses work with the figures, reads go on, and it resumes', async () => {
  let fault: Error | undefined;
  await using service = await openTestService({ storageFault: () => fault });
  const stored = await service.submit(BELL);
  fault = new DiskFullError(12, 256);
  const path = `/quantum/circuits/${stored.json().data.circuit_id}`;

  const refused = await service.submit(BELL);
  expect(refused.statusCode).toBe(503);
  expect(refused.headers['retry-after']).toBe('30');
  expect(refused.json().error).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('its disk has 12 MiB left, and it keeps 256 MiB free'),
    details: [{ code: 'STORAGE_DISK_FULL' }],
  });
  expect((await service.get(path)).json().data.status).toBe('completed');
  expect((await service.get('/status')).json().data.status).toBe('degraded');
  expect(await answers(service)).toEqual(UNREADY);

  fault = undefined;
  expect((await service.submit(BELL)).statusCode).toBe(201);
  expect(await answers(service)).toEqual(READY);
});

test('a database that cannot be written is a fault, and is tried again at each look', async () => {
  let numProbes = 0;
  const writer = {
    fault: new StorageUnwritableError(new Error('disk I/O error')) as
      | StorageUnwritableError
      | undefined,
    async probe() {
      numProbes += 1;
      if (numProbes === 2) this.fault = undefined;
    },
  };
  const watch = new DiskWatch({
    folder: '/data',
    minFreeBytes: MIB,
    freeBytes: async () => 2 * MIB,
    writer,
  });
  expect(watch.fault?.code).toBe('STORAGE_UNWRITABLE');
  await watch.check();
  expect(watch.fault?.message).toContain('cannot be written (disk I/O error)');
  await watch.check();
  expect(watch.fault).toBeUndefined();
  await watch.check();
  expect(numProbes).toBe(2);
});

test('a disk is full below the mark, and no more when there is room', async () => {
  let free = 300.5 * MIB;
  const watch = new DiskWatch({
    folder: '/data',
    minFreeBytes: 256 * MIB,
    freeBytes: async () => free,
  });
  expect(watch.fault).toBeUndefined();
  for (const [mib, message] of [
    [300.5, undefined],
    [256, undefined],
    [255.9, 'its disk has 255 MiB left, and it keeps 256 MiB free'],
    [257, undefined],
  ] as const) {
    free = mib * MIB;
    await watch.check();
    if (message === undefined) expect(watch.fault).toBeUndefined();
    else expect(watch.fault?.message).toContain(message);
  }
});

test.each([
  ['cannot be asked', () => Promise.reject(new Error('no such file'))],
  ['has no limit', async () => undefined],
])('a disk that %s counts as one with room', async (_, freeBytes) => {
  const watch = new DiskWatch({ folder: '/nowhere', minFreeBytes: MIB, freeBytes });
  await watch.check();
  expect(watch.fault).toBeUndefined();
});
