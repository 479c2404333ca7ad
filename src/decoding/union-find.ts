/**
 * Union-find decoding: clusters of detectors grow from the detection events along the edges, by weight, until each has
 * an even number of events or reaches the boundary. Errors are then looked for within each cluster's tree, from the
 * leaves inwards (peeling). It is nearly as exact as matching, and simpler: clusters only grow and merge.
 *
 * @see Delfosse & Nickerson, "Almost-linear time decoding algorithm for topological codes", 2021; Huang, Newman & Brown,
 *   "Fault-tolerant weighted union-find decoding on the toric code", 2020, for weights.
 */
import { adjacency, BOUNDARY } from './adjacency.ts';
import { EventQueue, NOTHING } from './event-queue.ts';
import type { MatchingGraph } from './matching-graph.ts';
import { PeeledForest } from './peeled-forest.ts';

/** No time. */
const NEVER = 2 ** 31 - 1;

/** Decodes the detection events of one shot after the other. */
export class UnionFind {
  readonly #graph: MatchingGraph;
  readonly #starts: Int32Array;
  readonly #edges: Int32Array;
  readonly #forest: PeeledForest;
  readonly #queue = new EventQueue();

  /** The cluster of each detector, which has the number of one of its detectors; −1 for none. */
  readonly #cluster: Int32Array;
  /** How much each cluster had grown at the time `since`, and whether it has grown since then. */
  readonly #grown: Int32Array;
  readonly #since: Int32Array;
  readonly #isGrowing: Uint8Array;
  /** What the cluster had grown when it reached the detector. */
  readonly #reached: Int32Array;
  /** The detectors of a cluster: the next one of each, and the last and the number of all, by cluster. */
  readonly #next: Int32Array;
  readonly #last: Int32Array;
  readonly #size: Int32Array;
  /** By cluster: whether it has an odd number of events, and whether it reaches the boundary. */
  readonly #isOdd: Uint8Array;
  readonly #isAtBoundary: Uint8Array;
  /** For when the queue has each detector; NEVER if it has not. */
  readonly #queued: Int32Array;
  readonly #used: Int32Array;
  #numUsed = 0;
  #numGrowing = 0;
  #nextEdge = 0;

  /** @param masks - Observables that each edge flips, 32 at most. */
  constructor(graph: MatchingGraph, masks: Int32Array) {
    const { numDetectors, ends } = graph;
    this.#graph = graph;
    const { starts, edges } = adjacency(numDetectors, ends);
    this.#starts = starts;
    this.#edges = edges;
    this.#forest = new PeeledForest(numDetectors, ends, masks);
    const column = () => new Int32Array(numDetectors);
    const flags = () => new Uint8Array(numDetectors);
    this.#cluster = column().fill(-1);
    this.#grown = column();
    this.#since = column();
    this.#isGrowing = flags();
    this.#reached = column();
    this.#next = column();
    this.#last = column();
    this.#size = column();
    this.#isOdd = flags();
    this.#isAtBoundary = flags();
    this.#queued = column().fill(NEVER);
    this.#used = column();
  }

  /**
   * Finds errors with these events, likely ones.
   *
   * @param events - Distinct detectors; some errors have these events.
   * @returns Observables that the errors flip.
   */
  decode(events: Int32Array, numEvents: number): number {
    for (let i = 0; i < numEvents; i++) this.#start(events[i]!);
    for (let i = 0; i < numEvents; i++) this.#schedule(events[i]!);
    const queue = this.#queue;
    while (this.#numGrowing > 0) {
      const detector = queue.pop();
      if (detector === NOTHING) throw new Error('unreachable: a cluster has nowhere to grow');
      if (this.#queued[detector] !== queue.now) continue;
      this.#queued[detector] = NEVER;
      if (this.#nextTime(detector) === queue.now) this.#cross(detector, this.#nextEdge);
      this.#schedule(detector);
    }
    const observables = this.#forest.peel(events, numEvents, this.#used, this.#numUsed);
    this.#clear();
    return observables;
  }

  #start(event: number): void {
    this.#add(event);
    this.#cluster[event] = event;
    this.#grown[event] = 0;
    this.#since[event] = 0;
    this.#isGrowing[event] = 1;
    this.#isOdd[event] = 1;
    this.#isAtBoundary[event] = 0;
    this.#last[event] = event;
    this.#size[event] = 1;
    this.#reached[event] = 0;
    this.#numGrowing++;
  }

  #add(detector: number): void {
    this.#used[this.#numUsed++] = detector;
    this.#next[detector] = -1;
  }

