/** Runs a program on density matrices on any engine: counts by its shots, exact outputs over all outcomes. */
import type { Qubit } from '../circuit/circuit.ts';
import type { PauliSum } from '../circuit/observable.ts';
import { MAX_DENSITY_QUBITS, type RequestedOutputs } from '../circuit/outputs.ts';
import type { DensityStates } from './density-states.ts';
import type { RunRequest, RunResult } from './engine.ts';
import {
  DensityMatrixTooLargeError,
  NoRoomForVarianceError,
  OutputNeedsFinalStateError,
  OutputNeedsStateVectorError,
} from './errors.ts';
import { misreadDistribution, planBeforeMisreads } from './final-misreads.ts';
import { OutcomeWalk } from './outcome-walk.ts';
import type { RunPlan } from './run-plan.ts';
import {
  checkDistribution,
  outcomeProbabilities,
  savesOfPlan,
  shapeOf,
  varianceOfString,
} from './run-program.ts';
import { ShotTree } from './shot-tree.ts';
import type { StateBudget } from './state-operations.ts';
import { TimeSlicer } from './time-slicer.ts';

/** A density program compiled by an engine; all its runs share it. */
export interface RunnableDensity<S> {
  /** Qubits of the circuit. */
  readonly numQubits: number;
  readonly plan: RunPlan;
  readonly budget: StateBudget;
  /** As of `RunnableProgram`. */
  operations(slicer: TimeSlicer, layout?: readonly Qubit[]): DensityStates<S>;
}

/**
 * Runs a program from |0…0⟩⟨0…0|; implements `Executable.run`.
 *
 * @throws {OutputNeedsStateVectorError} if the state vector is requested.
 * @throws {DensityMatrixTooLargeError} if the density matrix of more than 7 qubits is requested.
 * @throws {OutputNeedsFinalStateError} if the purity of more than 7 qubits is requested after a measurement.
 * @throws {TooManyOutcomesError} if the requested distribution is too long.
 * @throws {NoRoomForVarianceError} if a variance needs a second state that the budget does not allow.
 * @throws {TooManyBranchesError} if outcomes split into more states than the budget allows.
 * @throws {TooManyRoundsError} if shots go through too many rounds of loops.
 * @throws {DOMException} the signal's reason, soon after it aborts.
 */
export async function runDensity<S>(
  program: RunnableDensity<S>,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  const { plan, budget } = program;
  const { shots, seed } = request;
  check(program, request);
  const steps = savesOfPlan(plan);
  for (const step of steps)
    check({ ...program, plan: step.plan }, { ...step.request, shots, seed });
  const isExact =
    steps.length > 0 ||
    request.probabilities === true ||
    request.observables !== undefined ||
    request.densityMatrix === true ||
    request.purity === true;
  const started = performance.now();
  let progress = () => 0;
  const slicer = new TimeSlicer(signal, () => request.onProgress?.(progress()));
  const states = program.operations(slicer);
  const sums = new OutcomeSums(program, request, states);
  const saves = steps.map((step) => {
    const atPlace = program.operations(slicer, step.plan.layout);
    return new OutcomeSums({ ...program, plan: step.plan }, step.request, atPlace);
  });
  const isOneState = plan.hasFinalState;
  let passes = 0;
  if (isExact && !isOneState) {
    const walk = new OutcomeWalk(sums.plan, states, budget, slicer, request.probabilities === true);
    // If shots follow, they take about as long.
    const part = request.shots > 0 ? 0.5 : 1;
    progress = () => part * walk.fractionDone;
    await walk.run(
      ({ state, weight, bits }) => sums.add(state, weight, bits),
      // Bits of a snapshot's plan are those of the qubits that it reads.
      ({ number }, { state, weight }) => saves[number]!.add(state, weight),
    );
    passes = walk.statePasses;
  }
  const tree = new ShotTree(plan, states, budget, request, slicer);
  const before = progress();
  progress = () => before + (1 - before) * tree.fractionDone;
  const counts = await tree.run(
    isExact && isOneState ? ({ state }) => sums.add(state, 1) : undefined,
    isOneState ? ({ number }, { state }) => saves[number]!.add(state, 1) : undefined,
  );
  const { samplingMs } = tree;
  const statePasses = passes + tree.statePasses;
  const evolutionMs = performance.now() - started - samplingMs;
  const saved = saves.map((save) => save.outputs());
  return {
    counts,
    ...sums.outputs(),
    ...(saves.length > 0 && { saved }),
    statePasses,
    timing: { evolutionMs, samplingMs },
  };
}

