/**
 * Search for the resident wires of each sweep, so that few sweeps do all the work.
 *
 * A sweep may hold any wires, as long as it shares `contiguousQubits` with the sweep before: those were in
 * one tile, so its store can move them to the lowest places. A sweep does all work on its wires that the
 * order allows; only the wires are searched. Tiles grow wire by wire, by several policies and from several
 * starts, and a beam search keeps the schedules that have done most. Growing in program order (first fit) is
 * one of the policies; alone it needs up to half as many sweeps again (bench/sweeps.ts).
 *
 * @see Zhang et al., HyQuas (ICS '21), and Xu et al., Atlas (SC '24), which search the same choice greedily
 *   and by integer programming.
 */
import type { Wire } from './block.ts';
import { Progress, WorkGraph } from './work-graph.ts';
import type { WorkItem } from './work-list.ts';

/** Limits of a tile. */
export interface TileLimits {
  readonly tileWires: number;
  /** Least number of wires that consecutive sweeps share. */
  readonly sharedWires: number;
}

/** Effort of the search. */
export interface SearchEffort {
  /** Partial schedules kept after each sweep. */
  readonly beamWidth: number;
  /** Tiles grown from each of them. */
  readonly starts: number;
}

/** The choice for one sweep. */
export interface ChosenSweep {
  readonly wires: ReadonlySet<Wire>;
  /** Positions in the window, in an order that respects the graph. */
  readonly items: readonly number[];
}

/**
 * Policy for growing a tile: by the extension that frees most work, by the one that the longest chain waits
 * for, or by the first in program order. None is best for all circuits.
 */
type Policy = 'most-work' | 'oldest' | 'longest';
const POLICIES: readonly Policy[] = ['most-work', 'oldest', 'longest'];

/** Diagonal work counts less, because it can join any sweep. */
const DIAGONAL_WEIGHT = 0.25;

/** A partial schedule. */
interface Candidate {
  readonly progress: Progress;
  /** Items that are ready, but whose wires are not all resident. */
  readonly blocked: readonly number[];
  /** Items that are ready, but need a step of their own: measurements, resets, conditional blocks. */
  readonly fences: readonly number[];
  readonly last: ChosenSweep | undefined;
  readonly before: Candidate | undefined;
  readonly score: number;
}

/** State of a window between two searches. */
export interface WindowState {
  readonly progress: Progress;
  readonly blocked: readonly number[];
  readonly fences: readonly number[];
}

/** Chooses the sweeps of one window of work items. */
export class SweepSearch {
  readonly #items: readonly WorkItem[];
  readonly #limits: TileLimits;
  readonly #weights: Float64Array;
  /** Weight of the heaviest chain that begins with each item. */
  readonly #tails: Float64Array;
  readonly #inTile: Uint8Array;
  #state: WindowState;

  constructor(items: readonly WorkItem[], numResources: number, limits: TileLimits) {
    const graph = new WorkGraph(items, numResources);
    this.#items = items;
    this.#limits = limits;
    this.#weights = Float64Array.from(items, weightOf);
    this.#tails = tailsOf(graph, this.#weights);
    this.#inTile = new Uint8Array(numResources);
    const progress = new Progress(graph);
    this.#state = this.#sorted(progress, Progress.readyAtStart(progress));
  }

  /** Measurements, resets and conditional blocks that are ready. */
  get readyFences(): readonly number[] {
    return this.#state.fences;
  }

  get numDone(): number {
    return this.#state.progress.done.length;
  }

