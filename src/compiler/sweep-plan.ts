/**
 * Work → planned steps, still on wires: which wires are resident in each sweep and what it does.
 *
 * The work is seen through a window, so that time stays linear in it. As much as can go before a
 * measurement goes before it: what comes before is done once for all shots, what comes after once
 * for each outcome.
 */
import type { Condition, MeasureOperation, ResetOperation } from '../circuit/circuit.ts';
import type { Block, Wire } from './block.ts';
import type { TargetProfile } from './program.ts';
import { type SearchEffort, SweepSearch } from './sweep-search.ts';
import type { WorkItem, WorkList } from './work-list.ts';

/** A sweep on wires. */
export interface PlannedSweep {
  readonly kind: 'sweep';
  readonly wires: ReadonlySet<Wire>;
  /** In order, in runs between barriers: nothing is fused across one. */
  readonly runs: readonly (readonly Block[])[];
  readonly condition?: Condition;
  /** Set where the lowest places are settled: a sweep under a condition moves nothing. */
  readonly lowest?: readonly Wire[];
}

/** A measurement or reset of wires. */
export interface PlannedCollapse {
  readonly kind: 'collapse';
  readonly operation: MeasureOperation | ResetOperation;
}

/** One step of a plan. */
export type PlannedStep = PlannedSweep | PlannedCollapse;

/** Items looked at together; a new window is taken when half of one is done. */
const WINDOW_ITEMS = 4096;

/** The steps for the work, in order. */
export function planSweeps(work: WorkList, target: TargetProfile): readonly PlannedStep[] {
  return new Planner(work, target).plan();
}

class Planner {
  readonly #work: WorkList;
  readonly #tileWires: number;
  readonly #lowestWires: number;
  readonly #effort: SearchEffort;
  /** All wires, where a tile holds them: nothing has to move then. */
  readonly #whole: ReadonlySet<Wire> | undefined;
  readonly #steps: PlannedStep[] = [];
  /** Wires that the lowest places may be given to. */
  #previous: ReadonlySet<Wire>;

  constructor(work: WorkList, target: TargetProfile) {
    this.#work = work;
    this.#tileWires = target.tileQubits;
    this.#lowestWires = Math.min(target.contiguousQubits, work.numWires);
    this.#effort = effortFor(work);
    this.#previous = new Set(Array(work.numWires).keys());
    this.#whole = work.numWires <= this.#tileWires ? this.#previous : undefined;
  }

  plan(): readonly PlannedStep[] {
    const { items, numResources } = this.#work;
    let window = items.slice(0, WINDOW_ITEMS);
    let next = window.length;
    while (window.length > 0) {
      const limits = { tileWires: this.#tileWires, sharedWires: this.#lowestWires };
      const search = new SweepSearch(window, numResources, limits);
      const enough = next < items.length ? window.length >> 1 : window.length;
      const isDone = this.#planWindow(search, window, enough);
      const left = window.filter((_, item) => isDone[item] === 0);
      const more = items.slice(next, next + WINDOW_ITEMS - left.length);
      window = [...left, ...more];
      next += more.length;
    }
    return this.#steps;
  }

  /** Plans at least `enough` items; says which. */
  #planWindow(search: SweepSearch, window: readonly WorkItem[], enough: number): Uint8Array {
    const isDone = new Uint8Array(window.length);
    for (;;) {
      for (const { wires, items } of search.choose(this.#previous, this.#effort, enough)) {
        for (const item of items) isDone[item] = 1;
        this.#addSweep(wires, runsOf(items, window));
      }
      if (search.numDone >= enough) return isDone;
      // Conditioned blocks that are ready go together: fewer sweeps have them in between.
      do {
        for (const item of this.#passFence(search, window)) isDone[item] = 1;
      } while (search.readyFences.some((item) => window[item]!.work.kind === 'block'));
    }
  }

  #addSweep(wires: ReadonlySet<Wire>, runs: PlannedSweep['runs']): void {
    if (runs.length === 0) return;
    const resident = this.#whole ?? wires;
    this.#steps.push({ kind: 'sweep', wires: resident, runs });
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
        this.#steps.push({ kind: 'collapse', operation: work.operation });
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
      return sameCondition && wires.union(new Set(needs)).size <= this.#tileWires;
    };
    let item: number | undefined = first;
    while (item !== undefined) {
      for (const wire of window[item]!.needs) wires.add(wire);
      search.finishFence(item);
      done.push(item);
      item = search.readyFences.find(fits);
    }
    const runs = runsOf(done, window);
    if (this.#whole !== undefined) {
      this.#steps.push({ kind: 'sweep', wires: this.#whole, runs, condition });
      return done;
    }
    this.#steps.push({ kind: 'sweep', wires, runs, condition, lowest });
    this.#previous = new Set(lowest);
    return done;
  }

  /** The wires to lie lowest in a sweep that needs these. */
  #lowestFor(needs: readonly Wire[]): readonly Wire[] {
    const preferred = needs.filter((wire) => this.#previous.has(wire));
    return [...new Set([...preferred, ...this.#previous])].slice(0, this.#lowestWires);
  }
}

function runsOf(items: readonly number[], window: readonly WorkItem[]): PlannedSweep['runs'] {
  const runs: Block[][] = [[]];
  for (const item of items) {
    const { work } = window[item]!;
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
function effortFor({ numWires, items }: WorkList): SearchEffort {
  const forState = numWires < 18 ? 1 : numWires < 24 ? 16 : 128;
  const tiles = Math.max(1, Math.min(forState, Math.floor(100_000 / items.length)));
  const starts = Math.min(8, tiles);
  return { starts, beamWidth: Math.floor(tiles / starts) };
}
