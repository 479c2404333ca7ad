/** Estimates of min-entropy against examples of SP 800-90B and against closed forms. */
import { describe, expect, test } from 'vitest';
import { halfSpectrum } from '../../../../../src/workloads/algorithms/randomness/fourier.ts';
import {
  bitsOfBinary,
  collision,
  markov,
  mostCommonValue,
} from '../../../../../src/workloads/algorithms/randomness/min-entropy.ts';
import { RandomStream } from '../../../../support/random-stream.ts';

/** The sequence of the examples of sections 6.3.2 and 6.3.3. */
const EXAMPLE = bitsOfBinary('1000111001010101110011000111001010101110');

function biased(numBits: number, probability: number, seed: number): Uint8Array {
  const stream = new RandomStream(seed);
  return Uint8Array.from({ length: numBits }, () => (stream.uniform() < probability ? 1 : 0));
}

describe('estimates of min-entropy', () => {
  test('the example has the published collision estimate', () => {
    const { meanTime, deviation, minEntropy } = collision(EXAMPLE)!;
    // 14 collisions: ten after three bits, four after two.
    expect(meanTime).toBeCloseTo(38 / 14, 12);
    expect(deviation).toBeCloseTo(0.4688, 4);
    expect(minEntropy).toBeCloseTo(0.4483, 4);
  });

  test('the example has the published Markov estimate', () => {
    expect(markov(EXAMPLE)).toBeCloseTo(0.761, 3);
  });

  test.each([0.5, 0.6, 0.8, 0.95])('of bits with bias %f all come near −log₂ p', (p) => {
    const bits = biased(200_000, p, 81);
    const entropy = -Math.log2(p);
    // The bounds lie below by the width of their intervals.
    expect(mostCommonValue(bits)).toBeLessThanOrEqual(entropy + 0.005);
    expect(mostCommonValue(bits)).toBeGreaterThan(entropy - 0.015);
    expect(markov(bits)).toBeGreaterThan(entropy - 0.02);
    expect(markov(bits)).toBeLessThanOrEqual(Math.min(1, entropy + 0.02));
    // Near p = ½ the collision time hardly depends on p: its bound is wide.
    expect(collision(bits)!.minEntropy).toBeGreaterThan(entropy - (p === 0.5 ? 0.2 : 0.06));
    expect(collision(bits)!.minEntropy).toBeLessThanOrEqual(entropy + 0.02);
  });

  test('only the Markov estimate sees zeros and ones in turn', () => {
    const bits = Uint8Array.from({ length: 10_000 }, (_, i) => i % 2);
    expect(mostCommonValue(bits)).toBeGreaterThan(0.95);
    expect(markov(bits)).toBeLessThan(0.01);
  });

  test('of equal bits there is none', () => {
    const bits = new Uint8Array(1_000);
    expect(mostCommonValue(bits)).toBe(0);
    expect(markov(bits)).toBe(0);
    expect(collision(bits)?.minEntropy).toBe(0);
  });

  test('too few bits have no collision estimate', () => {
    expect(collision(bitsOfBinary('0011'))).toMatchObject({ deviation: 0 });
    expect(collision(bitsOfBinary('011'))).toBeUndefined();
    expect(collision(bitsOfBinary('01'))).toBeUndefined();
  });
});

test.each([2, 3, 7, 16, 100, 243])('the spectrum of %i numbers is the defining sum', (n) => {
  const stream = new RandomStream(90 + n);
  const values = Float64Array.from({ length: n }, () => stream.normal());
  const spectrum = halfSpectrum(values);
  expect(spectrum).toHaveLength(Math.floor(n / 2));
  for (let j = 0; j < spectrum.length; j++) {
    let [re, im] = [0, 0];
    for (let k = 0; k < n; k++) {
      re += values[k]! * Math.cos((2 * Math.PI * j * k) / n);
      im -= values[k]! * Math.sin((2 * Math.PI * j * k) / n);
    }
    expect(spectrum[j]).toBeCloseTo(Math.hypot(re, im), 10);
  }
});
