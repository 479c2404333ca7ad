/**
 * Action of `qcs run` with an option that measures: the circuit is compiled and prepared once and run several times on
 * an engine in this process, which times evolution and sampling separately.
 */
import { readsState } from '../circuit/outputs.ts';
import { loadConfig } from '../config.ts';
import { openCpuEngine } from '../engine/cpu/cpu-engine.ts';
import { MAX_CPU_QUBITS } from '../engine/cpu/hosted-engine.ts';
import type { Executable, RunRequest, RunResult } from '../engine/engine.ts';
import { MAX_REFERENCE_QUBITS, openReferenceEngine } from '../engine/reference/reference-engine.ts';
import { readMachine } from '../fleet/cpu-processors.ts';
import { AMPLITUDE_BYTES, maxQubitsWithin } from '../fleet/memory-shares.ts';
import type { CircuitResult } from '../fleet/processor.ts';
import { outputsOf } from '../fleet/run-outputs.ts';
import { compiledByMethod } from '../fleet/workers/prepared-circuits.ts';
import { runRequest } from '../service/circuits/check-circuit.ts';
import { circuitResultJson } from '../service/circuits/result-json.ts';
import {
  type EngineChoice,
  type RunOptions,
  readCircuitFile,
  submissionFields,
} from './circuit-file.ts';
import { type CommandIo, table, writeEither, writeWarnings } from './command-io.ts';
import {
  EngineProcessor,
  engineSpec,
  type LocalEngine,
  type LocalSurroundings,
} from './engine-processor.ts';
import { OptionsConflictError } from './errors.ts';
import { type CircuitToRun, checkedRun, furtherRuns } from './local-run.ts';
import { withProgress } from './progress-bar.ts';
import { runReport } from './run-report.ts';

/** Runs the circuit of the file `repeat` times on the chosen engine and prints the times. */
export async function measureFile(file: string, options: RunOptions, io: CommandIo): Promise<void> {
  if (options.target !== undefined) {
    throw new OptionsConflictError('--target runs a circuit as the service would, unmeasured.');
  }
  const machine = readMachine();
  const config = loadConfig(io.environment);
  await using local = await openLocalEngine(options, { config, machine });
  const targets = [{ spec: local.spec, available: true }];
  const content = await readCircuitFile(file, options);
  const fields = { ...submissionFields(content, options), target_processor: local.spec.id };
  const asked = checkedRun(fields, targets, io);
  const { facts, checked } = asked;
  const { result, measurement } = await measure(local, asked, options.repeat ?? 1, io);
  const further = await furtherRuns(new EngineProcessor(local), asked, io);
  const answer = JSON.parse(circuitResultJson({ ...checked, seed: facts.seed }, result, further));
  if (!options.json) writeWarnings(checked.warnings, io);
  const report = runReport(facts, answer, io.out.columns ?? 80);
  const value = { status: 'completed', ...facts, ...answer, measurement };
  writeEither(io, options, value, `${report}\n\n${measurementText(measurement)}`);
}

type Timing = RunResult['timing'];

