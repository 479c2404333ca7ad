/** Pairs of detection events of a matching, of regions that are matched: blossoms are taken apart into pairs. */
import type { Detectors } from './detectors.ts';
import { Links } from './links.ts';
import type { Regions } from './regions.ts';

/** Stands for a region whose match has been taken. */
const TAKEN = -1;

/** The pairs of a shot. */
export class MatchedPairs {
  /** The pairs: an event, another one or −1 for the boundary, and the observables between. */
  readonly links: Links;
  count = 0;
  readonly #detectors: Detectors;
  readonly #regions: Regions;

  constructor(detectors: Detectors, regions: Regions) {
    this.#detectors = detectors;
    this.#regions = regions;
    this.links = new Links(detectors.region.length);
  }

  /** Collects the pairs of all events, whose regions are matched, and returns the observables of them together. */
  collect(events: Int32Array, numEvents: number): number {
    const { match, matchLinks } = this.#regions;
    const { top } = this.#detectors;
    this.count = 0;
    for (let i = 0; i < numEvents; i++) {
      const region = top[events[i]!]!;
      const mate = match[region]!;
      if (mate === TAKEN) continue;
      match[region] = TAKEN;
      this.#open(region, matchLinks.from[region]!);
      if (mate !== 0) {
        match[mate] = TAKEN;
        this.#open(mate, matchLinks.to[region]!);
      }
      this.#add(matchLinks, region);
    }
    const { observables } = this.links;
    let all = 0;
    for (let i = 0; i < this.count; i++) all ^= observables[i]!;
    return all;
  }

  /** Collects the pairs within a region, of which one event is matched to another region. */
  #open(region: number, event: number): void {
    const { cycle, cycleLinks } = this.#regions;
    if (cycle[region] === 0) return;
    const children = this.#regions.childrenOf(region);
    const matched = this.#regions.childWith(region, event);
    const at = children.indexOf(matched);
    for (let i = 1; i < children.length; i += 2) {
      const child = children[(at + i) % children.length]!;
      const other = children[(at + i + 1) % children.length]!;
      this.#open(child, cycleLinks.from[child]!);
      this.#open(other, cycleLinks.to[child]!);
      this.#add(cycleLinks, child);
    }
    this.#open(matched, event);
  }

  #add(links: Links, place: number): void {
    this.links.copy(this.count++, links, place);
  }
}
