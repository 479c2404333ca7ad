/** Results of runs of one circuit. */
import type { RunResult } from '../../src/engine/engine.ts';
import type { CircuitResult } from '../../src/fleet/processor.ts';
import { outputsOf, runResultOf } from '../../src/fleet/run-outputs.ts';
import type { RunOutcome } from '../../src/fleet/workers/worker-messages.ts';

/** The outcome or result of a run of one circuit as its engine gave it. */
export function runOf(of: Pick<CircuitResult, 'outputs' | 'timing'> | RunOutcome): RunResult {
  const timing = 'timing' in of ? of.timing : of;
  return runResultOf({ outputs: of.outputs, timing }, { numBits: 0, numCircuits: 1 });
}

/** A result of an engine in the form that an outcome has it. */
export function outcomeFields(run: RunResult) {
  const { evolutionMs, samplingMs } = run.timing;
  return { outputs: outputsOf(run), executionMs: evolutionMs + samplingMs, samplingMs };
}
