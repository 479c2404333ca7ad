/**
 * Passes that combine gates of the gate table by its inverses and its families of rotations, also across operations
 * that commute with them.
 *
 * `mergeRotations` merges rotations and phases, and cancels the pairs that meet where rotations vanish.
 * Two rotations about one axis, or two phases on the same qubits, become one, or nothing if the angle is
 * zero. The gate table tells which gates are rotations (`adds`). All phases are one family: Z, S, T and P
 * with any controls multiply the same amplitudes, those where all the qubits are |1⟩. RZ without controls
 * joins them at the cost of a global phase. `cancelInverses` cancels operations with their inverses alone.
 */
import type { GateOperation, Qubit } from '../../circuit/circuit.ts';
import { reducedAngle, sumOfAngles } from '../../math/angles.ts';
import { adjoint, maxAbsDifference } from '../../math/complex-matrix.ts';
import { factsNamed, isNearIdentity, NEGLIGIBLE, nameUnderControls } from './gate-facts.ts';
import { conditionOf, phaseAngleOf, phaseOn, wrapped } from './gate-like.ts';
import { type PairRule, type Rewritten, rewritePairs } from './pair-rewriter.ts';
import type { Pass } from './pass.ts';

/** Keeps the unitary, including its global phase; a second run finds nothing more. */
export const mergeRotations: Pass = {
  name: 'merge-rotations',
  run: (circuit) => rewritePairs(circuit, [rotationRule, inverseRule]),
};

const Z_ROTATION = 'RZ';

/** A phase e^{i·angle} where all the qubits are |1⟩, times a global phase. */
interface PhaseView {
  readonly qubits: readonly Qubit[];
  readonly angle: number;
  readonly globalPhase: number;
  readonly isZRotation: boolean;
}

/** Merges by adding angles. */
const rotationRule: PairRule = {
  combine(earlier, later) {
    if (earlier.kind !== 'gate' || later.kind !== 'gate') return undefined;
    const first = phaseViewOf(earlier);
    const second = phaseViewOf(later);
    if (first !== undefined && second !== undefined) return joinedPhases(first, second, later);
    return joinedRotations(earlier, later);
  },

  simplify(operation) {
    if (operation.kind === 'unitary') {
      return isNearIdentity(operation.matrix) ? { phase: 0 } : undefined;
    }
    const phase = phaseViewOf(operation);
    if (phase === undefined || phase.isZRotation) return degenerate(operation);
    // A global phase is merged into the circuit's single one.
    if (phase.qubits.length === 0) return { phase: phase.angle };
    const isNothing = Math.abs(wrapped(phase.angle, 2 * Math.PI)) < NEGLIGIBLE;
    return isNothing ? { phase: 0 } : undefined;
  },
};

function phaseViewOf(operation: GateOperation): PhaseView | undefined {
  const { gate, controls, targets, condition } = operation;
  // With a condition or control, the global phase of an RZ would be a further gate.
  if (gate === Z_ROTATION && controls.length === 0 && condition === undefined) {
    const angle = reducedAngle(operation.angles[0]!);
    return { qubits: targets, angle, globalPhase: -angle / 2, isZRotation: true };
  }
  const angle = phaseAngleOf(operation);
  if (angle === undefined) return undefined;
  const qubits = controls.length === 0 ? targets : [...targets, ...controls];
  return { qubits, angle, globalPhase: 0, isZRotation: false };
}

function joinedPhases(first: PhaseView, second: PhaseView, later: GateOperation): Rewritten {
  const angle = sumOfAngles(first.angle, second.angle);
  if (first.isZRotation && second.isZRotation) {
    return rotation({ ...later, angles: [angle] });
  }
  const operation = phaseOn(second.qubits, angle, conditionOf(later));
  const phase = first.globalPhase + second.globalPhase;
  return operation === undefined ? { phase } : { operation, phase };
}

function joinedRotations(earlier: GateOperation, later: GateOperation): Rewritten | undefined {
  const { base, adds, isSymmetric } = factsNamed(earlier.gate);
  if (adds === undefined || base !== factsNamed(later.gate).base) return undefined;
  const isOrderFree = isSymmetric || earlier.targets[0] === later.targets[0];
  const isSameAxis = later.angles.every((angle, i) => adds[i] || angle === earlier.angles[i]);
  if (!isOrderFree || !isSameAxis) return undefined;
  const angles = later.angles.map((angle, i) =>
    adds[i] ? sumOfAngles(angle, earlier.angles[i]!) : angle,
  );
  return rotation({ ...later, angles });
}

/** Makes a rotation by added angles, reduced and with its usual name. */
function rotation(operation: GateOperation): Rewritten {
  const { base, adds = [], period } = factsNamed(operation.gate);
  const angles = operation.angles.map((angle, i) => (adds[i] ? wrapped(angle, period) : angle));
  const gate = nameUnderControls(base, operation.controls.length);
  return degenerate(operation) ?? { operation: { ...operation, gate, angles }, phase: 0 };
}

/** Simplifies a rotation by nothing, or by the angle that only changes the sign. */
function degenerate(operation: GateOperation): Rewritten | undefined {
  const { adds, period, isSpinor } = factsNamed(operation.gate);
  if (adds === undefined) return undefined;
  let isZero = true;
  let isHalf = isSpinor;
  for (let i = 0; i < adds.length; i++) {
    if (!adds[i]) continue;
    const size = Math.abs(wrapped(operation.angles[i]!, period));
    isZero &&= size < NEGLIGIBLE;
    isHalf &&= Math.abs(size - period / 2) < NEGLIGIBLE;
    if (!isZero && !isHalf) return undefined;
  }
  if (isZero) return { phase: 0 };
  if (operation.controls.length === 0) return { phase: Math.PI };
  const sign = phaseOn(operation.controls, Math.PI, conditionOf(operation));
  return sign === undefined ? { phase: 0 } : { operation: sign, phase: 0 };
}

/** Keeps the unitary; a second run finds nothing more. */
export const cancelInverses: Pass = {
  name: 'cancel-inverses',
  run: (circuit) => rewritePairs(circuit, [inverseRule]),
};

/** Cancels inverse pairs: for gates by the gate table, for explicit unitaries by their entries. */
const inverseRule: PairRule = {
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
