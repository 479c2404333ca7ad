/** Reads and writes OpenQASM in the page with the service's own readers and writers. Loaded when a text first comes. */
import {
  type DynamicCircuit,
  isDynamicOperation,
  type NoiseOperation,
  type Operation,
} from '../../circuit/circuit.ts';
import { gateObjectsFromCircuit } from '../../circuit/gate-objects-from-circuit.ts';
import { readOpenQasm } from '../../circuit/openqasm/parse-openqasm.ts';
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import type { CircuitSource, ParsedText, TextSource, WrittenText } from './messages.ts';
import { LIMITS, type ReadSource, readObjects } from './read-source.ts';

/**
 * Reads a circuit from a text.
 *
 * @throws {CodedError} with the faults that the service would list.
 */
export function readText({ qasm, inputs = {} }: TextSource): ReadSource {
  const { circuit } = readOpenQasm(qasm, LIMITS, { inputs });
  const { operations } = circuit;
  return {
    circuit,
    numSteps: operations.length,
    upTo: (step) => ({ ...circuit, operations: operations.slice(0, step) }),
  };
}

/**
 * Reads a text for an editor of gates.
 *
 * @throws {CodedError} with the faults that the service would list.
 */
export function parseText({ qasm, inputs = {} }: TextSource): ParsedText {
  const { circuit, warnings } = readOpenQasm(qasm, LIMITS, { inputs });
  const { numQubits: qubits, numBits } = circuit;
  const isWritable = isPrintable(circuit);
  return {
    kind: 'parsed',
    qubits,
    numBits,
    circuit: isWritable ? gateObjectsFromCircuit(circuit) : undefined,
    warnings: warnings.map(({ code, message }) => ({ code, message })),
  };
}

/**
 * Writes a circuit as OpenQASM.
 *
 * @throws {CodedError} with the faults that the service would list, or {OpenQasmUnprintableError}.
 */
export function writeText(source: CircuitSource, version: 2 | 3): WrittenText {
  const { circuit } = readObjects(source);
  if (!isPrintable(circuit)) throw new Error('unreachable: gate objects with loops');
  return { kind: 'written', text: printOpenQasm(circuit, version === 2 ? '2' : '3') };
}

/** A circuit without classical computation and misread bits. */
interface WritableCircuit extends DynamicCircuit {
  readonly operations: readonly (Operation | NoiseOperation)[];
}

/** Whether a circuit computes nothing classical, so that gate objects and both versions can express it. */
function isPrintable(circuit: DynamicCircuit): circuit is WritableCircuit {
  return circuit.operations.every(
    (operation) => !isDynamicOperation(operation) || operation.kind === 'noise',
  );
}
