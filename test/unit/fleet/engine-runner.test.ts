/** The main thread's side of a list, with a worker that says what the test has it say. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EngineRunner, type WorkerRun } from '../../../src/fleet/workers/engine-runner.ts';
import { OutcomePacker } from '../../../src/fleet/workers/sent-run.ts';
import type {
  FromWorker,
  RunOutcome,
  ToWorker,
} from '../../../src/fleet/workers/worker-messages.ts';
import type { ChildEnd, ChildHandleEvents } from '../../../src/processes/supervised-child.ts';
import { gate } from '../../support/random-circuits.ts';

const GRACE_MS = 100;
const SILENCE_LIMIT_MS = 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const OUTCOME: RunOutcome = {
  outputs: {
    countsByRow: [
      {
        numBits: 1,
        wordsPerOutcome: 1,
        outcomes: Uint32Array.of(1),
        occurrences: Uint32Array.of(9),
      },
    ],
    statePasses: [1],
  },
  executionMs: 3,
  samplingMs: 2,
  reused: 'nothing',
  compilation: {
    gatesBefore: 1,
    gatesAfter: 1,
    depthBefore: 1,
    depthAfter: 1,
    twoQubitGates: { before: 0, after: 0 },
    widerGates: { before: 0, after: 0 },
    passes: [],
    kernels: 1,
    fusedBlocks: 0,
    sweeps: 1,
    bytesMoved: 64,
  },
  compileMs: 3,
  ownMs: 4,
};

/** A runner whose worker is open, what it was told, and what it told its owner. */
function openRunner() {
  const told: ToWorker[] = [];
  const holds: boolean[] = [];
  const exits: ChildEnd[] = [];
  const seen = { numIdle: 0, numEnded: 0 };
  const worker: { events?: ChildHandleEvents<FromWorker> } = {};
  const runner = new EngineRunner(
    {
      cancelGraceMs: GRACE_MS,
      silenceLimitMs: SILENCE_LIMIT_MS,
      start: (events) => {
        worker.events = events;
        return {
          post: (message) => void told.push(message),
          setHolding: (isHolding) => void holds.push(isHolding),
          kill: () => {
            seen.numEnded++;
            events.onExit({ how: 'ended' });
          },
        };
      },
    },
    {
      onReady: () => void seen.numIdle++,
      onIdle: () => void seen.numIdle++,
      onOutcomes: () => {},
      onEnd: (end) => void exits.push(end),
    },
  );
  const say = (message: FromWorker) => worker.events?.onMessage(message);
  const packer = new OutcomePacker();
  const done = (...ids: readonly number[]) => {
    for (const id of ids) packer.add(id, OUTCOME, 0);
    say({ kind: 'news', packed: packer.take(0), ended: [] });
  };
  say({ kind: 'ready' });
  return { runner, told, holds, exits, seen, say, done };
}

/** Tasks, the place of each that was said to have begun, and what became of each. */
function listOf(length: number) {
  const begun: number[] = [];
  const ends: string[] = Array(length).fill('none');
  const cancels = Array.from({ length }, () => new AbortController());
  const tasks = cancels.map(
    ({ signal }, i): WorkerRun => ({
      computedIn: 'f64',
      circuit: { numQubits: 1, numBits: 0, operations: [gate('RX', [0], [], [i])] },
      request: { shots: 1, seed: i },
      onProgress: () => {},
      onStarted: () => void begun.push(i),
      signal,
    }),
  );
  const listen = (promises: ReturnType<EngineRunner['run']>) => {
    for (const [i, promise] of promises.entries()) {
      promise.then(
        () => {
          ends[i] = 'done';
        },
        (error) => {
          ends[i] = error.name;
        },
      );
    }
  };
  return { tasks, begun, ends, cancels, listen };
}

/** Promises have been heard of. */
const heard = () => vi.advanceTimersByTimeAsync(0);

