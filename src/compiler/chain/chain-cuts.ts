/**
 * Entanglement across the cuts of a chain, from the gates between qubits on the two sides of each. Swaps move qubits to
 * the other side without entangling anything.
 */

/** The cuts of a chain whose qubits begin at the sites of their numbers. */
export class ChainCuts {
  /** Cut s is between sites s and s + 1. */
  readonly #cuts: Float64Array;
  readonly #siteOf: number[];
  readonly #qubitAt: number[];
  /** For each qubit, its partners and what gates with them add. */
  readonly #weights: Map<number, number>[];

  constructor(numSites: number) {
    this.#cuts = new Float64Array(numSites);
    this.#siteOf = Array.from({ length: numSites }, (_, site) => site);
    this.#qubitAt = [...this.#siteOf];
    this.#weights = this.#siteOf.map(() => new Map());
  }

  /** Sum of the weights of all gates across the cut after a site. */
  at(site: number): number {
    return this.#cuts[site]!;
  }

  /**
   * Adds a gate on a site and the next one.
   *
   * @param isSwap - Whether it exchanges their qubits, too.
   */
  add(site: number, weight: number, isSwap: boolean): void {
    const a = this.#qubitAt[site]!;
    const b = this.#qubitAt[site + 1]!;
    if (weight > 0) {
      this.#cuts[site]! += weight;
      this.#weights[a]!.set(b, (this.#weights[a]!.get(b) ?? 0) + weight);
      this.#weights[b]!.set(a, (this.#weights[b]!.get(a) ?? 0) + weight);
    }
    if (!isSwap) return;
    this.#cuts[site]! += this.#change(a, b, site, 1) + this.#change(b, a, site, -1);
    [this.#qubitAt[site], this.#qubitAt[site + 1]] = [b, a];
    [this.#siteOf[a], this.#siteOf[b]] = [site + 1, site];
  }

  /**
   * The gain of a cut when a qubit passes it.
   *
   * @param other - The qubit that passes it the other way; they stay on different sides.
   * @param direction - 1 to the right, −1 to the left.
   */
  #change(qubit: number, other: number, site: number, direction: 1 | -1): number {
    let sum = 0;
    for (const [partner, weight] of this.#weights[qubit]!) {
      if (partner === other) continue;
      const isLeft = this.#siteOf[partner]! <= site;
      sum += isLeft === direction > 0 ? weight : -weight;
    }
    return sum;
  }
}
