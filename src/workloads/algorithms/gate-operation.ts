/** Gates of the circuits that algorithms make, and these circuits as gate objects. */
import type { Circuit, GateOperation } from '../../circuit/circuit.ts';
import { gateObjectsFromCircuit } from '../../circuit/gate-objects-from-circuit.ts';
import type { JsonObject } from '../procedures/json.ts';

/**
 * Makes a gate operation.
 *
 * @param name - Name in the gate table.
 * @param angles - Radians; none unless given.
 * @param controls - None unless given.
 */
export function gateOperation(
  name: string,
  targets: readonly number[],
  angles: readonly number[] = [],
  controls: readonly number[] = [],
): GateOperation {
  return { kind: 'gate', gate: name, controls, targets, angles };
}

/** The gate objects of a circuit as plain JSON. */
export function circuitJson(circuit: Circuit): readonly JsonObject[] {
  return gateObjectsFromCircuit(circuit).map(({ condition, ...object }) => ({
    ...object,
    ...(condition !== undefined && { condition: { ...condition } }),
  }));
}
