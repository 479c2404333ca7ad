/**
 * Runs a program with noise on any engine: each shot takes one trajectory, and outputs are means over the shots.
 *
 * Results of ranges of shots are joined to that of the whole run. Draws are numbered by shot, so the counts are those
 * of one run whatever the ranges are, and means are those of one run but for rounding.
 */
import type { Program } from '../compiler/program.ts';
import { CountsBuilder } from './counts-builder.ts';
import type { Counts, RunRequest, RunResult, SavedOutputs } from './engine.ts';
import {
  OutputNeedsDensityMatrixError,
  OutputNeedsFinalStateError,
  OutputNeedsShotsError,
} from './errors.ts';
import { misreadCounts, misreadDistribution, planBeforeMisreads } from './final-misreads.ts';
import type { RunPlan } from './run-plan.ts';
import {
  checkDistribution,
  type FinalStateOutputs,
  type RunnableProgram,
  readOutputs,
  savesOfPlan,
  walkShots,
} from './run-program.ts';
import type { FinalBranch } from './shot-tree.ts';
import { type OutputOperations, type StateBudget, squaredNorm } from './state-operations.ts';
import { TimeSlicer } from './time-slicer.ts';

/** A program with noise compiled by an engine; all its runs share it. */
export interface RunnableTrajectories<S> extends RunnableProgram<S> {
  /** Multiplies a state by 2^16, which undoes the decay of its norm. */
  readonly rescaling: Program;
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
  program: RunnableTrajectories<S>,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  const { plan, budget } = program;
  const { shots, seed } = request;
  const outputs = new TrajectoryOutputs(plan, request);
  const saves = savesOfPlan(plan).map(
    (step) => new TrajectoryOutputs(step.plan, { shots, seed, ...step.request }),
  );
  const { from, to } = request.shotRange ?? { from: 0, to: request.shots };
  if ([outputs, ...saves].some(({ isAsked }) => isAsked) && from === to) {
    throw new OutputNeedsShotsError();
  }
  const { counts, countsFinish, operations, numLeaves, statePasses, timing } = await walkShots(
    program,
    request,
    signal,
    outputs.isAsked ? (branch, operations) => outputs.add(budget, branch, operations) : undefined,
    // Bits of a snapshot's plan are those of the qubits that it reads, and not of the register.
    ({ number }, { state, numShots }, operations) =>
      saves[number]!.add(budget, { state, numShots }, operations),
  );
  return {
    counts,
    ...(countsFinish !== undefined && { countsFinish }),
    ...outputs.finish(),
    ...(saves.length > 0 && { saved: saves.map((save) => save.finish()) }),
    trajectories: numLeaves,
    ...operations.figures?.(),
    statePasses,
    timing,
  };
}

/** The outputs of states at one place of a run, where each trajectory comes by. */
class TrajectoryOutputs {
  /** Whether anything is asked of the states. */
  readonly isAsked: boolean;
  readonly #plan: RunPlan;
  readonly #request: RunRequest;
  readonly #means: TrajectoryMeans;
  readonly #wantsState: boolean;
  readonly #wantsMeans: boolean;
  #ofState: Pick<FinalStateOutputs, 'statevector' | 'amplitudes'> = {};

