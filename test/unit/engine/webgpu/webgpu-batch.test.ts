// @needs facilities
/**
 * Batches on a device that fails, is full, or has so much to do that it is several dispatches. On one
 * software driver; what comes out otherwise is in test/conformance.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../../src/circuit/circuit.ts';
import type { PauliSum } from '../../../../src/circuit/observable.ts';
import { Mutex } from '../../../../src/engine/mutex.ts';
import { openReferenceEngine } from '../../../../src/engine/reference/reference-engine.ts';
import { ChunkSize } from '../../../../src/engine/webgpu/batch/batch-run.ts';
import { prepareGpuBatch } from '../../../../src/engine/webgpu/batch/gpu-batch.ts';
import { GpuContext } from '../../../../src/engine/webgpu/gpu-context.ts';
import { shaderFile } from '../../../../src/engine/webgpu/node-gpu.ts';
import { NEVER, runCircuit } from '../../../support/engine-runs.ts';
import { describeWith } from '../../../support/facilities/describe-with.ts';
import { limitMemory } from '../../../support/faulty-gpu.ts';
import { gate } from '../../../support/random-circuits.ts';
import { anyDriver, openSoftwareDevice } from '../../../support/software-gpu.ts';

const Z0: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }];
const MEASURE: Operation = { kind: 'measure', qubits: [0, 1, 2, 3], bits: [0, 1, 2, 3] };
const SHAPE: Circuit = {
  numQubits: 4,
  numBits: 4,
  operations: [gate('RX', [0], [], [0]), gate('X', [3], [0]), MEASURE],
};

/** A circuit for each number, whose angle it is. */
function requestOf(numCircuits: number) {
  return { numCircuits, angles: Float64Array.from({ length: numCircuits }, (_, k) => k) };
}

describeWith([anyDriver()], 'a batch on a GPU', () => {
  const driver = anyDriver();
  let device: GPUDevice;
  let host: { readonly context: GpuContext; readonly mutex: Mutex };
  beforeAll(async () => {
    device = await openSoftwareDevice(driver);
    host = { context: new GpuContext(device, shaderFile), mutex: new Mutex() };
  });
  afterAll(() => device.destroy());

  test('gives every circuit of a dispatch of several rows its own result', async () => {
    await using batch = await prepareGpuBatch(host, SHAPE, new ChunkSize(2 ** 40));
    // 16 values each: more than 2^15 workgroups of 64 of them.
    const numCircuits = 150_001;
    const { probabilities } = await batch.run(
      { ...requestOf(numCircuits), probabilities: true },
      NEVER,
    );
    let worst = 0;
    for (let k = 0; k < numCircuits; k++) {
      const error = Math.abs(probabilities![16 * k + 9]! - Math.sin(k / 2) ** 2);
      if (!(error <= worst)) worst = error;
    }
    expect(worst).toBeLessThan(1e-6);
  });

  test('gives the same whatever the size of its chunks', async () => {
    const ask = { ...requestOf(1000), shots: 50, seed: 7, observables: [Z0], probabilities: true };
    await using small = await prepareGpuBatch(host, SHAPE, new ChunkSize(2 ** 14));
    await using large = await prepareGpuBatch(host, SHAPE, new ChunkSize(2 ** 40));
    expect(await small.run(ask, NEVER)).toEqual(await large.run(ask, NEVER));
  });

  test('draws more shots than one submit has', async () => {
    await using batch = await prepareGpuBatch(host, SHAPE);
    const ask = { shots: 40_000, seed: 3 };
    const { counts } = await batch.run({ ...requestOf(2), ...ask }, NEVER);
    const angles = [1];
    const operations = [gate('RX', [0], [], angles), ...SHAPE.operations.slice(1)];
    const reference = openReferenceEngine({ maxQubits: 4 });
    const alone = await runCircuit(reference, { ...SHAPE, operations }, { ...ask, seed: 4 });
    await reference.close();
    expect(counts![16]! + counts![16 + 9]!).toBe(40_000);
    // Draws next to a boundary may fall to its other side.
    expect(Math.abs(counts![16 + 9]! - alone.counts.occurrences[1]!)).toBeLessThanOrEqual(2);
  });

  test('is cancelled between the submits of its shots', async () => {
    await using batch = await prepareGpuBatch(host, SHAPE);
    const createCommandEncoder = device.createCommandEncoder.bind(device);
    let numSubmits = 0;
    Object.assign(device, {
      createCommandEncoder: () => {
        numSubmits++;
        return createCommandEncoder();
      },
    });
    const controller = new AbortController();
    const reason = new Error('enough');
    const run = batch.run({ ...requestOf(64), shots: 1_000_000 }, controller.signal);
    setImmediate(() => controller.abort(reason));
    await expect(run).rejects.toBe(reason);
    // All of them are 62.
    expect(numSubmits).toBeLessThan(10);
    const { expectations } = await batch.run({ ...requestOf(1), observables: [Z0] }, NEVER);
    expect(expectations![0]).toBeCloseTo(1, 6);
  });

  test('fails without memory for it, and serves the next request', async () => {
    const full = await openSoftwareDevice(driver);
    let isFull = true;
    limitMemory(full, 2 ** 16, () => isFull);
    const context = new GpuContext(full, shaderFile);
    const batch = await prepareGpuBatch({ context, mutex: new Mutex() }, SHAPE);
    const ask = { ...requestOf(1000), observables: [Z0] };
    await expect(batch.run(ask, NEVER)).rejects.toMatchObject({ code: 'ENGINE_STATE_MEMORY' });
    isFull = false;
    const { expectations } = await batch.run(ask, NEVER);
    expect(expectations![999]).toBeCloseTo(Math.cos(999), 5);
    full.destroy();
  });

  test('gives nothing back when the device refuses any of its work', async () => {
    const faulty = await openSoftwareDevice(driver);
    const context = new GpuContext(faulty, shaderFile);
    const batch = await prepareGpuBatch({ context, mutex: new Mutex() }, SHAPE);
    const createBindGroup = faulty.createBindGroup.bind(faulty);
    let isFaulty = true;
    Object.assign(faulty, {
      createBindGroup: (descriptor: GPUBindGroupDescriptor) =>
        createBindGroup(isFaulty ? { ...descriptor, entries: [] } : descriptor),
    });
    const ask = { ...requestOf(10), observables: [Z0] };
    await expect(batch.run(ask, NEVER)).rejects.toMatchObject({ code: 'ENGINE_GPU_FAULT' });
    isFaulty = false;
    const { expectations } = await batch.run(ask, NEVER);
    expect(expectations![3]).toBeCloseTo(Math.cos(3), 6);
    faulty.destroy();
  });

  test('fails when the device is lost under it', async () => {
    const lost = await openSoftwareDevice(driver);
    const context = new GpuContext(lost, shaderFile);
    const batch = await prepareGpuBatch({ context, mutex: new Mutex() }, SHAPE);
    const run = batch.run({ ...requestOf(200_000), observables: [Z0] }, NEVER);
    setImmediate(() => lost.destroy());
    await expect(run).rejects.toMatchObject({ code: 'ENGINE_DEVICE_LOST' });
    const next = batch.run({ ...requestOf(1), observables: [Z0] }, NEVER);
    await expect(next).rejects.toMatchObject({ code: 'ENGINE_DEVICE_LOST' });
  });

  test('is refused once it has been given back', async () => {
    const batch = await prepareGpuBatch(host, SHAPE);
    await batch[Symbol.asyncDispose]();
    const run = batch.run({ ...requestOf(1), observables: [Z0] }, NEVER);
    await expect(run).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  });
});
