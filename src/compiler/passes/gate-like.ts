/** Functions of gates and explicit unitaries alike, for passes. */
import type { Condition, GateOperation, Qubit, UnitaryOperation } from '../../circuit/circuit.ts';
import { reducedAngle } from '../../math/angles.ts';
import { type ComplexMatrix, dimension } from '../../math/complex-matrix.ts';
import {
  type Axes,
  axesOn,
  FIXED_PHASES,
  factsNamed,
  GLOBAL_PHASE_GATE,
  NEGLIGIBLE,
  nameUnderControls,
  PHASE_GATE,
  Z_AXIS,
} from './gate-facts.ts';

/** An operation with a matrix. */
export type GateLike = GateOperation | UnitaryOperation;

/** An optional condition, to spread into an operation. */
export interface Conditioned {
  readonly condition?: Condition;
}

/** Condition of an operation, to spread into another one. */
export function conditionOf({ condition }: Conditioned): Conditioned {
  return condition === undefined ? {} : { condition };
}

/** Matrix that acts on the targets where the controls are |1⟩. */
export function matrixOf(operation: GateLike): ComplexMatrix {
  if (operation.kind === 'unitary') return operation.matrix;
  const { matrix, definition } = factsNamed(operation.gate);
  return matrix ?? definition.matrix(operation.angles);
}

const axesOfMatrices = new WeakMap<ComplexMatrix, readonly Axes[]>();

/** Axes that an operation commutes with on each of its targets, for any angles. */
export function targetAxes(operation: GateLike): readonly Axes[] {
  if (operation.kind === 'gate') return factsNamed(operation.gate).axes;
  const known = axesOfMatrices.get(operation.matrix);
  if (known !== undefined) return known;
  const numTargets = Math.round(Math.log2(dimension(operation.matrix)));
  const axes = Array.from({ length: numTargets }, (_, i) => axesOn(operation.matrix, i));
  axesOfMatrices.set(operation.matrix, axes);
  return axes;
}

/** Axes that an operation commutes with on controls and then targets, in the order of `operationQubits`. */
export function axesOf(operation: GateLike): readonly Axes[] {
  const axes = targetAxes(operation);
  if (operation.controls.length === 0) return axes;
  return [...operation.controls.map(() => Z_AXIS), ...axes];
}

/**
 * Reduces an angle to (−period/2, period/2].
 *
 * @param period - 2π or 4π.
 */
export function wrapped(angle: number, period: number): number {
  const near = reducedAngle(angle);
  const turned = near - period * Math.round(near / period);
  return turned <= -period / 2 + NEGLIGIBLE ? turned + period : turned;
}

/**
 * Makes the operation e^{i·angle} where all the qubits are |1⟩: a Z, S, T or P with controls; undefined for a
 * zero angle.
 */
export function phaseOn(
  qubits: readonly Qubit[],
  angle: number,
  condition: Conditioned,
): GateOperation | undefined {
  const turned = wrapped(angle, 2 * Math.PI);
  if (Math.abs(turned) < NEGLIGIBLE) return undefined;
  const [target, ...controls] = qubits;
  if (target === undefined) {
    return {
      kind: 'gate',
      gate: GLOBAL_PHASE_GATE,
      controls: [],
      targets: [],
      angles: [turned],
      ...condition,
    };
  }
  const fixed = FIXED_PHASES.find((phase) => Math.abs(phase.angle - turned) < NEGLIGIBLE);
  return {
    kind: 'gate',
    gate: nameUnderControls(fixed?.base ?? PHASE_GATE, controls.length),
    controls,
    targets: [target],
    angles: fixed === undefined ? [turned] : [],
    ...condition,
  };
}

/**
 * Angle of a gate that is a phase on |1…1⟩ of all its qubits, controls included, in [−2π, 2π]; undefined for
 * other gates.
 */
export function phaseAngleOf({ gate, angles }: GateOperation): number | undefined {
  const { base, phaseAngle } = factsNamed(gate);
  const isOfAngle = base === PHASE_GATE || base === GLOBAL_PHASE_GATE;
  return isOfAngle ? reducedAngle(angles[0]!) : phaseAngle;
}
