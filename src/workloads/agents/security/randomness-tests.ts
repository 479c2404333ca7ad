/** The task `randomness_tests`: runs statistical tests on the caller's own bits; it runs no circuit. */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import { bitsOfBinary, bitsOfHex } from '../../algorithms/randomness/bits.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { MAX_BITS, suiteFields } from './randomness-fields.ts';
import { randomnessReport } from './randomness-report.ts';

const input = z.strictObject({
  bits: z
    .string()
    .min(1)
    .max(MAX_BITS)
    .regex(/^[01]*$/, 'Must be a string of 0 and 1')
    .optional()
    .describe('Sequence of bits as a string of 0 and 1, the first bit first'),
  hex: z
    .string()
    .min(1)
    .max(MAX_BITS / 4)
    .regex(/^[0-9a-fA-F]*$/, 'Must be a string of hexadecimal digits')
    .optional()
    .describe('Sequence as hexadecimal digits of four bits each, the highest bit first'),
  ...suiteFields,
});

type RandomnessTestsInput = z.output<typeof input>;

/** The task `randomness_tests`. */
export const randomnessTests = procedure({
  name: 'randomness_tests',
  description:
    'Tests whether bits look random: frequency, block_frequency, runs and spectral of NIST SP 800-22 with their P-values, and estimates of min-entropy of NIST SP 800-90B. The result says of each test whether it passed, or why it was not run.',
  input,
  check: ({ bits, hex }): readonly Fault[] => {
    if (bits !== undefined && hex !== undefined) {
      return [{ path: 'hex', message: 'Give either bits or hex, not both.' }];
    }
    if (bits !== undefined || hex !== undefined) return [];
    return [{ path: 'bits', message: 'Required: bits, or hex instead.' }];
  },
  limits: { deadline_ms: 60_000, bits: MAX_BITS },
  example: {
    // The first 256 binary digits of π, integer part included.
    hex: 'c90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22',
  },
  run: runRandomnessTests,
});

async function runRandomnessTests(
  input: RandomnessTestsInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const { bits = '', hex } = input;
  const sequence = hex === undefined ? bitsOfBinary(bits) : bitsOfHex(hex);
  return randomnessReport(sequence, input, context.signal, context.progress);
}
