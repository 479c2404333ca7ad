// @needs processes
import { execFile } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  type Circuit,
  type GateOperation,
  withFinalMeasurement,
} from '../../../src/circuit/circuit.ts';
import { circuitFromGateObjects } from '../../../src/circuit/gate-objects.ts';
import type { AdapterDiscovery } from '../../../src/fleet/adapters/adapter-report.ts';
import { readMachine } from '../../../src/fleet/cpu-processors.ts';
import { Fleet, type FleetOptions } from '../../../src/fleet/fleet.ts';
import { methodsOf } from '../../../src/fleet/method-limits.ts';
import type { CircuitRun, Processor } from '../../../src/fleet/processor.ts';
import { eventually } from '../../support/eventually.ts';
import { adapter, FAKE_WORKER, never, STILLBORN_WORKER } from '../../support/fleet-fixtures.ts';
import { lastingCircuit } from '../../support/lasting-circuit.ts';
import { runOf } from '../../support/run-of.ts';

const NOW = 1_700_000_000_000;
const open: Fleet[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((fleet) => fleet.close()));
});

/** For tests in which no engine computes: those of the CPU load more. */
const FAKE = { workerEntry: FAKE_WORKER } as const;
const NO_ADAPTER: AdapterDiscovery = { adapters: [], reason: 'No GPU driver was found.' };

async function openFleet(options: Partial<FleetOptions> = {}): Promise<Fleet> {
  const fleet = new Fleet({
    machine: { cpuModel: 'a CPU', numCores: 2, memoryBytes: 2 ** 30 },
    engine: 'auto',
    numThreads: 2,
    memoryBytes: 2 ** 26,
    maxShots: 1000,
    maxGates: 1000,
    queueLimit: 10,
    now: () => NOW,
    discover: async () => NO_ADAPTER,
    ...options,
  });
  open.push(fleet);
  await fleet.start();
  return fleet;
}

function processor(fleet: Fleet, id: string): Processor {
  const found = fleet.get(id);
  if (found === undefined) throw new Error(`unreachable: no ${id}`);
  return found;
}

function gate(name: string, target: number, control?: number): GateOperation {
  const controls = control === undefined ? [] : [control];
  return { kind: 'gate', gate: name, controls, targets: [target], angles: [] };
}

function lasting(numQubits: number, numLayers: number): Circuit {
  const limits = { maxQubits: numQubits, maxGates: 10_000 };
  const gates = lastingCircuit(numQubits, numLayers);
  return withFinalMeasurement(circuitFromGateObjects(gates, { limits }));
}

/** Takes far longer than any test may for 1,000 shots: each has a state of its own after the first part. */
function endless(): Circuit {
  const { operations, ...part } = lasting(20, 50);
  return { ...part, operations: Array.from({ length: 8 }, () => operations).flat() };
}

function ghz(numQubits: number): Circuit {
  const [, ...rest] = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const operations = [gate('H', 0), ...rest.map((qubit) => gate('CX', qubit, qubit - 1))];
  return withFinalMeasurement({ numQubits, numBits: 0, operations });
}

let numTasks = 0;

function task(circuit: Circuit, shots = 100): CircuitRun {
  const request = { shots, seed: 1 };
  return {
    id: `circ_${numTasks++}`,
    circuit,
    request,
    priority: 'normal',
    keyId: 'key-1',
    tier: 'standard',
  };
}

