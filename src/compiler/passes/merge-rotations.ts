/**
 * Merges rotations and phases, also across what commutes with them, and cancels what stood around
 * those that came to nothing.
 */
import { inverseRule } from './inverse-rule.ts';
import { rewritePairs } from './pair-rewriter.ts';
import type { Pass } from './pass.ts';
import { rotationRule } from './rotation-rule.ts';

/** Keeps the unitary, its global phase included; a second run finds nothing more. */
export const mergeRotations: Pass = {
  name: 'merge-rotations',
  run: (circuit) => rewritePairs(circuit, [rotationRule, inverseRule]),
};
