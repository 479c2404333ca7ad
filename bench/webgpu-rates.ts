/** Rates of an adapter's memory: plain copies, and sweeps of the engine with one gate. */
import type { Engine } from '../src/engine/engine.ts';
import { GpuContext } from '../src/engine/webgpu/gpu-context.ts';
import { type Measurement, median } from './harness.ts';
import { openBenchDevice } from './webgpu-adapter.ts';
import { runProgramOn } from './webgpu-facts.ts';
import { repeatedHadamards } from './webgpu-gate-by-gate.ts';

const REPEATS = 7;
const MAX_COPY_BYTES = 2 ** 30;
const COPIES_PER_SUBMIT = 8;
/** Even, so that the qubit is |0⟩ again. */
const FEW_SWEEPS = 2;
/** Enough sweeps that a run of a small state takes longer than its fixed costs. */
const manySweeps = (numQubits: number) => (numQubits <= 24 ? 34 : 12);
const NEVER = new AbortController().signal;

/** Rates at one width. */
export interface MemoryRates {
  /** Bytes read plus written a second by a kernel that only copies. */
  readonly copyGBs: number;
  /** Milliseconds of a sweep with one gate. */
  readonly sweepMs: number;
  /** The rates as they are printed and stored. */
  readonly measurements: readonly Measurement[];
}

/** Bytes that one trip of a state through memory moves: read and written. */
export function sweepBytes(numQubits: number): number {
  return 2 * 8 * 2 ** numQubits;
}

const COPY_GROUP = 256;
const COPY_ROW = 2 ** 10;
/** A kernel that copies 16 bytes a thread: drivers' own copies are slower on some cards. */
const COPY_KERNEL = `
@group(0) @binding(0) var<storage, read> source: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4<f32>>;
@compute @workgroup_size(${COPY_GROUP})
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let at = (group.x + group.y * ${COPY_ROW}u) * ${COPY_GROUP}u + thread;
  if (at < arrayLength(&source)) {
    copied[at] = source[at];
  }
}`;

/**
 * Bytes read plus written a second when a kernel copies one buffer to another; GB/s, the median.
 *
 * @param numQubits - The buffers are as large as a state of so many, and as a
 *   kernel binds, 1 GiB at most.
 */
export async function copyRate(numQubits: number): Promise<number> {
  const device = await openBenchDevice();
  const context = new GpuContext(device, () => COPY_KERNEL);
  const bindable = 2 ** Math.floor(Math.log2(device.limits.maxStorageBufferBindingSize));
  const size = Math.min(8 * 2 ** numQubits, MAX_COPY_BYTES, bindable);
  const { STORAGE, COPY_DST } = GPUBufferUsage;
  try {
    const from = await context.allocate('copied from', size, STORAGE | COPY_DST);
    const to = await context.allocate('copied to', size, STORAGE | COPY_DST);
    const pipeline = await context.pipeline('copy', {});
    const entries = [from, to].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    const numGroups = Math.ceil(size / 16 / COPY_GROUP);
    const row = Math.min(numGroups, COPY_ROW);
    const times: number[] = [];
    for (let i = 0; i <= REPEATS; i++) {
      const started = performance.now();
      for (let k = 0; k < COPIES_PER_SUBMIT; k++) {
        context.enqueueKernels((pass) => {
          pass.setPipeline(pipeline);
          pass.setBindGroup(0, group);
          pass.dispatchWorkgroups(row, Math.ceil(numGroups / row));
        });
      }
      await context.settle();
      // The first warms up.
      if (i > 0) times.push(performance.now() - started);
    }
    return (COPIES_PER_SUBMIT * 2 * size) / median(times) / 1e6;
  } finally {
    device.destroy();
  }
}

/**
 * Milliseconds of a sweep with one H: what further sweeps add to a run, so that neither clearing the
 * state nor the last wait counts.
 *
 * @param qubit - Of those inside one buffer.
 * @throws {Error} if the H's do not do what they are.
 */
export async function oneGateSweepMs(
  engine: Engine,
  numQubits: number,
  qubit: number,
): Promise<number> {
  const numSweeps = manySweeps(numQubits);
  const program = (count: number) => repeatedHadamards(engine.target, numQubits, qubit, count);
  const axis = (pauli: 'X' | 'Z') => [{ coefficient: 1, factors: [{ pauli, qubit }] }];
  for (const [count, pauli] of [
    [numSweeps, 'Z'],
    [FEW_SWEEPS + 1, 'X'],
  ] as const) {
    const { expectations } = await runProgramOn(engine, program(count), {
      observables: [axis(pauli)],
    });
    const found = expectations?.[0] ?? Number.NaN;
    if (!(Math.abs(found - 1) < 1e-4)) throw new Error(`${count} times H: ⟨${pauli}⟩ is ${found}`);
  }
  await using few = await engine.prepare.statevector(program(FEW_SWEEPS));
  await using many = await engine.prepare.statevector(program(numSweeps));
  const [short, long]: [number[], number[]] = [[], []];
  for (let i = 0; i < REPEATS; i++) {
    short.push((await few.run({ shots: 1, seed: 1 }, NEVER)).timing.evolutionMs);
    long.push((await many.run({ shots: 1, seed: 1 }, NEVER)).timing.evolutionMs);
  }
  return (median(long) - median(short)) / (numSweeps - FEW_SWEEPS);
}
