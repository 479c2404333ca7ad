/** What both tasks that test randomness take. */
import { z } from 'zod';

/** Bits of one sequence, at most. */
export const MAX_BITS = 1_000_000;
const MAX_PATTERN = 16;

/** How the tests are run. */
export const suiteFields = {
  alpha: z
    .number()
    .min(0.000_1)
    .max(0.1)
    .default(0.01)
    .describe('A P-value below fails: the share of fair sequences that fail a test; default 0.01'),
  block_length: z
    .int()
    .min(2)
    .max(MAX_BITS)
    .optional()
    .describe('Bits of a block of block_frequency; chosen for the number of bits by default'),
  serial_pattern_length: z
    .int()
    .min(2)
    .max(MAX_PATTERN)
    .optional()
    .describe('Bits of the patterns of serial; likewise'),
  entropy_pattern_length: z
    .int()
    .min(1)
    .max(MAX_PATTERN - 1)
    .optional()
    .describe('Bits of the patterns of approximate_entropy; likewise'),
  include_short: z
    .boolean()
    .default(false)
    .describe('Whether tests run on fewer bits than recommended, too; default false'),
};

const suiteInput = z.object(suiteFields);
/** Those fields of an input. */
export type SuiteInput = z.output<typeof suiteInput>;
