// @needs processes
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { DynamicCircuit } from '../../../src/circuit/circuit.ts';
import type { Adapter } from '../../../src/fleet/adapters/adapter-report.ts';
import { Fleet, type FleetOptions } from '../../../src/fleet/fleet.ts';
import type { CircuitRun, Processor } from '../../../src/fleet/processor.ts';
import { eventually } from '../../support/eventually.ts';
import {
  adapter,
  FAKE_GPU,
  FAKE_WORKER,
  instruction,
  never,
} from '../../support/fleet-fixtures.ts';
import { fromBytes } from '../../support/from-bytes.ts';
import { noise } from '../../support/noisy-circuits.ts';
import { gate } from '../../support/random-circuits.ts';
import { runOf } from '../../support/run-of.ts';
import { temporaryFolder } from '../../support/service-process.ts';
import { amplitudeDamping } from '../../support/textbook-channels.ts';

const open: Fleet[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((fleet) => fleet.close()));
});

const NOW = 1_700_000_000_000;
const SOFTWARE = { isSoftware: true } as const;
/** More than the CPU's small engines take here. */
const WIDE = 18;

/** A fleet of fake engines on these adapters, each with memory for 20 qubits; the CPU holds 22. */
async function openFleet(
  adapters: readonly Adapter[],
  options: Partial<FleetOptions> = {},
): Promise<{ readonly fleet: Fleet; readonly gpuFleet: Processor }> {
  const fleet = new Fleet({
    machine: { cpuModel: 'a CPU', numCores: 1, memoryBytes: 2 ** 30 },
    engine: 'auto',
    numThreads: 1,
    memoryBytes: 2 ** 26,
    maxShots: 1000,
    maxGates: 1000,
    queueLimit: 10,
    now: () => NOW,
    discover: async () => ({ adapters }),
    findCards: async () => [],
    workerEntry: FAKE_WORKER,
    gpuWorkerEntry: FAKE_GPU,
    spreadWorkerEntry: FAKE_GPU,
    ...options,
  });
  open.push(fleet);
  await fleet.start();
  const gpuFleet = fleet.get('gpu-fleet');
  if (gpuFleet === undefined) throw new Error('unreachable: no gpu-fleet');
  return { fleet, gpuFleet };
}

let numTasks = 0;

function task(name: string, numQubits = WIDE): CircuitRun {
  const circuit = instruction(name, new Float64Array(3), numQubits);
  const request = { shots: 3, seed: 4 };
  const id = `job-${numTasks++}`;
  return { id, circuit, request, priority: 'normal', keyId: 'key-1', tier: 'standard' };
}

function batchTask(name: string, asked: Partial<CircuitRun['request']> = { shots: 1 }): CircuitRun {
  const { circuit: _, ...rest } = task(name);
  const shape = instruction(name, new Float64Array(3), 4);
  return {
    ...rest,
    circuit: shape,
    request: { numCircuits: 1, angles: new Float64Array(), ...asked },
  };
}

function run(gpuFleet: Processor, name: string, numQubits = WIDE) {
  return gpuFleet.run(task(name, numQubits), {}, never());
}

/** Runs a circuit with a gate, noise and a measurement. */
function runNoisy(gpuFleet: Processor, numQubits: number) {
  const circuit: DynamicCircuit = {
    numQubits,
    numBits: 1,
    operations: [
      gate('H', [0]),
      noise(amplitudeDamping(0.1), 0),
      { kind: 'measure', qubits: [0], bits: [0] },
    ],
  };
  return gpuFleet.run({ ...task('ECHO'), circuit }, {}, never());
}

