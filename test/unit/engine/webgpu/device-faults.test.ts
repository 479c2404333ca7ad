// @needs facilities
/**
 * Faults of a GPU become errors with a code, and never wrong results. Runs on one software driver,
 * whose device the tests break.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { withFinalMeasurement } from '../../../../src/circuit/circuit.ts';
import { compile } from '../../../../src/compiler/compile.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { GpuContext } from '../../../../src/engine/webgpu/gpu-context.ts';
import { openGpuDevice } from '../../../../src/engine/webgpu/gpu-target.ts';
import { nodeGpu, shaderFile } from '../../../../src/engine/webgpu/node-gpu.ts';
import { NEVER, statevectorOf } from '../../../support/engine-runs.ts';
import { describeWith } from '../../../support/facilities/describe-with.ts';
import { limitMemory } from '../../../support/faulty-gpu.ts';
import { gate } from '../../../support/random-circuits.ts';
import {
  anyDriver,
  openSoftwareDevice,
  openSoftwareEngine,
} from '../../../support/software-gpu.ts';

const NUM_QUBITS = 11;
const STATE_BYTES = 8 * 2 ** NUM_QUBITS;
const operations = Array.from({ length: 3000 }, (_, i) =>
  gate('RX', [i % NUM_QUBITS], [(i + 1) % NUM_QUBITS], [0.1 + i]),
);
const LONG = withFinalMeasurement({ numQubits: NUM_QUBITS, numBits: 0, operations });
const X_ON_LAST = { numQubits: NUM_QUBITS, numBits: 0, operations: [gate('X', [NUM_QUBITS - 1])] };

function prepared(engine: Engine) {
  return engine.prepare.statevector(compile(LONG, engine.target, { optimize: false }).program);
}

describeWith([anyDriver()], 'a WebGPU device', () => {
  const driver = anyDriver();

  test('without memory for a state fails that run, and serves the next', async () => {
    const device = await openSoftwareDevice(driver);
    let isFull = true;
    limitMemory(device, STATE_BYTES, () => isFull);
    const engine = await openSoftwareEngine(driver, { device });
    try {
      await expect(statevectorOf(engine, X_ON_LAST)).rejects.toMatchObject({
        code: 'ENGINE_STATE_MEMORY',
      });
      isFull = false;
      const amplitudes = await statevectorOf(engine, X_ON_LAST);
      expect(amplitudes[2 * 2 ** (NUM_QUBITS - 1)]).toBe(1);
    } finally {
      await engine.close();
    }
  });

  test('lost in the middle of a run fails it and everything after it', async () => {
    const device = await openSoftwareDevice(driver);
    const engine = await openSoftwareEngine(driver, { device });
    const executable = await prepared(engine);
    let isLost = false;
    const onProgress = () => {
      isLost = true;
      device.destroy();
    };
    const lost = { code: 'ENGINE_DEVICE_LOST' };
    await expect(executable.run({ shots: 10, seed: 1, onProgress }, NEVER)).rejects.toMatchObject(
      lost,
    );
    expect(isLost).toBe(true);
    await expect(executable.run({ shots: 10, seed: 1 }, NEVER)).rejects.toMatchObject(lost);
    await expect(prepared(engine)).rejects.toMatchObject(lost);
    await engine.close();
  });

  test('lost at any time gives the right amplitudes or none', async () => {
    for (const turns of [0, 30, 300, 3000]) {
      const device = await openSoftwareDevice(driver);
      const engine = await openSoftwareEngine(driver, { device });
      const running = statevectorOf(engine, X_ON_LAST);
      const settled = running.then(
        (amplitudes) => amplitudes[2 * 2 ** (NUM_QUBITS - 1)],
        (error) => error.code,
      );
      for (let i = 0; i < turns; i++) await turn();
      device.destroy();
      expect([1, 'ENGINE_DEVICE_LOST']).toContain(await settled);
      await engine.close();
    }
  });

  test('that is lost says so, also where something else is refused first', async () => {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const waits: readonly ((context: GpuContext, buffer: GPUBuffer) => Promise<unknown>)[] = [
      (context, buffer) => context.map(buffer, 16),
      (context) => context.settle(),
      (context, buffer) => context.submit((encoder) => encoder.clearBuffer(buffer)),
      (context) => context.allocate('late', 16, usage),
    ];
    for (const wait of waits) {
      for (const isLostFirst of [true, false]) {
        const device = await openSoftwareDevice(driver);
        const context = new GpuContext(device, shaderFile);
        const buffer = await context.allocate('read', 16, usage);
        if (isLostFirst) device.destroy();
        const waiting = wait(context, buffer);
        device.destroy();
        await expect(waiting).rejects.toMatchObject({ code: 'ENGINE_DEVICE_LOST' });
      }
    }
  });

  test('keeps the buffer of a state for the next run', async () => {
    const device = await openSoftwareDevice(driver);
    const sizes: number[] = [];
    const createBuffer = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      if (descriptor.label === 'state') sizes.push(descriptor.size);
      return createBuffer(descriptor);
    };
    const engine = await openSoftwareEngine(driver, { device });
    try {
      for (let i = 0; i < 3; i++) await statevectorOf(engine, X_ON_LAST);
      expect(sizes).toEqual([STATE_BYTES]);
    } finally {
      await engine.close();
    }
  });

  test('allocates nothing for circuits like those before', async () => {
    const device = await openSoftwareDevice(driver);
    const engine = await openSoftwareEngine(driver, { device });
    const createBuffer = device.createBuffer.bind(device);
    let numCreated = 0;
    device.createBuffer = (descriptor) => {
      numCreated++;
      return createBuffer(descriptor);
    };
    const observables = [[{ coefficient: 1, factors: [{ pauli: 'X' as const, qubit: 0 }] }]];
    const runOnce = async () => {
      const { program } = compile(withFinalMeasurement(X_ON_LAST), engine.target);
      await using executable = await engine.prepare.statevector(program);
      // Few shots are drawn on the host, many on the device.
      for (const shots of [10, 10_000]) {
        await executable.run({ shots, seed: 1, observables, probabilities: true }, NEVER);
      }
    };
    try {
      await runOnce();
      expect(numCreated).toBeGreaterThan(0);
      numCreated = 0;
      await runOnce();
      expect(numCreated).toBe(0);
    } finally {
      await engine.close();
    }
  });

  test('that is closed refuses programs, prepared or not', async () => {
    const engine = await openSoftwareEngine(driver);
    const executable = await prepared(engine);
    await engine.close();
    const closed = { code: 'ENGINE_CLOSED' };
    await expect(executable.run({ shots: 1, seed: 1 }, NEVER)).rejects.toMatchObject(closed);
    await expect(prepared(engine)).rejects.toMatchObject(closed);
  });

  test('says what was invalid, once', async () => {
    const device = await openSoftwareDevice(driver);
    const context = new GpuContext(device, shaderFile);
    const buffer = await context.allocate('not to be copied', 16, GPUBufferUsage.STORAGE);
    context.enqueue((encoder) => encoder.copyBufferToBuffer(buffer, 0, buffer, 8, 8));
    await expect(context.settle()).rejects.toMatchObject({
      code: 'ENGINE_GPU_FAULT',
      message: expect.stringContaining('not to be copied'),
    });
    await context.settle();
    device.destroy();
  });

  test('refuses a shader that does not compile with the reason', async () => {
    const device = await openSoftwareDevice(driver);
    const context = new GpuContext(device, () => 'fn main() { missing(); }');
    await expect(context.pipeline('broken', {})).rejects.toMatchObject({
      code: 'ENGINE_GPU_FAULT',
      message: expect.stringContaining('missing'),
    });
    device.destroy();
  });

  test.each([{ tileQubits: 7 }, { tileQubits: 20 }, { maxQubits: 40 }])(
    'takes no engine with %j',
    async (options) => {
      const device = await openSoftwareDevice(driver);
      await expect(openSoftwareEngine(driver, { device, ...options })).rejects.toThrow(RangeError);
      device.destroy();
    },
  );
});

test('an adapter that is not there is an error with a code', async () => {
  await expect(openGpuDevice(nodeGpu({ adapter: 'no such adapter' }))).rejects.toMatchObject({
    code: 'ENGINE_NO_ADAPTER',
  });
});
