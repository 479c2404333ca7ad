/** A state vector on a GPU, for everything that reads or changes it. */

/** 2^numQubits amplitudes in one buffer: complex numbers of two 32-bit floats, re then im. */
export interface GpuState {
  readonly buffer: GPUBuffer;
  /** Of the buffer: at least a tile's, so that those above the program's own may be 0 throughout. */
  readonly numQubits: number;
}