  /**
   * @throws {OutputNeedsFinalStateError} if the state vector or amplitudes are requested, and not a single shot.
   * @throws {OutputNeedsDensityMatrixError} if the density matrix is requested.
   * @throws {TooManyOutcomesError} if the requested distribution is too long.
   */
  constructor(plan: RunPlan, request: RunRequest) {
    const { statevector, amplitudes, probabilities, observables, densityMatrix, shots } = request;
    this.#plan = plan;
    this.#request = request;
    this.#wantsState = statevector === true || amplitudes !== undefined;
    if (this.#wantsState && shots !== 1) throw new OutputNeedsFinalStateError('A state vector');
    if (densityMatrix === true) throw new OutputNeedsDensityMatrixError();
    this.#means = new TrajectoryMeans(plan, request);
    checkDistribution(this.#means.plan, request);
    this.#wantsMeans = probabilities === true || observables !== undefined;
    this.isAsked = this.#wantsState || this.#wantsMeans;
  }

  /**
   * Adds the states of some shots.
   *
   * @param branch - Its register; all bits are 0 if absent.
   */
  async add<S>(
    budget: StateBudget,
    { state, bits, numShots }: Omit<FinalBranch<S>, 'bits'> & Partial<FinalBranch<S>>,
    operations: OutputOperations<S>,
  ): Promise<void> {
    const norm = await squaredNorm(operations, state);
    const before = this.#plan.hasFinalState ? undefined : bits;
    const { plan } = this.#means;
    const outputs = await readOutputs(plan, budget, this.#request, operations, state, before);
    if (this.#wantsState) this.#ofState = normalised(outputs, Math.sqrt(norm));
    this.#means.add(outputs, norm, numShots);
  }

  finish(): SavedOutputs & Pick<RunResult, 'variances'> {
    return { ...(this.#wantsMeans ? this.#means.finish() : {}), ...this.#ofState };
  }
}

/** Outputs of a state vector of a given length, scaled to length 1. */
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

/** Running mean of a number, and the sum of squared deviations from it. */
interface Moments {
  mean: number;
  squares: number;
}

/** Collects the outputs of trajectories. */
export class TrajectoryMeans {
  /** Plan for the outputs: of misread bits, the register before the misreadings. */
  readonly plan: RunPlan;
  readonly #whole: RunPlan;
  readonly #expectations: Moments[];
  readonly #variances: number[] | undefined;
  #probabilities: Float64Array | undefined;
  #numShots = 0;

  constructor(plan: RunPlan, { observables = [], variances = false }: RunRequest) {
    this.#whole = plan;
    this.plan = planBeforeMisreads(plan);
    this.#expectations = observables.map(() => ({ mean: 0, squares: 0 }));
    this.#variances = variances ? observables.map(() => 0) : undefined;
  }

  /**
   * Adds a trajectory.
   *
   * @param norm - ‖ψ‖² of its final state.
   * @param numShots - Shots that took it.
   */
  add(
    { expectations, variances, probabilities }: FinalStateOutputs,
    norm: number,
    numShots: number,
  ): void {
    this.#numShots += numShots;
    const share = numShots / this.#numShots;
    for (const [i, moments] of this.#expectations.entries()) {
      const value = expectations![i]! / norm;
      const deviation = value - moments.mean;
      moments.mean += share * deviation;
      moments.squares += numShots * deviation * (value - moments.mean);
      const variance = variances?.[i];
      if (variance !== undefined && this.#variances !== undefined) {
        this.#variances[i]! += share * (variance - this.#variances[i]!);
      }
    }
    if (probabilities === undefined) return;
    this.#probabilities ??= new Float64Array(probabilities.length);
    const sums = this.#probabilities;
    for (let i = 0; i < sums.length; i++) sums[i]! += (numShots / norm) * probabilities[i]!;
  }

  /** The means. Variances are those of the mixture of all trajectories. */
  finish(): Pick<RunResult, 'expectations' | 'standardErrors' | 'variances' | 'probabilities'> {
    const numShots = this.#numShots;
    const hasObservables = this.#expectations.length > 0;
    const spread = this.#expectations.map(({ squares }) => squares / (numShots - 1));
    return {
      ...(hasObservables && {
        expectations: this.#expectations.map(({ mean }) => mean),
        standardErrors: spread.map((square) => Math.sqrt(square / numShots)),
      }),
      ...(this.#variances !== undefined && {
        // The mean of the variances, and the variance of the means.
        variances: this.#variances.map((mean, i) => mean + (numShots > 1 ? spread[i]! : 0)),
      }),
      ...(this.#probabilities !== undefined && {
        probabilities: misreadDistribution(
          this.#probabilities.map((sum) => sum / numShots),
          this.#whole,
        ),
      }),
    };
  }
}

/** The result of a range of shots. */
export interface RangeResult {
  /** At least 1. */
  readonly numShots: number;
  readonly result: RunResult;
}

/** Outputs of states that are means over shots. */
type Means = Pick<RunResult, 'expectations' | 'standardErrors' | 'variances' | 'probabilities'>;

/** The means over all shots, from those over ranges of them. */
function joinedMeans(
  ranges: readonly { readonly numShots: number; readonly result: Means }[],
): Means {
  const { expectations, variances, probabilities } = ranges[0]!.result;
  const total = ranges.reduce((sum, { numShots }) => sum + numShots, 0);
  const meanOf = (each: (result: Means) => number) =>
    ranges.reduce((sum, { numShots, result }) => sum + (numShots / total) * each(result), 0);
  const moments = expectations?.map((_, i) => {
    const mean = meanOf((result) => result.expectations![i]!);
    let squares = 0;
    for (const { numShots, result } of ranges) {
      squares += squaresOf(result.standardErrors![i]!, numShots);
      squares += numShots * (result.expectations![i]! - mean) ** 2;
    }
    return { mean, spread: squares / (total - 1) };
  });
  return {
    ...(moments && {
      expectations: moments.map(({ mean }) => mean),
      standardErrors: moments.map(({ spread }) => Math.sqrt(spread / total)),
    }),
    ...(variances && {
      variances: variances.map((_, i) => {
        // Variances of the trajectories without the variance of their means.
        const within = ranges.reduce((sum, { numShots, result }) => {
          const squares = squaresOf(result.standardErrors![i]!, numShots);
          const spread = numShots > 1 ? squares / (numShots - 1) : 0;
          return sum + (numShots / total) * (result.variances![i]! - spread);
        }, 0);
        return within + (total > 1 ? moments![i]!.spread : 0);
      }),
    }),
    ...(probabilities && {
      probabilities: probabilities.map((_, i) => meanOf((result) => result.probabilities![i]!)),
    }),
  };
}

/** Sum of squared deviations from a mean, from its standard error. */
function squaresOf(standardError: number, numShots: number): number {
  return numShots > 1 ? standardError ** 2 * numShots * (numShots - 1) : 0;
}

/**
 * The result of a run with noise, or on stabilizers, from those of ranges of its shots.
 *
 * @param ranges - At least one; each shot is in one of them. A range without shots is left out.
 * @param seed - Of the run.
 * @throws {DOMException} the signal's reason, soon after it aborts.
 */
export async function joinedShots(
  ranges: readonly RangeResult[],
  seed: number,
  signal: AbortSignal,
): Promise<RunResult> {
  const [first] = ranges;
  if (first === undefined) throw new Error('unreachable: a run without shots in ranges');
  const results = ranges.map(({ result }) => result);
  const sumOf = (each: (result: RunResult) => number) =>
    results.reduce((sum, result) => sum + each(result), 0);
  const mostOf = (each: (result: RunResult) => number) => Math.max(...results.map(each));
  const slicer = new TimeSlicer(signal, () => {});
  const started = performance.now();
  const joined = await joinedCounts(results, slicer);
  const { countsFinish } = first.result;
  const counts =
    countsFinish === undefined ? joined : await misreadCounts(joined, countsFinish, seed, slicer);
  const joiningMs = performance.now() - started;
  return {
    counts,
    ...joinedMeans(ranges),
    ...(first.result.saved && {
      saved: first.result.saved.map((_, i) =>
        joinedMeans(
          ranges.map(({ numShots, result }) => ({ numShots, result: result.saved![i]! })),
        ),
      ),
    }),
    ...(first.result.trajectories !== undefined && {
      trajectories: sumOf(({ trajectories = 0 }) => trajectories),
    }),
    ...(first.result.truncationError !== undefined && {
      truncationError: mostOf(({ truncationError = 0 }) => truncationError),
    }),
    ...(first.result.largestBond !== undefined && {
      largestBond: mostOf(({ largestBond = 1 }) => largestBond),
    }),
    statePasses: sumOf(({ statePasses }) => statePasses),
    timing: {
      evolutionMs: sumOf(({ timing }) => timing.evolutionMs),
      samplingMs: joiningMs + sumOf(({ timing }) => timing.samplingMs),
    },
  };
}

async function joinedCounts(results: readonly RunResult[], slicer: TimeSlicer): Promise<Counts> {
  const { numBits } = results[0]!.counts;
  const builder = new CountsBuilder(numBits);
  for (const { counts } of results) {
    const { outcomes, occurrences, wordsPerOutcome } = counts;
    builder.reserve(occurrences.length);
    for (let i = 0; i < occurrences.length; i++) {
      const words = outcomes.subarray(i * wordsPerOutcome, (i + 1) * wordsPerOutcome);
      builder.add(words, occurrences[i]!);
    }
    if (slicer.spend(occurrences.length)) await slicer.pause();
  }
  return await builder.finish(slicer);
}
