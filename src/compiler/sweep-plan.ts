/**
 * Plans sweeps on wires: the resident wires of each sweep and its work.
 *
 * Work is processed in windows, so that time is linear. As much work as possible is done before a
 * measurement, because it is then done once for all shots rather than once for each outcome.
 */
import type { Condition, Qubit } from '../circuit/circuit.ts';
import type { Block, Wire } from './block.ts';
import { isFence, type SearchEffort, SweepSearch } from './sweep-search.ts';
import type { CollapseOperation, WorkItem, WorkList } from './work-list.ts';

/** Places of the wires before the first step, for states that do not begin as |0…0⟩, which any layout suits. */
export interface StartLayout {
  /** Place of each wire. */
  readonly placeOf: readonly Qubit[];
  /** A wire that keeps its place, which is above the lowest ones; nothing but probes acts on it. */
  readonly pinned: Wire | undefined;
  /** Whether every wire is back in its place after the last step; false if absent. */
  readonly returns?: boolean;
}

/** A sweep on wires. */
export interface PlannedSweep {
  readonly kind: 'sweep';
  readonly wires: ReadonlySet<Wire>;
  /** In order: blocks, and barriers between them. */
  readonly items: readonly WorkItem[];
  readonly condition?: Condition;
  /** Wires on the lowest places, for a sweep under a condition, which cannot move wires. */
  readonly lowest?: readonly Wire[];
}

/** A measurement or reset of wires, or an assignment to bits. */
export interface PlannedCollapse {
  readonly kind: 'collapse';
  readonly operation: CollapseOperation;
}

/** Exchanges wires in pairs: one that no tile reaches with one that tiles reach. */
export interface PlannedExchange {
  readonly kind: 'exchange';
  readonly pairs: readonly (readonly [far: Wire, near: Wire])[];
}

/** Sums taken between sweeps. */
export interface PlannedProbing {
  readonly kind: 'probing';
  readonly blocks: readonly Block[];
}

/** One step of a plan. */
export type PlannedStep = PlannedSweep | PlannedCollapse | PlannedExchange | PlannedProbing;

/** Limits of a plan. */
export interface PlanLimits {
  /** Wires that a sweep may hold. */
  readonly tileWires: number;
  /** Wires on the lowest places, which consecutive sweeps share. */
  readonly lowestWires: number;
  /** Wires 0 … numWires − 1 may be resident. */
  readonly numWires: number;
  readonly numResources: number;
}

/** Items in a window; it is refilled when half of it is done. */
const WINDOW_ITEMS = 4096;

/** Plans lists of items, one after the other. */
export class SweepPlanner {
  readonly steps: PlannedStep[] = [];
  readonly #limits: PlanLimits;
  readonly #effort: SearchEffort;
  /** Set of all wires, if a tile holds them all and nothing has to move. */
  readonly #whole: ReadonlySet<Wire> | undefined;
  /** Wires that may be on the lowest places. */
  #previous: ReadonlySet<Wire>;

  constructor(limits: PlanLimits, effort: SearchEffort) {
    this.#limits = limits;
    this.#effort = effort;
    this.#previous = new Set(Array(limits.numWires).keys());
    this.#whole = limits.numWires <= limits.tileWires ? this.#previous : undefined;
  }

  /** Makes the first sweep one that finds its wires on the lowest places. */
  startFrom({ placeOf, pinned }: StartLayout, numLowest: number): void {
    const wires = [...placeOf.keys()];
    this.#previous = new Set(wires.filter((w) => placeOf[w]! < numLowest || w === pinned));
  }

  /** Adds the steps that do these items. */
  plan(items: readonly WorkItem[]): void {
    const { tileWires, lowestWires: sharedWires, numResources } = this.#limits;
    if (this.#whole !== undefined && !items.some(isFence)) {
      this.#addSweep(this.#whole, items);
      return;
    }
    let window = items.slice(0, WINDOW_ITEMS);
    let next = window.length;
    while (window.length > 0) {
      const search = new SweepSearch(window, numResources, { tileWires, sharedWires });
      const enough = next < items.length ? window.length >> 1 : window.length;
      const isDone = this.#planWindow(search, window, enough);
      const left = window.filter((_, item) => isDone[item] === 0);
      const more = items.slice(next, next + WINDOW_ITEMS - left.length);
      window = [...left, ...more];
      next += more.length;
    }
  }

  /** Plans at least `enough` items; returns which ones. */
  #planWindow(search: SweepSearch, window: readonly WorkItem[], enough: number): Uint8Array {
    const isDone = new Uint8Array(window.length);
    for (;;) {
      for (const { wires, items } of search.choose(this.#previous, this.#effort, enough)) {
        for (const item of items) isDone[item] = 1;
        this.#addSweep(
          wires,
          items.map((item) => window[item]!),
        );
      }
      if (search.numDone >= enough) return isDone;
      // Conditional blocks that are ready go together, so that they interrupt fewer sweeps.
      do {
        for (const item of this.#passFence(search, window)) isDone[item] = 1;
      } while (search.readyFences.some((item) => window[item]!.work.kind === 'block'));
    }
  }

