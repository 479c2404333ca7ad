import { describe, expect, test } from 'vitest';
import { signedSums } from '../../../src/engine/density-states.ts';
import { RandomStream } from '../../support/random-stream.ts';

describe('signedSums', () => {
  test.each([
    [0, 1],
    [3, 1],
    [3, 8],
    [9, 5],
    [9, 40],
    [10, 1024],
  ])('of 2^%i values give each of %i masks its signs', (numBits, numMasks) => {
    const stream = new RandomStream(numBits + numMasks);
    const values = Float64Array.from({ length: 2 ** numBits }, () => stream.normal());
    const masks = Array.from({ length: numMasks }, () => stream.below(2 ** numBits));
    const expected = masks.map((mask) =>
      values.reduce((sum, value, x) => {
        const ones = (x & mask).toString(2).replaceAll('0', '').length;
        return ones % 2 === 0 ? sum + value : sum - value;
      }, 0),
    );
    const found = signedSums(values.slice(), masks);
    for (const [i, sum] of expected.entries()) expect(found[i]).toBeCloseTo(sum, 9);
  });
});
