/**
 * Measurements of `qcs run FILE --engine …`, on an engine in this process. The circuit is compiled and
 * prepared once and run several times; the engine times evolution and sampling separately.
 */
import type { RunResult } from '../engine/engine.ts';
import { AMPLITUDE_BYTES } from '../fleet/memory-shares.ts';
import type { CircuitResult } from '../fleet/processor.ts';
import type { CheckedCircuit } from '../service/circuits/check-circuit.ts';
import { type CommandIo, table } from './command-io.ts';
import type { LocalEngine } from './engine-processor.ts';
import { type EngineRuns, runOnEngine } from './run-on-engine.ts';

type Timing = RunResult['timing'];

/** Results of a measurement, under the names that `--json` prints. */
export interface Measurement {
  readonly engine: string;
  readonly precision: 'f32' | 'f64';
  /** Number of CPU threads; absent on an adapter. */
  readonly threads?: number;
  /** Hardware that computes: the CPU, or the adapter's name. */
  readonly hardware: string;
  readonly compile_ms: number;
  readonly prepare_ms: number;
  readonly runs: readonly { readonly evolution_ms: number; readonly sampling_ms: number }[];
  /** Median over all runs. */
  readonly median: { readonly evolution_ms: number; readonly sampling_ms: number };
  /** Passes of one run over the state in memory. */
  readonly state_passes: number;
  /** Amplitudes that one run reads and writes, over all passes. */
  readonly amplitudes_touched: number;
  /** Data that one run reads and writes, in 10^9 bytes. */
  readonly gb_moved: number;
  /** Memory throughput at the median evolution time. */
  readonly gb_per_s: number;
}

/** Runs a circuit `repeat` times; returns the last result and the figures of all runs. */
export async function measure(
  local: LocalEngine,
  checked: CheckedCircuit,
  runs: Omit<EngineRuns, 'keepUnmeasured'>,
  io: CommandIo,
): Promise<{ readonly result: CircuitResult; readonly measurement: Measurement }> {
  const { engine, precision, numThreads, hardware } = local;
  // A circuit without measurements is run for its state, so no gate may be dropped.
  const keepUnmeasured = checked.isMeasurementAdded;
  const answer = await runOnEngine(local, checked, { ...runs, keepUnmeasured }, io);
  const { result, statePasses, timings, compileMs, prepareMs } = answer;
  return {
    result,
    measurement: {
      engine: engine.name,
      precision,
      ...(numThreads !== undefined && { threads: numThreads }),
      hardware,
      compile_ms: rounded(compileMs),
      prepare_ms: rounded(prepareMs),
      ...figuresOf(timings, statePasses, checked.circuit.numQubits, precision),
    },
  };
}

function figuresOf(
  timings: readonly Timing[],
  statePasses: number,
  numQubits: number,
  precision: 'f32' | 'f64',
) {
  const median = {
    evolution_ms: medianOf(timings.map(({ evolutionMs }) => evolutionMs)),
    sampling_ms: medianOf(timings.map(({ samplingMs }) => samplingMs)),
  };
  const touched = statePasses * 2 ** numQubits;
  const gbMoved = (2 * touched * AMPLITUDE_BYTES[precision]) / 1e9;
  return {
    runs: timings.map(({ evolutionMs, samplingMs }) => ({
      evolution_ms: rounded(evolutionMs),
      sampling_ms: rounded(samplingMs),
    })),
    median,
    state_passes: statePasses,
    amplitudes_touched: touched,
    gb_moved: rounded(gbMoved),
    gb_per_s: rounded(gbMoved / (median.evolution_ms / 1000)),
  };
}

/** Formats the figures for people, one line per run. */
export function measurementText(measurement: Measurement): string {
  const { runs, median, compile_ms, prepare_ms } = measurement;
  const row = (name: string, { evolution_ms, sampling_ms }: Measurement['median']) => [
    name,
    `${evolution_ms} ms`,
    `${sampling_ms} ms`,
  ];
  const rows = runs.map((run, i) => row(String(i + 1), run));
  const { threads, hardware } = measurement;
  const where = threads === undefined ? hardware : `threads: ${threads}`;
  const { state_passes, amplitudes_touched, gb_moved, gb_per_s } = measurement;
  return [
    `compiled in ${compile_ms} ms, prepared in ${prepare_ms} ms; ${where}`,
    table(['RUN', 'EVOLUTION', 'SAMPLING'], [...rows, row('median', median)]),
    `a run: ${state_passes} state passes, ${amplitudes_touched} amplitudes touched, ${gb_moved} GB moved, ${gb_per_s} GB/s`,
  ].join('\n');
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ];
  return rounded((low + high) / 2);
}

/** Rounds to six significant digits; more are noise. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
