import { expect, test } from 'vitest';
import { histogram } from '../../../src/cli/histogram.ts';

test('shows up to sixteen outcomes in their order, bars in proportion', () => {
  const lines = histogram({ '11': 500, '00': 250, '01': 250 }, 40).split('\n');
  expect(lines.map((line) => line.trim().split(/\s+/).slice(0, 3))).toEqual([
    ['00', '250', '25.00%'],
    ['01', '250', '25.00%'],
    ['11', '500', '50.00%'],
  ]);
  const barLength = (line: string | undefined) => line?.match(/█/g)?.length ?? 0;
  expect(barLength(lines[2])).toBe(2 * barLength(lines[0]));
});

test.each([
  [16, ['0000', '1111']],
  [17, ['10000', '01111']],
])('shows %i outcomes from the first to the last that they should be', (number, [first, last]) => {
  const width = number === 16 ? 4 : 5;
  // The counts rise with the labels.
  const counts = Object.fromEntries(
    Array.from({ length: number }, (_, i) => [i.toString(2).padStart(width, '0'), i + 1]),
  );
  const labels = histogram(counts, 80)
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect(labels).toHaveLength(number);
  expect([labels[0], number === 16 ? labels.at(-1) : labels[1]]).toEqual([first, last]);
});

test('keeps within the width it is given', () => {
  const counts = { '0000000000': 999, '1111111111': 1 };
  for (const line of histogram(counts, 60).split('\n')) expect(line.length).toBeLessThanOrEqual(60);
});

test('leaves out the middle of long labels', () => {
  const [line = ''] = histogram({ [`0x12${'0'.repeat(250)}34`]: 5 }, 100).split('\n');
  expect(line).toMatch(/^0x12000+…0+34 {2}5 {2}100\.00% {2}█+$/);
  expect(line.length).toBeLessThanOrEqual(100);
});

test('sums up what is past twenty outcomes', () => {
  const counts = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [i.toString(2).padStart(5, '0'), i < 20 ? 90 : 20]),
  );
  const lines = histogram(counts, 80).split('\n');
  expect(lines).toHaveLength(21);
  expect(lines[20]).toBe('… 10 more outcomes: 200 shots, 10.00%');
});
