/**
 * Circuits that prepare GHZ states and Dicke states, among them W states.
 *
 * @see Bärtschi, Eidenbenz, "Deterministic preparation of Dicke states", FCT 2019, for Dicke states.
 */
import type { GateOperation, Qubit } from '../circuit.ts';

/** Prepares (|0…0⟩ + |1…1⟩)/√2. Each step doubles the entangled qubits, so the depth is logarithmic. */
export function ghzCircuit(numQubits: number): readonly GateOperation[] {
  const operations = [gate('H', [], [0])];
  for (let have = 1; have < numQubits; have *= 2) {
    for (let q = 0; q < have && q + have < numQubits; q++) {
      operations.push(gate('CX', [q], [q + have]));
    }
  }
  return operations;
}

/**
 * Prepares the equal sum of all basis states with `numOnes` ones.
 *
 * Starts at |0…01…1⟩ and goes from the last qubit down. Each step distributes a one of the last qubit over
 * the qubits before it, with amplitudes in proportion to the numbers of basis states.
 *
 * @param numOnes - From 0 to numQubits.
 */
export function dickeCircuit(numQubits: number, numOnes: number): readonly GateOperation[] {
  const ones = Array.from({ length: numOnes }, (_, i) => numQubits - 1 - i);
  const operations = ones.map((q) => gate('X', [], [q]));
  for (let length = numQubits; length >= 2; length--) {
    const last = length - 1;
    for (let i = 1; i <= Math.min(numOnes, length - 1); i++) {
      const q = last - i;
      const angle = 2 * Math.acos(Math.sqrt(i / length));
      const controls: readonly Qubit[] = i === 1 ? [last] : [last, q + 1];
      operations.push(gate('CX', [q], [last]));
      operations.push(gate(i === 1 ? 'CRY' : 'RY', controls, [q], [angle]));
      operations.push(gate('CX', [q], [last]));
    }
  }
  return operations;
}

function gate(
  name: string,
  controls: readonly Qubit[],
  targets: readonly Qubit[],
  angles: readonly number[] = [],
): GateOperation {
  return { kind: 'gate', gate: name, controls, targets, angles };
}
