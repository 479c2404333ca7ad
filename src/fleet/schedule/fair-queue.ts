/**
 * A fair queue: items start in the order of their levels, keys take turns within a level, and items of
 * one key and level start in the order of arrival. A pure data structure: time is passed in, nothing
 * here waits.
 *
 * Among equals keys take turns by their start tags: a thousand items of one key delay another key's first
 * item by one item. The queue knows an item's level, key and cost, and nothing else of it. Queues whose
 * items compete for the same may share their tags (run-queue.ts).
 */

/** Waiting that raises an item of the service by one level, milliseconds; a priority is two levels. */
export const AGEING_MS = 15_000;

/** Level of items that have waited once already. */
const RETURNING = -1;

/** Items that were ever added to any queue; equals of several queues start in the order of arrival. */
let numArrivals = 0;

/** An item as its queue sees it. */
export interface QueuedItem {
  /** Unique among the items that wait. */
  readonly id: string;
  /** Keys take turns. */
  readonly key: string;
  /** 0 goes first. */
  readonly level: number;
}

/** An item that waits, linked with its neighbours in its flow. */
interface Waiting<T> {
  readonly item: T;
  readonly flow: Flow<T>;
  readonly since: number;
  readonly arrival: number;
  /** Milliseconds that it is expected to take. */
  readonly cost: number;
  next: Waiting<T> | undefined;
  previous: Waiting<T> | undefined;
}

/** Items of one key and level, in order of arrival. */
interface Flow<T> {
  readonly key: string;
  readonly level: number;
  first: Waiting<T> | undefined;
  last: Waiting<T> | undefined;
}

/** The next item of a flow in a scan. */
export interface Head<T> {
  readonly waiting: Waiting<T>;
  /** Level when the scan last looked; never below the present level. */
  level: number;
  /** Tag of its key at that level when the scan last looked; never above the present tag. */
  tag: number;
}

/** An item that a walk has reached. */
interface WalkStop<T> {
  readonly item: T;
  /** Set it to false where the item would not start, now or later: then it delays nothing of its key. */
  takesTurn: boolean;
}

/** Waiting items. Times are milliseconds of one clock that never goes back. */
export class FairQueue<T extends QueuedItem> {
  /** Tags by which the queue is ordered. */
  readonly #tags: StartTags;
  /** All tags in which its items count. */
  readonly #allTags: readonly StartTags[];
  readonly #flows = new Map<string, Flow<T>>();
  readonly #waiting = new Map<string, Waiting<T>>();

  /**
   * @param ageingMs - Waiting that raises an item by one level.
   * @param tags - Tags that order it, perhaps shared with other queues; tags of its own by default.
   * @param alsoIn - Further tags in which its items count, for merging queues.
   */
  constructor(ageingMs: number, tags = new StartTags(ageingMs), alsoIn: readonly StartTags[] = []) {
    this.#tags = tags;
    this.#allTags = [tags, ...alsoIn];
  }

