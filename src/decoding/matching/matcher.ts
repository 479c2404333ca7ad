/**
 * Sparse blossom: minimum-weight perfect matching of detection events on a graph of detectors, by regions that grow from
 * the events. It is Edmonds' blossom algorithm where the edges between events are found only as regions meet.
 *
 * @see Higgott & Gidney, "Sparse Blossom: correcting a million errors per core second with minimum-weight matching",
 *   2023; PyMatching (Apache License 2.0).
 */
import type { MatchingGraph } from '../matching-graph.ts';
import { AlternatingTrees } from './alternating-trees.ts';
import { Flooder } from './flooder.ts';
import { Links } from './links.ts';
import { MatchedPairs } from './matched-pairs.ts';

/** Matches the detection events of one shot after the other. */
export class Matcher {
  readonly #flooder: Flooder;
  readonly #trees: AlternatingTrees;
  /** Trees without a match: as long as there are any, regions grow. */
  #numTrees = 0;
  /** What the last shot matched. */
  readonly pairs: MatchedPairs;

  /** @param masks - Observables that each edge flips, 32 at most. */
  constructor(graph: MatchingGraph, masks: Int32Array) {
    this.#flooder = new Flooder(graph, masks);
    this.#trees = new AlternatingTrees(this.#flooder.regions, graph.numDetectors);
    this.pairs = new MatchedPairs(this.#flooder.detectors, this.#flooder.regions);
  }

  /**
   * Matches all events, each to another one or to the boundary, with the least sum of weights.
   *
   * @param events - Distinct detectors. There has to be a matching: an even number of events in each part of the graph
   *   that has no edge to the boundary.
   * @returns Observables that the edges of the matching flip.
   */
  match(events: Int32Array, numEvents: number): number {
    const flooder = this.#flooder;
    const trees = this.#trees;
    for (let i = 0; i < numEvents; i++) trees.add(0, flooder.start(events[i]!));
    for (let i = 0; i < numEvents; i++) flooder.reschedule(flooder.detectors.top[events[i]!]!);
    this.#numTrees = numEvents;
    while (this.#numTrees > 0) {
      const meeting = flooder.next();
      switch (meeting) {
        case 'regions':
          this.#meet(flooder.first, flooder.second);
          break;
        case 'boundary':
          this.#meetBoundary(flooder.first);
          break;
        case 'shrunk':
          this.#shatter(flooder.first);
          break;
        case 'imploded':
          this.#implode(flooder.first);
          break;
      }
    }
    const observables = this.pairs.collect(events, numEvents);
    flooder.clear();
    trees.clear();
    return observables;
  }

  #meet(first: number, second: number): void {
    const { regions, link } = this.#flooder;
    const trees = this.#trees;
    const [node, other] = [regions.tree[first]!, regions.tree[second]!];
    if (node !== 0 && other !== 0) {
      const ancestor = trees.commonAncestor(node, other);
      if (ancestor === 0) {
        regions.pair(first, second, link, 0);
        this.#dissolve(node);
        this.#dissolve(other);
      } else this.#wrap(node, other, ancestor);
    } else if (node !== 0) this.#meetMatched(first, second);
    else {
      link.copyReversed(0, link, 0);
      this.#meetMatched(second, first);
    }
  }

