/**
 * Coupling map of a device: the pairs of qubits that can have a gate, and the distance of any two; and the layout of
 * logical qubits on it. Places without a qubit of the circuit hold spare qubits.
 */

/** A pair of qubits, in any order: one-qubit gates reverse the direction of a coupler. */
export type Coupler = readonly [number, number];

/** Distance between qubits that are not connected. */
const UNREACHABLE = 0xffff;

/** Couplers of a device. */
export class CouplingMap {
  readonly numQubits: number;
  /** Each once, the lower qubit first, in ascending order. */
  readonly couplers: readonly Coupler[];
  /** Neighbours of each qubit, ascending. */
  readonly neighbours: readonly (readonly number[])[];
  readonly #distances: Uint16Array;

  /**
   * @param numQubits - At most 1024.
   * @param couplers - Pairs of different qubits below `numQubits`; duplicates count once.
   */
  constructor(numQubits: number, couplers: readonly Coupler[]) {
    this.numQubits = numQubits;
    const neighbours = Array.from({ length: numQubits }, () => new Set<number>());
    for (const [a, b] of couplers) {
      neighbours[a]!.add(b);
      neighbours[b]!.add(a);
    }
    this.neighbours = neighbours.map((each) => [...each].sort((a, b) => a - b));
    this.couplers = this.neighbours.flatMap((others, a) =>
      others.filter((b) => b > a).map((b): Coupler => [a, b]),
    );
    this.#distances = new Uint16Array(numQubits * numQubits).fill(UNREACHABLE);
    for (let from = 0; from < numQubits; from++) this.#measureFrom(from);
  }

  /** Number of couplers on the shortest path between two qubits; UNREACHABLE where there is none. */
  distance(a: number, b: number): number {
    return this.#distances[a * this.numQubits + b]!;
  }

  /** Whether two qubits have a coupler. */
  isCoupled(a: number, b: number): boolean {
    return this.distance(a, b) === 1;
  }

  /** Qubits of the largest connected part, ascending. */
  largestPart(): readonly number[] {
    const qubits = Array.from({ length: this.numQubits }, (_, q) => q);
    let best: readonly number[] = [];
    for (const from of qubits) {
      const part = qubits.filter((q) => this.distance(from, q) !== UNREACHABLE);
      if (part.length > best.length) best = part;
    }
    return best;
  }

  /** Computes the distances from a qubit, breadth first. */
  #measureFrom(from: number): void {
    const row = this.#distances.subarray(from * this.numQubits, (from + 1) * this.numQubits);
    row[from] = 0;
    const queue = [from];
    for (const qubit of queue) {
      for (const next of this.neighbours[qubit]!) {
        if (row[next] !== UNREACHABLE) continue;
        row[next] = row[qubit]! + 1;
        queue.push(next);
      }
    }
  }
}

/** A bijection between the logical qubits, including spare ones, and the device's places. */
export class Layout {
  /** Place of each logical qubit. */
  readonly physical: Uint16Array;
  /** Logical qubit on each place. */
  readonly logical: Uint16Array;

  /** @param physical - A permutation of the device's places. */
  constructor(physical: ArrayLike<number>) {
    this.physical = Uint16Array.from(physical);
    this.logical = new Uint16Array(this.physical.length);
    for (const [logical, place] of this.physical.entries()) this.logical[place] = logical;
  }

  /** Puts qubit i on place `places[i]`, and spare qubits on the other places in order. */
  static of(places: readonly number[], numPhysical: number): Layout {
    const taken = new Set(places);
    const left = Array.from({ length: numPhysical }, (_, p) => p).filter((p) => !taken.has(p));
    return new Layout([...places, ...left]);
  }

  /** Exchanges the qubits of two places. */
  swap(a: number, b: number): void {
    const [x, y] = [this.logical[a]!, this.logical[b]!];
    this.logical[a] = y;
    this.logical[b] = x;
    this.physical[x] = b;
    this.physical[y] = a;
  }

  copy(): Layout {
    return new Layout(this.physical);
  }
}