describe('gpu-fleet', () => {
  test('says what backs it, and never counts software as a GPU', async () => {
    const { gpuFleet } = await openFleet(
      [adapter('a'), adapter('b'), adapter('llvmpipe', SOFTWARE)],
      { useSoftwareAdapters: true },
    );
    expect(gpuFleet.spec).toMatchObject({
      execution: 'webgpu',
      physicalGpus: 2,
      adapters: [
        { name: 'a', isSoftware: false },
        { name: 'b', isSoftware: false },
        { name: 'llvmpipe', isSoftware: true },
      ],
    });
    expect(gpuFleet.availability().available).toBe(true);
  });

  test('is as without a GPU where all adapters are software and nobody asked for that', async () => {
    const { fleet, gpuFleet } = await openFleet([adapter('llvmpipe', SOFTWARE)]);
    expect(gpuFleet.spec).toMatchObject({
      execution: 'cpu-fallback',
      physicalGpus: 0,
      adapters: [],
    });
    expect(fleet.adapterStatuses()).toMatchObject([
      { available: false, reason: expect.stringContaining('QCS_SOFTWARE_ADAPTERS') },
    ]);
    const { backend } = await run(gpuFleet, 'ECHO');
    expect(backend).toMatchObject({ engine: 'cpu', execution: 'cpu-fallback' });
  });

  test('runs wide circuits on an adapter and small ones on the CPU, and says so of each', async () => {
    const { gpuFleet } = await openFleet([adapter('a')]);
    expect((await run(gpuFleet, 'ECHO')).backend).toMatchObject({
      engine: 'webgpu',
      execution: 'webgpu',
      precision: 'f32',
      hardware: 'a',
    });
    expect((await run(gpuFleet, 'ECHO', 4)).backend).toMatchObject({
      engine: 'cpu',
      execution: 'cpu',
      precision: 'f64',
      hardware: 'a CPU',
    });
  });

  test('keeps small circuits waiting for a thread while an adapter is idle', async () => {
    const { gpuFleet } = await openFleet([adapter('a')]);
    const cancel = new AbortController();
    const first = gpuFleet.run(task('WAIT', 4), {}, cancel.signal);
    await eventually(() => gpuFleet.load().running === 1);
    // The longer the first has run, the sooner the adapter would be done.
    await setTimeout(200);
    const second = run(gpuFleet, 'PRECISION', 12);
    expect((await run(gpuFleet, 'ECHO')).backend.hardware).toBe('a');
    expect(gpuFleet.load().queueDepth).toBe(1);
    cancel.abort();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    expect((await second).backend).toMatchObject({ hardware: 'a CPU', precision: 'f64' });
  });

  test('runs batch runs on the CPU in double precision, adapter or not', async () => {
    for (const [adapters, execution] of [
      [[adapter('a')], 'cpu'],
      [[], 'cpu-fallback'],
    ] as const) {
      const { gpuFleet } = await openFleet(adapters);
      const { outputs: batch, backend } = await gpuFleet.run(batchTask('PRECISION'), {}, never());
      expect(batch.counts).toEqual(Uint32Array.of(64));
      const told = { engine: 'cpu', execution, precision: 'f64', hardware: 'a CPU' };
      expect(backend).toMatchObject(told);
      expect(backend.devices).toHaveLength(1);
    }
  });

  test.each([
    ['it would leave most of the counts undecided', { shots: 1_000_000 }],
    ['they are to have the counts of compiled circuits', { shots: 1, countsOfSingles: true }],
  ])('has batch runs wait for the CPU, and no adapter, where %s', async (_, asked) => {
    const { gpuFleet } = await openFleet([adapter('a')]);
    const shared = new Float64Array(new SharedArrayBuffer(24));
    const held = { ...task('WAIT'), circuit: instruction('WAIT', shared, 4) };
    const running = gpuFleet.run(held, {}, never());
    await eventually(() => shared[1] === 1);
    const waiting = batchTask('PRECISION', asked);
    const answer = gpuFleet.run(waiting, {}, never());
    expect(gpuFleet.queuePosition(waiting.id)).toBe(0);
    // What runs is less and less likely to be through soon, so that an adapter would be sooner.
    await eventually(async () => {
      await run(gpuFleet, 'ECHO');
      return gpuFleet.expectedStart(waiting.id)! > NOW + 100;
    });
    expect(gpuFleet.queuePosition(waiting.id)).toBe(0);
    shared[0] = 1;
    await running;
    expect((await answer).backend.engine).toBe('cpu');
  });

  test.each([
    ['without shots', {}],
    ['of which it decides most counts', { shots: 1000 }],
  ])('gives batch runs %s to an adapter while the CPU is taken', async (_, asked) => {
    const { gpuFleet } = await openFleet([adapter('a')]);
    const shared = new Float64Array(new SharedArrayBuffer(24));
    const held = { ...task('WAIT'), circuit: instruction('WAIT', shared, 4) };
    const running = gpuFleet.run(held, {}, never());
    await eventually(() => shared[1] === 1);
    const { backend } = await gpuFleet.run(batchTask('PRECISION', asked), {}, never());
    expect(backend).toMatchObject({ engine: 'webgpu', precision: 'f32', hardware: 'a' });
    shared[0] = 1;
    await running;
  });

  test('runs batch runs on an adapter where the CPU may not be used, and says so', async () => {
    const { gpuFleet } = await openFleet([adapter('a')], { engine: 'webgpu' });
    const { outputs: batch, backend } = await gpuFleet.run(batchTask('PRECISION'), {}, never());
    expect(batch.counts).toEqual(Uint32Array.of(32));
    const told = { engine: 'webgpu', execution: 'webgpu', precision: 'f32', hardware: 'a' };
    expect(backend).toMatchObject(told);
    // So many that threads would share their memory, which does not reach a process.
    const angles = Float64Array.from({ length: 5000 }, (_, i) => i / 3);
    const operations = [gate('ECHO', [0], [], [0])];
    const echo: CircuitRun = {
      ...batchTask('ECHO'),
      circuit: { numQubits: 4, numBits: 1, operations },
      request: { numCircuits: 5000, angles, shots: 1 },
    };
    const answer = await gpuFleet.run(echo, {}, never());
    expect(answer.outputs.expectations).toEqual(angles);
    expect(answer.outputs.expectations?.buffer.byteLength).toBe(angles.byteLength);
  });

  test('runs a batch run that an adapter was lost with on another, and never on several together', async () => {
    const adapters = [adapter('a'), adapter('b')];
    const { gpuFleet } = await openFleet(adapters, { engine: 'webgpu' });
    const lostOnOne = await gpuFleet.run(batchTask('LOSE_DEVICE@a'), {}, never());
    expect(lostOnOne.backend.hardware).toBe('b');
    // After both it would be the turn of the two together, which have no batches.
    const lost = gpuFleet.run(batchTask('LOSE_DEVICE'), {}, never());
    await expect(lost).rejects.toMatchObject({ code: 'FLEET_ENGINE_LOST' });
  });

  test('runs a circuit on as many devices as its amplitudes take of their budgets', async () => {
    // A device has a share of 2^23 bytes: 2^18 amplitudes take 12 of them, 2^4 one.
    const { gpuFleet } = await openFleet([adapter('a')]);
    expect((await run(gpuFleet, 'ECHO', 18)).backend.devices).toHaveLength(12);
    expect((await run(gpuFleet, 'ECHO', 4)).backend.devices).toHaveLength(1);
  });

  test('finds an adapter that comes after the start', async () => {
    const found: Adapter[] = [];
    const { gpuFleet } = await openFleet([], {
      discover: async () => ({ adapters: [...found] }),
      lookAgainMs: 20,
    });
    expect(gpuFleet.spec).toMatchObject({ execution: 'cpu-fallback', physicalGpus: 0 });
    found.push(adapter('a'));
    await eventually(() => gpuFleet.spec.execution === 'webgpu');
    expect(gpuFleet.spec.physicalGpus).toBe(1);
    expect((await run(gpuFleet, 'ECHO')).backend.hardware).toBe('a');
  });

  test('set to WebGPU alone, runs circuits of any width on adapters', async () => {
    const { gpuFleet } = await openFleet([adapter('a')], { engine: 'webgpu' });
    expect(gpuFleet.spec).toMatchObject({ maxQubits: 20, execution: 'webgpu' });
    for (const numQubits of [1, WIDE]) {
      const result = await run(gpuFleet, 'ECHO', numQubits);
      expect(result.backend.hardware).toBe('a');
      expect(runOf(result).counts.outcomes).toEqual(Uint32Array.of(4));
    }
  });

  test('runs on two adapters at the same time', async () => {
    const { gpuFleet } = await openFleet([adapter('a'), adapter('b')]);
    const cancel = new AbortController();
    const first = gpuFleet.run(task('WAIT@a'), {}, cancel.signal);
    await eventually(() => gpuFleet.load().running === 1);
    const second = await run(gpuFleet, 'ECHO');
    expect(second.backend.hardware).toBe('b');
    expect(gpuFleet.load().running).toBe(1);
    cancel.abort();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('takes what the widest engine that is well holds, and refuses more with the figures', async () => {
    const larger = adapter('large', { limits: { ...adapter('').limits, maxBufferSize: 2 ** 27 } });
    const { gpuFleet } = await openFleet([adapter('small'), larger]);
    expect(gpuFleet.spec.maxQubits).toBe(24);
    // The CPU's engines hold 22 qubits, so neither they nor the smaller adapter take it.
    for (let i = 0; i < 3; i++) {
      expect((await run(gpuFleet, 'ECHO', 24)).backend.hardware).toBe('large');
    }
    expect(await run(gpuFleet, 'ECHO', 25).catch((error: Error) => error.message)).toMatch(
      /^25 qubits need 256 MiB; this service holds 24 qubits \(128 MiB\)\./,
    );
  });

  test('spreads a circuit that no adapter holds alone over two, which run nothing else meanwhile', async () => {
    const { gpuFleet } = await openFleet([adapter('a'), adapter('b')], { engine: 'webgpu' });
    expect(gpuFleet.spec.maxQubits).toBe(21);
    const cancel = new AbortController();
    const waiting = gpuFleet.run(task('WAIT', 21), {}, cancel.signal);
    await eventually(() => gpuFleet.load().running === 1);
    const alone = run(gpuFleet, 'ECHO');
    expect(gpuFleet.load()).toMatchObject({ queueDepth: 1, running: 1 });
    cancel.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect((await alone).backend.hardware).toMatch(/^[ab]$/);
    const { backend } = await run(gpuFleet, 'ECHO', 21);
    expect(backend).toMatchObject({ engine: 'webgpu', hardware: 'a + b' });
    expect(backend.devices).toHaveLength(48);
  });

  test('runs wide circuits with noise on an adapter that holds them alone, and others on the CPU', async () => {
    const { gpuFleet } = await openFleet([adapter('a'), adapter('b')]);
    expect(gpuFleet.spec.maxNoisyQubits).toBe(22);
    const ranOn = async (numQubits: number) =>
      (await runNoisy(gpuFleet, numQubits)).backend.execution;
    expect(await ranOn(WIDE)).toBe('webgpu');
    // A trajectory waits for the device several times, and narrow ones would do little else.
    expect(await ranOn(14)).toBe('cpu');
    // Two adapters hold it together, but run no noise.
    expect(await ranOn(21)).toBe('cpu-fallback');
  });

  test('set to WebGPU alone, takes noise of any width that one adapter holds', async () => {
    const { gpuFleet } = await openFleet([adapter('a'), adapter('b')], { engine: 'webgpu' });
    expect(gpuFleet.spec).toMatchObject({ maxQubits: 21, maxNoisyQubits: 20 });
    for (const numQubits of [2, 20]) {
      expect((await runNoisy(gpuFleet, numQubits)).backend.execution).toBe('webgpu');
    }
    await expect(runNoisy(gpuFleet, 21)).rejects.toMatchObject({ code: 'FLEET_CIRCUIT_TOO_LARGE' });
  });

  test('starts nothing on several adapters while the process of them is busy or being started', async () => {
    const { fleet, gpuFleet } = await openFleet([adapter('a'), adapter('b')], {
      engine: 'webgpu',
      selfTestTimes: { intervalMs: 30 },
      queueLimit: 100,
    });
    const all = Array.from({ length: 20 }, () => run(gpuFleet, 'ECHO', 21));
    const cancel = new AbortController();
    const stuck = gpuFleet.run(task('SPIN', 21), {}, cancel.signal);
    const after = Array.from({ length: 5 }, () => run(gpuFleet, 'ECHO', 21));
    await Promise.all(all);
    cancel.abort();
    await expect(stuck).rejects.toMatchObject({ name: 'AbortError' });
    for (const { backend } of await Promise.all(after)) expect(backend.hardware).toBe('a + b');
    expect(fleet.deviceDirectory.summary().busy).toBe(0);
  });

  test('promises only what open devices hold, and spreads nothing over an adapter without any', async () => {
    const { fleet, gpuFleet } = await openFleet([adapter('a'), adapter('b')], { engine: 'webgpu' });
    const out = { reason: 'test' };
    for (let i = 0; i < 24; i++) {
      fleet.deviceDirectory.setMaintenance(`gpu-${String(i).padStart(2, '0')}`, out);
    }
    expect(gpuFleet.spec.maxQubits).toBe(20);
    await expect(run(gpuFleet, 'ECHO', 21)).rejects.toMatchObject({
      code: 'FLEET_CIRCUIT_TOO_LARGE',
    });
    expect((await run(gpuFleet, 'ECHO', 20)).backend.hardware).toBe('b');
    fleet.deviceDirectory.setMaintenance('gpu-47', out);
    expect(gpuFleet.spec.maxQubits).toBe(19);
    for (const i of ['00', '23']) fleet.deviceDirectory.setMaintenance(`gpu-${i}`, undefined);
    expect((await run(gpuFleet, 'ECHO', 16)).backend.devices).toHaveLength(2);
    expect(gpuFleet.spec.maxQubits).toBe(19);
  });

  test('runs what the open devices of adapters do not hold on the CPU', async () => {
    const { fleet, gpuFleet } = await openFleet([adapter('a'), adapter('b')]);
    for (let i = 0; i < 24; i++) {
      const id = `gpu-${String(i).padStart(2, '0')}`;
      fleet.deviceDirectory.setMaintenance(id, { reason: 'test' });
    }
    expect((await run(gpuFleet, 'ECHO', 21)).backend).toMatchObject({ execution: 'cpu-fallback' });
  });

  test('takes a setting for the memory of adapters before what is known of them', async () => {
    const { fleet, gpuFleet } = await openFleet([adapter('a')], { gpuMemoryBytes: 2 ** 28 });
    expect(fleet.adapterStatuses()[0]?.memory).toEqual({ bytes: 2 ** 28, basis: 'setting' });
    expect(gpuFleet.spec.maxQubits).toBe(25);
  });

  test('passes a circuit that came as shared bytes to another process, and a wide result back', async () => {
    const { gpuFleet } = await openFleet([adapter('a')], { engine: 'webgpu' });
    const circuit = fromBytes(instruction('WIDE', new Float64Array(3), WIDE));
    const result = runOf(await gpuFleet.run({ ...task('WIDE'), circuit }, {}, never()));
    expect(result.statevector).toHaveLength(2 ** 17);
    // Transferring one array takes its whole buffer along: none may share it with anything.
    expect(result.statevector?.buffer.byteLength).toBe(2 ** 20);
    expect(result.counts.outcomes.buffer.byteLength).toBe(4);
  });
});

/** Instructions at which a fake adapter is lost. */
const LOSSES = ['EXIT', 'THROW_LATE', 'LOSE_DEVICE', 'GPU_FAULT', 'LOSE_HELPER'] as const;

describe('a circuit whose adapter is lost', () => {
  test.each([...LOSSES, 'NO_STATE_MEMORY'])('runs again on another adapter: %s', async (name) => {
    const { fleet, gpuFleet } = await openFleet([adapter('a'), adapter('b')], { engine: 'webgpu' });
    const pids = fleet.adapterStatuses().map(({ pid }) => pid);
    const answer = await run(gpuFleet, `${name}@a`);
    const result = runOf(answer);
    expect(answer.backend.hardware).toBe('b');
    const isLost = name !== 'NO_STATE_MEMORY';
    expect(fleet.adapterStatuses().map(({ pid }, i) => pid === pids[i])).toEqual([!isLost, true]);
    expect(result.counts.outcomes).toEqual(Uint32Array.of(4));
  });

  // Whatever was lost, what follows is the same.
  test.each(['EXIT', 'NO_STATE_MEMORY'])('runs again on the CPU: %s', async (name) => {
    const { gpuFleet } = await openFleet([adapter('a')]);
    const { backend } = await run(gpuFleet, `${name}@a`);
    expect(backend).toMatchObject({ engine: 'cpu', execution: 'cpu-fallback' });
  });

  test('fails with the reason after a few attempts where nothing takes it', async () => {
    const { gpuFleet } = await openFleet([adapter('a')], { engine: 'webgpu' });
    await expect(run(gpuFleet, 'EXIT')).rejects.toMatchObject({
      code: 'FLEET_ENGINE_LOST',
      message: expect.stringMatching(/\([234] attempts\)/),
    });
    await eventually(() => gpuFleet.availability().available);
    expect((await run(gpuFleet, 'ECHO')).backend.hardware).toBe('a');
  });

  test('is not given to a new process that answers its self-test wrongly', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'wrong');
    const { gpuFleet } = await openFleet([adapter(`a wrong while ${file}`)], { engine: 'webgpu' });
    writeFileSync(file, '');
    await expect(run(gpuFleet, 'EXIT')).rejects.toMatchObject({
      code: 'FLEET_ENGINE_LOST',
      message: expect.stringContaining('(1 attempt)'),
    });
    expect(gpuFleet.availability().reason).toContain('wrong amplitude');
  });

  test('keeps the figure of the memory that no adapter has', async () => {
    const { gpuFleet } = await openFleet([adapter('a'), adapter('b')], { engine: 'webgpu' });
    await expect(run(gpuFleet, 'NO_STATE_MEMORY')).rejects.toMatchObject({
      code: 'ENGINE_STATE_MEMORY',
      message: expect.stringContaining('1024 MiB'),
    });
  });

  test('runs again elsewhere when the process hangs', async () => {
    // As long as this for a process that is well, since its self-tests have to be through by then.
    const { gpuFleet } = await openFleet([adapter('a')], { silenceLimitMs: 2000 });
    const { backend } = await run(gpuFleet, 'SPIN@a');
    expect(backend.execution).toBe('cpu-fallback');
    await eventually(() => gpuFleet.spec.execution === 'webgpu');
  });
});

