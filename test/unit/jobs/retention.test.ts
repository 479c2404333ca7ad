import { expect, test } from 'vitest';
import { SqliteJobStore } from '../../../src/jobs/sqlite-job-store.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { newJob } from '../../support/jobs.ts';

test('only jobs that finished before the time are deleted, in as many batches as it takes', async () => {
  using database = openDatabase(':memory:');
  const store = new SqliteJobStore(database);
  const create = async (finishedAt?: number): Promise<string> => {
    const { id } = await store.create(newJob({ createdAt: 1 }));
    if (finishedAt !== undefined) await store.transition(id, 'queued', 'failed', { finishedAt });
    return id;
  };
  for (let i = 0; i < 7; i++) await create(100 + i);
  const atTheTime = await create(200);
  const queued = await create();
  const running = await create();
  await store.transition(running, 'queued', 'running', { startedAt: 2 });

  expect(await store.prune(200, 3)).toBe(7);
  const kept = await store.list({ limit: 20, oldestFirst: true });
  expect(kept.map((job) => job.id)).toStrictEqual([atTheTime, queued, running]);
  expect(await store.prune(200)).toBe(0);
});
