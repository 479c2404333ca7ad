/** The task `shorten`: input, limits and example. */
import { z } from 'zod';
import { PRESERVED } from '../../algorithms/equivalence/verify-circuits.ts';
import { circuitFaults, circuitFields, seedField } from '../../procedures/input-fields.ts';
import { procedure } from '../../procedures/procedure.ts';
import { gateSetFaultsAt, gateSetField } from './gate-set-field.ts';

/** Most qubits; enough for every public device. */
export const MAX_QUBITS = 256;

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

/** The task `shorten`. */
export const shorten = procedure({
  name: 'shorten',
  description:
    'Makes a circuit shorter: cancels and merges gates, finds shorter two-qubit blocks, and writes it in a gate set if one is given. The result has the circuit, counts and depths before and after, and how its equivalence was verified; a circuit that fails verification is never answered.',
  input: shortenInput,
  check: (input) => [
    ...circuitFaults(input, { maxQubits: MAX_QUBITS }),
    ...gateSetFaultsAt('gate_set', input.gate_set),
  ],
  limits: { max_qubits: MAX_QUBITS, max_gates: 10_000, deadline_ms: 300_000 },
  example: {
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'T', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'CX', control: 1, target: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'RZ', qubit: 1, theta: 0.25 },
      { gate: 'RZ', qubit: 1, theta: 0.5 },
    ],
    gate_set: ['cx', 'rz', 'ry'],
  },
  feeds: { circuit: 'circuit', qubits: 'qubits' },
  run: async (...call) => (await import('./run-shorten.ts')).runShorten(...call),
});
