/** Pauli sums as callers write them (`"Z0 Z1"`) and as engines read them (bit masks' ingredients). */
import type { Fault } from '../errors/coded-error.ts';
import type { Qubit } from './circuit.ts';

/** One Pauli on one qubit. */
export interface PauliFactor {
  readonly pauli: 'X' | 'Y' | 'Z';
  readonly qubit: Qubit;
}

/** A real coefficient times a product of Paulis on distinct qubits; no factors is the identity. */
export interface PauliTerm {
  readonly coefficient: number;
  readonly factors: readonly PauliFactor[];
}

/** A Hermitian observable: the sum of its terms. */
export type PauliSum = readonly PauliTerm[];

const FACTOR = /^([IXYZ])(\d{1,3})$/i;

/**
 * The factors of a text such as `"X0 Y3 Z4"`; `"I"` and `""` are the identity.
 *
 * @returns The factors, or the fault found.
 */
export function parsePauliString(
  text: string,
  numQubits: number,
  path: string,
): readonly PauliFactor[] | Fault {
  const factors: PauliFactor[] = [];
  const seen = new Set<Qubit>();
  for (const word of text.trim().split(/\s+/)) {
    if (word === '' || word.toUpperCase() === 'I') continue;
    const match = FACTOR.exec(word);
    if (match === null) {
      return { path, message: `"${word}" is not a Pauli factor; write for example "Z0 X3".` };
    }
    const qubit = Number(match[2]);
    if (qubit >= numQubits) {
      return {
        path,
        message: `"${word}" names qubit ${qubit}, but the circuit has ${numQubits} qubits.`,
      };
    }
    if (seen.has(qubit)) return { path, message: `Qubit ${qubit} appears twice in "${text}".` };
    seen.add(qubit);
    const pauli = match[1]!.toUpperCase();
    if (pauli === 'X' || pauli === 'Y' || pauli === 'Z') factors.push({ pauli, qubit });
  }
  return factors;
}
