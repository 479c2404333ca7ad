/** Sweeps on a worker's engine: what is run in batches, and that nobody can tell by the counts. */

import { afterEach, describe, expect, test } from 'vitest';
import type { Circuit } from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import { compileGradient } from '../../../src/compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../../src/compiler/shape.ts';
import type { BatchRequest } from '../../../src/engine/batch-request.ts';
import { openCpuEngine } from '../../../src/engine/cpu/cpu-engine.ts';
import type { CpuEngine } from '../../../src/engine/cpu/hosted-engine.ts';
import type { Engine, RunRequest } from '../../../src/engine/engine.ts';
import { HelperLostError, StateMemoryError } from '../../../src/engine/errors.ts';
import type { Precision } from '../../../src/fleet/schedule/lane.ts';
import { type Compiler, KEPT_ON_CPU } from '../../../src/fleet/workers/prepared-circuits.ts';
import { factsOfShape } from '../../../src/fleet/workers/sent-batch.ts';
import { writeCircuit } from '../../../src/fleet/workers/sent-circuit.ts';
import { ServedEngine } from '../../../src/fleet/workers/served-engine.ts';
import { OwnTime } from '../../../src/fleet/workers/shape-batches.ts';
import type { SentRun } from '../../../src/fleet/workers/worker-messages.ts';
import { never } from '../../support/fleet-fixtures.ts';
import { gate } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { runOf } from '../../support/run-of.ts';
import { randomShape, sweepOf, tasksOf } from '../../support/sweeps.ts';

const open: CpuEngine[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((engine) => engine.close()));
});

interface Served {
  readonly served: ServedEngine;
  /** Circuits of each batch that was run, in order. */
  readonly batches: number[];
  /** Compilations, and shapes made ready and given up again. */
  readonly done: { compiled: number; prepared: number; disposed: number };
}

/** An engine that notes what it is asked for. */
function serve(precision: Precision, fault?: (request: BatchRequest) => void): Served {
  const engine = openCpuEngine({ precision, numThreads: 1, maxQubits: 17 });
  open.push(engine);
  const batches: number[] = [];
  const done = { compiled: 0, prepared: 0, disposed: 0 };
  const noted: Engine = {
    ...engine,
    prepare: {
      ...engine.prepare,
      batch: async (shape) => {
        done.prepared++;
        const batch = await engine.prepare.batch(shape);
        return {
          numAngles: batch.numAngles,
          run: async (request, signal) => {
            fault?.(request);
            batches.push(request.numCircuits);
            return await batch.run(request, signal);
          },
          [Symbol.asyncDispose]: async () => {
            done.disposed++;
            await batch[Symbol.asyncDispose]();
          },
        };
      },
    },
  };
  const compiler: Compiler = {
    compile: (...args) => {
      done.compiled++;
      return compile(...args);
    },
    compileGradient,
    compileShape: (...args) => {
      done.compiled++;
      return compileShape(...args);
    },
  };
  return { served: new ServedEngine(noted, compiler, KEPT_ON_CPU), batches, done };
}

const ignore = () => {};

/** Runs a list as a worker does: what belongs together first. */
async function runList({ served }: Served, tasks: readonly SentRun[]) {
  const waiting = [...tasks];
  const outcomes = new Map<number, Awaited<ReturnType<ServedEngine['run']>>>();
  for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
    const batch = served.gather(task, waiting);
    const together = batch && (await served.runTogether(batch, never()));
    if (batch === undefined) outcomes.set(task.id, await served.run(task, ignore, never()));
    else if (together === undefined) waiting.unshift(...batch);
    else for (const [i, { id }] of batch.entries()) outcomes.set(id, together[i]!);
  }
  return tasks.map(({ id }) => outcomes.get(id)!);
}

/** The counts of each circuit when it is compiled by itself. */
async function countsAlone(tasks: readonly SentRun[]) {
  const counts = [];
  for (const task of tasks) {
    // A shape that was not met is compiled.
    const { served } = serve(task.precision);
    counts.push(runOf(await served.run(task, ignore, never())).counts);
    await open.pop()?.close();
  }
  return counts;
}

