/** Edges between regions, as they meet or are matched: columns of both ends and of the observables between. */
export class Links {
  /** Detection events at both ends. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Observables that the shortest way between them crosses. */
  readonly observables: Int32Array;

  constructor(size: number) {
    this.from = new Int32Array(size);
    this.to = new Int32Array(size);
    this.observables = new Int32Array(size);
  }

  set(at: number, from: number, to: number, observables: number): void {
    this.from[at] = from;
    this.to[at] = to;
    this.observables[at] = observables;
  }

  /** Takes over a link of any column. */
  copy(at: number, links: Links, place: number): void {
    this.set(at, links.from[place]!, links.to[place]!, links.observables[place]!);
  }

  /** Takes over a link, seen from its other end. */
  copyReversed(at: number, links: Links, place: number): void {
    this.set(at, links.to[place]!, links.from[place]!, links.observables[place]!);
  }
}