/** Results of a measurement, under the names that `--json` prints. */
interface Measurement {
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

/**
 * Runs a circuit `repeat` times, with a progress bar; returns the last result and the figures of all runs.
 *
 * @throws {InterruptedError} on Ctrl-C while it runs.
 */
async function measure(
  { engine, spec, precision, numThreads, hardware }: LocalEngine,
  { facts: { shots, seed }, checked }: CircuitToRun,
  repeat: number,
  io: CommandIo,
): Promise<{ readonly result: CircuitResult; readonly measurement: Measurement }> {
  const begun = performance.now();
  const asked = runRequest(checked, shots, seed);
  const request = { ...asked, shots: asked.shots ?? 0, seed };
  // A circuit without measurements is run for its state, so no gate may be dropped.
  const keepState = checked.isMeasurementAdded || readsState(request);
  const { report, prepare } = compiledByMethod(engine, checked.circuit, checked, keepState);
  const compileMs = performance.now() - begun;
  await using executable = await prepare();
  const prepareMs = performance.now() - begun - compileMs;
  const { last, timings } = await runAll(executable, request, repeat, io);
  const { evolutionMs, samplingMs } = last.timing;
  return {
    result: {
      outputs: outputsOf(last),
      compilation: report,
      reused: 'nothing',
      backend: { engine: engine.name, execution: spec.execution, precision, hardware },
      timing: {
        queueMs: 0,
        compileMs: compileMs + prepareMs,
        executionMs: evolutionMs + samplingMs,
        samplingMs,
      },
    },
    measurement: {
      engine: engine.name,
      precision,
      ...(numThreads !== undefined && { threads: numThreads }),
      hardware,
      compile_ms: rounded(compileMs),
      prepare_ms: rounded(prepareMs),
      ...figuresOf(timings, last.statePasses, checked.circuit.numQubits, precision),
    },
  };
}

async function runAll(
  executable: Executable,
  request: Omit<RunRequest, 'onProgress'>,
  repeat: number,
  io: CommandIo,
): Promise<{ readonly last: RunResult; readonly timings: readonly Timing[] }> {
  return await withProgress(io, async (onRuns, signal) => {
    const timings: Timing[] = [];
    for (;;) {
      const numDone = timings.length;
      const onProgress = (fraction: number) => onRuns((numDone + fraction) / repeat);
      const run = await executable.run({ ...request, onProgress }, signal);
      timings.push(run.timing);
      if (timings.length === repeat) return { last: run, timings };
    }
  });
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
function measurementText(measurement: Measurement): string {
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

/**
 * Opens the engine that the options describe; by default the CPU engine in double precision on all threads.
 *
 * @throws {OptionsConflictError} if the engine does not support an option.
 * @throws {NoUsableAdapterError} if WebGPU is requested and no adapter is usable.
 */
async function openLocalEngine(
  choice: EngineChoice,
  surroundings: LocalSurroundings,
): Promise<LocalEngine> {
  const { engine: name = 'cpu' } = choice;
  if (name === 'webgpu') {
    const { openOnAdapter } = await import('./local-adapter.ts');
    return await openOnAdapter(choice, surroundings);
  }
  if (name === 'reference') checkReference(choice);
  return onCpu(name, choice, surroundings);
}

function onCpu(
  name: 'cpu' | 'reference',
  choice: EngineChoice,
  { config, machine }: LocalSurroundings,
): LocalEngine {
  const memoryBytes = config.memoryBytes ?? machine.memoryBytes / 2;
  const { precision = 'f64' } = choice;
  const isReference = name === 'reference';
  const numThreads = isReference ? 1 : (choice.threads ?? config.numThreads ?? machine.numCores);
  const cap = isReference ? MAX_REFERENCE_QUBITS : MAX_CPU_QUBITS[precision];
  const maxQubits = maxQubitsWithin(memoryBytes, precision, cap);
  const engine = isReference
    ? openReferenceEngine({ maxQubits, memoryBytes })
    : openCpuEngine({ precision, numThreads, maxQubits, memoryBytes });
  const addressable = AMPLITUDE_BYTES[precision] * 2 ** cap;
  return {
    engine,
    numThreads,
    precision,
    hardware: machine.cpuModel,
    spec: engineSpec(
      engine,
      precision,
      memoryBytes < addressable
        ? { bytes: memoryBytes, setting: 'QCS_MEMORY_MIB' }
        : { bytes: addressable },
      config,
    ),
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

function checkReference({ threads = 1, precision = 'f64' }: EngineChoice): void {
  if (precision !== 'f64') {
    throw new OptionsConflictError('The reference engine computes in f64 only.');
  }
  if (threads !== 1) throw new OptionsConflictError('The reference engine runs on one thread.');
}
