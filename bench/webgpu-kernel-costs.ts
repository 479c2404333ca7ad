/**
 * Measures the cost of the compiler's kernels inside a sweep on an adapter, and of the trip through
 * memory: the figures behind `costs` in src/engine/webgpu/gpu-target.ts.
 *
 * By itself: node bench/webgpu-kernel-costs.ts [qubits]
 */
import type { Kernel, Program } from '../src/compiler/program.ts';
import type { Executable } from '../src/engine/engine.ts';
import { median, store } from './harness.ts';
import { openBenchEngine } from './webgpu-adapter.ts';

const NEVER = new AbortController().signal;
const REPEATS = 9;
/** Kernels of one sweep: enough that the trip through memory is small beside them. */
const NUM_KERNELS = 32;
/** Qubits that are in registers together. */
const HELD = [6, 7, 8, 9] as const;
/** Qubits that are not in registers with those. */
const HELD_NEXT = [3, 4, 5, 6] as const;

/** A table of matrices, and the index at which each begins. */
function poolOf(matrices: readonly (readonly number[])[]) {
  let next = 0;
  const offsets = matrices.map((matrix) => {
    const offset = next;
    next += matrix.length / 2;
    return offset;
  });
  return { matrices: Float64Array.from(matrices.flat()), offsets };
}

/** A product of rotations about X, Y and Z on so many qubits: no entry is 0. */
function blockOf(numTargets: number): readonly number[] {
  const [c, s] = [Math.cos(0.4), Math.sin(0.4)];
  // e^{0.3i}·RY(0.8) with the phase on its second row.
  const single = [
    c,
    0,
    -s,
    0,
    s * Math.cos(0.3),
    s * Math.sin(0.3),
    c * Math.cos(0.3),
    c * Math.sin(0.3),
  ];
  const size = 2 ** numTargets;
  return Array.from({ length: size * size }, (_, at) => {
    let [re, im] = [1, 0];
    for (let bit = 0; bit < numTargets; bit++) {
      const row = (Math.floor(at / size) >> bit) & 1;
      const entry = 2 * (2 * row + (((at % size) >> bit) & 1));
      const [a, b] = [single[entry]!, single[entry + 1]!];
      [re, im] = [re * a - im * b, re * b + im * a];
    }
    return [re, im];
  }).flat();
}

const phases = (angles: readonly number[]) =>
  angles.flatMap((angle) => [Math.cos(angle), Math.sin(angle)]);
const { matrices, offsets } = poolOf([
  blockOf(1),
  blockOf(2),
  blockOf(3),
  blockOf(4),
  phases([0, 0.3, 0.5, 1.1]),
  phases([0, 0]),
]);

type Maker = (i: number) => readonly Kernel[];
const at = (i: number, held: readonly number[] = HELD) => held[i % held.length]!;
const dense = (numTargets: 1 | 2 | 3 | 4, i: number, held: readonly number[] = HELD): Kernel => ({
  kind: 'dense',
  targets: Array.from({ length: numTargets }, (_, k) => at(i + k, held)),
  controls: [],
  offset: offsets[numTargets - 1]!,
});
const flip = (i: number): Kernel => ({
  kind: 'permutation',
  targets: [at(i)],
  controls: [at(i + 1)],
  rows: [1, 0],
  offset: offsets[5]!,
});

/**
 * Kernels that fill a sweep. A flip follows each diagonal, because diagonals are deferred until an
 * item moves their qubits.
 */
const MAKERS: Readonly<Record<string, Maker>> = {
  none: () => [],
  'dense 1': (i) => [dense(1, i)],
  'dense 2': (i) => [dense(2, i)],
  'dense 3': (i) => [dense(3, i)],
  'dense 4': (i) => [dense(4, i)],
  'dense 4 in a stage of its own': (i) => [dense(4, i, i % 2 === 0 ? HELD : HELD_NEXT)],
  permutation: (i) => [flip(i)],
  'permutation and diagonal': (i) => [
    flip(i),
    { kind: 'diagonal', targets: [at(i), at(i + 1)], controls: [], offset: offsets[4]! },
  ],
};

function programOf(name: string, make: Maker, numQubits: number): Program {
  const kernels = Array.from({ length: NUM_KERNELS }, (_, i) => make(i)).flat();
  const resident = Array.from({ length: 10 }, (_, qubit) => qubit);
  const sweep = { kind: 'sweep' as const, resident, kernels };
  return {
    hash: `costs of ${name}`,
    numQubits,
    numBits: 0,
    // All of the state is read once a qubit was measured; the sweep is the second, so it is warm.
    steps: [{ kind: 'reset', qubits: [0] }, sweep, sweep],
    matrices,
    finalLayout: Array.from({ length: numQubits }, (_, qubit) => qubit),
  };
}

/** Measures all kernels, interleaved, and prints each relative to a dense block on one qubit. */
export async function benchKernelCosts(numQubits: number): Promise<void> {
  const engine = await openBenchEngine(numQubits);
  const programs: [string, Executable, number[]][] = [];
  for (const [name, make] of Object.entries(MAKERS)) {
    programs.push([name, await engine.prepare.statevector(programOf(name, make, numQubits)), []]);
  }
  for (let repeat = 0; repeat <= REPEATS; repeat++) {
    for (const [, executable, times] of programs) {
      const { timing } = await executable.run({ shots: 1, seed: 1 }, NEVER);
      // The first warms up.
      if (repeat > 0) times.push(timing.evolutionMs);
    }
  }
  const base = median(programs[0]![2]);
  const perKernel = programs.slice(1).map(([name, , times]) => {
    const value = (median(times) - base) / (2 * NUM_KERNELS);
    return { name, value, unit: 'ms a kernel', spread: [Math.min(...times), Math.max(...times)] };
  });
  const unit = perKernel[0]!.value;
  process.stdout.write(`both sweeps without kernels: ${base.toPrecision(3)} ms\n`);
  for (const { name, value } of perKernel) {
    process.stdout.write(
      `  ${name.padEnd(26)} ${value.toPrecision(3)} ms  ${(value / unit).toPrecision(3)} of dense 1\n`,
    );
  }
  store('webgpu-kernel-costs', [{ name: 'none', value: base, unit: 'ms' }, ...perKernel]);
  for (const [, executable] of programs) await executable[Symbol.asyncDispose]();
  await engine.close();
}

if (import.meta.main) await benchKernelCosts(Number(process.argv[2] ?? 18));
