/**
 * What must come before what in a window of work items, in a form whose size is linear.
 *
 * On each resource the items fall into groups of neighbours that touch it alike and so commute
 * there; an item is ready when on all its resources its group's turn has come. A graph with an
 * edge for each pair would be quadratic in the groups' sizes.
 */
import { ACTS_GENERALLY } from './block.ts';
import type { WorkItem } from './work-list.ts';

/** The order of the items of a window; item numbers are positions in the window. */
export class WorkGraph {
  readonly items: readonly WorkItem[];
  /** For each item, of each resource it touches: the resource and the group it is in there. */
  readonly uses: readonly Int32Array[];
  /** groups[resource][group]: its items. */
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
 * How far a schedule of a window has come: which items are done and which are ready. Steps can be
 * undone in the reverse order, so that a search tries what a choice would lead to.
 */
export class Progress {
  readonly graph: WorkGraph;
  /** Items done, in the order they were done. */
  readonly done: number[];
  /** Of each resource, the group whose turn it is, and how many of it are left. */
  readonly #turn: Int32Array;
  readonly #left: Int32Array;
  /** Of each item, on how many resources its turn has not come. */
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

  /** The items ready at the start of a window. */
  static readyAtStart(progress: Progress): number[] {
    return [...progress.#waiting.keys()].filter((item) => progress.#waiting[item] === 0);
  }

  /** An independent copy. */
  copy(): Progress {
    return new Progress(this.graph, this);
  }

  /** Does a ready item, and adds the items that this makes ready to `ready`. */
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
