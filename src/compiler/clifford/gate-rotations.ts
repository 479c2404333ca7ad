/** Gates as products of rotations about Pauli strings. */
import type { GateOperation, UnitaryOperation } from '../../circuit/circuit.ts';
import { eulerAngles } from '../../circuit/gate-matrices.ts';
import type { PauliFactor } from '../../circuit/observable.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import { numOnes } from '../../math/basis-index.ts';
import { type ComplexMatrix, dimension, isDiagonal } from '../../math/complex-matrix.ts';

/** Operands up to which a gate is written as rotations; it has at most 2^operands of them. */
const MAX_OPERANDS = 6;

/** Rotation exp(−i·angle/2·P) about the product P of the factors; the angle is in radians. */
export interface PauliRotation {
  readonly factors: readonly PauliFactor[];
  readonly angle: number;
}

/**
 * A gate as rotations, in order, up to a phase; undefined if it has more than six operands, or several targets and is
 * not diagonal.
 *
 * @param qubits - Its operands.
 */
export function rotationsOf(
  operation: GateOperation | UnitaryOperation,
  qubits: readonly number[],
): readonly PauliRotation[] | undefined {
  if (qubits.length > MAX_OPERANDS) return undefined;
  const matrix = targetMatrix(operation);
  const size = dimension(matrix);
  const numControls = operation.controls.length;
  if (isDiagonal(matrix)) {
    const phases = Array.from({ length: size }, (_, i) => argument(matrix, i * (size + 1)));
    return diagonalRotations(qubits, numControls, phases);
  }
  if (size !== 2) return undefined;
  const target = qubits[numControls]!;
  const { polar, azimuth, phases } = eigenbasis(matrix);
  const about = (pauli: 'Y' | 'Z', angle: number) => ({
    factors: [{ pauli, qubit: target }],
    angle,
  });
  return [
    about('Z', -azimuth),
    about('Y', -polar),
    ...diagonalRotations(qubits, numControls, phases),
    about('Y', polar),
    about('Z', azimuth),
  ];
}

/** A diagonal gate, given by the phases of its targets' basis states, where all controls are 1. */
function diagonalRotations(
  qubits: readonly number[],
  numControls: number,
  phases: readonly number[],
): readonly PauliRotation[] {
  const size = 2 ** qubits.length;
  const controls = 2 ** numControls - 1;
  return Array.from({ length: size - 1 }, (_, i) => {
    const set = i + 1;
    // exp(i·c·Z…Z) is a rotation by −2·c; the coefficients c are the Walsh–Hadamard transform of the phases.
    let sum = 0;
    for (const [state, phase] of phases.entries()) {
      const index = controls + state * 2 ** numControls;
      sum += numOnes(index & set) % 2 === 0 ? phase : -phase;
    }
    const members = qubits.filter((_, place) => ((set >> place) & 1) === 1);
    const factors = members.map((qubit) => ({ pauli: 'Z' as const, qubit }));
    return { factors, angle: (-2 * sum) / size };
  });
}

const argument = (matrix: ComplexMatrix, entry: number): number =>
  Math.atan2(matrix[2 * entry + 1]!, matrix[2 * entry]!);

/** A unitary on one qubit as V·D·V†: V = RZ(azimuth)·RY(polar), and D is diagonal with the given phases. */
function eigenbasis(matrix: ComplexMatrix) {
  // The matrix is exp(i·delta)·(cos(half) − i·sin(half)·n·σ); x, y and z are sin(half)·n.
  const { theta, phi, lambda, gamma } = eulerAngles(matrix);
  const [sum, difference] = [(lambda + phi) / 2, (lambda - phi) / 2];
  const delta = gamma + sum;
  const [cosine, sine] = [Math.cos(theta / 2), Math.sin(theta / 2)];
  const x = sine * Math.sin(difference);
  const y = sine * Math.cos(difference);
  const z = cosine * Math.sin(sum);
  const half = Math.atan2(Math.hypot(x, y, z), cosine * Math.cos(sum));
  return {
    polar: Math.atan2(Math.hypot(x, y), z),
    azimuth: Math.atan2(y, x),
    phases: [delta - half, delta + half],
  };
}
