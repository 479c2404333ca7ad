/**
 * Times a worker's list of small circuits as a batch and one by one, interleaved, for a parameter
 * sweep and for one circuit with many seeds; shape-batches.ts is based on it. Also measures the
 * cost of a Bell circuit to the main thread and the worker by the length of its list.
 *
 * All counts are checked before the clock starts: the batch's are those of the compiled circuits.
 */
import { type Circuit, type Operation, withFinalMeasurement } from '../src/circuit/circuit.ts';
import { compile } from '../src/compiler/compile.ts';
import type { BatchExecutable } from '../src/engine/batch-request.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { CpuEngine } from '../src/engine/cpu/hosted-engine.ts';
import type { Executable } from '../src/engine/engine.ts';
import { EnginePool } from '../src/fleet/workers/engine-pool.ts';
import type { WorkerRun } from '../src/fleet/workers/engine-runner.ts';
import { uniformDraw } from '../src/math/philox.ts';
import { childThread } from '../src/processes/supervised-child.ts';
import { type Measurement, median, report } from './harness.ts';

const WIDTHS = [2, 4, 8, 12];
const LENGTHS = [1, 4, 16];
const BELL_LENGTHS = [1, 4, 16];
const NUM_LAYERS = 4;
const SHOTS = 1024;
const FEW_SHOTS = 100;
const REPEATS = 5;
/** Circuits of one repeat, so that short lists are timed as long as long ones. */
const PER_REPEAT = 16;
const NUM_BELLS = 3200;
const MAX_QUBITS = 17;

const { signal } = new AbortController();

/** Four layers: rotations of every qubit, RZ on all but one, CX along the line. */
function shapeOf(numQubits: number): Circuit {
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const gate = (name: string, target: number, controls: readonly number[] = []): Operation => ({
    kind: 'gate',
    gate: name,
    controls,
    targets: [target],
    angles: controls.length === 0 ? [0] : [],
  });
  const layer = [
    ...qubits.map((q) => gate('RY', q)),
    ...qubits.slice(1).map((q) => gate('RZ', q)),
    ...qubits.slice(1).map((q) => gate('CX', q, [q - 1])),
  ];
  const operations = Array.from({ length: NUM_LAYERS }, () => layer).flat();
  return withFinalMeasurement({ numQubits, numBits: 0, operations });
}

/** The shape with the angles of circuit `number`. */
function turned(shape: Circuit, number: number): Circuit {
  let slot = 0;
  const operations = shape.operations.map((operation) =>
    operation.kind === 'gate'
      ? {
          ...operation,
          angles: operation.angles.map(() => 2 * Math.PI * uniformDraw(1, number, slot++, 0)),
        }
      : operation,
  );
  return { ...shape, operations };
}

function anglesOf({ operations }: Circuit): readonly number[] {
  return operations.flatMap((operation) => (operation.kind === 'gate' ? operation.angles : []));
}

/** A variant of running a list; returns the engine's counts. */
type RunList = (circuits: readonly Circuit[], shots: number) => Promise<readonly Uint32Array[]>;

function inBatch(batch: BatchExecutable, numQubits: number): RunList {
  return async (circuits, shots) => {
    const { counts = new Uint32Array() } = await batch.run(
      {
        numCircuits: circuits.length,
        angles: Float64Array.from(circuits.flatMap(anglesOf)),
        seeds: circuits.map((_, i) => i),
        shots,
      },
      signal,
    );
    return circuits.map((_, i) => counts.subarray(i * 2 ** numQubits, (i + 1) * 2 ** numQubits));
  };
}

function compiled(engine: CpuEngine): RunList {
  return async (circuits, shots) => {
    const counts: Uint32Array[] = [];
    for (const [seed, circuit] of circuits.entries()) {
      const { program } = compile(circuit, engine.target, { keepState: false });
      await using executable = await engine.prepare.statevector(program);
      counts.push(await countsOf(executable, shots, seed, circuit.numQubits));
    }
    return counts;
  };
}

function kept(executable: Executable): RunList {
  return async (circuits, shots) => {
    const counts: Uint32Array[] = [];
    for (const [seed, { numQubits }] of circuits.entries()) {
      counts.push(await countsOf(executable, shots, seed, numQubits));
    }
    return counts;
  };
}

async function countsOf(executable: Executable, shots: number, seed: number, numQubits: number) {
  const { counts } = await executable.run({ shots, seed }, signal);
  const dense = new Uint32Array(2 ** numQubits);
  for (const [i, outcome] of counts.outcomes.entries()) dense[outcome] = counts.occurrences[i] ?? 0;
  return dense;
}

