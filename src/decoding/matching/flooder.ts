/**
 * Growth of regions in sparse blossom: a flood from each detection event. Regions grow, stay or shrink at unit speed.
 * The flooder follows them from detector to detector and stops where the matcher has to decide: two regions meet, one
 * meets the boundary, or one has shrunk to nothing.
 *
 * Each detector has at most one event in the queue that counts: when to look at it again, because a region may then
 * go on from it, or arrive. The event may be too early; the detector is then looked at later once more.
 *
 * @see Higgott & Gidney, "Sparse Blossom: correcting a million errors per core second with minimum-weight matching",
 *   2023, section 4; PyMatching (Apache License 2.0), whose rules of events these are.
 */

import { EventQueue, NOTHING } from '../event-queue.ts';
import type { MatchingGraph } from '../matching-graph.ts';
import { Detectors, NEVER } from './detectors.ts';
import { Links } from './links.ts';
import { Regions } from './regions.ts';

/** What the matcher has to decide about. */
export type Meeting = 'regions' | 'boundary' | 'shrunk' | 'imploded';

/** Stands for the edge to the boundary. */
const TO_BOUNDARY = -1;

/** Follows regions. */
export class Flooder {
  readonly detectors: Detectors;
  readonly regions: Regions;
  /** Regions of the last meeting; the second is 0 where there is one alone. */
  first = 0;
  second = 0;
  /** The edge of the last meeting, at place 0. */
  readonly link = new Links(1);
  readonly #queue = new EventQueue();
  /** The edge of the event that `#nextTime` found, as its end. */
  #nextEdge = 0;

  /** @param masks - Observables that each edge flips. */
  constructor(graph: MatchingGraph, masks: Int32Array) {
    this.detectors = new Detectors(graph, masks);
    this.regions = new Regions(this.detectors);
  }

  /** Starts a region at a detection event. */
  start(event: number): number {
    const { detectors, regions } = this;
    const region = regions.add(0);
    detectors.arrival[event] = 0;
    detectors.source[event] = event;
    detectors.crossed[event] = 0;
    this.#cover(event, region, region, 0);
    return region;
  }

  /** Goes on to the next meeting. */
  next(): Meeting {
    const { detectors, regions } = this;
    const queue = this.#queue;
    for (;;) {
      const event = queue.pop();
      if (event === NOTHING) throw new Error('unreachable: events are left that nothing matches');
      const place = event >> 1;
      const { due, queued } = (event & 1) === 0 ? detectors : regions;
      // Of the events of one place, the earliest counts; where another was put before it, it is in the queue in vain.
      if (queued[place] !== queue.now) continue;
      queued[place] = NEVER;
      const time = due[place]!;
      if (time !== queue.now) {
        if (time !== NEVER) this.#schedule(due, queued, place, event, time);
        continue;
      }
      due[place] = NEVER;
      const meeting = (event & 1) === 0 ? this.#lookAt(place) : this.#shrink(place);
      if (meeting !== undefined) return meeting;
    }
  }

