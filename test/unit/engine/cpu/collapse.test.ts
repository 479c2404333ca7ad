import { describe, expect, test } from 'vitest';
import { collapse, qubitMasses } from '../../../../src/engine/cpu/collapse.ts';
import {
  qubitMasses as masses,
  collapse as oracle,
} from '../../../../src/engine/reference/reference-states.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { amplitudesOf, BUILDS, randomState } from '../../../support/stored-states.ts';

const WIDTHS = [1, 2, 3, 5, 8, 16];
const OUTCOMES = [
  [0, 0],
  [1, 1],
  [1, 0],
  [0, 1],
] as const;

function slicer(): TimeSlicer {
  return new TimeSlicer(NEVER, () => {});
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  return a.reduce((worst, value, i) => Math.max(worst, Math.abs(value - b[i]!)), 0);
}

describe.each(BUILDS)('measuring a qubit of %s', (build) => {
  const tolerance = build.startsWith('f32') ? 1e-6 : 1e-14;

  test.each(WIDTHS)('of %i finds the masses of both outcomes', async (numQubits) => {
    const random = new RandomStream(numQubits);
    const stored = randomState(random, { build, numQubits, isShuffled: numQubits > 8 });
    for (const qubit of stored.layout) {
      const { zero, one } = await qubitMasses(stored.runner, stored.state, qubit);

      const wanted = await masses(stored.amplitudes, qubit, slicer());
      expect(zero / wanted.zero).toBeCloseTo(1, 12);
      expect(one / wanted.one).toBeCloseTo(1, 12);
    }
  });

  test.each(WIDTHS)('of %i leaves what the reference engine leaves', async (numQubits) => {
    const random = new RandomStream(50 + numQubits);
    const { runner, state, layout } = randomState(random, {
      build,
      numQubits,
      isShuffled: numQubits > 8,
    });
    for (const [i, qubit] of layout.entries()) {
      // Few of many qubits: each halves what is left of the state.
      const [outcome, left] = OUTCOMES[i % 4]!;
      const before = amplitudesOf(runner, state);
      const mass = await masses(before, qubit, slicer());
      const kept = outcome === 1 ? mass.one : mass.zero;
      if (kept === 0) continue;
      await oracle(before, qubit, outcome, left, kept, slicer());

      await collapse(runner, state, qubit, outcome, left, kept);

      expect(largestDifference(amplitudesOf(runner, state), before)).toBeLessThan(tolerance);
    }
  });

  test('gives masses that do not depend on the order of items', async () => {
    const of = async (isShuffled: boolean) => {
      const random = new RandomStream(8);
      const { runner, state } = randomState(random, { build, numQubits: 16, isShuffled });
      return [await qubitMasses(runner, state, 3), await qubitMasses(runner, state, 15)];
    };

    expect(await of(true)).toEqual(await of(false));
  });
});
