// @needs facilities
/**
 * Draws of basis states on a device, against the definition of engine.ts.
 *
 * Each draw is held to the exact cumulative probabilities of the amplitudes stored: it may fall on
 * another basis state than the exact one only where it is within rounding of every boundary between
 * the two, and few draws are.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BasisSamples, SampleRequest } from '../../../../src/engine/state-operations.ts';
import { mergedSamples } from '../../../../src/engine/terminal-measurement.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { GpuContext } from '../../../../src/engine/webgpu/gpu-context.ts';
import { shaderFile } from '../../../../src/engine/webgpu/node-gpu.ts';
import { collapse, qubitMasses } from '../../../../src/engine/webgpu/readout/collapse.ts';
import {
  pickFromAmplitudes,
  sampleBasisStates,
  sampleOnDevice,
  samplesOf,
} from '../../../../src/engine/webgpu/readout/sampling.ts';
import { uniformDraw } from '../../../../src/math/philox.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { describeWith } from '../../../support/facilities/describe-with.ts';
import { limitMemory } from '../../../support/faulty-gpu.ts';
import {
  physicalIndex,
  type RandomGpuState,
  randomGpuState,
  storedState,
} from '../../../support/gpu-states.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { anyDriver, openSoftwareDevice, triedDrivers } from '../../../support/software-gpu.ts';

const ALL_WIDTHS = Array.from({ length: 14 }, (_, i) => i + 1);
/** Above 32 bits, so that both words of it count. */
const SEED = 0x1f_1234_5678_9abc;
/** Largest distance of a boundary from its exact place, for a norm of 1 and up to 15 qubits. */
const ROUNDING = 2 ** -24 + 2 ** -46;
/** Chunk sizes that give one chunk, two, and up to 32. */
const chunkSizes = (n: number) => new Set([n, n - 1, n - 5].map((size) => Math.max(1, size)));
const slicer = new TimeSlicer(NEVER, () => {});

/** Cumulative sums in logical order: element i + 1 includes basis state i. */
function boundariesOf({ amplitudes, layout }: RandomGpuState): Float64Array {
  const sums = new Float64Array(2 ** layout.length + 1);
  for (let i = 0; i < sums.length - 1; i++) {
    const at = 2 * physicalIndex(i, layout);
    sums[i + 1] = sums[i]! + amplitudes[at]! ** 2 + amplitudes[at + 1]! ** 2;
  }
  return sums;
}

/**
 * Holds samples to the draws, both ascending; gives how many fell beside their exact basis state.
 */
function checkedMisses(
  stored: RandomGpuState,
  { shots, seed, event }: SampleRequest,
  { basisIndices, occurrences }: BasisSamples,
): number {
  const boundaries = boundariesOf(stored);
  const norm = boundaries.at(-1)!;
  const draws = Float64Array.from({ length: shots.count }, (_, shot) => {
    return uniformDraw(seed, shots.numbers?.[shot] ?? shot, event, 0);
  }).sort();
  expect(occurrences.reduce((sum, occurrence) => sum + occurrence, 0)).toBe(shots.count);
  let misses = 0;
  let next = 0;
  let previous = -1;
  for (const [i, basisIndex] of basisIndices.entries()) {
    expect(basisIndex).toBeGreaterThan(previous);
    expect(occurrences[i]).toBeGreaterThan(0);
    previous = basisIndex;
    const from = boundaries[basisIndex]!;
    const to = boundaries[basisIndex + 1]!;
    expect(to).toBeGreaterThan(from);
    for (const draw of draws.subarray(next, next + occurrences[i]!)) {
      const threshold = draw * norm;
      if (threshold < from || threshold >= to) misses++;
      expect(threshold).toBeGreaterThan(from - ROUNDING);
      expect(threshold).toBeLessThan(to + ROUNDING);
    }
    next += occurrences[i]!;
  }
  return misses;
}

