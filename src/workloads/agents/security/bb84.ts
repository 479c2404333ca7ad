/** What the BB84 protocol takes; bb84-run.ts does it. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import { seedField } from '../../procedures/input-fields.ts';
import { procedure } from '../../procedures/procedure.ts';

const MAX_QUBITS = 200_000;

const input = z.strictObject({
  bits: z.int().min(16).max(MAX_QUBITS).describe('Qubits that Alice sends'),
  eavesdrop: z
    .boolean()
    .default(false)
    .describe('Whether Eve measures every qubit and sends on what she found; default false'),
  intercept_fraction: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Instead of eavesdrop: the probability with which Eve does so to a qubit'),
  noise: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Probability with which the channel to Bob fully mixes a qubit; default 0'),
  sample_size: z
    .int()
    .min(1)
    .max(MAX_QUBITS)
    .optional()
    .describe('Sifted bits that are compared in public and given up; by default half of them'),
  seed: seedField,
});

/** An input of the protocol. */
export type Bb84Input = z.output<typeof input>;

/** Distributes a key. */
export const bb84 = procedure({
  name: 'bb84',
  description:
    'Runs the BB84 protocol qubit by qubit: preparation, interception, measurement, sifting and the estimate of the error rate, with the decision to abort above 11 %. Full interception is expected to cause 25 % errors. The bits are pseudorandom and no key is returned. `eve_knows_share` is the share of sifted bits that Eve holds rightly, her lucky guesses included: three quarters are expected where she intercepts every qubit, one half known and one quarter guessed.',
  input,
  check: ({ eavesdrop, intercept_fraction: fraction }): readonly Fault[] =>
    eavesdrop && fraction !== undefined
      ? [{ path: 'intercept_fraction', message: 'Give either eavesdrop or this, not both.' }]
      : [],
  limits: { deadline_ms: 60_000, bits: MAX_QUBITS },
  example: { bits: 2_000, eavesdrop: true, seed: 7 },
  load: () => import('./bb84-run.ts').then(({ runBb84 }) => runBb84),
});
