/** Orders of qubits on a chain. */
import type { Qubit } from '../../circuit/circuit.ts';
import { Arrangement, type Couplings } from './arrangement.ts';

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