function check<S>({ numQubits, plan, budget }: RunnableDensity<S>, request: RunRequest): void {
  checkDistribution(planBeforeMisreads(plan), request);
  const { observables = [], variances = false } = request;
  if (request.statevector === true || request.amplitudes !== undefined)
    throw new OutputNeedsStateVectorError();
  if (request.densityMatrix === true && numQubits > MAX_DENSITY_QUBITS) {
    throw new DensityMatrixTooLargeError(numQubits, MAX_DENSITY_QUBITS);
  }
  if (request.purity === true && !plan.hasFinalState && numQubits > MAX_DENSITY_QUBITS) {
    throw new OutputNeedsFinalStateError(`The purity of more than ${MAX_DENSITY_QUBITS} qubits`);
  }
  const needsImage = variances && observables.some((each) => shapeOf(each).kind === 'sum');
  if (needsImage && budget.maxStates < 2) {
    throw new NoRoomForVarianceError(numQubits, budget.stateBytes);
  }
}

/** The outputs of a run, added up over outcomes. */
class OutcomeSums<S> {
  /** Plan for the distribution. */
  readonly plan: RunPlan;
  readonly #program: RunnableDensity<S>;
  readonly #request: RequestedOutputs;
  readonly #states: DensityStates<S>;
  #probabilities: Float64Array | undefined;
  #matrix: Float64Array | undefined;
  #purity: number | undefined;
  readonly #means: number[];
  /** tr (O − s)²ρ of each sum of strings; s, its mean in the first branch, avoids cancellation of digits. */
  readonly #squares: number[];
  #shifts: readonly number[] | undefined;

  constructor(program: RunnableDensity<S>, request: RequestedOutputs, states: DensityStates<S>) {
    this.plan = planBeforeMisreads(program.plan);
    this.#program = program;
    this.#request = request;
    this.#states = states;
    this.#means = (request.observables ?? []).map(() => 0);
    this.#squares = [...this.#means];
  }

  /**
   * Adds the outputs of the state of a branch.
   *
   * @param bits - Absent where no bit is written before the trailing measurements.
   */
  async add(state: S, weight: number, bits?: Uint32Array): Promise<void> {
    const { probabilities, observables, densityMatrix, purity } = this.#request;
    const { plan } = this;
    const states = this.#states;
    if (probabilities === true) {
      const own = await outcomeProbabilities(plan, states, state, bits);
      this.#probabilities = addScaled(this.#probabilities, own, weight);
    }
    if (purity === true && plan.hasFinalState) this.#purity = await states.purity(state);
    if (densityMatrix === true || (purity === true && !plan.hasFinalState)) {
      this.#matrix = addScaled(this.#matrix, await states.matrix(state), weight);
    }
    if (observables !== undefined) await this.#addMoments(state, weight, observables);
  }

  async #addMoments(state: S, weight: number, observables: readonly PauliSum[]): Promise<void> {
    const states = this.#states;
    const means = await states.expectations(state, observables);
    this.#shifts ??= means;
    for (const [i, mean] of means.entries()) this.#means[i]! += weight * mean;
    if (this.#request.variances !== true) return;
    for (const [i, observable] of observables.entries()) {
      if (shapeOf(observable).kind === 'string') continue;
      const shifted = [...observable, { coefficient: -this.#shifts[i]!, factors: [] }];
      const image = states.create();
      try {
        await states.applyObservable(state, shifted, image);
        const [square] = await states.tracesOfImage(image, [shifted]);
        this.#squares[i]! += weight * square!;
      } finally {
        states.release(image);
      }
    }
  }

  /** Those that were requested. */
  outputs(): Pick<
    RunResult,
    'probabilities' | 'expectations' | 'variances' | 'densityMatrix' | 'purity'
  > {
    const { observables, variances, densityMatrix, purity } = this.#request;
    const matrix = this.#matrix;
    const ofMatrix = matrix?.reduce((sum, x) => sum + x * x, 0);
    const found = purity === true ? (this.#purity ?? ofMatrix) : undefined;
    return {
      ...(this.#probabilities && {
        probabilities: misreadDistribution(this.#probabilities, this.#program.plan),
      }),
      ...(observables && { expectations: this.#means }),
      ...(observables && variances === true && { variances: observables.map(this.#variance) }),
      ...(densityMatrix === true && matrix && { densityMatrix: matrix }),
      ...(found !== undefined && { purity: found }),
    };
  }

  readonly #variance = (observable: PauliSum, i: number): number => {
    const shape = shapeOf(observable);
    const mean = this.#means[i]!;
    if (shape.kind === 'string') return varianceOfString(shape, mean);
    return Math.max(0, this.#squares[i]! - (mean - this.#shifts![i]!) ** 2);
  };
}

function addScaled(sum: Float64Array | undefined, own: Float64Array, weight: number): Float64Array {
  const out = sum ?? new Float64Array(own.length);
  for (let i = 0; i < own.length; i++) out[i]! += weight * own[i]!;
  return out;
}
