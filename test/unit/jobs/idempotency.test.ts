import { describe, expect, test } from 'vitest';
import { hashBody, IDEMPOTENCY_KEY } from '../../../src/jobs/idempotency.ts';
import { newJobId } from '../../../src/jobs/job.ts';
import { JobRunner } from '../../../src/jobs/job-runner.ts';
import { SqliteIdempotencyStore } from '../../../src/jobs/sqlite-idempotency-store.ts';
import { SqliteJobStore } from '../../../src/jobs/sqlite-job-store.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { newJob, ScriptedHandler } from '../../support/jobs.ts';

describe('the pattern of idempotency keys', () => {
  test.each(['a', 'x'.repeat(255), 'order 7/"b"~'])('accepts %j', (text) => {
    expect(IDEMPOTENCY_KEY.test(text)).toBe(true);
  });

  test.each(['', 'x'.repeat(256), 'a\n', 'a\u0000b', 'schlüssel', '\u007f'])(
    'refuses %j',
    (text) => {
      expect(IDEMPOTENCY_KEY.test(text)).toBe(false);
    },
  );
});

describe('hashBody', () => {
  test('is SHA-256 in hex, of a text as of its UTF-8 bytes', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(hashBody('abc')).toBe(abc);
    expect(hashBody(new TextEncoder().encode('abc'))).toBe(abc);
  });
});

describe('a claim whose process died', () => {
  const claim = { keyId: 'key-1', idempotencyKey: 'order-7', bodyHash: 'h1', now: 1000 };

  test('before it created the job is free for the next process, with any body', async () => {
    using database = openDatabase(':memory:');
    const jobId = newJobId('circuit');
    await new SqliteIdempotencyStore(database).claim({ ...claim, jobId });

    const next = new SqliteIdempotencyStore(database);
    const again = { ...claim, bodyHash: 'h2', jobId: newJobId('circuit') };
    expect(await next.claim(again)).toStrictEqual({ kind: 'claimed' });
    expect(await next.claim({ ...again, jobId: newJobId('circuit') })).toStrictEqual({
      kind: 'replay',
      jobId: again.jobId,
    });
  });

  test('after it created the job stands for that job', async () => {
    using database = openDatabase(':memory:');
    const job = newJob();
    await new SqliteIdempotencyStore(database).claim({ ...claim, jobId: job.id });
    await new SqliteJobStore(database).create(job);

    const next = new SqliteIdempotencyStore(database);
    expect(await next.claim({ ...claim, jobId: newJobId('circuit') })).toStrictEqual({
      kind: 'replay',
      jobId: job.id,
    });
  });

  test('is not free while the process that made it lives', async () => {
    using database = openDatabase(':memory:');
    const store = new SqliteIdempotencyStore(database);
    await store.claim({ ...claim, jobId: 'circ_1' });
    expect(await store.claim({ ...claim, jobId: 'circ_2' })).toStrictEqual({
      kind: 'replay',
      jobId: 'circ_1',
    });
  });
});

test('two requests with one key at once run the work once and wait for the same job', async () => {
  using database = openDatabase(':memory:');
  const idempotency = new SqliteIdempotencyStore(database);
  const handler = new ScriptedHandler();
  const runner = new JobRunner({
    store: new SqliteJobStore(database),
    handlers: { circuit: handler },
    now: () => 1000,
    onUnexpectedError: (error) => {
      throw error;
    },
  });
  const submitOnce = async () => {
    const job = newJob();
    const claim = await idempotency.claim({
      keyId: job.keyId,
      idempotencyKey: 'order-7',
      bodyHash: 'h1',
      jobId: job.id,
      now: 1000,
    });
    if (claim.kind === 'replay') return runner.waitFor(claim.jobId);
    await runner.submit(job);
    handler.of(job.id).resolve('result');
    return runner.waitFor(job.id);
  };
  const answers = await Promise.all([submitOnce(), submitOnce(), submitOnce()]);
  expect(handler.calls).toHaveLength(1);
  expect(new Set(answers.map((job) => `${job.id} ${job.result}`))).toStrictEqual(
    new Set([`${handler.calls[0]?.job.id} result`]),
  );
});
