/** Outputs of a run other than counts, all read off the final state. */
import { BitImages } from '../math/bit-images.ts';
import { wordsFor } from './classical-bits.ts';
import type { RunRequest, RunResult } from './engine.ts';
import { OutputNeedsFinalStateError, TooManyOutcomesError } from './errors.ts';
import { momentsOf } from './observable-moments.ts';
import type { RunPlan } from './run-plan.ts';
import type { StateBudget } from './state-budget.ts';
import type { StateOperations } from './state-operations.ts';
import { finishedOutcome, type MeasuredWord, physicalBitsOf } from './terminal-measurement.ts';

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
 * @throws {OutputNeedsFinalStateError} if it has one, but the plan has no final state. The state vector and the amplitudes
 *   of a single shot need none.
 * @throws {TooManyOutcomesError} if the exact distribution has more than 2^26 entries.
 */
export function checkOutputs(plan: RunPlan, request: RunRequest): boolean {
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
  request: RunRequest,
  operations: StateOperations<S>,
  state: S,
  bits?: Uint32Array,
): Promise<FinalStateOutputs> {
  const outputs: FinalStateOutputs = {};
  if (request.statevector === true) outputs.statevector = await operations.statevector(state);
  if (request.amplitudes !== undefined) {
    outputs.amplitudes = await operations.amplitudes(state, request.amplitudes.map(Number));
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
  operations: Pick<StateOperations<S>, 'probabilities'>,
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
