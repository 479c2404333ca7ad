/** Exhaustive search over all candidates, the reference for QAOA's answers. */
import { basisLabel } from '../../../math/basis-index.ts';
import { energiesOf, type ZPolynomial } from './z-polynomial.ts';

/** Most qubits for a table of all energies: 2^20 numbers, 8 MiB. */
export const MAX_BRUTE_FORCE_QUBITS = 20;
/** Energies within this fraction of the spread of the optimum count as optimal. */
const SAME_ENERGY = 1e-9;

/** Extremes and mean of all candidates' energies. */
export interface QaoaOptimum {
  /** The lowest. */
  readonly energy: number;
  /** The highest. */
  readonly worstEnergy: number;
  /** The mean, which is the expectation of random guessing. */
  readonly meanEnergy: number;
  /** Basis index of the first optimum. */
  readonly basisIndex: number;
  /** Its label, bit 0 rightmost. */
  readonly bits: string;
  readonly numOptima: number;
  readonly numCandidates: number;
}

/** The energies' extremes, and which basis states are optima. */
export interface BruteForce {
  readonly optimum: QaoaOptimum;
  readonly optima: ReadonlySet<number>;
}

/**
 * Searches all candidates.
 *
 * @param candidates - Basis indices, at least one; all unless given.
 */
export function bruteForce(cost: ZPolynomial, candidates?: readonly number[]): BruteForce {
  const energies = energiesOf(cost);
  const indices = candidates ?? energies.keys();
  let [energy, worstEnergy, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const index of indices) {
    energy = Math.min(energy, energies[index]!);
    worstEnergy = Math.max(worstEnergy, energies[index]!);
    sum += energies[index]!;
  }
  const limit = energy + SAME_ENERGY * (worstEnergy - energy);
  const optima = new Set<number>();
  for (const index of candidates ?? energies.keys()) {
    if (energies[index]! <= limit) optima.add(index);
  }
  const numCandidates = candidates?.length ?? energies.length;
  const [basisIndex = 0] = optima;
  const optimum = {
    energy,
    worstEnergy,
    meanEnergy: sum / numCandidates,
    basisIndex,
    bits: basisLabel(basisIndex, cost.numQubits),
    numOptima: optima.size,
    numCandidates,
  };
  return { optimum, optima };
}

/**
 * Approximation ratio (worst − energy)/(worst − optimum): 1 at the optimum; also 1 if all energies are
 * equal.
 */
export function ratioOf(energy: number, { energy: lowest, worstEnergy }: QaoaOptimum): number {
  return worstEnergy > lowest ? (worstEnergy - energy) / (worstEnergy - lowest) : 1;
}
