/** The gates of a circuit on a device, on the wires that have any. */
import { drawnGates } from '../composer/circuit-words.ts';
import { editedCircuit } from '../composer/edited-circuit.ts';
import type { DrawnGate } from '../drawing/circuit-layout.ts';
import type { GateObject } from '../live-state/messages.ts';

/** The gates on wires of the qubits that they are on; a device has a hundred others. */
export function onUsedQubits(circuit: readonly GateObject[]): {
  readonly qubits: readonly number[];
  readonly gates: readonly DrawnGate[];
} {
  // A global phase is on no qubit.
  const edited = editedCircuit(circuit.filter(({ gate }) => gate.toUpperCase() !== 'GPHASE'));
  const drawn = drawnGates(edited, () => '');
  const on = drawn.flatMap(({ name, controls, targets }) =>
    name === 'BARRIER' ? [] : [...controls, ...targets],
  );
  const qubits = [...new Set(on)].sort((a, b) => a - b);
  const wires = new Map(qubits.map((qubit, wire) => [qubit, wire]));
  const wiresOf = (of: readonly number[]) => of.flatMap((qubit) => wires.get(qubit) ?? []);
  return {
    qubits,
    gates: drawn.map((gate) => ({
      ...gate,
      controls: wiresOf(gate.controls),
      targets: wiresOf(gate.targets),
      open: gate.open && wiresOf(gate.open),
    })),
  };
}
