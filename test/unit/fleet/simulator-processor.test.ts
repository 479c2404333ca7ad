import { afterEach, describe, expect, test } from 'vitest';
import { CircuitBackend } from '../../../src/fleet/circuit-backend.ts';
import type { CircuitRun, ProcessorSpec } from '../../../src/fleet/processor.ts';
import { CpuSimulator } from '../../../src/fleet/simulator-processor.ts';
import { eventually } from '../../support/eventually.ts';
import {
  FAKE_LANES,
  FAKE_WORKER,
  instruction,
  never,
  sharedNumbers,
  WIDE_QUBITS,
  WRONG_WORKER,
} from '../../support/fleet-fixtures.ts';
import { runOf } from '../../support/run-of.ts';

const NOW = 1_700_000_000_000;
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const spec: ProcessorSpec = {
  id: 'statevector-sim',
  name: 'Statevector simulator',
  family: 'statevector',
  maxQubits: 20,
  maxShots: 1000,
  maxGates: 1000,
  precision: 'f64',
  execution: 'cpu',
  target: null,
};

function openProcessor(workerEntry = FAKE_WORKER, maxRunMs = 3_600_000) {
  const backend = new CircuitBackend({
    ...FAKE_LANES,
    workerEntry,
    queueLimit: 2,
    ageingMs: 60_000,
  });
  backend.open();
  const processor = new CpuSimulator(
    spec,
    { engine: 'cpu', execution: 'cpu', precision: 'f64', hardware: 'a CPU' },
    { backend, maxRunMs, now: () => NOW },
  );
  closers.push(async () => {
    processor.close();
    await backend.close();
  });
  return processor;
}

async function openChecked(workerEntry = FAKE_WORKER) {
  const processor = openProcessor(workerEntry);
  await processor.check();
  return processor;
}

let numTasks = 0;

function task(name: string, shared = sharedNumbers()): CircuitRun {
  return {
    id: `job-${numTasks++}`,
    circuit: instruction(name, shared),
    request: { shots: 3, seed: 4 },
    priority: 'normal',
    keyId: 'key-1',
    tier: 'standard',
  };
}

function wideTask(name: string, shared = sharedNumbers()): CircuitRun {
  return { ...task(name), circuit: instruction(name, shared, WIDE_QUBITS) };
}

