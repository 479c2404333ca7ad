/** The task `synthesize`: what it takes. */
import { z } from 'zod';
import { FaultList } from '../../../circuit/fault-list.ts';
import { unitaryFromRows } from '../../../circuit/matrix-rows.ts';
import { gateSetFaultsAt, gateSetField } from '../../design/gate-set-field.ts';
import { procedure } from '../../procedures/procedure.ts';

const entry = z.tuple([z.number(), z.number()]).describe('[re, im]');

/** Of the input. */
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
      'How far each of the three interaction angles may be moved where that saves a two-qubit gate, in radians; `error` says what came of it. Default 1e-9',
    ),
});

/** The input, parsed. */
export type SynthesizeInput = z.output<typeof synthesizeInput>;

/** How many qubits a matrix of that many rows is on; anything but 2 and 4 is one of 2. */
export function numQubitsOf({ unitary }: SynthesizeInput): 1 | 2 {
  return unitary.length === 2 ? 1 : 2;
}

const H = Math.SQRT1_2;

/** Writes a unitary in gates. */
export const synthesize = procedure({
  name: 'synthesize',
  description:
    'Finds a circuit for a given unitary of one or two qubits: at most three rotations, or with the least number of CX that can make it, none to three. A gate set may be any that can write every circuit: of a gate like CX or iSWAP as few are used as can make the unitary; of a weaker one, such as the root of iSWAP, two for each CX. The result has the circuit, its global phase, and the error as operator distance. Of two qubits it has `interaction_angles`: a, b and c, radians, such that the unitary is exp(i(a XX + b YY + c ZZ)) but for one-qubit gates and phase, which decide the number of CX.',
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
  load: () => import('./run-synthesize.ts').then(({ runSynthesize }) => runSynthesize),
});
