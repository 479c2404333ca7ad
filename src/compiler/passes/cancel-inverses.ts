/** Pass that cancels operations with their inverses, also across operations that commute with them. */

import type { GateOperation, Qubit } from '../../circuit/circuit.ts';
import { adjoint, maxAbsDifference } from '../../math/complex-matrix.ts';
import { factsNamed, NEGLIGIBLE } from './gate-facts.ts';
import { phaseAngleOf, wrapped } from './gate-like.ts';
import type { PairRule } from './pair-rewriter.ts';
import { rewritePairs } from './pair-rewriter.ts';
import type { Pass } from './pass.ts';

/** Keeps the unitary; a second run finds nothing more. */
export const cancelInverses: Pass = {
  name: 'cancel-inverses',
  run: (circuit) => rewritePairs(circuit, [inverseRule]),
};

/** Cancels inverse pairs: for gates by the gate table, for explicit unitaries by their entries. */
export const inverseRule: PairRule = {
  combine(earlier, later) {
    if (earlier.kind === 'gate' && later.kind === 'gate') {
      // The table may name the inverse for only one of the two.
      const isUndone = isInverse(earlier, later) || isInverse(later, earlier);
      return isUndone ? { phase: 0 } : undefined;
    }
    if (earlier.kind === 'gate' || later.kind === 'gate') return undefined;
    if (!isSame(earlier.targets, later.targets)) return undefined;
    const difference = maxAbsDifference(earlier.matrix, adjoint(later.matrix));
    return difference < NEGLIGIBLE ? { phase: 0 } : undefined;
  },
};

/** Whether the gate table gives a gate as the inverse of another, on the same qubits in any order. */
function isInverse(gate: GateOperation, other: GateOperation): boolean {
  const phase = phaseAngleOf(gate);
  const otherPhase = phaseAngleOf(other);
  if (phase !== undefined && otherPhase !== undefined) {
    return Math.abs(wrapped(phase + otherPhase, 2 * Math.PI)) < NEGLIGIBLE;
  }
  const { base, isSymmetric } = factsNamed(gate.gate);
  const inverse = factsNamed(other.gate).definition.inverse(other.angles);
  if (factsNamed(inverse.gate).base !== base) return false;
  const order = inverse.targetOrder?.map((i) => other.targets[i]!) ?? other.targets;
  if (!isSymmetric && !isSame(order, gate.targets)) return false;
  return inverse.angles.every((angle, i) => Math.abs(angle - gate.angles[i]!) < NEGLIGIBLE);
}

const isSame = (a: readonly Qubit[], b: readonly Qubit[]): boolean =>
  a.every((qubit, i) => qubit === b[i]);
