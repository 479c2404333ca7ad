/** Target profiles to compile for. */
import type { TargetProfile } from '../../src/compiler/program.ts';

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
