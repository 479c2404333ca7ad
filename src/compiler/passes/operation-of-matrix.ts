/** Finds the simplest operation with a given matrix. */
import type { Qubit } from '../../circuit/circuit.ts';
import { type ComplexMatrix, isDiagonal } from '../../math/complex-matrix.ts';
import { isNearIdentity, NEGLIGIBLE, nameUnderControls } from './gate-facts.ts';
import { type Conditioned, type GateLike, phaseOn } from './gate-like.ts';
import { phaseOf } from './restrict-matrix.ts';

/** Qubits and condition of an operation. */
interface Operands extends Conditioned {
  readonly controls: readonly Qubit[];
  readonly targets: readonly Qubit[];
}

/**
 * Returns a phase or an RZ if the matrix is one, else an explicit unitary; undefined for the identity. The
 * operation equals the matrix, including its phase, within about fifty roundings.
 */
export function operationOf(matrix: ComplexMatrix, operands: Operands): GateLike | undefined {
  const exact = matrix.map((part) => (Math.abs(part) < NEGLIGIBLE ? 0 : part));
  if (isNearIdentity(exact)) return undefined;
  if (operands.targets.length === 1 && isDiagonal(exact)) {
    const named = oneQubitDiagonal(exact, operands);
    if (named !== undefined) return named;
  }
  return { kind: 'unitary', ...operands, matrix: exact };
}

function oneQubitDiagonal(
  matrix: ComplexMatrix,
  { controls, targets, ...condition }: Operands,
): GateLike | undefined {
  const zero = phaseOf(matrix[0]!, matrix[1]!);
  const one = phaseOf(matrix[6]!, matrix[7]!);
  if (zero === undefined || one === undefined) return undefined;
  if (Math.abs(zero) < NEGLIGIBLE) return phaseOn([...targets, ...controls], one, condition);
  if (Math.abs(zero + one) > NEGLIGIBLE) return undefined;
  const gate = nameUnderControls('RZ', controls.length);
  return { kind: 'gate', gate, controls, targets, angles: [2 * one], ...condition };
}
