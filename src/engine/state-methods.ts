/**
 * The methods that compute on states, prepared on any engine: on one state, on trajectories, and on a density matrix,
 * which is a state of twice the qubits. An engine says how it places a program; checks, plans and runs are the same.
 */
import type { Qubit } from '../circuit/circuit.ts';
import type { Program } from '../compiler/program.ts';
import type { EntryAccess } from './density-states.ts';
import type { Engine, Executable, RunRequest, RunResult } from './engine.ts';
import { DensityTooWideError, ProgramTooWideError } from './errors.ts';
import { planTrajectories, type RunPlan } from './run-plan.ts';
import { type RunnableProgram, runProgram } from './run-program.ts';
import { runTrajectories } from './run-trajectories.ts';
import type { MaybePromise, StateOperations } from './state-operations.ts';
import type { TimeSlicer } from './time-slicer.ts';

/** A program in an engine's memory. */
export interface PlacedStates<S> extends RunnableProgram<S> {
  operations(slicer: TimeSlicer, layout?: readonly Qubit[]): StateOperations<S> & EntryAccess<S>;
  /** Makes the program's runs those of an executable, which frees the program when it is disposed. */
  executable(run: (request: RunRequest, signal: AbortSignal) => Promise<RunResult>): Executable;
}

/** Requirements of the methods on an engine. */
export interface StateEngine<S> {
  readonly name: string;
  /** Qubits of the widest state. */
  readonly maxQubits: number;
  /** Qubits of the widest state that stands for a density matrix; `maxQubits` by default. */
  readonly maxDensityQubits?: number;
  place(program: Program): MaybePromise<PlacedStates<S>>;
  /** Places the program that undoes the decay of norms; other segments are placed when a run needs them. */
  placeTrajectories(rescaling: Program, plan: RunPlan): MaybePromise<PlacedStates<S>>;
}

/**
 * The engine's methods on states, as of `Engine.prepare`.
 *
 * @throws {ProgramTooWideError} from each of them, if its states are wider than the engine's; for density matrices
 *   {DensityTooWideError}.
 */
export function stateMethods<S>(
  engine: StateEngine<S>,
): Required<Pick<Engine['prepare'], 'statevector' | 'density_matrix' | 'trajectories'>> {
  const { name, maxQubits, maxDensityQubits = maxQubits } = engine;
  const checkWidth = ({ numQubits }: { readonly numQubits: number }) => {
    if (numQubits > maxQubits) throw new ProgramTooWideError(numQubits, maxQubits, name);
  };
  return {
    async statevector(program) {
      checkWidth(program);
      const { executable, ...placed } = await engine.place(program);
      return executable((request, signal) => runProgram(placed, request, signal));
    },
    async density_matrix({ numQubits, program, readout, lastMisreads }) {
      if (program.numQubits > maxDensityQubits) {
        throw new DensityTooWideError(numQubits, Math.floor(maxDensityQubits / 2), name);
      }
      // Loaded with the first density matrix: the console's page downloads the engine, and has none.
      const { DensityStates } = await import('./density-states.ts');
      const { runDensity } = await import('./run-density.ts');
      const { executable, ...doubled } = await engine.place(program);
      const runnable = {
        numQubits,
        plan: { ...doubled.plan, numQubits, finalMisreads: lastMisreads },
        budget: doubled.budget,
        // The readout of the last measurements does not concern a snapshot.
        operations: (slicer: TimeSlicer, layout?: readonly Qubit[]) =>
          new DensityStates(
            doubled.operations(slicer, layout),
            layout === undefined
              ? { numQubits, layout: program.finalLayout, readout }
              : { numQubits, layout, readout: [] },
            slicer,
          ),
      };
      return executable((request, signal) => runDensity(runnable, request, signal));
    },
    async trajectories(program) {
      checkWidth(program);
      const { rescaling } = program;
      const { executable, ...placed } = await engine.placeTrajectories(
        rescaling,
        planTrajectories(program),
      );
      return executable((request, signal) =>
        runTrajectories({ ...placed, rescaling }, request, signal),
      );
    },
  };
}
