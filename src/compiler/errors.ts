/** Errors of the compiler. */
import { CodedError } from '../errors/coded-error.ts';

/** The matrix of an operation spans more targets than the target profile allows in one kernel. */
export class KernelTooWideError extends CodedError {
  readonly code = 'COMPILER_KERNEL_TOO_WIDE';

  constructor(operationIndex: number, numTargets: number, maxDenseQubits: number) {
    super(
      `Operation ${operationIndex} acts on ${numTargets} targets with a matrix that is not diagonal; the engine takes at most ${maxDenseQubits}.`,
    );
  }
}

/** A channel acts on more qubits than density matrices take on one engine. */
export class ChannelTooWideError extends CodedError {
  readonly code = 'COMPILER_CHANNEL_TOO_WIDE';

  constructor(operationIndex: number, numQubits: number, most: number) {
    super(
      `Operation ${operationIndex} is noise on ${numQubits} qubits together; density matrices take other than depolarizing noise on at most ${most}.`,
    );
  }
}

/** A circuit with noise was to be run on matrix product states. */
export class MatrixProductNoiseError extends CodedError {
  readonly code = 'COMPILER_MATRIX_PRODUCT_NOISE';

  constructor() {
    super(
      'Matrix product states take no noise but misread bits; the state vector, density matrices and stabilizers do.',
    );
  }
}
