/** Inverses of gates and explicit unitaries. */
import { adjoint } from '../math/complex-matrix.ts';
import type { GateOperation, UnitaryOperation } from './circuit.ts';
import { gateNamed } from './gates.ts';

/** The inverse of a gate, by the gate table; conditions are left out. */
export function inverseGate({ gate, controls, targets, angles }: GateOperation): GateOperation {
  const inverse = gateNamed(gate).inverse(angles);
  const ordered = inverse.targetOrder?.map((i) => targets[i]!) ?? targets;
  return { kind: 'gate', gate: inverse.gate, controls, targets: ordered, angles: inverse.angles };
}

/** The inverse of a gate or explicit unitary; conditions are left out. */
export function inverseOperation(
  operation: GateOperation | UnitaryOperation,
): GateOperation | UnitaryOperation {
  if (operation.kind === 'gate') return inverseGate(operation);
  const { controls, targets, matrix } = operation;
  return { kind: 'unitary', controls, targets, matrix: adjoint(matrix) };
}
