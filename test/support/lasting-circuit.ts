/** Circuits that keep an engine busy: no pass finds anything to take out of them. */

import type { GateObject } from '../../src/circuit/gate-object.ts';

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