for (const driver of triedDrivers()) {
  describeWith([driver], `samples on ${driver}`, () => {
    let context: GpuContext;

    beforeAll(async () => {
      context = new GpuContext(await openSoftwareDevice(driver), shaderFile);
    });

    afterAll(() => context.device.destroy());

    test.each(ALL_WIDTHS)('of %i qubits at random places are where the draws say', async (n) => {
      const random = new RandomStream(100 + n);
      const numSpare = Math.max(0, 6 - n);
      const request = { shots: { count: 3000 }, seed: SEED, event: 2 };
      for (const chunkQubits of chunkSizes(n + numSpare)) {
        const options = { numQubits: n, numSpare, zeros: 0.3, chunkQubits };
        const stored = await randomGpuState(context, random, options);
        const { state, layout } = stored;

        const samples = await sampleBasisStates(context, state, layout, request, slicer);
        const drawnThere = await sampleOnDevice(context, state, layout, request, slicer);

        expect(checkedMisses(stored, request, samples)).toBeLessThanOrEqual(n > 12 ? 3 : 0);
        expect(checkedMisses(stored, request, drawnThere)).toBeLessThanOrEqual(3);
      }
    });

    test.each([3, 12, 15])(
      'of %i qubits are exactly those of 64-bit sums of squares',
      async (n) => {
        // Without imaginary parts a square is rounded once, whatever a device does with products.
        const random = new RandomStream(200 + n);
        const real = Float64Array.from({ length: 2 * 2 ** n }, (_, i) => {
          return i % 2 === 1 || random.uniform() < 0.2
            ? 0
            : Math.fround(random.uniform() * 2 ** (-n / 2));
        });
        const layout = random.distinct(n, n);
        const request = { shots: { count: 5000 }, seed: SEED, event: 7 };
        const expected = fixedPointSamples(real, layout, request);
        for (const chunkQubits of chunkSizes(n)) {
          const state = await storedState(context, real, chunkQubits);
          for (const windowBits of [0, 2, 13]) {
            const samples = await sampleOnDevice(
              context,
              state,
              layout,
              request,
              slicer,
              windowBits,
            );
            expect(samples).toEqual(expected);
          }
        }
      },
    );

    test('of many shots are, too, down to the last bits of draws and sums', async () => {
      const random = new RandomStream(11);
      const real = Float64Array.from({ length: 2 ** 16 }, (_, i) => {
        return i % 2 === 1 ? 0 : Math.fround(random.uniform() * 2 ** -7);
      });
      const layout = random.distinct(15, 15);
      const request = { shots: { count: 300_000 }, seed: 4, event: 0 };
      const state = await storedState(context, real);

      const samples = await sampleOnDevice(context, state, layout, request, slicer);

      expect(samples).toEqual(fixedPointSamples(real, layout, request));
    });

    test.each([
      ['in order', 15],
      ['reversed', 15],
      ['reversed', 10],
    ])('of 15 qubits %s are, too, in chunks of %i', async (order, chunkQubits) => {
      const inOrder = [...Array(15).keys()];
      const layout = order === 'reversed' ? inOrder.reverse() : inOrder;
      const options = { numQubits: 15, layout, chunkQubits };
      const stored = await randomGpuState(context, new RandomStream(7), options);
      const request = { shots: { count: 20_000 }, seed: 5, event: 0 };

      const samples = await sampleBasisStates(context, stored.state, layout, request, slicer);

      expect(checkedMisses(stored, request, samples)).toBeLessThan(20);
    });

    test('do not depend on where qubits lie or how long chunks are', async () => {
      const random = new RandomStream(9);
      const inOrder = [...Array(14).keys()];
      const { amplitudes } = await randomGpuState(context, random, {
        numQubits: 14,
        layout: inOrder,
      });
      const request = { shots: { count: 30_000 }, seed: 6, event: 1 };
      const first = await storedState(context, amplitudes);
      const expected = await sampleOnDevice(context, first, inOrder, request, slicer);
      for (const chunkQubits of [13, 9, 7]) {
        const layout = random.shuffled(inOrder);
        const moved = new Float64Array(amplitudes.length);
        for (let i = 0; i < 2 ** 14; i++) {
          const to = 2 * physicalIndex(i, layout);
          moved.set(amplitudes.subarray(2 * i, 2 * i + 2), to);
        }
        const state = await storedState(context, moved, chunkQubits);
        expect(await sampleOnDevice(context, state, layout, request, slicer)).toEqual(expected);
      }
    });

    test.each([6, 13])('of %i qubits draw for the shots that are listed', async (n) => {
      const random = new RandomStream(n);
      const stored = await randomGpuState(context, random, { numQubits: n });
      const all = Uint32Array.from({ length: 1000 }, () => random.below(2 ** 31) * 2);
      const request = { shots: { count: 900, numbers: all.subarray(100) }, seed: 77, event: 1 };

      const { state, layout } = stored;
      const samples = await sampleBasisStates(context, state, layout, request, slicer);
      const drawnThere = await sampleOnDevice(context, state, layout, request, slicer);

      expect(checkedMisses(stored, request, samples)).toBeLessThan(2);
      expect(checkedMisses(stored, request, drawnThere)).toBeLessThan(2);
    });

    test.each([4, 13])('of %i qubits all fall on the only basis state there is', async (n) => {
      const only = 2 ** n - 3;
      const amplitudes = new Float64Array(2 * 2 ** n);
      amplitudes[2 * only + 1] = -0.25;
      const state = await storedState(context, amplitudes, n - 2);
      const layout = [...Array(n).keys()];
      const request = { shots: { count: 70_000 }, seed: 1, event: 0 };

      const samples = await sampleBasisStates(context, state, layout, request, slicer);

      expect([...samples.basisIndices]).toEqual([only]);
      expect([...samples.occurrences]).toEqual([70_000]);
    });

    test('read back fall on what comes after a boundary, and at the end on the last', () => {
      const amplitudes = new Float64Array(2 * 2 ** 10);
      for (const place of [8, 100, 101, 1000]) amplitudes[2 * place] = 0.5;
      const draws = Float64Array.of(0, 0.2, 0.25, 0.5, 0.75, 1 - 2 ** -53, 1, 1.5);

      const drawn = pickFromAmplitudes(amplitudes, draws);

      expect([...drawn.basisIndices]).toEqual([8, 100, 101, 1000]);
      expect([...drawn.occurrences]).toEqual([2, 1, 1, 4]);
    });

    test.each([
      [4, 0],
      [13, 0],
      [4, Number.NaN],
      [13, Number.NaN],
      [13, Number.POSITIVE_INFINITY],
      // Norms of 8 and of 2^16: one in a place, one by adding up.
      [13, 2 ** -5],
      [4, 64],
    ])('of %i qubits that are %f throughout are refused', async (n, value) => {
      const amplitudes = new Float64Array(2 * 2 ** n).fill(value);
      const state = await storedState(context, amplitudes, n - 1);
      const layout = [...Array(n).keys()];
      const request = { shots: { count: 10 }, seed: 1, event: 0 };

      const fault = { code: 'ENGINE_GPU_FAULT' };
      await expect(sampleOnDevice(context, state, layout, request, slicer)).rejects.toMatchObject(
        fault,
      );
      if (value > 0 && value < Number.POSITIVE_INFINITY) return;
      await expect(
        sampleBasisStates(context, state, layout, request, slicer),
      ).rejects.toMatchObject(fault);
      const { zero } = await qubitMasses(context, state, 1);
      await expect(collapse(context, state, 1, 0, 0, zero)).rejects.toMatchObject(fault);
    });

    test('of more shots than are drawn together are those of all shots', async () => {
      const random = new RandomStream(3);
      const stored = await randomGpuState(context, random, { numQubits: 13, zeros: 0.99 });
      const request = { shots: { count: 2 ** 20 + 1000 }, seed: 12, event: 3 };

      const { state, layout } = stored;
      const { basisIndices, occurrences } = await sampleBasisStates(
        context,
        state,
        layout,
        request,
        slicer,
      );

      const boundaries = boundariesOf(stored);
      const exact = new Map<number, number>();
      for (let shot = 0; shot < request.shots.count; shot++) {
        const threshold = uniformDraw(12, shot, 3, 0) * boundaries.at(-1)!;
        const index = lastNotAbove(boundaries, threshold);
        exact.set(index, (exact.get(index) ?? 0) + 1);
      }
      const moved = [...basisIndices].map((basisIndex, i) =>
        Math.abs(occurrences[i]! - (exact.get(basisIndex) ?? 0)),
      );
      expect(basisIndices).toHaveLength(exact.size);
      expect(moved.reduce((sum, count) => sum + count, 0)).toBeLessThan(10);
      expect(occurrences.reduce((sum, count) => sum + count, 0)).toBe(request.shots.count);
    });
  });
}

