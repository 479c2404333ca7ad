/** Result of a QAOA run, and its view in results of procedures. */
import type { JsonObject } from '../../procedures/json.ts';
import type { QaoaOptimum } from './brute-force.ts';

/** A basis state that was sampled. */
export interface QaoaOutcome {
  readonly basisIndex: number;
  /** Bit 0 rightmost. */
  readonly bits: string;
  readonly energy: number;
  /** Number of shots with this outcome. */
  readonly count: number;
}

/** Result of a run; lower energy is better. */
export interface QaoaResult {
  readonly numQubits: number;
  readonly layers: number;
  /** Radians by energy: the circuit's phases are e^{−iγE}. */
  readonly gammas: readonly number[];
  /** Radians: the mixer is e^{+iβB}, for Ising problems with B = Σ X. */
  readonly betas: readonly number[];
  /** Exact mean energy at each step of the search of angles; never rises. */
  readonly energyHistory: readonly number[];
  /** The best found with 1, 2, … layers. */
  readonly energyByLayers: readonly number[];
  /** Exact mean energy of the final state. */
  readonly expectation: number;
  readonly sampledMean: number;
  /** The sample of lowest energy. */
  readonly best: QaoaOutcome;
  /** All samples, ascending by basis index. */
  readonly outcomes: readonly QaoaOutcome[];
  /** Result of the exhaustive search. */
  readonly optimum: QaoaOptimum;
  /** Approximation ratio (worst − best sampled)/(worst − optimum): 1 if an optimum was sampled. */
  readonly approximationRatio: number;
  /** Approximation ratio of the exact mean energy. */
  readonly expectationRatio: number;
  /** Exact probability that a shot gives an optimum; null above 16 qubits. */
  readonly optimumProbability: number | null;
  /** Fraction of the shots that gave an optimum. */
  readonly optimumShare: number;
  /** Probability that a random candidate is an optimum. */
  readonly randomOptimumProbability: number;
  readonly shots: number;
  readonly seed: number;
  /** Number of circuits run to find the angles. */
  readonly numCircuits: number;
}

const MAX_TOP_OUTCOMES = 10;

/** The most frequent outcomes, at most 10; among equally frequent ones the lowest energy first. */
export function topOutcomes({ outcomes }: QaoaResult): readonly QaoaOutcome[] {
  const ordered = outcomes.toSorted((a, b) => b.count - a.count || a.energy - b.energy);
  return ordered.slice(0, MAX_TOP_OUTCOMES);
}

/**
 * Result fields of a run: the circuit, its angles, their search, and the comparison with guessing.
 */
export function qaoaReport(result: QaoaResult): JsonObject {
  const { optimum, shots, optimumProbability, randomOptimumProbability } = result;
  return {
    qubits: result.numQubits,
    layers: result.layers,
    gammas_rad_per_energy: result.gammas,
    betas_rad: result.betas,
    energy_history: result.energyHistory,
    energy_by_layers: result.energyByLayers,
    expectation_exact: result.expectation,
    mean_sampled: result.sampledMean,
    expectation_ratio: result.expectationRatio,
    optimum_probability: optimumProbability,
    optimum_share_sampled: result.optimumShare,
    // Baseline: the same number of guesses, drawn uniformly from all candidates.
    random_guessing: {
      mean: optimum.meanEnergy,
      optimum_probability: randomOptimumProbability,
      optimum_within_shots_probability: -Math.expm1(shots * Math.log1p(-randomOptimumProbability)),
    },
    gain_over_guessing:
      optimumProbability === null ? null : optimumProbability / randomOptimumProbability,
    shots,
    circuit_seed: result.seed,
    circuits_run: result.numCircuits + 1,
    basis:
      'Mean energies and optimum_probability are exact; outcomes are sampled with the seed; the optimum is found by brute force and does not enter the search.',
  };
}
