import { expect, test } from 'vitest';
import { histogram } from '../../../src/cli/histogram.ts';

test('shows outcomes by falling count with their shares, bars in proportion', () => {
  const lines = histogram({ '00': 250, '11': 500, '01': 250 }, 40).split('\n');
  expect(lines.map((line) => line.trim().split(/\s+/).slice(0, 3))).toEqual([
    ['11', '500', '50.00%'],
    ['00', '250', '25.00%'],
    ['01', '250', '25.00%'],
  ]);
  const barLength = (line: string | undefined) => line?.match(/█/g)?.length ?? 0;
  expect(barLength(lines[0])).toBe(2 * barLength(lines[1]));
});

test('keeps within the width it is given', () => {
  const counts = { '0000000000': 999, '1111111111': 1 };
  for (const line of histogram(counts, 60).split('\n')) expect(line.length).toBeLessThanOrEqual(60);
});

test('sums up what is past twenty outcomes', () => {
  const counts = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [i.toString(2).padStart(5, '0'), i < 20 ? 90 : 20]),
  );
  const lines = histogram(counts, 80).split('\n');
  expect(lines).toHaveLength(21);
  expect(lines[20]).toBe('… 10 more outcomes: 200 shots, 10.00%');
});