describeWith([anyDriver()], 'samples on a device with a fault', () => {
  const driver = anyDriver();
  const layout = [...Array(13).keys()];
  const request = { shots: { count: 500 }, seed: 1, event: 0 };
  const amplitudes = new Float64Array(2 * 2 ** 13).fill(2 ** -7);

  test('are refused where there is no memory for them, and drawn when there is', async () => {
    const device = await openSoftwareDevice(driver);
    let isFull = false;
    // The masses of a window of two blocks.
    limitMemory(device, 2 ** 14, () => isFull);
    const context = new GpuContext(device, shaderFile);
    const state = await storedState(context, amplitudes, 12);
    isFull = true;
    const draw = () => sampleOnDevice(context, state, layout, request, slicer);

    await expect(draw()).rejects.toMatchObject({ code: 'ENGINE_STATE_MEMORY' });
    isFull = false;
    const { occurrences } = await draw();

    expect(occurrences.reduce((sum, count) => sum + count, 0)).toBe(500);
    device.destroy();
  });

  test('are right or refused, whenever it is lost', async () => {
    for (const turns of [0, 20, 200]) {
      const device = await openSoftwareDevice(driver);
      const context = new GpuContext(device, shaderFile);
      const state = await storedState(context, amplitudes, 12);
      const settled = sampleOnDevice(context, state, layout, request, slicer).then(
        ({ occurrences }) => occurrences.reduce((sum, count) => sum + count, 0),
        (error) => error.code,
      );
      for (let i = 0; i < turns; i++) await turn();
      device.destroy();
      expect([500, 'ENGINE_DEVICE_LOST']).toContain(await settled);
    }
  });
});

