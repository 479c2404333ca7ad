/** Which pairs of a device's qubits can have a gate, and how far apart any two are. */

/** A pair of qubits, in any order: what a coupler can do one way, one-qubit gates turn round. */
export type Coupler = readonly [number, number];

/** Distance between qubits that nothing connects. */
export const UNREACHABLE = 0xffff;

/** The couplers of a device. */
export class CouplingMap {
  readonly numQubits: number;
  /** Each once, the lower qubit first, in ascending order. */
  readonly couplers: readonly Coupler[];
  /** neighbours[q], ascending. */
  readonly neighbours: readonly (readonly number[])[];
  readonly #distances: Uint16Array;

  /**
   * @param numQubits - At most 1024.
   * @param couplers - Pairs of different qubits below `numQubits`; those given twice count once.
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

  /** Couplers on the shortest way between two qubits; UNREACHABLE where there is none. */
  distance(a: number, b: number): number {
    return this.#distances[a * this.numQubits + b]!;
  }

  /** Whether the two have a coupler. */
  isCoupled(a: number, b: number): boolean {
    return this.distance(a, b) === 1;
  }

  /** The qubits of the largest connected part, ascending. */
  largestPart(): readonly number[] {
    const qubits = Array.from({ length: this.numQubits }, (_, q) => q);
    let best: readonly number[] = [];
    for (const from of qubits) {
      const part = qubits.filter((q) => this.distance(from, q) !== UNREACHABLE);
      if (part.length > best.length) best = part;
    }
    return best;
  }

  /** Breadth first. */
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
