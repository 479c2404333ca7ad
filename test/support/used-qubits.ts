/** Circuits on devices without the qubits that nothing acts on. */
import type { Circuit } from '../../src/circuit/circuit.ts';
import { renumbered, usedQubits } from '../../src/compiler/device/device.ts';

/** The circuit on those of its qubits that it uses, renumbered in order. */
export function withoutIdleQubits(circuit: Circuit): Circuit {
  const used = [...usedQubits(circuit)].sort((a, b) => a - b);
  return renumbered(circuit, new Map(used.map((qubit, i) => [qubit, i])));
}
