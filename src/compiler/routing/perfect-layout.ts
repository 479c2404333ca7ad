/**
 * Searches for a layout without SWAPs: places such that every two qubits that share a gate have a coupler. It
 * backtracks with a limit, since the problem is NP-complete.
 */
import type { Coupler, CouplingMap } from './coupling-map.ts';

/** Places tried before the search is abandoned. */
const MAX_TRIES = 20_000;

/**
 * Returns places for qubits 0 … numQubits − 1; undefined if none exist or none were found.
 *
 * @param pairs - Qubits that share gates, each pair once.
 * @param order - All places of the device in the order in which they are tried.
 */
export function perfectLayout(
  numQubits: number,
  pairs: readonly Coupler[],
  map: CouplingMap,
  order: readonly number[],
): readonly number[] | undefined {
  if (numQubits > map.numQubits || pairs.length > map.couplers.length) return undefined;
  const partners = Array.from({ length: numQubits }, () => [] as number[]);
  for (const [a, b] of pairs) {
    partners[a]!.push(b);
    partners[b]!.push(a);
  }
  const search = new Search(partners, map, order);
  return search.run();
}

class Search {
  readonly #partners: readonly (readonly number[])[];
  readonly #map: CouplingMap;
  readonly #order: readonly number[];
  /** Qubits in the order in which they are placed, each a neighbour of earlier ones where possible. */
  readonly #sequence: readonly number[];
  readonly #places: Int32Array;
  readonly #isTaken: Uint8Array;
  #tries = 0;

  constructor(
    partners: readonly (readonly number[])[],
    map: CouplingMap,
    order: readonly number[],
  ) {
    this.#partners = partners;
    this.#map = map;
    this.#order = order;
    this.#sequence = sequenceOf(partners);
    this.#places = new Int32Array(partners.length).fill(-1);
    this.#isTaken = new Uint8Array(map.numQubits);
  }

  run(): readonly number[] | undefined {
    return this.#place(0) ? [...this.#places] : undefined;
  }

  #place(step: number): boolean {
    const qubit = this.#sequence[step];
    if (qubit === undefined) return true;
    const placed = this.#partners[qubit]!.filter((other) => this.#places[other]! >= 0);
    const [first] = placed;
    const candidates =
      first === undefined ? this.#order : this.#map.neighbours[this.#places[first]!]!;
    for (const place of candidates) {
      if (this.#isTaken[place]) continue;
      if (++this.#tries > MAX_TRIES) return false;
      if (!this.#fits(qubit, place, placed)) continue;
      this.#places[qubit] = place;
      this.#isTaken[place] = 1;
      if (this.#place(step + 1)) return true;
      this.#places[qubit] = -1;
      this.#isTaken[place] = 0;
    }
    return false;
  }

  /** Whether a place has couplers to all placed partners, and enough free neighbours for the others. */
  #fits(qubit: number, place: number, placed: readonly number[]): boolean {
    if (!placed.every((other) => this.#map.isCoupled(place, this.#places[other]!))) return false;
    const room = this.#map.neighbours[place]!.filter((next) => !this.#isTaken[next]).length;
    return room >= this.#partners[qubit]!.length - placed.length;
  }
}

/** Orders the qubits depth first, component by component, from the one with most partners. */
function sequenceOf(partners: readonly (readonly number[])[]): readonly number[] {
  const sequence: number[] = [];
  const seen = new Set<number>();
  // A path starts at its end; any other component where it is densest.
  const degree = (qubit: number) => partners[qubit]!.length;
  const starts = [...partners.keys()].sort((a, b) => degree(b) - degree(a) || a - b);
  const isPath = partners.every((each) => each.length <= 2);
  const ends = isPath ? [...partners.keys()].filter((q) => degree(q) === 1) : [];
  for (const start of [...ends, ...starts]) {
    const stack = [start];
    for (let qubit = stack.pop(); qubit !== undefined; qubit = stack.pop()) {
      if (seen.has(qubit)) continue;
      seen.add(qubit);
      sequence.push(qubit);
      stack.push(...partners[qubit]!.filter((other) => !seen.has(other)));
    }
  }
  return sequence;
}
