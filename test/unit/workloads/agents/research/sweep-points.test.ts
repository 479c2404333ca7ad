import { expect, test } from 'vitest';
import {
  numPoints,
  pointAt,
  rangeValues,
} from '../../../../../src/workloads/procedures/sweep-fields.ts';

const a = { name: 'a', values: [1, 2] };
const b = { name: 'b', values: [10, 20, 30] };

test('a range includes both of its ends exactly', () => {
  expect(rangeValues({ from: 0, to: 0.3, points: 4 })).toEqual([
    0,
    expect.closeTo(0.1),
    expect.closeTo(0.2),
    0.3,
  ]);
  expect(rangeValues({ from: 5, to: 9, points: 1 })).toEqual([5]);
  expect(rangeValues([3, 1, 2])).toEqual([3, 1, 2]);
});

test('a grid has every combination, the last parameter fastest', () => {
  const points = Array.from({ length: numPoints([a, b], 'grid') }, (_, i) =>
    pointAt([a, b], 'grid', i),
  );
  expect(points).toEqual([
    [1, 10],
    [1, 20],
    [1, 30],
    [2, 10],
    [2, 20],
    [2, 30],
  ]);
});

test('zipped parameters go in step', () => {
  const c = { name: 'c', values: [7, 8] };
  expect(numPoints([a, c], 'zip')).toBe(2);
  expect([pointAt([a, c], 'zip', 0), pointAt([a, c], 'zip', 1)]).toEqual([
    [1, 7],
    [2, 8],
  ]);
});
