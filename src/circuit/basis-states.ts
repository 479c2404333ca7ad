/** Basis states by the labels that callers write: bits, the highest qubit leftmost, or a hexadecimal number. */
import { counted, type FaultList } from './errors.ts';

/** A basis state: its label as the caller wrote it, which in a program has qubit 0 leftmost, and its index. */
export interface BasisState {
  readonly label: string;
  readonly index: bigint;
}

/** Code of faults that depend on the circuit. */
const INVALID = 'CIRCUIT_INVALID';

/**
 * Reads labels of basis states: bits, the highest qubit leftmost, or a hexadecimal number with a leading `0x`. Adds a
 * fault for each label that does not fit the circuit, and for each state that is named twice.
 *
 * @param path - Path of the list in messages.
 */
export function readBasisStates(
  labels: readonly string[],
  numQubits: number,
  faults: FaultList,
  path = 'basis_states',
): readonly BasisState[] {
  const qubits = counted(numQubits, 'qubit');
  const places = new Map<bigint, number>();
  return labels.map((label, i) => {
    const place = `${path}[${i}]`;
    const isHex = label.startsWith('0x');
    const index = BigInt(isHex ? label : `0b${label}`);
    const before = places.get(index);
    if (!isHex && label.length !== numQubits) {
      const problem = `The label has ${counted(label.length, 'bit')}; the circuit has ${qubits}.`;
      faults.add(place, problem, INVALID);
    } else if (index >> BigInt(numQubits) > 0n) {
      const problem = `The number is not below 2^${numQubits}; the circuit has ${qubits}.`;
      faults.add(place, problem, INVALID);
    } else if (before !== undefined) {
      faults.add(place, `The same basis state as ${path}[${before}].`, INVALID);
    }
    places.set(index, before ?? i);
    return { label, index };
  });
}
