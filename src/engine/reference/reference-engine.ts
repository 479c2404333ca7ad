/**
 * The reference engine: double precision, plain TypeScript, one thread. Every other engine is
 * compared with it, so it prefers obvious correctness to speed. It takes any program, because its
 * tile is the whole state.
 */
import type { GradientProgram, Program, TargetProfile } from '../../compiler/program.ts';
import type { Engine, GradientExecutable } from '../engine.ts';
import { Mutex } from '../mutex.ts';
import {
  checkGradientWidth,
  type GradientStates,
  planGradient,
  runGradient,
} from '../run-gradient.ts';
import { planRun, type RunPlan } from '../run-plan.ts';
import { openPlainKernels } from '../stabilizer/plain-kernels.ts';
import { stabilizerExecutable } from '../stabilizer/run-stabilizer.ts';
import { type PlacedStates, type StateEngine, stateMethods } from '../state-methods.ts';
import { stateBudget, valuesInTurn } from '../state-operations.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { applyObservable, expectation } from './final-state.ts';
import { numKernelsOf } from './kernels.ts';
import { placesOf, prepareReferenceProgram, ReferenceStates } from './reference-states.ts';

/** Largest state: indices of its doubles, two an amplitude, must stay 31-bit integers. */
export const MAX_REFERENCE_QUBITS = 29;
/** Two doubles. */
const BYTES_PER_AMPLITUDE = 16;

/** Options of the reference engine. */
export interface ReferenceEngineOptions {
  /** At most 29; n qubits take 16·2^n bytes, and again for each branch of a mid-circuit measurement. */
  readonly maxQubits: number;
  /** Bytes for the states of a run together; one state is always allowed. Unlimited by default. */
  readonly memoryBytes?: number;
}

/** Target profile of programs for the engine: its tile is the whole state. */
function referenceTarget(maxQubits: number): TargetProfile {
  return {
    maxQubits,
    tileQubits: maxQubits,
    contiguousQubits: 0,
    maxDenseQubits: maxQubits,
    chunkQubits: maxQubits,
    precision: 'f64',
  };
}

/** Opens the reference engine; closing it does nothing. */
export function openReferenceEngine({
  maxQubits,
  memoryBytes = Number.POSITIVE_INFINITY,
}: ReferenceEngineOptions): Engine {
  if (maxQubits > MAX_REFERENCE_QUBITS) {
    throw new RangeError(`The reference engine holds at most ${MAX_REFERENCE_QUBITS} qubits.`);
  }
  return {
    name: 'reference',
    target: referenceTarget(maxQubits),
    prepare: {
      ...stateMethods(stateEngine(maxQubits, memoryBytes)),
      gradient: async (program) => prepareGradient(program, maxQubits, memoryBytes),
      stabilizer: async (program) =>
        stabilizerExecutable(program, openPlainKernels(), new Mutex(), 'reference'),
    },
    close: async () => {},
  };
}

/** The engine as methods on states need it. */
function stateEngine(maxQubits: number, memoryBytes: number): StateEngine<Float64Array> {
  const place = (program: Program, plan: RunPlan): PlacedStates<Float64Array> => {
    const prepared = prepareReferenceProgram(program);
    return {
      plan,
      budget: stateBudget(program.numQubits, BYTES_PER_AMPLITUDE, memoryBytes),
      operations: (slicer, layout = program.finalLayout) =>
        new ReferenceStates({ ...prepared, ...placesOf(layout) }, slicer),
      executable: (run) => ({ run, [Symbol.asyncDispose]: async () => {} }),
    };
  };
  return {
    name: 'reference',
    maxQubits,
    // The engine applies one kernel in each pass through memory.
    place: (program) => place(program, planRun(program, numKernelsOf)),
    placeTrajectories: place,
  };
}

function prepareGradient(
  program: GradientProgram,
  maxQubits: number,
  memoryBytes: number,
): GradientExecutable {
  const plans = planGradient(program, numKernelsOf);
  checkGradientWidth(program, BYTES_PER_AMPLITUDE, maxQubits, memoryBytes, 'reference');
  const { maxStates } = stateBudget(program.forward.numQubits, BYTES_PER_AMPLITUDE, memoryBytes);
  const states = (slicer: TimeSlicer) => referenceGradientStates(program, maxStates > 2, slicer);
  return {
    run: (request, signal) => runGradient({ program, ...plans, states }, request, signal),
    [Symbol.asyncDispose]: async () => {},
  };
}

/**
 * Opens the states of one run.
 *
 * @param mayKeep - Whether there is memory for a third state.
 */
function referenceGradientStates(
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
    initialize: (entries) => ahead.initialize(small, entries),
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
