/**
 * The calls that wait for a process, in fair turns, and the places that are kept for calls to come.
 *
 * A call that was accepted before takes no room: neither does a full queue refuse it, nor does it fill
 * the queue for others.
 */
import { AGEING_MS, FairQueue, type QueuedItem } from '../../fleet/schedule/fair-queue.ts';
import { ProcedureQueueFullError } from './errors.ts';

/** How long the places that one walk has found are told; they change by ageing, too, which is slow. */
const PLACES_STAND_MS = 250;

/** A call in the queue. */
export interface QueuedCall extends QueuedItem {
  /** Whether it is counted among those that may wait. */
  readonly takesRoom: boolean;
  /** Since when it waits, of `performance.now()`. */
  readonly since: number;
}

/** How the surroundings of the queue stand. */
export interface Outlook {
  /** Calls that could begin without anything ending before; they are in nobody's way. */
  readonly numSpare: number;
  /** Until a call that came now would begin, milliseconds. */
  readonly expectedWaitMs: () => number;
}

/** The queue. */
export class CallQueue<T extends QueuedCall> {
  readonly #limit: number;
  readonly #queue = new FairQueue<T>(AGEING_MS);
  /** Calls that a place is kept for. */
  readonly #admitted = new Set<string>();
  #numTakingRoom = 0;
  /** Of one walk, until the queue changes. */
  #places: { readonly at: number; readonly of: ReadonlyMap<string, number> } | undefined;

  /** @param limit - Calls that may wait. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** All that wait. */
  get length(): number {
    return this.#queue.length;
  }

  /**
   * Keeps a place for a call until it comes or is withdrawn.
   *
   * @throws {ProcedureQueueFullError} if there is none.
   */
  admit(id: string, outlook: Outlook): void {
    if (this.#admitted.has(id)) return;
    this.checkRoom(outlook);
    this.#admitted.add(id);
  }

  /** Keeps that place no longer; whether there was one. */
  withdraw(id: string): boolean {
    return this.#admitted.delete(id);
  }

  /** @throws {ProcedureQueueFullError} if there is no place for one more. */
  checkRoom({ numSpare, expectedWaitMs }: Outlook): void {
    if (this.#numTakingRoom + this.#admitted.size - numSpare < this.#limit) return;
    throw new ProcedureQueueFullError(this.#limit, Math.max(1, Math.ceil(expectedWaitMs() / 1000)));
  }

  /**
   * Adds a call, without a question.
   *
   * @param cost - Milliseconds that it is expected to take.
   * @param comesBack - Goes before all others.
   */
  add(call: T, cost: number, comesBack: boolean): void {
    this.#queue.add(call, cost, performance.now(), comesBack);
    this.#changed(call, 1);
  }

  /** Those that wait of other keys. */
  lengthWithout(keys: ReadonlySet<string>): number {
    if (keys.size === 0) return this.length;
    let length = 0;
    for (const { key } of this.calls()) if (!keys.has(key)) length++;
    return length;
  }

  /** Takes out the one whose turn it is, as though those of some keys did not wait. */
  start(withoutKeys: ReadonlySet<string> = new Set()): T | undefined {
    const now = performance.now();
    const first = this.#first(now, withoutKeys);
    return first && this.startNow(first.id);
  }

  /** The first one that waits since that time or longer, as though those of some keys did not. */
  overdue(since: number, withoutKeys: ReadonlySet<string>): T | undefined {
    for (const { item } of this.#queue.walk(performance.now())) {
      if (item.since <= since && !withoutKeys.has(item.key)) return item;
    }
    return undefined;
  }

  /** Takes out that one, to run. */
  startNow(id: string): T | undefined {
    const call = this.#queue.start(id, performance.now());
    if (call !== undefined) this.#changed(call, -1);
    return call;
  }

  /** Takes out the one whose turn it is, but not to run: that is not held against its key. */
  removeFirst(): T | undefined {
    const first = this.#first(performance.now(), new Set());
    return first && this.remove(first.id);
  }

  /** Takes out a call that will not run; undefined when it does not wait. */
  remove(id: string): T | undefined {
    const call = this.#queue.remove(id);
    if (call !== undefined) this.#changed(call, -1);
    return call;
  }

  /** Takes out everything. */
  drain(): readonly T[] {
    const all = this.#queue.drain();
    for (const call of all) this.#changed(call, -1);
    return all;
  }

  /** All that wait, in no order that matters. */
  calls(): Iterable<T> {
    return this.#queue.items();
  }

  /** Calls that will start before this one; undefined when it does not wait. */
  position(id: string): number | undefined {
    if (!this.#queue.has(id)) return undefined;
    const now = performance.now();
    if (this.#places === undefined || now - this.#places.at > PLACES_STAND_MS) {
      const of = new Map<string, number>();
      for (const { item } of this.#queue.walk(now)) of.set(item.id, of.size);
      this.#places = { at: now, of };
    }
    return this.#places.of.get(id);
  }

  #first(now: number, withoutKeys: ReadonlySet<string>): T | undefined {
    for (const stop of this.#queue.walk(now)) {
      if (!withoutKeys.has(stop.item.key)) return stop.item;
      stop.takesTurn = false;
    }
    return undefined;
  }

  #changed({ takesRoom }: T, by: number): void {
    if (takesRoom) this.#numTakingRoom += by;
    this.#places = undefined;
  }
}
