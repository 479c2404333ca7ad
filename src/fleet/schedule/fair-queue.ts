/**
 * The order in which waiting tasks start: levels first, keys in fair turns within a level, first come,
 * first served within a key. A pure data structure: time is passed in, nothing here waits.
 *
 * A task rises one level for each `ageingMs` that it has waited, so a steady stream of urgent work
 * delays other work by (NUM_LEVELS − 1)·ageingMs at most before they compete as equals. Among equals
 * each key has a tag, the time that its started tasks were expected to take; the lowest goes next. A
 * key whose tag lies behind that of the last start counts as having that one, so nobody saves up turns
 * while sending nothing or waiting at a lower level: a thousand tasks of one key delay another key's
 * first task by one task.
 *
 * Tasks wait in lines, one for each kind of engine that they contend for, and each line has tags of
 * its own: a wide circuit of many seconds is not held against the small ones of its key, which run on
 * other engines. Between lines the earlier arrival goes first within a level.
 *
 * @see Goyal, Vin, Cheng, "Start-time fair queueing", 1996: the tags, and the bound that two keys
 *   which both always wait are never further apart than the largest task of each.
 */

/** Where a task waits. */
export type QueueLine = 'small' | 'wide';

const LINES: readonly QueueLine[] = ['small', 'wide'];

/** What a queue is given. */
export interface QueuedTask {
  /** Unique among the tasks that wait. */
  readonly id: string;
  readonly processor: string;
  readonly key: string;
  /** 0 goes first. */
  readonly level: number;
}

/** A task's place. */
interface Waiting<T> {
  readonly task: T;
  readonly flow: Flow<T>;
  readonly since: number;
  /** Order of arrival over all lines. */
  readonly arrival: number;
  /** Milliseconds that it is expected to take. */
  readonly cost: number;
  next: Waiting<T> | undefined;
  previous: Waiting<T> | undefined;
}

/** Tasks of one line, processor, key and level, in order of arrival. */
interface Flow<T> {
  readonly name: string;
  readonly line: QueueLine;
  readonly processor: string;
  readonly key: string;
  readonly level: number;
  first: Waiting<T> | undefined;
  last: Waiting<T> | undefined;
}

/** How far keys have come in a line. */
interface LineTags {
  /** Milliseconds of started work, by key. */
  readonly tagOf: Map<string, number>;
  readonly numWaiting: Map<string, number>;
  /** The tag at which the last task started. */
  virtualTime: number;
}

/** A task as a walk comes to it. */
export interface WalkStop<T> {
  readonly task: T;
  readonly line: QueueLine;
}

/** Where a walk looks. */
export type IsOpen = (line: QueueLine, processor: string) => boolean;

/** Waiting tasks. Times are milliseconds of one clock that never goes back. */
export class FairQueue<T extends QueuedTask> {
  readonly #ageingMs: number;
  readonly #flows = new Map<string, Flow<T>>();
  readonly #waiting = new Map<string, Waiting<T>>();
  readonly #tags: Readonly<Record<QueueLine, LineTags>> = { small: newTags(), wide: newTags() };
  #arrivals = 0;

  /** @param ageingMs - Waiting that raises a task by one level. */
  constructor(ageingMs: number) {
    this.#ageingMs = ageingMs;
  }

  get length(): number {
    return this.#waiting.size;
  }

  has(id: string): boolean {
    return this.#waiting.has(id);
  }

