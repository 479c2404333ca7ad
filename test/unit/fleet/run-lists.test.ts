// @needs processes
/** Lists of circuits on a worker: each is answered by itself, whatever happens to the others. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Circuit } from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import { openCpuEngine } from '../../../src/engine/cpu/cpu-engine.ts';
import { EnginePool } from '../../../src/fleet/workers/engine-pool.ts';
import type { WorkerRun } from '../../../src/fleet/workers/engine-runner.ts';
import type { RunOutcome, StartWorker } from '../../../src/fleet/workers/worker-messages.ts';
import { childProcess, withOwnBuffers } from '../../../src/processes/child-process.ts';
import { childThread } from '../../../src/processes/supervised-child.ts';
import { eventually } from '../../support/eventually.ts';
import {
  ENGINE,
  FAKE_GPU,
  FAKE_WORKER,
  instruction,
  never,
  sharedNumbers,
} from '../../support/fleet-fixtures.ts';
import { fromBytes } from '../../support/from-bytes.ts';
import { gate } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { runOf } from '../../support/run-of.ts';
import { randomShape, sweepOf } from '../../support/sweeps.ts';

const REAL_WORKER = new URL('../../../src/fleet/workers/engine-worker.ts', import.meta.url);

const MAX_QUBITS = 17;

const BELL: Circuit = {
  numQubits: 2,
  numBits: 2,
  operations: [
    gate('H', [0]),
    gate('CX', [1], [0]),
    { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
  ],
};

/** Without a matrix: it crosses in writing, and its answer is gathered with others. */
const BRIEF_ECHO: Circuit = { numQubits: 1, numBits: 1, operations: [gate('ECHO', [0])] };

const open: EnginePool<WorkerRun>[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()));
});

const fakeThread = thread(FAKE_WORKER);
const realThread = thread(REAL_WORKER);
const fakeProcess: StartWorker = childProcess({
  entry: FAKE_GPU,
  receive: withOwnBuffers,
  setup: { adapter: { backend: 'vulkan', name: 'a' }, memoryBytes: 2 ** 20 },
});

function thread(entry: URL): StartWorker {
  const engine = { ...ENGINE, maxQubits: { f32: MAX_QUBITS, f64: MAX_QUBITS } };
  return childThread({ entry, setup: { engine }, heapLimitMb: 512 });
}

/** A pool of one worker, once it is open. */
async function openPool(start: StartWorker, cancelGraceMs = 20_000) {
  const pool = new EnginePool<WorkerRun>('small', { numWorkers: 1, start, cancelGraceMs });
  pool.open({ onIdle: () => {}, onFault: () => {} });
  open.push(pool);
  await eventually(() => pool.numIdle === 1);
  return { pool };
}

/** Circuits that note their begins, and the means to cancel each. */
function listOf(circuits: readonly WorkerRun['circuit'][]) {
  const begun: number[] = [];
  const startedAt: number[] = [];
  const cancels = circuits.map(() => new AbortController());
  const tasks = circuits.map(
    (circuit, i): WorkerRun => ({
      computedIn: 'f64',
      circuit,
      request: { shots: 7, seed: i },
      onProgress: () => {},
      onStarted: (at) => {
        begun.push(i);
        startedAt.push(at);
      },
      signal: cancels[i]!.signal,
    }),
  );
  return { tasks, begun, startedAt, cancels };
}

