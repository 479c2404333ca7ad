import { describe, expect, test } from 'vitest';
import { readPageFiles } from '../../../src/service/documents/console-page.ts';
import { keptPromise } from '../../../src/service/documents/made-once.ts';

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

describe('the files of the console', () => {
  test('are missed with an error that says how to build them', () => {
    const folder = new URL('./no-such-folder/', import.meta.url);
    const cause = expect.objectContaining({ code: 'ENOENT' });
    const missing = expect.objectContaining({ code: 'SERVICE_PAGE_NOT_BUILT', cause });
    expect(() => readPageFiles(folder)).toThrow(missing);
    expect(() => readPageFiles(folder)).toThrow('npm run build:page');
  });
});
