import { afterEach, describe, expect, test, vi } from 'vitest';
import { EnginePool, type EnginePoolOptions } from '../../../src/fleet/workers/engine-pool.ts';
import type { WorkerRun } from '../../../src/fleet/workers/engine-runner.ts';
import type { RunOutcome } from '../../../src/fleet/workers/worker-messages.ts';
import { childThread } from '../../../src/processes/supervised-child.ts';
import { eventually } from '../../support/eventually.ts';
import {
  ENGINE,
  FAKE_WORKER,
  instruction,
  never,
  STILLBORN_WORKER,
  sharedNumbers,
} from '../../support/fleet-fixtures.ts';
import { runOf } from '../../support/run-of.ts';

const open: EnginePool<WorkerRun>[] = [];
const faults: Error[] = [];
/** How workers of a test's pool ended that were not meant to. */
const lost: string[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()));
  faults.length = 0;
  lost.length = 0;
});

interface PoolOptions extends Partial<Omit<EnginePoolOptions, 'start'>> {
  readonly workerEntry?: URL;
}

async function openPool(options: PoolOptions = {}): Promise<EnginePool<WorkerRun>> {
  const pool = startPool(options);
  await eventually(() => pool.numIdle === pool.numWorkers);
  return pool;
}

function startPool({ workerEntry = FAKE_WORKER, ...options }: PoolOptions = {}) {
  const setup = { engine: ENGINE };
  const pool = new EnginePool<WorkerRun>('small', {
    numWorkers: 1,
    start: childThread({ entry: workerEntry, setup }),
    ...options,
  });
  pool.open({
    onIdle: () => {},
    onFault: (fault) => faults.push(fault),
    onLost: (how) => lost.push(how),
  });
  open.push(pool);
  return pool;
}

function run(
  pool: EnginePool<WorkerRun>,
  name: string,
  {
    shared = sharedNumbers(),
    signal = never(),
    onProgress = (_: number) => {},
    precision = 'f64' as 'f32' | 'f64',
  } = {},
) {
  const request = { shots: 7, seed: 5 };
  return one(pool, {
    computedIn: precision,
    circuit: instruction(name, shared),
    request,
    onProgress,
    signal,
  });
}

async function one(pool: EnginePool<WorkerRun>, task: WorkerRun): Promise<RunOutcome> {
  const [outcome] = await Promise.all(pool.run([task]));
  return outcome!;
}

