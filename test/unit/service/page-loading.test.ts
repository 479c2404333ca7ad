import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { keptPromise } from '../../../src/service/page/kept-promise.ts';
import { workerAnswer } from '../../../src/service/page/page-files.ts';

describe('what is loaded once', () => {
  test('is loaded once, for those who ask meanwhile too', async () => {
    let loads = 0;
    const kept = keptPromise(async () => ++loads);
    expect(await Promise.all([kept(), kept()])).toEqual([1, 1]);
    expect(await kept()).toBe(1);
  });

  test('is loaded anew after a failure, which all who asked are told', async () => {
    let loads = 0;
    const kept = keptPromise(async () => {
      loads++;
      if (loads === 1) throw new Error('no file');
      return loads;
    });
    const both = await Promise.allSettled([kept(), kept()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await kept()).toBe(2);
    expect(await kept()).toBe(2);
  });
});

describe('the answer of a thread', () => {
  const threadOf = (code: string) => new Worker(code, { eval: true });

  test('is its message', async () => {
    const worker = threadOf(`require('node:worker_threads').parentPort.postMessage(['a']);`);
    expect(await workerAnswer(worker)).toEqual(['a']);
  });

  test('fails where the thread ends without one', async () => {
    await expect(workerAnswer(threadOf('process.exit(3);'))).rejects.toThrow('ended with 3');
  });

  test('fails with what the thread threw', async () => {
    await expect(workerAnswer(threadOf(`throw new Error('broken');`))).rejects.toThrow('broken');
  });
});