describe('lists of drawn basis states', () => {
  test('have their upper words where they change, and no empty places', () => {
    const pairs = Uint32Array.of(5, 2, 0, 0, 2 ** 32 - 1, 1, 2 ** 32 - 1, 1, 0, 0, 7, 3);
    const samples = samplesOf({ pairs, upperStarts: [3, 5, 5] });
    expect([...samples.basisIndices]).toEqual([
      5,
      2 ** 32 - 1,
      2 ** 32 + 2 ** 32 - 1,
      3 * 2 ** 32 + 7,
    ]);
    expect([...samples.occurrences]).toEqual([2, 1, 1, 3]);
  });

  test.each(['narrow', 'wide'])('are merged as one, %s', (width) => {
    const upperStarts = width === 'wide' ? [2] : [];
    const a = samplesOf({ pairs: Uint32Array.of(1, 1, 4, 1, 6, 1), upperStarts });
    const b = samplesOf({ pairs: Uint32Array.of(1, 2, 0, 0, 5, 1, 9, 1), upperStarts });
    const top = width === 'wide' ? 2 ** 32 : 0;
    const merged = mergedSamples(a, b);
    const expected = new Map([
      [1, 3],
      [4, 1],
      [5 + top, 1],
      [6 + top, 1],
      [9 + top, 1],
    ]);
    expect(
      new Map([...merged.basisIndices].map((index, i) => [index, merged.occurrences[i]])),
    ).toEqual(expected);
    expect([...merged.basisIndices]).toEqual([...expected.keys()]);
  });
});

/** Samples by the definition, in whole numbers: units of 2^-62, draws in units of 2^-53. */
function fixedPointSamples(
  amplitudes: Float64Array,
  layout: readonly number[],
  { shots, seed, event }: SampleRequest,
): BasisSamples {
  const masses = Array.from({ length: 2 ** layout.length }, (_, i) => {
    const square = Math.fround(amplitudes[2 * physicalIndex(i, layout)]! ** 2);
    return BigInt(Math.floor(square * 2 ** 62));
  });
  const ends = new BigUint64Array(masses.length);
  let norm = 0n;
  for (const [i, mass] of masses.entries()) {
    norm += mass;
    ends[i] = norm;
  }
  const counts = new Array<number>(masses.length).fill(0);
  for (let shot = 0; shot < shots.count; shot++) {
    const threshold = (BigInt(uniformDraw(seed, shot, event, 0) * 2 ** 53) * norm) >> 53n;
    let low = 0;
    for (let high = ends.length - 1; low < high; ) {
      const middle = (low + high) >>> 1;
      if (threshold < ends[middle]!) high = middle;
      else low = middle + 1;
    }
    counts[low]!++;
  }
  const drawn = [...counts.keys()].filter((index) => counts[index]! > 0);
  return {
    basisIndices: Uint32Array.from(drawn),
    occurrences: Uint32Array.from(drawn, (index) => counts[index]!),
  };
}

/** The basis state in whose range of an ascending list a number lies. */
function lastNotAbove(boundaries: Float64Array, threshold: number): number {
  let low = 0;
  let high = boundaries.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (boundaries[middle]! <= threshold) low = middle;
    else high = middle;
  }
  return low;
}
