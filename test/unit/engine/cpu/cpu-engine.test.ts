/** Tests of the CPU engine beyond the conformance suite: threads, memory, cancelling. */
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Worker } from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import { type Circuit, withFinalMeasurement } from '../../../../src/circuit/circuit.ts';
import { compile } from '../../../../src/compiler/compile.ts';
import { NODE_HOST, openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import { CpuStates } from '../../../../src/engine/cpu/cpu-states.ts';
import { cpuTarget } from '../../../../src/engine/cpu/hosted-engine.ts';
import { lowerProgram } from '../../../../src/engine/cpu/lowered-program.ts';
import { placedBytes, placeProgram } from '../../../../src/engine/cpu/placed-program.ts';
import { PRECISIONS } from '../../../../src/engine/cpu/precision.ts';
import { ThreadPool } from '../../../../src/engine/cpu/thread-pool.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { openReferenceEngine } from '../../../../src/engine/reference/reference-engine.ts';
import { TimeSlicer } from '../../../../src/engine/time-slicer.ts';
import { NEVER, runCircuit, statevectorOf, worstAmplitude } from '../../../support/engine-runs.ts';
import { gate, randomGates } from '../../../support/random-circuits.ts';
import { randomSum, sharedFlips } from '../../../support/random-observables.ts';
import { RandomStream } from '../../../support/random-stream.ts';

function randomCircuit(numQubits: number, numGates: number): Circuit {
  const operations = randomGates(new RandomStream(11), numQubits, numGates, 2);
  return { numQubits, numBits: 0, operations };
}

/** Rotations that fill every sweep, so that it takes a while. */
function longCircuit(numQubits: number, numLayers: number): Circuit {
  const operations = Array.from({ length: numLayers * numQubits }, (_, i) =>
    i % 3 === 0
      ? gate('CX', [i % numQubits], [(i + 7) % numQubits])
      : gate('RY', [i % numQubits], [], [0.1 + i]),
  );
  return withFinalMeasurement({ numQubits, numBits: 0, operations });
}

describe('the CPU engine', () => {
  test.each(['f32', 'f64'] as const)(
    'gives the same counts, amplitudes and moments for one seed on 1, 2 and 5 threads (%s)',
    async (precision) => {
      const circuit = randomCircuit(17, 120);
      const random = new RandomStream(12);
      const observables = [sharedFlips(random, 17, 100), randomSum(random, 17, 20)];
      const results = [];
      for (const numThreads of [1, 2, 5]) {
        const engine = openCpuEngine({ precision, numThreads, maxQubits: 20, tileQubits: 10 });
        const amplitudes = await statevectorOf(engine, circuit);
        const request = { shots: 20_000, observables, variances: true };
        const measured = withFinalMeasurement(circuit);
        const { counts, expectations, variances } = await runCircuit(engine, measured, request);
        // Adding zero turns −0 into 0: which of the two a tile stores depends on those stored with it.
        const positive = amplitudes.map((part) => part + 0);
        results.push({ amplitudes: positive, counts, expectations, variances });
        await engine.close();
      }
      expect(results[1]).toEqual(results[0]);
      expect(results[2]).toEqual(results[0]);
    },
  );

  test('agrees between sizes of its tiles', async () => {
    const circuit = randomCircuit(15, 200);
    const states: Float64Array[] = [];
    for (const tileQubits of [8, 9, 11, 13]) {
      const engine = openCpuEngine({ precision: 'f64', numThreads: 2, maxQubits: 20, tileQubits });
      states.push(await statevectorOf(engine, circuit));
      await engine.close();
    }
    for (const state of states.slice(1))
      expect(worstAmplitude(state, states[0]!)).toBeLessThan(1e-12);
  });

  test.each(['f32', 'f64'] as const)(
    'keeps its range while controlled rotations pile up (%s)',
    async (precision) => {
      const engine = openCpuEngine({ precision, numThreads: 1, maxQubits: 20 });
      // All about one axis, so no phase stands between them and no scale is applied for another's sake.
      const operations = [
        ...[1, 2, 3, 4, 5].map((q) => gate('H', [q])),
        ...Array.from({ length: 3000 }, (_, i) => gate('RY', [0], [1 + (i % 5)], [2.9])),
      ];
      const circuit: Circuit = { numQubits: 6, numBits: 0, operations };
      const expected = await statevectorOf(openReferenceEngine({ maxQubits: 6 }), circuit);
      const found = await statevectorOf(engine, circuit);
      // 3,000 gates: rounding adds up.
      expect(worstAmplitude(found, expected)).toBeLessThan(precision === 'f32' ? 1e-3 : 1e-11);
      await engine.close();
    },
  );

  test.each([
    ['in many tiles', 2, longCircuit(21, 400)],
    ['in one tile', 1, longCircuit(12, 5_000)],
  ])(
    'stops a circuit %s at the turn in which it is cancelled, and runs the next program',
    async (_, numThreads, circuit) => {
      const engine = openCpuEngine({ precision: 'f64', numThreads, maxQubits: 22 });
      const { program } = compile(circuit, engine.target, { optimize: false });
      await using executable = await engine.prepare.statevector(program);
      const controller = new AbortController();
      // Progress is reported before each turn of the event loop, and the cancel comes in the first of them.
      const told: number[] = [];
      const onProgress = (fraction: number) => {
        if (told.push(fraction) === 1) setImmediate(() => controller.abort(new Error('enough')));
      };
      const run = executable.run({ shots: 1, seed: 1, onProgress }, controller.signal);
      await expect(run).rejects.toThrow('enough');
      expect(told).toHaveLength(1);
      expect(await countsOfBell(engine)).toBe(100);
      await engine.close();
    },
  );

  test('runs a program again when one of its threads ends under it', async () => {
    const helper = Promise.withResolvers<Worker>();
    process.once('worker', helper.resolve);
    const engine = openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: 22 });
    const circuit = longCircuit(18, 100);
    const expected = await runCircuit(
      openCpuEngine({ precision: 'f32', numThreads: 1, maxQubits: 22 }),
      circuit,
      { shots: 1000 },
    );
    const run = async (onProgress = () => {}) => {
      const { counts } = await runCircuit(engine, circuit, { shots: 1000, onProgress });
      expect(counts).toEqual(expected.counts);
    };
    const isOnline = helper.promise.then((worker) => once(worker, 'online'));
    await run();
    await isOnline;
    // The helper has its part in these by now. It ends in one of them: the event loop turns in no other place.
    const worker = await helper.promise;
    let hasEnded = false;
    worker.once('exit', () => {
      hasEnded = true;
    });
    while (!hasEnded) await run(() => void worker.terminate());
    await engine.close();
  });

  test('ends every run, whenever its threads are ended and whether it is cancelled or not', async () => {
    const stream = new RandomStream(29);
    const circuit = longCircuit(18, 12);
    const engine = openCpuEngine({ precision: 'f32', numThreads: 3, maxQubits: 22 });
    const helpers: Worker[] = [];
    const onWorker = (worker: Worker) => helpers.push(worker);
    process.on('worker', onWorker);
    const { program } = compile(circuit, engine.target, { optimize: false });
    await using executable = await engine.prepare.statevector(program);
    const expected = await executable.run({ shots: 100, seed: 1 }, NEVER);
    for (let i = 0; i < 12; i++) {
      const controller = new AbortController();
      const run = executable.run({ shots: 100, seed: 1 }, controller.signal);
      const outcome = run.then(
        ({ counts }) => expect(counts).toEqual(expected.counts),
        (error) =>
          expect(['cancelled', 'ENGINE_HELPER_LOST']).toContain(error.code ?? error.message),
      );
      await new Promise((resolve) => setTimeout(resolve, 30 * stream.uniform()));
      await helpers.at(-1 - stream.below(2))?.terminate();
      if (i % 3 === 0) controller.abort(new Error('cancelled'));
      await outcome;
    }
    process.off('worker', onWorker);
    await engine.close();
  });

  test('refuses at once what is cancelled while it waits, and what comes after it is closed', async () => {
    const engine = openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: 22 });
    const { program } = compile(longCircuit(20, 40), engine.target, { optimize: false });
    const executable = await engine.prepare.statevector(program);
    let isFirstDone = false;
    const first = executable.run({ shots: 1, seed: 1 }, NEVER).then(() => {
      isFirstDone = true;
    });
    const controller = new AbortController();
    const second = executable.run({ shots: 1, seed: 1 }, controller.signal);
    controller.abort(new Error('no longer'));
    await expect(second).rejects.toThrow('no longer');
    expect(isFirstDone).toBe(false);
    const third = executable.run({ shots: 1, seed: 1 }, NEVER);
    const closed = engine.close();
    await expect(third).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await Promise.all([first, closed]);
    await executable[Symbol.asyncDispose]();
    await executable[Symbol.asyncDispose]();
    await expect(executable.run({ shots: 1, seed: 1 }, NEVER)).rejects.toMatchObject({
      code: 'ENGINE_CLOSED',
    });
  });

  test('works beyond 2 GiB of its memory', async () => {
    const threadPool = new ThreadPool(
      { precision: 'f32', numThreads: 2, tileBytes: 2 ** 12 },
      NODE_HOST,
    );
    // Reserved and never touched, so it is not resident.
    const below = threadPool.allocate(2 ** 31);
    const slicer = new TimeSlicer(NEVER, () => {});
    const operations = Array.from({ length: 13 }, (_, q) => gate('X', [q]));
    const target = cpuTarget('f32', 20, 9);
    const { program } = compile({ numQubits: 13, numBits: 0, operations }, target, {
      optimize: false,
    });
    const lowered = lowerProgram(program, PRECISIONS.f32, 9);
    const at = threadPool.allocate(placedBytes(lowered));
    expect(at).toBeGreaterThanOrEqual(2 ** 31);
    const placed = placeProgram(lowered, threadPool.memory, at, threadPool.kernels);
    const stateBytes = 8 * 2 ** lowered.numQubits;
    const layout = program.finalLayout;
    const states = new CpuStates(
      { threadPool, lowered, placed, stateBytes, layout, spare: [] },
      slicer,
    );
    const state = states.create();
    for (const step of program.steps.keys()) await states.applySweep(state, step, () => {});
    const request = { shots: { count: 10 }, seed: 1, event: 0 };
    const { basisIndices } = await states.sample(state, request);
    expect([...basisIndices]).toEqual([8191]);
    threadPool.release(below);
    await threadPool.close();
  });

  test('has every program wait for its turn', async () => {
    const engine = openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: 20 });
    const circuit = longCircuit(16, 20);
    const runs = Array.from({ length: 4 }, () => runCircuit(engine, circuit, { shots: 100 }));
    const results = await Promise.all(runs);
    for (const { counts } of results) expect(counts).toEqual(results[0]!.counts);
    await engine.close();
  });

  test('holds no more memory after 1,000 programs than after 100', async () => {
    const engine = openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: 20 });
    const circuit = withFinalMeasurement(randomCircuit(13, 40));
    const { program } = compile(circuit, engine.target);
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow');
    const runMany = async (count: number) => {
      for (let i = 0; i < count; i++) {
        await using executable = await engine.prepare.statevector(program);
        await executable.run({ shots: 10, seed: i }, NEVER);
      }
      return { numGrowCalls: grow.mock.calls.length, heapMiB: heapMiB() };
    };
    const before = await runMany(100);
    const after = await runMany(900);
    grow.mockRestore();
    // States and programs lie in the engine's memory, which the first of them have made large enough.
    expect(before.numGrowCalls).toBeGreaterThan(0);
    expect(after.numGrowCalls).toBe(before.numGrowCalls);
    // A program's objects take some 30 KiB: 900 of them would be 26 MiB.
    expect(after.heapMiB - before.heapMiB).toBeLessThan(5);
    await engine.close();
  });

  test('holds a program of thousands of gates in some 32 MiB, and runs it right', async () => {
    const circuit = randomCircuit(12, 8000);
    const target = cpuTarget('f64', 12);
    const { program } = compile(circuit, target, { optimize: false });
    const lowered = lowerProgram(program, PRECISIONS.f64, target.tileQubits);
    expect(lowered.code.tableBytes).toBeGreaterThan(32 * 2 ** 20);
    expect(placedBytes(lowered)).toBeLessThan(40 * 2 ** 20);
    const engine = openCpuEngine({ precision: 'f64', numThreads: 2, maxQubits: 12 });
    const expected = await statevectorOf(openReferenceEngine({ maxQubits: 12 }), circuit);
    expect(worstAmplitude(await statevectorOf(engine, circuit), expected)).toBeLessThan(1e-11);
    await engine.close();
  });

  test.each([
    ['f32', 31, false],
    ['f64', 30, false],
    ['f64', 28, true],
  ] as const)(
    'in %s refuses %i qubits before it takes any memory (reproducible: %s)',
    (precision, maxQubits, isReproducible) => {
      expect(() => openCpuEngine({ precision, numThreads: 1, maxQubits, isReproducible })).toThrow(
        RangeError,
      );
    },
  );
});

async function countsOfBell(engine: Engine): Promise<number> {
  const operations = [gate('H', [0]), gate('CX', [1], [0])];
  const bell = withFinalMeasurement({ numQubits: 2, numBits: 0, operations });
  const { counts } = await runCircuit(engine, bell, { shots: 100 });
  return counts.occurrences.reduce((sum, count) => sum + count, 0);
}

/** Heap of this thread after garbage collection, MiB. */
function heapMiB(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}
