/**
 * Regions in sparse blossom: a ball about a detection event, or a blossom, which is an odd cycle of regions that grow as
 * one. Fields are columns by region; region 0 stands for none, with a radius of 0.
 */
import { type Detectors, NEVER } from './detectors.ts';
import { Links } from './links.ts';

/** Columns of regions. */
export class Regions {
  /** Radius at time t: `radius` + `growth` t. The growth is 1, 0 or −1. A blossom's radius is what it grew as one. */
  readonly radius: Int32Array;
  readonly growth: Int32Array;
  /** The blossom that has the region in its cycle. */
  readonly blossom: Int32Array;
  /** The node of an alternating tree that has the region. */
  readonly tree: Int32Array;
  /** One more than the detector where the region arrived last; 0 if nowhere. */
  readonly last: Int32Array;
  /** When it may have shrunk away from a detector, and for when the queue has it; NEVER if not. */
  readonly due: Int32Array;
  readonly queued: Int32Array;
  /** The region that it is matched to, 0 for the boundary, and the edge to there. */
  readonly match: Int32Array;
  readonly matchLinks: Links;
  /** The first region of a blossom's cycle; 0 if it is none. */
  readonly cycle: Int32Array;
  /** The next region of the cycle that a region is part of, 0 after the last, and the edge to the next or first. */
  readonly next: Int32Array;
  readonly cycleLinks: Links;
  readonly #detectors: Detectors;
  /** End of the regions that the shot has used, and those among them that it uses no more. */
  #end = 1;
  readonly #free: number[] = [];

  constructor(detectors: Detectors) {
    this.#detectors = detectors;
    // Blossoms within each other are half as many as the events, at most.
    const size = Math.ceil(1.5 * detectors.region.length) + 1;
    const column = () => new Int32Array(size);
    this.radius = column();
    this.growth = column();
    this.blossom = column();
    this.tree = column();
    this.last = column();
    this.due = column().fill(NEVER);
    this.queued = column().fill(NEVER);
    this.match = column();
    this.matchLinks = new Links(size);
    this.cycle = column();
    this.next = column();
    this.cycleLinks = new Links(size);
  }

  /** A region without detectors that grows from a time on. */
  add(now: number): number {
    const region = this.#free.pop() ?? this.#end++;
    this.radius[region] = -now;
    this.growth[region] = 1;
    this.blossom[region] = 0;
    this.tree[region] = 0;
    this.last[region] = 0;
    this.due[region] = NEVER;
    this.match[region] = 0;
    this.cycle[region] = 0;
    return region;
  }

  /** A blossom that was taken apart is no more. */
  remove(region: number): void {
    this.due[region] = NEVER;
    this.#free.push(region);
  }

  /** Ends a shot. */
  clear(): void {
    this.queued.fill(NEVER, 0, this.#end);
    this.#end = 1;
    this.#free.length = 0;
  }

  /** Grows, stays or shrinks from a time on. */
  change(region: number, growth: number, now: number): void {
    const radius = this.radius[region]! + this.growth[region]! * now;
    this.radius[region] = radius - growth * now;
    this.growth[region] = growth;
  }

  /** Two regions are matched by an edge from the first to the second. */
  pair(region: number, other: number, links: Links, place: number): void {
    this.match[region] = other;
    this.match[other] = region;
    this.matchLinks.copy(region, links, place);
    this.matchLinks.copyReversed(other, links, place);
  }

  /**
   * Says of a region's detectors, and of those in it, which region is the largest about them.
   *
   * @param radius - Radii from this region to the one below `top`.
   */
  setTop(region: number, top: number, radius: number): void {
    const detectors = this.#detectors;
    for (let each = this.last[region]!; each !== 0; each = detectors.before[each - 1]!) {
      detectors.top[each - 1] = top;
      detectors.wrapped[each - 1] = radius - detectors.arrival[each - 1]!;
    }
    for (let child = this.cycle[region]!; child !== 0; child = this.next[child]!) {
      this.setTop(child, top, radius + this.radius[child]!);
    }
  }

  /** The region of a blossom's cycle that has the detection event. */
  childWith(blossom: number, event: number): number {
    let region = this.#detectors.region[event]!;
    while (this.blossom[region] !== blossom) region = this.blossom[region]!;
    return region;
  }

  /** Regions of a blossom's cycle, in order. */
  childrenOf(blossom: number): readonly number[] {
    const children: number[] = [];
    for (let child = this.cycle[blossom]!; child !== 0; child = this.next[child]!) {
      children.push(child);
    }
    return children;
  }
}
