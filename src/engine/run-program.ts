/**
 * Runs a program on any engine: walks its shots, reads its outputs off the final state, takes the times.
 *
 * The variance of an observable is ‖(O − ⟨O⟩)ψ‖², or ⟨(O − ⟨O⟩)²⟩ where states are not added: close to an eigenstate the difference ⟨O²⟩ − ⟨O⟩² of two large
 * numbers would keep no digit. A multiple of one Pauli string P needs no second state, because P² = 1.
 */

import type { Qubit } from '../circuit/circuit.ts';
import { codeOfFactor, type PauliSum } from '../circuit/observable.ts';
import type { RequestedOutputs } from '../circuit/outputs.ts';
import type { Program } from '../compiler/program.ts';
import { BitImages } from '../math/bit-images.ts';
import { wordsFor } from './classical-bits.ts';
import type { RunRequest, RunResult, SavedOutputs } from './engine.ts';
import {
  NoRoomForVarianceError,
  OutputNeedsDensityMatrixError,
  OutputNeedsFinalStateError,
  TooManyOutcomesError,
} from './errors.ts';
import { misreadDistribution, planBeforeMisreads } from './final-misreads.ts';
import { observableSquare } from './pauli-groups.ts';
import type { RunPlan, SaveStep } from './run-plan.ts';
import { type FinalBranch, ShotTree } from './shot-tree.ts';
import type { BranchOperations, OutputOperations, StateBudget } from './state-operations.ts';
import { finishedOutcome, type MeasuredWord, physicalBitsOf } from './terminal-measurement.ts';
import { TimeSlicer } from './time-slicer.ts';

/** A program compiled by an engine; all its runs share it. */
export interface RunnableProgram<S> {
  readonly plan: RunPlan;
  readonly budget: StateBudget;
  /**
   * Creates the state operations of one run, which pause by its time slicer.
   *
   * @param layout - Places of the logical qubits in the states that outputs are read off; those at the end by default.
   */
  operations(slicer: TimeSlicer, layout?: readonly Qubit[]): OutputOperations<S>;
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
  program: RunnableProgram<S>,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  const { plan, budget } = program;
  let outputs: FinalStateOutputs = {};
  const readsFinalState = checkOutputs(plan, request);
  const saved: SavedOutputs[] = [];
  const saves = checkSaves(plan, request);
  const { counts, operations, statePasses, timing } = await walkShots(
    program,
    request,
    signal,
    readsFinalState
      ? async ({ state }, operations) => {
          const read = planBeforeMisreads(plan);
          outputs = await readOutputs(read, budget, request, operations, state);
          const { probabilities } = outputs;
          if (probabilities) outputs.probabilities = misreadDistribution(probabilities, plan);
        }
      : undefined,
    async (step, { state }, operations) => {
      saved[step.number] = await readOutputs(step.plan, budget, step.request, operations, state);
    },
  );
  const ofSaves = saves.length > 0 && { saved };
  return { counts, ...outputs, ...ofSaves, ...operations.figures?.(), statePasses, timing };
}

/** The snapshots of a plan. */
export function savesOfPlan({ steps }: Pick<RunPlan, 'steps'>): readonly SaveStep[] {
  return steps.filter((step) => step.kind === 'save');
}

/**
 * The snapshots of a plan whose outputs are those of one state.
 *
 * @throws {OutputNeedsFinalStateError} if shots come to a snapshot in several states. The state vector and the
 *   amplitudes of a single shot are an exception.
 * @throws {OutputNeedsDensityMatrixError} if a snapshot is of a density matrix.
 * @throws {TooManyOutcomesError} if a distribution has more than 2^26 entries.
 */
function checkSaves(plan: RunPlan, { shots, seed }: RunRequest): readonly SaveStep[] {
  const saves = savesOfPlan(plan);
  for (const { plan: place, request } of saves) {
    if (request.densityMatrix === true) throw new OutputNeedsDensityMatrixError();
    checkOutputs(place, { ...request, shots, seed });
  }
  return saves;
}

/** Program of a walk over shots. */
interface WalkedProgram<O> {
  readonly plan: RunPlan;
  readonly budget: StateBudget;
  operations(slicer: TimeSlicer, layout?: readonly Qubit[]): O;
  /** As of `RunnableTrajectories`. */
  readonly rescaling?: Program;
}

/**
 * Walks all shots of a run, and takes the times.
 *
 * @param onFinalState - As of `ShotTree.run`.
 * @param onSave - Likewise, with operations that read states where the snapshot is.
 * @returns Also the operations, which may have learned something, and the number of final states.
 */
