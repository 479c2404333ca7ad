/** Reads the circuit of an input and checks that a processor could run it now. */
import type { Circuit } from '../../../circuit/circuit.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import { type CircuitInput, circuitOf } from '../../procedures/input-fields.ts';
import type { CircuitRunner } from '../../procedures/procedure-context.ts';

/**
 * Most qubits of a circuit: the smallest node can hold such a state; processors may hold fewer at times.
 */
export const MAX_CIRCUIT_QUBITS = 24;
/** Most qubits or classical bits for which a result lists every entry. */
export const MAX_LISTED_QUBITS = 14;

/**
 * Reads the circuit of an input.
 *
 * @throws {ProcedureInputError} if it is invalid, or wider than the processors can run now.
 */
export function fittingCircuit(input: CircuitInput, { maxQubits }: CircuitRunner): Circuit {
  const circuit = circuitOf(input, { maxQubits: MAX_CIRCUIT_QUBITS });
  if (circuit.numQubits <= maxQubits) return circuit;
  const path = input.circuit === undefined ? 'qasm' : 'circuit';
  const message = `${circuit.numQubits} qubits; the widest circuit that would run now has ${maxQubits}.`;
  throw new ProcedureInputError([{ path, message }]);
}
