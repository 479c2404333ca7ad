/** Cancels operations with their inverses, also across what commutes with them. */
import { inverseRule } from './inverse-rule.ts';
import { rewritePairs } from './pair-rewriter.ts';
import type { Pass } from './pass.ts';

/** Keeps the unitary; a second run finds nothing more. */
export const cancelInverses: Pass = {
  name: 'cancel-inverses',
  run: (circuit) => rewritePairs(circuit, [inverseRule]),
};
