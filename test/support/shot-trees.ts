/** Walks over the shots of a circuit on the reference engine's states, which can be watched. */
import type { Circuit } from '../../src/circuit/circuit.ts';
import { compile } from '../../src/compiler/compile.ts';
import { numKernelsOf } from '../../src/engine/reference/kernels.ts';
import {
  prepareReferenceProgram,
  ReferenceStates,
} from '../../src/engine/reference/reference-states.ts';
import { planRun } from '../../src/engine/run-plan.ts';
import { ShotTree } from '../../src/engine/shot-tree.ts';
import { TimeSlicer } from '../../src/engine/time-slicer.ts';
import { NEVER } from './engine-runs.ts';
import { profile } from './profiles.ts';

/** Shots, and the limit of states held at a time. */
export interface ShotTreeOptions {
  readonly shots: number;
  readonly maxStates: number;
  /** Wraps the states, to watch the tree's calls; nothing by default. */
  readonly watch?: (states: ReferenceStates) => ReferenceStates;
}

/** The tree of a circuit compiled as it is, seed 1. */
export function shotTreeOf(
  circuit: Circuit,
  { shots, maxStates, watch = (states) => states }: ShotTreeOptions,
): ShotTree<Float64Array> {
  const { program } = compile(circuit, profile(), { optimize: false });
  const slicer = new TimeSlicer(NEVER, () => {});
  const plan = planRun(program, numKernelsOf);
  const states = watch(new ReferenceStates(prepareReferenceProgram(program), slicer));
  const budget = { stateBytes: 16 * 2 ** circuit.numQubits, maxStates };
  return new ShotTree(plan, states, budget, { shots, seed: 1 }, slicer);
}
