/** What a run gives back beside counts: all of it is read off the final state. */
import type { RunRequest, RunResult } from './engine.ts';
import { OutputNeedsFinalStateError, TooManyOutcomesError } from './errors.ts';
import type { RunPlan } from './run-plan.ts';
import type { StateOperations } from './state-operations.ts';
import { physicalBitsOf } from './terminal-measurement.ts';

/** 2^26 probabilities are 512 MiB. */
const MAX_PROBABILITY_BITS = 26;

/** The parts of a result that are read off the final state. */
export type FinalStateOutputs = Pick<
  { -readonly [K in keyof RunResult]: RunResult[K] },
  'statevector' | 'probabilities' | 'expectations'
>;

/**
 * Whether anything is asked for that is read off a final state.
 *
 * @throws {OutputNeedsFinalStateError} if something is, and the plan has no such state.
 * @throws {TooManyOutcomesError} if the exact distribution has more than 2^26 entries.
 */
export function checkOutputs(plan: RunPlan, request: RunRequest): boolean {
  const asked = firstAsked(request);
  if (asked === undefined) return false;
  if (!plan.hasFinalState) throw new OutputNeedsFinalStateError(asked);
  if (request.probabilities === true && plan.numBits > MAX_PROBABILITY_BITS) {
    throw new TooManyOutcomesError(plan.numBits, MAX_PROBABILITY_BITS);
  }
  return true;
}

function firstAsked(request: RunRequest): string | undefined {
  if (request.statevector === true) return 'The state vector';
  if (request.probabilities === true) return 'The exact distribution';
  return request.observables === undefined ? undefined : 'An exact expectation value';
}

/** Reads what is asked for off the final state, once `checkOutputs` has passed it. */
export async function readOutputs<S>(
  plan: RunPlan,
  request: RunRequest,
  operations: StateOperations<S>,
  state: S,
): Promise<FinalStateOutputs> {
  const outputs: FinalStateOutputs = {};
  if (request.statevector === true) outputs.statevector = await operations.statevector(state);
  if (request.probabilities === true) {
    // So few bits are one word.
    const outcomeOf = physicalBitsOf(plan.measuredWords[0], plan.layout);
    outputs.probabilities = await operations.probabilities(state, outcomeOf, plan.numBits);
  }
  if (request.observables !== undefined) {
    const expectations: number[] = [];
    for (const observable of request.observables) {
      expectations.push(await operations.expectation(state, observable));
    }
    outputs.expectations = expectations;
  }
  return outputs;
}
