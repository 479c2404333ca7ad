/**
 * Shared by both tasks of the robotics agent: input fields, and a cost over permutations minimised by QAOA and compared
 * with the optimum of an exhaustive search.
 */

import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import {
  type PermutationCost,
  permutationAnsatz,
  permutations,
} from '../../algorithms/qaoa/permutation-ansatz.ts';
import {
  type QaoaOptions,
  qaoaReport,
  runAnsatz,
  topOutcomes,
} from '../../algorithms/qaoa/run-qaoa.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import { seedField, shotsField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';

/** Most QAOA layers. */
export const MAX_LAYERS = 4;
/** Most samples of the final circuit. */
export const MAX_SHOTS = 100_000;
/** Largest cost or distance. */
export const MAX_COST = 1e9;

/** Input fields of the circuit and its samples. */
export const qaoaFields = {
  layers: z
    .int()
    .min(1)
    .max(MAX_LAYERS)
    .default(2)
    .describe('Number of QAOA layers, each a phase and a mixing step; default 2'),
  shots: shotsField(MAX_SHOTS, 1_024).describe(
    'Number of samples of the final circuit; default 1024',
  ),
  seed: seedField,
};

/** Faults of a matrix that is not square, one for each row of wrong length. */
export function matrixFaults(
  matrix: readonly (readonly number[])[],
  path: string,
): readonly Fault[] {
  return matrix.flatMap((row, i) => {
    if (row.length === matrix.length) return [];
    const message = `The row has ${row.length} numbers, but there are ${matrix.length} rows; the matrix is square.`;
    return [{ path: `${path}[${i}]`, message }];
  });
}

/** A permutation (the item of each place) and its cost. */
export interface Candidate {
  readonly items: readonly number[];
  readonly cost: number;
}

/** Outcome of a permutation problem. */
export interface SolvedPermutation {
  /** The best sampled permutation. */
  readonly found: Candidate;
  /** The optimum. */
  readonly optimum: Candidate;
  /** The most frequent valid samples, in descending order. */
  readonly frequent: readonly (Candidate & { readonly count: number })[];
  /** Result fields that both tasks share. */
  readonly report: JsonObject;
}

/**
 * Costs that differ by less than this fraction of the spread are equal: the order of a sum changes its
 * rounding.
 */
const SAME_COST = 1e-12;

/**
 * Searches for the permutation of least cost.
 *
 * @param costOf - Cost of a whole permutation, computed from the input: reported costs are independent of
 *   the circuit's encoding.
 * @throws {ProcedureInputError} if no processor can run a circuit of this width now.
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
  // The circuit yields valid permutations only; any other sample is the processor's fault.
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

/** The optimum by exhaustive search. */
function extremes(numPlaces: number, costOf: (items: readonly number[]) => number) {
  const all = permutations(numPlaces).map((items) => ({ items, cost: costOf(items) }));
  return {
    optimum: all.reduce((a, b) => (b.cost < a.cost ? b : a)),
    worst: Math.max(...all.map(({ cost }) => cost)),
  };
}
