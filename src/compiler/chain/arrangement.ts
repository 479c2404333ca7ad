/** Qubits on the sites of a chain, and the pairs that share gates across each cut between two sites. */
import type { Qubit } from '../../circuit/circuit.ts';

/** How often each pair of qubits shares a gate. */
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
   * @returns What the cut between them changes by. Each pair across a cut may double the bond there, so that a cut counts
   *   as a power of 2.
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
   * @param onStep - Receives each site on the way, and what all cuts have changed by then.
   * @returns What all cuts changed by.
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