describe('an adapter', () => {
  test('whose process is killed is not available until another has passed the self-test', async () => {
    const { fleet, gpuFleet } = await openFleet([adapter('a')]);
    const [{ pid = 0 } = {}] = fleet.adapterStatuses();
    const running = run(gpuFleet, 'WAIT@a');
    await eventually(() => gpuFleet.load().running === 1);
    process.kill(pid, 'SIGKILL');
    await eventually(() => gpuFleet.spec.execution === 'cpu-fallback');
    expect(gpuFleet.spec).toMatchObject({ physicalGpus: 0, adapters: [] });
    expect(fleet.adapterStatuses()[0]).toMatchObject({
      available: false,
      reason: expect.stringContaining('SIGKILL'),
    });
    expect(gpuFleet.availability().available).toBe(true);
    expect((await running).backend.execution).toBe('cpu-fallback');
    await eventually(() => gpuFleet.spec.execution === 'webgpu');
    expect(gpuFleet.spec.physicalGpus).toBe(1);
    expect(fleet.adapterStatuses()[0]?.pid).not.toBe(pid);
    expect((await run(gpuFleet, 'ECHO')).backend.hardware).toBe('a');
  });

  test('that answers its self-test wrongly is given nothing, and everything once it is right', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'wrong');
    writeFileSync(file, '');
    const { fleet, gpuFleet } = await openFleet([adapter(`a wrong while ${file}`)], {
      engine: 'webgpu',
      selfTestTimes: { intervalMs: 20 },
    });
    expect(gpuFleet.availability()).toMatchObject({
      available: false,
      reason: expect.stringContaining('wrong amplitude'),
    });
    await expect(run(gpuFleet, 'ECHO')).rejects.toMatchObject({
      code: 'FLEET_PROCESSOR_UNAVAILABLE',
    });
    expect(gpuFleet.spec).toMatchObject({ physicalGpus: 0, maxQubits: 0 });
    // Accepted before a restart: it waits.
    const readmitted = gpuFleet.run(task('ECHO'), { readmitted: true }, never());
    expect(gpuFleet.load().queueDepth).toBe(1);
    rmSync(file);
    expect((await readmitted).backend.hardware).toContain('wrong while');
    expect(existsSync(file)).toBe(false);
    expect(fleet.adapterStatuses()[0]?.available).toBe(true);
  });

  test('that answers its self-test wrongly is passed over for the CPU', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'wrong');
    writeFileSync(file, '');
    const { gpuFleet } = await openFleet([adapter(`a wrong while ${file}`)]);
    expect(gpuFleet.spec).toMatchObject({
      execution: 'cpu-fallback',
      physicalGpus: 0,
      adapters: [],
    });
    expect((await run(gpuFleet, 'ECHO')).backend).toMatchObject({ engine: 'cpu' });
  });

  test('that cannot be opened says why, and keeps nothing from running', async () => {
    const adapters = [adapter('stillborn'), adapter('b')];
    const { fleet, gpuFleet } = await openFleet(adapters);
    expect(fleet.adapterStatuses()[0]).toMatchObject({
      available: false,
      reason: expect.stringContaining('exit code 7'),
    });
    expect(gpuFleet.spec.physicalGpus).toBe(1);
    expect((await run(gpuFleet, 'ECHO')).backend.hardware).toBe('b');
  });

  test('in maintenance with its fleet is tested on, and finishes what it runs', async () => {
    const { gpuFleet } = await openFleet([adapter('a')], { selfTestTimes: { intervalMs: 20 } });
    gpuFleet.setMaintenance({ reason: 'a new rack' });
    const waiting = gpuFleet.run(task('ECHO'), { readmitted: true }, never());
    expect(gpuFleet.load().queueDepth).toBe(1);
    gpuFleet.setMaintenance(undefined);
    expect((await waiting).backend.hardware).toBe('a');
  });
});

test('a cancelled circuit stops at once, waiting or under way, and the adapter stays', async () => {
  const { fleet, gpuFleet } = await openFleet([adapter('a')], { engine: 'webgpu' });
  const [{ pid } = {}] = fleet.adapterStatuses();
  const cancel = new AbortController();
  const results = [task('WAIT'), task('ECHO')].map((one) =>
    expect(gpuFleet.run(one, {}, cancel.signal)).rejects.toMatchObject({ name: 'AbortError' }),
  );
  await eventually(() => gpuFleet.load().running === 1);
  cancel.abort();
  await Promise.all(results);
  expect((await run(gpuFleet, 'ECHO')).backend.hardware).toBe('a');
  expect(fleet.adapterStatuses()[0]?.pid).toBe(pid);
});
