import { describe, expect, test } from 'vitest';
import { expectations } from '../../../../src/engine/cpu/expectation.ts';
import { expectation as oracle } from '../../../../src/engine/reference/final-state.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { randomSum, sharedFlips } from '../../../support/random-observables.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { BUILDS, randomState } from '../../../support/stored-states.ts';

describe.each(BUILDS)('expectation values of %s', (build) => {
  test.each([1, 2, 3, 4, 7, 11, 14])('on %i qubits are the reference engine’s', async (n) => {
    const random = new RandomStream(200 + n);
    const { runner, state, layout, amplitudes } = randomState(random, {
      build,
      numQubits: n,
      isShuffled: n > 11,
    });
    const norm = amplitudes.reduce((sum, value) => sum + value ** 2, 0);
    for (let i = 0; i < 12; i++) {
      const observable = randomSum(random, n, 1 + (i % 3));

      const value = (await expectations(runner, state, [observable], layout))[0]!;

      const wanted = await oracle(amplitudes, observable, layout, new TimeSlicer(NEVER, () => {}));
      expect(value / norm).toBeCloseTo(wanted / norm, 12);
    }
  });
});

describe.each(BUILDS)('values of strings that flip the same qubits, of %s', (build) => {
  test.each([
    [1, 8],
    [2, 12],
    [3, 40],
    [6, 300],
    [9, 100],
    [13, 60],
    [16, 12],
    [19, 4],
  ])('on %i qubits, %i terms an observable', async (n, numTerms) => {
    const random = new RandomStream(300 + n);
    const isShuffled = n > 12;
    const options = { build, numQubits: n, isShuffled };
    const { runner, state, layout, amplitudes } = randomState(random, options);
    const norm = amplitudes.reduce((sum, value) => sum + value ** 2, 0);
    const one = sharedFlips(random, n, numTerms);
    const observables = [one, sharedFlips(random, n, 3), one.slice(1), [], one];

    const values = await expectations(runner, state, observables, layout);

    expect(values).toHaveLength(observables.length);
    for (const [i, observable] of observables.slice(0, 4).entries()) {
      const slicer = new TimeSlicer(NEVER, () => {});
      const wanted = await oracle(amplitudes, observable, layout, slicer);
      const size = observable.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 0);
      expect(Math.abs(values[i]! - wanted)).toBeLessThanOrEqual(1e-14 * size * norm);
    }
    expect(values[4]).toBe(values[0]);
  });
});

describe('expectation values', () => {
  test('of more strings than one command takes are their sum', async () => {
    const random = new RandomStream(6);
    const stored = randomState(random, { build: 'f64', numQubits: 8 });
    const { runner, state, layout, amplitudes } = stored;
    const observable = randomSum(random, 8, 12_000);

    const value = (await expectations(runner, state, [observable], layout))[0]!;

    const wanted = await oracle(amplitudes, observable, layout, new TimeSlicer(NEVER, () => {}));
    expect(value).toBeCloseTo(wanted, 9);
  });

  test('do not depend on the order of items', async () => {
    const of = async (isShuffled: boolean) => {
      const random = new RandomStream(4);
      const stored = randomState(random, { build: 'f32', numQubits: 19, isShuffled });
      const observable = randomSum(new RandomStream(5), 19, 20);
      return (await expectations(stored.runner, stored.state, [observable], stored.layout))[0];
    };

    expect(await of(true)).toBe(await of(false));
  });

  test('of a sum without terms are 0', async () => {
    const { runner, state, layout } = randomState(new RandomStream(1), {
      build: 'f32',
      numQubits: 3,
    });

    expect(await expectations(runner, state, [[]], layout)).toEqual([0]);
  });
});
