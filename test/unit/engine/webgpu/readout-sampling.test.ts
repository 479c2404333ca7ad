/**
 * Draws of basis states on a device, against the definition of engine.ts.
 *
 * Each draw is held to the exact cumulative probabilities of the amplitudes stored: it may fall on
 * another basis state than the exact one only where it is within rounding of every boundary between
 * the two, and few draws are.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Pacer } from '../../../../src/engine/pacer.ts';
import type { BasisSamples, SampleRequest } from '../../../../src/engine/state-operations.ts';
import { GpuContext } from '../../../../src/engine/webgpu/gpu-context.ts';
import { shaderFile } from '../../../../src/engine/webgpu/node-gpu.ts';
import { pickFromBlocks } from '../../../../src/engine/webgpu/readout/block-sampling.ts';
import { qubitMasses } from '../../../../src/engine/webgpu/readout/collapse.ts';
import {
  pickFromAmplitudes,
  sampleBasisStates,
} from '../../../../src/engine/webgpu/readout/sampling.ts';
import { uniformDraw } from '../../../../src/math/philox.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import {
  physicalIndex,
  type RandomGpuState,
  randomGpuState,
  storedState,
} from '../../../support/gpu-states.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { openSoftwareDevice, SOFTWARE_DRIVERS } from '../../../support/software-gpu.ts';

const ALL_WIDTHS = Array.from({ length: 14 }, (_, i) => i + 1);
/** Above 32 bits, so that both words of it count. */
const SEED = 0x1f_1234_5678_9abc;
/** How far a boundary may lie from its exact place, for a norm of 1. */
const ROUNDING = 2e-7;
const pacer = new Pacer(NEVER, () => {});

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

describe.each(SOFTWARE_DRIVERS)('samples on $name', (driver) => {
  let context: GpuContext;

  beforeAll(async () => {
    context = new GpuContext(await openSoftwareDevice(driver), shaderFile);
  });

  afterAll(() => context.device.destroy());

  test.each(ALL_WIDTHS)('of %i qubits at random places are where the draws say', async (n) => {
    const random = new RandomStream(100 + n);
    const numSpare = Math.max(0, 6 - n);
    const stored = await randomGpuState(context, random, { numQubits: n, numSpare, zeros: 0.3 });
    const request = { shots: { count: 3000 }, seed: SEED, event: 2 };

    const samples = await sampleBasisStates(context, stored.state, stored.layout, request, pacer);

    expect(checkedMisses(stored, request, samples)).toBeLessThanOrEqual(n > 12 ? 15 : 0);
  });

  test.each(['in order', 'reversed'])('of 15 qubits %s are, too', async (order) => {
    const inOrder = [...Array(15).keys()];
    const layout = order === 'reversed' ? inOrder.reverse() : inOrder;
    const stored = await randomGpuState(context, new RandomStream(7), { numQubits: 15, layout });
    const request = { shots: { count: 20_000 }, seed: 5, event: 0 };

    const samples = await sampleBasisStates(context, stored.state, layout, request, pacer);

    expect(checkedMisses(stored, request, samples)).toBeLessThan(100);
  });

  test.each([6, 13])('of %i qubits draw for the shots that are listed', async (n) => {
    const random = new RandomStream(n);
    const stored = await randomGpuState(context, random, { numQubits: n });
    const numbers = Uint32Array.from({ length: 900 }, () => random.below(2 ** 31) * 2);
    const request = { shots: { count: 900, numbers }, seed: 77, event: 1 };

    const samples = await sampleBasisStates(context, stored.state, stored.layout, request, pacer);

    expect(checkedMisses(stored, request, samples)).toBeLessThan(5);
  });

  test.each([4, 13])('of %i qubits all fall on the only basis state there is', async (n) => {
    const only = 2 ** n - 3;
    const amplitudes = new Float64Array(2 * 2 ** n);
    amplitudes[2 * only + 1] = -0.25;
    const state = await storedState(context, amplitudes);
    const layout = [...Array(n).keys()];
    const request = { shots: { count: 70_000 }, seed: 1, event: 0 };

    const samples = await sampleBasisStates(context, state, layout, request, pacer);

    expect([...samples.basisIndices]).toEqual([only]);
    expect([...samples.occurrences]).toEqual([70_000]);
  });

  test('that rounding takes past the end fall on the last possible state', async () => {
    const amplitudes = new Float64Array(2 * 2 ** 13);
    // The last is neither the last of its run, nor of its block, nor in the last block.
    for (const place of [3, 5000, 5002]) amplitudes[2 * place] = 0.5;
    const state = await storedState(context, amplitudes);
    const layout = [...Array(13).keys()];
    const draws = Float64Array.of(0, 0.2, 0.4, 0.5, 0.7, 1 - 2 ** -53, 1, 1.5);

    const drawn = await pickFromBlocks(context, state, layout, draws, pacer);

    const expected = [3, 3, 5000, 5000, 5002, 5002, 5002, 5002];
    expect([...drawn]).toEqual(expected);
    expect([...pickFromAmplitudes(amplitudes, draws)]).toEqual(expected);
  });

  test('on a boundary fall on what comes after it', async () => {
    const amplitudes = new Float64Array(2 * 2 ** 13);
    // In one block, two of them in one run of the kernel's tree, and one in another block.
    const places = [8, 100, 101, 5000];
    for (const place of places) amplitudes[2 * place] = 0.5;
    const state = await storedState(context, amplitudes);
    const layout = [...Array(13).keys()];
    const draws = Float64Array.of(0, 0.25, 0.5, 0.75);

    const drawn = await pickFromBlocks(context, state, layout, draws, pacer);

    expect([...drawn]).toEqual(places);
    expect([...pickFromAmplitudes(amplitudes, draws)]).toEqual(places);
  });

  test.each([
    [4, 0],
    [13, 0],
    [4, Number.NaN],
    [13, Number.NaN],
  ])('of %i qubits that are %f throughout are refused', async (n, value) => {
    const amplitudes = new Float64Array(2 * 2 ** n).fill(value);
    const state = await storedState(context, amplitudes);
    const layout = [...Array(n).keys()];
    const request = { shots: { count: 10 }, seed: 1, event: 0 };

    const fault = { code: 'ENGINE_GPU_FAULT' };
    await expect(sampleBasisStates(context, state, layout, request, pacer)).rejects.toMatchObject(
      fault,
    );
    await expect(qubitMasses(context, state, 1)).rejects.toMatchObject(fault);
  });

  test('of more shots than are drawn together are those of all shots', async () => {
    const random = new RandomStream(3);
    const stored = await randomGpuState(context, random, { numQubits: 13, zeros: 0.99 });
    const request = { shots: { count: 2 ** 18 + 1000 }, seed: 12, event: 3 };

    const { state, layout } = stored;
    const { basisIndices, occurrences } = await sampleBasisStates(
      context,
      state,
      layout,
      request,
      pacer,
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
