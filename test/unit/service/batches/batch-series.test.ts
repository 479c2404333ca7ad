/** Numbers of the series of parts: databases have results under them. */
import { expect, test } from 'vitest';
import { programOfSeries, seriesOf } from '../../../../src/service/batches/batch-result.ts';

test('results have the numbers that stored batches have', () => {
  const first = [
    'counts',
    'probabilities',
    'expectation',
    'standard_error',
    'variance',
    'gradient',
    'statevector',
  ] as const;
  for (const program of [0, 1, 999]) {
    expect(first.map((name) => seriesOf(program, name))).toEqual(
      first.map((_, i) => 7 * program + i),
    );
    const others = [seriesOf(program, 'truncation_error'), seriesOf(program, 'largest_bond')];
    expect(others).toEqual([2 ** 40 + 16 * program, 2 ** 40 + 16 * program + 1]);
    for (const series of [...first.map((name) => seriesOf(program, name)), ...others]) {
      expect(programOfSeries(series)).toBe(program);
    }
  }
});
