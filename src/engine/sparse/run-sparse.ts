/**
 * Runs circuits on sparse states, whose list of non-zero amplitudes takes memory by their number and not by the number of
 * qubits. The walks over shots, branches and trajectories are those of state vectors.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import { type SparseProgram, type Step, terminalMeasureIndex } from '../../compiler/program.ts';
import type { Executable } from '../engine.ts';
import type { Mutex } from '../mutex.ts';
import { planRun, planTrajectories } from '../run-plan.ts';
import { runProgram } from '../run-program.ts';
import { runTrajectories } from '../run-trajectories.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import type { SparseKernel } from './sparse-state.ts';
import { SparseStates } from './sparse-states.ts';

/** Most bytes for all states of a run. */
const MAX_SPARSE_BYTES = 2 ** 31;

/** Prepares a program; runs of one mutex come one after the other. */
export function sparseExecutable(
  program: SparseProgram,
  mutex: Mutex,
  memoryBytes = MAX_SPARSE_BYTES,
): Executable {
  const isNoisy = 'rescaling' in program;
  const shared = {
    numQubits: program.numQubits,
    kernels: new WeakMap<Step, readonly SparseKernel[]>(),
    memoryBytes: Math.min(memoryBytes, MAX_SPARSE_BYTES),
  };
  // The memory limits the amplitudes of all states together.
  const budget = { stateBytes: 0, maxStates: Number.POSITIVE_INFINITY };
  if (isNoisy) {
    const plan = planTrajectories(program);
    const source = { ...shared, program: program.rescaling, lastMeasures: program.lastMeasures };
    const operations = (slicer: TimeSlicer, layout: readonly Qubit[] = plan.layout) =>
      new SparseStates({ ...source, layout }, slicer);
    const runnable = { plan, budget, operations, rescaling: program.rescaling };
    return mutex.executable(
      (request, signal) => runTrajectories(runnable, request, signal),
      () => {},
    );
  }
  const lastMeasures = program.steps
    .slice(terminalMeasureIndex(program))
    .filter((step) => step.kind === 'measure');
  const plan = planRun(program, (step) => (step.kind === 'sweep' ? step.kernels.length : 0));
  const source = { ...shared, program, lastMeasures };
  const operations = (slicer: TimeSlicer, layout: readonly Qubit[] = plan.layout) =>
    new SparseStates({ ...source, layout }, slicer);
  return mutex.executable(
    (request, signal) => runProgram({ plan, budget, operations }, request, signal),
    () => {},
  );
}
