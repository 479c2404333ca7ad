/** A cost over permutations by QAOA, beside the optimum found by trying all of them. */
import {
  type PermutationCost,
  permutationAnsatz,
  permutations,
} from '../../algorithms/qaoa/permutation-ansatz.ts';
import { qaoaReport, topOutcomes } from '../../algorithms/qaoa/qaoa-result.ts';
import { type QaoaOptions, runAnsatz } from '../../algorithms/qaoa/run-qaoa.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';

/** The item of each place, and what it costs. */
export interface Candidate {
  readonly items: readonly number[];
  readonly cost: number;
}

/** Solution of a permutation problem. */
export interface SolvedPermutation {
  /** The best sampled. */
  readonly found: Candidate;
  /** The best of all. */
  readonly optimum: Candidate;
  /** The most frequent valid samples. */
  readonly frequent: readonly (Candidate & { readonly count: number })[];
  /** Fields of the result that are the same for both. */
  readonly report: JsonObject;
}

/** Costs this near, by the spread of all, are the same: sums in another order differ by rounding. */
const SAME_COST = 1e-12;

/**
 * Looks for the permutation of least cost.
 *
 * @param costOf - The cost of a whole permutation, from the input itself: what is told of costs is
 *   not what the circuit makes of them.
 * @throws {ProcedureInputError} if no circuit as wide runs now.
 */
export async function solvePermutation(
  problem: PermutationCost,
  costOf: (items: readonly number[]) => number,
  options: QaoaOptions,
  context: ProcedureContext,
): Promise<SolvedPermutation> {
  const ansatz = permutationAnsatz(problem);
  const { maxQubits } = context.circuits;
  if (ansatz.numQubits > maxQubits) {
    const message = `It takes ${ansatz.numQubits} qubits; ${maxQubits} would run now.`;
    throw new ProcedureInputError([{ path: '', message }]);
  }
  const result = await runAnsatz(ansatz, options, context, ansatz.candidates);
  const { optimum, worst } = extremes(problem.numPlaces, costOf);
  const valid = result.outcomes.flatMap(({ basisIndex, count }) => {
    const items = ansatz.decode(basisIndex);
    return items === undefined ? [] : [{ items, cost: costOf(items), count }];
  });
  const [first, ...others] = valid;
  // The circuit reaches nothing else; a processor that says otherwise is at fault.
  if (first === undefined) throw new Error('No sample is a permutation.');
  const { items, cost } = others.reduce((a, b) => (b.cost < a.cost ? b : a), first);
  const spread = worst - optimum.cost;
  return {
    found: { items, cost },
    optimum,
    frequent: topOutcomes(result).flatMap(({ basisIndex, count }) => {
      const decoded = ansatz.decode(basisIndex);
      return decoded === undefined ? [] : [{ items: decoded, cost: costOf(decoded), count }];
    }),
    report: {
      optimum_found: cost - optimum.cost <= SAME_COST * spread,
      approximation_ratio: spread > 0 ? (worst - cost) / spread : 1,
      valid_share: valid.reduce((sum, { count }) => sum + count, 0) / options.shots,
      candidates: ansatz.candidates.length,
      encoding:
        'Each place is a register with the number of its item; the first state and the mixer, partial swaps of registers, keep to permutations, so there is no penalty.',
      qaoa: qaoaReport(result),
    },
  };
}

/** By trying all. */
function extremes(numPlaces: number, costOf: (items: readonly number[]) => number) {
  const all = permutations(numPlaces).map((items) => ({ items, cost: costOf(items) }));
  return {
    optimum: all.reduce((a, b) => (b.cost < a.cost ? b : a)),
    worst: Math.max(...all.map(({ cost }) => cost)),
  };
}
