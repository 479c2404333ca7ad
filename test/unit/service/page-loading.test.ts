import { describe, expect, test } from 'vitest';
import { keptPromise } from '../../../src/service/page/kept-promise.ts';

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
