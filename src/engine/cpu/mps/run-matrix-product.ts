/** Runs circuits on matrix product states. The walks over shots, branches and trajectories are those of state vectors. */
import type { Qubit } from '../../../circuit/circuit.ts';
import { MAX_WRITTEN_QUBITS } from '../../../circuit/outputs.ts';
import type { MatrixProductProgram, MatrixProductTrajectories } from '../../../compiler/program.ts';
import type { RunRequest, RunResult } from '../../engine.ts';
import { StateVectorTooLongError, TooManyOutcomesError } from '../../errors.ts';
import { planBeforeMisreads } from '../../final-misreads.ts';
import { planChain, type RunPlan } from '../../run-plan.ts';
import { runProgram, savesOfPlan } from '../../run-program.ts';
import { runTrajectories } from '../../run-trajectories.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import { ChainStates } from './chain-states.ts';
import type { TensorMemory } from './tensor-memory.ts';

/** Most bits of an exact distribution, and measured qubits. */
const MAX_CHAIN_PROBABILITY_BITS = 16;

/** A program that can be run any number of times. */
export interface RunnableChain {
  readonly program: MatrixProductProgram | MatrixProductTrajectories;
  readonly plan: RunPlan;
}

/** Plans the runs of a program. */
export function runnableChain(program: RunnableChain['program']): RunnableChain {
  return { program, plan: planChain(program) };
}

/**
 * Runs a program; implements `Executable.run`.
 *
 * @param memory - Empty; all of its blocks are released at the end.
 * @throws {StateVectorTooLongError} if the state vector of more than 20 qubits is requested.
 * @throws {TooManyOutcomesError} if a distribution over more than 16 bits or measured qubits is requested.
 * @throws {StateMemoryError} if the tensors do not fit the memory.
 * @throws what `runProgram` throws, or of a program with channels `runTrajectories`.
 */
export async function runChain(
  { program, plan }: RunnableChain,
  memory: TensorMemory,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  checkLengths(plan, request);
  for (const save of savesOfPlan(plan)) checkLengths(save.plan, save.request);
  const { numQubits, lastMeasures } = program;
  const isNoisy = 'rescaling' in program;
  const source = {
    ...{ numQubits, lastMeasures, memory },
    limits: program,
    program: isNoisy ? program.rescaling : program,
  };
  const runnable = {
    plan,
    // The memory limits the states, whose size follows from their bonds.
    budget: { stateBytes: 0, maxStates: Number.POSITIVE_INFINITY },
    operations: (slicer: TimeSlicer, layout: readonly Qubit[] = plan.layout) =>
      new ChainStates({ ...source, layout }, slicer),
  };
  try {
    return isNoisy
      ? await runTrajectories({ ...runnable, rescaling: program.rescaling }, request, signal)
      : await runProgram(runnable, request, signal);
  } finally {
    memory.releaseAll();
  }
}

function checkLengths(
  plan: RunPlan,
  { statevector, probabilities }: Pick<RunRequest, 'statevector' | 'probabilities'>,
): void {
  if (statevector === true && plan.numQubits > MAX_WRITTEN_QUBITS) {
    throw new StateVectorTooLongError(plan.numQubits, MAX_WRITTEN_QUBITS);
  }
  const measured = new Set(
    plan.measuredWords.flatMap(({ bitsOf }) =>
      bitsOf.images.flatMap((image, qubit) => (image === 0 ? [] : [qubit])),
    ),
  );
  const width = Math.max(plan.numBits, measured.size, planBeforeMisreads(plan).numBits);
  if (probabilities === true && width > MAX_CHAIN_PROBABILITY_BITS) {
    throw new TooManyOutcomesError(width, MAX_CHAIN_PROBABILITY_BITS);
  }
}