describe('Fleet', () => {
  test.each([
    ['statevector-sim', 'f64', 4],
    ['statevector-sim', 'f64', 18],
    // Counts of circuits of the width of batches, wherever they were sent.
    ['gpu-fleet', 'f64', 4],
    ['gpu-fleet', 'f32', 13],
    ['gpu-fleet', 'f32', 18],
  ])('runs a circuit on %s in %s: %i qubits', async (id, precision, numQubits) => {
    const fleet = await openFleet();
    const target = processor(fleet, id);
    expect(target.availability()).toEqual({ available: true, checkedAt: NOW });
    const result = await target.run(task(ghz(numQubits)), {}, never());
    const { backend } = result;
    const run = runOf(result);
    expect([...run.counts.outcomes]).toEqual([0, 2 ** numQubits - 1]);
    expect(run.counts.occurrences.reduce((sum, times) => sum + times)).toBe(100);
    expect(backend).toMatchObject({ engine: 'cpu', precision, hardware: 'a CPU' });
  });

  test('opens one thread and no adapters on a node that runs no jobs, which has the same limits', async () => {
    const cores = {
      numThreads: 5,
      machine: { cpuModel: 'a CPU', numCores: 5, memoryBytes: 2 ** 30 },
    };
    const full = await openFleet({ ...cores, ...FAKE });
    let numLooks = 0;
    const discover = async () => {
      numLooks += 1;
      return NO_ADAPTER;
    };
    let numThreads = 0;
    const countThread = () => {
      numThreads += 1;
    };
    process.on('worker', countThread);
    onTestFinished(() => void process.off('worker', countThread));
    const light = await openFleet({ ...cores, discover, runsNoJobs: true });
    expect(numThreads).toBe(1);
    expect(light.numThreads).toBe(1);
    expect(numLooks).toBe(0);
    expect(light.describe().at(-1)).toBe('GPU adapters: not looked for: this node runs no jobs.');
    const simulator = processor(light, 'statevector-sim');
    expect(simulator.spec).toEqual(processor(full, 'statevector-sim').spec);
    const run = runOf(await simulator.run(task(ghz(4)), {}, never()));
    expect([...run.counts.outcomes]).toEqual([0, 15]);
  });

  test('says of each processor what runs its circuits', async () => {
    const fleet = await openFleet(FAKE);
    expect(fleet.processors.map(({ spec }) => spec)).toMatchObject([
      { id: 'statevector-sim', family: 'statevector', execution: 'cpu', precision: 'f64' },
      {
        id: 'gpu-fleet',
        family: 'gpu-fleet',
        execution: 'cpu-fallback',
        precision: 'f32',
        physicalGpus: 0,
      },
      { id: 'qvm', family: 'qvm', execution: 'cpu', precision: 'f64' },
      { id: 'emulator', family: 'emulator', execution: 'cpu', precision: 'f64' },
      { id: 'superconducting-1', execution: 'hardware', precision: null, maxQubits: 0 },
    ]);
  });

  test('takes no work for hardware that is not there', async () => {
    const hardware = processor(await openFleet(FAKE), 'superconducting-1');
    expect(hardware.availability()).toEqual({
      available: false,
      reason: 'No hardware provider is configured.',
      checkedAt: NOW,
    });
    expect(() => hardware.admit()).toThrow('No hardware provider');
    await expect(hardware.run(task(ghz(2)), {}, never())).rejects.toMatchObject({
      code: 'FLEET_PROCESSOR_UNAVAILABLE',
    });
  });

  test('gives the fleet no CPU where a GPU was asked for', async () => {
    const fleet = await openFleet({ ...FAKE, engine: 'webgpu' });
    expect(processor(fleet, 'gpu-fleet').availability()).toMatchObject({
      available: false,
      reason: 'No GPU driver was found.',
    });
    expect(processor(fleet, 'statevector-sim').availability().available).toBe(true);
  });

  test.each([
    ['auto', NO_ADAPTER, 'No GPU driver was found.'],
    [
      'auto',
      { adapters: [adapter('llvmpipe', { isSoftware: true })] },
      'No GPU adapter was found. llvmpipe: software, and QCS_SOFTWARE_ADAPTERS is not 1.',
    ],
    ['auto', { adapters: [adapter('no such card')] }, 'no such card: The self-test failed:'],
    ['cpu', { adapters: [adapter('NVIDIA H200')] }, 'It is set to run on the CPU.'],
  ] as const)('says why the fleet runs on the CPU: engine %s, %o', async (engine, found, why) => {
    const fleet = await openFleet({ ...FAKE, engine, discover: async () => found });
    const [statevector, gpuFleet, qvm] = fleet.describe();
    expect(statevector).toBe('statevector-sim: CPU engine (f64), up to 21 qubits.');
    expect(qvm).toBe(
      'qvm: CPU engine (f64), up to 21 qubits by statevector, 11 by density_matrix, 8192 by stabilizer, 20000 by matrix_product_state, 20000 by sparse, 20000 by pauli_propagation.',
    );
    expect(gpuFleet).toContain(why);
    expect(fleet.adapters).toBe(found);
  });

  test('never counts a software driver as a GPU', async () => {
    const discover = async () => ({ adapters: [adapter('llvmpipe', { isSoftware: true })] });
    const fleet = await openFleet({ ...FAKE, discover });
    expect(fleet.describe().at(-1)).toBe(
      'GPU adapters: llvmpipe (software, not counted as a GPU).',
    );
    expect(processor(fleet, 'gpu-fleet').spec.physicalGpus).toBe(0);
  });

  test('is ready, and says why nothing is available, where no engine can be started', async () => {
    const fleet = await openFleet({ workerEntry: STILLBORN_WORKER });
    for (const id of ['statevector-sim', 'gpu-fleet']) {
      expect(processor(fleet, id).availability()).toMatchObject({
        available: false,
        reason: expect.stringContaining('self-test failed'),
      });
    }
  });

  test('keeps work of one processor going while the other is in maintenance', async () => {
    const fleet = await openFleet(FAKE);
    processor(fleet, 'gpu-fleet').setMaintenance({ reason: 'a new rack' });
    expect(processor(fleet, 'gpu-fleet').availability().available).toBe(false);
    await processor(fleet, 'statevector-sim').run(task(ghz(2)), {}, never());
  });

  test('on a machine of any memory open an engine that can hold what they promise', async () => {
    const fleet = await openFleet({ memoryBytes: 2 ** 42 });
    const target = processor(fleet, 'statevector-sim');
    expect(target.availability()).toMatchObject({ available: true });
    expect(target.spec.maxQubits).toBe(29);
    expect(processor(fleet, 'gpu-fleet').spec.maxQubits).toBe(30);
  });

  test('runs the widest circuit it promises and refuses a wider one', async () => {
    const fleet = await openFleet({ maxQubits: 12 });
    const target = processor(fleet, 'statevector-sim');
    expect(target.spec.maxQubits).toBe(12);
    await target.run(task(ghz(12)), {}, never());
    await expect(target.run(task(ghz(13)), {}, never())).rejects.toMatchObject({
      code: 'FLEET_CIRCUIT_TOO_LARGE',
    });
  });

  test('computes in the precision that the processor says', async () => {
    const fleet = await openFleet();
    // 1/√2 in single precision is off by some 1e-8, in double by less than 1e-15.
    const errors = ['statevector-sim', 'gpu-fleet'].map(async (id) => {
      const request = { shots: 0, seed: 1, statevector: true };
      const result = await processor(fleet, id).run({ ...task(ghz(2)), request }, {}, never());
      return Math.abs(runOf(result).statevector![0]! - Math.SQRT1_2);
    });
    const [f64 = 1, f32 = 0] = await Promise.all(errors);
    expect(f64).toBeLessThan(1e-15);
    expect(f32).toBeGreaterThan(1e-15);
    expect(f32).toBeLessThan(1e-6);
  });

  test('gives a circuit that comes again the counts that it had, whatever came between', async () => {
    const fleet = await openFleet({ numThreads: 1, queueLimit: 100 });
    const target = processor(fleet, 'statevector-sim');
    const counts = async (numQubits: number, seed: number) => {
      const request = { shots: 100, seed };
      const run = runOf(await target.run({ ...task(ghz(numQubits)), request }, {}, never()));
      return [...run.counts.outcomes, ...run.counts.occurrences];
    };
    const first = await counts(3, 1);
    for (let numQubits = 1; numQubits <= 10; numQubits++) {
      expect((await counts(numQubits, 2))[1]).toBe(2 ** numQubits - 1);
    }
    expect(await counts(3, 2)).not.toEqual(first);
    expect(await counts(3, 1)).toEqual(first);
  });

  test('keeps nothing of a wide circuit resident', async () => {
    const fleet = await openFleet({ memoryBytes: 2 ** 31 });
    const target = processor(fleet, 'statevector-sim');
    const before = process.memoryUsage.rss();
    // 256 MiB of amplitudes.
    await target.run(task(ghz(24)), {}, never());
    await eventually(() => process.memoryUsage.rss() < before + 128 * 2 ** 20);
  });

  test('refuses what the memory cannot hold before anything is allocated, with the figures', async () => {
    const fleet = await openFleet({ ...FAKE, memoryBytes: 2 ** 28 });
    const target = processor(fleet, 'gpu-fleet');
    expect(target.spec.maxQubits).toBe(24);
    const refused = target.run(task(ghz(28)), { readmitted: true }, never());
    await expect(refused).rejects.toMatchObject({
      code: 'FLEET_CIRCUIT_TOO_LARGE',
      message:
        '28 qubits need 2 GiB; this service holds 24 qubits (128 MiB). QCS_MEMORY_MIB raises it.',
    });
  });

  test('runs small circuits while a wide one takes its time', async () => {
    const fleet = await openFleet({ queueLimit: 100 });
    const target = processor(fleet, 'statevector-sim');
    const cancel = new AbortController();
    const started = Promise.withResolvers<void>();
    const hooks = { onStarted: () => started.resolve() };
    const wide = target.run(task(endless(), 1000), hooks, cancel.signal);
    const stopped = expect(wide).rejects.toMatchObject({ name: 'AbortError' });
    await started.promise;
    const small = Array.from({ length: 50 }, (_, i) => ({ ...task(ghz(4)), id: `small-${i}` }));
    await Promise.all(small.map((one) => target.run(one, {}, never())));
    expect(target.load()).toMatchObject({ running: 1, queueDepth: 0 });
    cancel.abort();
    await stopped;
  });

  test('leaves the event loop free while a wide circuit runs', async () => {
    const fleet = await openFleet();
    const target = processor(fleet, 'statevector-sim');
    // Processor time of this thread, not time on the clock: other work of the machine may delay a
    // turn of the loop, but what the thread has not computed it cannot have held the loop for.
    const before = [process.threadCpuUsage(), process.cpuUsage()] as const;
    await target.run(task(lasting(20, 30), 1000), {}, never());
    const ofThread = process.threadCpuUsage(before[0]);
    const ofAll = process.cpuUsage(before[1]);
    expect(ofThread.user + ofThread.system).toBeLessThan((ofAll.user + ofAll.system) / 10);
  });

  test('stops a wide circuit of the real engine within its grace when cancelled', async () => {
    const fleet = await openFleet({ numThreads: 1 });
    const target = processor(fleet, 'statevector-sim');
    const cancel = new AbortController();
    const started = Promise.withResolvers<void>();
    const hooks = { onStarted: () => started.resolve() };
    const result = target.run(task(endless(), 1000), hooks, cancel.signal);
    await started.promise;
    await setImmediate();
    cancel.abort();
    await expect(result).rejects.toMatchObject({ name: 'AbortError' });
    await target.run(task(ghz(2)), {}, never());
  });
});

