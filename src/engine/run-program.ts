/** Runs a program on any engine: walks its shots, reads its outputs, takes the times. */
import type { RunRequest, RunResult } from './engine.ts';
import { checkOutputs, type FinalStateOutputs, readOutputs } from './run-outputs.ts';
import type { RunPlan } from './run-plan.ts';
import { ShotTree } from './shot-tree.ts';
import type { StateBudget } from './state-budget.ts';
import type { StateOperations } from './state-operations.ts';
import { TimeSlicer } from './time-slicer.ts';

/** A program compiled by an engine; all its runs share it. */
export interface RunnableProgram<S> {
  readonly plan: RunPlan;
  readonly budget: StateBudget;
  /** Creates the state operations of one run, which pause by its time slicer. */
  operations(slicer: TimeSlicer): StateOperations<S>;
}

/**
 * Runs a program from |0…0⟩; implements `Executable.run`.
 *
 * @throws {OutputNeedsFinalStateError} if an output is requested that the program does not have.
 * @throws {TooManyOutcomesError} if the requested distribution is too long.
 * @throws {NoRoomForVarianceError} if a variance needs a second state that the budget does not allow.
 * @throws {TooManyBranchesError} if the shots split into more states than the budget allows.
 * @throws {DOMException} the signal's reason, soon after it aborts.
 */
export async function runProgram<S>(
  { plan, budget, operations: open }: RunnableProgram<S>,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  const readsFinalState = checkOutputs(plan, request);
  const started = performance.now();
  const slicer = new TimeSlicer(signal, () => request.onProgress?.(tree.fractionDone));
  const operations = open(slicer);
  const tree = new ShotTree(plan, operations, budget, request, slicer);
  let outputs: FinalStateOutputs = {};
  const counts = await tree.run(
    readsFinalState
      ? async ({ state }) => {
          outputs = await readOutputs(plan, budget, request, operations, state);
        }
      : undefined,
  );
  const { samplingMs, statePasses } = tree;
  const evolutionMs = performance.now() - started - samplingMs;
  return { counts, ...outputs, statePasses, timing: { evolutionMs, samplingMs } };
}
