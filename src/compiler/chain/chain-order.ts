/** Orders of qubits on a chain. */
import type { Qubit } from '../../circuit/circuit.ts';

/** Number of gates that each pair of qubits shares. */
export type Couplings = ReadonlyMap<Qubit, ReadonlyMap<Qubit, number>>;

/** Crossings beyond which a cut is no worse: its bond is at any limit. */
const MOST_CROSSINGS = 40;

/** An arrangement that swaps of neighbours change. */
export class Arrangement {
  readonly siteOf: number[];
  readonly qubitAt: Qubit[] = [];
  readonly #couplings: Couplings;
  /** Pairs across the cut after each site. */
  readonly #crossings: number[];

  /** @param sites - Site of each qubit. */
  constructor(sites: readonly number[], couplings: Couplings) {
    this.siteOf = [...sites];
    for (const [qubit, site] of sites.entries()) this.qubitAt[site] = qubit;
    this.#couplings = couplings;
    // Pairs that begin and end at each site, added up from the first one on.
    this.#crossings = new Array<number>(sites.length).fill(0);
    for (const [a, others] of couplings) {
      for (const b of others.keys()) {
        if (sites[a]! > sites[b]!) continue;
        this.#crossings[sites[a]!]!++;
        this.#crossings[sites[b]!]!--;
      }
    }
    for (let site = 1; site < sites.length; site++) {
      this.#crossings[site]! += this.#crossings[site - 1]!;
    }
  }

  /**
   * Exchanges the qubits of a site and the next one.
   *
   * @returns Change of the cut between them. Each pair across a cut may double the bond there, so that a cut
   *   counts as a power of 2.
   */
  swap(site: number): number {
    const [a, b] = [this.qubitAt[site]!, this.qubitAt[site + 1]!];
    const before = this.#crossings[site]!;
    const after = before + this.#passing(a, b, site, 1) + this.#passing(b, a, site, -1);
    this.#crossings[site] = after;
    [this.qubitAt[site], this.qubitAt[site + 1]] = [b, a];
    [this.siteOf[a], this.siteOf[b]] = [site + 1, site];
    return 2 ** Math.min(after, MOST_CROSSINGS) - 2 ** Math.min(before, MOST_CROSSINGS);
  }

  /** The gain of a cut when two qubits pass it in opposite directions, the first to the right if `direction` is 1. */
  #passing(qubit: Qubit, other: Qubit, site: number, direction: 1 | -1): number {
    let sum = 0;
    for (const partner of this.#couplings.get(qubit)?.keys() ?? []) {
      if (partner === other) continue;
      const isLeft = this.siteOf[partner]! <= site;
      sum += isLeft === direction > 0 ? 1 : -1;
    }
    return sum;
  }

  /**
   * Moves a qubit to a site, one step after the other.
   *
   * @param onStep - Receives each site on the way, and the change of all cuts so far.
   * @returns Change of all cuts.
   */
  move(qubit: Qubit, to: number, onStep?: (site: number, change: number) => void): number {
    let change = 0;
    for (let at = this.siteOf[qubit]!; at !== to; at = this.siteOf[qubit]!) {
      change += this.swap(at < to ? at : at - 1);
      onStep?.(this.siteOf[qubit]!, change);
    }
    return change;
  }
}

/**
 * Sites of the qubits: the order of their numbers, highest first, or one in which gates act over shorter distances.
 *
 * The highest qubit comes first because outcomes are drawn from the first site on, in the ascending order of basis
 * indices that defines counts for a seed.
 *
 * @param isRefined - Whether the order is improved qubit by qubit, which takes longer.
 * @returns Site of each qubit.
 */
export function chainOrder(
  numQubits: number,
  couplings: Couplings,
  isRefined: boolean,
): readonly number[] {
  const natural = Array.from({ length: numQubits }, (_, qubit) => numQubits - 1 - qubit);
  const best = distanceOf(natural, couplings);
  if (best === 0) return natural;
  const narrow = cuthillMcKee(numQubits, couplings);
  const first = distanceOf(narrow, couplings) < best ? narrow : natural;
  return isRefined && numQubits <= MAX_REFINED_QUBITS ? refined(first, couplings) : first;
}

/** Most qubits whose order is refined, which takes the square of their number. */
const MAX_REFINED_QUBITS = 256;
const MAX_ROUNDS = 8;

/**
 * Moves one qubit after the other to the site where the cuts that it passes are crossed by the fewest pairs, as long as
 * that helps.
 */
function refined(sites: readonly number[], couplings: Couplings): readonly number[] {
  const arrangement = new Arrangement(sites, couplings);
  const numQubits = sites.length;
  for (let round = 0, isBetter = true; isBetter && round < MAX_ROUNDS; round++) {
    isBetter = false;
    for (let qubit = 0; qubit < numQubits; qubit++) {
      if (!couplings.has(qubit)) continue;
      const from = arrangement.siteOf[qubit]!;
      let [best, least] = [from, 0];
      const compare = (site: number, change: number) => {
        if (change < least) [best, least] = [site, change];
      };
      arrangement.move(qubit, 0, compare);
      arrangement.move(qubit, from);
      arrangement.move(qubit, numQubits - 1, compare);
      arrangement.move(qubit, best);
      if (best !== from) isBetter = true;
    }
  }
  return arrangement.siteOf;
}

/** Swaps that bring the qubits of all gates together, if each began from the same order. */
function distanceOf(sites: readonly number[], couplings: Couplings): number {
  let sum = 0;
  for (const [a, others] of couplings) {
    for (const [b, count] of others) {
      if (a < b) sum += count * (Math.abs(sites[a]! - sites[b]!) - 1);
    }
  }
  return sum;
}

/**
 * Order by the reverse Cuthill-McKee algorithm, which keeps neighbours in the graph of gates near each other.
 *
 * @see George & Liu, "Computer Solution of Large Sparse Positive Definite Systems", 1981, chapter 4.
 */
function cuthillMcKee(numQubits: number, couplings: Couplings): readonly number[] {
  const degree = (qubit: Qubit) => couplings.get(qubit)?.size ?? 0;
  const seen = new Set<Qubit>();
  const order: Qubit[] = [];
  const byDegree = Array.from({ length: numQubits }, (_, qubit) => numQubits - 1 - qubit);
  byDegree.sort((a, b) => degree(a) - degree(b));
  for (const start of byDegree) {
    if (seen.has(start)) continue;
    // The end of a walk from anywhere is far out.
    const far = walk(start, couplings, degree).at(-1)!;
    for (const qubit of walk(far, couplings, degree)) {
      seen.add(qubit);
      order.push(qubit);
    }
  }
  const sites = new Array<number>(numQubits);
  for (const [site, qubit] of order.entries()) sites[qubit] = site;
  return sites;
}

/** The qubits that gates connect with one, nearest first. */
function walk(
  start: Qubit,
  couplings: Couplings,
  degree: (qubit: Qubit) => number,
): readonly Qubit[] {
  const order = [start];
  const seen = new Set(order);
  for (let i = 0; i < order.length; i++) {
    const next = [...(couplings.get(order[i]!)?.keys() ?? [])].filter((qubit) => !seen.has(qubit));
    for (const qubit of next.sort((a, b) => degree(a) - degree(b))) {
      seen.add(qubit);
      order.push(qubit);
    }
  }
  return order;
}
