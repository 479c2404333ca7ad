import { expect, test } from 'vitest';
import { shortened } from '../../../src/service/mcp/shortened.ts';

test('the largest numbers stay, and what is left out is said', () => {
  const counts = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, i]));
  expect(shortened({ counts }, 3)).toEqual({
    counts: { k19: 19, k18: 18, k17: 17, '…': '17 more' },
  });
  expect(shortened([1, 2, 3, 4, 5], 3)).toEqual([1, 2, 3, '… 2 more']);
  expect(shortened('x'.repeat(30), 3, 10)).toBe(`${'x'.repeat(10)}… (30 characters)`);
});

test('fields that are no numbers all stay', () => {
  const record = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, `${i}`]));
  expect(shortened({ ...record, warnings: [{ message: 'heed' }] }, 3)).toEqual({
    ...record,
    warnings: [{ message: 'heed' }],
  });
});