describe('a process with a fleet', () => {
  const script = fileURLToPath(new URL('../../support/fleet-process.ts', import.meta.url));
  const run = promisify(execFile);

  test('stays for a waiting circuit and ends by itself afterwards, without closing', async ({
    signal,
  }) => {
    const { stdout } = await run(process.execPath, [script], { signal });
    expect(stdout).toBe('2 outcomes\n');
  });
});

test('readMachine tells a model, cores and memory', () => {
  const machine = readMachine();
  expect(machine.cpuModel).not.toBe('');
  expect(machine.numCores).toBeGreaterThanOrEqual(1);
  expect(machine.memoryBytes).toBeGreaterThan(2 ** 26);
});

test('computes density matrices in single precision where double precision has no room', async () => {
  // 17 qubits in double and 18 in single precision.
  const fleet = await openFleet({ numThreads: 1, memoryBytes: 3_000_000 });
  const qvm = processor(fleet, 'qvm');
  expect(methodsOf(qvm.spec)).toEqual([
    { method: 'statevector', maxQubits: 17, maxNoisyQubits: 17 },
    { method: 'density_matrix', maxQubits: 9, maxNoisyQubits: 9, maxDoubleQubits: 8 },
    {
      method: 'stabilizer',
      maxQubits: 2048,
      maxNoisyQubits: 2048,
      nearClifford: { maxQubits: 2000, maxStates: 2 ** 15, maxActiveQubits: 9 },
    },
    { method: 'matrix_product_state', maxQubits: 20_000, maxNoisyQubits: 20_000 },
    { method: 'sparse', maxQubits: 20_000, maxNoisyQubits: 20_000 },
    { method: 'pauli_propagation', maxQubits: 20_000, maxNoisyQubits: 20_000 },
  ]);
  for (const [numQubits, precision] of [
    [8, 'f64'],
    [9, 'f32'],
  ] as const) {
    const { request, ...rest } = task(ghz(numQubits));
    const asked = { ...request, method: 'density_matrix', purity: true } as const;
    const result = await qvm.run({ ...rest, request: asked }, {}, never());
    expect(result.backend.precision).toBe(precision);
    expect(runOf(result).purity).toBeCloseTo(1, 5);
  }
  const { request, ...rest } = task(ghz(10));
  await expect(
    qvm.run({ ...rest, request: { ...request, method: 'density_matrix' } }, {}, never()),
  ).rejects.toMatchObject({ code: 'FLEET_CIRCUIT_TOO_LARGE' });
});