  /** An outer region meets one that is matched. */
  #meetMatched(outer: number, matched: number): void {
    const { regions, link } = this.#flooder;
    const trees = this.#trees;
    const mate = regions.match[matched]!;
    if (mate === 0) {
      regions.pair(outer, matched, link, 0);
      this.#dissolve(regions.tree[outer]!);
      return;
    }
    const node = trees.add(matched, mate);
    trees.matchLinks.copy(node, regions.matchLinks, matched);
    trees.parentLinks.copyReversed(node, link, 0);
    trees.attach(node, regions.tree[outer]!);
    this.#flooder.shrink(matched);
    this.#flooder.grow(mate);
  }

  #meetBoundary(region: number): void {
    const { regions, link } = this.#flooder;
    regions.match[region] = 0;
    regions.matchLinks.copy(region, link, 0);
    this.#dissolve(regions.tree[region]!);
  }

  /** The outer region of a node is matched; so all the others of the tree can be matched within it. */
  #dissolve(node: number): void {
    const flooder = this.#flooder;
    const { regions } = flooder;
    const trees = this.#trees;
    this.#numTrees--;
    if (trees.isAlone(node)) {
      // So are most, and nothing is to be listed.
      flooder.freeze(trees.outer[node]!);
      trees.remove(node);
      return;
    }
    trees.becomeRoot(node);
    const nodes = trees.within(node);
    for (const each of nodes) flooder.freeze(trees.outer[each]!);
    for (const each of nodes) {
      const inner = trees.inner[each]!;
      if (inner !== 0) {
        regions.pair(inner, trees.outer[each]!, trees.matchLinks, each);
        flooder.freeze(inner);
      }
      trees.remove(each);
    }
  }

  /** Two outer regions of a tree meet: those on the way between them are a cycle, which becomes an outer region. */
  #wrap(node: number, other: number, ancestor: number): void {
    const { regions, link } = this.#flooder;
    const trees = this.#trees;
    const { cycleLinks } = regions;
    const cycle: number[] = [];
    const children: number[] = [];
    const prune = (each: number): number => {
      const parent = trees.parent[each]!;
      trees.detach(each);
      for (let child = trees.child[each]!; child !== 0; child = trees.next[child]!) {
        children.push(child);
      }
      trees.remove(each);
      return parent;
    };
    // From the second region up to the ancestor, and down to the first.
    for (let each = other; each !== ancestor; each = prune(each)) {
      const [outer, inner] = [trees.outer[each]!, trees.inner[each]!];
      cycle.push(outer, inner);
      cycleLinks.copyReversed(outer, trees.matchLinks, each);
      cycleLinks.copy(inner, trees.parentLinks, each);
    }
    const down: number[] = [];
    for (let each = node; each !== ancestor; each = prune(each)) {
      const [outer, inner] = [trees.outer[each]!, trees.inner[each]!];
      const above = trees.outer[trees.parent[each]!]!;
      down.push(outer, inner);
      cycleLinks.copy(inner, trees.matchLinks, each);
      cycleLinks.copyReversed(above, trees.parentLinks, each);
    }
    const top = trees.outer[ancestor]!;
    cycle.push(top, ...down.reverse());
    cycleLinks.copy(trees.outer[node]!, link, 0);
    regions.tree[top] = 0;
    const blossom = this.#flooder.wrap(cycle);
    trees.outer[ancestor] = blossom;
    regions.tree[blossom] = ancestor;
    for (const child of children) trees.attach(child, ancestor);
  }

  /** An inner region has shrunk to its event: the outer ones about it meet there. */
  #implode(inner: number): void {
    const { regions, link } = this.#flooder;
    const trees = this.#trees;
    const node = regions.tree[inner]!;
    const { parentLinks, matchLinks } = trees;
    const observables = parentLinks.observables[node]! ^ matchLinks.observables[node]!;
    link.set(0, parentLinks.to[node]!, matchLinks.to[node]!, observables);
    this.#meet(trees.outer[trees.parent[node]!]!, trees.outer[node]!);
  }

  /**
   * An inner blossom has shrunk to its cycle. The way of odd length between the region with the edge to the parent and
   * that with the edge to the child joins the tree; the other regions are matched to each other.
   */
  #shatter(blossom: number): void {
    const flooder = this.#flooder;
    const { regions } = flooder;
    const trees = this.#trees;
    const node = regions.tree[blossom]!;
    const { parentLinks, matchLinks } = trees;
    const cycle = regions.childrenOf(blossom);
    const size = cycle.length;
    const parentAt = cycle.indexOf(regions.childWith(blossom, parentLinks.from[node]!));
    const childAt = cycle.indexOf(regions.childWith(blossom, matchLinks.from[node]!));
    for (const region of cycle) {
      regions.blossom[region] = 0;
      regions.setTop(region, region, 0);
    }
    const gap = (childAt + size - parentAt) % size;
    const isForward = gap % 2 === 0;
    const step = isForward ? 1 : size - 1;
    const length = isForward ? gap : size - gap;
    let above = trees.parent[node]!;
    trees.detach(node);
    const toParent = new Links(1);
    toParent.copy(0, parentLinks, node);
    let place = parentAt;
    for (let i = 0; i < length; i += 2) {
      const inner = cycle[place]!;
      const outerAt = (place + step) % size;
      const outer = cycle[outerAt]!;
      const nextAt = (outerAt + step) % size;
      const added = trees.add(inner, outer);
      parentLinks.copy(added, toParent, 0);
      if (isForward) {
        matchLinks.copy(added, regions.cycleLinks, inner);
        toParent.copyReversed(0, regions.cycleLinks, outer);
      } else {
        matchLinks.copyReversed(added, regions.cycleLinks, outer);
        toParent.copy(0, regions.cycleLinks, cycle[nextAt]!);
      }
      trees.attach(added, above);
      flooder.shrink(inner);
      flooder.grow(outer);
      above = added;
      place = nextAt;
    }
    trees.inner[node] = cycle[childAt]!;
    regions.tree[cycle[childAt]!] = node;
    parentLinks.copy(node, toParent, 0);
    trees.attach(node, above);
    flooder.shrink(cycle[childAt]!);
    const firstPair = isForward ? childAt : parentAt;
    for (let i = 1; i < size - length; i += 2) {
      const region = cycle[(firstPair + i) % size]!;
      const other = cycle[(firstPair + i + 1) % size]!;
      regions.pair(region, other, regions.cycleLinks, region);
      // They shrank as part of the blossom; others may now arrive at them.
      flooder.reschedule(region);
      flooder.reschedule(other);
    }
    regions.remove(blossom);
  }
}