describe('SimulatorProcessor', () => {
  test('is available once its self-test has passed, and not before', async () => {
    const processor = openProcessor();
    expect(processor.availability().available).toBe(false);
    expect(() => processor.admit()).toThrow('self-test');
    await processor.check();
    expect(processor.availability()).toEqual({ available: true, checkedAt: NOW });
    expect(() => processor.admit()).not.toThrow();
  });

  test('admits no circuit that is expected to run for longer than any may', async () => {
    const processor = await openChecked();
    const coming = (numOperations: number, shots: number) => ({
      id: `job-${numTasks++}`,
      keyId: 'key-1',
      work: {
        numQubits: 20,
        numOperations,
        gateCost: 5 * numOperations,
        isBranching: false,
        shots,
        numReadouts: 0,
      },
      methodReason: 'A state vector of 16 MiB.',
    });
    expect(() => processor.admit(coming(10_000, 1000))).not.toThrow();
    for (const long of [coming(100_000_000, 1), coming(10, 1e12)]) {
      expect(() => processor.admit(long)).toThrow(
        expect.objectContaining({
          code: 'FLEET_CIRCUIT_TOO_LONG',
          message: expect.stringMatching(
            /about \d+ (hours|days) .* limit is 60 minutes.* A state vector of 16 MiB\./,
          ),
        }),
      );
    }
  });

  test('answers with the result, what ran it, and the times it took', async () => {
    const processor = await openChecked();
    const result = await processor.run(task('ECHO'), {}, never());
    expect(runOf(result).counts.outcomes).toEqual(Uint32Array.of(4));
    expect(result.backend.hardware).toBe('a CPU');
    expect(result.timing.executionMs).toBe(3);
    expect(result.timing.queueMs).toBeGreaterThanOrEqual(0);
  });

  test('is not available when the engine’s answer is wrong', async () => {
    const processor = await openChecked(WRONG_WORKER);
    expect(processor.availability()).toMatchObject({
      available: false,
      reason: expect.stringContaining('wrong amplitude'),
    });
    await expect(processor.run(task('ECHO'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_PROCESSOR_UNAVAILABLE',
    });
  });

  test('notices an engine that goes wrong later, starts nothing then, and recovers', async () => {
    const processor = await openChecked();
    const shared = sharedNumbers();
    await processor.run(task('BREAK', shared), {}, never());
    shared[0] = 1;
    await processor.check();
    expect(processor.availability().available).toBe(false);
    const readmitted = processor.run(task('ECHO'), { readmitted: true }, never());
    await processor.check();
    expect(processor.load().queueDepth).toBe(1);
    shared[0] = 0;
    await processor.check();
    expect(processor.availability().available).toBe(true);
    await readmitted;
  });

  test('tests itself at once when a circuit has met an unexpected error', async () => {
    const processor = await openChecked();
    const shared = sharedNumbers();
    await processor.run(task('BREAK', shared), {}, never());
    shared[0] = 1;
    await expect(processor.run(task('BUG'), {}, never())).rejects.toThrow('x is not a function');
    await eventually(() => !processor.availability().available);
    expect(processor.availability().reason).toContain('wrong amplitude');
  });

  test('tests the engines of wide circuits apart, and takes no work where one of them fails', async () => {
    const processor = await openChecked();
    const shared = sharedNumbers();
    await processor.run(wideTask('BREAK', shared), {}, never());
    shared[0] = 1;
    await expect(processor.run(wideTask('BUG'), {}, never())).rejects.toThrow('not a function');
    await eventually(() => !processor.availability().available);
    expect(processor.availability().reason).toMatch(/all threads: .*wrong amplitude/);
    expect(() => processor.admit()).toThrow('all threads');
    shared[0] = 0;
    await processor.check();
    expect(processor.availability()).toEqual({ available: true, checkedAt: NOW });
  });

  test('keeps its self-test of small circuits going while a wide one runs', async () => {
    const processor = await openChecked();
    const shared = sharedNumbers();
    const running = processor.run(wideTask('WAIT', shared), {}, never());
    await eventually(() => shared[1] === 1);
    const broken = sharedNumbers();
    await processor.run(task('BREAK', broken), {}, never());
    broken[0] = 1;
    const check = processor.check();
    await eventually(() => !processor.availability().available);
    shared[0] = 1;
    await Promise.all([running, check]);
  });

  test('does not test itself because a circuit was refused or cancelled', async () => {
    const processor = await openChecked();
    const shared = sharedNumbers();
    shared[0] = 1;
    await processor.run(task('BREAK', shared), {}, never());
    await expect(processor.run(task('CODED'), {}, never())).rejects.toMatchObject({
      code: 'ENGINE_PROGRAM_TOO_WIDE',
    });
    const cancel = new AbortController();
    const waiting = sharedNumbers();
    const cancelled = processor.run(task('WAIT', waiting), {}, cancel.signal);
    await eventually(() => waiting[1] === 1);
    cancel.abort();
    await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' });
    await processor.run(task('ECHO'), {}, never());
    expect(processor.availability().available).toBe(true);
  });

  test('refuses circuits in maintenance, finishes what runs and keeps what waits', async () => {
    const processor = await openChecked();
    const shared = sharedNumbers();
    const running = processor.run(task('WAIT', shared), {}, never());
    await eventually(() => shared[1] === 1);
    let hasStarted = false;
    const onStarted = () => {
      hasStarted = true;
    };
    const waiting = processor.run(task('ECHO'), { onStarted }, never());
    processor.setMaintenance({ reason: 'new cooling' });
    expect(processor.availability()).toEqual({
      available: false,
      reason: 'In maintenance: new cooling',
      checkedAt: NOW,
    });
    await expect(processor.run(task('ECHO'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_PROCESSOR_UNAVAILABLE',
      message: expect.stringContaining('new cooling'),
    });
    shared[0] = 1;
    await running;
    await processor.check();
    expect(processor.load()).toMatchObject({ queueDepth: 1, running: 0 });
    expect(hasStarted).toBe(false);
    processor.setMaintenance(undefined);
    await waiting;
    expect(hasStarted).toBe(true);
  });

  test('refuses a circuit when the queue is full, and tells positions in it', async () => {
    const processor = await openChecked();
    const shared = sharedNumbers();
    const running = processor.run(task('WAIT', shared), {}, never());
    await eventually(() => shared[1] === 1);
    const tasks = [task('ECHO'), task('ECHO')];
    const waiting = tasks.map((one) => processor.run(one, {}, never()));
    expect(tasks.map(({ id }) => processor.queuePosition(id))).toEqual([0, 1]);
    await expect(processor.run(task('ECHO'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_QUEUE_FULL',
    });
    shared[0] = 1;
    await Promise.all([running, ...waiting]);
  });
});
