/** Layout of logical qubits on a device. Places without a qubit of the circuit hold spare qubits. */

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