  /**
   * Adds a task behind those of its key and level, or, when it comes back, before all others.
   *
   * @param cost - Milliseconds that it is expected to take; its key's turn is charged with them.
   */
  add(task: T, line: QueueLine, cost: number, now: number, comesBack = false): void {
    if (this.#waiting.has(task.id)) throw new Error(`unreachable: ${task.id} waits already`);
    const flow = this.#flowOf(task, line, comesBack ? RETURNING : task.level);
    const waiting: Waiting<T> = {
      task,
      flow,
      since: now,
      arrival: this.#arrivals++,
      cost,
      next: undefined,
      previous: flow.last,
    };
    if (flow.last === undefined) flow.first = waiting;
    else flow.last.next = waiting;
    flow.last = waiting;
    this.#waiting.set(task.id, waiting);
    const tags = this.#tags[line];
    const numWaiting = tags.numWaiting.get(task.key) ?? 0;
    tags.numWaiting.set(task.key, numWaiting + 1);
    if (numWaiting === 0 && (tags.tagOf.get(task.key) ?? 0) < tags.virtualTime) {
      tags.tagOf.set(task.key, tags.virtualTime);
    }
  }

  /** Takes out a task that starts now: its key's next turn comes later by its cost. */
  start(id: string): T | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    const { flow, cost } = waiting;
    const tags = this.#tags[flow.line];
    const tag = Math.max(tags.virtualTime, tags.tagOf.get(flow.key) ?? 0);
    tags.virtualTime = tag;
    tags.tagOf.set(flow.key, tag + cost);
    return this.remove(id);
  }

