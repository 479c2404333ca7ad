/** A worker's side of its messages, without a worker: what is heard when, and what is said. */

import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Circuit } from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import { compileGradient } from '../../../src/compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../../src/compiler/shape.ts';
import type { BatchRequest, BatchResult } from '../../../src/engine/batch-request.ts';
import { openCpuEngine } from '../../../src/engine/cpu/cpu-engine.ts';
import type { CpuEngine } from '../../../src/engine/cpu/hosted-engine.ts';
import type { Engine, RunRequest } from '../../../src/engine/engine.ts';
import { HelperLostError, StateMemoryError } from '../../../src/engine/errors.ts';
import { KEPT_ON_CPU } from '../../../src/fleet/workers/prepared-circuits.ts';
import { factsOfShape } from '../../../src/fleet/workers/sent-batch.ts';
import { OutcomeUnpacker } from '../../../src/fleet/workers/sent-run.ts';
import { serveEngine } from '../../../src/fleet/workers/serve-engine.ts';
import type {
  FromWorker,
  PostedRun,
  ToWorker,
} from '../../../src/fleet/workers/worker-messages.ts';
import { eventually } from '../../support/eventually.ts';
import { gate } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { sweepOf, tasksOf } from '../../support/sweeps.ts';

const ROTATED = {
  numQubits: 1,
  numBits: 1,
  operations: [gate('RY', [0], [], [0.5]), { kind: 'measure', qubits: [0], bits: [0] }],
} as const;

/** Too long for anybody to wait for. */
const LONG: Circuit = {
  ...ROTATED,
  numQubits: 10,
  operations: Array.from({ length: 100 }, (_, i) => gate('RY', [i % 10], [], [0.5])),
};

function batchTask(id: number, shape: Circuit, request: Omit<BatchRequest, 'angles'>): PostedRun {
  const { numAngles, sent } = factsOfShape(shape);
  const angles = new Float64Array(request.numCircuits * numAngles);
  return { id, precision: 'f64', circuit: sent, request: { ...request, angles } };
}

interface Serving {
  /** Id and code of what failed. */
  readonly failures: (readonly [number, string])[];
  tell(message: ToWorker): void;
  /** In the order in which they came; `dropped` are those that were aborted, `begun` what was told so. */
  readonly news: {
    readonly answered: number[];
    readonly dropped: number[];
    readonly begun: number[];
  };
  /** Of all messages that came. */
  readonly kinds: FromWorker['kind'][];
  close(): Promise<void>;
}

/** Serves an engine that is changed as told. */
function serve(
  change: (engine: CpuEngine) => Partial<Engine['prepare']>,
  warmUp?: Parameters<typeof serveEngine>[1]['warmUp'],
): Serving {
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 17 });
  const unpacker = new OutcomeUnpacker();
  const news: Serving['news'] = { answered: [], dropped: [], begun: [] };
  let tell = (_: ToWorker) => {};
  const kinds: FromWorker['kind'][] = [];
  const failures: (readonly [number, string])[] = [];
  const hear = (message: FromWorker) => {
    kinds.push(message.kind);
    if (message.kind !== 'news') return;
    if (message.begun !== undefined) news.begun.push(message.begun.id);
    for (const { id } of message.packed ? unpacker.unpack(message.packed) : []) {
      news.answered.push(id);
    }
    for (const ended of message.ended) {
      const { id, kind } = ended;
      (kind === 'aborted' ? news.dropped : news.answered).push(id);
      if (kind !== 'failed') continue;
      failures.push([id, ended.failure.kind === 'coded' ? ended.failure.code : 'no code']);
    }
  };
  serveEngine(
    {
      post: hear,
      onMessage: (listener) => {
        tell = listener;
      },
    },
    {
      open: () => ({ ...engine, prepare: { ...engine.prepare, ...change(engine) } }),
      compiler: { compile, compileGradient, compileShape },
      kept: KEPT_ON_CPU,
      ...(warmUp && { warmUp }),
    },
  );
  return { tell: (message) => tell(message), news, kinds, failures, close: () => engine.close() };
}

/** An engine whose batches do something before they run. */
function withBatches(before: (request: BatchRequest) => Promise<void>) {
  return (engine: CpuEngine): Partial<Engine['prepare']> => ({
    batch: async (shape) => {
      const batch = await engine.prepare.batch(shape);
      const run = async (request: BatchRequest, signal: AbortSignal): Promise<BatchResult> => {
        await before(request);
        return await batch.run(request, signal);
      };
      return { ...batch, run };
    },
  });
}

