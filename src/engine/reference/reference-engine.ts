/**
 * The reference engine: double precision, plain TypeScript, one thread. Every other engine is
 * compared with it, so it prefers obvious correctness to speed. It takes any program, because its
 * tile is the whole state.
 */
import type {
  DensityProgram,
  GradientProgram,
  Program,
  TargetProfile,
  TrajectoryProgram,
} from '../../compiler/program.ts';
import { DensityStates } from '../density-states.ts';
import type { Engine, Executable, GradientExecutable } from '../engine.ts';
import { DensityTooWideError, ProgramTooWideError } from '../errors.ts';
import { Mutex } from '../mutex.ts';
import { runDensity } from '../run-density.ts';
import {
  checkGradientWidth,
  type GradientStates,
  planGradient,
  runGradient,
} from '../run-gradient.ts';
import { planRun, planTrajectories } from '../run-plan.ts';
import { runProgram } from '../run-program.ts';
import { runTrajectories } from '../run-trajectories.ts';
import { openPlainKernels } from '../stabilizer/plain-kernels.ts';
import { stabilizerExecutable } from '../stabilizer/run-stabilizer.ts';
import { stateBudget, valuesInTurn } from '../state-operations.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { applyObservable, expectation } from './final-state.ts';
import { numKernelsOf } from './kernels.ts';
import { prepareReferenceProgram, ReferenceStates } from './reference-states.ts';

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
      statevector: async (program) => prepare(program, maxQubits, memoryBytes),
      gradient: async (program) => prepareGradient(program, maxQubits, memoryBytes),
      density_matrix: async (program) => prepareDensity(program, maxQubits, memoryBytes),
      trajectories: async (program) => prepareTrajectories(program, maxQubits, memoryBytes),
      stabilizer: async (program) =>
        stabilizerExecutable(program, openPlainKernels(), new Mutex(), 'reference'),
    },
    close: async () => {},
  };
}

function prepare(program: Program, maxQubits: number, memoryBytes: number): Executable {
  if (program.numQubits > maxQubits) {
    throw new ProgramTooWideError(program.numQubits, maxQubits, 'reference');
  }
  // The engine applies one kernel in each pass through memory.
  const plan = planRun(program, numKernelsOf);
  const budget = stateBudget(program.numQubits, BYTES_PER_AMPLITUDE, memoryBytes);
  const prepared = prepareReferenceProgram(program);
  const operations = (slicer: TimeSlicer) => new ReferenceStates(prepared, slicer);
  return {
    run: (request, signal) => runProgram({ plan, budget, operations }, request, signal),
    [Symbol.asyncDispose]: async () => {},
  };
}

function prepareDensity(
  { numQubits, program, readout, lastMisreads }: DensityProgram,
  maxQubits: number,
  memoryBytes: number,
): Executable {
  if (program.numQubits > maxQubits) {
    throw new DensityTooWideError(numQubits, Math.floor(maxQubits / 2), 'reference');
  }
  const plan = { ...planRun(program, numKernelsOf), numQubits, finalMisreads: lastMisreads };
  const budget = stateBudget(program.numQubits, BYTES_PER_AMPLITUDE, memoryBytes);
  const prepared = prepareReferenceProgram(program);
  const facts = { numQubits, layout: program.finalLayout, readout };
  const operations = (slicer: TimeSlicer) =>
    new DensityStates(new ReferenceStates(prepared, slicer), facts, slicer);
  return {
    run: (request, signal) => runDensity({ numQubits, plan, budget, operations }, request, signal),
    [Symbol.asyncDispose]: async () => {},
  };
}

function prepareTrajectories(
  program: TrajectoryProgram,
  maxQubits: number,
  memoryBytes: number,
): Executable {
  if (program.numQubits > maxQubits) {
    throw new ProgramTooWideError(program.numQubits, maxQubits, 'reference');
  }
  const plan = planTrajectories(program);
  const { growth } = program;
  const budget = stateBudget(program.numQubits, BYTES_PER_AMPLITUDE, memoryBytes);
  const prepared = prepareReferenceProgram(growth);
  const operations = (slicer: TimeSlicer) => new ReferenceStates(prepared, slicer);
  return {
    run: (request, signal) =>
      runTrajectories({ plan, budget, operations, growth }, request, signal),
    [Symbol.asyncDispose]: async () => {},
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
