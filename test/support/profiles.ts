/** Target profiles to compile for. */
import type { KernelCosts, TargetProfile } from '../../src/compiler/program.ts';

/** A target whose tile holds anything, but for what a test changes. */
export function profile(changes: Partial<TargetProfile> = {}): TargetProfile {
  return {
    maxQubits: 20,
    tileQubits: 20,
    contiguousQubits: 0,
    maxDenseQubits: 6,
    chunkQubits: 20,
    precision: 'f64',
    ...changes,
  };
}

/** The smallest that takes two-qubit gates: almost every gate needs a sweep of its own. */
export const TINY_TILE = profile({ tileQubits: 3, contiguousQubits: 1, maxDenseQubits: 2 });

/** Costs with which fusing loses: schedules are seen kernel by kernel. */
export const NEVER_FUSES: KernelCosts = { dense: [], diagonal: 0, permutation: 0, kernel: -1 };

/** Costs with which everything that can be fused is. */
export const ALWAYS_FUSES: KernelCosts = {
  dense: [1, 1, 1, 1],
  diagonal: 1,
  permutation: 1,
  kernel: 1,
};
