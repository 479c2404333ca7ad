// @needs facilities
/**
 * A fault of one of several devices fails the run, with a code and a figure, and leaves nothing
 * behind for the next run. Runs on one software driver, whose devices the tests break.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type Circuit, withFinalMeasurement } from '../../../../../src/circuit/circuit.ts';
import { compile } from '../../../../../src/compiler/compile.ts';
import type { Engine } from '../../../../../src/engine/engine.ts';
import type { SpreadEngineOptions } from '../../../../../src/engine/webgpu/spread/spread-engine.ts';
import { NEVER, statevectorOf } from '../../../../support/engine-runs.ts';
import { describeWith } from '../../../../support/facilities/describe-with.ts';
import { limitMemory } from '../../../../support/faulty-gpu.ts';
import { gate } from '../../../../support/random-circuits.ts';
import { anyDriver } from '../../../../support/software-gpu.ts';
import { openSoftwareSpread, type SoftwareSpread } from '../../../../support/spread-gpu.ts';

const NUM_QUBITS = 11;
/** Bytes of a chunk of the state on one of two devices, in four chunks. */
const CHUNK_BYTES = 8 * 2 ** 8;
const LOST = { code: 'ENGINE_DEVICE_LOST' };
const SMALL = { tileQubits: 8, chunkQubits: 8, windowBytes: 2 ** 8, maxQubits: NUM_QUBITS };

const all = Array.from({ length: NUM_QUBITS }, (_, q) => q);
const barrier = { kind: 'barrier', qubits: all } as const;
/** Brings every qubit near again and again. */
const BUSY: Circuit = withFinalMeasurement({
  numQubits: NUM_QUBITS,
  numBits: 0,
  operations: Array.from({ length: 60 }, () => [...all.map((q) => gate('H', [q])), barrier]).flat(),
});
/** Ends in the last basis state, by way of exchanges. */
const FLIPS: Circuit = {
  numQubits: NUM_QUBITS,
  numBits: 0,
  operations: [all, all, all].flatMap((qubits) => [...qubits.map((q) => gate('X', [q])), barrier]),
};
const LAST = 2 * (2 ** NUM_QUBITS - 1);

const open: Engine[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((engine) => engine.close()));
});

async function openTwo(options: Partial<SpreadEngineOptions> = {}): Promise<SoftwareSpread> {
  const driver = anyDriver();
  const spread = await openSoftwareSpread([driver, driver], {
    ...SMALL,
    memoryBytes: 2 ** 20,
    ...options,
  });
  open.push(spread.engine);
  return spread;
}

const prepared = (engine: Engine, circuit: Circuit) =>
  engine.prepare.statevector(compile(circuit, engine.target, { optimize: false }).program);

const amplitudesOf = async (engine: Engine): Promise<Float64Array> => {
  await using executable = await prepared(engine, FLIPS);
  const run = await executable.run({ shots: 0, seed: 1, statevector: true }, NEVER);
  return run.statevector!;
};

/** Calls back when the device makes room for what it sends or takes. */
function onStaging(device: GPUDevice, callback: () => void): void {
  const createBuffer = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    if (descriptor.label === 'staging between devices') callback();
    return createBuffer(descriptor);
  };
}

