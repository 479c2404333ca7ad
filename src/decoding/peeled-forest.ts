/**
 * Trees of edges within clusters, peeled: of errors on the edges of a tree there is just one choice with given detection
 * events. A leaf's edge is one of them if the leaf is an event; the edge and the leaf are then taken away, and its other
 * end is an event if it was none.
 *
 * @see Delfosse & Zémor, "Linear-time maximum likelihood decoding of surface codes over the quantum erasure channel", 2020.
 */
import { BOUNDARY } from './adjacency.ts';

/** A forest that grows, and is peeled and emptied at the end of a shot. */
export class PeeledForest {
  readonly #ends: Int32Array;
  readonly #masks: Int32Array;
  /** Of each detector: the number of its edges, and the XOR of their numbers, which is the last one's when it is alone. */
  readonly #degree: Int32Array;
  readonly #edges: Int32Array;
  readonly #isEvent: Uint8Array;

  /** @param masks - Observables that each edge flips. */
  constructor(numDetectors: number, ends: Int32Array, masks: Int32Array) {
    this.#ends = ends;
    this.#masks = masks;
    this.#degree = new Int32Array(numDetectors);
    this.#edges = new Int32Array(numDetectors);
    this.#isEvent = new Uint8Array(numDetectors);
  }

  /** Adds an edge, which closes no cycle. A tree has one edge to the boundary at most. */
  add(edge: number): void {
    for (let end = 2 * edge; end <= 2 * edge + 1; end++) {
      const detector = this.#ends[end]!;
      if (detector === BOUNDARY) continue;
      this.#degree[detector]!++;
      this.#edges[detector]! ^= edge;
    }
  }

  /**
   * Takes all edges away.
   *
   * @param detectors - All that have edges, and all events.
   * @returns Observables that the errors flip.
   */
  peel(events: Int32Array, numEvents: number, detectors: Int32Array, numDetectors: number): number {
    const [ends, degree, edges, isEvent] = [this.#ends, this.#degree, this.#edges, this.#isEvent];
    for (let i = 0; i < numEvents; i++) isEvent[events[i]!] = 1;
    let observables = 0;
    for (let i = 0; i < numDetectors; i++) {
      // From a leaf inwards, as long as what is left is a leaf.
      for (let leaf = detectors[i]!; degree[leaf] === 1; ) {
        const edge = edges[leaf]!;
        const to = ends[2 * edge + 1]!;
        const other = to === leaf ? ends[2 * edge]! : to;
        degree[leaf] = 0;
        edges[leaf] = 0;
        const isError = isEvent[leaf]!;
        isEvent[leaf] = 0;
        if (isError === 1) observables ^= this.#masks[edge]!;
        if (other === BOUNDARY) break;
        isEvent[other]! ^= isError;
        degree[other]!--;
        edges[other]! ^= edge;
        leaf = other;
      }
    }
    return observables;
  }
}
