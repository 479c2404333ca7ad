import { describe, expect, test } from 'vitest';
import { outcomesOf, signOf, tally } from '../../../src/console/demo/decision.ts';
import { readAnswer } from '../../../src/console/demo/demo-state.ts';
import { DEMO_FACTS, demoBody } from '../../support/demo-facts.ts';

describe('an outcome', () => {
  test.each([
    ['0001', [0], -1],
    ['1110', [0], 1],
    ['1000', [3], -1],
    ['0111', [3], 1],
    ['0011', [0, 1], 1],
    ['0111', [0, 1, 2, 3], -1],
  ])('%s counts for Z on %j as %i', (outcome, qubits, sign) => {
    expect(signOf(outcome, qubits)).toBe(sign);
  });

  test('is one of all bit strings, in the order of the basis index', () => {
    expect(outcomesOf(2)).toEqual(['00', '01', '10', '11']);
    expect(outcomesOf(4)).toHaveLength(16);
  });
});

describe('counts', () => {
  test('give the mean of their signs, and its standard error', () => {
    const counts = new Map([
      ['00', 600],
      ['10', 200],
      ['01', 224],
    ]);
    const { plus, minus, shots, expectation, standardError } = tally(counts, [0]);
    expect([plus, minus, shots]).toEqual([800, 224, 1024]);
    expect(expectation).toBe(576 / 1024);
    // Of 1,024 draws of ±1: the deviation of their mean, drawn out.
    const variance = (800 * (1 - expectation) ** 2 + 224 * (-1 - expectation) ** 2) / 1024;
    expect(standardError).toBeCloseTo(Math.sqrt(variance / 1024), 12);
  });

  test('that all agree have no shot noise', () => {
    expect(tally(new Map([['1', 9]]), [0])).toMatchObject({ expectation: -1, standardError: 0 });
  });

  test('of nothing have a mean of 0 and are wholly unknown', () => {
    expect(tally(new Map(), [0])).toMatchObject({ shots: 0, expectation: 0, standardError: 1 });
  });

  test.each(['virginica', 'versicolor', 'borderline'] as const)(
    'of an answer give its expectation and margin: %s',
    (kind) => {
      const answer = readAnswer(demoBody(kind));
      if (answer === undefined) throw new Error('not read');
      const found = tally(answer.counts, DEMO_FACTS.circuit.observable.qubits);
      expect(found.expectation).toBeCloseTo(answer.expectation, 12);
      const margin = Math.abs(found.expectation - answer.threshold) / found.standardError;
      expect(margin).toBeCloseTo(answer.margin, 9);
    },
  );
});
