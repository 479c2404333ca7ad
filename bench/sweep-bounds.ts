/**
 * Baselines of the scheduler's sweeps: a lower bound of any schedule, and first-fit.
 *
 * The bound. A sweep holds m wires and shares c with its neighbour, so s neighbouring sweeps hold
 * at most m + (s − 1)(m − c) different ones; to hold k, at least extra(k) = ⌈(k − m)/(m − c)⌉
 * sweeps after the first are needed. Say that no schedule does item K before sweep first(K). The
 * items that K must wait for, K itself included, whose own first is at least j are all done in
 * sweeps j … first(K), so first(K) ≥ j + extra(wires they need). Going through the items in order
 * gives each its first from those before; the same from the end gives the fewest sweeps from K's to
 * the last. Items with at least j from the start and k from the end are done in sweeps j … T − k +
 * 1, so for all j and k the number of sweeps T ≥ j + k − 1 + extra(wires they need).
 *
 * The bound takes items as they are and knows the same commuting rule as the compiler. It is not
 * tight: it lets a sweep do all that its wires allow, whatever the sweeps before left undone.
 */
import { Progress, WorkGraph } from '../src/compiler/work-graph.ts';
import type { WorkItem, WorkList } from '../src/compiler/work-list.ts';

/** A tile's wires, and how many of them neighbouring sweeps share. */
export interface Tile {
  readonly tileWires: number;
  readonly sharedWires: number;
}

/** Lower bound on the sweeps of any schedule of the work. At most 31 wires. */
export function fewestSweeps({ items, numResources }: WorkList, tile: Tile): number {
  if (items.length === 0) return 0;
  const fromStart = firstSweeps(items, numResources, tile);
  const fromEnd = firstSweeps([...items].reverse(), numResources, tile).reverse();
  let fewest = 1;
  for (let j = 1; j <= Math.max(...fromStart); j++) {
    for (let k = 1; k <= Math.max(...fromEnd); k++) {
      const between = items.filter((_, i) => fromStart[i]! >= j && fromEnd[i]! >= k);
      if (between.length === 0) continue;
      const wires = between.reduce((mask, item) => mask | maskOf(item), 0);
      fewest = Math.max(fewest, j + k - 1 + extraSweeps(wires, tile));
    }
  }
  return fewest;
}

/** For each item, a lower bound on its sweep in any schedule, counted from 1. */
function firstSweeps(items: readonly WorkItem[], numResources: number, tile: Tile): number[] {
  const { uses, groups } = new WorkGraph(items, numResources);
  // For each group and each j, the wires that the group and those it waits for need in sweep j or later.
  const needed = groups.map((onResource) => onResource.map((): number[] => []));
  return items.map((item, number) => {
    const own = maskOf(item);
    const before: number[] = [];
    for (let i = 0; i < uses[number]!.length; i += 2) {
      const earlier = needed[uses[number]![i]!]![uses[number]![i + 1]! - 1] ?? [];
      for (const [j, mask] of earlier.entries()) before[j] = (before[j] ?? 0) | mask;
    }
    let first = Math.max(1, before.length);
    for (let j = 1; j <= first; j++) {
      const mask = (before[j - 1] ?? 0) | own;
      before[j - 1] = mask;
      first = Math.max(first, j + extraSweeps(mask, tile));
    }
    for (let i = 0; i < uses[number]!.length; i += 2) {
      const group = needed[uses[number]![i]!]![uses[number]![i + 1]!]!;
      for (const [j, mask] of before.entries()) group[j] = (group[j] ?? 0) | mask;
    }
    return first;
  });
}

/**
 * Sweeps of a first-fit schedule: through the items in program order, again and again, taking each
 * whose turn has come as long as the tile has room for its wires.
 */
export function firstFitSweeps({ items, numResources }: WorkList, tile: Tile): number {
  const progress = new Progress(new WorkGraph(items, numResources));
  const ready = new Set(Progress.readyAtStart(progress));
  let shared: ReadonlySet<number> | undefined;
  let sweeps = 0;
  while (ready.size > 0) {
    const wires = new Set<number>();
    for (const [number, { needs }] of items.entries()) {
      if (!ready.has(number)) continue;
      const wanted = wires.union(new Set(needs));
      const fresh = shared === undefined ? 0 : wanted.difference(shared).size;
      if (wanted.size > tile.tileWires || fresh > tile.tileWires - tile.sharedWires) continue;
      for (const wire of needs) wires.add(wire);
      const next: number[] = [];
      progress.finish(number, next);
      ready.delete(number);
      for (const item of next) ready.add(item);
    }
    for (const wire of shared ?? []) if (wires.size < tile.sharedWires) wires.add(wire);
    shared = wires;
    sweeps++;
  }
  return sweeps;
}

const maskOf = ({ needs }: WorkItem) => needs.reduce((mask, wire) => mask | (1 << wire), 0);

function extraSweeps(wires: number, { tileWires, sharedWires }: Tile): number {
  let count = 0;
  for (let rest = wires; rest !== 0; rest &= rest - 1) count++;
  return Math.max(0, Math.ceil((count - tileWires) / (tileWires - sharedWires)));
}
