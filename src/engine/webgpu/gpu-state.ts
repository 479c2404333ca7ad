/** A state vector on a GPU, for everything that reads or changes it. */

/** 2^numQubits amplitudes: complex numbers of two 32-bit floats, re then im. */
export interface GpuState {
  /**
   * Buffers of 2^chunkQubits amplitudes each, of which chunk i holds those whose index reads i above
   * its lowest `chunkQubits` bits. Chunks change places where that is all that an operation does.
   */
  readonly chunks: GPUBuffer[];
  /** Qubits inside one chunk. */
  readonly chunkQubits: number;
  /** Of all chunks: at least a tile's, so that those above the program's own may be 0 throughout. */
  readonly numQubits: number;
}

/** Bytes of one amplitude. */
export const AMPLITUDE_BYTES = 8;
