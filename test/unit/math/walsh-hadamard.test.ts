import { expect, test } from 'vitest';
import { numOnes } from '../../../src/math/basis-index.ts';
import { walshHadamard } from '../../../src/math/walsh-hadamard.ts';

test('each entry becomes the sum of all, minus where an odd number of ones is common', () => {
  const values = Float64Array.from([3, 1, 4, 1, 5, 9, 2, 6]);
  const expected = [...values.keys()].map((a) =>
    values.reduce((sum, value, b) => sum + (numOnes(a & b) % 2 === 0 ? value : -value), 0),
  );
  walshHadamard(values);
  expect([...values]).toEqual(expected);
});
