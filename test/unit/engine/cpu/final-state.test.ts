import { describe, expect, test } from 'vitest';
import { logicalAmplitudes, outcomeProbabilities } from '../../../../src/engine/cpu/final-state.ts';
import {
  logicalAmplitudes as amplitudesOracle,
  outcomeProbabilities as oracle,
} from '../../../../src/engine/reference/final-state.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { BitImages } from '../../../../src/math/bit-images.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { BUILDS, randomState } from '../../../support/stored-states.ts';

function slicer(): TimeSlicer {
  return new TimeSlicer(NEVER, () => {});
}

function physicalOf(layout: readonly number[]): BitImages {
  return new BitImages(layout.map((physical) => 2 ** physical));
}

describe.each(BUILDS)('the final state of %s', (build) => {
  test.each([1, 2, 3, 6, 13])('of %i qubits is given in logical order', async (numQubits) => {
    const random = new RandomStream(numQubits);
    const { runner, state, layout, amplitudes } = randomState(random, { build, numQubits });

    const given = await logicalAmplitudes(runner, state, layout, slicer());

    const wanted = await amplitudesOracle(amplitudes, physicalOf(layout), slicer());
    expect(given).toEqual(wanted.subarray(0, 2 * 2 ** numQubits));
  });

  test.each([
    [1, 1],
    [2, 1],
    [5, 5],
    [6, 2],
    [9, 3],
    [13, 0],
    [16, 1],
    [16, 5],
    [16, 11],
    [16, 14],
  ])('of %i qubits gives the distribution of %i of them', async (numQubits, numMeasured) => {
    const random = new RandomStream(10 * numQubits + numMeasured);
    const isShuffled = numQubits > 13;
    const stored = randomState(random, { build, numQubits, isShuffled });
    const { runner, state, layout, amplitudes } = stored;
    // The first qubit measured is written to two bits, and one bit is never written.
    const numBits = numMeasured + 2;
    const images = new Array<number>(state.numQubits).fill(0);
    for (const [bit, physical] of random.shuffled(layout).slice(0, numMeasured).entries()) {
      images[physical] = bit === 0 ? 2 ** (numBits - 1) + 1 : 2 ** bit;
    }
    const outcomeOf = new BitImages(images);

    const given = await outcomeProbabilities(runner, state, layout, outcomeOf, numBits, slicer());

    const wanted = await oracle(amplitudes, outcomeOf, numBits, slicer());
    expect(given).toHaveLength(wanted.length);
    const worst = wanted.reduce((max, value, i) => Math.max(max, Math.abs(value - given[i]!)), 0);
    expect(worst).toBeLessThan(1e-10 * wanted.reduce((sum, value) => sum + value, 0));
  });

  test('gives a distribution that does not depend on the order of items', async () => {
    const of = async (isShuffled: boolean) => {
      const random = new RandomStream(21);
      const stored = randomState(random, { build, numQubits: 16, isShuffled });
      const images = stored.layout.map((_, i) => (i % 5 === 0 ? 2 ** (i / 5) : 0));
      const { runner, state, layout } = stored;
      return await outcomeProbabilities(runner, state, layout, new BitImages(images), 4, slicer());
    };

    expect(await of(true)).toEqual(await of(false));
  });
});
