/** Gradients on the reference engine: ψ and λ are the two halves of one array. */
import type { GradientProgram } from '../../compiler/program.ts';
import type { GradientStates } from '../run-gradient.ts';
import { valuesInTurn } from '../state-operations.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { applyObservable, expectation } from './final-state.ts';
import { prepareReferenceProgram, ReferenceStates } from './reference-states.ts';

/**
 * Opens the states of one run.
 *
 * @param mayKeep - Whether there is memory for a third state.
 */
export function referenceGradientStates(
  { forward, backward, numSums }: GradientProgram,
  mayKeep: boolean,
  slicer: TimeSlicer,
): GradientStates {
  const state = new Float64Array(2 * 2 ** backward.numQubits);
  // The ancilla is the highest qubit; ψ fills the lower half, or the beginning of it.
  const psi = state.subarray(0, state.length / 2);
  const lambda = state.subarray(state.length / 2);
  const sums = new Float64Array(numSums);
  const ahead = new ReferenceStates(prepareReferenceProgram(forward), slicer);
  const back = new ReferenceStates(prepareReferenceProgram(backward, sums), slicer);
  const small = psi.subarray(0, 2 * 2 ** forward.numQubits);
  const layout = forward.finalLayout;
  let kept = new Float64Array(0);
  return {
    sums,
    clear() {
      state.fill(0);
      state[0] = 1;
    },
    forward: (step, onPasses) => ahead.applySweep(small, step, onPasses),
    keep() {
      if (mayKeep) kept = small.slice();
      return mayKeep;
    },
    restore() {
      psi.fill(0);
      psi.set(kept);
    },
    expectations: (observables) =>
      valuesInTurn(observables, (one) => expectation(small, one, layout, slicer)),
    applyObservable: (observable) => applyObservable(small, observable, layout, lambda, slicer),
    backward: (step, onPasses) => back.applySweep(state, step, onPasses),
    release() {},
  };
}
