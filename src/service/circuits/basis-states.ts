/** Basis states whose amplitudes a request asks for: their labels, and the amplitudes in an answer. */
import { counted, type FaultList } from '../../circuit/fault-list.ts';
import type { BasisState } from '../../circuit/openqasm/results.ts';

/** Code of faults that depend on the circuit. */
const INVALID = 'CIRCUIT_INVALID';

/**
 * Reads labels of basis states: bits, the highest qubit leftmost, or a hexadecimal number with a leading `0x`. Adds a fault
 * for each label that does not fit the circuit, and for each state that is named twice.
 */
export function readBasisStates(
  labels: readonly string[],
  numQubits: number,
  faults: FaultList,
): readonly BasisState[] {
  const qubits = counted(numQubits, 'qubit');
  const places = new Map<bigint, number>();
  return labels.map((label, i) => {
    const path = `basis_states[${i}]`;
    const isHex = label.startsWith('0x');
    const index = BigInt(isHex ? label : `0b${label}`);
    const before = places.get(index);
    if (!isHex && label.length !== numQubits) {
      const problem = `The label has ${counted(label.length, 'bit')}; the circuit has ${qubits}.`;
      faults.add(path, problem, INVALID);
    } else if (index >> BigInt(numQubits) > 0n) {
      const problem = `The number is not below 2^${numQubits}; the circuit has ${qubits}.`;
      faults.add(path, problem, INVALID);
    } else if (before !== undefined) {
      faults.add(path, `The same basis state as basis_states[${before}].`, INVALID);
    }
    places.set(index, before ?? i);
    return { label, index };
  });
}

/**
 * Amplitudes by label as JSON text, in the order of the states.
 *
 * @param amplitudes - Interleaved re, im.
 * @param first - Number of the amplitude of the first state.
 */
export function amplitudesByLabel(
  states: readonly BasisState[],
  amplitudes: Float64Array,
  first: number,
): string {
  const entries = states.map(({ label }, i) => {
    const at = 2 * (first + i);
    // Adding 0 turns −0 into 0, as JSON would.
    return `"${label}":[${amplitudes[at]! + 0},${amplitudes[at + 1]! + 0}]`;
  });
  return `{${entries.join(',')}}`;
}
