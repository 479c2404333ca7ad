// @needs facilities
/**
 * Draws from a state on several devices, wherever the qubits that tell them apart stand in the logical
 * order: inside blocks, among blocks, or nowhere.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sortedTerminalDraws } from '../../../../../src/engine/terminal-measurement.ts';
import { TimeSlicer } from '../../../../../src/engine/time-slicer.ts';
import { GpuContext } from '../../../../../src/engine/webgpu/gpu-context.ts';
import { shaderFile, sleepUntil } from '../../../../../src/engine/webgpu/node-gpu.ts';
import { pickFromAmplitudes } from '../../../../../src/engine/webgpu/readout/sampling.ts';
import type { StateShare } from '../../../../../src/engine/webgpu/spread/spread-readout.ts';
import { sampleByBlocks } from '../../../../../src/engine/webgpu/spread/spread-sampling.ts';
import { NEVER } from '../../../../support/engine-runs.ts';
import { describeWith } from '../../../../support/facilities/describe-with.ts';
import { physicalIndex, storedState } from '../../../../support/gpu-states.ts';
import { RandomStream } from '../../../../support/random-stream.ts';
import { anyDriver, openSoftwareDevice } from '../../../../support/software-gpu.ts';

const NUM_QUBITS = 9;
const NUM_DEVICES = 4;
const NUM_LOCAL = NUM_QUBITS - 2;
const slicer = () => new TimeSlicer(NEVER, () => undefined);

describeWith([anyDriver()], 'draws from four devices', () => {
  const contexts: GpuContext[] = [];
  beforeAll(async () => {
    for (let rank = 0; rank < NUM_DEVICES; rank++) {
      const device = await openSoftwareDevice(anyDriver());
      contexts.push(new GpuContext(device, shaderFile, sleepUntil));
    }
  });
  afterAll(() => {
    for (const { device } of contexts) device.destroy();
  });

  /** Physical amplitudes in equal parts on the devices, in chunks of 2^5. */
  async function shared(physical: Float64Array): Promise<readonly StateShare[]> {
    const size = physical.length / NUM_DEVICES;
    const states = contexts.map((context, rank) =>
      storedState(context, physical.subarray(rank * size, (rank + 1) * size), 5),
    );
    return (await Promise.all(states)).map((state, rank) => ({ context: contexts[rank]!, state }));
  }

  /** Random amplitudes, some of them 0, in logical order; in single precision. */
  function randomAmplitudes(random: RandomStream, zeros: number): Float64Array {
    return Float64Array.from({ length: 2 * 2 ** NUM_QUBITS }, () =>
      random.uniform() < zeros ? 0 : Math.fround((random.uniform() - 0.5) / 16),
    );
  }

  function placed(logical: Float64Array, layout: readonly number[]): Float64Array {
    const physical = new Float64Array(logical.length);
    for (let i = 0; i < logical.length / 2; i++) {
      const at = physicalIndex(i, layout);
      physical.set(logical.subarray(2 * i, 2 * i + 2), 2 * at);
    }
    return physical;
  }

  const LAYOUTS: readonly [string, (random: RandomStream) => readonly number[]][] = [
    ['the highest', () => Array.from({ length: NUM_QUBITS }, (_, q) => q)],
    [
      'the lowest',
      () => Array.from({ length: NUM_QUBITS }, (_, q) => (q + NUM_LOCAL) % NUM_QUBITS),
    ],
    ...[1, 2, 3, 4].map((seed): [string, (random: RandomStream) => readonly number[]] => [
      `anywhere, case ${seed}`,
      (random) => random.shuffled(Array.from({ length: NUM_QUBITS }, (_, q) => q)),
    ]),
  ];

  describe.each(LAYOUTS)('by qubits that are %s', (name, layoutOf) => {
    test.each([0, 3, 5, 9])('in blocks of 2^%i are those of the amplitudes', async (blockBits) => {
      const random = new RandomStream(100 * name.length + blockBits);
      const layout = layoutOf(random);
      const logical = randomAmplitudes(random, 0.4);
      const shares = await shared(placed(logical, layout));
      const request = { shots: { count: 700 }, seed: 5, event: 2 };
      const samples = await sampleByBlocks(shares, layout, request, slicer(), blockBits);
      const draws = await sortedTerminalDraws(request, slicer());
      expect(samples).toEqual(pickFromAmplitudes(logical, draws));
      for (const { state } of shares) for (const chunk of state.chunks) chunk.destroy();
    });
  });

  test('of a narrower state leave out devices that hold nothing of it', async () => {
    // Physical qubit 8, the upper bit of ranks, stands for no qubit of the state.
    const layout = [7, 0, 1, 2, 3, 4, 5, 6];
    const logical = randomAmplitudes(new RandomStream(7), 0).subarray(0, 2 * 2 ** 8);
    const physical = new Float64Array(2 * 2 ** NUM_QUBITS);
    physical.set(placed(logical, layout));
    const shares = await shared(physical);
    const request = { shots: { count: 500 }, seed: 8, event: 0 };
    const samples = await sampleByBlocks(shares, layout, request, slicer(), 4);
    const draws = await sortedTerminalDraws(request, slicer());
    expect(samples).toEqual(pickFromAmplitudes(logical, draws));
  });

  test('of listed shots are theirs alone', async () => {
    const layout = Array.from({ length: NUM_QUBITS }, (_, q) => q);
    const logical = randomAmplitudes(new RandomStream(9), 0);
    const shares = await shared(placed(logical, layout));
    const numbers = Uint32Array.of(3, 999, 17, 4_000_000_000);
    const request = { shots: { count: 4, numbers }, seed: 8, event: 1 };
    const samples = await sampleByBlocks(shares, layout, request, slicer(), 4);
    const draws = await sortedTerminalDraws(request, slicer());
    expect(samples).toEqual(pickFromAmplitudes(logical, draws));
  });

  test('of nothing are refused', async () => {
    const shares = await shared(new Float64Array(2 * 2 ** NUM_QUBITS));
    const layout = Array.from({ length: NUM_QUBITS }, (_, q) => q);
    const request = { shots: { count: 1 }, seed: 1, event: 0 };
    await expect(sampleByBlocks(shares, layout, request, slicer())).rejects.toMatchObject({
      code: 'ENGINE_GPU_FAULT',
    });
  });
});
