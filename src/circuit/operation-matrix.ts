/** Matrices and inverses of operations, and matrices of short circuits on a few qubits. */
import { adjoint, type ComplexMatrix, identity } from '../math/complex-matrix.ts';
import type { GateOperation, UnitaryOperation } from './circuit.ts';
import { gateNamed } from './gates.ts';

/** Matrix of a gate or unitary on its targets. */
export function targetMatrix(operation: GateOperation | UnitaryOperation): ComplexMatrix {
  return operation.kind === 'unitary'
    ? operation.matrix
    : gateNamed(operation.gate).matrix(operation.angles);
}

/**
 * Product of operations on qubits 0 … numQubits − 1, the first one applied first. Conditions are ignored.
 *
 * @returns Row-major, 2^numQubits rows.
 */
export function matrixOfOperations(
  operations: readonly (GateOperation | UnitaryOperation)[],
  numQubits: number,
): ComplexMatrix {
  const out = identity(2 ** numQubits);
  for (const operation of operations) applyToColumns(out, 2 ** numQubits, operation);
  return out;
}

/**
 * Multiplies an operation's full matrix onto `matrix` from the left, in place.
 *
 * @param matrix - `d` rows, of any length: amplitudes are a matrix of one column.
 */
export function applyToColumns(
  matrix: ComplexMatrix,
  d: number,
  operation: GateOperation | UnitaryOperation,
): void {
  const { controls, targets } = operation;
  const own = targetMatrix(operation);
  const size = 2 ** targets.length;
  const targetMask = targets.reduce((mask, target) => mask | (1 << target), 0);
  const controlMask = controls.reduce((mask, control) => mask | (1 << control), 0);
  const offsets = Array.from({ length: size }, (_, i) =>
    targets.reduce((row, target, t) => row | (((i >> t) & 1) << target), 0),
  );
  const column = new Float64Array(2 * size);
  const numColumns = matrix.length / (2 * d);
  for (let base = 0; base < d; base++) {
    if ((base & targetMask) !== 0 || (base & controlMask) !== controlMask) continue;
    for (let col = 0; col < numColumns; col++) {
      for (const [i, offset] of offsets.entries()) {
        const at = 2 * ((base | offset) * numColumns + col);
        column[2 * i] = matrix[at]!;
        column[2 * i + 1] = matrix[at + 1]!;
      }
      for (const [row, offset] of offsets.entries()) {
        let [re, im] = [0, 0];
        for (let i = 0; i < size; i++) {
          const m = 2 * (row * size + i);
          re += own[m]! * column[2 * i]! - own[m + 1]! * column[2 * i + 1]!;
          im += own[m]! * column[2 * i + 1]! + own[m + 1]! * column[2 * i]!;
        }
        const at = 2 * ((base | offset) * numColumns + col);
        matrix[at] = re;
        matrix[at + 1] = im;
      }
    }
  }
}

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
