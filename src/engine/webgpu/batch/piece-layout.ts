/** Device memory of a piece of a batch. */
import type { BatchRequest } from '../../batch-request.ts';

/** Largest buffer, unless a single circuit needs more. */
const MAX_BUFFER_BYTES = 2 ** 26;
const WORD_BYTES = 4;
const AMPLITUDE_BYTES = 8;

/** Bytes of one circuit; 0 for outputs that are not requested. */
export interface CircuitBytes {
  readonly angles: number;
  readonly state: number;
  readonly expectations: number;
  readonly probabilities: number;
  readonly counts: number;
  /** Bytes of the state that is read back. */
  readonly statevector: number;
}

/** Computes the bytes of one circuit of a request. */
export function circuitBytes(
  sizes: { readonly numAngles: number; readonly roomQubits: number; readonly numMeasured: number },
  request: BatchRequest,
): CircuitBytes {
  const state = AMPLITUDE_BYTES * 2 ** sizes.roomQubits;
  const patterns = WORD_BYTES * 2 ** sizes.numMeasured;
  const { shots = 0, observables = [] } = request;
  return {
    angles: WORD_BYTES * sizes.numAngles,
    state,
    expectations: WORD_BYTES * observables.length,
    probabilities: request.probabilities === true ? patterns : 0,
    counts: shots > 0 ? patterns : 0,
    statevector: request.statevectors === true ? state : 0,
  };
}

/** Bytes of the results of one circuit. */
export function resultBytes(bytes: CircuitBytes): number {
  return bytes.expectations + bytes.probabilities + bytes.counts + bytes.statevector;
}

/** Largest number of circuits in a piece. */
export function maxCircuits(
  bytes: CircuitBytes,
  { maxBufferSize, maxStorageBufferBindingSize }: GPUSupportedLimits,
): number {
  const most = Math.min(MAX_BUFFER_BYTES, maxBufferSize, maxStorageBufferBindingSize);
  const largest = Math.max(bytes.angles, bytes.state, resultBytes(bytes));
  return Math.max(1, Math.floor(most / largest));
}
