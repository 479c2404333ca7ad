/**
 * The CPU engine: evolution of the common circuits, compared with qsim if its executable is given
 * (QSIM_BASE; bench/peers/qsim.ts says how it is built), and the cost of memory, threads, small
 * circuits and sampling.
 *
 * Answers are verified before anything is timed: amplitudes against the reference engine, larger
 * circuits against qsim, and the norm of every state that is timed. Times of two engines are
 * interleaved, and compared by medians.
 */
import { existsSync, readFileSync } from 'node:fs';
import { type Circuit, withFinalMeasurement } from '../src/circuit/circuit.ts';
import { parseOpenQasm } from '../src/circuit/openqasm/parse-openqasm.ts';
import { type CompileOptions, compile } from '../src/compiler/compile.ts';
import { NODE_HOST, openCpuEngine } from '../src/engine/cpu/cpu-engine.ts';
import { copyState } from '../src/engine/cpu/cpu-states.ts';
import { lowerProgram } from '../src/engine/cpu/lowered-program.ts';
import { aimSweep, placedBytes, placeProgram } from '../src/engine/cpu/placed-program.ts';
import { PRECISIONS } from '../src/engine/cpu/precision.ts';
import { type CommandRunner, ThreadPool } from '../src/engine/cpu/thread-pool.ts';
import type { Engine } from '../src/engine/engine.ts';
import { openReferenceEngine } from '../src/engine/reference/reference-engine.ts';
import { TimeSlicer } from '../src/engine/time-slicer.ts';
import { adder, ghz, qaoa, qft, randomGates, rqc } from './circuits.ts';
import { type Measurement, measureMs, median, store } from './harness.ts';
import { phaseFreeError, type QsimPeer, qsimPeer, windowOfLargest } from './peers/qsim.ts';

const NEVER = new AbortController().signal;
const FAMILIES = { ghz, qft, rqc, qaoa, adder } as const;
type Family = keyof typeof FAMILIES;

/** Target speed-up over qsim at 24 and 26 qubits. */
const GOALS: Readonly<Record<Family, number>> = { qft: 6, qaoa: 2, ghz: 2, rqc: 1.5, adder: 1.2 };
const VERIFIED_QUBITS = 16;
const REPEATS = 5;
/** qsim's best setting for all of these circuits. */
const MAX_FUSED_QUBITS = 3;

interface Row {
  readonly circuit: string;
  readonly numQubits: number;
  readonly precision: 'f32' | 'f64';
  readonly threads: number;
  readonly evolutionMs: number;
  readonly spreadMs: readonly [number, number];
  readonly sweeps: number;
  /** Rate of state read and written once a sweep. */
  readonly gbPerSecond: number;
  readonly ofCopyRate: number;
  readonly qsimMs?: number;
  readonly timesFasterThanQsim?: number;
  readonly goal?: number;
}

/** Prints and stores the tables. */
export async function benchCpuEngine(): Promise<void> {
  const { QSIM_BASE, QCS_BENCH_QUBITS = '20,22,24,26' } = process.env;
  const qsim = QSIM_BASE === undefined ? undefined : qsimPeer({ executable: QSIM_BASE });
  if (qsim === undefined) process.stdout.write('qsim: QSIM_BASE names no executable; left out\n');
  const memory = [...(await memoryRates(1)), ...(await memoryRates(2))];
  for (const { name, value, unit } of memory) print(`  ${name}: ${value.toPrecision(4)} ${unit}`);
  const copyRate = (threads: number) =>
    memory.find(({ name }) => name === copyName(threads))?.value ?? Number.NaN;
  for (const family of families()) await verify(family, qsim);

  const rows: Row[] = [];
  for (const numQubits of QCS_BENCH_QUBITS.split(',').map(Number)) {
    for (const family of families()) {
      for (const threads of [2, 1]) {
        rows.push(await evolution(family, numQubits, 'f32', threads, copyRate(threads), qsim));
      }
      rows.push(await evolution(family, numQubits, 'f64', 2, copyRate(2), undefined));
      for (const row of rows.slice(-3)) print(lineOf(row));
    }
  }
  const small = await smallAndSampling();
  for (const { name, value, unit, goal } of small) {
    print(
      `  ${name}: ${value.toPrecision(4)} ${unit}${goal === undefined ? '' : ` (goal ${goal})`}`,
    );
  }
  store('cpu-engine', [...memory, ...rows, ...small]);
}

