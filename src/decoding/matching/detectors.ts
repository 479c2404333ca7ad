/**
 * Detectors in sparse blossom: their edges, and what a shot knows about each. Fields are columns with one number a
 * detector, so that a shot allocates nothing and neighbours are near each other in memory.
 */
import { adjacency, BOUNDARY } from '../adjacency.ts';
import type { MatchingGraph } from '../matching-graph.ts';

/** No time. */
export const NEVER = 2 ** 31 - 1;

/** Columns of detectors and of the ends of their edges. */
export class Detectors {
  /** Where the edges of each detector to others begin, and those of the last one end. */
  readonly starts: Int32Array;
  /** By end of an edge: the other end, the weight, the observables. */
  readonly neighbours: Int32Array;
  readonly weights: Int32Array;
  readonly observables: Int32Array;
  /** Of the edge to the boundary: the weight, NEVER if there is none, and the observables. */
  readonly boundaryWeights: Int32Array;
  readonly boundaryObservables: Int32Array;

  /** The smallest region that covers the detector, and the largest; 0 if none does. */
  readonly region: Int32Array;
  readonly top: Int32Array;
  /** Radius about the detector, less that of `top`: the radii of the regions below that, less `arrival`. */
  readonly wrapped: Int32Array;
  /** Radius that `region` had when it arrived. */
  readonly arrival: Int32Array;
  /** The detection event from which its region came, and the observables on the way from there. */
  readonly source: Int32Array;
  readonly crossed: Int32Array;
  /** One more than the detector where its region arrived before it; 0 for the first. */
  readonly before: Int32Array;
  /** When to look at the detector, and for when the queue has it; NEVER if not. */
  readonly due: Int32Array;
  readonly queued: Int32Array;
  /** Detectors that the shot has used, of which there are `numUsed`. */
  readonly #used: Int32Array;
  readonly #isUsed: Uint8Array;
  #numUsed = 0;

  /** @param masks - Observables that each edge flips. */
  constructor({ numDetectors, ends, weights }: MatchingGraph, masks: Int32Array) {
    const column = () => new Int32Array(numDetectors);
    this.boundaryWeights = column().fill(NEVER);
    this.boundaryObservables = column();
    this.region = column();
    this.top = column();
    this.wrapped = column();
    this.arrival = column();
    this.source = column();
    this.crossed = column();
    this.before = column();
    this.due = column().fill(NEVER);
    this.queued = column().fill(NEVER);
    this.#used = column();
    this.#isUsed = new Uint8Array(numDetectors);
    this.starts = new Int32Array(numDetectors + 1);
    this.neighbours = new Int32Array(ends.length);
    this.weights = new Int32Array(ends.length);
    this.observables = new Int32Array(ends.length);
    const { starts, edges } = adjacency(numDetectors, ends);
    let last = 0;
    for (let detector = 0; detector < numDetectors; detector++) {
      for (const edge of edges.subarray(starts[detector]!, starts[detector + 1]!)) {
        const [from, to] = [ends[2 * edge]!, ends[2 * edge + 1]!];
        if (to === BOUNDARY) {
          this.boundaryWeights[detector] = weights[edge]!;
          this.boundaryObservables[detector] = masks[edge]!;
          continue;
        }
        this.neighbours[last] = to === detector ? from : to;
        this.weights[last] = weights[edge]!;
        this.observables[last++] = masks[edge]!;
      }
      this.starts[detector + 1] = last;
    }
  }

  /** Notes that the shot uses a detector. */
  use(detector: number): void {
    if (this.#isUsed[detector] === 1) return;
    this.#isUsed[detector] = 1;
    this.#used[this.#numUsed++] = detector;
  }

  /** No region covers the detector any more. */
  empty(detector: number): void {
    this.region[detector] = 0;
    this.top[detector] = 0;
    this.wrapped[detector] = 0;
  }

  /** Ends a shot. */
  clear(): void {
    for (let i = 0; i < this.#numUsed; i++) {
      const detector = this.#used[i]!;
      this.empty(detector);
      this.due[detector] = NEVER;
      this.queued[detector] = NEVER;
      this.#isUsed[detector] = 0;
    }
    this.#numUsed = 0;
  }
}
