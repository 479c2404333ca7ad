/** Seeds and outcomes of the circuits that a procedure runs together. */
import type { Circuit } from '../../circuit/circuit.ts';
import type { Counts } from '../../engine/engine.ts';
import { countsOfRow, type RunOutputs } from '../../fleet/run-outputs.ts';
import { outcomeLabel } from '../../math/basis-index.ts';
import { uniformDraw } from '../../math/philox.ts';

/** Outputs of one circuit. */
export interface CircuitOutcome {
  readonly expectations?: readonly number[];
  /** Counts by label of the classical register, bit 0 rightmost. */
  readonly counts?: ReadonlyMap<string, number>;
  /** Probabilities by value of the register; length 2^numBits. */
  readonly probabilities?: Float64Array;
}

/**
 * Circuits with more qubits run one at a time: each uses all threads anyway, and its distribution is
 * large.
 */
export const MAX_PARALLEL_QUBITS = 16;
/** Separates seeds of circuits from other draws with the same seed. */
const CIRCUIT_SEEDS = 0xc19c;

/** Seed of circuit `index`. */
export function circuitSeed(seed: number, index: number): number {
  return Math.floor(uniformDraw(seed, index, CIRCUIT_SEEDS, 0) * 2 ** 52);
}

/** Outputs of circuit `i` of a batch. */
export function batchOutcome(
  batch: RunOutputs,
  i: number,
  { numBits }: Circuit,
  numObservables: number,
): CircuitOutcome {
  const { counts, countsByRow, probabilities, expectations } = batch;
  const [from, to] = [i * 2 ** numBits, (i + 1) * 2 ** numBits];
  const first = i * numObservables;
  return {
    ...((counts ?? countsByRow) && { counts: labelled(countsOfRow(batch, i, numBits)) }),
    ...(probabilities && { probabilities: probabilities.slice(from, to) }),
    ...(expectations && {
      expectations: [...expectations.subarray(first, first + numObservables)],
    }),
  };
}

function labelled(counts: Counts): ReadonlyMap<string, number> {
  const { numBits, wordsPerOutcome, outcomes, occurrences } = counts;
  const byLabel = new Map<string, number>();
  for (const [i, count] of occurrences.entries()) {
    const label = outcomeLabel(outcomes, i * wordsPerOutcome, wordsPerOutcome, numBits);
    byLabel.set(label, count);
  }
  return byLabel;
}
