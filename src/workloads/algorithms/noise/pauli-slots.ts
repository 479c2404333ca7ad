/**
 * Circuits with slots for Pauli errors, so that all error patterns have one shape.
 *
 * After each gate that may fail stand RX and RZ on each of its qubits, with angles 0 or π: up to a global
 * phase both 0 are the identity, RX alone is X, RZ alone Z, both Y.
 */
import {
  type Circuit,
  type Operation,
  operationQubits,
  type Qubit,
} from '../../../circuit/circuit.ts';

/** A site at which an error may happen. */
export interface ErrorSite {
  /** Its one or two qubits. */
  readonly qubits: readonly Qubit[];
}

/** An error: its site, and the Pauli on each of the site's qubits, two bits per qubit (1 X, 2 Z, 3 Y). */
export interface PauliError {
  readonly site: number;
  /** Code of the Paulis, from 1 to 4^qubits − 1. */
  readonly pauli: number;
}

/** A circuit and the sites of possible errors in it, in order. */
export interface NoisyCircuit {
  readonly sites: readonly ErrorSite[];
  /**
   * Builds the circuit with errors.
   *
   * @param hasRoom - Whether to keep slots at sites without an error, so that all patterns have one
   *   shape.
   */
  readonly withErrors: (errors: readonly PauliError[], hasRoom: boolean) => Circuit;
}

/**
 * Finds the sites: after each gate and explicit unitary.
 *
 * @param mayFail - Whether gates fail, by their number of qubits, 1 or 2.
 */
export function noisyCircuit(
  circuit: Circuit,
  mayFail: (numQubits: number) => boolean,
): NoisyCircuit {
  const sites: ErrorSite[] = [];
  const siteAfter = circuit.operations.map((operation) => {
    const qubits = gateQubits(operation);
    if (qubits.length === 0 || !mayFail(qubits.length)) return undefined;
    sites.push({ qubits });
    return sites.length - 1;
  });
  return {
    sites,
    withErrors: (errors, hasRoom) => {
      const paulis = new Map(errors.map(({ site, pauli }) => [site, pauli]));
      const operations = circuit.operations.flatMap((operation, i) => {
        const site = siteAfter[i];
        if (site === undefined) return [operation];
        const pauli = paulis.get(site) ?? 0;
        if (pauli === 0 && !hasRoom) return [operation];
        return [operation, ...slots(sites[site]!.qubits, pauli)];
      });
      return { ...circuit, operations };
    },
  };
}

/** Qubits of a gate or unitary; none for other operations. */
export function gateQubits(operation: Operation): readonly Qubit[] {
  const isGate = operation.kind === 'gate' || operation.kind === 'unitary';
  return isGate ? operationQubits(operation) : [];
}

function slots(qubits: readonly Qubit[], pauli: number): readonly Operation[] {
  return qubits.flatMap((qubit, i) => {
    const own = (pauli >> (2 * i)) & 3;
    return [turn('RX', qubit, own & 1), turn('RZ', qubit, own >> 1)];
  });
}

/** Shared objects: most slots are alike, and comparing an object with itself is cheap. */
const turns = new Map<string, Operation>();

function turn(gate: 'RX' | 'RZ', qubit: Qubit, isOn: number): Operation {
  const key = `${gate}${qubit}${isOn}`;
  let operation = turns.get(key);
  if (operation === undefined) {
    const angles = [isOn * Math.PI];
    operation = { kind: 'gate', gate, controls: [], targets: [qubit], angles };
    turns.set(key, operation);
  }
  return operation;
}
