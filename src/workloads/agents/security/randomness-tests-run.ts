/** Tests bits of the caller's; no circuit is run. */
import { bitsOfBinary, bitsOfHex } from '../../algorithms/randomness/bits.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import { randomnessReport } from './randomness-report.ts';
import type { RandomnessTestsInput } from './randomness-tests.ts';

/** Runs the tests. */
export const runRandomnessTests: RunProcedure<RandomnessTestsInput> = (input, context) => {
  const { bits = '', hex } = input;
  const sequence = hex === undefined ? bitsOfBinary(bits) : bitsOfHex(hex);
  return randomnessReport(sequence, input, context.signal, context.progress);
};
