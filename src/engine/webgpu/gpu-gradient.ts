/** Gradients on a GPU: ψ and λ are two states, and sums are taken between sweeps. */
import type { GradientProgram } from '../../compiler/program.ts';
import type { GradientStates } from '../run-gradient.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { type GpuStateSlot, GpuStates, type GpuWork } from './gpu-states.ts';

/** Data that all runs of a gradient share. */
export interface GpuGradient {
  readonly program: GradientProgram;
  readonly forward: GpuWork;
  readonly backward: GpuWork;
  /** Whether there is memory for a third state. */
  readonly mayKeep: boolean;
}

/** Opens the states of one run. */
export function gpuGradientStates(
  { program, forward, backward, mayKeep }: GpuGradient,
  slicer: TimeSlicer,
): GradientStates {
  const layout = program.forward.finalLayout;
  const ahead = new GpuStates(forward, layout, slicer);
  const back = new GpuStates(backward, layout, slicer);
  const sums = new Float64Array(program.numSums);
  let psi: GpuStateSlot = ahead.create();
  let lambda: GpuStateSlot = ahead.create();
  let kept: GpuStateSlot | undefined;
  const renew = (next: GpuStateSlot) => {
    ahead.release(psi);
    ahead.release(lambda);
    psi = next;
    lambda = ahead.create();
  };
  return {
    sums,
    release() {
      for (const state of [psi, lambda, kept]) if (state !== undefined) ahead.release(state);
    },
    clear: () => renew(ahead.create()),
    async keep() {
      if (mayKeep) kept = await ahead.copy(psi);
      return mayKeep;
    },
    async restore() {
      if (kept === undefined) throw new Error('unreachable: nothing was kept');
      const left = kept;
      // The memory of ψ is free before another state is made.
      renew(ahead.create());
      psi = await ahead.copy(left);
    },
    forward: (step) => ahead.applySweep(psi, step),
    expectations: (observables) => ahead.expectations(psi, observables),
    applyObservable: (observable) => ahead.applyObservable(psi, observable, lambda),
    async backward(step) {
      const own = program.backward.steps[step]!;
      if (own.kind === 'probing') {
        await back.addProbeSums(psi, lambda, own.probes, sums);
        return;
      }
      await back.applySweep(psi, step);
      await back.applySweep(lambda, step);
    },
  };
}
