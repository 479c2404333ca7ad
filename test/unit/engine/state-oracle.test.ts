/** The oracle's oracle: two ways to a state, written apart, agree. */
import { describe, expect, test } from 'vitest';
import type { Circuit } from '../../../src/circuit/circuit.ts';
import { chiSquared } from '../../support/chi-squared.ts';
import { worstAmplitude } from '../../support/engine-runs.ts';
import { circuitAmplitudes } from '../../support/kronecker-oracle.ts';
import { gate, randomDynamicCircuit, randomGates } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { exactOutcomes, finalAmplitudes, replayCounts } from '../../support/state-oracle.ts';

describe('the state oracle', () => {
  test.each([1, 2, 3, 4, 5])('agrees with Kronecker products on %i qubits', (numQubits) => {
    const operations = randomGates(new RandomStream(numQubits), numQubits, 30, 3);
    const circuit: Circuit = { numQubits, numBits: 0, operations };
    const error = worstAmplitude(finalAmplitudes(circuit), circuitAmplitudes(circuit));
    expect(error).toBeLessThan(1e-13);
  });

  test('follows every branch: probabilities add up to 1', () => {
    const circuit = randomDynamicCircuit(new RandomStream(1), 3, 4, 25);
    const sum = [...exactOutcomes(circuit).values()].reduce((total, part) => total + part, 0);
    expect(sum).toBeCloseTo(1, 12);
  });

  test('replays shots from the distribution it calls exact', () => {
    const circuit = randomDynamicCircuit(new RandomStream(2), 2, 3, 20);
    const { statistic, bound } = chiSquared(replayCounts(circuit, 3, 2000), exactOutcomes(circuit));
    expect(statistic).toBeLessThan(bound);
  });
});

describe('the chi-squared test', () => {
  const fair = new Map([
    ['0', 0.5],
    ['1', 0.5],
  ]);

  test('passes counts that fit and fails counts that do not', () => {
    const fits = chiSquared(
      new Map([
        ['0', 5040],
        ['1', 4960],
      ]),
      fair,
    );
    const skewed = chiSquared(
      new Map([
        ['0', 5300],
        ['1', 4700],
      ]),
      fair,
    );
    expect(fits.statistic).toBeLessThan(fits.bound);
    expect(skewed.statistic).toBeGreaterThan(skewed.bound);
  });

  test('throws when an outcome occurred that cannot', () => {
    expect(() => chiSquared(new Map([['2', 1]]), fair)).toThrow('impossible');
  });
});

test('the Kronecker oracle gives the textbook’s Bell state', () => {
  const operations = [gate('H', [0]), gate('CX', [1], [0])];
  const amplitudes = circuitAmplitudes({ numQubits: 2, numBits: 0, operations });
  const expected = Float64Array.of(Math.SQRT1_2, 0, 0, 0, 0, 0, Math.SQRT1_2, 0);
  expect(worstAmplitude(amplitudes, expected)).toBeLessThan(1e-15);
});
