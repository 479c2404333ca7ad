/** What sampling random bits takes; random-bits-run.ts does it. */
import { z } from 'zod';
import { seedField } from '../../procedures/input-fields.ts';
import { procedure } from '../../procedures/procedure.ts';
import { MAX_BITS, suiteFields } from './randomness-fields.ts';

const MAX_QUBITS = 8;
/** Bits that the result has, at most; all of them are tested. */
export const MAX_RETURNED_BITS = 65_536;

const input = z.strictObject({
  bits: z.int().min(1).max(MAX_BITS).describe('How many to sample'),
  qubits: z
    .int()
    .min(1)
    .max(MAX_QUBITS)
    .default(4)
    .describe('Number of qubits, and so of bits, of each circuit; default 4'),
  seed: seedField,
  tests: z.boolean().default(true).describe('Whether the bits are tested; default true'),
  ...suiteFields,
});

/** An input of sampling. */
export type RandomBitsInput = z.output<typeof input>;

/** Samples random bits. */
export const randomBits = procedure({
  name: 'random_bits',
  description:
    'Samples bits by measuring qubits in equal superposition (Hadamard gates), one circuit per sample, and tests them. A simulator draws its measurements pseudorandomly: the bits follow from the seed and must not be used for keys.',
  input,
  limits: {
    deadline_ms: 120_000,
    bits: MAX_BITS,
    qubits: MAX_QUBITS,
    returned_bits: MAX_RETURNED_BITS,
  },
  example: { bits: 2_000, seed: 7 },
  feeds: { bits_hex: 'hex' },
  load: () => import('./random-bits-run.ts').then(({ runRandomBits }) => runRandomBits),
});
