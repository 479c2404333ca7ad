/** A walk over the tasks of one line, in the order in which they would start one after another. */
import type { FairTurns } from './fair-turns.ts';

/** Where a task waits. */
export type QueueLine = 'small' | 'wide';

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
export interface Waiting<T> {
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
export interface Flow<T> {
  readonly name: string;
  readonly line: QueueLine;
  readonly processor: string;
  readonly key: string;
  readonly level: number;
  first: Waiting<T> | undefined;
  last: Waiting<T> | undefined;
}

/** A flow's next task in a walk. */
export interface Head<T> {
  readonly waiting: Waiting<T>;
  /** To which it had risen when it was last looked at; never below what it is now. */
  level: number;
  /** Of its key at that level when it was last looked at; never above what it is now. */
  tag: number;
}

/** The heads of the line's flows in a heap. */
export class LineWalk<T extends QueuedTask> {
  readonly #heads: Head<T>[] = [];
  /** To be charged for what the walk passes, once that is known to start. */
  readonly turns: FairTurns;
  readonly #levelAt: (waiting: Waiting<T>) => number;

  constructor(
    flows: Iterable<Flow<T>>,
    turns: FairTurns,
    levelAt: (waiting: Waiting<T>) => number,
  ) {
    this.turns = turns;
    this.#levelAt = levelAt;
    for (const { first } of flows) if (first !== undefined) this.#heads.push(this.#headOf(first));
    for (let i = (this.#heads.length >> 1) - 1; i >= 0; i--) this.#sink(i);
  }

  /** The next one. */
  peek(): Head<T> | undefined {
    for (;;) {
      const head = this.#heads[0];
      if (head === undefined) return undefined;
      // Its key may have been given a start for another flow meanwhile. Heads only come later for it, so
      // those that are looked at anew when they come first are enough.
      const level = this.#levelAt(head.waiting);
      const tag = this.turns.tagOf(level, head.waiting.flow.key);
      if (level === head.level && tag === head.tag) return head;
      head.level = level;
      head.tag = tag;
      this.#sink(0);
    }
  }

  /** Goes past the one that `peek` gave. */
  pass({ waiting }: Head<T>): void {
    if (waiting.next === undefined) {
      this.#dropFirst();
      return;
    }
    this.#heads[0] = this.#headOf(waiting.next);
    this.#sink(0);
  }

  #headOf(waiting: Waiting<T>): Head<T> {
    const level = this.#levelAt(waiting);
    return { waiting, level, tag: this.turns.tagOf(level, waiting.flow.key) };
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

function isBefore<T>(a: Head<T>, b: Head<T>): boolean {
  if (a.level !== b.level) return a.level < b.level;
  return a.tag === b.tag ? a.waiting.arrival < b.waiting.arrival : a.tag < b.tag;
}
