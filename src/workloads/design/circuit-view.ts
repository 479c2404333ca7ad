/** A circuit as the design agent's results have it. */
import type { Circuit } from '../../circuit/circuit.ts';
import { OpenQasmUnprintableError } from '../../circuit/errors.ts';
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import { circuitJson } from '../algorithms/circuit-json.ts';
import type { JsonObject } from '../procedures/json.ts';

/** Gate objects, the register's width, and OpenQASM 3. */
export function circuitView(circuit: Circuit): JsonObject {
  return {
    circuit: circuitJson(circuit),
    qubits: circuit.numQubits,
    ...qasmOf(circuit),
  };
}

function qasmOf(circuit: Circuit): JsonObject {
  try {
    return { qasm: printOpenQasm(circuit, '3') };
  } catch (error) {
    // What OpenQASM cannot say, gate objects have said.
    if (error instanceof OpenQasmUnprintableError) return {};
    throw error;
  }
}
