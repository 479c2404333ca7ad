/** Independent errors: happening together, as a sum over all their sets, they have the probabilities of the channel. */
import { expect, test } from 'vitest';
import { independentErrors } from '../../../src/compiler/clifford/symptoms.ts';
import { RandomStream } from '../../support/random-stream.ts';

/** Distribution of the XOR of errors that happen independently. */
function together(probabilities: ArrayLike<number>): number[] {
  let distribution = Array.from(probabilities, (_, i): number => (i === 0 ? 1 : 0));
  for (let error = 1; error < probabilities.length; error++) {
    const q = probabilities[error]!;
    const before = distribution;
    distribution = before.map((each, i) => each * (1 - q) + before[i ^ error]! * q);
  }
  return distribution;
}

const difference = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Math.max(...Array.from(a, (each, i) => Math.abs(each - b[i]!)));

test('errors that are independent are found, whatever their probabilities', () => {
  const random = new RandomStream(1);
  for (let round = 0; round < 400; round++) {
    const size = 2 ** (1 + (round % 6));
    const given = Array.from({ length: size }, (_, i) =>
      i === 0
        ? 0
        : random.pick([0, 0, 0.5, 1e-7, 0.3 * random.uniform(), 1 - 0.3 * random.uniform()]),
    );
    const distribution = together(given);
    const found = independentErrors(Float64Array.from(distribution));
    if (found === undefined) throw new Error(`None were found for ${given}.`);
    expect(difference(together(found), distribution)).toBeLessThan(1e-12);
    // They are the same ones, unless one of them hides others, or happens more often than not.
    if (given.every((q) => q < 0.5)) expect(difference(found, given)).toBeLessThan(1e-12);
  }
});

test('what is found is the channel, and nothing is found where a probability would be negative', () => {
  const random = new RandomStream(2);
  const numFound = [0, 0];
  for (let round = 0; round < 400; round++) {
    const weights = Array.from({ length: 4 }, (_, i) => (i === 0 ? 2 : 1) * random.uniform());
    const sum = weights.reduce((a, b) => a + b, 0);
    const distribution = weights.map((each) => each / sum);
    const found = independentErrors(Float64Array.from(distribution));
    numFound[found === undefined ? 0 : 1]! += 1;
    if (found !== undefined) {
      expect(Math.min(...found)).toBeGreaterThanOrEqual(0);
      expect(difference(together(found), distribution)).toBeLessThan(1e-12);
    }
  }
  expect(Math.min(...numFound)).toBeGreaterThan(50);
});

test.each([
  ['X or Z', [0.4, 0.3, 0.3, 0]],
  ['X or Z, in which no parity of both is left', [0.5, 0.25, 0.25, 0]],
  ['overmixed', [0.1, 0.3, 0.3, 0.3]],
])('%s is no independent errors', (_, distribution) => {
  expect(independentErrors(Float64Array.from(distribution))).toBeUndefined();
});
