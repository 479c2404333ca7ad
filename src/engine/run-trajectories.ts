/** Runs a program with noise on any engine: each shot takes one trajectory, and outputs are means over the shots. */
import type { Program } from '../compiler/program.ts';
import type { RunRequest, RunResult } from './engine.ts';
import { OutputNeedsFinalStateError, OutputNeedsShotsError } from './errors.ts';
import { checkDistribution, type FinalStateOutputs, readOutputs } from './run-outputs.ts';
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
 * @throws {OutputNeedsFinalStateError} if the state vector or amplitudes are requested, and not a single shot.
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
  const wantsState = request.statevector === true || request.amplitudes !== undefined;
  if (wantsState && request.shots !== 1) throw new OutputNeedsFinalStateError('A state vector');
  const means = new TrajectoryMeans(plan, request);
  checkDistribution(means.plan, request);
  const readsMeans = request.probabilities === true || request.observables !== undefined;
  const readsStates = readsMeans || wantsState;
  const { from, to } = request.shotRange ?? { from: 0, to: request.shots };
  if (readsStates && from === to) throw new OutputNeedsShotsError();
  const started = performance.now();
  const slicer = new TimeSlicer(signal, () => request.onProgress?.(tree.fractionDone));
  const operations = open(slicer);
  const tree = new ShotTree(plan, operations, budget, request, slicer, growth);
  let ofState: Pick<FinalStateOutputs, 'statevector' | 'amplitudes'> = {};
  const counts = await tree.run(
    readsStates
      ? async ({ state, bits, numShots }) => {
          const norm = await squaredNorm(operations, state);
          const before = plan.hasFinalState ? undefined : bits;
          const outputs = await readOutputs(means.plan, budget, request, operations, state, before);
          if (wantsState) ofState = normalised(outputs, Math.sqrt(norm));
          means.add(outputs, norm, numShots);
        }
      : undefined,
  );
  const { samplingMs, statePasses, numLeaves, countsFinish } = tree;
  const evolutionMs = performance.now() - started - samplingMs;
  return {
    counts,
    ...(countsFinish !== undefined && { countsFinish }),
    ...(readsMeans ? means.finish() : {}),
    ...ofState,
    trajectories: numLeaves,
    statePasses,
    timing: { evolutionMs, samplingMs },
  };
}

/** What is read off a state whose vector has a length, for the state of length 1. */
function normalised(
  { statevector, amplitudes }: FinalStateOutputs,
  length: number,
): Pick<FinalStateOutputs, 'statevector' | 'amplitudes'> {
  const scaled = (parts: Float64Array) => parts.map((part) => part / length);
  return {
    ...(statevector !== undefined && { statevector: scaled(statevector) }),
    ...(amplitudes !== undefined && { amplitudes: scaled(amplitudes) }),
  };
}
