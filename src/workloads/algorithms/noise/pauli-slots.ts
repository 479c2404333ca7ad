/**
 * A circuit with room for Pauli errors, so that every pattern of errors is the same shape.
 *
 * After each gate that may fail stand RX and RZ on each of its qubits, with angles 0 or π: neither is
 * the identity, RX alone X, RZ alone Z, both Y, up to a phase of the whole state.
 */
import {
  type Circuit,
  type Operation,
  operationQubits,
  type Qubit,
} from '../../../circuit/circuit.ts';

/** A place where an error may happen. */
export interface ErrorSite {
  /** One or two qubits. */
  readonly qubits: readonly Qubit[];
}

/** An error: at which site, and which Pauli on each of its qubits: two bits a qubit, 1 X, 2 Z, 3 Y. */
export interface PauliError {
  readonly site: number;
  /** From 1 to 4^qubits − 1. */
  readonly pauli: number;
}

/** A circuit and the places where errors may happen in it, in order. */
export interface NoisyCircuit {
  readonly sites: readonly ErrorSite[];
  /**
   * The circuit with those errors.
   *
   * @param hasRoom - Whether to leave room where nothing goes wrong, so that all patterns have one shape.
   */
  readonly withErrors: (errors: readonly PauliError[], hasRoom: boolean) => Circuit;
}

/**
 * Where errors may happen: after each gate and explicit unitary.
 *
 * @param mayFail - By the number of a gate's qubits, 1 or 2.
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

/** The qubits of a gate or unitary; none of anything else. */
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

/** Shared, because most slots are alike: comparing an object with itself costs nothing. */
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
