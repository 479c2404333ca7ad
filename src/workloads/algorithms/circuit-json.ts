/** Circuits in results, in the form that requests take. */
import type { Circuit } from '../../circuit/circuit.ts';
import { gateObjectsFromCircuit } from '../../circuit/gate-objects-from-circuit.ts';
import type { JsonObject } from '../procedures/json.ts';

/** The gate objects of a circuit as plain JSON. */
export function circuitJson(circuit: Circuit): readonly JsonObject[] {
  return gateObjectsFromCircuit(circuit).map(({ condition, ...object }) => ({
    ...object,
    ...(condition !== undefined && { condition: { ...condition } }),
  }));
}
