/**
 * Batches on the GPU: circuits per second, angles and results included, compared with the same
 * circuits run one by one on the device and with the CPU engine's batches. Circuits whose counts single
 * precision leaves undecided run again on a thread of the CPU, within the time. Some circuits of each
 * batch are first run on the reference engine and must give the same results.
 */
import { availableParallelism } from 'node:os';
import { type Circuit, type Operation, withFinalMeasurement } from '../src/circuit/circuit.ts';
import type { PauliSum } from '../src/circuit/observable.ts';
import { compile } from '../src/compiler/compile.ts';
import type { BatchExecutable, BatchRequest, BatchResult } from '../src/engine/batch-request.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import type { Engine } from '../src/engine/engine.ts';
import { withExactCounts } from '../src/engine/exact-counts.ts';
import { Mutex } from '../src/engine/mutex.ts';
import { openReferenceEngine } from '../src/engine/reference/reference-engine.ts';
import { writeAngleWords } from '../src/engine/webgpu/batch/batch-words.ts';
import { prepareGpuBatch } from '../src/engine/webgpu/batch/gpu-batch.ts';
import { GpuContext } from '../src/engine/webgpu/gpu-context.ts';
import { shaderFile } from '../src/engine/webgpu/node-gpu.ts';
import { uniformDraw } from '../src/math/philox.ts';
import { type Measurement, measureMs, report } from './harness.ts';
import { adapterFacts, openBenchDevice, openBenchEngine } from './webgpu-adapter.ts';

const REPEATS = 5;
const NUM_VERIFIED = 5;
const NUM_ALONE = 20;
const SHOTS = 100;
const TOLERANCE = 1e-5;

const { signal } = new AbortController();

/** A shape and the number of its circuits. */
interface Workload {
  readonly name: string;
  readonly shape: Circuit;
  /** Number on a GPU, and on an adapter that is a CPU. */
  readonly numCircuits: number;
  readonly numCircuitsInSoftware: number;
  readonly goal: number;
  readonly shots: number;
}

const WORKLOADS: readonly Workload[] = [
  {
    name: '4 qubits, 2 layers, Z on each qubit',
    shape: variational(4, 2 * 11),
    numCircuits: 1_000_000,
    numCircuitsInSoftware: 200_000,
    goal: 1_000_000,
    shots: 0,
  },
  {
    name: `4 qubits, 2 layers, ${SHOTS} shots`,
    shape: variational(4, 2 * 11),
    numCircuits: 1_000_000,
    numCircuitsInSoftware: 50_000,
    goal: 1_000_000,
    shots: SHOTS,
  },
  {
    name: '10 qubits, 200 gates, Z on each qubit',
    shape: variational(10, 200),
    numCircuits: 100_000,
    numCircuitsInSoftware: 2_000,
    goal: 50_000,
    shots: 0,
  },
];

/** Layers with this many gates: RY and RZ on every qubit, then CX along the line. */
function variational(numQubits: number, numGates: number): Circuit {
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const rotate = (gate: string) =>
    qubits.map(
      (target): Operation => ({ kind: 'gate', gate, controls: [], targets: [target], angles: [0] }),
    );
  const flips = qubits.slice(1).map(
    (target): Operation => ({
      kind: 'gate',
      gate: 'CX',
      controls: [target - 1],
      targets: [target],
      angles: [],
    }),
  );
  const layer = [...rotate('RY'), ...rotate('RZ'), ...flips];
  const operations = Array.from({ length: numGates }, (_, i) => layer[i % layer.length]!);
  return withFinalMeasurement({ numQubits, numBits: 0, operations });
}

/** The shape with one circuit's angles. */
function circuitOf(shape: Circuit, angles: Float64Array): Circuit {
  let slot = 0;
  const operations = shape.operations.map((operation) =>
    operation.kind === 'gate'
      ? { ...operation, angles: operation.angles.map(() => angles[slot++] ?? 0) }
      : operation,
  );
  return { ...shape, operations };
}

/** Prints and stores circuits a second. */
export async function benchWebGpuBatches(): Promise<void> {
  const device = await openBenchDevice();
  const facts = adapterFacts(device);
  const context = new GpuContext(device, shaderFile);
  const mutex = new Mutex();
  const alone = await openBenchEngine(16);
  const numThreads = availableParallelism();
  const cpu = openCpuEngine({ precision: 'f32', numThreads, maxQubits: 12 });
  // As in the process of an adapter.
  const exact = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
  const measurements: Measurement[] = [];
  for (const workload of WORKLOADS) {
    const { shape } = workload;
    const startMs = performance.now();
    await using batch = withExactCounts(await prepareGpuBatch({ context, mutex }, shape), () =>
      exact.prepare.batch(shape),
    );
    const preparedMs = performance.now() - startMs;
    await using onCpu = await cpu.prepare.batch(shape);
    const request = requestOf(workload, batch.numAngles, facts.isSoftware);
    await verify(workload, request, await batch.run(request, signal));
    const rate = { workload, request };
    measurements.push(
      { name: `${workload.name}: prepared`, value: preparedMs, unit: 'ms' },
      { ...(await circuitsASecond('in a batch', rate, batch)), goal: workload.goal },
      await circuitsASecond(`CPU engine's batch, f32, ${numThreads} threads`, rate, onCpu),
      await oneByOne(rate, alone, batch.numAngles),
      hostShare(rate, batch.numAngles),
    );
  }
  process.stdout.write(`${facts.name}${facts.isSoftware ? ' (no GPU)' : ''}, ${facts.driver}\n`);
  report('webgpu-batches', measurements);
  await cpu.close();
  await exact.close();
  await alone.close();
  device.destroy();
}