function families(): readonly Family[] {
  return ['ghz', 'qft', 'rqc', 'qaoa', 'adder'];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function lineOf(row: Row): string {
  const { circuit, numQubits, precision, threads, evolutionMs, sweeps, gbPerSecond } = row;
  const own = `${evolutionMs.toFixed(1).padStart(8)} ms  ${sweeps} sweeps  ${gbPerSecond.toFixed(1)} GB/s (${row.ofCopyRate.toFixed(2)} of copy)`;
  const peer =
    row.timesFasterThanQsim === undefined
      ? ''
      : `  qsim ${row.qsimMs?.toFixed(1)} ms: ${row.timesFasterThanQsim.toFixed(2)} times (goal ${row.goal ?? '–'})`;
  return `  ${circuit.padEnd(5)} ${numQubits} ${precision} ${threads} threads ${own}${peer}`;
}

function circuitOf(family: Family, numQubits: number): Circuit {
  const folder = process.env['QCS_BENCH_CIRCUITS'];
  const file = `${folder}/${family}_n${numQubits}.qasm`;
  if (folder === undefined || !existsSync(file)) return FAMILIES[family](numQubits);
  return parseOpenQasm(readFileSync(file, 'utf8'), { maxQubits: 40, maxGates: 1_000_000 });
}

/** Compares amplitudes with the reference engine's, compiled without passes, and with qsim's. */
async function verify(family: Family, qsim: QsimPeer | undefined): Promise<void> {
  const circuit = circuitOf(family, VERIFIED_QUBITS);
  const reference = openReferenceEngine({ maxQubits: VERIFIED_QUBITS });
  const expected = await amplitudesOf(reference, circuit, { optimize: false });
  for (const precision of ['f32', 'f64'] as const) {
    const engine = openCpuEngine({ precision, numThreads: 2, maxQubits: 26 });
    const found = await amplitudesOf(engine, circuit, {});
    const worst = expected.reduce((max, x, i) => Math.max(max, Math.abs(x - found[i]!)), 0);
    if (!(worst < (precision === 'f32' ? 1e-5 : 1e-12))) {
      throw new Error(`${family} in ${precision} is off by ${worst}`);
    }
    await engine.close();
  }
  if (qsim === undefined) return;
  const numQubits = 20;
  const wide = circuitOf(family, numQubits);
  const engine = openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: 26 });
  const own = await amplitudesOf(engine, wide, {});
  const windows = [0, 8, 2 ** numQubits - 8, windowOfLargest(own)];
  const settings = { threads: 2, maxFusedQubits: MAX_FUSED_QUBITS, flushToZero: true };
  const theirs: number[] = [];
  const ours: number[] = [];
  for (const first of windows) {
    theirs.push(...(await qsim.amplitudesFrom(wide, settings, first)));
    ours.push(...own.subarray(2 * first, 2 * (first + 8)));
  }
  const error = phaseFreeError(Float64Array.from(ours), Float64Array.from(theirs));
  if (!(error < 1e-4)) throw new Error(`${family}: qsim's amplitudes differ by ${error}`);
  await engine.close();
}

async function amplitudesOf(
  engine: Engine,
  circuit: Circuit,
  options: CompileOptions,
): Promise<Float64Array> {
  await using executable = await engine.prepare.statevector(
    compile(circuit, engine.target, options).program,
  );
  const { statevector } = await executable.run({ shots: 0, seed: 1, statevector: true }, NEVER);
  if (statevector === undefined) throw new Error('no state vector');
  return statevector;
}

/** Times the evolution alone, interleaved with qsim's if it is there. */
async function evolution(
  family: Family,
  numQubits: number,
  precision: 'f32' | 'f64',
  threads: number,
  copyGBs: number,
  qsim: QsimPeer | undefined,
): Promise<Row> {
  const circuit = circuitOf(family, numQubits);
  const engine = openCpuEngine({ precision, numThreads: threads, maxQubits: 27 });
  const { program } = compile(circuit, engine.target);
  await using executable = await engine.prepare.statevector(program);
  const norm = [{ coefficient: 1, factors: [] }];
  const first = await executable.run({ shots: 0, seed: 1, observables: [norm] }, NEVER);
  const [found = Number.NaN] = first.expectations ?? [];
  if (!(Math.abs(found - 1) < 1e-4)) throw new Error(`${family} ${numQubits}: norm ${found}`);
  const own: number[] = [];
  const theirs: number[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const { timing } = await executable.run({ shots: 1, seed: i }, NEVER);
    own.push(timing.evolutionMs);
    if (qsim === undefined) continue;
    const settings = { threads, maxFusedQubits: MAX_FUSED_QUBITS, flushToZero: true };
    theirs.push(1000 * (await qsim.run(circuit, settings)).seconds);
  }
  await engine.close();
  const evolutionMs = median(own);
  const bytes = 2 * first.statePasses * 2 * PRECISIONS[precision].realBytes * 2 ** numQubits;
  const gbPerSecond = bytes / evolutionMs / 1e6;
  return {
    circuit: family,
    numQubits,
    precision,
    threads,
    evolutionMs,
    spreadMs: [Math.min(...own), Math.max(...own)],
    sweeps: first.statePasses,
    gbPerSecond,
    ofCopyRate: gbPerSecond / copyGBs,
    ...(qsim !== undefined && {
      qsimMs: median(theirs),
      timesFasterThanQsim: median(theirs) / evolutionMs,
      goal: numQubits >= 24 ? GOALS[family] : 1,
    }),
  };
}

