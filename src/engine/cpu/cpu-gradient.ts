/**
 * Gradients on the CPU: ψ and λ lie next to each other in shared memory, so that they are one state whose highest qubit
 * tells them apart.
 */
import type { GradientProgram } from '../../compiler/program.ts';
import type { GradientStates } from '../run-gradient.ts';
import { andThen } from '../state-operations.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { type StoredState, stateBytes } from './command.ts';
import { type CpuProgram, type CpuState, CpuStates, clearState, copyState } from './cpu-states.ts';
import { applyObservable, expectations } from './expectation.ts';
import type { LoweredProgram } from './lowered-program.ts';
import type { PlacedProgram } from './placed-program.ts';

/** Data that all runs of a gradient share. */
export interface CpuGradient {
  readonly program: GradientProgram;
  readonly forward: CpuProgram;
  readonly backward: CpuProgram;
  /** Whether there is memory for a third state. */
  readonly mayKeep: boolean;
}

/** Opens the states of one run. */
export function cpuGradientStates(
  { program, forward, backward, mayKeep }: CpuGradient,
  slicer: TimeSlicer,
): GradientStates {
  const ahead = new CpuStates(forward, slicer);
  const back = new CpuStates(backward, slicer);
  const { threadPool, lowered } = backward;
  const statesAt = threadPool.allocateState(backward.stateBytes);
  const { finalLayout } = program.forward;
  // The qubits between those of the program and the ancilla are |0…0⟩.
  const psi: StoredState = {
    at: statesAt,
    numQubits: lowered.numQubits - 1,
    precision: lowered.code.precision,
  };
  const psiBytes = stateBytes(psi);
  let keptAt: number | undefined;
  const isPadded = forward.lowered.numQubits < psi.numQubits;
  const both: CpuState = { at: statesAt, isUnwritten: false };
  let first: CpuState = { at: statesAt, isUnwritten: true };
  const sums = new Float64Array(program.numSums);
  return {
    sums,
    release() {
      threadPool.release(statesAt);
      if (keptAt !== undefined) threadPool.release(keptAt);
    },
    clear() {
      first = { at: statesAt, isUnwritten: true };
      return isPadded ? clearState(ahead, statesAt, psiBytes) : undefined;
    },
    initialize: (entries) => ahead.initialize(first, entries),
    forward: (step, onPasses) => ahead.applySweep(first, step, onPasses),
    keep() {
      if (!mayKeep) return false;
      keptAt = threadPool.allocateState(psiBytes);
      return andThen(copyState(ahead, statesAt, keptAt, psiBytes), () => true);
    },
    restore() {
      if (keptAt === undefined) throw new Error('unreachable: nothing was kept');
      return copyState(ahead, keptAt, statesAt, psiBytes);
    },
    async expectations(observables) {
      await ahead.settle(first);
      return await expectations(ahead, psi, observables, finalLayout);
    },
    async applyObservable(observable) {
      await ahead.settle(first);
      await applyObservable(back, psi, observable, finalLayout, statesAt + psiBytes);
    },
    backward(step, onPasses) {
      const memory = new Float64Array(
        threadPool.memory,
        backward.placed.sumsAt,
        numSumsOf(lowered, backward.placed, step),
      );
      memory.fill(0);
      const done = back.applySweep(both, step, onPasses);
      return andThen(done, () => addSums(sums, lowered.sums[step]!, memory));
    },
  };
}

/** Number of the doubles that a step adds to. */
function numSumsOf({ sums }: LoweredProgram, { sweeps }: PlacedProgram, step: number): number {
  return sums[step]!.length * (sweeps[step]?.[0]?.numTiles ?? 0);
}

/** Adds up the sums of tiles in their order, so that the result does not depend on which thread did which. */
function addSums(sums: Float64Array, numbers: readonly number[], ofTiles: Float64Array): void {
  for (let tile = 0; tile < ofTiles.length; tile += numbers.length) {
    for (let i = 0; i < numbers.length; i++) sums[numbers[i]!]! += ofTiles[tile + i]!;
  }
}
