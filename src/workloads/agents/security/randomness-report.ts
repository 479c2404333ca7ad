/** Results of the randomness tests as JSON. */
import { setImmediate } from 'node:timers/promises';
import { countOnes } from '../../algorithms/randomness/bits.ts';
import { collision, markov, mostCommonValue } from '../../algorithms/randomness/min-entropy.ts';
import { runSuite } from '../../algorithms/randomness/test-suite.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import type { SuiteInput } from './randomness-fields.ts';

/** Fewest bits for an entropy estimate. */
const LEAST_ESTIMATED = 100;

/**
 * Runs the test suite and the entropy estimates.
 *
 * @param bits - 0 or 1 each, at least one.
 * @param progress - Called with the fraction of this part, in [0, 1].
 */
export async function randomnessReport(
  bits: Uint8Array,
  input: SuiteInput,
  signal: AbortSignal,
  progress: ProcedureContext['progress'],
): Promise<JsonObject> {
  const options = {
    alpha: input.alpha,
    blockLength: input.block_length,
    includeShort: input.include_short,
  };
  const { ran, leftOut } = await runSuite(bits, options, async (test, fraction) => {
    progress(fraction, test);
    // Yields: a test takes up to a second, and reports and a cancel must get through between tests.
    await setImmediate();
    signal.throwIfAborted();
  });
  return {
    num_bits: bits.length,
    ones_share: countOnes(bits) / bits.length,
    alpha: input.alpha,
    tests_run: ran.length,
    tests_failed: ran.filter(({ passed }) => !passed).length,
    tests: ran.map(({ test, pValue, passed, parameters, meetsRecommendation }) => ({
      test,
      passed,
      p_values: { p_value: pValue },
      parameters,
      meets_recommendation: meetsRecommendation,
    })),
    not_run: leftOut.map(({ test, reason }) => ({ test, reason })),
    min_entropy: minEntropy(bits),
    basis:
      'P-values of NIST SP 800-22 revision 1a, min-entropy of NIST SP 800-90B. A fair source fails each test in a share alpha of its sequences; passing them all does not make bits unpredictable.',
  };
}

function minEntropy(bits: Uint8Array): JsonObject | null {
  if (bits.length < LEAST_ESTIMATED) return null;
  const estimates = {
    most_common_value: mostCommonValue(bits),
    markov: markov(bits),
    collision: collision(bits)?.minEntropy,
  };
  const known = Object.values(estimates).filter((estimate) => estimate !== undefined);
  return { ...estimates, least_bits_per_bit: Math.min(...known) };
}
