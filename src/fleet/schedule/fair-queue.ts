/**
 * The order in which waiting tasks start: levels first, keys in fair turns within a level, first come,
 * first served within a key. A pure data structure: time is passed in, nothing here waits.
 *
 * A task rises one level for each `ageingMs` that it has waited, unless its key was given a start in that
 * line within the last `ageingMs`: so a steady stream of urgent work keeps no key from a start for long,
 * and a flood, which waits long because of itself, does not rise above what others send meanwhile. Among
 * equals keys take turns (fair-turns.ts): a thousand tasks of one key delay another key's first task by
 * one task.
 *
 * Tasks wait in lines, one for each kind of engine that they contend for, and each line has turns of
 * its own: a wide circuit of many seconds is not held against the small ones of its key, which run on
 * other engines. Where lines meet, on adapters and devices, the turns of all lines together decide
 * whose task goes first, so that a flood in one line does not delay another key in the other.
 */
import { FairTurns } from './fair-turns.ts';
import {
  type Flow,
  type Head,
  LineWalk,
  type QueuedTask,
  type QueueLine,
  type Waiting,
} from './line-walk.ts';

export type { QueuedTask, QueueLine } from './line-walk.ts';

const LINES: readonly QueueLine[] = ['small', 'wide'];

/** Waiting that raises a circuit of the service by one level, milliseconds; a priority is two levels. */
export const AGEING_MS = 15_000;

/** Level of tasks that have waited once already. */
const RETURNING = -1;

/** A task as a walk comes to it. */
export interface WalkStop<T> {
  readonly task: T;
  readonly line: QueueLine;
  /** To be set to false where it would not start, now or later: then it delays nothing of its key. */
  takesTurn: boolean;
}

/** Where a walk goes. */
export interface WalkOptions {
  /** Whose tasks it goes without, as though they did not wait. */
  readonly isLeftOut?: (processor: string) => boolean;
  /** Asked before each step: once all that is left is not open, the walk ends. */
  readonly isOpen?: (line: QueueLine, processor: string) => boolean;
}

