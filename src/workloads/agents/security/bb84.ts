/** What the BB84 protocol takes; bb84-run.ts does it. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import { seedField } from '../../procedures/input-fields.ts';
import { procedure } from '../../procedures/procedure.ts';

const MAX_QUBITS = 200_000;

const input = z.strictObject({
  bits: z.int().min(16).max(MAX_QUBITS).describe('Number of qubits that Alice sends'),
  eavesdrop: z
    .boolean()
    .default(false)
    .describe('Whether Eve measures every qubit and resends the result; default false'),
  intercept_fraction: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Probability that Eve intercepts a qubit; replaces eavesdrop'),
  noise: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Probability that the channel to Bob fully depolarises a qubit; default 0'),
  sample_size: z
    .int()
    .min(1)
    .max(MAX_QUBITS)
    .optional()
    .describe(
      'Number of sifted bits that are compared publicly and discarded; by default half of them',
    ),
  seed: seedField,
});

/** An input of the protocol. */
export type Bb84Input = z.output<typeof input>;

/** Distributes a key. */
export const bb84 = procedure({
  name: 'bb84',
  description:
    'Runs the BB84 protocol qubit by qubit: preparation, interception, measurement, sifting and the estimate of the error rate; above 11 % it aborts. Full interception is expected to cause 25 % errors. The bits are pseudorandom and no key is returned. `eve_knows_share` is the share of sifted bits of which Eve has the right value, lucky guesses included: 3/4 is expected if she intercepts every qubit (1/2 known, 1/4 guessed).',
  input,
  check: ({ eavesdrop, intercept_fraction: fraction }): readonly Fault[] =>
    eavesdrop && fraction !== undefined
      ? [{ path: 'intercept_fraction', message: 'Give either eavesdrop or this, not both.' }]
      : [],
  limits: { deadline_ms: 60_000, bits: MAX_QUBITS },
  example: { bits: 2_000, eavesdrop: true, seed: 7 },
  load: () => import('./bb84-run.ts').then(({ runBb84 }) => runBb84),
});
