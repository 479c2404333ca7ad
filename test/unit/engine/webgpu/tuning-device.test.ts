// @needs facilities
import { afterEach, expect, test } from 'vitest';
import { GpuContext } from '../../../../src/engine/webgpu/gpu-context.ts';
import { shaderFile } from '../../../../src/engine/webgpu/node-gpu.ts';
import { deviceTuning, tuneDevice } from '../../../../src/engine/webgpu/tuning/tune-device.ts';
import { readTuning } from '../../../../src/engine/webgpu/tuning/tuning.ts';
import { tileAfter } from '../../../../src/engine/webgpu/tuning/tuning-bench.ts';
import { statevectorOf } from '../../../support/engine-runs.ts';
import { describeWith } from '../../../support/facilities/describe-with.ts';
import { gate } from '../../../support/random-circuits.ts';
import {
  anyDriver,
  openSoftwareDevice,
  openSoftwareEngine,
} from '../../../support/software-gpu.ts';

const open: GPUDevice[] = [];

afterEach(() => {
  for (const device of open.splice(0)) device.destroy();
});

test('a timed sweep turns its tile as its gates say, by hand', () => {
  const [c, s] = [Math.cos(0.35), Math.sin(0.35)];
  expect([...tileAfter([0], 2)]).toEqual([c, 0, s, 0]);
  const layer = [...tileAfter([1], 2)];
  const expected = [c * c, s * c, c * s, -s * s];
  for (const [i, x] of expected.entries()) expect(layer[i]).toBeCloseTo(x, 12);
});

// One driver is enough: what differs between them is their rates.
describeWith([anyDriver()], 'a device to be tuned', () => {
  const driver = anyDriver();

  async function openDevice(): Promise<GPUDevice> {
    const device = await openSoftwareDevice(driver);
    open.push(device);
    return device;
  }

  test('is tuned to sizes that an engine runs with', async () => {
    const device = await openDevice();
    const tuning = await tuneDevice(new GpuContext(device, shaderFile), { limitMs: 300 });
    expect(readTuning(tuning, device.limits)).toEqual(tuning);
    expect(tuning.numMeasured).toBeGreaterThanOrEqual(1);
    expect(tuning.numCandidates).toBeGreaterThanOrEqual(tuning.numMeasured);
    const engine = await openSoftwareEngine(driver, { device, tuning });
    expect(engine.target.tileQubits).toBe(tuning.tileQubits);
    const chain = Array.from({ length: 15 }, (_, q) => gate('CX', [q + 1], [q]));
    const circuit = { numQubits: 16, numBits: 0, operations: [gate('H', [0]), ...chain] };
    const amplitudes = await statevectorOf(engine, circuit);
    const nonzero = [...amplitudes.entries()].filter(([, x]) => Math.abs(x) > 1e-6);
    expect(nonzero.map(([i]) => i)).toEqual([0, 2 * (2 ** 16 - 1)]);
    await engine.close();
  });

  test('is measured in its default shape alone where there is no time', async () => {
    const device = await openDevice();
    const tuning = await tuneDevice(new GpuContext(device, shaderFile), { limitMs: 0 });
    expect(tuning).toMatchObject({ tileQubits: 10, tilesPerGroup: 1, numMeasured: 1 });
  });

  test('is not tuned where its sweeps do not do what they should', async () => {
    const device = await openDevice();
    // Programs and first amplitudes never come to it, so that a sweep has no stages.
    device.queue.writeBuffer = () => {};
    const tuning = tuneDevice(new GpuContext(device, shaderFile), { limitMs: 0 });
    await expect(tuning).rejects.toMatchObject({ code: 'ENGINE_GPU_FAULT' });
  });

  test('is measured once, and again where what is stored is of no use', async () => {
    const device = await openDevice();
    const kept = new Map<string, unknown>();
    const store = {
      get: (key: string) => kept.get(key),
      set: (key: string, tuning: unknown) => void kept.set(key, tuning),
    };
    const tuning = await deviceTuning(device, shaderFile, store, { limitMs: 0 });
    expect([...kept.values()]).toEqual([tuning]);
    // A lost device can measure nothing.
    device.destroy();
    await device.lost;
    expect(await deviceTuning(device, shaderFile, store, { limitMs: 0 })).toEqual(tuning);
    for (const key of kept.keys()) kept.set(key, { ...tuning, tileQubits: 40 });
    await expect(deviceTuning(device, shaderFile, store)).rejects.toMatchObject({
      code: 'ENGINE_DEVICE_LOST',
    });
  });
});