interface Rated {
  readonly workload: Workload;
  readonly request: BatchRequest;
}

function requestOf(workload: Workload, numAngles: number, isSoftware: boolean): BatchRequest {
  const { shape, shots } = workload;
  const numCircuits = isSoftware ? workload.numCircuitsInSoftware : workload.numCircuits;
  const angles = Float64Array.from(
    { length: numCircuits * numAngles },
    (_, i) => 2 * Math.PI * uniformDraw(1, i, 0, 0),
  );
  if (shots > 0) return { numCircuits, angles, shots, seed: 1 };
  const observables = Array.from(
    { length: shape.numQubits },
    (_, qubit): PauliSum => [{ coefficient: 1, factors: [{ pauli: 'Z', qubit }] }],
  );
  return { numCircuits, angles, observables };
}

async function circuitsASecond(
  how: string,
  { workload, request }: Rated,
  batch: BatchExecutable,
): Promise<Measurement> {
  const name = `${workload.name}: ${how}`;
  const { value, spread } = await measureMs(name, REPEATS, () => batch.run(request, signal));
  return perSecond(name, request.numCircuits, value, spread);
}

/** Compiles, prepares and runs the first circuits one by one. */
async function oneByOne(
  { workload, request }: Rated,
  engine: Engine,
  numAngles: number,
): Promise<Measurement> {
  const name = `${workload.name}: one by one`;
  const { value, spread } = await measureMs(name, 3, async () => {
    for (let k = 0; k < NUM_ALONE; k++)
      await runAlone(engine, workload.shape, request, k, numAngles);
  });
  return perSecond(name, NUM_ALONE, value, spread);
}

/** Host's share of the time: writing the angles in the device's format. */
function hostShare({ workload, request }: Rated, numAngles: number): Measurement {
  const words = new Int32Array(request.angles.length + 64 * numAngles);
  const startMs = performance.now();
  for (let i = 0; i < REPEATS; i++) writeAngleWords(request.angles, numAngles, 64, words);
  const ns = (1e6 * (performance.now() - startMs)) / (REPEATS * request.numCircuits);
  return { name: `${workload.name}: angles of a circuit on the host`, value: ns, unit: 'ns' };
}

function perSecond(
  name: string,
  numCircuits: number,
  ms: number,
  spread: readonly [number, number] = [ms, ms],
): Measurement {
  const rate = (duration: number) => (1000 * numCircuits) / duration;
  return {
    name,
    value: rate(ms),
    unit: 'circuits/s',
    spread: [rate(spread[1]), rate(spread[0])],
  };
}

async function runAlone(
  engine: Engine,
  shape: Circuit,
  { angles, shots = 0, observables = [] }: BatchRequest,
  k: number,
  numAngles: number,
) {
  const own = angles.subarray(k * numAngles, (k + 1) * numAngles);
  const { program } = compile(circuitOf(shape, own), engine.target);
  await using executable = await engine.prepare.statevector(program);
  return await executable.run({ shots, seed: 1 + k, observables }, signal);
}

/** Runs some circuits of the batch on the reference engine. */
async function verify(
  { shape }: Workload,
  request: BatchRequest,
  { expectations, counts }: BatchResult,
): Promise<void> {
  const reference = openReferenceEngine({ maxQubits: 12 });
  const { numCircuits, observables = [], angles } = request;
  for (let i = 0; i < NUM_VERIFIED; i++) {
    const k = i < NUM_VERIFIED - 1 ? 97 * i : numCircuits - 1;
    const alone = await runAlone(reference, shape, request, k, angles.length / numCircuits);
    for (const [j, value] of (alone.expectations ?? []).entries()) {
      const found = expectations?.[k * observables.length + j] ?? Number.NaN;
      if (!(Math.abs(found - value) < TOLERANCE)) throw new Error(`circuit ${k}: ⟨Z${j}⟩ ${found}`);
    }
    for (const [j, outcome] of alone.counts.outcomes.entries()) {
      const found = counts?.[k * 2 ** shape.numBits + outcome] ?? Number.NaN;
      const isSame = found === alone.counts.occurrences[j];
      if (!isSame) throw new Error(`circuit ${k}: ${found} of outcome ${outcome}`);
    }
  }
  await reference.close();
}