/** Waiting tasks. Times are milliseconds of one clock that never goes back. */
export class FairQueue<T extends QueuedTask> {
  readonly #ageingMs: number;
  readonly #flows: Readonly<Record<QueueLine, Map<string, Flow<T>>>> = {
    small: new Map(),
    wide: new Map(),
  };
  readonly #waiting = new Map<string, Waiting<T>>();
  /** By processor. */
  readonly #numWaiting: Readonly<Record<QueueLine, Map<string, number>>> = {
    small: new Map(),
    wide: new Map(),
  };
  readonly #turns: Readonly<Record<QueueLine, FairTurns>> = {
    small: new FairTurns(),
    wide: new FairTurns(),
  };
  readonly #turnsOfAll = new FairTurns();
  /** When a key was last given a start, by line. */
  readonly #lastStarts: Readonly<Record<QueueLine, Map<string, number>>> = {
    small: new Map(),
    wide: new Map(),
  };
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
    this.#count(flow, 1);
    for (const turns of [this.#turns[line], this.#turnsOfAll]) turns.enter(flow.level, task.key);
  }

  /** Takes out a task that starts now: its key's next turn comes later by its cost. */
  start(id: string, now: number): T | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    const { flow, cost } = waiting;
    const level = this.#levelAt(waiting, now);
    this.#turns[flow.line].charge(level, flow.key, cost);
    this.#turnsOfAll.charge(level, flow.key, cost);
    this.#noteStart(flow, now);
    return this.remove(id);
  }

  /** Charges a key for the milliseconds that a started task has taken beyond its cost. */
  charge(key: string, line: QueueLine, level: number, ms: number): void {
    if (ms <= 0) return;
    this.#turns[line].charge(level, key, ms);
    this.#turnsOfAll.charge(level, key, ms);
  }

  /** Takes out a task that will not run; undefined when it does not wait. */
  remove(id: string): T | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    this.#unlink(waiting);
    const { line, key } = waiting.flow;
    this.#count(waiting.flow, -1);
    for (const turns of [this.#turns[line], this.#turnsOfAll]) turns.leave(key);
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
   */
  *walk(now: number, options: WalkOptions = {}): Generator<WalkStop<T>> {
    const { isLeftOut = () => false, isOpen = () => true } = options;
    // Keys that the walk has given a start.
    const given = { small: new Set<string>(), wide: new Set<string>() };
    const levelAt = (waiting: Waiting<T>) =>
      given[waiting.flow.line].has(waiting.flow.key)
        ? waiting.flow.level
        : this.#levelAt(waiting, now);
    const walks = LINES.map((line) => {
      const flows = [...this.#flows[line].values()].filter(
        ({ processor }) => !isLeftOut(processor),
      );
      return new LineWalk(flows, new FairTurns(this.#turns[line]), levelAt);
    });
    const turnsOfAll = new FairTurns(this.#turnsOfAll);
    const left = this.#kinds(isLeftOut);
    while (left.some(({ count, line, processor }) => count > 0 && isOpen(line, processor))) {
      let walk: LineWalk<T> | undefined;
      let head: Head<T> | undefined;
      for (const other of walks) {
        const otherHead = other.peek();
        if (otherHead === undefined) continue;
        if (head !== undefined && !isEarlier(otherHead, head, turnsOfAll)) continue;
        walk = other;
        head = otherHead;
      }
      if (walk === undefined || head === undefined) return;
      const { task, flow, cost } = head.waiting;
      const kind = left.find(
        (other) => other.line === flow.line && other.processor === flow.processor,
      );
      if (kind !== undefined) kind.count--;
      // Moves on first: whoever consumes the walk may take this task out of the queue.
      walk.pass(head);
      const stop = { task, line: flow.line, takesTurn: true };
      const walked = [walk.turns, turnsOfAll];
      for (const turns of walked) turns.keep(head.level, flow.key);
      yield stop;
      if (!stop.takesTurn) continue;
      given[flow.line].add(flow.key);
      for (const turns of walked) turns.charge(head.level, flow.key, cost);
    }
  }

  /** How many wait of each line and processor. */
  #kinds(isLeftOut: (processor: string) => boolean) {
    return LINES.flatMap((line) =>
      [...this.#numWaiting[line]]
        .filter(([processor]) => !isLeftOut(processor))
        .map(([processor, count]) => ({ line, processor, count })),
    );
  }

  #levelAt({ flow, since }: Waiting<T>, now: number): number {
    if (flow.level === RETURNING) return RETURNING;
    const lastStart = this.#lastStarts[flow.line].get(flow.key);
    if (lastStart !== undefined && now - lastStart < this.#ageingMs) return flow.level;
    return Math.max(0, flow.level - Math.floor((now - since) / this.#ageingMs));
  }

  #noteStart({ line, key }: Flow<T>, now: number): void {
    const starts = this.#lastStarts[line];
    // In the order of starts, the longest ago first.
    starts.delete(key);
    starts.set(key, now);
    for (const [other, at] of starts) {
      if (now - at < this.#ageingMs) break;
      starts.delete(other);
    }
  }

  #count({ line, processor }: Flow<T>, change: number): void {
    const counts = this.#numWaiting[line];
    const count = (counts.get(processor) ?? 0) + change;
    if (count > 0) counts.set(processor, count);
    else counts.delete(processor);
  }

  #flowOf({ processor, key }: T, line: QueueLine, level: number): Flow<T> {
    const flows = this.#flows[line];
    const name = `${level} ${processor} ${key}`;
    let flow = flows.get(name);
    if (flow === undefined) {
      flow = { name, line, processor, key, level, first: undefined, last: undefined };
      flows.set(name, flow);
    }
    return flow;
  }

  #unlink({ flow, previous, next }: Waiting<T>): void {
    if (previous === undefined) flow.first = next;
    else previous.next = next;
    if (next === undefined) flow.last = previous;
    else next.previous = previous;
    if (flow.first === undefined) this.#flows[flow.line].delete(flow.name);
  }
}

/** Between lines. */
function isEarlier<T>(a: Head<T>, b: Head<T>, turns: FairTurns): boolean {
  if (a.level !== b.level) return a.level < b.level;
  const tagOfA = turns.tagOf(a.level, a.waiting.flow.key);
  const tagOfB = turns.tagOf(b.level, b.waiting.flow.key);
  return tagOfA === tagOfB ? a.waiting.arrival < b.waiting.arrival : tagOfA < tagOfB;
}
