/** Where logical qubits are on a device. Qubits of the device that hold none hold spare ones. */

/** A bijection: as many logical qubits, spare ones included, as the device has. */
export class Layout {
  /** physical[logical]. */
  readonly physical: Uint16Array;
  /** logical[physical]. */
  readonly logical: Uint16Array;

  /** @param physical - A permutation of the device's qubits. */
  constructor(physical: ArrayLike<number>) {
    this.physical = Uint16Array.from(physical);
    this.logical = new Uint16Array(this.physical.length);
    for (const [logical, place] of this.physical.entries()) this.logical[place] = logical;
  }

  /** Qubit i on place `places[i]`, the spare ones on the places left, in order. */
  static of(places: readonly number[], numPhysical: number): Layout {
    const taken = new Set(places);
    const left = Array.from({ length: numPhysical }, (_, p) => p).filter((p) => !taken.has(p));
    return new Layout([...places, ...left]);
  }

  /** Exchanges what two places hold. */
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
