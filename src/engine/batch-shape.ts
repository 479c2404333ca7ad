/** The shapes that batches take, on any engine. */
import { type Circuit, hasMidCircuitMeasurement, measuredQubits } from '../circuit/circuit.ts';
import { OutputNeedsFinalStateError, ProgramTooWideError } from './errors.ts';

/** Qubits of a batch's circuits, at most. */
export const MAX_BATCH_QUBITS = 12;

/**
 * Refuses what cannot be run as a batch.
 *
 * @param engine - What errors call it.
 * @throws {ProgramTooWideError} if it has more than 12 qubits.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 */
export function checkBatchShape(shape: Circuit, engine: string): void {
  if (shape.numQubits > MAX_BATCH_QUBITS) {
    throw new ProgramTooWideError(shape.numQubits, MAX_BATCH_QUBITS, engine);
  }
  if (hasMidCircuitMeasurement(shape)) throw new OutputNeedsFinalStateError('A batch');
}

/** For each qubit the classical bits, as a mask, that read it at the end. */
export function outcomeBitsOf(shape: Circuit): readonly number[] {
  const bits = new Array<number>(shape.numQubits).fill(0);
  for (const [bit, qubit] of measuredQubits(shape).entries()) {
    if (qubit !== null) bits[qubit]! |= 1 << bit;
  }
  return bits;
}