describe('EnginePool', () => {
  test('gives back what the engine and the compiler say of a circuit', async () => {
    const pool = await openPool();
    const outcome = await run(pool, 'ECHO');
    const { compilation, compileMs } = outcome;
    const result = runOf(outcome);
    expect(result.counts.outcomes).toEqual(Uint32Array.of(5));
    expect(result.counts.occurrences).toEqual(Uint32Array.of(7));
    expect(compilation?.sweeps).toBe(1);
    expect(compileMs).toBeGreaterThanOrEqual(0);
  });

  test('moves a wide state out of its thread instead of copying it', async () => {
    const pool = await openPool();
    const wide = runOf(await run(pool, 'WIDE'));
    expect(wide.statevector).toHaveLength(2 ** 17);
    const left = runOf(await run(pool, 'WHAT_IS_LEFT'));
    expect(left.counts.outcomes).toEqual(Uint32Array.of(0));
  });

  test('passes progress on while a circuit runs', async () => {
    const pool = await openPool();
    const shared = sharedNumbers();
    const seen: number[] = [];
    const result = run(pool, 'WAIT', { shared, onProgress: (fraction) => seen.push(fraction) });
    await eventually(() => seen.length > 0);
    shared[0] = 1;
    await result;
    expect(seen[0]).toBe(0.5);
  });

  test('keeps the code and message of an error across the thread', async () => {
    const pool = await openPool();
    await expect(run(pool, 'CODED')).rejects.toMatchObject({
      code: 'ENGINE_PROGRAM_TOO_WIDE',
      message: expect.stringContaining('11 qubits'),
    });
    expect(pool.numIdle).toBe(1);
  });

  test.each(['EXHAUST_MEMORY', 'NO_ENGINE_MEMORY'])(
    'says that memory ran out: %s',
    async (name) => {
      const pool = await openPool();
      await expect(run(pool, name)).rejects.toMatchObject({ code: 'FLEET_OUT_OF_MEMORY' });
    },
  );

  test('ends a thread whose engine lost a helper, and replaces it', async () => {
    const pool = await openPool();
    await expect(run(pool, 'LOSE_HELPER')).rejects.toMatchObject({
      code: 'FLEET_WORKER_LOST',
      message: expect.stringContaining('thread of the engine'),
    });
    await eventually(() => pool.numIdle === 1);
    await run(pool, 'ECHO');
  });

  test('keeps the figure of a state that the system has no memory for', async () => {
    const pool = await openPool();
    await expect(run(pool, 'NO_STATE_MEMORY')).rejects.toMatchObject({
      code: 'ENGINE_STATE_MEMORY',
      message: expect.stringContaining('1024 MiB'),
    });
  });

  test('runs each circuit in its precision, on an engine opened once', async () => {
    const pool = await openPool();
    const opened = async () => runOf(await run(pool, 'NUM_OPENED')).counts.outcomes[0];
    expect(await opened()).toBe(1);
    for (const [precision, bits] of [
      ['f32', 32],
      ['f64', 64],
      ['f32', 32],
    ] as const) {
      const result = runOf(await run(pool, 'PRECISION', { precision }));
      expect(result.counts.outcomes).toEqual(Uint32Array.of(bits));
    }
    expect(await opened()).toBe(2);
  });

  test('passes an unexpected error on without a code, with where it was thrown', async () => {
    const pool = await openPool();
    const error = await run(pool, 'BUG').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: 'x is not a function' });
    expect(error).not.toHaveProperty('code');
    expect(String(error instanceof Error && error.stack)).toContain('fleet-fake-worker');
  });

  test('stops a cancelled circuit at the engine’s next yield and keeps the thread', async () => {
    const pool = await openPool({ cancelGraceMs: 20_000 });
    const shared = sharedNumbers();
    const cancel = new AbortController();
    const result = run(pool, 'WAIT', { shared, signal: cancel.signal });
    await eventually(() => shared[1] === 1);
    const reason = new Error('the caller changed its mind');
    cancel.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(pool.numIdle).toBe(1);
    shared[0] = 1;
    await run(pool, 'ECHO');
    expect(shared[2]).toBe(0);
  });

  test('ends the thread of a cancelled circuit that does not yield, and replaces it', async () => {
    const pool = await openPool({ cancelGraceMs: 30 });
    const shared = sharedNumbers();
    const cancel = new AbortController();
    const result = run(pool, 'SPIN', { shared, signal: cancel.signal });
    await eventually(() => shared[1] === 1);
    cancel.abort();
    await expect(result).rejects.toMatchObject({ name: 'AbortError' });
    const turns = shared[2];
    await eventually(() => pool.numIdle === 1);
    expect(shared[2]).toBe(turns);
    await run(pool, 'ECHO');
  });

  test.each([
    ['EXIT', 'exit code 3'],
    ['THROW_LATE', 'thrown from nowhere'],
  ])(
    'rejects the circuit of a thread that dies by %s, and replaces the thread',
    async (name, how) => {
      const pool = await openPool();
      await expect(run(pool, name)).rejects.toMatchObject({
        code: 'FLEET_WORKER_LOST',
        message: expect.stringContaining(how),
      });
      expect(lost).toEqual([expect.stringContaining(how)]);
      expect(pool.numIdle).toBe(0);
      await eventually(() => pool.numIdle === 1);
      await run(pool, 'ECHO');
    },
  );

  test('replaces a thread that dies while it is idle', async () => {
    const pool = await openPool();
    const shared = sharedNumbers();
    await run(pool, 'EXIT_WHEN_TOLD', { shared });
    expect(pool.numIdle).toBe(1);
    shared[0] = 1;
    await eventually(() => pool.numIdle === 0);
    await eventually(() => pool.numIdle === 1);
    await run(pool, 'ECHO');
  });

  test('replaces threads of a crash loop after growing delays, which a success resets', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const pool = await openPool();
    for (const name of ['EXIT', 'EXIT', 'EXIT', 'EXIT', 'ECHO', 'EXIT']) {
      await run(pool, name).catch(() => undefined);
      await eventually(() => pool.numIdle === 1);
    }
    // The others are the limits on a thread's start.
    const delays = timers.mock.calls.map(([, ms = 0]) => ms).filter((ms) => ms < 30_000);
    expect(delays).toEqual([0, 100, 200, 400, 0]);
    timers.mockRestore();
  });

  test('says so when no engine can be started', async () => {
    const pool = startPool({ workerEntry: STILLBORN_WORKER, numWorkers: 2 });
    await eventually(() => faults.length > 0);
    expect(pool.fault).toMatchObject({
      code: 'FLEET_NO_WORKER',
      message: expect.stringContaining('no engine here'),
    });
    expect(pool.numIdle).toBe(0);
  });

  test('rejects what cannot be sent to a thread and keeps the thread', async () => {
    const pool = await openPool();
    const request = { shots: 1, seed: 1, onProgress: () => {} };
    const circuit = instruction('ECHO');
    await expect(
      one(pool, { computedIn: 'f64', circuit, request, onProgress: () => {}, signal: never() }),
    ).rejects.toMatchObject({ name: 'DataCloneError' });
    expect(pool.numIdle).toBe(1);
    await run(pool, 'ECHO');
  });

  test('rejects the circuits under way when it is closed', async () => {
    const pool = await openPool();
    const shared = sharedNumbers();
    const result = run(pool, 'SPIN', { shared });
    const rejected = expect(result).rejects.toMatchObject({ code: 'FLEET_WORKER_LOST' });
    await eventually(() => shared[1] === 1);
    await pool.close();
    await rejected;
    expect(pool.numIdle).toBe(0);
  });
});
