/** Input of the task `shorten`, its limits and its faults. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import { PRESERVED } from '../../algorithms/equivalence/verify-circuits.ts';
import { circuitFaults, circuitFields, seedField } from '../../procedures/input-fields.ts';
import { gateSetFaultsAt, gateSetField } from './gate-set-field.ts';

/** Most qubits; enough for every public device. */
export const SHORTEN_MAX_QUBITS = 256;

/** Limit of the input. */
export const shortenInput = z.strictObject({
  ...circuitFields,
  gate_set: gateSetField,
  preserve: z
    .enum(PRESERVED)
    .default('unitary')
    .describe(
      'What the shorter circuit preserves. `unitary` (default): its action on any state, and its measurements. `state`: the state it makes of |0…0⟩. `outcomes`: the distribution of its classical bits',
    ),
  seed: seedField,
});

/** Parsed input. */
export type ShortenInput = z.output<typeof shortenInput>;

/** Faults of an input. */
export function shortenFaults(input: ShortenInput): readonly Fault[] {
  return [
    ...circuitFaults(input, { maxQubits: SHORTEN_MAX_QUBITS }),
    ...gateSetFaultsAt('gate_set', input.gate_set),
  ];
}
