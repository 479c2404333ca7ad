/** A run of all tests ends with where its time went. */
import { expect, test } from 'vitest';
import { timeLines } from '../support/time-report.ts';

test('the time of each project comes first, then the ten slowest files', () => {
  const quick = Array.from({ length: 10 }, (_, i) => ({
    project: 'fast',
    path: `test/quick-${i}.test.ts`,
    seconds: i / 10,
  }));
  const slow = { project: 'processes', path: 'test/slow.test.ts', seconds: 12.34 };
  const lines = timeLines([...quick, slow]);
  expect(lines.slice(0, 5)).toEqual([
    'Seconds of each project, added over its files:',
    '    12  processes (1 files)',
    '     5  fast (10 files)',
    'The slowest files:',
    '  12.3  test/slow.test.ts',
  ]);
  expect(lines).toHaveLength(14);
  expect(lines.at(-1)).toBe('   0.1  test/quick-1.test.ts');
});
