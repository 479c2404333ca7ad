/** Watching a circuit over the end of a process, as a client that comes back sees it. */
import { expect, test } from 'vitest';
import { newJobId } from '../../src/jobs/job.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { createSqliteKeyStore } from '../../src/service/keys/sqlite-key-store.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { newJob } from '../support/jobs.ts';
import { MemoryJobStore } from '../support/memory-job-store.ts';
import { EventReader, idsOf } from './support/event-reader.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { openKinds } from './support/test-kinds.ts';
import { BELL, directory, openTestService, settled } from './support/test-service.ts';

/** Stores that outlast a process. */
function openDisk() {
  return { store: new MemoryJobStore(), keys: createSqliteKeyStore(openDatabase(':memory:')) };
}

/** A process that listens; its circuits wait for the test. Times are as `now` says. */
async function startProcess({ store, keys }: ReturnType<typeof openDisk>, now: () => number) {
  const processor = new FakeProcessor();
  processor.isHolding = true;
  const fleet = directory([processor]);
  const { kinds, readers } = openKinds({ fleet, now, jobs: () => jobs });
  const jobs: JobRunner = new JobRunner({
    store,
    handlers: kinds,
    now,
    onUnexpectedError: (error) => expect.unreachable(String(error)),
  });
  await jobs.recover();
  const service = await openTestService({
    processors: [processor],
    keys,
    jobs,
    kinds,
    readers,
    now,
  });
  const origin = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const watch = (id: string, key: string, lastEventId = '') =>
    EventReader.open(`${origin}/api/v1/quantum/circuits/${id}/events`, {
      'x-api-key': key,
      'last-event-id': lastEventId,
    });
  const begin = async () => {
    processor.held[0]?.hooks.onStarted?.();
    await settled();
  };
  return { service, jobs, processor, watch, begin };
}

test.each([
  ['a crash', 'a new attempt', 2],
  ['an orderly stop', 'the attempt that it broke off', 1],
])('after %s the reader gets %s from its beginning, and its end', async (how, _, attempt) => {
  let time = 1000;
  const now = () => time;
  const disk = openDisk();
  const first = await startProcess(disk, now);
  const { key } = first.service;
  const id = (await first.service.submit(BELL, { prefer: 'respond-async' })).json().data.circuit_id;
  await settled();
  time = 2000;
  await first.begin();
  first.processor.held[0]?.hooks.onProgress?.(0.4);
  const reader = await first.watch(id, key);
  const seen = idsOf(await reader.take(3));
  expect(seen).toEqual(['1.queued', '1.running.2000', '1.progress.2000.400']);
  // A crash leaves the record as it is: its process does nothing any more.
  if (how === 'a crash') reader[Symbol.dispose]();
  else await first.jobs.shutdown(0);
  await first.service[Symbol.asyncDispose]();

  time = 3000;
  const second = await startProcess(disk, now);
  const back = await second.watch(id, key, seen.at(-1));
  expect(idsOf(await back.take(1))).toEqual([`${attempt}.queued`]);
  time = 4000;
  await second.begin();
  second.processor.held[0]?.hooks.onProgress?.(0.1);
  expect(idsOf(await back.take(2))).toEqual([
    `${attempt}.running.4000`,
    expect.stringMatching(`^${attempt}\\.progress\\.4000\\.`),
  ]);
  time = 5000;
  second.processor.held[0]?.finish();
  const rest = (await back.rest()).filter(({ event }) => event !== 'progress');
  expect(idsOf(rest)).toEqual([`${attempt}.final.5000`, `${attempt}.done.5000`]);
  await second.service[Symbol.asyncDispose]();

  // A third process knows the job only from its record.
  const third = await startProcess(disk, now);
  const late = await third.watch(id, key, seen.at(-1));
  expect(idsOf(await late.rest())).toEqual([
    `${attempt}.queued`,
    `${attempt}.running.4000`,
    `${attempt}.final.5000`,
    `${attempt}.done.5000`,
  ]);
  await third.service[Symbol.asyncDispose]();
});

test("another kind of job is no circuit, also where it is the caller's own", async () => {
  const disk = openDisk();
  const { service } = await startProcess(disk, () => 1000);
  const keyId = (await service.get('/keys/info')).json().data.id;
  const id = newJobId('task');
  await disk.store.create(newJob({ id, kind: 'task', keyId }));
  expect((await service.get(`/quantum/circuits/${id}/events`)).statusCode).toBe(404);
  await service[Symbol.asyncDispose]();
});
