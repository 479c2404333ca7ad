/** A state vector in the memory of a GPU. */

/** 2^numQubits amplitudes, each two 32-bit floats, re then im. */
export interface GpuState {
  /**
   * Buffers of 2^chunkQubits amplitudes each. Chunk i holds the amplitudes whose index is i above
   * its lowest `chunkQubits` bits. An operation may only reorder the chunks.
   */
  readonly chunks: GPUBuffer[];
  /** Qubits inside one chunk. */
  readonly chunkQubits: number;
  /** Qubits of all chunks; at least a tile's. Those beyond the program's own are always 0. */
  readonly numQubits: number;
}

/** Bytes of one amplitude. */
export const AMPLITUDE_BYTES = 8;
