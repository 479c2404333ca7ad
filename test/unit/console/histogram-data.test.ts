import { expect, test } from 'vitest';
import {
  allRows,
  distanceOf,
  exactOfBits,
  histogramInWords,
  inGroups,
  niceTop,
  rowsToDraw,
  shortened,
  shotsOf,
} from '../../../src/console/drawing/histogram-data.ts';

const label = 'Run 1';
const bell = new Map([
  ['00', 0.5],
  ['11', 0.5],
]);

test('all outcomes of a few bits have a row, those that never came, too', () => {
  const rows = allRows({ label, counts: new Map([['11', 4]]) });
  expect(rows.map(({ outcome, count }) => [outcome, count])).toEqual([
    ['11', 4],
    ['00', 0],
    ['01', 0],
    ['10', 0],
  ]);
});

test('an outcome that has a probability and never came has a row', () => {
  const counts = new Map([['00000', 8]]);
  const exact = new Map([
    ['00000', 0.75],
    ['10000', 0.25],
    ['11111', 1e-17],
  ]);
  expect(allRows({ label, counts, exact })).toEqual([
    { outcome: '00000', count: 8, share: 1, exact: 0.75 },
    { outcome: '10000', count: 0, share: 0, exact: 0.25 },
  ]);
});

test('a second job is compared by its own number of shots', () => {
  const other = { label: 'Run 2', counts: new Map([['00', 5]]) };
  const [first] = allRows({ label, counts: new Map([['00', 2000]]), other });
  expect(first).toMatchObject({ share: 1, otherCount: 5, otherShare: 1 });
});

test('the most frequent outcomes have bars in the order of their labels, the others one together', () => {
  const counts = new Map(
    Array.from({ length: 1024 }, (_, i) => [
      i.toString(2).padStart(10, '0'),
      1 + (i % 7 === 3 ? i : 0),
    ]),
  );
  const { rows, numOthers } = rowsToDraw(allRows({ label, counts }), 4);
  expect(numOthers).toBe(1021);
  expect(rows.map(({ outcome }) => outcome)).toEqual([
    (1004).toString(2),
    (1011).toString(2),
    (1018).toString(2),
    '1,021 others',
  ]);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(total);
});

test('hexadecimal labels of several lengths stand as numbers', () => {
  const counts = new Map([
    ['0x10', 1],
    ['0x2', 1],
  ]);
  const { rows } = rowsToDraw(allRows({ label, counts }), 8);
  expect(rows.map(({ outcome }) => outcome)).toEqual(['0x2', '0x10']);
});

test.each([
  [0.53, 0.6],
  [0.5, 0.5],
  [0.031, 0.04],
  [0.97, 1],
  [1, 1],
  [0, 1],
])('the scale for a share of %d ends at %d', (share, top) => {
  expect(niceTop(share)).toBeCloseTo(top, 12);
});

test('the distance of counts from probabilities is half the sum of the differences', () => {
  expect(
    distanceOf(
      new Map([
        ['00', 60],
        ['01', 40],
      ]),
      bell,
    ),
  ).toBeCloseTo(0.5, 12);
  expect(
    distanceOf(
      new Map([
        ['00', 50],
        ['11', 50],
      ]),
      bell,
    ),
  ).toBe(0);
});

test('says the most frequent outcomes with their exact probabilities', () => {
  const contents = { label, counts: new Map([['00', 750]]).set('11', 250), exact: bell };
  expect(histogramInWords(contents, allRows(contents))).toBe(
    'Run 1: 1,000 shots, 2 different outcomes. The most frequent: ' +
      '00 750 times, 75.0%, exactly 50.0%; 11 250 times, 25.0%, exactly 50.0%.',
  );
});

const even = { name: '+1', note: '', style: 'a', has: (outcome: string) => outcome.at(-1) === '0' };
const odd = { name: '−1', note: '', style: 'b', has: (outcome: string) => outcome.at(-1) === '1' };

test('groups stand beside one another, each in the order of its outcomes and with its shots', () => {
  const counts = new Map([['00', 500]]).set('01', 200).set('10', 250).set('11', 74);
  const { rows } = rowsToDraw(allRows({ label, counts }), 64);
  expect(inGroups(rows, [odd, even]).map(({ row, group }) => [row.outcome, group])).toEqual([
    ['01', 0],
    ['11', 0],
    ['00', 1],
    ['10', 1],
  ]);
  expect([shotsOf(odd, rows), shotsOf(even, rows)]).toEqual([274, 750]);
  const words = histogramInWords(
    { label, counts, groups: [odd, even] },
    allRows({ label, counts }),
  );
  expect(words).toMatch(/ −1: 274 shots\. \+1: 750 shots\.$/);
});

test('counts without a shot are said to be that', () => {
  const contents = { label, counts: new Map([['0', 0]]) };
  expect(histogramInWords(contents, allRows(contents))).toBe('Run 1: no shots.');
});

test('a long label has its middle left out', () => {
  expect(shortened('0'.repeat(30) + '1'.repeat(30), 9)).toBe('0000…1111');
  expect(shortened('0101')).toBe('0101');
});

test('probabilities of qubits become those of the classical bits that they are measured into', () => {
  const exact = new Map([
    ['001', 0.25],
    ['101', 0.75],
  ]);
  // Bit 0 is qubit 2, bit 1 is never written, bit 2 is qubit 0.
  expect(exactOfBits(exact, [2, null, 0])).toEqual(
    new Map([
      ['100', 0.25],
      ['101', 0.75],
    ]),
  );
  expect(exactOfBits(exact, [1])).toEqual(new Map([['0', 1]]));
});
