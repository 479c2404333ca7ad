/**
 * The reference engine: double precision, plain TypeScript, one thread. It is the oracle that every
 * other engine is compared with, so it prefers being evidently right to being fast, and it takes
 * any program: its tile is the whole state.
 */
import type { Program, TargetProfile } from '../../compiler/program.ts';
import type { Engine, Executable } from '../engine.ts';
import { ProgramTooWideError } from '../errors.ts';
import { planRun } from '../run-plan.ts';
import { runProgram } from '../run-program.ts';
import { stateBudget } from '../state-budget.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { prepareReferenceProgram, ReferenceStates } from './reference-states.ts';
import { numKernelsOf } from './step-kernels.ts';

/** The engine's own limit: positions in the state, two doubles an amplitude, must stay 31-bit integers. */
export const MAX_REFERENCE_QUBITS = 29;
/** Two doubles. */
const BYTES_PER_AMPLITUDE = 16;

/** How much the engine may hold. */
export interface ReferenceEngineOptions {
  /** At most 29; n qubits take 16·2^n bytes, and again for each branch of a mid-circuit measurement. */
  readonly maxQubits: number;
  /** For the states that a run holds at once; one is always allowed. Unlimited by default. */
  readonly memoryBytes?: number;
}

/** What programs for the engine are compiled for: its tile is the whole state. */
export function referenceTarget(maxQubits: number): TargetProfile {
  return {
    maxQubits,
    tileQubits: maxQubits,
    contiguousQubits: 0,
    maxDenseQubits: maxQubits,
    chunkQubits: maxQubits,
    precision: 'f64',
  };
}

/** Opens the reference engine; it holds nothing that needs closing. */
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
    prepare: async (program) => prepare(program, maxQubits, memoryBytes),
    close: async () => {},
  };
}

function prepare(program: Program, maxQubits: number, memoryBytes: number): Executable {
  if (program.numQubits > maxQubits) {
    throw new ProgramTooWideError(program.numQubits, maxQubits, 'reference');
  }
  // This engine takes no two kernels through memory together: a pass each.
  const plan = planRun(program, numKernelsOf);
  const budget = stateBudget(program.numQubits, BYTES_PER_AMPLITUDE, memoryBytes);
  const prepared = prepareReferenceProgram(program);
  const operations = (slicer: TimeSlicer) => new ReferenceStates(prepared, slicer);
  return {
    run: (request, signal) => runProgram({ plan, budget, operations }, request, signal),
    [Symbol.asyncDispose]: async () => {},
  };
}
