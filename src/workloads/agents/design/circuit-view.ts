/** A circuit as the design agent's results have it. */
import type { Circuit } from '../../../circuit/circuit.ts';
import { OpenQasmUnprintableError } from '../../../circuit/errors.ts';
import { printOpenQasm } from '../../../circuit/openqasm/print-openqasm.ts';
import { circuitJson } from '../../algorithms/circuit-json.ts';
import type { JsonObject } from '../../procedures/json.ts';

/** A result has one text only of a circuit of more operations: it would not fit into a record. */
const MAX_PRINTED = 20_000;

/** Gate objects, the register's width, and, of circuits that are not huge, OpenQASM 3. */
export function circuitView(circuit: Circuit): JsonObject {
  return {
    circuit: circuitJson(circuit),
    qubits: circuit.numQubits,
    ...qasmOf(circuit),
  };
}

function qasmOf(circuit: Circuit): JsonObject {
  if (circuit.operations.length > MAX_PRINTED) return {};
  try {
    return { qasm: printOpenQasm(circuit, '3') };
  } catch (error) {
    // What OpenQASM cannot say, gate objects have said.
    if (error instanceof OpenQasmUnprintableError) return {};
    throw error;
  }
}