  /** A cluster has grown over an edge of a detector: to the boundary, a detector, or another cluster. */
  #cross(detector: number, edge: number): void {
    const { ends } = this.#graph;
    this.#forest.add(edge);
    const cluster = this.#cluster[detector]!;
    const to = ends[2 * edge + 1]!;
    if (to === BOUNDARY) {
      this.#isAtBoundary[cluster] = 1;
      this.#settle(cluster);
      return;
    }
    const other = to === detector ? ends[2 * edge]! : to;
    const theirs = this.#cluster[other]!;
    if (theirs >= 0) {
      this.#merge(cluster, theirs);
      return;
    }
    this.#add(other);
    this.#cluster[other] = cluster;
    this.#reached[other] = this.#grownOf(cluster);
    this.#append(cluster, other, other, 1);
    this.#schedule(other);
  }

  /** Adds a list of detectors to a cluster's. */
  #append(cluster: number, first: number, last: number, size: number): void {
    this.#next[this.#last[cluster]!] = first;
    this.#last[cluster] = last;
    this.#size[cluster]! += size;
  }

  /** Two clusters become one: the smaller one's detectors take the larger one's number, and keep their radii. */
  #merge(cluster: number, other: number): void {
    const isLarger = this.#size[cluster]! >= this.#size[other]!;
    const [kept, gone] = isLarger ? [cluster, other] : [other, cluster];
    const more = this.#grownOf(kept) - this.#grownOf(gone);
    // A cluster's list begins with the detector of its number.
    for (let each = gone; each >= 0; each = this.#next[each]!) {
      this.#cluster[each] = kept;
      this.#reached[each]! += more;
    }
    this.#append(kept, gone, this.#last[gone]!, this.#size[gone]!);
    this.#isOdd[kept]! ^= this.#isOdd[gone]!;
    this.#isAtBoundary[kept]! |= this.#isAtBoundary[gone]!;
    this.#numGrowing -= this.#isGrowing[gone]!;
    this.#isGrowing[gone] = 0;
    this.#settle(kept);
  }

  /** Stops a cluster or has it grow, as it has to. */
  #settle(cluster: number): void {
    const shall = this.#isAtBoundary[cluster] === 1 ? 0 : this.#isOdd[cluster]!;
    const was = this.#isGrowing[cluster]!;
    this.#grown[cluster] = this.#grownOf(cluster);
    this.#since[cluster] = this.#queue.now;
    this.#isGrowing[cluster] = shall;
    this.#numGrowing += shall - was;
    if (shall === 0) return;
    for (let each = cluster; each >= 0; each = this.#next[each]!) this.#schedule(each);
  }

  #grownOf(cluster: number): number {
    const since = this.#isGrowing[cluster]! * (this.#queue.now - this.#since[cluster]!);
    return this.#grown[cluster]! + since;
  }

  /** Puts a detector into the queue for when it is next to be looked at, unless it is there for earlier. */
  #schedule(detector: number): void {
    const time = this.#nextTime(detector);
    if (time >= this.#queued[detector]!) return;
    this.#queued[detector] = time;
    this.#queue.push(time, detector);
  }

  /** When the detector's growing cluster will have grown over one of its edges; NEVER if it does not. */
  #nextTime(detector: number): number {
    const { ends, weights } = this.#graph;
    const [starts, edges] = [this.#starts, this.#edges];
    const { now } = this.#queue;
    const cluster = this.#cluster[detector]!;
    if (this.#isGrowing[cluster] === 0) return NEVER;
    const radius = this.#grownOf(cluster) - this.#reached[detector]!;
    let first = NEVER;
    for (let i = starts[detector]!; i < starts[detector + 1]!; i++) {
      const edge = edges[i]!;
      const to = ends[2 * edge + 1]!;
      let left = weights[edge]! - radius;
      if (to !== BOUNDARY) {
        const other = to === detector ? ends[2 * edge]! : to;
        const theirs = this.#cluster[other]!;
        if (theirs === cluster) continue;
        if (theirs >= 0) {
          left -= this.#grownOf(theirs) - this.#reached[other]!;
          left >>= this.#isGrowing[theirs]!;
        }
      }
      const time = now + left;
      if (time < first) {
        first = time;
        this.#nextEdge = edge;
      }
    }
    return first;
  }

  #clear(): void {
    for (let i = 0; i < this.#numUsed; i++) {
      this.#cluster[this.#used[i]!] = -1;
      this.#queued[this.#used[i]!] = NEVER;
    }
    this.#numUsed = 0;
    this.#queue.clear();
  }
}
