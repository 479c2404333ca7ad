// @needs processes
/** Storage limits of a key and of the service. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { startServiceProcess, temporaryFolder } from '../support/service-process.ts';
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

test('a key that has stored its share is told the figures, and goes on once there is room', async () => {
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

test('of a real service: the limit ends what one key may store, and holds after a restart', async () => {
  using folder = temporaryFolder();
  const environment = { QCS_STORAGE_MIB_STANDARD: '1', QCS_RATE_LIMIT_STANDARD: '1000000' };
  let running = await startServiceProcess(folder.path, environment);
  try {
    const headers = { 'x-api-key': running.key ?? '', 'content-type': 'application/json' };
    // Comments of random digits: half of a byte each, as far as any compression goes.
    const submit = async () => {
      const digits = randomBytes(400_000).toString('hex');
      const body = {
        qasm: `OPENQASM 3;include "stdgates.inc";qubit[1] q;h q[0];\n// ${digits}\n`,
        target_processor: 'statevector-sim',
        shots: 10,
      };
      const url = `${running.origin}/api/v1/quantum/circuits`;
      return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    };
    const stored = async () => {
      const answer = await fetch(`${running.origin}/api/v1/keys/info`, { headers });
      return ((await answer.json()) as { data: { storage_bytes: number } }).data.storage_bytes;
    };
    expect([(await submit()).status, (await submit()).status]).toEqual([201, 201]);
    // Below the limit the job was taken, and its whole result stored.
    expect(await stored()).toBeGreaterThan(2 ** 20 * 0.7);
    while ((await stored()) < 2 ** 20) expect((await submit()).status).toBe(201);
    expect((await submit()).status).toBe(429);
    const before = await stored();

    await running.stop('SIGKILL');
    running = await startServiceProcess(folder.path, environment);
    expect(await stored()).toBe(before);
    expect((await submit()).status).toBe(429);
  } finally {
    await running.stop('SIGKILL');
  }
});