  /** Takes out a task that will not run; undefined when it does not wait. */
  remove(id: string): T | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    this.#unlink(waiting);
    this.#leave(this.#tags[waiting.flow.line], waiting.flow.key);
    return waiting.task;
  }

  /** Takes out everything. */
  drain(): readonly T[] {
    return [...this.#waiting.keys()].flatMap((id) => this.remove(id) ?? []);
  }

  /** All tasks, in no order that matters. */
  *tasks(): Generator<T> {
    for (const { task } of this.#waiting.values()) yield task;
  }

  /**
   * The tasks in the order in which they would start if each started as the walk passes it. The queue
   * must not change meanwhile, but for tasks that the walk has passed.
   *
   * @param isOpen - Asked again before each step: what has become full ends its part of the walk.
   */
  *walk(now: number, isOpen: IsOpen): Generator<WalkStop<T>> {
    const walks = LINES.map((line) => new LineWalk(this.#heads(line, now), this.#tags[line]));
    for (;;) {
      let best: { readonly walk: LineWalk<T>; readonly head: Head<T> } | undefined;
      for (const walk of walks) {
        const head = walk.peek(isOpen);
        if (head === undefined) continue;
        if (best === undefined || isEarlier(head, best.head)) best = { walk, head };
      }
      if (best === undefined) return;
      const { task, flow } = best.head.waiting;
      // Moves on first: whoever consumes the walk may take this task out of the queue.
      best.walk.pass((waiting) => this.#levelAt(waiting, now));
      yield { task, line: flow.line };
    }
  }

  #heads(line: QueueLine, now: number): Head<T>[] {
    const heads: Head<T>[] = [];
    for (const flow of this.#flows.values()) {
      if (flow.line !== line || flow.first === undefined) continue;
      heads.push({ waiting: flow.first, level: this.#levelAt(flow.first, now) });
    }
    return heads;
  }

  #levelAt({ flow, since }: Waiting<T>, now: number): number {
    if (flow.level === RETURNING) return RETURNING;
    return Math.max(0, flow.level - Math.floor((now - since) / this.#ageingMs));
  }

  #flowOf({ processor, key }: T, line: QueueLine, level: number): Flow<T> {
    const name = `${line} ${level} ${processor} ${key}`;
    let flow = this.#flows.get(name);
    if (flow === undefined) {
      flow = { name, line, processor, key, level, first: undefined, last: undefined };
      this.#flows.set(name, flow);
    }
    return flow;
  }

  #unlink({ flow, previous, next }: Waiting<T>): void {
    if (previous === undefined) flow.first = next;
    else previous.next = next;
    if (next === undefined) flow.last = previous;
    else next.previous = previous;
    if (flow.first === undefined) this.#flows.delete(flow.name);
  }

  /** A key without waiting tasks is forgotten once the line's time has passed its tag. */
  #leave(tags: LineTags, key: string): void {
    const left = (tags.numWaiting.get(key) ?? 1) - 1;
    if (left > 0) {
      tags.numWaiting.set(key, left);
      return;
    }
    tags.numWaiting.delete(key);
    if (tags.tagOf.size <= MAX_IDLE_TAGS) return;
    for (const [idle, tag] of tags.tagOf) {
      if (!tags.numWaiting.has(idle) && tag <= tags.virtualTime) tags.tagOf.delete(idle);
    }
  }
}

/** Level of tasks that have waited once already. */
const RETURNING = -1;

/** Tags of keys without waiting tasks that are kept before the outdated ones are looked for. */
const MAX_IDLE_TAGS = 256;

/** A flow's next task in a walk. */
interface Head<T> {
  readonly waiting: Waiting<T>;
  readonly level: number;
}

/** A walk over one line: the flows' heads in a heap, and tags as they would become. */
class LineWalk<T extends QueuedTask> {
  readonly #heads: Head<T>[];
  readonly #tags: LineTags;
  readonly #passed = new Map<string, number>();
  /** Flows of the heap, by key. */
  readonly #numFlows = new Map<string, number>();

  constructor(heads: Head<T>[], tags: LineTags) {
    this.#heads = heads;
    this.#tags = tags;
    if (heads.length < 2) return;
    for (const { waiting } of heads) {
      const { key } = waiting.flow;
      this.#numFlows.set(key, (this.#numFlows.get(key) ?? 0) + 1);
    }
    for (let i = (heads.length >> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  /** The next one; flows of what is not open are dropped for the rest of the walk. */
  peek(isOpen: IsOpen): Head<T> | undefined {
    for (;;) {
      const head = this.#heads[0];
      if (head === undefined) return undefined;
      const { line, processor } = head.waiting.flow;
      if (isOpen(line, processor)) return head;
      this.#replaceFirst(undefined);
      this.#sinkFirst();
    }
  }

  /** Goes past the next one, as though it started. */
  pass(levelAt: (waiting: Waiting<T>) => number): void {
    const head = this.#heads[0]!;
    const { waiting } = head;
    const { key } = waiting.flow;
    this.#passed.set(key, this.#tag(key) + waiting.cost);
    const { next } = waiting;
    this.#replaceFirst(next && { waiting: next, level: levelAt(next) });
    if ((this.#numFlows.get(key) ?? 0) > 1) {
      // Flows of several levels and processors have come later together: from the leaves up, so that
      // each sinks into heaps.
      for (let i = this.#heads.length - 1; i > 0; i--) {
        if (this.#heads[i]!.waiting.flow.key === key) this.#sink(i);
      }
    }
    this.#sinkFirst();
  }

  #tag(key: string): number {
    const tag = this.#passed.get(key) ?? this.#tags.tagOf.get(key) ?? 0;
    return Math.max(tag, this.#tags.virtualTime);
  }

  #replaceFirst(head: Head<T> | undefined): void {
    if (head !== undefined) {
      this.#heads[0] = head;
      return;
    }
    const last = this.#heads.pop();
    if (last !== undefined && this.#heads.length > 0) this.#heads[0] = last;
  }

  #sinkFirst(): void {
    if (this.#heads.length > 1) this.#sink(0);
  }

  #sink(from: number): void {
    const heads = this.#heads;
    const head = heads[from]!;
    let i = from;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heads.length) break;
      if (child + 1 < heads.length && this.#isBefore(heads[child + 1]!, heads[child]!)) child++;
      if (!this.#isBefore(heads[child]!, head)) break;
      heads[i] = heads[child]!;
      i = child;
    }
    heads[i] = head;
  }

  #isBefore(a: Head<T>, b: Head<T>): boolean {
    if (a.level !== b.level) return a.level < b.level;
    const tags = this.#tag(a.waiting.flow.key) - this.#tag(b.waiting.flow.key);
    return tags === 0 ? a.waiting.arrival < b.waiting.arrival : tags < 0;
  }
}

function isEarlier<T>(a: Head<T>, b: Head<T>): boolean {
  return a.level === b.level ? a.waiting.arrival < b.waiting.arrival : a.level < b.level;
}

function newTags(): LineTags {
  return { tagOf: new Map(), numWaiting: new Map(), virtualTime: 0 };
}