function copyName(threads: number): string {
  return `copy rate, ${threads} threads`;
}

/**
 * Rates of copying half of a large memory to the other half, and of a sweep that changes nothing.
 */
async function memoryRates(threads: number): Promise<readonly Measurement[]> {
  const numQubits = 25;
  const precision = PRECISIONS.f32;
  const bytes = 8 * 2 ** numQubits;
  const threadPool = new ThreadPool(
    { precision: 'f32', numThreads: threads, tileBytes: 2 ** 17 },
    NODE_HOST,
  );
  const slicer = new TimeSlicer(NEVER, () => {});
  const runner: CommandRunner = {
    get memory() {
      return threadPool.memory;
    },
    get kernels() {
      return threadPool.kernels;
    },
    withScratch: (size, use) => use(threadPool.allocate(size)),
    runCommand: (command, numItems) => threadPool.runCommand(command, numItems, slicer),
  };
  const state = threadPool.allocate(bytes);
  new Uint8Array(threadPool.memory, state, bytes).fill(0);
  const half = bytes / 2;
  const copies = await durations(async () => {
    await copyState(runner, state, state + half, half);
  });
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  const sweep = (resident: readonly number[]) =>
    ({ kind: 'sweep', resident, kernels: [] }) as const;
  const low = range(0, 14);
  const high = [...range(0, 6), ...range(numQubits - 8, numQubits)];
  const lowered = lowerProgram(
    {
      hash: 'no gates',
      numQubits,
      numBits: 0,
      // Without the reset, sweeps would skip untouched memory.
      steps: [sweep(low), sweep(high), { kind: 'reset', qubits: [0] }],
      matrices: new Float64Array(0),
      finalLayout: range(0, numQubits),
    },
    precision,
    14,
  );
  const at = threadPool.allocate(placedBytes(lowered));
  const placed = placeProgram(lowered, threadPool.memory, at, threadPool.kernels);
  const rates: Measurement[] = [
    { name: copyName(threads), value: (2 * half) / median(copies) / 1e6, unit: 'GB/s' },
  ];
  const copyRate = rates[0]!.value;
  for (const [i, kind] of ['neighbouring', 'far'].entries()) {
    const [placedSweep] = placed.sweeps[i] ?? [];
    if (placedSweep === undefined) throw new Error('no sweep');
    const times = await durations(async () => {
      aimSweep(threadPool.words, placedSweep, state, threads);
      await threadPool.runCommand(placedSweep.command, placedSweep.numTiles, slicer);
    });
    const value = (2 * bytes) / median(times) / 1e6;
    const name = `sweep without gates, ${kind} qubits, ${threads} threads`;
    rates.push({ name, value, unit: 'GB/s', goal: 0.8 * copyRate });
  }
  await threadPool.close();
  return rates;
}

async function durations(work: () => Promise<void>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < 9; i++) {
    const started = performance.now();
    await work();
    if (i > 1) times.push(performance.now() - started);
  }
  return times;
}

/** Small circuits, and a million shots from a wide one. */
async function smallAndSampling(): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = [];
  for (const precision of ['f32', 'f64'] as const) {
    const engine = openCpuEngine({ precision, numThreads: 2, maxQubits: 26 });
    const prepare = async (circuit: Circuit) =>
      engine.prepare.statevector(compile(withFinalMeasurement(circuit), engine.target).program);
    const bell = await prepare(ghz(2));
    const { counts } = await bell.run({ shots: 1000, seed: 1 }, NEVER);
    if (String(counts.outcomes) !== '0,3') throw new Error(`Bell: ${counts.outcomes}`);
    const inMicroseconds = async (name: string, goal: number, work: () => Promise<unknown>) => {
      const { value } = await measureMs(name, 2000, work);
      measurements.push({ name: `${name}, ${precision}`, value: 1000 * value, unit: 'µs', goal });
    };
    await inMicroseconds('Bell, 1,000 shots', 30, () => bell.run({ shots: 1000, seed: 1 }, NEVER));
    const ten = await prepare(randomGates(10, 200));
    await inMicroseconds('10 qubits, 200 gates, 1,000 shots', 500, () =>
      ten.run({ shots: 1000, seed: 1 }, NEVER),
    );
    const wide = await prepare(circuitOf('rqc', 24));
    const times: number[] = [];
    for (let i = 0; i < REPEATS; i++) {
      const run = await wide.run({ shots: 1_000_000, seed: i }, NEVER);
      const total = run.counts.occurrences.reduce((sum, count) => sum + count, 0);
      if (total !== 1_000_000) throw new Error(`${total} shots`);
      times.push(run.timing.samplingMs);
    }
    const name = `1,000,000 shots from rqc 24, ${precision}`;
    measurements.push({ name, value: median(times), unit: 'ms', goal: 150 });
    await engine.close();
  }
  return measurements;
}
