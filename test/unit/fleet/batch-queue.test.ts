/** Batch tasks in the queue: they wait, start, are cancelled and run again as circuits do. */
import { afterEach, describe, expect, test } from 'vitest';
import { CircuitBackend, type CircuitBackendOptions } from '../../../src/fleet/circuit-backend.ts';
import type { PlacedRun } from '../../../src/fleet/fleet-run.ts';
import type { CircuitRun, ProcessorSpec } from '../../../src/fleet/processor.ts';
import { circuitWork, runWork } from '../../../src/fleet/schedule/scheduled-run.ts';
import { CpuSimulator } from '../../../src/fleet/simulator-processor.ts';
import { eventually } from '../../support/eventually.ts';
import { FAKE_LANES, instruction, never, sharedNumbers } from '../../support/fleet-fixtures.ts';
import { gate } from '../../support/random-circuits.ts';
import { runOf } from '../../support/run-of.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

function openBackend(options: Partial<CircuitBackendOptions> = {}): CircuitBackend {
  const backend = new CircuitBackend({
    ...FAKE_LANES,
    queueLimit: 10,
    ageingMs: 60_000,
    ...options,
  });
  closers.push(() => backend.close());
  backend.open();
  return backend;
}

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

/** A processor that is well, and the backend that it runs on. */
async function openProcessor(options: Partial<CircuitBackendOptions> = {}) {
  const backend = openBackend(options);
  const runsOn = { engine: 'cpu', execution: 'cpu', precision: 'f64', hardware: 'a CPU' } as const;
  const processor = new CpuSimulator(spec, runsOn, { backend, now: () => 1_700_000_000_000 });
  closers.unshift(async () => processor.close());
  await processor.check();
  return { processor, backend };
}

let numTasks = 0;

function head() {
  const id = `task-${numTasks++}`;
  return { id, priority: 'normal', keyId: 'key-1', tier: 'standard' } as const;
}

/** A batch of one circuit that the fake engine takes as an instruction. */
function batch(name: string, shared = sharedNumbers(), more: Partial<CircuitRun> = {}): CircuitRun {
  const request = { numCircuits: 1, angles: new Float64Array(), shots: 3, seed: 4 };
  return { ...head(), circuit: instruction(name, shared), request, ...more };
}

function circuit(name: string, shared = sharedNumbers()): CircuitRun {
  return { ...head(), circuit: instruction(name, shared), request: { shots: 1, seed: 1 } };
}

function forBackend(task: CircuitRun) {
  return { ...task, processor: 'a', precision: 'f64' } as const;
}

/** Angles come back as expectations. */
function echo(angles: Float64Array): CircuitRun {
  const shape = { numQubits: 1, numBits: 1, operations: [gate('ECHO', [0], [], [0])] };
  return batch('ECHO', sharedNumbers(), {
    circuit: shape,
    request: { numCircuits: angles.length, angles, shots: 3, seed: 4 },
  });
}

/** Holds the only thread until its first shared number is set. */
async function holdThread({ processor }: { readonly processor: CpuSimulator }) {
  const shared = sharedNumbers();
  const result = processor.run(circuit('WAIT', shared), {}, never());
  await eventually(() => shared[1] === 1);
  return { shared, result };
}

