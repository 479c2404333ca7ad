/** The circuit of an input, which a processor would take now. */
import type { Circuit } from '../../../circuit/circuit.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import { type CircuitInput, circuitOf } from '../../procedures/input-fields.ts';
import type { CircuitRunner } from '../../procedures/procedure-context.ts';

/** A state of that many qubits is held by the smallest node; processors may hold fewer at a time. */
export const MAX_CIRCUIT_QUBITS = 24;
/** Widest state or classical register of which a result lists every entry. */
export const MAX_LISTED_QUBITS = 14;

/**
 * Reads it.
 *
 * @throws {ProcedureInputError} if it is wrong, or wider than what the processors hold now.
 */
export function fittingCircuit(input: CircuitInput, { maxQubits }: CircuitRunner): Circuit {
  const circuit = circuitOf(input, { maxQubits: MAX_CIRCUIT_QUBITS });
  if (circuit.numQubits <= maxQubits) return circuit;
  const path = input.circuit === undefined ? 'qasm' : 'circuit';
  const message = `${circuit.numQubits} qubits; the widest circuit that would run now has ${maxQubits}.`;
  throw new ProcedureInputError([{ path, message }]);
}
