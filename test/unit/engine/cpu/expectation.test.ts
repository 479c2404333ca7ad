import { describe, expect, test } from 'vitest';
import type { PauliFactor, PauliSum } from '../../../../src/circuit/observable.ts';
import { expectation } from '../../../../src/engine/cpu/expectation.ts';
import { expectation as oracle } from '../../../../src/engine/reference/final-state.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { BUILDS, randomState } from '../../../support/stored-states.ts';

const PAULIS = ['X', 'Y', 'Z'] as const;

function randomString(random: RandomStream, numQubits: number): readonly PauliFactor[] {
  return [...Array(numQubits).keys()]
    .filter(() => random.uniform() < 0.5)
    .map((qubit) => ({ pauli: random.pick(PAULIS), qubit }));
}

function randomSum(random: RandomStream, numQubits: number, numTerms: number): PauliSum {
  return Array.from({ length: numTerms }, () => ({
    coefficient: random.normal(),
    factors: randomString(random, numQubits),
  }));
}

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

      const value = await expectation(runner, state, observable, layout);

      const wanted = await oracle(amplitudes, observable, layout, new TimeSlicer(NEVER, () => {}));
      expect(value / norm).toBeCloseTo(wanted / norm, 12);
    }
  });
});

describe('expectation values', () => {
  test('of more strings than fit one command are their sum', async () => {
    const random = new RandomStream(6);
    const stored = randomState(random, { build: 'f64', numQubits: 5 });
    const { runner, state, layout, amplitudes } = stored;
    const observable = randomSum(random, 5, 300);

    const value = await expectation(runner, state, observable, layout);

    const wanted = await oracle(amplitudes, observable, layout, new TimeSlicer(NEVER, () => {}));
    expect(value).toBeCloseTo(wanted, 10);
  });

  test('do not depend on the order of items', async () => {
    const of = async (isShuffled: boolean) => {
      const random = new RandomStream(4);
      const stored = randomState(random, { build: 'f32', numQubits: 14, isShuffled });
      const observable = randomSum(new RandomStream(5), 14, 20);
      return await expectation(stored.runner, stored.state, observable, stored.layout);
    };

    expect(await of(true)).toBe(await of(false));
  });

  test('of a sum without terms are 0', async () => {
    const { runner, state, layout } = randomState(new RandomStream(1), {
      build: 'f32',
      numQubits: 3,
    });

    expect(await expectation(runner, state, [], layout)).toBe(0);
  });
});
