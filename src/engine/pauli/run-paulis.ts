/**
 * Expectation values by Pauli propagation: an observable is taken back through a circuit as a sum of Pauli strings, and
 * read off |0…0⟩. It needs no state, so that its cost is that of the strings.
 *
 * What is left out has a bound: no circuit or channel makes the expectation value of a string exceed 1, so that the sum
 * of the absolute coefficients left out bounds the error of the value.
 */
import type { PauliProgram } from '../../compiler/program.ts';
import { CountsBuilder } from '../counts-builder.ts';
import type { Executable, RunRequest, RunResult } from '../engine.ts';
import { OutputNeedsFinalStateError } from '../errors.ts';
import type { Mutex } from '../mutex.ts';
import { TimeSlicer } from '../time-slicer.ts';
import { PreparedPaulis, type StringMemory, StringSum } from './string-sum.ts';

/** Prepares a program; runs of one mutex come one after the other, in one memory. */
export function paulisExecutable(
  program: PauliProgram,
  memory: StringMemory,
  mutex: Mutex,
): Executable {
  const prepared = new PreparedPaulis(program);
  return mutex.executable(
    (request: RunRequest, signal) =>
      run(prepared, memory, request, signal).finally(() => memory.release()),
    () => {},
  );
}

async function run(
  prepared: PreparedPaulis,
  memory: StringMemory,
  { observables, onProgress, ...others }: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  const { statevector, amplitudes, probabilities, variances } = others;
  if (statevector || amplitudes || probabilities || variances) {
    throw new OutputNeedsFinalStateError('An output other than expectation values');
  }
  const started = performance.now();
  const { maps, numBits } = prepared.program;
  let [numDone, truncationError] = [0, 0];
  const slicer = new TimeSlicer(signal, () =>
    onProgress?.(numDone / (maps.length * (observables?.length ?? 1))),
  );
  const expectations: number[] = [];
  for (const observable of observables ?? []) {
    const strings = new StringSum(memory, prepared, observable);
    for (const map of maps) {
      await strings.apply(map, slicer);
      numDone++;
    }
    expectations.push(strings.valueOnZeros());
    truncationError = Math.max(truncationError, strings.leftOut);
  }
  return {
    counts: await new CountsBuilder(numBits).finish(slicer),
    expectations,
    truncationError,
    statePasses: 0,
    timing: { evolutionMs: performance.now() - started, samplingMs: 0 },
  };
}
