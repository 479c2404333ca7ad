/** Input of the task `synthesize`, its limits and its faults. */
import { z } from 'zod';
import { FaultList } from '../../../circuit/errors.ts';
import { unitaryFromRows } from '../../../circuit/matrix-rows.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { gateSetFaultsAt, gateSetField } from './gate-set-field.ts';

const entry = z.tuple([z.number(), z.number()]).describe('[re, im]');

/** Limits of the input. */
export const synthesizeInput = z.strictObject({
  unitary: z
    .array(z.array(entry).max(4))
    .max(4)
    .describe(
      'A unitary matrix: 2 rows of 2 entries, or 4 rows of 4; qubit 0 is the least significant bit of a row',
    ),
  gate_set: gateSetField,
  tolerance: z
    .number()
    .min(1e-12)
    .max(0.1)
    .default(1e-9)
    .describe(
      'Largest change of each of the three interaction angles that may save a two-qubit gate, radians; `error` has the resulting error. Default 1e-9',
    ),
});

/** Parsed input. */
export type SynthesizeInput = z.output<typeof synthesizeInput>;

/** Number of qubits of a matrix with this many rows: 1 for 2 rows, 2 for 4, and 2 for other counts. */
export function numQubitsOf({ unitary }: SynthesizeInput): 1 | 2 {
  return unitary.length === 2 ? 1 : 2;
}

/** Faults of an input. */
export function synthesizeFaults(input: SynthesizeInput): readonly Fault[] {
  const faults = new FaultList();
  unitaryFromRows(input.unitary, numQubitsOf(input), 'unitary', faults);
  return [...faults.kept, ...gateSetFaultsAt('gate_set', input.gate_set)];
}