  #addSweep(wires: ReadonlySet<Wire>, items: readonly WorkItem[]): void {
    if (!items.some(({ work }) => work.kind === 'block')) return;
    const resident = this.#whole ?? wires;
    this.steps.push({ kind: 'sweep', wires: resident, items });
    this.#previous = resident;
  }

  /** Plans items that need a step of their own, conditional blocks first; returns which ones. */
  #passFence(search: SweepSearch, window: readonly WorkItem[]): readonly number[] {
    const ready = [...search.readyFences].sort((a, b) => a - b);
    const first = ready.find((item) => window[item]!.work.kind === 'block') ?? ready[0]!;
    const work = window[first]?.work;
    switch (work?.kind) {
      case 'probe':
        return this.#addProbing(search, window);
      case 'collapse':
        search.finishFence(first);
        this.steps.push({ kind: 'collapse', operation: work.operation });
        return [first];
      case 'block':
        return this.#addConditioned(search, window, first, work.condition!);
      default:
        throw new Error('unreachable: work is left, but none of it is ready');
    }
  }

  /** Plans one step for all probes that are ready. */
  #addProbing(search: SweepSearch, window: readonly WorkItem[]): readonly number[] {
    const blocks: Block[] = [];
    const done: number[] = [];
    // A probe that is done makes others ready, which may go with it: it has changed nothing.
    for (
      let item = nextProbe(search, window);
      item !== undefined;
      item = nextProbe(search, window)
    ) {
      const { work } = window[item]!;
      if (work.kind === 'probe') blocks.push(work.block);
      search.finishFence(item);
      done.push(item);
    }
    this.steps.push({ kind: 'probing', blocks });
    return done;
  }

  /** Plans one sweep for all ready blocks with one condition that fit into a tile. */
  #addConditioned(
    search: SweepSearch,
    window: readonly WorkItem[],
    first: number,
    condition: Condition,
  ): readonly number[] {
    const lowest = this.#lowestFor(window[first]!.needs);
    const wires = new Set(lowest);
    const done: number[] = [];
    const fits = (item: number) => {
      const { work, needs } = window[item]!;
      const sameCondition = work.kind === 'block' && isSame(work.condition!, condition);
      return sameCondition && wires.union(new Set(needs)).size <= this.#limits.tileWires;
    };
    let item: number | undefined = first;
    while (item !== undefined) {
      for (const wire of window[item]!.needs) wires.add(wire);
      search.finishFence(item);
      done.push(item);
      item = search.readyFences.find(fits);
    }
    const items = done.map((item) => window[item]!);
    if (this.#whole !== undefined) {
      this.steps.push({ kind: 'sweep', wires: this.#whole, items, condition });
      return done;
    }
    this.steps.push({ kind: 'sweep', wires, items, condition, lowest });
    this.#previous = new Set(lowest);
    return done;
  }

  /** Wires for the lowest places of a sweep that needs `needs`. */
  #lowestFor(needs: readonly Wire[]): readonly Wire[] {
    const preferred = needs.filter((wire) => this.#previous.has(wire));
    return [...new Set([...preferred, ...this.#previous])].slice(0, this.#limits.lowestWires);
  }
}

function nextProbe(search: SweepSearch, window: readonly WorkItem[]): number | undefined {
  return search.readyFences.find((item) => window[item]!.work.kind === 'probe');
}

/** Blocks of a sweep in runs between barriers; no blocks are fused across a barrier. */
export function runsOf({ items }: PlannedSweep): readonly (readonly Block[])[] {
  const runs: Block[][] = [[]];
  for (const { work } of items) {
    if (work.kind === 'block') runs.at(-1)!.push(work.block);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

function isSame(a: Condition, b: Condition): boolean {
  return (
    a.value === b.value &&
    a.bits.length === b.bits.length &&
    a.bits.every((bit, i) => bit === b.bits[i])
  );
}

/**
 * Search effort that pays off. The time that a sweep takes doubles with each wire, and so does the number of
 * tiles that may be tried in a tenth of it. More work means more sweeps to search. The limits keep a search
 * under a fifth of a second.
 */
export function effortFor({ numWires, items }: WorkList): SearchEffort {
  const forState = 2 ** Math.max(0, Math.min(7, numWires - 16));
  const tiles = Math.max(1, Math.min(forState, Math.floor(100_000 / items.length)));
  const starts = Math.min(8, tiles);
  return { starts, beamWidth: Math.floor(tiles / starts) };
}
