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
}

/** Opens the states of one run. */
export function gpuGradientStates(
  { program, forward, backward }: GpuGradient,
  slicer: TimeSlicer,
): GradientStates {
  const layout = program.forward.finalLayout;
  const ahead = new GpuStates(forward, layout, slicer);
  const back = new GpuStates(backward, layout, slicer);
  const sums = new Float64Array(program.numSums);
  let psi: GpuStateSlot = ahead.create();
  let lambda: GpuStateSlot = ahead.create();
  const release = () => {
    ahead.release(psi);
    ahead.release(lambda);
  };
  return {
    sums,
    release,
    clear() {
      release();
      psi = ahead.create();
      lambda = ahead.create();
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
