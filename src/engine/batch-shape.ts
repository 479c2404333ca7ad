/** Shapes of circuits that can run as a batch, on any engine. */
import { type Circuit, hasMidCircuitMeasurement, measuredQubits } from '../circuit/circuit.ts';
import { OutputNeedsFinalStateError, ProgramTooWideError } from './errors.ts';

/** Largest number of qubits of a batch's circuits. */
export const MAX_BATCH_QUBITS = 12;

/**
 * Refuses a shape that cannot run as a batch.
 *
 * @param engine - Name of the engine in the error message.
 * @throws {ProgramTooWideError} if the shape has more than 12 qubits.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 */
export function checkBatchShape(shape: Circuit, engine: string): void {
  if (shape.numQubits > MAX_BATCH_QUBITS) {
    throw new ProgramTooWideError(shape.numQubits, MAX_BATCH_QUBITS, engine);
  }
  if (hasMidCircuitMeasurement(shape)) throw new OutputNeedsFinalStateError('A batch');
}

/** For each qubit, the mask of classical bits that it is measured into. */
export function outcomeBitsOf(shape: Circuit): readonly number[] {
  const bits = new Array<number>(shape.numQubits).fill(0);
  for (const [bit, qubit] of measuredQubits(shape).entries()) {
    if (qubit !== null) bits[qubit]! |= 1 << bit;
  }
  return bits;
}
