/** Invalid variables of `evaluate`. */
import { expect, test } from 'vitest';
import { evaluate } from '../../../../../src/workloads/agents/computation/computation-tasks.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

test.each([
  ['rows of different lengths', [[1, 2], [3]], /element 0 is a row of 2, element 1 a row of 1/],
  ['an empty row among others', [[1], [], [2]], /element 1 a row of 0/],
  [
    'more elements in all than a matrix may have',
    Array.from({ length: 101 }, () => Array.from({ length: 100 }, () => 1)),
    /10100 elements; the limit max_elements is 10000/,
  ],
])('%s are a fault of the variable before a job exists', (_, x, reason) => {
  expect(evaluate.faultsOf({ expression: 'x', scope: { y: 1, x } })).toMatchObject([
    { path: 'scope.x', message: expect.stringMatching(reason) },
  ]);
});

test.each([
  ['numbers beside rows', [1, [2]]],
  ['rows in rows', [[[1]]]],
])('%s are of bad form', (_, x) => {
  expect(evaluate.faultsOf({ expression: 'x', scope: { x } })).not.toEqual([]);
});

test.each(['number', 'bignumber', 'fraction'])(
  'every other list is taken with precision %s, whatever its numbers',
  async (precision) => {
    await using opened = openTestContext();
    const numbers = [0, -0, 1e308, -1e308, 5e-324, 0.1, 1 / 3, 2 ** 53 + 2, 1e21, 1e-7];
    for (const x of [[], [[]], numbers, numbers.map((each) => [each]), [{ re: 1, im: 2 }]]) {
      const input = { expression: 'size(x)', scope: { x }, precision };
      const run = opened.run(evaluate, input).catch(({ code }) => code);
      expect([expect.any(Object), 'WORKLOADS_TASK_INPUT']).toContainEqual(await run);
    }
  },
);
