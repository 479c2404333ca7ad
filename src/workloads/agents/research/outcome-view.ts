/** Outputs of a circuit as JSON. */
import { basisLabel } from '../../../math/basis-index.ts';
import type { CircuitOutcome } from '../../algorithms/run-circuits.ts';
import type { JsonObject } from '../../procedures/json.ts';

/** Smaller probabilities are rounding errors, and left out. */
const NEGLIGIBLE = 1e-12;

/** Counts by label, bit 0 rightmost. */
export function outcomeView(outcome: CircuitOutcome): JsonObject {
  const { expectations, counts, probabilities } = outcome;
  return {
    ...(expectations && { expectations: [...expectations] }),
    ...(counts && { counts: Object.fromEntries(counts) }),
    ...(probabilities && { probabilities: distributionView(probabilities) }),
  };
}

/** Probabilities by label, those below 1e-12 left out; the array's length is a power of two. */
export function distributionView(probabilities: Float64Array): JsonObject {
  const numBits = Math.round(Math.log2(probabilities.length));
  const entries: [string, number][] = [];
  for (const [outcome, probability] of probabilities.entries()) {
    if (probability >= NEGLIGIBLE) entries.push([basisLabel(outcome, numBits), probability]);
  }
  return Object.fromEntries(entries);
}