const ROTATED: Circuit = {
  numQubits: 2,
  numBits: 2,
  operations: [
    gate('RY', [0], [], [0.5]),
    gate('RZ', [0], [], [0.7]),
    gate('CX', [1], [0]),
    { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
  ],
};

function sweep(shape: Circuit, length = 4): readonly Circuit[] {
  return sweepOf(new RandomStream(3), shape, length);
}

describe('circuits of one shape', () => {
  test('have in a batch the counts that each has when it is compiled alone', async () => {
    const stream = new RandomStream(7);
    const engine = serve('f64');
    for (let numQubits = 1; numQubits <= 10; numQubits++) {
      const shape = randomShape(stream, numQubits, 4 * numQubits);
      const tasks = tasksOf(sweepOf(stream, shape, 12));
      const found = await runList(engine, tasks);
      expect(found.map((outcome) => runOf(outcome).counts)).toEqual(await countsAlone(tasks));
    }
    expect(engine.batches).toEqual(Array(10).fill(12));
    expect(engine.done.compiled).toBe(0);
  });

  test('have the same counts one after the other, of which only the first is compiled', async () => {
    const stream = new RandomStream(8);
    const engine = serve('f64');
    for (let numQubits = 2; numQubits <= 8; numQubits += 3) {
      const tasks = tasksOf(sweepOf(stream, randomShape(stream, numQubits, 20), 6));
      const outcomes = [];
      for (const task of tasks) outcomes.push(await engine.served.run(task, ignore, never()));
      expect(outcomes.map((outcome) => runOf(outcome).counts)).toEqual(await countsAlone(tasks));
    }
    expect(engine.done).toMatchObject({ compiled: 3, prepared: 3 });
    expect(engine.batches).toEqual(Array(15).fill(1));
  });

  test('are told what was done with them: by the compiler for the first, nothing for others', async () => {
    const engine = serve('f64');
    const [first, second] = tasksOf(sweep(ROTATED, 2));
    const compiled = await engine.served.run(first!, ignore, never());
    const asWritten = await engine.served.run(second!, ignore, never());
    expect(compiled.compilation?.passes).not.toEqual([]);
    expect(compiled.compilation?.gatesAfter).toBeLessThan(3);
    expect(asWritten.compilation).toMatchObject({
      gatesBefore: 3,
      gatesAfter: 3,
      depthBefore: 4,
      depthAfter: 4,
      passes: [],
      kernels: 3,
      fusedBlocks: 0,
      sweeps: 1,
      bytesMoved: 2 * 4 * 16,
    });
    expect(runOf(asWritten).statePasses).toBe(1);
  });

  test('share the time of their batch', async () => {
    const tasks = tasksOf(sweep(ROTATED, 10));
    const engine = serve('f64');
    const started = performance.now();
    const outcomes = await runList(engine, tasks);
    const tookMs = performance.now() - started;
    const each = outcomes.map(({ compileMs, executionMs }) => compileMs + executionMs);
    expect(each.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(tookMs + 1e-6);
    expect(Math.min(...each)).toBeGreaterThan(0);
  });

  test('are found among others in a list, whatever their order', async () => {
    const engine = serve('f64');
    const other = { ...ROTATED, operations: ROTATED.operations.toSpliced(1, 1) };
    const [a, b] = [sweep(ROTATED, 5), sweep(other, 4)];
    const circuits = a.flatMap((circuit, i) => [circuit, ...b.slice(i, i + 1)]);
    const tasks = tasksOf(circuits);
    const found = await runList(engine, tasks);
    expect(engine.batches).toEqual([5, 4]);
    expect(found.map((outcome) => runOf(outcome).counts)).toEqual(await countsAlone(tasks));
  });

  test('are not run together when they draw different numbers of shots', async () => {
    const engine = serve('f64');
    const circuits = sweep(ROTATED, 2);
    const [few] = tasksOf(circuits, 10);
    const [, many] = tasksOf(circuits, 20);
    await runList(engine, [few!, many!]);
    expect(engine.batches).toEqual([1]);
  });

  test('make batches that are soon over, because nothing is heard while they run', async () => {
    const engine = serve('f64');
    await runList(engine, tasksOf(sweep(ROTATED, 5), 100_000));
    expect(engine.batches).toEqual([2, 2, 1]);
    const long = { ...ROTATED, numQubits: 10 };
    const all = Array.from({ length: 10 }, (_, qubit) => qubit);
    const operations = [...Array(400).fill(ROTATED.operations[0])];
    const read = { kind: 'measure', qubits: all, bits: all } as const;
    await runList(
      engine,
      tasksOf(sweep({ ...long, numBits: 10, operations: [...operations, read] }, 30)),
    );
    expect(Math.max(...engine.batches)).toBe(11);
  });
});

describe('no batch is made', () => {
  const all = Array.from({ length: 13 }, (_, qubit) => qubit);
  const read = (numQubits: number, numBits: number, operations = ROTATED.operations) => ({
    numQubits,
    numBits,
    operations: [
      ...operations.slice(0, 3),
      {
        kind: 'measure',
        qubits: all.slice(0, numQubits),
        bits: all.slice(0, numQubits).map((bit) => bit + numBits - numQubits),
      } as const,
    ],
  });
  const request: RunRequest = { shots: 100, seed: 1 };
  const [ry, , cx, measure] = ROTATED.operations;

  test.each<[string, readonly Circuit[], Partial<RunRequest>, Precision]>([
    ['in single precision, which rounds differently', sweep(ROTATED), {}, 'f32'],
    ['for state vectors', sweep(ROTATED), { statevector: true }, 'f64'],
    ['for exact distributions', sweep(ROTATED), { probabilities: true }, 'f64'],
    ['for expectation values', sweep(ROTATED), { observables: [[]] }, 'f64'],
    ['without shots', sweep(ROTATED), { shots: 0 }, 'f64'],
    [
      'of circuits without angles',
      Array(4).fill({ ...ROTATED, operations: [cx, measure] }),
      {},
      'f64',
    ],
    ['of circuits of which a qubit is not read', sweep({ ...ROTATED, numQubits: 3 }), {}, 'f64'],
    [
      'of circuits that are measured in their middle',
      sweep({ ...ROTATED, operations: [...ROTATED.operations, ry!, measure!] }),
      {},
      'f64',
    ],
    ['of more qubits than engines take', sweep(read(13, 13)), {}, 'f64'],
    ['of registers with many values', sweep(read(2, 13)), {}, 'f64'],
    ['of circuits that are all the same', Array(4).fill(ROTATED), {}, 'f64'],
  ])('%s', async (_, circuits, more, precision) => {
    const engine = serve(precision);
    const tasks = circuits.map((circuit, id) => {
      const written = writeCircuit(circuit);
      if (written === undefined) throw new Error('unreachable: it has no matrix');
      return { id, precision, circuit: written, request: { ...request, seed: id, ...more } };
    });
    const found = await runList(engine, tasks);
    expect(engine.batches).toEqual([]);
    expect(engine.done.prepared).toBe(0);
    expect(found.map((outcome) => runOf(outcome).counts)).toEqual(await countsAlone(tasks));
  });

  test('of a circuit that comes again as it was: it is compiled once', async () => {
    const engine = serve('f64');
    const tasks = tasksOf(Array<Circuit>(3).fill(ROTATED));
    for (const task of tasks) await engine.served.run(task, ignore, never());
    expect(engine.done).toMatchObject({ compiled: 1, prepared: 0 });
  });
});

describe('a batch that fails', () => {
  test('has its circuits compiled, and is not tried again', async () => {
    const engine = serve('f64', () => {
      throw new RangeError('Array buffer allocation failed');
    });
    const tasks = tasksOf(sweep(ROTATED));
    const found = await runList(engine, tasks);
    expect(found.map((outcome) => runOf(outcome).counts)).toEqual(await countsAlone(tasks));
    // The compiler's shape serves all four.
    expect(engine.done).toEqual({ compiled: 1, prepared: 1, disposed: 1 });
  });

  test('with its engine is not compiled on that engine', async () => {
    const engine = serve('f64', () => {
      throw new HelperLostError();
    });
    await expect(runList(engine, tasksOf(sweep(ROTATED)))).rejects.toMatchObject({
      code: new HelperLostError().code,
    });
    expect(engine.done.compiled).toBe(0);
  });
});

describe('a batch run', () => {
  function batchOf(shape: Circuit, more: Partial<BatchRequest> = {}): SentRun {
    const { numAngles } = factsOfShape(shape);
    const { numCircuits = 1 } = more;
    const angles = new Float64Array(numCircuits * numAngles);
    return {
      id: 0,
      precision: 'f64',
      circuit: factsOfShape(shape).sent,
      request: { numCircuits, angles, ...more },
    };
  }

  test('and circuits of its shape have one shape ready between them', async () => {
    const engine = serve('f64');
    await engine.served.run(batchOf(ROTATED, { numCircuits: 3, shots: 5 }), ignore, never());
    const tasks = tasksOf(sweep(ROTATED, 4));
    const outcomes = [];
    for (const task of tasks) outcomes.push(await engine.served.run(task, ignore, never()));
    await engine.served.run(batchOf(ROTATED), ignore, never());
    expect(engine.done).toEqual({ compiled: 0, prepared: 1, disposed: 0 });
    expect(engine.batches).toEqual([3, 1, 1, 1, 1, 1]);
    expect(outcomes.map((outcome) => runOf(outcome).counts)).toEqual(await countsAlone(tasks));
  });

  test('has no circuits run in batches that would have other counts', async () => {
    const engine = serve('f64');
    const unread = { ...ROTATED, numQubits: 3 };
    await engine.served.run(batchOf(unread, { shots: 5 }), ignore, never());
    const circuits = sweep(unread, 3);
    for (const [id, circuit] of circuits.entries()) {
      const task = { ...tasksOf(circuits)[0]!, id, circuit: writeCircuit(circuit)! };
      await engine.served.run(task, ignore, never());
    }
    await engine.served.run(batchOf(unread), ignore, never());
    expect(engine.done).toEqual({ compiled: 1, prepared: 1, disposed: 0 });
    expect(engine.batches).toEqual([1, 1]);
  });

  test('that fails has its shape made ready anew, and gets the reason', async () => {
    let numRuns = 0;
    const engine = serve('f64', () => {
      if (numRuns++ === 1) throw new StateMemoryError(2 ** 30);
    });
    await engine.served.run(batchOf(ROTATED), ignore, never());
    await expect(engine.served.run(batchOf(ROTATED), ignore, never())).rejects.toMatchObject({
      code: 'ENGINE_STATE_MEMORY',
    });
    await engine.served.run(batchOf(ROTATED), ignore, never());
    expect(engine.done).toMatchObject({ prepared: 2, disposed: 1 });
  });

  test('of a shape with a matrix keeps nothing', async () => {
    const engine = serve('f64');
    const matrix = Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0);
    const flip = { kind: 'unitary', controls: [], targets: [0], matrix } as const;
    const shape = { ...ROTATED, operations: [flip, ...ROTATED.operations] };
    for (let i = 0; i < 2; i++) {
      const { outputs: batch } = await engine.served.run(
        batchOf(shape, { shots: 5 }),
        ignore,
        never(),
      );
      expect(batch.counts).toEqual(Uint32Array.of(0, 0, 0, 5));
    }
    expect(engine.done).toMatchObject({ prepared: 2, disposed: 2 });
  });
});

test('sixteen shapes are kept ready, and the least recently used is given up', async () => {
  const engine = serve('f64');
  const shapes = Array.from({ length: 17 }, (_, i) => ({
    ...ROTATED,
    operations: [...Array(i).fill(ROTATED.operations[2]), ...ROTATED.operations],
  }));
  for (const shape of shapes.slice(0, 16)) await runList(engine, tasksOf(sweep(shape, 2)));
  expect(engine.done).toMatchObject({ prepared: 16, disposed: 0 });
  await runList(engine, tasksOf(sweep(shapes[0]!, 2)));
  await runList(engine, tasksOf(sweep(shapes[16]!, 2)));
  expect(engine.done).toMatchObject({ prepared: 17, disposed: 1 });
  await runList(engine, tasksOf(sweep(shapes[0]!, 2)));
  expect(engine.done.prepared).toBe(17);
  await runList(engine, tasksOf(sweep(shapes[1]!, 2)));
  expect(engine.done.prepared).toBe(18);
});

test('own time on the CPU stands still while the thread waits, and goes on for an adapter', () => {
  const times = [new OwnTime({ name: 'cpu' }), new OwnTime({ name: 'webgpu' })];
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  const [onCpu = 0, onAdapter = 0] = times.map(({ elapsedMs }) => elapsedMs);
  expect(onAdapter).toBeGreaterThan(190);
  expect(onCpu).toBeGreaterThanOrEqual(0);
  expect(onAdapter - onCpu).toBeGreaterThan(100);
});