  /** Marks an item with a step of its own as done. */
  finishFence(item: number): void {
    const { progress, blocked, fences } = this.#state;
    const ready: number[] = [];
    progress.finish(item, ready);
    const next = this.#sorted(progress, ready);
    this.#state = {
      progress,
      blocked: [...blocked, ...next.blocked],
      fences: [...fences.filter((other) => other !== item), ...next.fences],
    };
  }

  /**
   * Chooses sweeps until only items that wait for a fence are left, or `enough` items are done.
   *
   * @param previous - Wires of the sweep before; undefined where any wires may be lowest.
   */
  choose(
    previous: ReadonlySet<Wire> | undefined,
    effort: SearchEffort,
    enough: number,
  ): readonly ChosenSweep[] {
    let beam: Candidate[] = [{ ...this.#state, last: undefined, before: undefined, score: 0 }];
    for (;;) {
      const finished = beam.find(
        ({ progress, blocked }) => blocked.length === 0 || progress.done.length >= enough,
      );
      if (finished !== undefined) return this.#commit(finished);
      beam = this.#grownFromAll(beam, previous, effort);
    }
  }

  /** The best of the tiles grown from each candidate. */
  #grownFromAll(
    beam: readonly Candidate[],
    previous: ReadonlySet<Wire> | undefined,
    { starts, beamWidth }: SearchEffort,
  ): Candidate[] {
    const grown: Candidate[] = [];
    let highest = -1;
    for (const candidate of beam) {
      for (const next of this.#grownFrom(candidate, previous, starts)) {
        // No candidate scores more than one that has done everything, and the first of equals is chosen.
        const hasDoneAll = next.progress.done.length === this.#items.length;
        if (hasDoneAll && next.score > highest) return [next];
        highest = Math.max(highest, next.score);
        grown.push(next);
      }
    }
    return best(grown, beamWidth);
  }

  #commit(candidate: Candidate): readonly ChosenSweep[] {
    this.#state = candidate;
    const sweeps: ChosenSweep[] = [];
    for (let at: Candidate | undefined = candidate; at?.last !== undefined; at = at.before) {
      sweeps.push(at.last);
    }
    return sweeps.reverse();
  }

  /** Grows tiles from several starts, one by one. */
  *#grownFrom(
    candidate: Candidate,
    previous: ReadonlySet<Wire> | undefined,
    starts: number,
  ): Generator<Candidate> {
    const shared = candidate.last?.wires ?? previous;
    const policies = POLICIES.slice(0, starts);
    for (const policy of policies) yield this.#grown(candidate, shared, policy);
    if (starts <= policies.length) return;
    const first = this.#extensions(candidate.blocked, new Tile(this.#limits, shared));
    const ranked = first
      .map((wires) => ({ wires, ...this.#gainOf(candidate.progress, candidate.blocked, wires) }))
      .sort((a, b) => b.tail - a.tail || b.gain - a.gain);
    const others = Math.min(starts - policies.length, ranked.length);
    for (let i = 0; i < others; i++) {
      const start = ranked[Math.floor((i * ranked.length) / others)]!.wires;
      yield this.#grown(candidate, shared, 'most-work', start);
    }
  }

  /** Grows one tile, from a start or from nothing. */
  #grown(
    candidate: Candidate,
    shared: ReadonlySet<Wire> | undefined,
    policy: Policy,
    start: readonly Wire[] = [],
  ): Candidate {
    const tile = new Tile(this.#limits, shared);
    const progress = candidate.progress.copy();
    const before = progress.done.length;
    const fences = [...candidate.fences];
    let blocked = candidate.blocked;
    // Items that need no wire go first, and may be all there is.
    let extension: readonly Wire[] | undefined = start;
    while (extension !== undefined) {
      for (const wire of extension) {
        tile.add(wire);
        this.#inTile[wire] = 1;
      }
      const left = this.#runAll(progress, blocked);
      blocked = left.blocked;
      fences.push(...left.fences);
      extension = this.#nextExtension(policy, progress, blocked, tile);
    }
    this.#inTile.fill(0);
    const items = progress.done.slice(before);
    const gained = items.reduce((sum, item) => sum + this.#weights[item]!, 0);
    return {
      progress,
      blocked,
      fences,
      last: { wires: tile.filled(), items },
      before: candidate,
      score: candidate.score + gained,
    };
  }

  #nextExtension(
    policy: Policy,
    progress: Progress,
    blocked: readonly number[],
    tile: Tile,
  ): readonly Wire[] | undefined {
    if (policy === 'oldest') {
      return this.#extensions(
        [...blocked].sort((a, b) => a - b),
        tile,
      )[0];
    }
    let bestWires: readonly Wire[] | undefined;
    let most = 0;
    let mostOther = 0;
    for (const wires of this.#extensions(blocked, tile)) {
      const { gain, tail } = this.#gainOf(progress, blocked, wires);
      const [value, other] = policy === 'longest' ? [tail, gain] : [gain, tail];
      if (value < most || (value === most && other <= mostOther)) continue;
      bestWires = wires;
      most = value;
      mostOther = other;
    }
    return bestWires;
  }

  /** Sets of wires that a single blocked item lacks, each once, if the tile has room for them. */
  #extensions(blocked: readonly number[], tile: Tile): readonly (readonly Wire[])[] {
    const seen = new Set<number>();
    const extensions: (readonly Wire[])[] = [];
    for (const item of blocked) {
      const missing = this.#items[item]!.needs.filter((wire) => !tile.wires.has(wire));
      if (missing.length === 0 || !tile.hasRoomFor(missing)) continue;
      if (missing.length === 1) {
        if (seen.has(missing[0]!)) continue;
        seen.add(missing[0]!);
      }
      extensions.push(missing);
    }
    return extensions;
  }

  /** Work per wire that the wires would free, and the heaviest chain among it. */
  #gainOf(
    progress: Progress,
    blocked: readonly number[],
    wires: readonly Wire[],
  ): { readonly gain: number; readonly tail: number } {
    for (const wire of wires) this.#inTile[wire] = 1;
    const mark = progress.done.length;
    const pending = blocked.filter((item) => this.#isRunnable(item));
    let gain = 0;
    let tail = 0;
    for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
      if (!this.#isRunnable(item)) continue;
      gain += this.#weights[item]!;
      tail = Math.max(tail, this.#tails[item]!);
      progress.finish(item, pending);
    }
    progress.undoTo(mark);
    for (const wire of wires) this.#inTile[wire] = 0;
    return { gain: gain / wires.length, tail };
  }

  /** Does all items that the tile allows. */
  #runAll(
    progress: Progress,
    ready: readonly number[],
  ): { readonly blocked: readonly number[]; readonly fences: readonly number[] } {
    const blocked: number[] = [];
    const fences: number[] = [];
    const pending = [...ready].reverse();
    for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
      if (isFence(this.#items[item]!)) fences.push(item);
      else if (this.#isRunnable(item)) progress.finish(item, pending);
      else blocked.push(item);
    }
    return { blocked, fences };
  }

  #sorted(progress: Progress, ready: readonly number[]): WindowState {
    // No wire is resident here, and even items that need none wait for a sweep.
    const blocked = ready.filter((item) => !isFence(this.#items[item]!));
    return { progress, blocked, fences: ready.filter((item) => isFence(this.#items[item]!)) };
  }

  #isRunnable(item: number): boolean {
    const { needs } = this.#items[item]!;
    for (let i = 0; i < needs.length; i++) if (this.#inTile[needs[i]!] === 0) return false;
    return !isFence(this.#items[item]!);
  }
}

/** Wires of a growing tile. */
class Tile {
  readonly wires = new Set<Wire>();
  readonly #limits: TileLimits;
  readonly #shared: ReadonlySet<Wire> | undefined;
  #numFresh = 0;

  /** @param shared - Wires of the sweep before; undefined where there is none. */
  constructor(limits: TileLimits, shared: ReadonlySet<Wire> | undefined) {
    this.#limits = limits;
    this.#shared = shared;
  }

  hasRoomFor(wires: readonly Wire[]): boolean {
    const { tileWires, sharedWires } = this.#limits;
    if (this.wires.size + wires.length > tileWires) return false;
    return this.#numFresh + this.#countFresh(wires) <= tileWires - sharedWires;
  }

  add(wire: Wire): void {
    this.#numFresh += this.#countFresh([wire]);
    this.wires.add(wire);
  }

  /** Returns the wires, filled up with wires of the sweep before that consecutive sweeps must share. */
  filled(): ReadonlySet<Wire> {
    for (const wire of this.#shared ?? []) {
      if (this.wires.size - this.#numFresh >= this.#limits.sharedWires) break;
      this.wires.add(wire);
    }
    return this.wires;
  }

  #countFresh(wires: readonly Wire[]): number {
    const shared = this.#shared;
    return shared === undefined ? 0 : wires.filter((wire) => !shared.has(wire)).length;
  }
}

/** Whether an item needs a step of its own. */
export function isFence({ work }: WorkItem): boolean {
  if (work.kind === 'collapse' || work.kind === 'probe') return true;
  return work.kind === 'block' && work.condition !== undefined;
}

function weightOf({ work, needs }: WorkItem): number {
  if (work.kind !== 'block') return 0;
  return needs.length > 0 ? 1 : DIAGONAL_WEIGHT;
}

/** Items of a later group come later in the window, so one backward pass meets them first. */
function tailsOf({ uses, groups }: WorkGraph, weights: Float64Array): Float64Array {
  const tails = new Float64Array(weights.length);
  const groupTails = groups.map((onResource) => new Float64Array(onResource.length + 1));
  for (let item = weights.length - 1; item >= 0; item--) {
    const itemUses = uses[item]!;
    let after = 0;
    for (let i = 0; i < itemUses.length; i += 2) {
      after = Math.max(after, groupTails[itemUses[i]!]![itemUses[i + 1]! + 1]!);
    }
    const tail = weights[item]! + after;
    tails[item] = tail;
    for (let i = 0; i < itemUses.length; i += 2) {
      const onResource = groupTails[itemUses[i]!]!;
      const group = itemUses[i + 1]!;
      onResource[group] = Math.max(onResource[group]!, tail);
    }
  }
  return tails;
}

/** Candidates with the highest scores; one of those that hold the same wires after the same sweeps. */
function best(candidates: readonly Candidate[], count: number): Candidate[] {
  const kept: Candidate[] = [];
  const sorted = [...candidates].sort((a, b) => b.score - a.score);
  for (const candidate of sorted) {
    if (kept.length === count) break;
    if (!kept.some((other) => isSameState(other, candidate))) kept.push(candidate);
  }
  return kept;
}

function isSameState(a: Candidate, b: Candidate): boolean {
  const wires = a.last?.wires;
  return (
    a.score === b.score &&
    a.blocked.length === b.blocked.length &&
    wires !== undefined &&
    b.last?.wires.isSubsetOf(wires) === true &&
    a.blocked.every((item) => b.blocked.includes(item))
  );
}