  grow(region: number): void {
    this.regions.change(region, 1, this.#queue.now);
    this.regions.due[region] = NEVER;
    this.reschedule(region);
  }

  freeze(region: number): void {
    const { growth, due } = this.regions;
    const wasShrinking = growth[region]! < 0;
    this.regions.change(region, 0, this.#queue.now);
    due[region] = NEVER;
    // Others may now arrive where the region gave way. Where it grew, its events come too early, which does no harm.
    if (wasShrinking) this.reschedule(region);
  }

  shrink(region: number): void {
    this.regions.change(region, -1, this.#queue.now);
    this.#scheduleShrinking(region);
    this.#unschedule(region);
  }

  /** Makes a blossom of regions, each with its edge to the next one of the cycle. */
  wrap(cycle: readonly number[]): number {
    const { regions } = this;
    const blossom = regions.add(this.#queue.now);
    for (let i = cycle.length - 1; i >= 0; i--) {
      const region = cycle[i]!;
      regions.change(region, 0, this.#queue.now);
      regions.due[region] = NEVER;
      regions.blossom[region] = blossom;
      regions.next[region] = regions.cycle[blossom]!;
      regions.cycle[blossom] = region;
      regions.setTop(region, blossom, regions.radius[region]!);
    }
    this.reschedule(blossom);
    return blossom;
  }

  /** Looks anew for the next event of each detector of a region. */
  reschedule(region: number): void {
    const { before } = this.detectors;
    const { last, cycle, next } = this.regions;
    for (let each = last[region]!; each !== 0; each = before[each - 1]!) this.#reschedule(each - 1);
    for (let child = cycle[region]!; child !== 0; child = next[child]!) this.reschedule(child);
  }

  /** Ends a shot. */
  clear(): void {
    this.#queue.clear();
    this.detectors.clear();
    this.regions.clear();
  }

  /** No detector of a region has an event of its own: the region shrinks. */
  #unschedule(region: number): void {
    const { before, due } = this.detectors;
    const { last, cycle, next } = this.regions;
    for (let each = last[region]!; each !== 0; each = before[each - 1]!) due[each - 1] = NEVER;
    for (let child = cycle[region]!; child !== 0; child = next[child]!) this.#unschedule(child);
  }

  #cover(detector: number, region: number, top: number, wrapped: number): void {
    const { detectors, regions } = this;
    detectors.use(detector);
    detectors.region[detector] = region;
    detectors.top[detector] = top;
    detectors.wrapped[detector] = wrapped;
    detectors.before[detector] = regions.last[region]!;
    regions.last[region] = detector + 1;
  }

  /** A region arrives at a detector from another one. */
  #arrive(detector: number, from: number, edge: number): void {
    const { detectors, regions } = this;
    const region = detectors.top[from]!;
    const radius = regions.radius[region]! + regions.growth[region]! * this.#queue.now;
    detectors.arrival[detector] = radius;
    detectors.source[detector] = detectors.source[from]!;
    detectors.crossed[detector] = detectors.crossed[from]! ^ detectors.observables[edge]!;
    this.#cover(detector, region, region, -radius);
    this.#reschedule(detector);
  }

  #lookAt(detector: number): Meeting | undefined {
    const { detectors } = this;
    const { top, source, crossed, neighbours, observables } = detectors;
    const { now } = this.#queue;
    for (;;) {
      const time = this.#nextTime(detector);
      if (time !== NEVER)
        this.#schedule(detectors.due, detectors.queued, detector, detector << 1, time);
      if (time !== now) return undefined;
      // The detector is looked at once more now, as other edges may have an event at the same time.
      const edge = this.#nextEdge;
      this.first = top[detector]!;
      if (edge === TO_BOUNDARY) {
        this.second = 0;
        const onTheWay = crossed[detector]! ^ detectors.boundaryObservables[detector]!;
        this.link.set(0, source[detector]!, TO_BOUNDARY, onTheWay);
        return 'boundary';
      }
      const other = neighbours[edge]!;
      this.second = top[other]!;
      if (this.first === 0) {
        this.#arrive(detector, other, edge);
        return undefined;
      }
      if (this.second !== 0) {
        const onTheWay = crossed[detector]! ^ crossed[other]! ^ observables[edge]!;
        this.link.set(0, source[detector]!, source[other]!, onTheWay);
        return 'regions';
      }
      this.#arrive(other, detector, edge);
    }
  }

  /** A shrinking region leaves the detector where it arrived last, or has nowhere left to leave. */
  #shrink(region: number): Meeting | undefined {
    const { detectors, regions } = this;
    const last = regions.last[region]!;
    this.first = region;
    if (last === 0) return 'shrunk';
    const detector = last - 1;
    if (detectors.before[detector] === 0 && regions.cycle[region] === 0) return 'imploded';
    regions.last[region] = detectors.before[detector]!;
    detectors.empty(detector);
    this.#reschedule(detector);
    this.#scheduleShrinking(region);
    return undefined;
  }

  #scheduleShrinking(region: number): void {
    const { last, radius, due, queued } = this.regions;
    const { wrapped } = this.detectors;
    const outermost = last[region]!;
    const time = radius[region]! + (outermost === 0 ? 0 : wrapped[outermost - 1]!);
    this.#schedule(due, queued, region, (region << 1) | 1, time);
  }

  #reschedule(detector: number): void {
    const { due, queued } = this.detectors;
    const time = this.#nextTime(detector);
    if (time === NEVER) due[detector] = NEVER;
    else this.#schedule(due, queued, detector, detector << 1, time);
  }

  #schedule(due: Int32Array, queued: Int32Array, place: number, event: number, time: number): void {
    due[place] = time;
    if (time >= queued[place]!) return;
    queued[place] = time;
    this.#queue.push(time, event);
  }

  /**
   * When a region about the detector reaches a neighbour or the boundary, or one about a neighbour the detector; NEVER
   * if none does. Where several do at once, it is the first edge.
   */
  #nextTime(detector: number): number {
    const { top, wrapped, starts, neighbours, weights, boundaryWeights } = this.detectors;
    const { radius, growth } = this.regions;
    const mine = top[detector]!;
    const around = radius[mine]! + wrapped[detector]!;
    const end = starts[detector + 1]!;
    let first = NEVER;
    let edge = 0;
    if (growth[mine]! > 0) {
      const boundary = boundaryWeights[detector]!;
      if (boundary !== NEVER) {
        first = boundary - around;
        edge = TO_BOUNDARY;
      }
      for (let i = starts[detector]!; i < end; i++) {
        const other = neighbours[i]!;
        const theirs = top[other]!;
        if (theirs === mine) continue;
        const growing = growth[theirs]!;
        if (growing < 0) continue;
        const time = (weights[i]! - around - radius[theirs]! - wrapped[other]!) >> growing;
        if (time < first) {
          first = time;
          edge = i;
        }
      }
    } else {
      for (let i = starts[detector]!; i < end; i++) {
        const other = neighbours[i]!;
        const theirs = top[other]!;
        if (growth[theirs]! <= 0) continue;
        const time = weights[i]! - around - radius[theirs]! - wrapped[other]!;
        if (time < first) {
          first = time;
          edge = i;
        }
      }
    }
    this.#nextEdge = edge;
    return first;
  }
}
