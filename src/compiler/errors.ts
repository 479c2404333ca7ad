/** Errors of the compiler. */
import { coded } from '../errors/coded-error.ts';

/** The matrix of an operation spans more targets than the target profile allows in one kernel. */
export class KernelTooWideError extends coded(
  'COMPILER_KERNEL_TOO_WIDE',
  (operationIndex: number, numTargets: number, maxDenseQubits: number) =>
    `Operation ${operationIndex} acts on ${numTargets} targets with a matrix that is not diagonal; the engine takes at most ${maxDenseQubits}.`,
) {}

/** A channel acts on more qubits than density matrices take on one engine. */
export class ChannelTooWideError extends coded(
  'COMPILER_CHANNEL_TOO_WIDE',
  (operationIndex: number, numQubits: number, most: number) =>
    `Operation ${operationIndex} is noise on ${numQubits} qubits together; density matrices take other than depolarizing noise on at most ${most}.`,
) {}

/** A channel acts on more qubits than matrix product states take together. */
export class MatrixProductNoiseError extends coded(
  'COMPILER_MATRIX_PRODUCT_NOISE',
  (numQubits: number) =>
    `Noise on ${numQubits} qubits together; matrix product states take any channel on up to 2 qubits, and on more only Pauli errors of which none is likelier than no error.`,
) {}
