/** The task `synthesize`: input, limits and example. */
import { z } from 'zod';
import { FaultList } from '../../../circuit/fault-list.ts';
import { unitaryFromRows } from '../../../circuit/matrix-rows.ts';
import { procedure } from '../../procedures/procedure.ts';
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

const H = Math.SQRT1_2;

/** The task `synthesize`. */
export const synthesize = procedure({
  name: 'synthesize',
  description:
    'Finds a circuit for a given unitary of one or two qubits: at most three rotations for one qubit, or the smallest possible number of CX (0 to 3) for two. Any universal gate set may be given. Gates such as CX or iSWAP are used as few times as possible; of weaker ones, such as the square root of iSWAP, two replace each CX. The result has the circuit, its global phase, and the error as operator distance. For two qubits the result also has `interaction_angles` a, b and c, radians: up to one-qubit gates and phase the unitary is exp(i(a XX + b YY + c ZZ)). They decide the number of CX.',
  input: synthesizeInput,
  check: (input) => {
    const faults = new FaultList();
    unitaryFromRows(input.unitary, numQubitsOf(input), 'unitary', faults);
    return [...faults.kept, ...gateSetFaultsAt('gate_set', input.gate_set)];
  },
  limits: { unitary_rows: 4, deadline_ms: 60_000 },
  example: {
    unitary: [
      [
        [H, 0],
        [0, 0],
        [H, 0],
        [0, 0],
      ],
      [
        [0, 0],
        [H, 0],
        [0, 0],
        [H, 0],
      ],
      [
        [0, 0],
        [H, 0],
        [0, 0],
        [-H, 0],
      ],
      [
        [H, 0],
        [0, 0],
        [-H, 0],
        [0, 0],
      ],
    ],
    gate_set: ['cx', 'rz', 'ry'],
  },
  feeds: { circuit: 'circuit', qubits: 'qubits' },
  run: async (...call) => (await import('./run-synthesize.ts')).runSynthesize(...call),
});
