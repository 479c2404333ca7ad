/** Shared parts of the benchmarks: machine facts, medians, and the JSON files of results. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { Bench } from 'tinybench';

/** One measured figure. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Smallest and largest of the repeats. */
  readonly spread?: readonly [number, number];
  /** Target value in the same unit, if there is one. */
  readonly goal?: number;
}

/** Median; the mean of the two middle values for an even number. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Median milliseconds of some work, after one run that is not counted. */
export async function measureMs(
  name: string,
  repeats: number,
  work: () => Promise<unknown>,
): Promise<Measurement> {
  const bench = new Bench({ iterations: repeats, time: 0, warmupIterations: 1, warmupTime: 0 });
  bench.add(name, async () => {
    await work();
  });
  const [task] = await bench.run();
  const result = task?.result;
  if (result === undefined || !('latency' in result)) {
    throw new Error(`${name} could not be measured`, { cause: result });
  }
  const { p50, min, max } = result.latency;
  return { name, value: p50, unit: 'ms', spread: [min, max] };
}

/** Copies 256 MiB back and forth: the plain copy rate of one thread, read plus written. */
export function copyBandwidthGBs(): number {
  const words = (256 * 1024 * 1024) / 8;
  const from = new Float64Array(words).fill(1);
  const to = new Float64Array(words);
  to.set(from);
  const durations = Array.from({ length: 5 }, () => {
    const start = performance.now();
    to.set(from);
    return performance.now() - start;
  });
  return (2 * words * 8) / median(durations) / 1e6;
}

/** Prints the measurements as a table and writes them to `bench/results/NAME.json`. */
export function report(name: string, measurements: readonly Measurement[]): void {
  const width = Math.max(...measurements.map((m) => m.name.length));
  const lines = measurements.map((m) => {
    const spread = m.spread ? `  (${m.spread.map((v) => v.toPrecision(3)).join(' to ')})` : '';
    const goal = m.goal === undefined ? '' : `  goal ${m.goal} ${m.unit}`;
    return `  ${m.name.padEnd(width)}  ${m.value.toPrecision(4)} ${m.unit}${spread}${goal}`;
  });
  process.stdout.write(`${name}\n${lines.join('\n')}\n`);
  store(name, measurements);
}

/**
 * Writes results to `bench/results/NAME.json`, or into the folder that QCS_BENCH_RESULTS names,
 * with the machine and the date.
 *
 * @param facts - Facts beside those of the machine, such as its GPU.
 */
export function store(name: string, measurements: readonly object[], facts: object = {}): void {
  const folder = process.env['QCS_BENCH_RESULTS'] ?? 'bench/results';
  mkdirSync(folder, { recursive: true });
  const result = {
    bench: name,
    date: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model,
      cores: availableParallelism(),
      memory_gib: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
    ...facts,
    measurements,
  };
  writeFileSync(`${folder}/${name}.json`, `${JSON.stringify(result, null, 2)}\n`);
}
