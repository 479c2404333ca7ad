/** Circuits in the results of the design agent. */
import type { Circuit } from '../../../circuit/circuit.ts';
import { OpenQasmUnprintableError } from '../../../circuit/errors.ts';
import { printOpenQasm } from '../../../circuit/openqasm/print-openqasm.ts';
import { circuitJson } from '../../algorithms/circuit-json.ts';
import type { JsonObject } from '../../procedures/json.ts';

/** A circuit with more operations is written without OpenQASM, so that the result fits into a record. */
const MAX_PRINTED = 20_000;

/** A circuit as gate objects, with the width of its register and, unless it is huge, as OpenQASM 3. */
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
    // If OpenQASM cannot express the circuit, the gate objects do.
    if (error instanceof OpenQasmUnprintableError) return {};
    throw error;
  }
}
