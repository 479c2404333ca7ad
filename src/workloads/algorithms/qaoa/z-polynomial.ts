/**
 * Costs of bits as sums of products of Z, E(b) = Σ_S w_S·(−1)^|b & S|; Ising problems, which are such costs of fields
 * and couplings, E(s) = offset + Σ h_i·s_i + Σ J_ij·s_i·s_j; and the exhaustive search that QAOA's answers are held to.
 *
 * s_i is the value of Z on qubit i: +1 if bit i is 0, −1 if it is 1. Tables of values and weights are Walsh–Hadamard
 * transforms of each other, which costs n·2^n.
 *
 * @see Lucas, "Ising formulations of many NP problems" (2014).
 */
import type { PauliSum } from '../../../circuit/observable.ts';
import { basisLabel } from '../../../math/basis-index.ts';
import { walshHadamard } from '../../../math/walsh-hadamard.ts';

/** Coupling J of one pair of spins. */
export interface Coupling {
  readonly i: number;
  readonly j: number;
  readonly value: number;
}

/** An Ising problem; lower energy is better. */
export interface IsingProblem {
  readonly numQubits: number;
  readonly offset: number;
  /** Fields h; length numQubits. */
  readonly fields: readonly number[];
  /** Each pair at most once, i < j. */
  readonly couplings: readonly Coupling[];
}

/** Parts of an Ising problem; those left out are 0. */
export interface IsingParts {
  readonly numQubits: number;
  readonly offset?: number;
  readonly fields?: readonly number[];
  /** In any order; those of one pair are added up. */
  readonly couplings?: readonly Coupling[];
}

/** An edge of a graph. */
export interface WeightedEdge {
  readonly from: number;
  readonly to: number;
  /** Weight; 1 unless given. */
  readonly weight?: number | undefined;
}

/**
 * Makes a problem: couplings sorted, each pair once.
 *
 * @throws {RangeError} unless there is one field per qubit, each coupling is of two existing qubits, and
 *   all numbers are finite.
 */
export function isingProblem(parts: IsingParts): IsingProblem {
  const {
    numQubits,
    offset = 0,
    fields = Array<number>(numQubits).fill(0),
    couplings = [],
  } = parts;
  if (fields.length !== numQubits) {
    throw new RangeError(`There are ${fields.length} fields for ${numQubits} qubits.`);
  }
  const sums = new Map<number, Coupling>();
  for (const { i, j, value } of couplings) {
    const isQubit = (q: number) => Number.isInteger(q) && q >= 0 && q < numQubits;
    if (!isQubit(i) || !isQubit(j) || i === j) {
      throw new RangeError(`A coupling is of two of ${numQubits} qubits, not of ${i} and ${j}.`);
    }
    const [low, high] = i < j ? [i, j] : [j, i];
    const key = low * numQubits + high;
    sums.set(key, { i: low, j: high, value: value + (sums.get(key)?.value ?? 0) });
  }
  const inOrder = [...sums].sort(([a], [b]) => a - b).map(([, coupling]) => coupling);
  const numbers = [offset, ...fields, ...inOrder.map(({ value }) => value)];
  if (!numbers.every(Number.isFinite)) throw new RangeError('An energy is not a finite number.');
  return { numQubits, offset, fields, couplings: inOrder };
}

/**
 * Max-cut of a graph as an Ising problem: the energy of an assignment of vertices to sides is minus the
 * weight of the edges between the sides.
 *
 * @throws {RangeError} as `isingProblem`.
 */
export function maxCutProblem(numVertices: number, edges: readonly WeightedEdge[]): IsingProblem {
  // An edge is cut where s_i·s_j = −1: its share is −w·(1 − s_i·s_j)/2.
  return isingProblem({
    numQubits: numVertices,
    offset: edges.reduce((sum, { weight = 1 }) => sum - weight / 2, 0),
    couplings: edges.map(({ from, to, weight = 1 }) => ({ i: from, j: to, value: weight / 2 })),
  });
}

/** A term: weight times the product of Z over `qubits`, which are distinct and at least one. */
export interface ZTerm {
  readonly qubits: readonly number[];
  readonly weight: number;
}

/** A diagonal observable. */
export interface ZPolynomial {
  readonly numQubits: number;
  readonly offset: number;
  readonly terms: readonly ZTerm[];
}

/** The energies of an Ising problem as a polynomial. */
export function isingPolynomial(problem: IsingProblem): ZPolynomial {
  const { numQubits, offset, fields, couplings } = problem;
  const terms = [
    ...fields.map((weight, qubit) => ({ qubits: [qubit], weight })),
    ...couplings.map(({ i, j, value }) => ({ qubits: [i, j], weight: value })),
  ];
  return { numQubits, offset, terms: terms.filter(({ weight }) => weight !== 0) };
}

/** Collects functions of few bits into one polynomial. */
export class ZPolynomialBuilder {
  readonly #numQubits: number;
  readonly #weights = new Map<number, number>();

  /** @param numQubits - At most 30. */
  constructor(numQubits: number) {
    this.#numQubits = numQubits;
  }

  /**
   * Adds a function of some of the bits.
   *
   * @param qubits - Bit k of an index into the values is `qubits[k]`.
   * @param values - Length 2^qubits.length.
   */
  add(qubits: readonly number[], values: Float64Array): void {
    const weights = values.slice();
    walshHadamard(weights);
    for (const [index, weight] of weights.entries()) {
      const mask = qubits.reduce((bits, q, k) => bits | (((index >> k) & 1) << q), 0);
      this.#weights.set(mask, (this.#weights.get(mask) ?? 0) + weight / weights.length);
    }
  }

  /** The sum of the added functions, without terms that cancelled. */
  build(): ZPolynomial {
    const largest = Math.max(0, ...[...this.#weights.values()].map(Math.abs));
    const terms = [...this.#weights]
      .filter(([mask, weight]) => mask !== 0 && Math.abs(weight) > 1e-13 * largest)
      .sort(([a], [b]) => a - b)
      .map(([mask, weight]) => ({ qubits: this.#qubitsOf(mask), weight }));
    return { numQubits: this.#numQubits, offset: this.#weights.get(0) ?? 0, terms };
  }

  #qubitsOf(mask: number): readonly number[] {
    return Array.from({ length: this.#numQubits }, (_, q) => q).filter((q) => (mask >> q) & 1);
  }
}

/**
 * Energies of all basis states.
 *
 * @returns Length 2^numQubits, by basis index.
 */
export function energiesOf({ numQubits, offset, terms }: ZPolynomial): Float64Array {
  const weights = new Float64Array(2 ** numQubits);
  weights[0] = offset;
  for (const { qubits, weight } of terms) {
    weights[qubits.reduce((mask, qubit) => mask | (1 << qubit), 0)]! += weight;
  }
  walshHadamard(weights);
  return weights;
}

/** The energy of one basis state. */
export function energyAt({ offset, terms }: ZPolynomial, basisIndex: number): number {
  let energy = offset;
  for (const { qubits, weight } of terms) {
    const ones = qubits.reduce((sum, qubit) => sum + ((basisIndex >>> qubit) & 1), 0);
    energy += ones % 2 === 0 ? weight : -weight;
  }
  return energy;
}

/** The observable for engines, without the offset. */
export function observableOf({ terms }: ZPolynomial): PauliSum {
  return terms.map(({ qubits, weight }) => ({
    coefficient: weight,
    factors: qubits.map((qubit) => ({ pauli: 'Z', qubit })),
  }));
}

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
