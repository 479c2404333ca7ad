/** Compiles a circuit and runs it on an engine in this process. */

import { readsState } from '../circuit/outputs.ts';
import type { Executable, RunRequest, RunResult } from '../engine/engine.ts';
import type { CircuitResult } from '../fleet/processor.ts';
import { outputsOf } from '../fleet/run-outputs.ts';
import { compiledByMethod } from '../fleet/workers/prepared-circuits.ts';
import { type CheckedCircuit, runRequest } from '../service/circuits/check-circuit.ts';
import type { CommandIo } from './command-io.ts';
import type { LocalEngine } from './engine-processor.ts';
import { InterruptedError } from './errors.ts';
import { ProgressBar } from './progress-bar.ts';

/** Number of runs, and the random draws of each. */
export interface EngineRuns {
  readonly shots: number;
  readonly seed: number;
  readonly repeat: number;
  /** True to compile and run also gates that affect no measurement. */
  readonly keepUnmeasured: boolean;
}

/** Result of the last run, and the times of all. */
export interface EngineAnswer {
  readonly result: CircuitResult;
  /** Passes of one run over the state in memory. */
  readonly statePasses: number;
  readonly timings: readonly RunResult['timing'][];
  readonly compileMs: number;
  readonly prepareMs: number;
}

/**
 * Compiles and prepares a circuit once and runs it `repeat` times, with a progress bar.
 *
 * @throws {InterruptedError} on Ctrl-C while it runs.
 */
export async function runOnEngine(
  { engine, spec, precision, hardware }: LocalEngine,
  checked: CheckedCircuit,
  { shots, seed, repeat, keepUnmeasured }: EngineRuns,
  io: CommandIo,
): Promise<EngineAnswer> {
  const begun = performance.now();
  const { circuit } = checked;
  const asked = runRequest(checked, shots, seed);
  const request = { ...asked, shots: asked.shots ?? 0, seed };
  const keepState = keepUnmeasured || readsState(request);
  const { report, prepare } = compiledByMethod(engine, circuit, checked, keepState);
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
    statePasses: last.statePasses,
    timings,
    compileMs,
    prepareMs,
  };
}

async function runAll(
  executable: Executable,
  request: Omit<RunRequest, 'onProgress'>,
  repeat: number,
  io: CommandIo,
): Promise<{ readonly last: RunResult; readonly timings: readonly RunResult['timing'][] }> {
  const interrupt = new AbortController();
  using _listener = io.onInterrupt(() => interrupt.abort(new InterruptedError()));
  using bar = new ProgressBar(io.err, 'running', io.now);
  const timings: RunResult['timing'][] = [];
  for (;;) {
    const numDone = timings.length;
    const onProgress = (fraction: number) => bar.update((numDone + fraction) / repeat);
    const run = await executable.run({ ...request, onProgress }, interrupt.signal);
    timings.push(run.timing);
    if (timings.length === repeat) return { last: run, timings };
  }
}