describe('a runner', () => {
  test('is idle once the last of its list is answered, and holds the process until then', async () => {
    const { runner, holds, seen, done } = openRunner();
    const list = listOf(3);
    list.listen(runner.run(list.tasks));
    expect(() => runner.run(list.tasks)).toThrow('unreachable');
    done(0, 1);
    await heard();
    expect(list.ends).toEqual(['done', 'done', 'none']);
    expect([seen.numIdle, holds]).toEqual([1, [true]]);
    done(2);
    await heard();
    expect(list.ends[2]).toBe('done');
    expect([seen.numIdle, holds]).toEqual([2, [true, false]]);
  });

  test('sends a circuit that is several times in a list once', () => {
    const { runner, told } = openRunner();
    const { tasks } = listOf(2);
    const [a, b] = [tasks[0]!, tasks[1]!];
    runner.run([a, { ...a, circuit: structuredClone(a.circuit) }, b]);
    const [message] = told;
    const circuits =
      message?.kind === 'run' ? message.runs.map((sent) => 'circuit' in sent && sent.circuit) : [];
    expect(circuits[1]).toBe(circuits[0]);
    expect(circuits[2]).not.toBe(circuits[0]);
  });

  test('lets a cancelled circuit go that has not begun, and its answer be late', async () => {
    const { runner, seen, say, done } = openRunner();
    const list = listOf(2);
    list.listen(runner.run(list.tasks));
    list.cancels[1]?.abort();
    await vi.advanceTimersByTimeAsync(GRACE_MS);
    expect(list.ends).toEqual(['none', 'AbortError']);
    expect(seen).toEqual({ numIdle: 1, numEnded: 0 });
    done(0);
    say({ kind: 'news', ended: [{ kind: 'aborted', id: 1 }] });
    done(1);
    await heard();
    expect(list.ends).toEqual(['done', 'AbortError']);
    expect(list.begun).toEqual([0]);
    expect(seen).toEqual({ numIdle: 2, numEnded: 0 });
  });

  test('ends the worker of a cancelled circuit that has begun, and loses the rest', async () => {
    const { runner, told, seen, exits, say, done } = openRunner();
    const list = listOf(4);
    list.listen(runner.run(list.tasks));
    done(0);
    say({ kind: 'news', ended: [], begun: { id: 1, agoMs: 5 } });
    list.cancels[1]?.abort();
    expect(told.at(-1)).toEqual({ kind: 'cancel', id: 1 });
    list.cancels[3]?.abort();
    await vi.advanceTimersByTimeAsync(GRACE_MS);
    expect(list.ends).toEqual(['done', 'AbortError', 'WorkerLostError', 'AbortError']);
    expect(seen.numEnded).toBe(1);
    expect(exits).toMatchObject([{ wasIntended: true }]);
  });

  test('ends a worker that says nothing, counted from its last word', async () => {
    const { runner, seen, say } = openRunner();
    const list = listOf(2);
    list.listen(runner.run(list.tasks));
    for (const message of [
      { kind: 'progress', id: 0, fraction: 0.5 },
      { kind: 'news', ended: [], begun: { id: 1, agoMs: 5 } },
    ] as const) {
      await vi.advanceTimersByTimeAsync(SILENCE_LIMIT_MS - 1);
      say(message);
    }
    await vi.advanceTimersByTimeAsync(SILENCE_LIMIT_MS - 1);
    expect(seen.numEnded).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.numEnded).toBe(1);
    expect(list.ends).toEqual(['WorkerLostError', 'WorkerLostError']);
  });

  test('waits longer for a worker that may be compiling a long circuit', async () => {
    const { runner, seen } = openRunner();
    const { tasks, listen } = listOf(1);
    const operations = new Array(100_000).fill(gate('X', [0]));
    const long = tasks.map((task) => ({
      ...task,
      circuit: { numQubits: 1, numBits: 0, operations },
    }));
    listen(runner.run(long));
    await vi.advanceTimersByTimeAsync(SILENCE_LIMIT_MS + 24_999);
    expect(seen.numEnded).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.numEnded).toBe(1);
  });

  test('says when a circuit began by how long ago it was', async () => {
    const { runner, done, say } = openRunner();
    const { tasks, listen } = listOf(3);
    const startedAt: number[] = [];
    const noting = tasks.map((task) => ({
      ...task,
      onStarted: (at: number) => void startedAt.push(at),
    }));
    listen(runner.run(noting));
    await vi.advanceTimersByTimeAsync(50);
    say({ kind: 'news', ended: [], begun: { id: 1, agoMs: 20 } });
    // It is packed as begun at 0 and taken at 0.
    done(0, 1, 2);
    const [first, ...others] = startedAt;
    expect(others.map((at) => at - first!)).toEqual([30, 50]);
    await heard();
  });
});
