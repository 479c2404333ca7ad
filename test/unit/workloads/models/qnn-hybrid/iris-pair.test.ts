import { expect, test } from 'vitest';
import { irisPair } from '../../../../../src/workloads/models/qnn-hybrid/iris-pair.ts';

const { rows, labels } = irisPair();

test('the data are 50 flowers of versicolor, then 50 of virginica', () => {
  expect(labels).toEqual([...new Array(50).fill(0), ...new Array(50).fill(1)]);
  expect(rows[0]).toEqual([7, 3.2, 4.7, 1.4]);
  expect(rows[99]).toEqual([5.9, 3, 5.1, 1.8]);
});

test("the species have the means of Fisher's table", () => {
  const meansOf = (label: number) =>
    [0, 1, 2, 3].map((feature) => {
      const values = rows.flatMap((row, i) => (labels[i] === label ? [row[feature]!] : []));
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    });
  expect(meansOf(0)).toEqual([5.936, 2.77, 4.26, 1.326].map((mean) => expect.closeTo(mean, 10)));
  expect(meansOf(1)).toEqual([6.588, 2.974, 5.552, 2.026].map((mean) => expect.closeTo(mean, 10)));
});
