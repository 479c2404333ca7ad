/**
 * Noise on the GPU beside the CPU engine on all threads, both in single precision: trajectories, and density matrices.
 *
 * Circuits of `density.ts` have noise after every gate. Times are from the circuit to the result, compiling included. What
 * is timed is verified first: counts are those of the CPU engine for the same seed, but for draws within rounding of a
 * boundary, and distributions are the CPU engine's. That run of the CPU engine, its first one, is its time. Adapters that
 * are software run narrow circuits, whose times say nothing.
 */
import { availableParallelism } from 'node:os';
import type { DynamicCircuit } from '../src/circuit/circuit.ts';
import { compileDensity } from '../src/compiler/noise/compile-density.ts';
import { compileTrajectories } from '../src/compiler/noise/compile-trajectories.ts';
import { openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import { MAX_CPU_QUBITS } from '../src/engine/cpu/hosted-engine.ts';
import type { Engine } from '../src/engine/engine.ts';
import { countsByLabel } from '../test/support/engine-runs.ts';
import { noisyBrickwork } from './density.ts';
import { type Measurement, measureMs, report } from './harness.ts';
import { adapterFacts, openBenchDevice, openBenchEngine } from './webgpu-adapter.ts';

const REPEATS = 3;
const SHOTS = 50;
/** Part of the shots that rounding may send to another outcome. */
const MAX_APART = 0.05;
const TOLERANCE = 1e-5;
const NEVER = new AbortController().signal;

/** Widths on a GPU, and on an adapter that is software. */
const TRAJECTORY_QUBITS = { gpu: [22], software: [12] } as const;
const DENSITY_QUBITS = { gpu: [12, 14], software: [5, 6] } as const;

/** Two ways to one result. */
interface Comparison<R> {
  readonly name: string;
  /** Of the widest state that fits the engine's memory. */
  readonly maxQubits: number;
  readonly run: (engine: Engine) => Promise<R>;
  /** @throws {Error} if the results differ. */
  readonly verify: (own: R, other: R) => void;
}

/** Prints and stores milliseconds. */
export async function benchWebGpuNoise(): Promise<void> {
  const device = await openBenchDevice();
  const facts = adapterFacts(device);
  device.destroy();
  const kind = facts.isSoftware ? 'software' : 'gpu';
  const measurements: Measurement[] = [];
  for (const numQubits of TRAJECTORY_QUBITS[kind]) {
    const circuit = noisyBrickwork(numQubits);
    const comparison = {
      name: `trajectories of ${SHOTS} shots, ${numQubits} qubits`,
      // Room for the states that wait.
      maxQubits: numQubits + 4,
      run: (engine: Engine) => countsOf(engine, circuit),
      verify: expectCounts,
    };
    measurements.push(...(await compared(comparison)));
  }
  for (const numQubits of DENSITY_QUBITS[kind]) {
    const circuit = noisyBrickwork(numQubits);
    const comparison = {
      name: `density matrix, ${numQubits} qubits`,
      maxQubits: 2 * numQubits,
      run: (engine: Engine) => distributionOf(engine, circuit),
      verify: expectDistribution,
    };
    measurements.push(...(await compared(comparison)));
  }
  process.stdout.write(`${facts.name}${facts.isSoftware ? ' (no GPU)' : ''}, ${facts.driver}\n`);
  report('webgpu-noise', measurements);
}

async function compared<R>({
  name,
  maxQubits,
  run,
  verify,
}: Comparison<R>): Promise<readonly Measurement[]> {
  const numThreads = availableParallelism();
  const gpu = await openBenchEngine(maxQubits);
  const cpu = openCpuEngine({ precision: 'f32', numThreads, maxQubits: MAX_CPU_QUBITS.f32 });
  try {
    const started = performance.now();
    const other = await run(cpu);
    const cpuMs = performance.now() - started;
    verify(await run(gpu), other);
    return [
      await measureMs(name, REPEATS, () => run(gpu)),
      { name: `${name}, CPU engine, ${numThreads} threads`, value: cpuMs, unit: 'ms' },
    ];
  } finally {
    await gpu.close();
    await cpu.close();
  }
}

async function countsOf(
  engine: Engine,
  circuit: DynamicCircuit,
): Promise<ReadonlyMap<string, number>> {
  if (engine.prepare.trajectories === undefined) throw new Error('no trajectories');
  const { program } = compileTrajectories(circuit, engine.target);
  await using executable = await engine.prepare.trajectories(program);
  const { counts } = await executable.run({ shots: SHOTS, seed: 1 }, NEVER);
  return countsByLabel(counts);
}

function expectCounts(own: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): void {
  let numApart = 0;
  for (const [label, count] of own) numApart += Math.max(0, count - (other.get(label) ?? 0));
  if (numApart > MAX_APART * SHOTS) throw new Error(`${numApart} of ${SHOTS} shots differ`);
}

/** Probabilities by a density matrix. */
async function distributionOf(engine: Engine, circuit: DynamicCircuit): Promise<Float64Array> {
  if (engine.prepare.density_matrix === undefined) throw new Error('no density matrices');
  const { program } = compileDensity(circuit, engine.target, { keepState: false });
  await using executable = await engine.prepare.density_matrix(program);
  const request = { shots: 0, seed: 1, probabilities: true };
  const { probabilities = new Float64Array() } = await executable.run(request, NEVER);
  return probabilities;
}

function expectDistribution(own: Float64Array, other: Float64Array): void {
  const worst = own.reduce((most, p, x) => Math.max(most, Math.abs(p - other[x]!)), 0);
  if (!(worst < TOLERANCE)) throw new Error(`a probability is off by ${worst}`);
}
