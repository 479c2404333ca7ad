// @needs processes
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JobId } from '../../../src/jobs/job.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { SqliteJobStore } from '../../../src/jobs/sqlite-job-store.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { NUM_COMPLETED, NUM_JOBS, NUM_RUNNING } from '../../support/crash-jobs.ts';

const CRASHING = fileURLToPath(new URL('../../support/crash-jobs.ts', import.meta.url));

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'crash-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/**
 * Runs the process until it has written `numLines` and kills it there; gives the whole lines.
 *
 * @param signal - The test's: the process does not outlive it.
 */
async function runAndKill(
  path: string,
  mode: string,
  numLines: number,
  signal: AbortSignal,
): Promise<string[]> {
  const child = spawn(process.execPath, [CRASHING, path, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGKILL',
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === numLines) child.kill('SIGKILL');
  }
  expect(await exited).toStrictEqual([null, 'SIGKILL']);
  return lines;
}

function openRunner(database: ReturnType<typeof openDatabase>, runs: JobId[]): JobRunner {
  return new JobRunner({
    store: new SqliteJobStore(database),
    handlers: {
      circuit: {
        async run(job, hooks) {
          runs.push(job.id);
          hooks.started();
          return 'after the crash';
        },
        queuePosition: () => undefined,
      },
    },
    now: () => 3,
    onUnexpectedError: (error) => {
      throw error;
    },
  });
}

describe('after kill -9', () => {
  test('every job completes once: what was completed stays, what ran runs again, what waited runs', async ({
    signal,
  }) => {
    const path = join(directory, 'jobs.sqlite');
    expect(await runAndKill(path, 'stand', 1, signal)).toStrictEqual(['ready']);

    using database = openDatabase(path);
    const runs: JobId[] = [];
    const runner = openRunner(database, runs);
    const left = await runner.list({ statuses: ['queued', 'running'], limit: NUM_JOBS });
    expect(await runner.recover()).toStrictEqual({
      requeued: NUM_JOBS - NUM_COMPLETED,
      failed: 0,
    });
    await Promise.all(left.map((job) => runner.waitFor(job.id)));

    const jobs = await runner.list({ limit: 2 * NUM_JOBS });
    expect(jobs.map((job) => job.status)).toStrictEqual(Array(NUM_JOBS).fill('completed'));
    const earlier = jobs.filter((job) => job.result === 'before the crash');
    expect(earlier).toHaveLength(NUM_COMPLETED);
    expect(runs.toSorted()).toStrictEqual(left.map((job) => job.id).toSorted());
    expect(jobs.filter((job) => job.attempts === 2)).toHaveLength(NUM_RUNNING);
  });

  test.for([
    ['stored before they begin', 'storm'],
    ['stored with their outcome', 'awaited'],
  ])(
    'killed in the middle of its writes of jobs %s, it has lost nothing that it had answered',
    async ([_how, mode = ''], { signal }) => {
      const path = join(directory, 'jobs.sqlite');
      const answered = await runAndKill(path, mode, 400, signal);

      using database = openDatabase(path);
      expect(database.prepare('PRAGMA integrity_check').get()?.['integrity_check']).toBe('ok');
      const runs: JobId[] = [];
      const runner = openRunner(database, runs);
      for (const id of answered) {
        expect(await runner.get(id)).toMatchObject({
          status: 'completed',
          result: 'before the crash',
        });
      }
      const left = await runner.list({ statuses: ['queued', 'running'], limit: 1000 });
      await runner.recover();
      await Promise.all(left.map((job) => runner.waitFor(job.id)));
      expect(runs.toSorted()).toStrictEqual(left.map((job) => job.id).toSorted());
      expect(await runner.list({ statuses: ['queued', 'running'], limit: 1 })).toStrictEqual([]);
    },
  );
});
