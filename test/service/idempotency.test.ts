/** Idempotency-Key on POST /quantum/circuits. */
import { describe, expect, test, vi } from 'vitest';
import { EngineLostError } from '../../src/fleet/errors.ts';
import { StorageUnwritableError } from '../../src/storage/errors.ts';
import { MemoryIdempotencyStore } from '../support/memory-idempotency-store.ts';
import { MemoryJobStore } from '../support/memory-job-store.ts';
import { BELL, openTestService, settled } from './support/test-service.ts';

const KEY = { 'idempotency-key': 'order 66 / {"x"}' };
const DAY_MS = 86_400_000;

describe('a repeat with the same body', () => {
  test('returns the stored answer and runs nothing', async () => {
    await using service = await openTestService();
    const first = await service.submit(BELL, KEY);
    service.clock.now += DAY_MS - 1;
    const second = await service.submit(BELL, KEY);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(second.statusCode).toBe(201);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.headers['location']).toBe(first.headers['location']);
    expect(second.json().data).toEqual(first.json().data);
    expect(service.processor.tasks).toHaveLength(1);
  });

  test('written with other spaces and another order of fields is the same', async () => {
    await using service = await openTestService();
    await service.submit(BELL, KEY);
    const turned = Object.fromEntries(Object.entries(BELL).reverse());
    const answer = await service.submit(JSON.stringify(turned, null, 4), KEY);
    expect(answer.headers['idempotent-replayed']).toBe('true');
  });

  test('returns the answer as it was given, also when the circuit has gone on since', async () => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    const headers = { ...KEY, prefer: 'respond-async' };
    const first = await service.submit(BELL, headers);
    await settled();
    service.processor.held[0]?.finish();
    await settled();
    const second = await service.submit(BELL, headers);
    expect(first.json().data.status).toBe('queued');
    expect(second.json().data).toEqual(first.json().data);
  });

  test('after 24 hours runs again', async () => {
    await using service = await openTestService();
    await service.submit(BELL, KEY);
    service.clock.now += DAY_MS;
    const answer = await service.submit(BELL, KEY);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
    expect(service.processor.tasks).toHaveLength(2);
  });

  test('by another API key has nothing to do with it', async () => {
    await using service = await openTestService();
    await service.submit(BELL, KEY);
    const other = await service.createKey();
    const answer = await service.submit(BELL, { ...KEY, 'x-api-key': other });
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
    expect(service.processor.tasks).toHaveLength(2);
  });

  test('at the same time runs the work once, and all get its result', async () => {
    await using service = await openTestService();
    service.processor.isHolding = true;
    const pending = Array.from({ length: 20 }, () => service.submit(BELL, KEY));
    while (service.processor.held.length === 0) await settled();
    for (let i = 0; i < 10; i++) await settled();
    expect(service.processor.tasks).toHaveLength(1);
    service.processor.held[0]?.finish();
    const answers = await Promise.all(pending);
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
    const ids = answers.map((answer) => answer.json().data.circuit_id);
    expect(new Set(ids).size).toBe(1);
    for (const answer of answers) expect(answer.json().data.counts).toEqual({ '00': 100 });
    const replays = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
    expect(replays).toHaveLength(19);
    expect(service.processor.tasks).toHaveLength(1);
  });
});

test('a repeat with another body answers 400', async () => {
  await using service = await openTestService();
  await service.submit(BELL, KEY);
  const answer = await service.submit({ ...BELL, shots: 99 }, KEY);
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.details).toMatchObject([{ code: 'JOBS_IDEMPOTENCY_CONFLICT' }]);
  expect(service.processor.tasks).toHaveLength(1);
});

test.each([
  ['400', { ...BELL, shots: 0 }, 400],
  ['503', BELL, 503],
])('a request that was answered %s leaves the key free', async (_what, body, status) => {
  await using service = await openTestService();
  if (status === 503) service.processor.reason = 'offline';
  expect((await service.submit(body, KEY)).statusCode).toBe(status);
  service.processor.reason = undefined;
  const answer = await service.submit(BELL, KEY);
  expect(answer.statusCode).toBe(201);
  expect(answer.headers).not.toHaveProperty('idempotent-replayed');
});

test('of several requests at the same time that are refused, each gets the reason', async () => {
  await using service = await openTestService();
  service.processor.reason = 'offline';
  const answers = await Promise.all(Array.from({ length: 10 }, () => service.submit(BELL, KEY)));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(new Array(10).fill(503));
});

test('a job lost with its engine leaves the key free, so that a repeat runs', async () => {
  await using service = await openTestService();
  service.processor.isHolding = true;
  const waiting = service.submit(BELL, KEY);
  while (service.processor.held.length === 0) await settled();
  service.processor.held[0]?.fail(new EngineLostError(2));
  expect((await waiting).statusCode).toBe(503);
  service.processor.isHolding = false;
  expect((await service.submit(BELL, KEY)).statusCode).toBe(201);
});

test.each([
  ['256 characters', 'x'.repeat(256)],
  ['a tab', 'a\tb'],
  ['a letter outside ASCII', 'é'],
])('a key of %s answers 400 and names the header', async (_what, key) => {
  await using service = await openTestService();
  const answer = await service.submit(BELL, { 'idempotency-key': key });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.details).toMatchObject([{ path: 'headers.idempotency-key' }]);
});

test('a key of 255 characters is taken', async () => {
  await using service = await openTestService();
  const answer = await service.submit(BELL, { 'idempotency-key': '~'.repeat(255) });
  expect(answer.statusCode).toBe(201);
});

test('a key whose submission could not be stored is free again, also where that could not be stored', async () => {
  await using service = await openTestService();
  const full = new StorageUnwritableError(new Error('database or disk is full'));
  const submit = vi.spyOn(MemoryJobStore.prototype, 'create').mockRejectedValue(full);
  const release = vi.spyOn(MemoryIdempotencyStore.prototype, 'release').mockRejectedValue(full);
  for (let attempt = 0; attempt < 2; attempt++) {
    const refused = await service.submit(BELL, KEY);
    expect(refused.statusCode).toBe(503);
    expect(refused.headers['retry-after']).toBe('30');
    expect(refused.json().error.details[0].code).toBe('STORAGE_UNWRITABLE');
  }
  submit.mockRestore();
  release.mockRestore();
  expect((await service.submit(BELL, KEY)).statusCode).toBe(201);
  expect(service.processor.tasks).toHaveLength(1);
});