/** The end of each run: the outcomes and occurrences that came back, or the error's code or name. */
async function endsOf(promises: readonly Promise<RunOutcome>[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((end) => {
    if (end.status === 'rejected') {
      const { code, name } = end.reason;
      // An AbortError has a number for a code.
      return typeof code === 'string' ? code : name;
    }
    const { outcomes, occurrences } = runOf(end.value).counts;
    return [...outcomes, ...occurrences];
  });
}

/** Answer of ECHO in place i. */
const echo = (i: number) => [i, 7];
const LOST = 'FLEET_WORKER_LOST';

describe('a list of circuits', () => {
  test('of a thousand, each with a seed of its own, is answered right', async () => {
    const { pool } = await openPool(realThread);
    const { tasks, begun, startedAt } = listOf(Array.from({ length: 1000 }, () => BELL));
    const shots = 100;
    const givenAt = performance.now();
    const outcomes = await Promise.all(
      pool.run(tasks.map((task, i) => ({ ...task, request: { shots, seed: 9 + i } }))),
    );
    const answeredAt = performance.now();
    const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: MAX_QUBITS });
    const { program, report } = compile(BELL, engine.target, { keepState: false });
    await using executable = await engine.prepare.statevector(program);
    for (const [i, outcome] of outcomes.entries()) {
      const { counts } = await executable.run({ shots, seed: 9 + i }, never());
      expect(runOf(outcome).counts).toEqual(counts);
      expect(outcome.compilation).toEqual(report);
    }
    expect(begun).toEqual(tasks.map((_, i) => i));
    expect(Math.min(...startedAt)).toBeGreaterThanOrEqual(givenAt);
    expect(Math.max(...startedAt)).toBeLessThanOrEqual(answeredAt);
    await engine.close();
  });

  test('of sweeps among others is answered as each circuit alone is', async () => {
    const { pool } = await openPool(realThread);
    const stream = new RandomStream(12);
    const sweeps = [3, 5].map((n) => sweepOf(stream, randomShape(stream, n, 12), 20));
    const circuits = sweeps[0]!.flatMap((circuit, i) => [circuit, BELL, sweeps[1]![i]!]);
    const { tasks, begun } = listOf(circuits);
    const together = await endsOf(pool.run(tasks));
    expect(begun.toSorted((a, b) => a - b)).toEqual(tasks.map((_, i) => i));
    const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: MAX_QUBITS });
    for (const [i, circuit] of circuits.entries()) {
      const { program } = compile(circuit, engine.target, { keepState: false });
      await using executable = await engine.prepare.statevector(program);
      const { counts } = await executable.run({ shots: 7, seed: i }, never());
      expect(together[i]).toEqual([...counts.outcomes, ...counts.occurrences]);
    }
    await engine.close();
  });

  test('leaves the worker idle before its last answer is heard, and not before', async () => {
    const { pool } = await openPool(fakeThread);
    const { tasks } = listOf(['ECHO', 'ECHO', 'ECHO'].map((name) => instruction(name)));
    const idle: number[] = [];
    await Promise.all(pool.run(tasks).map((end) => end.then(() => idle.push(pool.numIdle))));
    expect(idle).toEqual([0, 0, 1]);
  });

  test('says when each begins: a long one at once, and what came before is answered', async () => {
    const { pool } = await openPool(fakeThread);
    const shared = sharedNumbers();
    const { tasks, begun } = listOf([
      instruction('ECHO'),
      instruction('WAIT', shared),
      instruction('ECHO'),
    ]);
    const ends = pool.run(tasks);
    expect(begun).toEqual([0]);
    await expect(ends[0]).resolves.toHaveProperty(
      'outputs.countsByRow.0.occurrences',
      Uint32Array.of(7),
    );
    await eventually(() => begun.length === 2);
    expect(shared[2]).toBe(0);
    shared[0] = 1;
    await Promise.all(ends);
    expect(begun).toEqual([0, 1, 2]);
  });

  test.each([
    ['threads', fakeThread],
    ['processes', fakeProcess],
  ])('goes on past circuits that fail, in %s', async (_, start) => {
    const { pool } = await openPool(start);
    const names = ['ECHO', 'CODED', 'BUG', 'EXHAUST_MEMORY'];
    const { tasks } = listOf([
      ...names.map((name) => instruction(name)),
      BRIEF_ECHO,
      fromBytes(instruction('ECHO')),
    ]);
    const failures = ['ENGINE_PROGRAM_TOO_WIDE', 'Error', 'FLEET_OUT_OF_MEMORY'];
    expect(await endsOf(pool.run(tasks))).toEqual([echo(0), ...failures, echo(4), echo(5)]);
    expect(pool.numIdle).toBe(1);
  });

  test('goes on without what cannot be sent', async () => {
    const { pool } = await openPool(fakeThread);
    const { tasks } = listOf(Array.from({ length: 4 }, () => instruction('ECHO')));
    const bad = { ...tasks[0]!, request: { shots: 1, seed: 1, onProgress: () => {} } };
    const ends = await endsOf(pool.run(tasks.with(0, bad).with(2, bad)));
    expect(ends).toEqual(['DataCloneError', echo(1), 'DataCloneError', echo(3)]);
    expect(pool.numIdle).toBe(1);
  });

  test.each([
    ['first', 0],
    ['middle', 2],
    ['last', 4],
  ])('goes on past its %s circuit when that is cancelled as it runs', async (_, place) => {
    const { pool } = await openPool(fakeThread);
    const shared = sharedNumbers();
    const circuits = Array.from({ length: 5 }, () => instruction('ECHO'));
    const { tasks, begun, cancels } = listOf(circuits.with(place, instruction('WAIT', shared)));
    const ends = pool.run(tasks);
    await eventually(() => begun.includes(place));
    cancels[place]?.abort();
    const expected: unknown[] = tasks.map((_, i) => echo(i));
    expect(await endsOf(ends)).toEqual(expected.with(place, 'AbortError'));
    expect(pool.numIdle).toBe(1);
  });

  test.each([
    ['first', 0],
    ['middle', 1],
    ['last', 3],
  ])('drops the %s of the waiting circuits when that is cancelled', async (_, place) => {
    const { pool } = await openPool(fakeThread);
    const shared = sharedNumbers();
    const waiting = Array.from({ length: 4 }, () => instruction('ECHO'));
    const { tasks, begun, cancels } = listOf([instruction('WAIT', shared), ...waiting]);
    const ends = pool.run(tasks);
    await eventually(() => shared[1] === 1);
    const reason = new Error('no longer wanted');
    cancels[place + 1]?.abort(reason);
    // Heard while the first runs still.
    await expect(ends[place + 1]).rejects.toBe(reason);
    expect(shared[2]).toBe(0);
    shared[0] = 1;
    const expected: unknown[] = [[0, 1], ...waiting.map((_, i) => echo(i + 1))];
    expect(await endsOf(ends)).toEqual(expected.with(place + 1, 'Error'));
    expect(begun).not.toContain(place + 1);
  });

  test('loses what has not been answered when a cancelled circuit has to be ended', async () => {
    const { pool } = await openPool(fakeThread, 30);
    const shared = sharedNumbers();
    const { tasks, begun, cancels } = listOf([
      instruction('ECHO'),
      instruction('SPIN', shared),
      instruction('ECHO'),
    ]);
    const ends = pool.run(tasks);
    await eventually(() => shared[1] === 1 && begun.length === 2);
    cancels[1]?.abort();
    expect(await endsOf(ends)).toEqual([echo(0), 'AbortError', LOST]);
    await eventually(() => pool.numIdle === 1);
    expect(await endsOf(pool.run(tasks.slice(0, 1)))).toEqual([echo(0)]);
  });

  test('keeps its worker when what is cancelled waits behind a circuit that does not yield', async () => {
    const { pool } = await openPool(fakeThread, 30);
    const shared = sharedNumbers();
    const { tasks, begun, cancels } = listOf([instruction('SPIN', shared), instruction('ECHO')]);
    const ends = pool.run(tasks);
    await eventually(() => shared[1] === 1);
    cancels[1]?.abort();
    await expect(ends[1]).rejects.toMatchObject({ name: 'AbortError' });
    expect(pool.numIdle).toBe(0);
    shared[0] = -1;
    expect(await endsOf(ends)).toEqual([[0, 1], 'AbortError']);
    // What the worker has to say of the dropped circuit is nothing to the next list.
    const next = listOf([instruction('ECHO'), instruction('ECHO')]);
    expect(await endsOf(pool.run(next.tasks))).toEqual([echo(0), echo(1)]);
    expect(begun).toEqual([0]);
    expect(pool.numIdle).toBe(1);
  });

  test.each([
    ['EXIT', fakeThread],
    ['EXIT', fakeProcess],
    ['LOSE_HELPER', fakeThread],
    ['GPU_FAULT', fakeProcess],
  ])('keeps its answers when the worker ends in its middle by %s', async (name, start) => {
    const { pool } = await openPool(start);
    const echoes = Array.from({ length: 300 }, () => BRIEF_ECHO);
    const { tasks } = listOf(echoes.with(200, instruction(name)));
    const ends = await endsOf(pool.run(tasks));
    expect(ends).toEqual(tasks.map((_, i) => (i < 200 ? echo(i) : LOST)));
    await eventually(() => pool.numIdle === 1);
  });

  test('that is cancelled as a whole settles as a whole, and its worker takes the next', async () => {
    const { pool } = await openPool(realThread);
    const { tasks, cancels } = listOf(Array.from({ length: 500 }, () => BELL));
    const ends = pool.run(tasks);
    for (const cancel of cancels) cancel.abort();
    expect(new Set(await endsOf(ends))).toEqual(new Set(['AbortError']));
    const { tasks: next } = listOf([BELL]);
    expect(await endsOf(pool.run(next))).toHaveLength(1);
    expect(pool.numIdle).toBe(1);
  });
});
