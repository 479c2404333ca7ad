/**
 * Order of the items in a window of work, in linear space.
 *
 * On each resource the items form groups of neighbours that touch it alike and so commute there. An item is
 * ready when its group's turn has come on all its resources. A graph with an edge for each pair would be
 * quadratic in the sizes of the groups.
 */
import { ACTS_GENERALLY } from './block.ts';
import type { WorkItem } from './work-list.ts';

/** Order of the items of a window; items are numbered by their position in it. */
export class WorkGraph {
  readonly items: readonly WorkItem[];
  /** For each item, pairs of a resource that it touches and its group there. */
  readonly uses: readonly Int32Array[];
  /** Items of each group of each resource: groups[resource][group]. */
  readonly groups: readonly (readonly (readonly number[])[])[];

  constructor(items: readonly WorkItem[], numResources: number) {
    const groups: number[][][] = Array.from({ length: numResources }, () => []);
    const lastAction = new Int8Array(numResources).fill(ACTS_GENERALLY);
    this.items = items;
    this.uses = items.map(({ resources, actions }, item) => {
      const uses = new Int32Array(2 * resources.length);
      for (let i = 0; i < resources.length; i++) {
        const resource = resources[i]!;
        const action = actions[i]!;
        const onResource = groups[resource]!;
        if (action === ACTS_GENERALLY || action !== lastAction[resource]) onResource.push([item]);
        else onResource.at(-1)!.push(item);
        lastAction[resource] = action;
        uses[2 * i] = resource;
        uses[2 * i + 1] = onResource.length - 1;
      }
      return uses;
    });
    this.groups = groups;
  }
}

/**
 * Progress of scheduling a window: items that are done, and items that are ready. Steps can be undone in
 * reverse order, so that a search can try a choice.
 */
export class Progress {
  readonly graph: WorkGraph;
  /** Items in the order they were done. */
  readonly done: number[];
  /** For each resource, the group whose turn it is, and the number of its items left. */
  readonly #turn: Int32Array;
  readonly #left: Int32Array;
  /** For each item, the number of resources on which its turn has not come. */
  readonly #waiting: Uint16Array;

  constructor(graph: WorkGraph, from?: Progress) {
    this.graph = graph;
    this.done = from === undefined ? [] : [...from.done];
    if (from !== undefined) {
      this.#turn = from.#turn.slice();
      this.#left = from.#left.slice();
      this.#waiting = from.#waiting.slice();
      return;
    }
    this.#turn = new Int32Array(graph.groups.length);
    this.#left = Int32Array.from(graph.groups, (onResource) => onResource[0]?.length ?? 0);
    this.#waiting = Uint16Array.from(graph.uses, (uses) => uses.length >> 1);
    for (const onResource of graph.groups) {
      for (const item of onResource[0] ?? []) this.#waiting[item]!--;
    }
  }

  /** Items that are ready at the start of a window. */
  static readyAtStart(progress: Progress): number[] {
    return [...progress.#waiting.keys()].filter((item) => progress.#waiting[item] === 0);
  }

  /** Makes an independent copy. */
  copy(): Progress {
    return new Progress(this.graph, this);
  }

  /** Marks a ready item as done, and adds the items that become ready to `ready`. */
  finish(item: number, ready: number[]): void {
    this.done.push(item);
    const uses = this.graph.uses[item]!;
    for (let i = 0; i < uses.length; i += 2) {
      const resource = uses[i]!;
      if (--this.#left[resource]! > 0) continue;
      const next = this.graph.groups[resource]![++this.#turn[resource]!];
      if (next === undefined) continue;
      this.#left[resource] = next.length;
      for (const other of next) if (--this.#waiting[other]! === 0) ready.push(other);
    }
  }

  /** Undoes items until only `numDone` are done. */
  undoTo(numDone: number): void {
    while (this.done.length > numDone) {
      const uses = this.graph.uses[this.done.pop()!]!;
      for (let i = uses.length - 2; i >= 0; i -= 2) this.#undoUse(uses[i]!, uses[i + 1]!);
    }
  }

  #undoUse(resource: number, group: number): void {
    if (this.#turn[resource] === group) {
      this.#left[resource]!++;
      return;
    }
    for (const other of this.graph.groups[resource]![this.#turn[resource]!] ?? []) {
      this.#waiting[other]!++;
    }
    this.#turn[resource] = group;
    this.#left[resource] = 1;
  }
}
