/**
 * The WebGPU engine on whatever adapter there is: evolution of the common circuits, beside the same
 * kernels gate by gate and beside one plain kernel a gate; what memory, sampling and a cold start
 * cost; and widths that may not fit.
 *
 * Verified before anything is timed: small circuits against the reference engine, each timed circuit
 * by what is known of it (webgpu-facts.ts), by the engine's own kernels gate by gate, and, where the
 * CPU engine holds it, by that. Times of the rivals are taken in turns, and compared by medians.
 *
 * QCS_BENCH_QUBITS: widths, as in "22,24" (20,22). QCS_BENCH_REPEATS: runs of each (5).
 * QCS_BENCH_ADAPTER: part of the adapter's name. QCS_BENCH_CIRCUITS: a folder of FAMILY_nN.qasm.
 * QCS_BENCH_WIDE: widths to attempt and to say the outcome of, as in "33,34" (none).
 */
import type { Engine } from '../src/engine/engine.ts';
import { NoAdapterError } from '../src/engine/errors.ts';
import { findGpuCards } from '../src/fleet/adapters/adapter-discovery.ts';
import { type Measurement, store } from './harness.ts';
import {
  adapterFacts,
  benchTuning,
  cardFacts,
  openBenchDevice,
  openBenchEngine,
} from './webgpu-adapter.ts';
import { FAMILIES } from './webgpu-circuits.ts';
import { type EvolutionRow, measureFamily, samplingTime } from './webgpu-evolution.ts';
import { verifyAgainstReference } from './webgpu-facts.ts';
import { attemptWide, firstResults } from './webgpu-processes.ts';
import { copyRate, type MemoryRates, oneGateSweepMs, sweepBytes } from './webgpu-rates.ts';

interface Settings {
  readonly widths: readonly number[];
  readonly wide: readonly number[];
  readonly repeats: number;
}

function readSettings(): Settings {
  const { QCS_BENCH_QUBITS = '20,22', QCS_BENCH_REPEATS = '5', QCS_BENCH_WIDE = '' } = process.env;
  const numbers = (text: string) =>
    text
      .split(',')
      .filter((part) => part !== '')
      .map(Number);
  return {
    widths: numbers(QCS_BENCH_QUBITS),
    wide: numbers(QCS_BENCH_WIDE),
    repeats: Number(QCS_BENCH_REPEATS),
  };
}

/** Prints and stores the tables. */
export async function benchWebGpuEngine(): Promise<void> {
  const { widths, wide, repeats } = readSettings();
  const device = await openBenchDevice().catch((error: unknown) => {
    if (error instanceof NoAdapterError) return undefined;
    throw error;
  });
  if (device === undefined) {
    print('webgpu-engine: no adapter was found; left out');
    return;
  }
  const facts = adapterFacts(device);
  const adapter = { ...facts, ...cardFacts(facts, await findGpuCards()) };
  print(`${adapter.name}, ${adapter.driver}${adapter.isSoftware ? ', a software adapter' : ''}`);
  const tuning = await benchTuning(device);
  const { tileQubits, tilesPerGroup, dispatchQubits, numMeasured, numCandidates } = tuning;
  print(
    `  tuned to ${tilesPerGroup} × 2^${tileQubits} amplitudes a workgroup, 2^${dispatchQubits} a dispatch (${numMeasured} of ${numCandidates} sizes measured)`,
  );
  const engine = await openBenchEngine(Math.max(...widths));
  const measurements: object[] = [];
  // Stored at once: results are not lost when a later step fails or a time limit ends the process.
  const note = (found: readonly object[]) => {
    measurements.push(...found);
    store('webgpu-engine', measurements, { adapter, tuning });
  };
  try {
    const numVerified = await verifyAgainstReference(engine, Math.min(14, engine.target.maxQubits));
    print(`  ${numVerified} small circuits agree with the reference engine`);
    for (const numQubits of widths) {
      const rates = await memoryRates(engine, numQubits);
      note(rates.measurements);
      for (const rate of rates.measurements) print(measurementLine(rate));
      for (const family of FAMILIES) {
        const row = await measureFamily(engine, device, family, numQubits, rates, repeats);
        print(rowLine(row));
        note([row]);
      }
      const sampling = await samplingTime(engine, numQubits, repeats);
      print(measurementLine(sampling));
      note([sampling]);
    }
  } finally {
    await engine.close();
    device.destroy();
  }
  const first = await firstResults();
  for (const measurement of first) print(measurementLine(measurement));
  note(first);
  for (const numQubits of wide) {
    for await (const attempt of attemptWide(numQubits)) {
      print(`  ${attempt.circuit} ${numQubits}: ${attempt.outcome}`);
      note([attempt]);
    }
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function measurementLine({ name, value, unit, goal }: Measurement): string {
  const aim = goal === undefined ? '' : ` (goal ${goal})`;
  return `  ${name}: ${value.toPrecision(4)} ${unit}${aim}`;
}

function rowLine(row: EvolutionRow): string {
  const own = `${row.evolutionMs.toFixed(1).padStart(8)} ms  ${row.sweeps} sweeps, ${row.sweepTimes.toFixed(1)} sweep-times, ${row.gbPerSecond.toFixed(1)} GB/s (${row.ofCopyRate.toFixed(2)} of copy)`;
  const written = `as written ${row.asWrittenMs.toFixed(1)} ms in ${row.asWrittenSweeps}`;
  const slow = `gate by gate ${row.gateByGateMs.toFixed(1)} ms: ${row.timesFasterThanGateByGate.toFixed(1)} times (as written ${row.asWrittenTimesFaster.toFixed(1)})`;
  const plain =
    row.timesFasterThanPlain === undefined
      ? ''
      : `  plain kernels ${row.plainMs?.toFixed(1)} ms: ${row.timesFasterThanPlain.toFixed(1)} times`;
  return `  ${row.circuit.padEnd(5)} ${row.numQubits} ${own}  ${written}  ${slow}${plain}`;
}

async function memoryRates(engine: Engine, numQubits: number): Promise<MemoryRates> {
  const copyGBs = await copyRate(numQubits);
  const near = await oneGateSweepMs(engine, numQubits, 5);
  const farQubit = Math.min(numQubits, engine.target.chunkQubits) - 1;
  const far = await oneGateSweepMs(engine, numQubits, farQubit);
  const rate = (ms: number) => sweepBytes(numQubits) / ms / 1e6;
  const goal = 0.8 * copyGBs;
  const measurements = [
    { name: `copy rate at ${numQubits}`, value: copyGBs, unit: 'GB/s' },
    { name: `sweep with H on qubit 5 of ${numQubits}`, value: near, unit: 'ms' },
    { name: `its rate at ${numQubits}`, value: rate(near), unit: 'GB/s', goal },
    { name: `sweep with H on qubit ${farQubit} of ${numQubits}`, value: far, unit: 'ms' },
    { name: `its rate on qubit ${farQubit}`, value: rate(far), unit: 'GB/s', goal },
  ];
  return { copyGBs, sweepMs: near, measurements };
}
