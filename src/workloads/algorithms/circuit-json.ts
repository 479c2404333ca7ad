/** A circuit in a result: as a caller could have written it, so that it can be sent again. */
import type { Circuit } from '../../circuit/circuit.ts';
import { gateObjectsFromCircuit } from '../../circuit/gate-objects-from-circuit.ts';
import type { JsonObject } from '../procedures/json.ts';

/** Its gate objects as plain JSON. */
export function circuitJson(circuit: Circuit): readonly JsonObject[] {
  return gateObjectsFromCircuit(circuit).map(({ condition, ...object }) => ({
    ...object,
    ...(condition !== undefined && { condition: { ...condition } }),
  }));
}
