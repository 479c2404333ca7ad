/** One run that shows a whole unitary: n Bell pairs, one half of each put through the circuit. */
import type { Circuit } from '../../src/circuit/circuit.ts';
import type { Matrix } from './kronecker-oracle.ts';
import { gate } from './random-circuits.ts';

/** The circuit on qubits 0 … n − 1 of 2n, each paired with qubit n + q; must have no measurements. */
export function onBellPairs({ numQubits, operations }: Circuit): Circuit {
  const pairs = Array.from({ length: numQubits }, (_, q) => [
    gate('H', [numQubits + q]),
    gate('CX', [q], [numQubits + q]),
  ]).flat();
  return { numQubits: 2 * numQubits, numBits: 0, operations: [...pairs, ...operations] };
}

/** The amplitudes of `onBellPairs` after a circuit with this unitary. */
export function bellAmplitudes(unitary: Matrix): Float64Array {
  const d = unitary.length;
  const scale = 1 / Math.sqrt(d);
  const out = new Float64Array(2 * d * d);
  for (const [row, entries] of unitary.entries()) {
    for (const [col, [re, im]] of entries.entries()) {
      out[2 * (col * d + row)] = scale * re;
      out[2 * (col * d + row) + 1] = scale * im;
    }
  }
  return out;
}