export async function walkShots<S, O extends BranchOperations<S>>(
  { plan, budget, operations: open, rescaling }: WalkedProgram<O & BranchOperations<S>>,
  request: RunRequest,
  signal: AbortSignal,
  onFinalState?: (branch: FinalBranch<S>, operations: O, slicer: TimeSlicer) => Promise<void>,
  onSave?: (
    step: SaveStep,
    branch: FinalBranch<S>,
    operations: O,
    slicer: TimeSlicer,
  ) => Promise<void>,
) {
  const started = performance.now();
  const slicer = new TimeSlicer(signal, () => request.onProgress?.(tree.fractionDone));
  const operations = open(slicer);
  const tree = new ShotTree<S>(plan, operations, budget, request, slicer, rescaling);
  const counts = await tree.run(
    onFinalState && ((branch) => onFinalState(branch, operations, slicer)),
    onSave && ((step, branch) => onSave(step, branch, open(slicer, step.plan.layout), slicer)),
  );
  const { samplingMs, statePasses, numLeaves, countsFinish } = tree;
  const evolutionMs = performance.now() - started - samplingMs;
  const timing = { evolutionMs, samplingMs };
  return { counts, countsFinish, operations, numLeaves, statePasses, timing };
}

/** Most classical bits of an exact distribution: 2^26 probabilities take 512 MiB. */
const MAX_PROBABILITY_BITS = 26;

/** Part of a run's result that is read off the final state. */
export type FinalStateOutputs = Pick<
  { -readonly [K in keyof RunResult]: RunResult[K] },
  'statevector' | 'amplitudes' | 'probabilities' | 'expectations' | 'variances'
>;

/**
 * Whether the request has an output that is read off the final state.
 *
 * @throws {OutputNeedsFinalStateError} if it has one, but the plan has no final state. The state vector and the
 *   amplitudes of a single shot need none.
 * @throws {TooManyOutcomesError} if the exact distribution has more than 2^26 entries.
 */
function checkOutputs(plan: RunPlan, request: RunRequest): boolean {
  const asked = firstAsked(request);
  if (asked === undefined) return false;
  if (!plan.hasFinalState) {
    const { statevector: _, amplitudes: __, ...others } = request;
    const refused = request.shots === 1 ? firstAsked(others) : asked;
    if (refused !== undefined) throw new OutputNeedsFinalStateError(refused);
  }
  checkDistribution(plan, request);
  return true;
}

/** @throws {TooManyOutcomesError} if a distribution of more than 2^26 entries is requested. */
export function checkDistribution({ numBits }: RunPlan, { probabilities }: RunRequest): void {
  if (probabilities !== true || numBits <= MAX_PROBABILITY_BITS) return;
  throw new TooManyOutcomesError(numBits, MAX_PROBABILITY_BITS);
}

function firstAsked(request: RunRequest): string | undefined {
  if (request.statevector === true) return 'The state vector';
  if (request.amplitudes !== undefined) return 'An amplitude';
  if (request.probabilities === true) return 'The exact distribution';
  return request.observables === undefined ? undefined : 'An exact expectation value';
}

/**
 * Reads the requested outputs off the final state; call `checkOutputs` first.
 *
 * @param bits - The register before the trailing measurements; absent where all its bits are 0.
 * @throws {NoRoomForVarianceError} if variances are requested that need a second state, and the
 *   budget allows one.
 */
export async function readOutputs<S>(
  plan: RunPlan,
  budget: StateBudget,
  request: RequestedOutputs,
  operations: OutputOperations<S>,
  state: S,
  bits?: Uint32Array,
): Promise<FinalStateOutputs> {
  const outputs: FinalStateOutputs = {};
  if (request.statevector === true) outputs.statevector = await operations.statevector(state);
  if (request.amplitudes !== undefined) {
    outputs.amplitudes = await operations.amplitudes(state, request.amplitudes);
  }
  if (request.probabilities === true) {
    outputs.probabilities = await outcomeProbabilities(plan, operations, state, bits);
  }
  const { observables, variances = false } = request;
  if (observables !== undefined && variances) {
    Object.assign(outputs, await momentsOf(plan, budget, operations, state, observables));
  } else if (observables !== undefined) {
    outputs.expectations = await operations.expectations(state, observables);
  }
  return outputs;
}

/**
 * Exact distribution of the outcomes; length 2^numBits.
 *
 * @param bits - The register before the trailing measurements; all bits 0 if absent.
 */
