/**
 * The order in which waiting work starts: a bounded priority queue with ageing, as a pure data
 * structure. Time is passed in, nothing here waits.
 *
 * An entry rises one level for each `ageingMs` it has waited, so a steady stream of high work delays
 * low work by 2·ageingMs and never starves it. Within an effective level the earliest arrival goes
 * first. Both orders agree inside one lane (a group's entries of one line and level), so the next
 * entry of all is among the lanes' first ones: `take` looks at a handful of lanes, whatever their
 * length.
 *
 * Groups (one a processor) and lines share the capacity. Each line has engines of its own, so no
 * line waits for another: what is ahead is always asked of one line. An engine may take from several
 * lines, and of those only what fits it. A
 * paused group keeps its entries and its places.
 */
import { Lane, type LaneNode } from './lane.ts';
import type { Line } from './width.ts';

/** The level an entry starts at. */
export type Priority = 'low' | 'normal' | 'high';

/** Levels, the first to start first. */
const LEVEL: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };
const NUM_LEVELS = 3;

/** What a queue is given. */
export interface QueueEntry {
  /** Unique among the entries that wait. */
  readonly id: string;
  readonly group: string;
  readonly line: Line;
  readonly priority: Priority;
}

interface Waiting<T> {
  readonly entry: T;
  readonly level: number;
  /** Order of arrival over all lanes. */
  readonly arrival: number;
  readonly since: number;
}

interface Located<T> {
  readonly lane: Lane<Waiting<T>>;
  readonly node: LaneNode<Waiting<T>>;
}

/** A group's lanes of each line, by level. */
type GroupLanes<T> = Readonly<Record<Line, readonly Lane<Waiting<T>>[]>>;

/** How a queue is bounded and ages. */
export interface WorkQueueOptions {
  /** Entries that may wait, over all groups and lines. */
  readonly capacity: number;
  /** Milliseconds of waiting that raise an entry by one level. */
  readonly ageingMs: number;
}

/** Waiting work of several groups. Times are milliseconds of one clock that never goes back. */
export class WorkQueue<T extends QueueEntry> {
  readonly capacity: number;
  readonly #ageingMs: number;
  readonly #lanes = new Map<string, GroupLanes<T>>();
  readonly #paused = new Set<string>();
  readonly #located = new Map<string, Located<T>>();
  #arrivals = 0;

  constructor(options: WorkQueueOptions) {
    this.capacity = options.capacity;
    this.#ageingMs = options.ageingMs;
  }

  get length(): number {
    return this.#located.size;
  }

  get isFull(): boolean {
    return this.length >= this.capacity;
  }

  /** Adds an entry, beyond the capacity too: callers ask `isFull` first where the bound holds. */
  add(entry: T, now: number): void {
    if (this.#located.has(entry.id)) throw new Error(`unreachable: ${entry.id} waits already`);
    const level = LEVEL[entry.priority];
    const lane = this.#lanesOf(entry.group)[entry.line][level]!;
    const node = lane.push({ entry, level, arrival: this.#arrivals++, since: now });
    this.#located.set(entry.id, { lane, node });
  }

  /**
   * Takes out the entry that starts next, of the groups that are not paused.
   *
   * @param lines - Where to look.
   * @param fits - Which entries may be taken; all unless told otherwise.
   */
  take(lines: readonly Line[], now: number, fits?: (entry: T) => boolean): T | undefined {
    const isWanted = fits && ((waiting: Waiting<T>) => fits(waiting.entry));
    let next: Waiting<T> | undefined;
    for (const line of lines) {
      for (const lane of this.#openLanes(line)) {
        const first = lane.first(isWanted)?.value;
        if (first === undefined) continue;
        if (next === undefined || this.#startsBefore(first, next, now)) next = first;
      }
    }
    return next === undefined ? undefined : this.remove(next.entry.id);
  }

  /** Takes out an entry by its id; undefined when it does not wait. */
  remove(id: string): T | undefined {
    const located = this.#located.get(id);
    if (located === undefined) return undefined;
    this.#located.delete(id);
    located.lane.remove(located.node);
    return located.node.value.entry;
  }

  /** The line of a waiting entry; undefined when it does not wait. */
  lineOf(id: string): Line | undefined {
    return this.#located.get(id)?.node.value.entry.line;
  }

  /**
   * How many entries would start before this one if all were started now, on the engines of its
   * line; undefined when it does not wait. Paused groups other than its own do not count.
   */
  position(id: string, now: number): number | undefined {
    const located = this.#located.get(id);
    if (located === undefined) return undefined;
    const own = located.node.value;
    let count = 0;
    for (const lane of this.#openLanes(own.entry.line, own.entry.group)) {
      count += lane.countPrefix((other) => this.#startsBefore(other, own, now));
    }
    return count;
  }

  /** Keeps a group's entries from being taken, or lets them go again. */
  setPaused(group: string, isPaused: boolean): void {
    if (isPaused) this.#paused.add(group);
    else this.#paused.delete(group);
  }

  isPaused(group: string): boolean {
    return this.#paused.has(group);
  }

  /** Entries of a line, of groups that are not paused, and of `group` in any case. */
  numOpen(line: Line, group?: string): number {
    let count = 0;
    for (const lane of this.#openLanes(line, group)) count += lane.length;
    return count;
  }

  /** Takes out everything. */
  drain(): readonly T[] {
    return [...this.#located.keys()].flatMap((id) => this.remove(id) ?? []);
  }

  #lanesOf(group: string): GroupLanes<T> {
    let lanes = this.#lanes.get(group);
    if (lanes === undefined) {
      lanes = { small: newLanes(), wide: newLanes(), adapter: newLanes() };
      this.#lanes.set(group, lanes);
    }
    return lanes;
  }

  *#openLanes(line: Line, group?: string): Generator<Lane<Waiting<T>>> {
    for (const [name, lanes] of this.#lanes) {
      if (name === group || !this.#paused.has(name)) yield* lanes[line];
    }
  }

  #startsBefore(a: Waiting<T>, b: Waiting<T>, now: number): boolean {
    const levels = this.#effectiveLevel(a, now) - this.#effectiveLevel(b, now);
    return levels === 0 ? a.arrival < b.arrival : levels < 0;
  }

  #effectiveLevel(waiting: Waiting<T>, now: number): number {
    const risen = Math.floor((now - waiting.since) / this.#ageingMs);
    return Math.max(0, waiting.level - risen);
  }
}

function newLanes<T>(): readonly Lane<Waiting<T>>[] {
  return Array.from({ length: NUM_LEVELS }, () => new Lane<Waiting<T>>());
}