const SWEEP = tasksOf(sweepOf(new RandomStream(4), ROTATED, 6));
const [FIRST, ...OTHERS] = SWEEP;

describe('a worker', () => {
  test('runs a sweep in its list together, once its engine is open', async () => {
    const sizes: number[] = [];
    const worker = serve(withBatches(async ({ numCircuits }) => void sizes.push(numCircuits)));
    worker.tell({ kind: 'run', runs: SWEEP });
    await eventually(() => worker.news.answered.length === 6);
    expect(sizes).toEqual([5]);
    expect(worker.news.answered).toEqual([0, 1, 2, 3, 4, 5]);
    await worker.close();
  });

  test('answers a thousand circuits that take no time in few messages', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    try {
      const worker = serve(() => ({}));
      const runs = Array.from({ length: 1000 }, (_, id) => ({ ...FIRST!, id }));
      worker.tell({ kind: 'run', runs });
      await eventually(() => worker.news.answered.length === 1000);
      expect(worker.kinds).toEqual(['ready', 'news']);
      await worker.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('answers what is cancelled within a batch as cancelled, and the rest of it', async () => {
    const go = Promise.withResolvers<void>();
    let hasBegun = false;
    const worker = serve(
      withBatches(async () => {
        hasBegun = true;
        await go.promise;
      }),
    );
    worker.tell({ kind: 'run', runs: SWEEP });
    await eventually(() => hasBegun);
    worker.tell({ kind: 'cancel', id: 3 });
    go.resolve();
    await eventually(() => worker.news.answered.length === 5);
    expect(worker.news).toMatchObject({ answered: [0, 1, 2, 4, 5], dropped: [3] });
    await worker.close();
  });

  test('goes on one by one where a batch fails, but for what was cancelled meanwhile', async () => {
    const fail = Promise.withResolvers<void>();
    let hasBegun = false;
    const worker = serve(
      withBatches(async () => {
        hasBegun = true;
        await fail.promise;
      }),
    );
    const [other] = tasksOf([ROTATED], 50);
    worker.tell({ kind: 'run', runs: [...SWEEP, { ...other!, id: 6 }] });
    await eventually(() => hasBegun);
    worker.tell({ kind: 'cancel', id: 1 });
    worker.tell({ kind: 'cancel', id: 5 });
    fail.reject(new RangeError('Array buffer allocation failed'));
    await eventually(() => worker.news.answered.length === 5);
    expect(worker.news).toMatchObject({ answered: [0, 2, 3, 4, 6], dropped: [1, 5] });
    await worker.close();
  });

  test('hears a cancel between circuits of which none yields', async () => {
    let numRun = 0;
    const busy = (engine: CpuEngine): Partial<Engine['prepare']> => ({
      statevector: async (program) => {
        const executable = await engine.prepare.statevector(program);
        const run = async (request: RunRequest, signal: AbortSignal) => {
          numRun++;
          const until = performance.now() + 1;
          while (performance.now() < until);
          return await executable.run(request, signal);
        };
        return { run, [Symbol.asyncDispose]: async () => executable[Symbol.asyncDispose]() };
      },
    });
    const worker = serve(busy);
    const runs = Array.from({ length: 100 }, (_, id) => ({ ...FIRST!, id }));
    worker.tell({ kind: 'run', runs });
    await setTimeout(0);
    for (const { id } of runs) worker.tell({ kind: 'cancel', id });
    await eventually(() => worker.news.answered.length + worker.news.dropped.length === 100);
    expect(numRun).toBeLessThan(100);
    expect(worker.news.answered.length).toBeLessThanOrEqual(numRun);
    await worker.close();
  });

  test('gives its answers before it says that its engine is lost, and runs nothing more', async () => {
    let numPrepared = 0;
    const worker = serve((engine) => ({
      statevector: async (program) => {
        if (numPrepared++ === 2) throw new HelperLostError();
        return await engine.prepare.statevector(program);
      },
    }));
    const turned = [1, 2, 3, 4].map((q) => ({ ...ROTATED, numQubits: q }));
    worker.tell({ kind: 'run', runs: tasksOf(turned) });
    await eventually(() => worker.kinds.includes('lost'));
    await setImmediate();
    expect(worker.kinds.at(-1)).toBe('lost');
    expect(worker.news).toMatchObject({ answered: [0, 1], dropped: [] });
    expect(numPrepared).toBe(3);
    await worker.close();
  });

  test('runs a batch run of a list in its place, and answers it with the others', async () => {
    const worker = serve(() => ({}));
    const brief = batchTask(1, ROTATED, { numCircuits: 2, shots: 10 });
    worker.tell({ kind: 'run', runs: [FIRST!, brief, { ...FIRST!, id: 2 }] });
    await eventually(() => worker.news.answered.length === 3);
    // What is packed is reported before the rest of the same news.
    expect(worker.news.answered.toSorted()).toEqual([0, 1, 2]);
    expect(worker.news).toMatchObject({ dropped: [], begun: [] });
    await worker.close();
  });

  test('gives its answers before a long batch run, says that it runs, and stops it when told', async () => {
    let newsAtBegin: unknown;
    const worker = serve(
      withBatches(async () => {
        newsAtBegin = structuredClone(worker.news);
      }),
    );
    const long = batchTask(1, LONG, { numCircuits: 2 ** 14, shots: 10_000 });
    worker.tell({ kind: 'run', runs: [FIRST!, long, { ...FIRST!, id: 2 }] });
    await eventually(() => newsAtBegin !== undefined);
    expect(newsAtBegin).toEqual({ answered: [0], dropped: [], begun: [1] });
    worker.tell({ kind: 'cancel', id: 1 });
    await eventually(() => worker.news.answered.length === 2);
    expect(worker.news).toEqual({ answered: [0, 2], dropped: [1], begun: [1] });
    await worker.close();
  });

  test('answers a batch run that its engine refuses with the engine’s code', async () => {
    const worker = serve(() => ({
      batch: async () => {
        throw new StateMemoryError(2 ** 30);
      },
    }));
    worker.tell({ kind: 'run', runs: [batchTask(1, ROTATED, { numCircuits: 1 }), FIRST!] });
    await eventually(() => worker.news.answered.length === 2);
    expect(worker.failures).toEqual([[1, 'ENGINE_STATE_MEMORY']]);
    await worker.close();
  });

  test('is lost with the engine of a batch run', async () => {
    const worker = serve(
      withBatches(async () => {
        throw new HelperLostError();
      }),
    );
    worker.tell({ kind: 'run', runs: [batchTask(1, ROTATED, { numCircuits: 1 }), FIRST!] });
    await eventually(() => worker.kinds.includes('lost'));
    expect(worker.news).toEqual({ answered: [], dropped: [], begun: [] });
    await worker.close();
  });

  test('takes what comes while it runs after what it has', async () => {
    const worker = serve(() => ({}));
    worker.tell({ kind: 'run', runs: [FIRST!] });
    worker.tell({ kind: 'run', runs: OTHERS });
    await setImmediate();
    await eventually(() => worker.news.answered.length === 6);
    expect(worker.news.answered).toEqual([0, 1, 2, 3, 4, 5]);
    await worker.close();
  });

  test('warms up while it has nothing to run, and answers what comes meanwhile after one step', async () => {
    const log: string[] = [];
    let endStep = () => {};
    const step = async () => {
      log.push('step begins');
      const { promise, resolve } = Promise.withResolvers<void>();
      endStep = resolve;
      await promise;
      log.push('step ends');
    };
    const worker = serve(
      (engine) => ({
        statevector: (program) => {
          log.push('circuit');
          return engine.prepare.statevector(program);
        },
      }),
      () => [step, step],
    );
    expect(worker.kinds).toEqual(['ready']);
    await eventually(() => log.length === 1);
    worker.tell({ kind: 'run', runs: [FIRST!] });
    await setImmediate();
    expect(log).toEqual(['step begins']);
    endStep();
    await eventually(() => worker.news.answered.length === 1);
    await eventually(() => log.length === 4);
    endStep();
    await eventually(() => log.length === 5);
    expect(log).toEqual(['step begins', 'step ends', 'circuit', 'step begins', 'step ends']);
    await worker.close();
  });

  test('answers circuits after a step of its warm-up has failed', async () => {
    let hasFailed = false;
    const step = async () => {
      hasFailed = true;
      throw new Error('no engine');
    };
    const worker = serve(
      () => ({}),
      () => [step],
    );
    await eventually(() => hasFailed);
    worker.tell({ kind: 'run', runs: [FIRST!] });
    await eventually(() => worker.news.answered.length === 1);
    await worker.close();
  });
});