/** Prints and stores microseconds a circuit. */
export async function benchWorkerBatches(): Promise<void> {
  const measurements: Measurement[] = [];
  const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: MAX_QUBITS });
  for (const numQubits of WIDTHS) {
    const shape = shapeOf(numQubits);
    const circuits = Array.from({ length: PER_REPEAT }, (_, i) => turned(shape, i));
    const same = circuits.map(() => circuits[0] ?? shape);
    const { program } = compile(same[0] ?? shape, engine.target, { keepState: false });
    await using executable = await engine.prepare.statevector(program);
    await using batch = await engine.prepare.batch(shape);
    const batched = inBatch(batch, numQubits);
    const sweep = { name: 'sweep', circuits, alone: compiled(engine), howAlone: 'compiled' };
    const seeds = {
      name: 'one circuit',
      circuits: same,
      alone: kept(executable),
      howAlone: 'kept',
    };
    for (const { name, circuits: list, alone, howAlone } of [sweep, seeds]) {
      for (const shots of [FEW_SHOTS, SHOTS]) {
        await verify(list, shots, alone, batched);
        for (const length of LENGTHS) {
          const what = `${name}, ${numQubits} qubits, ${shots} shots, list of ${length}`;
          const [one, all] = await inTurns(list, shots, length, alone, batched);
          measurements.push({ ...one, name: `${what}: ${howAlone}` });
          measurements.push({ ...all, name: `${what}: batch` });
        }
      }
    }
  }
  await engine.close();
  measurements.push(...(await bellCosts()));
  report('worker-batches', measurements);
}

async function verify(
  circuits: readonly Circuit[],
  shots: number,
  a: RunList,
  b: RunList,
): Promise<void> {
  const [expected, found] = [await a(circuits, shots), await b(circuits, shots)];
  for (const [i, counts] of expected.entries()) {
    if (counts.join() !== found[i]?.join()) throw new Error(`circuit ${i} has other counts`);
  }
}

/** Microseconds per circuit of both variants, interleaved. */
async function inTurns(
  circuits: readonly Circuit[],
  shots: number,
  length: number,
  ...ways: readonly [RunList, RunList]
): Promise<readonly [Omit<Measurement, 'name'>, Omit<Measurement, 'name'>]> {
  const times: readonly [number[], number[]] = [[], []];
  for (let repeat = -1; repeat < REPEATS; repeat++) {
    for (const [i, way] of ways.entries()) {
      const start = performance.now();
      for (let at = 0; at < circuits.length; at += length) {
        await way(circuits.slice(at, at + length), shots);
      }
      const us = (1000 * (performance.now() - start)) / circuits.length;
      // The first is not counted.
      if (repeat >= 0) times[i]?.push(us);
    }
  }
  return [medianOf(times[0]), medianOf(times[1])];
}

function medianOf(times: readonly number[]): Omit<Measurement, 'name'> {
  return { value: median(times), unit: 'µs', spread: [Math.min(...times), Math.max(...times)] };
}

/** Cost of a Bell circuit to both threads. */
async function bellCosts(): Promise<readonly Measurement[]> {
  const isOpen = Promise.withResolvers<void>();
  const entry = new URL('../src/fleet/workers/engine-worker.ts', import.meta.url);
  const maxQubits = { f32: MAX_QUBITS, f64: MAX_QUBITS };
  const engine = { numThreads: 1, maxQubits, memoryBytes: 2 ** 24 };
  const pool = new EnginePool<WorkerRun>('small', {
    numWorkers: 1,
    start: childThread({ entry, setup: { engine }, heapLimitMb: 512 }),
  });
  pool.open({ onIdle: isOpen.resolve, onFault: isOpen.reject });
  await isOpen.promise;
  const costs = BELL_LENGTHS.map((length) => ({ length, main: [0], worker: [0] }));
  for (let repeat = -1; repeat < REPEATS; repeat++) {
    for (const { length, main, worker } of costs) {
      const cost = await bellCost(pool, length);
      // The first is not counted.
      if (repeat < 0) continue;
      main[repeat] = cost.main;
      worker[repeat] = cost.worker;
    }
  }
  await pool.close();
  return costs.flatMap(({ length, main, worker }) => [
    { name: `Bell, ${FEW_SHOTS} shots, list of ${length}: main thread`, ...medianOf(main) },
    { name: `Bell, ${FEW_SHOTS} shots, list of ${length}: worker`, ...medianOf(worker) },
  ]);
}

/** CPU microseconds a circuit. */
async function bellCost(pool: EnginePool<WorkerRun>, length: number) {
  const [mainBefore, allBefore] = [process.threadCpuUsage(), process.cpuUsage()];
  for (let at = 0; at < NUM_BELLS; at += length) {
    const outcomes = await Promise.all(pool.run(bells(at, length)));
    for (const { outputs } of outcomes) {
      const { outcomes: read, occurrences } = outputs.countsByRow![0]!;
      const numShots = occurrences.reduce((sum, times) => sum + times, 0);
      if (numShots !== FEW_SHOTS || read.some((value) => value !== 0 && value !== 3)) {
        throw new Error('a Bell circuit read what it must not');
      }
    }
  }
  const main = process.threadCpuUsage(mainBefore);
  const all = process.cpuUsage(allBefore);
  const mainUs = (main.user + main.system) / NUM_BELLS;
  return { main: mainUs, worker: (all.user + all.system) / NUM_BELLS - mainUs };
}

/** New circuit objects, as requests create them. */
function bells(firstSeed: number, length: number) {
  return Array.from({ length }, (_, i) => ({
    computedIn: 'f64' as const,
    circuit: {
      numQubits: 2,
      numBits: 2,
      operations: [
        { kind: 'gate', gate: 'H', controls: [], targets: [0], angles: [] },
        { kind: 'gate', gate: 'CX', controls: [0], targets: [1], angles: [] },
        { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
      ] satisfies Operation[],
    },
    request: { shots: FEW_SHOTS, seed: firstSeed + i },
    onProgress: () => {},
    signal: new AbortController().signal,
  }));
}
