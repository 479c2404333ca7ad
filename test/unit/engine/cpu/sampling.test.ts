import { describe, expect, test } from 'vitest';
import { WORD_BYTES, wordImage } from '../../../../src/engine/cpu/command.ts';
import { sampleBasisStates } from '../../../../src/engine/cpu/sampling.ts';
import { sampleBasisStates as oracle } from '../../../../src/engine/reference/reference-states.ts';
import type { SampleRequest } from '../../../../src/engine/state-operations.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { BitImages } from '../../../../src/math/bit-images.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import {
  BUILDS,
  type RandomState,
  randomState,
  storeAmplitudes,
  TestRunner,
} from '../../../support/stored-states.ts';

const ALL_WIDTHS = Array.from({ length: 16 }, (_, i) => i + 1);
/** Above 32 bits, so that both words of it count. */
const SEED = 0x1f_1234_5678_9abc;

function expected({ amplitudes, layout }: RandomState, request: SampleRequest) {
  const physicalOf = new BitImages(layout.map((physical) => 2 ** physical));
  // Without the amplitudes of physical qubits that the program has not.
  const logical = Float64Array.from({ length: 2 * 2 ** layout.length }, (_, i) => {
    return amplitudes[2 * physicalOf.at(i >>> 1) + (i & 1)]!;
  });
  const inPlace = new BitImages(layout.map((_, q) => 2 ** q));
  return oracle(logical, inPlace, request, new TimeSlicer(NEVER, () => {}));
}

describe.each(BUILDS)('samples of %s', (build) => {
  test.each(ALL_WIDTHS)('of %i qubits at random places are the reference engine’s', async (n) => {
    const random = new RandomStream(100 + n);
    const stored = randomState(random, { build, numQubits: n, zeros: 0.3 });
    const { runner, state, layout } = stored;
    const request = { shots: { count: 3000 }, seed: SEED, event: 2 };

    const samples = await sampleBasisStates(runner, state, layout, request);

    expect(samples).toEqual(await expected(stored, request));
  });

  test.each(['in order', 'reversed'])(
    'of 15 qubits %s are the reference engine’s',
    async (order) => {
      const inOrder = [...Array(15).keys()];
      const layout = order === 'reversed' ? inOrder.reverse() : inOrder;
      const stored = randomState(new RandomStream(7), { build, numQubits: 15, layout });
      const request = { shots: { count: 40_000 }, seed: 5, event: 0 };

      const samples = await sampleBasisStates(stored.runner, stored.state, layout, request);

      expect(samples).toEqual(await expected(stored, request));
    },
  );

  test.each([6, 14])('of %i qubits draw for the shots that are listed', async (n) => {
    const random = new RandomStream(n);
    const stored = randomState(random, { build, numQubits: n });
    const numbers = Uint32Array.from({ length: 900 }, () => random.below(2 ** 31) * 2);
    const request = { shots: { count: 900, numbers }, seed: 77, event: 1 };

    const samples = await sampleBasisStates(stored.runner, stored.state, stored.layout, request);

    expect(samples).toEqual(await expected(stored, request));
  });
});

describe('samples', () => {
  test.each([3, 16])('of %i qubits do not depend on the order of items', async (n) => {
    const request = { shots: { count: 100_000 }, seed: 9, event: 0 };
    const draw = (isShuffled: boolean) => {
      const random = new RandomStream(42);
      const options = { build: 'f32', numQubits: n, zeros: 0.5, isShuffled } as const;
      const { runner, state, layout } = randomState(random, options);
      return sampleBasisStates(runner, state, layout, request);
    };

    const inOrder = await draw(false);

    expect(await draw(true)).toEqual(inOrder);
    expect(inOrder.occurrences.reduce((sum, occurrence) => sum + occurrence, 0)).toBe(100_000);
  });

  test.each(BUILDS)('of %s all fall on the only basis state there is', async (build) => {
    for (const numQubits of [4, 14]) {
      const only = 2 ** numQubits - 3;
      const amplitudes = new Float64Array(2 * 2 ** numQubits);
      amplitudes[2 * only + 1] = -0.25;
      const runner = new TestRunner(build);
      const state = storeAmplitudes(runner, build, amplitudes);
      const layout = [...Array(numQubits).keys()];
      const request = { shots: { count: 70_000 }, seed: 1, event: 0 };

      const samples = await sampleBasisStates(runner, state, layout, request);

      expect([...samples.basisIndices]).toEqual([only]);
      expect([...samples.occurrences]).toEqual([70_000]);
    }
  });

  test('of more shots than are drawn together are those of all shots', async () => {
    const stored = randomState(new RandomStream(3), { build: 'f64', numQubits: 13, zeros: 0.9 });
    const count = 2 ** 22 + 1000;
    const request = { shots: { count }, seed: 12, event: 3 };

    const samples = await sampleBasisStates(stored.runner, stored.state, stored.layout, request);

    expect(samples).toEqual(await expected(stored, request));
  });

  test.each(BUILDS)('of %s that rounding takes past the end fall on a possible state', (build) => {
    const runner = new TestRunner(build);
    const state = storeAmplitudes(runner, build, Float64Array.of(0, 0, 1, 0, 0, 0.5, 0, 0));
    const images = runner.allocate(64);
    const offsets = runner.allocate(64);
    const sums = runner.allocate(64);
    const histogram = runner.allocate(64);
    const scratch = runner.allocate(64);
    const { precision } = state;
    const layout = [0, 1].map((qubit) => wordImage(qubit, precision));
    new Uint32Array(runner.memory, images, 2).set(layout);
    const { kernels } = runner;
    const norm = kernels.stateSums(state.at / WORD_BYTES, 2, images, offsets, sums);

    // Twice the norm: about half of the draws lie beyond all sums.
    kernels.drawShots(sums, 2, 2 * norm, 3, 0, 0, 0, 1000, 0, histogram, scratch);

    const counts = [...new Uint32Array(runner.memory, histogram, 4)];
    expect(norm).toBe(1.25);
    expect(counts[0]).toBe(0);
    expect(counts[1]! + counts[2]!).toBe(1000);
    expect(counts[2]).toBeGreaterThan(500);
  });
});
