/** The best of all candidates, by looking at each: what QAOA's answers are measured against. */
import { basisLabel } from '../../../math/basis-index.ts';
import { energiesOf, type ZPolynomial } from './z-polynomial.ts';

/** All energies are listed up to here: 2^20 numbers, 8 MiB. */
export const MAX_BRUTE_FORCE_QUBITS = 20;
/** Energies this near to the optimum, by the spread of all, are as good. */
const SAME_ENERGY = 1e-9;

/** Extremes and mean of all candidates' energies. */
export interface QaoaOptimum {
  /** The lowest. */
  readonly energy: number;
  /** The highest. */
  readonly worstEnergy: number;
  /** The mean, which is what guessing gives. */
  readonly meanEnergy: number;
  /** The first of the lowest. */
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
 * Looks at every candidate.
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

/** (worst − energy)/(worst − optimum): 1 at the optimum; also 1 where all are the same. */
export function ratioOf(energy: number, { energy: lowest, worstEnergy }: QaoaOptimum): number {
  return worstEnergy > lowest ? (worstEnergy - energy) / (worstEnergy - lowest) : 1;
}
