/** Input field `gate_set`: the gates that the resulting circuit may use. */
import { z } from 'zod';
import {
  ALL_GATES,
  findGateSet,
  type GateSet,
  gateSetFaults,
} from '../../../circuit/synthesis/gate-set.ts';
import type { Fault } from '../../../errors/coded-error.ts';

/** Most names in a gate set; the gate table has few more. */
const MAX_NAMES = 64;

/** Schema of a list of gate names. */
export const gateSetField = z
  .array(z.string().max(64))
  .min(1)
  .max(MAX_NAMES)
  .optional()
  .describe(
    'Names of the gates to write the circuit in, for example ["cx","rz","ry"], ["cz","rz","sx","x"] or ["iswap","rz","h"]: any set that can make all one-qubit rotations and entangle two qubits; by default any gate of GET /quantum/operations',
  );

/** Faults of a list of gate names; none for an absent list. */
export function gateSetFaultsAt(
  path: string,
  names: readonly string[] | undefined,
): readonly Fault[] {
  if (names === undefined) return [];
  return gateSetFaults(names).map(({ index, message }) => ({
    path: index === undefined ? path : `${path}[${index}]`,
    message,
  }));
}

/** The gate set of validated names. */
export function gateSetOf(names: readonly string[] | undefined): GateSet {
  return (names === undefined ? undefined : findGateSet(names)) ?? ALL_GATES;
}
