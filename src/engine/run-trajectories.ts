/** Runs a program with noise on any engine: each shot takes one trajectory, and outputs are means over the shots. */
import type { Program } from '../compiler/program.ts';
import type { RunRequest, RunResult } from './engine.ts';
import { OutputNeedsFinalStateError, OutputNeedsShotsError } from './errors.ts';
import { checkDistribution, readOutputs } from './run-outputs.ts';
import type { RunnableProgram } from './run-program.ts';
import { ShotTree } from './shot-tree.ts';
import { squaredNorm } from './state-operations.ts';
import { TimeSlicer } from './time-slicer.ts';
import { TrajectoryMeans } from './trajectory-means.ts';

/** A program with noise compiled by an engine; all its runs share it. */
export interface RunnableTrajectories<S> extends RunnableProgram<S> {
  /** Multiplies a state by 2^16, which undoes the decay of its norm. */
  readonly growth: Program;
}

/**
 * Runs a program with noise from |0…0⟩; implements `Executable.run`.
 *
 * @throws {OutputNeedsFinalStateError} if the state vector is requested.
 * @throws {OutputNeedsShotsError} if another output of final states is requested without shots.
 * @throws {TooManyOutcomesError} if the requested distribution is too long.
 * @throws {NoRoomForVarianceError} if a variance needs a second state that the budget does not allow.
 * @throws {TooManyBranchesError} if the shots split into more states than the budget allows.
 * @throws {DOMException} the signal's reason, soon after it aborts.
 */
export async function runTrajectories<S>(
  { plan, budget, operations: open, growth }: RunnableTrajectories<S>,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  if (request.statevector === true) throw new OutputNeedsFinalStateError('A state vector');
  const means = new TrajectoryMeans(plan, request);
  checkDistribution(means.plan, request);
  const readsStates = request.probabilities === true || request.observables !== undefined;
  const { from, to } = request.shotRange ?? { from: 0, to: request.shots };
  if (readsStates && from === to) throw new OutputNeedsShotsError();
  const started = performance.now();
  const slicer = new TimeSlicer(signal, () => request.onProgress?.(tree.fractionDone));
  const operations = open(slicer);
  const tree = new ShotTree(plan, operations, budget, request, slicer, growth);
  const counts = await tree.run(
    readsStates
      ? async ({ state, bits, numShots }) => {
          const norm = await squaredNorm(operations, state);
          const before = plan.hasFinalState ? undefined : bits;
          const outputs = await readOutputs(means.plan, budget, request, operations, state, before);
          means.add(outputs, norm, numShots);
        }
      : undefined,
  );
  const { samplingMs, statePasses, numLeaves, countsFinish } = tree;
  const evolutionMs = performance.now() - started - samplingMs;
  return {
    counts,
    ...(countsFinish !== undefined && { countsFinish }),
    ...(readsStates ? means.finish() : {}),
    trajectories: numLeaves,
    statePasses,
    timing: { evolutionMs, samplingMs },
  };
}