  get length(): number {
    return this.#waiting.size;
  }

  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /**
   * Adds an item behind those of its key and level, or, when it comes back, before all others.
   *
   * @param cost - Milliseconds that it is expected to take; its key is charged with them when it starts.
   */
  add(item: T, cost: number, now: number, comesBack = false): void {
    if (this.#waiting.has(item.id)) throw new Error(`unreachable: ${item.id} waits already`);
    const flow = this.#flowOf(item.key, comesBack ? RETURNING : item.level);
    const waiting: Waiting<T> = {
      item,
      flow,
      since: now,
      arrival: numArrivals++,
      cost,
      next: undefined,
      previous: flow.last,
    };
    if (flow.last === undefined) flow.first = waiting;
    else flow.last.next = waiting;
    flow.last = waiting;
    this.#waiting.set(item.id, waiting);
    for (const tags of this.#allTags) tags.enter(flow.level, item.key);
  }

  /** Takes out an item that starts now and charges its key. */
  start(id: string, now: number): T | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    const { flow, cost, since } = waiting;
    const level = this.#tags.levelAt(flow.level, flow.key, since, now);
    this.charge(flow.key, level, cost);
    this.#tags.noteStart(flow.key, now);
    return this.remove(id);
  }

  /** Charges a key for milliseconds that it used, such as the time of a started item beyond its cost. */
  charge(key: string, level: number, ms: number): void {
    for (const tags of this.#allTags) tags.charge(level, key, ms);
  }

  /** Takes out an item that will not run; undefined when it does not wait. */
  remove(id: string): T | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    this.#unlink(waiting);
    for (const tags of this.#allTags) tags.leave(waiting.flow.key);
    return waiting.item;
  }

  /** Takes out everything. */
  drain(): readonly T[] {
    return [...this.#waiting.keys()].flatMap((id) => this.remove(id) ?? []);
  }

  /** All items, in no order that matters. */
  *items(): Generator<T> {
    for (const { item } of this.#waiting.values()) yield item;
  }

  /**
   * The items in the order in which they would start if each started as the walk passes it. The queue
   * must not change meanwhile, but for items that the walk has passed.
   */
  *walk(now: number): Generator<WalkStop<T>> {
    const tags = this.#tags.ahead();
    const scan = this.scan(tags, now);
    for (let head = scan.peek(); head !== undefined; head = scan.peek()) {
      const { item, flow, cost } = head.waiting;
      // Moves on first: the consumer of the walk may take this item out of the queue.
      scan.pass(head);
      const stop = { item, takesTurn: true };
      tags.keep(head.level, flow.key);
      yield stop;
      if (!stop.takesTurn) continue;
      tags.noteStart(flow.key, now);
      tags.charge(head.level, flow.key, cost);
    }
  }

  /** Starts a scan whose order follows from the tags, which its caller charges as it passes items. */
  scan(tags: StartTags, now: number): QueueScan<T> {
    return new QueueScan(this.#flows.values(), tags, now);
  }

  #flowOf(key: string, level: number): Flow<T> {
    const name = `${level} ${key}`;
    let flow = this.#flows.get(name);
    if (flow === undefined) {
      flow = { key, level, first: undefined, last: undefined };
      this.#flows.set(name, flow);
    }
    return flow;
  }

  #unlink({ flow, previous, next }: Waiting<T>): void {
    if (previous === undefined) flow.first = next;
    else previous.next = next;
    if (next === undefined) flow.last = previous;
    else next.previous = previous;
    if (flow.first === undefined) this.#flows.delete(`${flow.level} ${flow.key}`);
  }
}

/** A scan of one queue: the heads of its flows in a heap. */
export class QueueScan<T extends QueuedItem> {
  readonly #heads: Head<T>[] = [];
  readonly #tags: StartTags;
  readonly #now: number;

  constructor(flows: Iterable<Flow<T>>, tags: StartTags, now: number) {
    this.#tags = tags;
    this.#now = now;
    for (const { first } of flows) if (first !== undefined) this.#heads.push(this.#headOf(first));
    for (let i = (this.#heads.length >> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  /** The next item. */
  peek(): Head<T> | undefined {
    for (;;) {
      const head = this.#heads[0];
      if (head === undefined) return undefined;
      // Its key may have been given a start for another flow meanwhile. That only moves heads back, so it
      // is enough to look again at the one that comes first.
      const level = this.#levelOf(head.waiting);
      const tag = this.#tags.tagOf(level, head.waiting.flow.key);
      if (level === head.level && tag === head.tag) return head;
      head.level = level;
      head.tag = tag;
      this.#sink(0);
    }
  }

  /** Goes past the head that `peek` gave. */
  pass({ waiting }: Head<T>): void {
    if (waiting.next === undefined) {
      this.#dropFirst();
      return;
    }
    this.#heads[0] = this.#headOf(waiting.next);
    this.#sink(0);
  }

  #headOf(waiting: Waiting<T>): Head<T> {
    const level = this.#levelOf(waiting);
    return { waiting, level, tag: this.#tags.tagOf(level, waiting.flow.key) };
  }

  #levelOf({ flow, since }: Waiting<T>): number {
    return this.#tags.levelAt(flow.level, flow.key, since, this.#now);
  }

  #dropFirst(): void {
    const last = this.#heads.pop();
    if (last === undefined || this.#heads.length === 0) return;
    this.#heads[0] = last;
    this.#sink(0);
  }

  #sink(from: number): void {
    const heads = this.#heads;
    const head = heads[from]!;
    let i = from;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heads.length) break;
      if (child + 1 < heads.length && isBefore(heads[child + 1]!, heads[child]!)) child++;
      if (!isBefore(heads[child]!, head)) break;
      heads[i] = heads[child]!;
      i = child;
    }
    heads[i] = head;
  }
}

/** Whether one head starts before another whose tag is of the same tags. */
export function isBefore<T>(a: Head<T>, b: Head<T>): boolean {
  if (a.level !== b.level) return a.level < b.level;
  return a.tag === b.tag ? a.waiting.arrival < b.waiting.arrival : a.tag < b.tag;
}

/** A key may be behind by this many items, each as large as the one that starts … */
const MAX_ITEMS_BEHIND = 2;
/** … and by this many milliseconds. */
const MAX_MS_BEHIND = 4;

/** Beyond this many tags the outdated ones are removed. */
const MAX_TAGS = 256;

/** State of start tags as plain data, for tags that several processes share. */
export interface StoredTags {
  /** By level: virtual time, and the tags by key. */
  readonly levels: readonly (readonly [
    level: number,
    virtualTime: number,
    tags: readonly (readonly [key: string, tag: number])[],
  ])[];
  /** When keys were last given a start, the longest ago first. */
  readonly lastStarts: readonly (readonly [key: string, at: number])[];
}

interface LevelTags {
  readonly tagOf: Map<string, number>;
  /** The tag at which the last item started. */
  virtualTime: number;
  maxTags: number;
}

/**
 * Start tags of fair queueing: they order keys by the cost of their started items. Shared by all queues whose
 * items compete for the same resources. Times are milliseconds.
 *
 * Each key has a tag for each level, the cost of its started items; the lowest tag goes next. A key that
 * begins to wait gets at least the tag of the last start, so nobody saves up turns while sending nothing.
 * A key that waits may fall behind because it needs an engine that others do not need. It keeps that
 * credit up to `MAX_ITEMS_BEHIND` items, so that an item that did not fit just now comes next. It keeps no
 * more, or a flood that had to wait long would delay the keys that come then.
 *
 * Levels are separate: items that a key started at one level do not count at another.
 *
 * An item rises one level for each `ageingMs` that it has waited, unless its key was given a start within
 * the last `ageingMs`. So a steady stream of urgent work keeps no key from a start for long, and a flood,
 * which waits long because of itself, does not rise above circuits that others send meanwhile.
 *
 * @see Goyal, Vin, Cheng, "Start-time fair queueing", 1996: the tags, and the bound that two keys
 *   which both always wait are never further apart than the largest item of each.
 */
export class StartTags {
  readonly #ageingMs: number;
  readonly #base: StartTags | undefined;
  readonly #numWaiting = new Map<string, number>();
  readonly #levels = new Map<number, LevelTags>();
  /** When a key was last given a start, the longest ago first. */
  readonly #lastStarts = new Map<string, number>();

  /**
   * @param ageingMs - Waiting that raises an item by one level.
   * @param base - Tags that these continue from without changing them; see `ahead`.
   */
  constructor(ageingMs: number, base?: StartTags) {
    this.#ageingMs = ageingMs;
    this.#base = base;
  }

  /**
   * Tags with a stored state.
   *
   * @param ageingMs - Waiting that raises an item by one level.
   */
  static of({ levels, lastStarts }: StoredTags, ageingMs: number): StartTags {
    const tags = new StartTags(ageingMs);
    for (const [level, virtualTime, tagOf] of levels) {
      tags.#levels.set(level, { tagOf: new Map(tagOf), virtualTime, maxTags: MAX_TAGS });
    }
    for (const [key, at] of lastStarts) tags.#lastStarts.set(key, at);
    return tags;
  }

  /** State to store, without outdated tags. Only for tags that do not continue from others. */
  stored(): StoredTags {
    const levels = [...this.#levels].map(([level, tags]) => {
      this.#forgetOutdated(tags);
      return [level, tags.virtualTime, [...tags.tagOf]] as const;
    });
    return { levels, lastStarts: [...this.#lastStarts] };
  }

  /** A copy to look ahead with: charging it does not change these tags. */
  ahead(): StartTags {
    return new StartTags(this.#ageingMs, this);
  }

  /** Tag of a key, milliseconds; the lowest goes next. */
  tagOf(level: number, key: string): number {
    return this.#levels.get(level)?.tagOf.get(key) ?? this.#base?.tagOf(level, key) ?? 0;
  }

  /** Level of a waiting item now: the one it came with, or a lower one by ageing. Negative levels stay. */
  levelAt(level: number, key: string, since: number, now: number): number {
    if (level < 0) return level;
    const lastStart = this.#lastStartOf(key);
    if (lastStart !== undefined && now - lastStart < this.#ageingMs) return level;
    return Math.max(0, level - Math.floor((now - since) / this.#ageingMs));
  }

  /** Counts an item of the key that begins to wait at that level. */
  enter(level: number, key: string): void {
    const numWaiting = this.#numWaiting.get(key) ?? 0;
    this.#numWaiting.set(key, numWaiting + 1);
    if (numWaiting > 0) return;
    const { tagOf, virtualTime } = this.#tags(level);
    if (virtualTime > this.tagOf(level, key)) tagOf.set(key, virtualTime);
  }

  /** Counts an item of the key that waits no more. */
  leave(key: string): void {
    const numWaiting = (this.#numWaiting.get(key) ?? 0) - 1;
    if (numWaiting > 0) this.#numWaiting.set(key, numWaiting);
    else this.#numWaiting.delete(key);
  }

  /** Fixes the base's tag of a key, which may be charged there from now on. */
  keep(level: number, key: string): void {
    this.#tags(level).tagOf.set(key, this.tagOf(level, key));
  }

  /** Charges a key for an item that starts. */
  charge(level: number, key: string, cost: number): void {
    const tags = this.#tags(level);
    const mostBehind = tags.virtualTime - MAX_ITEMS_BEHIND * cost - MAX_MS_BEHIND;
    const tag = Math.max(mostBehind, this.tagOf(level, key));
    tags.virtualTime = Math.max(tags.virtualTime, tag);
    tags.tagOf.set(key, tag + cost);
    if (this.#base === undefined && tags.tagOf.size > tags.maxTags) this.#forgetOutdated(tags);
  }

  /** Notes that a key was given a start: its items do not age for `ageingMs`. */
  noteStart(key: string, now: number): void {
    this.#lastStarts.delete(key);
    this.#lastStarts.set(key, now);
    for (const [other, at] of this.#lastStarts) {
      if (now - at < this.#ageingMs) break;
      this.#lastStarts.delete(other);
    }
  }

  #lastStartOf(key: string): number | undefined {
    const own = this.#lastStarts.get(key);
    return own === undefined && this.#base !== undefined ? this.#base.#lastStartOf(key) : own;
  }

  #virtualTime(level: number): number {
    const tags = this.#levels.get(level);
    if (tags !== undefined) return tags.virtualTime;
    return this.#base === undefined ? 0 : this.#base.#virtualTime(level);
  }

  #tags(level: number): LevelTags {
    let tags = this.#levels.get(level);
    if (tags === undefined) {
      tags = { tagOf: new Map(), virtualTime: this.#virtualTime(level), maxTags: MAX_TAGS };
      this.#levels.set(level, tags);
    }
    return tags;
  }

  /** Removes tags that time has passed of keys that do not wait: such a key enters as though unknown. */
  #forgetOutdated(tags: LevelTags): void {
    for (const [key, tag] of tags.tagOf) {
      if (tag <= tags.virtualTime && !this.#numWaiting.has(key)) tags.tagOf.delete(key);
    }
    // If many keys are all ahead, the next starts do not scan them again.
    tags.maxTags = Math.max(MAX_TAGS, 2 * tags.tagOf.size);
  }
}
