/** Input fields of the tasks that test randomness. */
import { z } from 'zod';

/** Most bits of one sequence. */
export const MAX_BITS = 1_000_000;

/** Input fields of the test suite's options. */
export const suiteFields = {
  alpha: z
    .number()
    .min(0.000_1)
    .max(0.1)
    .default(0.01)
    .describe(
      'Significance level: a P-value below it fails the test, which happens for this share of fair sequences; default 0.01',
    ),
  block_length: z
    .int()
    .min(2)
    .max(MAX_BITS)
    .optional()
    .describe('Block length of block_frequency, bits; by default chosen by the number of bits'),
  include_short: z
    .boolean()
    .default(false)
    .describe('Whether tests also run on fewer bits than recommended; default false'),
};

const suiteInput = z.object(suiteFields);
/** Parsed input with those fields. */
export type SuiteInput = z.output<typeof suiteInput>;

/** Note in results on measurements of a simulator. */
export const PSEUDORANDOM_NOTE =
  'Measurements of a simulator are pseudorandom: the same seed gives the same bits. Do not use them for keys or anything else that must not be guessed.';