describe('a batch run', () => {
  test('whose worker is lost in it runs again, and is answered once', async () => {
    const { processor } = await openProcessor();
    const told: string[] = [];
    const task = batch('EXIT_ONCE');
    const hooks = {
      onStarted: () => told.push('started'),
      onStartedOver: () => told.push('started over'),
    };
    const { outputs: answer } = await processor.run(task, hooks, never());
    expect(answer.counts).toEqual(Uint32Array.of(0));
    expect(told).toEqual(['started', 'started over']);
  });

  test('that takes down every worker fails', async () => {
    const { processor } = await openProcessor();
    await expect(processor.run(batch('EXIT'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_ENGINE_LOST',
    });
  });

  test('that has met an unexpected error has its engine tested at once', async () => {
    const { processor } = await openProcessor();
    const shared = sharedNumbers();
    await processor.run(circuit('BREAK', shared), {}, never());
    shared[0] = 1;
    const run = processor.run(batch('BUG'), {}, never());
    await expect(run).rejects.toThrow('x is not a function');
    await eventually(() => !processor.availability().available);
  });

  test('is run again with the angles that it was sent with', async () => {
    const backend = openBackend();
    const shared = sharedNumbers();
    const angles = Float64Array.of(0.25, 0.5);
    const shape = {
      ...instruction('EXIT_ONCE', shared),
      operations: instruction('EXIT_ONCE', shared).operations.map((operation) =>
        operation.kind === 'gate' ? { ...operation, angles: [0] } : operation,
      ),
    };
    const task = batch('EXIT_ONCE', shared, {
      circuit: shape,
      request: { numCircuits: 2, angles },
    });
    const answer = backend.submit(forBackend(task), {}, never());
    angles.fill(9);
    expect((await answer).outputs.expectations).toEqual(Float64Array.of(0.25, 0.5));
    expect(shared[0]).toBe(2);
  });

  test('cancelled while it waits never starts, and gives its place back', async () => {
    const opened = await openProcessor({ queueLimit: 1 });
    const { processor } = opened;
    const { shared, result } = await holdThread(opened);
    const cancel = new AbortController();
    let hasStarted = false;
    const onStarted = () => {
      hasStarted = true;
    };
    const waiting = processor.run(batch('ECHO'), { onStarted }, cancel.signal);
    expect(() => processor.admit()).toThrow('full');
    cancel.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(() => processor.admit()).not.toThrow();
    shared[0] = 1;
    await result;
    expect(hasStarted).toBe(false);
  });

  test('cancelled while it runs is stopped by its engine', async () => {
    const { processor } = await openProcessor({ cancelGraceMs: 60_000 });
    const shared = sharedNumbers();
    const cancel = new AbortController();
    const running = processor.run(batch('WAIT', shared), {}, cancel.signal);
    await eventually(() => shared[1] === 1);
    expect(processor.load().running).toBe(1);
    cancel.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(shared[2]).toBe(0);
    expect(processor.load().running).toBe(0);
  });

  test('that was cancelled before it came is not queued', async () => {
    const { processor } = await openProcessor();
    const reason = new Error('too late');
    const run = processor.run(batch('ECHO'), {}, AbortSignal.abort(reason));
    await expect(run).rejects.toBe(reason);
  });

  test('keeps its place while its processor is in maintenance, and starts afterwards', async () => {
    const opened = await openProcessor();
    const { processor } = opened;
    const { shared, result } = await holdThread(opened);
    const [first, second] = [batch('ECHO'), circuit('ECHO')];
    const answers = [
      processor.run(first, {}, never()),
      processor.run(second, {}, never()),
    ] as const;
    processor.setMaintenance({ reason: 'new cooling' });
    shared[0] = 1;
    await result;
    expect([first, second].map(({ id }) => processor.queuePosition(id))).toEqual([0, 1]);
    await expect(processor.run(batch('ECHO'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_PROCESSOR_UNAVAILABLE',
    });
    processor.setMaintenance(undefined);
    const [{ outputs: answer }] = await Promise.all(answers);
    expect(answer.counts).toEqual(Uint32Array.of(4));
  });

  test('is refused when the queue is full, unless a place was kept for it', async () => {
    const opened = await openProcessor({ queueLimit: 1 });
    const { processor } = opened;
    const { shared, result } = await holdThread(opened);
    const expected = batch('ECHO');
    const work = runWork(circuitWork(expected.circuit), expected.request);
    processor.admit({ ...expected, work, methodReason: '' });
    await expect(processor.run(batch('ECHO'), {}, never())).rejects.toMatchObject({
      code: 'FLEET_QUEUE_FULL',
    });
    const answer = processor.run(expected, {}, never());
    expect(processor.load().queueDepth).toBe(1);
    // Plans that take long, as on a busy machine, are kept for a while: the run is in a later one.
    await eventually(() => (processor.expectedStart(expected.id) ?? 0) >= 1_700_000_000_000);
    shared[0] = 1;
    await Promise.all([result, answer]);
  });

  test('goes in its turn: by priority, and keys in turns', async () => {
    const backend = openBackend();
    const shared = sharedNumbers();
    const held = backend.submit(forBackend(circuit('WAIT', shared)), {}, never());
    await eventually(() => shared[1] === 1);
    const started: string[] = [];
    const submit = (name: string, more: Partial<PlacedRun>) => {
      const task = { ...forBackend(batch('ECHO')), ...more };
      return backend.submit(task, { onStarted: () => started.push(name) }, never());
    };
    const one = { numCircuits: 1, angles: new Float64Array(), shots: 1000 };
    const answers = [
      submit('a', { keyId: 'a', request: { ...one, numCircuits: 100 } }),
      submit('a', { keyId: 'a', request: one }),
      ...[1, 2, 3].map(() => submit('b', { keyId: 'b', request: one })),
      submit('urgent', { keyId: 'c', priority: 'high', request: one }),
    ];
    shared[0] = 1;
    await Promise.all([held, ...answers]);
    // How many turns the rows of the first cost depends on how fast they ran; schedule/ has that exactly.
    expect(started.slice(0, 3)).toEqual(['urgent', 'a', 'b']);
    expect(started.slice(3).sort()).toEqual(['a', 'b', 'b']);
  });

  test('goes with circuits in one list, and each has its own answer', async () => {
    const backend = openBackend({ queueLimit: 100 });
    const tasks = Array.from({ length: 6 }, (_, i) => echo(Float64Array.of(i, 10 * i)));
    const single = (seed: number): PlacedRun => ({
      ...forBackend(circuit('ECHO')),
      request: { shots: 1, seed },
    });
    const answers = await Promise.all(
      tasks.map(async (task, i) => {
        const [one, other] = await Promise.all([
          backend.submit(forBackend(task), {}, never()),
          backend.submit(single(i), {}, never()),
        ]);
        return [...(one.outputs.expectations ?? []), ...runOf(other).counts.outcomes];
      }),
    );
    expect(answers).toEqual(tasks.map((_, i) => [i, 10 * i, i]));
  });

  test('of many angles has them as they were sent, whatever becomes of the caller’s', async () => {
    const backend = openBackend();
    const angles = Float64Array.from({ length: 5000 }, (_, i) => i);
    const sent = angles.slice();
    const answer = backend.submit(forBackend(echo(angles)), {}, never());
    expect(angles).toEqual(sent);
    angles.fill(-1);
    expect((await answer).outputs.expectations).toEqual(sent);
  });

  test('is rejected when the fleet closes', async () => {
    const { processor, backend } = await openProcessor();
    const shared = sharedNumbers();
    const running = processor.run(batch('WAIT', shared), {}, never());
    const waiting = processor.run(batch('ECHO'), {}, never());
    const ends = Promise.allSettled([running, waiting]);
    await eventually(() => shared[1] === 1);
    await backend.close();
    expect(await ends).toMatchObject([
      { status: 'rejected', reason: { code: 'FLEET_CLOSED' } },
      { status: 'rejected', reason: { code: 'FLEET_CLOSED' } },
    ]);
  });
});

test('a key whose circuits fill a quarter of that memory has to wait, and others have not', async () => {
  const opened = await openProcessor({ queueLimit: 100 });
  const { processor, backend } = opened;
  const { shared, result } = await holdThread(opened);
  const angles = new Float64Array(2 ** 23);
  const cancel = new AbortController();
  const waiting = [echo(angles), echo(angles)].map((task) =>
    processor.run(task, {}, cancel.signal).catch(() => 'cancelled'),
  );
  await expect(processor.run(echo(angles), {}, never())).rejects.toMatchObject({
    code: 'FLEET_QUEUE_FULL',
    message: expect.stringContaining('128 MiB of your circuits'),
  });
  expect(() => backend.admission.check('a', 'key-2')).not.toThrow();
  cancel.abort();
  await Promise.all(waiting);
  expect(() => backend.admission.check('a', 'key-1')).not.toThrow();
  shared[0] = 1;
  await result;
});

test('rows that wait count as memory that waits', async () => {
  const opened = await openProcessor({ queueLimit: 100 });
  const { processor } = opened;
  const { shared, result } = await holdThread(opened);
  const angles = new Float64Array(2 ** 23);
  const cancel = new AbortController();
  const keys = ['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd'];
  const waiting = keys.map((keyId) =>
    processor.run({ ...echo(angles), keyId }, {}, cancel.signal).catch(() => 'cancelled'),
  );
  expect(() => processor.admit()).toThrow('512 MiB');
  cancel.abort();
  await Promise.all(waiting);
  expect(() => processor.admit()).not.toThrow();
  shared[0] = 1;
  await result;
});
