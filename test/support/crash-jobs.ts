/**
 * A process that dies over its jobs: submits NUM_JOBS, completes NUM_COMPLETED of them, has
 * NUM_RUNNING running for ever and the rest queued; then says "ready" and waits to be killed.
 *
 * In mode "storm" it submits and completes jobs without end instead, and writes the id of each
 * completed one to its output; in mode "awaited" too, but has them stored with their outcome.
 *
 * Usage: node crash-jobs.ts DATABASE stand|storm|awaited
 */
import { setImmediate } from 'node:timers/promises';
import { type NewJob, newJobId } from '../../src/jobs/job.ts';
import type { JobHandler } from '../../src/jobs/job-handler.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { SqliteJobStore } from '../../src/jobs/sqlite-job-store.ts';
import { openDatabase } from '../../src/storage/database.ts';

export const NUM_JOBS = 50;
export const NUM_COMPLETED = 10;
export const NUM_RUNNING = 6;

function newJob(): NewJob {
  return {
    id: newJobId('circuit'),
    kind: 'circuit',
    keyId: 'key-1',
    priority: 'normal',
    target: 'statevector-sim',
    request: '{}',
    createdAt: 1,
  };
}

function open(path: string, handler: JobHandler): JobRunner {
  return new JobRunner({
    store: new SqliteJobStore(openDatabase(path)),
    handlers: { circuit: handler },
    now: () => 2,
    onUnexpectedError: (error) => {
      throw error;
    },
  });
}

async function stand(path: string): Promise<void> {
  let numCalls = 0;
  const forever = new Promise<never>(() => {});
  const runner = open(path, {
    async run(_job, hooks) {
      const call = numCalls++;
      if (call < NUM_COMPLETED + NUM_RUNNING) hooks.started();
      return call < NUM_COMPLETED ? 'before the crash' : forever;
    },
    queuePosition: () => undefined,
  });
  const count = async (status: 'completed' | 'running') =>
    (await runner.list({ statuses: [status], limit: NUM_JOBS })).length;

  for (let i = 0; i < NUM_JOBS; i++) await runner.submit(newJob());
  while ((await count('completed')) < NUM_COMPLETED || (await count('running')) < NUM_RUNNING) {
    await setImmediate();
  }
  process.stdout.write('ready\n');
  // Something must keep the process alive until it is killed.
  setInterval(() => {}, 60_000);
}

async function storm(path: string, isAwaited: boolean): Promise<void> {
  const runner = open(path, {
    async run(_job, hooks) {
      hooks.started();
      await setImmediate();
      return 'before the crash';
    },
    queuePosition: () => undefined,
  });
  const lane = async () => {
    for (;;) {
      const job = newJob();
      const { id } = await (isAwaited
        ? runner.run(job)
        : runner.submit(job).then(() => runner.waitFor(job.id)));
      process.stdout.write(`${id}\n`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
}

if (import.meta.main) {
  const [path = '', mode] = process.argv.slice(2);
  await (mode === 'stand' ? stand(path) : storm(path, mode === 'awaited'));
}
