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
  /** Bytes read plus written a second by plain copies. */
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

/**
 * Bytes read plus written a second when one buffer is copied to another; GB/s, the median.
 *
 * @param numQubits - The buffers are as large as a state of so many, and 1 GiB at most.
 */
export async function copyRate(numQubits: number): Promise<number> {
  const device = await openBenchDevice();
  const context = new GpuContext(device, () => '');
  const size = Math.min(8 * 2 ** numQubits, MAX_COPY_BYTES);
  const { COPY_SRC, COPY_DST } = GPUBufferUsage;
  try {
    const from = await context.allocate('copied from', size, COPY_SRC | COPY_DST);
    const to = await context.allocate('copied to', size, COPY_SRC | COPY_DST);
    await context.submit((encoder) => {
      encoder.clearBuffer(from);
      encoder.clearBuffer(to);
    });
    const times: number[] = [];
    for (let i = 0; i <= REPEATS; i++) {
      const started = performance.now();
      await context.submit((encoder) => {
        for (let k = 0; k < COPIES_PER_SUBMIT; k++) {
          encoder.copyBufferToBuffer(from, 0, to, 0, size);
        }
      });
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
  await using few = await engine.prepare(program(FEW_SWEEPS));
  await using many = await engine.prepare(program(numSweeps));
  const [short, long]: [number[], number[]] = [[], []];
  for (let i = 0; i < REPEATS; i++) {
    short.push((await few.run({ shots: 1, seed: 1 }, NEVER)).timing.evolutionMs);
    long.push((await many.run({ shots: 1, seed: 1 }, NEVER)).timing.evolutionMs);
  }
  return (median(long) - median(short)) / (numSweeps - FEW_SWEEPS);
}