describeWith([anyDriver()], 'two devices', () => {
  test('go by way of exchanges in these tests', async () => {
    const { engine } = await openTwo();
    const { program } = compile(FLIPS, engine.target, { optimize: false });
    const fars = program.steps.flatMap((step) =>
      step.kind === 'exchange' ? step.pairs.map(([far]) => far) : [],
    );
    expect(fars).toContain(NUM_QUBITS - 1);
    expect((await amplitudesOf(engine))[LAST]).toBeCloseTo(1, 5);
  });

  test.each([0, 1])(
    'of which number %i is lost in the middle fail that run and later ones',
    async (lost) => {
      const { engine, devices } = await openTwo();
      const executable = await prepared(engine, BUSY);
      let isLost = false;
      const onProgress = () => {
        isLost = true;
        devices[lost]!.destroy();
      };
      const run = executable.run({ shots: 10, seed: 1, onProgress }, NEVER);
      await expect(run).rejects.toMatchObject(LOST);
      expect(isLost).toBe(true);
      await expect(executable.run({ shots: 10, seed: 1 }, NEVER)).rejects.toMatchObject(LOST);
      await expect(prepared(engine, BUSY)).rejects.toMatchObject(LOST);
    },
  );

  test.each([0, 1])('of which number %i is lost while they exchange fail', async (lost) => {
    const { engine, devices } = await openTwo();
    onStaging(devices[0]!, () => devices[lost]!.destroy());
    await expect(amplitudesOf(engine)).rejects.toMatchObject(LOST);
  });

  test('of which one is lost at any time give the right amplitudes or none', async () => {
    for (const turns of [0, 10, 100, 1000]) {
      const { engine, devices } = await openTwo();
      const settled = amplitudesOf(engine).then(
        (amplitudes) => Math.round(amplitudes[LAST]! * 1e4) / 1e4,
        (error) => error.code,
      );
      for (let i = 0; i < turns; i++) await turn();
      devices[1]!.destroy();
      expect([1, 'ENGINE_DEVICE_LOST']).toContain(await settled);
    }
  });

  test('of which one has no memory fail with the figure, keep nothing, and serve the next', async () => {
    const { engine, devices } = await openTwo();
    let isFull = true;
    limitMemory(devices[1]!, 2 ** 11, () => isFull);
    const sizes: number[] = [];
    const createBuffer = devices[0]!.createBuffer.bind(devices[0]);
    devices[0]!.createBuffer = (descriptor) => {
      if (descriptor.label === 'state') sizes.push(descriptor.size);
      return createBuffer(descriptor);
    };
    await expect(amplitudesOf(engine)).rejects.toMatchObject({
      code: 'ENGINE_STATE_MEMORY',
      message: expect.stringContaining('1 MiB'),
    });
    isFull = false;
    expect((await amplitudesOf(engine))[LAST]).toBeCloseTo(1, 5);
    // The other one's chunks served both runs.
    expect(sizes).toEqual([CHUNK_BYTES, CHUNK_BYTES, CHUNK_BYTES, CHUNK_BYTES]);
  });

  test('without memory to stage an exchange in fail, and serve the next', async () => {
    const { engine, devices } = await openTwo({ windowBytes: 2 ** 12 });
    let isFull = false;
    // Chunks are smaller than windows here.
    limitMemory(devices[0]!, 2 ** 12, () => isFull);
    onStaging(devices[0]!, () => {
      isFull = true;
    });
    const staged: GPUBuffer[] = [];
    const createBuffer = devices[1]!.createBuffer.bind(devices[1]);
    devices[1]!.createBuffer = (descriptor) => {
      const buffer = createBuffer(descriptor);
      if (descriptor.label === 'staging between devices') staged.push(buffer);
      return buffer;
    };
    await expect(amplitudesOf(engine)).rejects.toMatchObject({ code: 'ENGINE_STATE_MEMORY' });
    // What the other one had mapped by then is gone.
    expect(staged.length).toBeGreaterThan(0);
    expect(staged.map(({ mapState }) => mapState)).toEqual(staged.map(() => 'unmapped'));
    devices[0]!.createBuffer = Object.getPrototypeOf(devices[0]).createBuffer.bind(devices[0]);
    isFull = false;
    expect((await amplitudesOf(engine))[LAST]).toBeCloseTo(1, 5);
  });

  test('say how far an exchange is', async () => {
    const { engine } = await openTwo();
    const pairs = [[NUM_QUBITS - 1, 9]] as const;
    const { program } = compile(FLIPS, engine.target, { optimize: false });
    await using executable = await engine.prepare.statevector({
      ...program,
      steps: [{ kind: 'exchange', pairs }],
    });
    const fractions: number[] = [];
    const onProgress = (fraction: number) => fractions.push(fraction);
    await executable.run({ shots: 1, seed: 1, onProgress }, NEVER);
    // Sixteen windows: half of a state of 2^10 amplitudes, 2^5 at a time.
    for (let i = 1; i <= 16; i++) expect(fractions).toContain(i / 16);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
  });

  test('stop in an exchange when they are told to, and serve the next run', async () => {
    const { engine, devices } = await openTwo();
    const controller = new AbortController();
    onStaging(devices[1]!, () => controller.abort(new Error('enough')));
    await using executable = await prepared(engine, BUSY);
    const run = executable.run({ shots: 1, seed: 1 }, controller.signal);
    await expect(run).rejects.toThrow('enough');
    expect((await amplitudesOf(engine))[LAST]).toBeCloseTo(1, 5);
  });

  test('hold one qubit more than one of them, and say so of wider circuits', async () => {
    const { maxQubits: _, ...sizes } = SMALL;
    const driver = anyDriver();
    const { engine } = await openSoftwareSpread([driver, driver], {
      ...sizes,
      memoryBytes: 8 * 2 ** 9,
    });
    open.push(engine);
    expect(engine.target.maxQubits).toBe(10);
    await expect(statevectorOf(engine, FLIPS)).rejects.toMatchObject({
      code: 'ENGINE_PROGRAM_TOO_WIDE',
      message: expect.stringContaining('at most 10'),
    });
  });

  test('without room for a second state refuse to part shots, with the figure', async () => {
    const { engine } = await openTwo({ memoryBytes: 8 * 2 ** 10 });
    const operations = [
      gate('H', [0]),
      { kind: 'measure', qubits: [0], bits: [0] } as const,
      { ...gate('X', [10]), condition: { bits: [0], value: 1 } },
    ];
    await using executable = await prepared(engine, { numQubits: 11, numBits: 1, operations });
    await expect(executable.run({ shots: 50, seed: 1 }, NEVER)).rejects.toMatchObject({
      code: 'ENGINE_TOO_MANY_BRANCHES',
      message: expect.stringContaining('0.0156 MiB'),
    });
  });

  test('that are closed refuse programs, prepared or not', async () => {
    const { engine } = await openTwo();
    const executable = await prepared(engine, FLIPS);
    await engine.close();
    const closed = { code: 'ENGINE_CLOSED' };
    await expect(executable.run({ shots: 1, seed: 1 }, NEVER)).rejects.toMatchObject(closed);
    await expect(prepared(engine, FLIPS)).rejects.toMatchObject(closed);
  });

  test.each([1, 3])('are two, four or eight: %i are refused', async (count) => {
    const drivers = Array.from({ length: count }, () => anyDriver());
    await expect(openSoftwareSpread(drivers)).rejects.toThrow(RangeError);
  });
});
