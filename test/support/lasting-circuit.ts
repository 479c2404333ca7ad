/** Circuits that keep an engine busy: no pass finds anything to take out of them. */

import type { GateObject } from '../../src/circuit/gate-object.ts';

/** Rotations, CX and a measurement of all qubits each. */
const ENDLESS_LAYERS = 150;

/**
 * Layers of rotations by angles that share no factor and of CX along a line, as gate objects.
 *
 * @param numLayers - Of numQubits rotations and numQubits − 1 CX each.
 */
export function lastingCircuit(numQubits: number, numLayers: number): readonly GateObject[] {
  const circuit: GateObject[] = [];
  for (let layer = 0; layer < numLayers; layer++) {
    for (let qubit = 0; qubit < numQubits; qubit++) {
      circuit.push({
        gate: 'U',
        qubit,
        theta: 1 + layer * 0.37 + qubit * 0.11,
        phi: 0.3,
        lambda: 0.7,
      });
    }
    for (let control = 0; control + 1 < numQubits; control++) {
      circuit.push({ gate: 'CX', control, target: control + 1 });
    }
  }
  return circuit;
}

/** Shots of an endless circuit. */
export const ENDLESS_SHOTS = 1_000_000;

/**
 * A circuit that no test sees the end of: every qubit is measured after every layer, so that each of
 * ENDLESS_SHOTS shots has a state of its own. It takes an hour or more, and reports progress meanwhile.
 *
 * @param numQubits - 16 or more; 18 and more are wide.
 */
export function endlessCircuit(numQubits: number): readonly GateObject[] {
  const qubits = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const layer = [...lastingCircuit(numQubits, 1), { gate: 'M', qubits, bits: qubits }];
  return Array.from({ length: ENDLESS_LAYERS }, () => layer).flat();
}