export async function outcomeProbabilities<S>(
  plan: RunPlan,
  operations: Pick<OutputOperations<S>, 'probabilities'>,
  state: S,
  bits?: Uint32Array,
): Promise<Float64Array> {
  const { measuredWords, layout, numBits, finalAssignments, numRegisterBits } = plan;
  if (bits === undefined && finalAssignments.length === 0 && numRegisterBits === numBits) {
    // At most 26 bits: one word.
    return operations.probabilities(state, physicalBitsOf(measuredWords[0], layout), numBits);
  }
  // First over the values of the measured qubits, then over the outcome of each value.
  const qubits = [...layout.keys()].filter((q) =>
    measuredWords.some((word) => readsQubit(word, q)),
  );
  if (qubits.length > MAX_PROBABILITY_BITS) {
    throw new TooManyOutcomesError(qubits.length, MAX_PROBABILITY_BITS);
  }
  const images = new Array<number>(layout.length).fill(0);
  for (const [i, q] of qubits.entries()) images[layout[q]!] = 2 ** i;
  const byValue = await operations.probabilities(state, new BitImages(images), qubits.length);
  const out = new Float64Array(2 ** numBits);
  for (const [value, probability] of byValue.entries()) {
    if (probability === 0) continue;
    const register = bits?.slice() ?? new Uint32Array(wordsFor(numRegisterBits));
    for (const { word, mask } of measuredWords) register[word]! &= ~mask;
    for (const [i, q] of qubits.entries()) {
      if (((value >> i) & 1) === 0) continue;
      for (const { word, bitsOf } of measuredWords) register[word]! |= bitsOf.images[q]!;
    }
    out[finishedOutcome(plan, register)[0]!]! += probability;
  }
  return out;
}

const readsQubit = ({ bitsOf }: MeasuredWord, qubit: number) => bitsOf.images[qubit] !== 0;

const IDENTITY: PauliSum = [{ coefficient: 1, factors: [] }];

/** Values of each observable. */
export interface ObservableMoments {
  readonly expectations: readonly number[];
  readonly variances: readonly number[];
}

/**
 * The first two moments of each observable.
 *
 * @throws {NoRoomForVarianceError} if a sum needs a second state, and the budget allows one.
 */
async function momentsOf<S>(
  { numQubits }: Pick<RunPlan, 'numQubits'>,
  { stateBytes, maxStates }: StateBudget,
  operations: OutputOperations<S>,
  state: S,
  observables: readonly PauliSum[],
): Promise<ObservableMoments> {
  const shapes = observables.map(shapeOf);
  if (maxStates < 2 && shapes.some(({ kind }) => kind === 'sum')) {
    throw new NoRoomForVarianceError(numQubits, stateBytes);
  }
  const values = await operations.expectations(state, [...observables, IDENTITY]);
  const expectations = values.slice(0, -1);
  // Rounding leaves a norm that is not quite 1, which would show where a variance is 0.
  const norm = values.at(-1)!;
  const variances: number[] = [];
  for (const [i, shape] of shapes.entries()) {
    const mean = expectations[i]! / norm;
    variances.push(
      shape.kind === 'sum'
        ? await varianceOfSum(operations, state, observables[i]!, mean, norm)
        : varianceOfString(shape, mean),
    );
  }
  return { expectations, variances };
}

async function varianceOfSum<S>(
  operations: OutputOperations<S>,
  state: S,
  observable: PauliSum,
  mean: number,
  norm: number,
): Promise<number> {
  const deviation = [...observable, { coefficient: -mean, factors: [] }];
  if (operations.applyObservable === undefined) {
    const [square] = await operations.expectations(state, [observableSquare(deviation)]);
    return Math.max(0, square! / norm);
  }
  const image = operations.create();
  try {
    await operations.applyObservable(state, deviation, image);
    const [square] = await operations.expectations(image, [IDENTITY]);
    return Math.max(0, square! / norm);
  } finally {
    operations.release(image);
  }
}

/** offset + factor · P, or a sum of several strings. */
export type ObservableShape =
  | { readonly kind: 'string'; readonly offset: number; readonly factor: number }
  | { readonly kind: 'sum' };

/** Whether an observable is a multiple of one string, apart from multiples of the identity. */
export function shapeOf(observable: PauliSum): ObservableShape {
  const weights = new Map<string, number>();
  for (const { coefficient, factors } of observable) {
    const key = factors
      .map(codeOfFactor)
      .sort((a, b) => a - b)
      .join();
    weights.set(key, (weights.get(key) ?? 0) + coefficient);
  }
  const offset = weights.get('') ?? 0;
  weights.delete('');
  const strings = [...weights.values()].filter((weight) => weight !== 0);
  if (strings.length > 1) return { kind: 'sum' };
  return { kind: 'string', offset, factor: strings[0] ?? 0 };
}

/** factor² · (1 − ⟨P⟩²), from the mean of offset + factor · P. */
export function varianceOfString(
  { offset, factor }: { readonly offset: number; readonly factor: number },
  mean: number,
): number {
  const deviation = mean - offset;
  return Math.max(0, (factor - deviation) * (factor + deviation));
}
