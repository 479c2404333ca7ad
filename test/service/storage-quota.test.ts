/** Storage limits of a key and of the service. */
import { expect, test } from 'vitest';
import { BELL, openTestService } from './support/test-service.ts';
import { openWorkService } from './support/work-service.ts';

const MIB = 2 ** 20;
const storageLimits = { totalBytes: 100 * MIB, standard: 2 * MIB, enterprise: 50 * MIB };

function usageOf(bytes: { ofKey: number; total: number }) {
  return {
    bytesOf: () => bytes.ofKey,
    get totalBytes() {
      return bytes.total;
    },
  };
}

test('a key that has stored its share gets the figures, and goes on once there is room', async () => {
  const bytes = { ofKey: 2 * MIB - 1, total: 0 };
  await using service = await openTestService({
    usage: usageOf(bytes),
    settings: { storageLimits },
  });
  const accepted = await service.submit(BELL);
  expect(accepted.statusCode).toBe(201);
  bytes.ofKey = 2.5 * MIB;

  const refused = await service.submit(BELL);
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('60');
  expect(refused.json().error).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    message: expect.stringMatching(
      /take 2\.5 MiB, and the standard tier may store 2\.0 MiB \(QCS_STORAGE_MIB_STANDARD\)\. Delete finished jobs/,
    ),
    details: [{ code: 'SERVICE_STORAGE_QUOTA' }],
  });
  expect((await service.get('/keys/info')).json().data).toMatchObject({
    storage_bytes: 2.5 * MIB,
    storage_limit_bytes: 2 * MIB,
  });
  const path = `/quantum/circuits/${accepted.json().data.circuit_id}`;
  expect((await service.get(path)).statusCode).toBe(200);
  const enterprise = await service.createKey('enterprise');
  expect((await service.submit(BELL, { 'x-api-key': enterprise })).statusCode).toBe(201);

  bytes.ofKey = MIB;
  expect((await service.submit(BELL)).statusCode).toBe(201);
});

test('a service that has stored its share takes no work of any key', async () => {
  const bytes = { ofKey: 0, total: 100 * MIB };
  await using service = await openTestService({
    usage: usageOf(bytes),
    settings: { storageLimits },
  });
  const refused = await service.submit(BELL);
  expect(refused.statusCode).toBe(503);
  expect(refused.json().error).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('has 100.0 MiB and may have 100.0 MiB (QCS_STORAGE_MIB)'),
    details: [{ code: 'SERVICE_STORAGE_FULL' }],
  });
});

test('tasks and TPU jobs count like circuits', async () => {
  const bytes = { ofKey: 0, total: 0 };
  await using work = await openWorkService({ usage: usageOf(bytes), settings: { storageLimits } });
  const { agents } = (await work.service.get('/agents')).json().data;
  const { example } = agents[0].capabilities[0];
  const path = `/agents/${agents[0].id}/execute`;
  expect((await work.post(path, example)).statusCode).toBe(201);
  bytes.ofKey = 2 * MIB;
  const refused = await work.post(path, example);
  expect(refused.statusCode).toBe(429);
  expect(refused.json().error.details[0].code).toBe('SERVICE_STORAGE_QUOTA');
});
