/** Circuits in the results of the design agent: gates, OpenQASM, counts of gates and depths. */
import { type Circuit, operationQubits } from '../../../circuit/circuit.ts';
import { OpenQasmUnprintableError } from '../../../circuit/errors.ts';
import { printOpenQasm } from '../../../circuit/openqasm/print-openqasm.ts';
import { depthOf } from '../../../compiler/report.ts';
import { circuitJson } from '../../algorithms/gate-operation.ts';
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

/** Gate counts in results; measurements, resets and barriers are not gates. */
export interface GateCounts extends JsonObject {
  readonly total: number;
  readonly two_qubit: number;
  /** Number of gates on three or more qubits. */
  readonly wider: number;
  /** Number of operations by name, measurements and resets included. */
  readonly by_name: Readonly<Record<string, number>>;
}

/** Gate counts and depths of a circuit. */
export interface CircuitSize extends JsonObject {
  readonly gates: GateCounts;
  /** Length of the longest chain of dependent operations. */
  readonly depth: number;
  /** Depth in which only gates on two or more qubits count. */
  readonly two_qubit_depth: number;
}

/** Computes gate counts and depths; a global phase is not a gate. */
export function circuitSize(circuit: Circuit): CircuitSize {
  let [total, two, wider] = [0, 0, 0];
  const byName = new Map<string, number>();
  for (const operation of circuit.operations) {
    if (operation.kind === 'barrier') continue;
    const width = operationQubits(operation).length;
    if (width === 0) continue;
    const name = nameOf(operation);
    byName.set(name, (byName.get(name) ?? 0) + 1);
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') continue;
    total++;
    if (width === 2) two++;
    if (width > 2) wider++;
  }
  const wide = circuit.operations.filter(
    (operation) =>
      operation.kind === 'barrier' ||
      ((operation.kind === 'gate' || operation.kind === 'unitary') &&
        operationQubits(operation).length > 1),
  );
  return {
    gates: {
      total,
      two_qubit: two,
      wider,
      by_name: Object.fromEntries([...byName].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
    depth: depthOf(circuit),
    two_qubit_depth: depthOf({ ...circuit, operations: wide }),
  };
}

function nameOf(operation: Circuit['operations'][number]): string {
  switch (operation.kind) {
    case 'gate':
      return operation.gate;
    case 'unitary':
      return 'UNITARY';
    case 'measure':
      return 'M';
    case 'reset':
      return 'RESET';
    case 'barrier':
      return 'BARRIER';
  }
}
