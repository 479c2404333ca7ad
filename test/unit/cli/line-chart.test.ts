import { expect, test } from 'vitest';
import { lineChart } from '../../../src/cli/line-chart.ts';

const PLOT = /^ *\S* [│┤](.*)$/;

/** The rows of the plot, from the top. */
function plotOf(chart: string): readonly string[] {
  return chart.split('\n').flatMap((line) => PLOT.exec(line)?.[1] ?? []);
}

/** The columns at which a row has the symbol. */
function columnsOf(row: string | undefined, symbol: string): readonly number[] {
  return [...(row ?? '')].flatMap((character, i) => (character === symbol ? [i] : []));
}

const steps = (count: number, last: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => (i * last) / (count - 1));

test('a cosine begins and ends at the top, and is at the bottom in the middle', () => {
  const angles = steps(65, 2 * Math.PI);
  const chart = lineChart(
    { name: 'a', values: angles },
    [{ label: 'Z0', values: angles.map(Math.cos) }],
    78,
  );
  const lines = chart.split('\n');
  const plot = plotOf(chart);
  expect(lines[0]).toBe('* Z0');
  expect(lines.filter((line) => line.includes('┤')).map((line) => line.slice(0, 4))).toEqual([
    ' 1.0',
    ' 0.5',
    ' 0.0',
    '-0.5',
    '-1.0',
  ]);
  const top = columnsOf(plot[0], '*');
  expect([top[0], top.at(-1)]).toEqual([0, 71]);
  const low = columnsOf(plot.at(-1), '*');
  expect((low[0]! + low.at(-1)!) / 2).toBeCloseTo(35.5, 0);
  // Every column of a dense line has its symbol.
  for (let column = 0; column < 72; column++) {
    expect(plot.some((row) => row[column] === '*')).toBe(true);
  }
  expect(lines.at(-2)?.trim().split(/\s+/)).toEqual(['0', 'π/2', 'π', '3π/2', '2π']);
  expect(lines.at(-1)?.trim()).toBe('a');
});

test.each([20, 40, 80, 120])('keeps within %i columns', (columns) => {
  const values = steps(30, 10);
  const lines = ['Z0', 'X0 X1', 'Y0 Y1', '0.25*Z0 Z1'].map((label, i) => ({
    label,
    values: values.map((value) => i * Math.sin(value)),
  }));
  const chart = lineChart({ name: 'an input', values }, lines, Math.max(24, columns));
  for (const line of chart.split('\n')) {
    expect(line.length).toBeLessThanOrEqual(Math.max(26, columns));
  }
  for (const label of ['* Z0', 'o X0 X1', '+ Y0 Y1', 'x 0.25*Z0 Z1']) {
    expect(chart).toContain(label);
  }
});

test('points that are apart have symbols, and dots between them', () => {
  const chart = lineChart(
    { name: 'a', values: [0, 1, 2] },
    [{ label: 'Z0', values: [0, 1, 0] }],
    60,
  );
  const plot = plotOf(chart);
  expect(plot.join('').match(/\*/g)).toHaveLength(3);
  expect(plot.join('').match(/·/g)!.length).toBeGreaterThan(40);
});

test('a line has a gap where there is no value', () => {
  const values = [Number.NaN, 1, 2, Number.NaN, 2, 1];
  const plot = plotOf(lineChart({ name: 'a', values: steps(6, 5) }, [{ label: 'd', values }], 56));
  const filled = plot.flatMap((row) => [...columnsOf(row, '*'), ...columnsOf(row, '·')]);
  // Points are ten columns apart.
  expect(Math.min(...filled)).toBe(10);
  expect(filled.filter((column) => column > 20 && column < 40)).toEqual([]);
  expect(filled).toContain(45);
  const none = [{ label: 'd', values: [Number.NaN, Number.NaN] }];
  const empty = lineChart({ name: 'a', values: [0, 1] }, none, 56);
  expect(plotOf(empty).length).toBeGreaterThan(10);
  expect(plotOf(empty).join('').trim()).toBe('');
  expect(empty).not.toContain('NaN');
});

test('lines that meet take turns', () => {
  const values = steps(40, 39);
  const chart = lineChart(
    { name: 'a', values },
    [
      { label: 'first', values: values.map(() => 0.5) },
      { label: 'second', values: values.map(() => 0.5) },
    ],
    50,
  );
  const row = plotOf(chart).find((line) => line.includes('*'));
  expect(row).toContain('*o*o*o');
});

test('a standard error that is larger than the symbol has a bar', () => {
  const points = [{ label: 'Z0', values: [-1, 0, 1], errors: [0, 0.4, 0.01] }];
  const plot = plotOf(lineChart({ name: 'a', values: [0, 1, 2] }, points, 60));
  const bars = plot.flatMap((row, r) => columnsOf(row, '|').map((column) => ({ r, column })));
  // Zero is in row 8 of 17, an eighth a row: the bar reaches three rows up and down.
  expect(columnsOf(plot[8], '*')).toEqual([bars[0]?.column]);
  expect(bars.map(({ r }) => r)).toEqual([5, 6, 7, 9, 10, 11]);
  expect(new Set(bars.map(({ column }) => column)).size).toBe(1);
});

test('an axis that falls begins with its greatest value, and one in no order counts points', () => {
  const line = [{ label: 'Z0', values: [0, 0.5, 1] }];
  const falling = lineChart({ name: 'a', values: [4, 2, 0] }, line, 60).split('\n');
  expect(falling.at(-2)?.trim().split(/\s+/)).toEqual(['4', '3', '2', '1', '0']);
  const mixed = lineChart({ name: 'a', values: [4, 0, 2] }, line, 60).split('\n');
  expect(mixed.at(-2)?.trim().split(/\s+/)).toEqual(['0', '1', '2']);
  expect(mixed.at(-1)?.trim()).toBe('point');
});

test.each([
  ['zero', [0, 0, 1e-17], ['1.0', '0.5', '0.0', '-0.5', '-1.0']],
  ['past one', [5, 5, 5], ['5', '4', '3', '2', '1', '0', '-1']],
])('a flat line at %s is drawn on a scale around it', (_, values, labels) => {
  const chart = lineChart({ name: 'a', values: [0, 1, 2] }, [{ label: 'I', values }], 60);
  const shown = chart.split('\n').flatMap((line) => /^ *(\S+) ┤/.exec(line)?.[1] ?? []);
  expect(shown).toEqual(labels);
});

test.each([
  ['small', [1e-9, 2e-9, 3e-9]],
  ['large', [1e9, 2e9, 3e9]],
])('%s numbers are marked in full', (_, values) => {
  const chart = lineChart({ name: 'a', values }, [{ label: 'E', values }], 80);
  const [marks = ''] = chart.split('\n').slice(-2);
  const numbers = marks.trim().split(/\s+/).map(Number);
  expect(numbers.length).toBeGreaterThanOrEqual(3);
  for (const number of numbers) {
    expect(number).toBeGreaterThanOrEqual(values[0]! * 0.999999);
    expect(number).toBeLessThanOrEqual(values[2]! * 1.000001);
  }
});
