/**
 * Work → planned steps, still on wires: which wires are resident in each sweep and what it does.
 *
 * The work is seen through a window, so that time stays linear in it. As much as can go before a
 * measurement goes before it: what comes before is done once for all shots, what comes after once
 * for each outcome.
 */
import type { Condition } from '../circuit/circuit.ts';
import type { Block, Wire } from './block.ts';
import { type SearchEffort, SweepSearch } from './sweep-search.ts';
import type { CollapseOperation, WorkItem, WorkList } from './work-list.ts';

/** A sweep on wires. */
export interface PlannedSweep {
  readonly kind: 'sweep';
  readonly wires: ReadonlySet<Wire>;
  /** In order: blocks, and barriers between them. */
  readonly items: readonly WorkItem[];
  readonly condition?: Condition;
  /** Set where the lowest places are settled: a sweep under a condition moves nothing. */
  readonly lowest?: readonly Wire[];
}

/** A measurement or reset of wires, or an assignment to bits. */
export interface PlannedCollapse {
  readonly kind: 'collapse';
  readonly operation: CollapseOperation;
}

/** Wires that change places in pairs: one that no tile reaches, one that tiles do. */
export interface PlannedExchange {
  readonly kind: 'exchange';
  readonly pairs: readonly (readonly [far: Wire, near: Wire])[];
}

/** One step of a plan. */
export type PlannedStep = PlannedSweep | PlannedCollapse | PlannedExchange;

/** What a plan is for. */
export interface PlanLimits {
  /** Wires that a sweep may hold. */
  readonly tileWires: number;
  /** Of them, those that lie lowest, and that neighbouring sweeps share. */
  readonly lowestWires: number;
  /** Wires 0 … numWires − 1 may be resident. */
  readonly numWires: number;
  readonly numResources: number;
}

/** Items looked at together; a new window is taken when half of one is done. */
const WINDOW_ITEMS = 4096;

/** Plans one list of items after the other. */
export class SweepPlanner {
  readonly steps: PlannedStep[] = [];
  readonly #limits: PlanLimits;
  readonly #effort: SearchEffort;
  /** All wires, where a tile holds them: nothing has to move then. */
  readonly #whole: ReadonlySet<Wire> | undefined;
  /** Wires that the lowest places may be given to. */
  #previous: ReadonlySet<Wire>;

  constructor(limits: PlanLimits, effort: SearchEffort) {
    this.#limits = limits;
    this.#effort = effort;
    this.#previous = new Set(Array(limits.numWires).keys());
    this.#whole = limits.numWires <= limits.tileWires ? this.#previous : undefined;
  }

  /** Adds the steps that do these items. */
  plan(items: readonly WorkItem[]): void {
    const { tileWires, lowestWires: sharedWires, numResources } = this.#limits;
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

  /** Plans at least `enough` items; says which. */
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
      // Conditioned blocks that are ready go together: fewer sweeps have them in between.
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

  /** Does what no sweep does along with others, conditioned blocks first; says which items. */
  #passFence(search: SweepSearch, window: readonly WorkItem[]): readonly number[] {
    const ready = [...search.readyFences].sort((a, b) => a - b);
    const first = ready.find((item) => window[item]!.work.kind === 'block') ?? ready[0]!;
    const work = window[first]?.work;
    switch (work?.kind) {
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

  /** One sweep for all ready blocks under one condition, as far as a tile holds them. */
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

  /** The wires to lie lowest in a sweep that needs these. */
  #lowestFor(needs: readonly Wire[]): readonly Wire[] {
    const preferred = needs.filter((wire) => this.#previous.has(wire));
    return [...new Set([...preferred, ...this.#previous])].slice(0, this.#limits.lowestWires);
  }
}

/** The blocks of a sweep, in runs between barriers: nothing is fused across one. */
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
 * How much searching pays: a sweep saved is worth little on a small state, and the more work there
 * is, the more sweeps are searched. The bounds keep a search under a fifth of a second.
 */
export function effortFor({ numWires, items }: WorkList): SearchEffort {
  const forState = numWires < 18 ? 1 : numWires < 24 ? 16 : 128;
  const tiles = Math.max(1, Math.min(forState, Math.floor(100_000 / items.length)));
  const starts = Math.min(8, tiles);
  return { starts, beamWidth: Math.floor(tiles / starts) };
}
