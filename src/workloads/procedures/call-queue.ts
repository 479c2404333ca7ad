/**
 * Queue of the calls that wait for a process, in fair order, with reserved places for calls to come.
 *
 * A call that was accepted earlier does not count towards the limit: a full queue does not refuse it, and
 * it does not fill the queue for others.
 */
import { AGEING_MS, FairQueue, type QueuedItem } from '../../fleet/schedule/fair-queue.ts';
import { ProcedureQueueFullError } from './errors.ts';

/**
 * Computed queue positions are reused for this many milliseconds; ageing changes them too, but slowly.
 */
const PLACES_STAND_MS = 250;

/** A call in the queue. */
export interface QueuedCall extends QueuedItem {
  /** Whether the call counts towards the queue's limit. */
  readonly takesRoom: boolean;
  /** Time at which it was queued, on the clock of `performance.now()`. */
  readonly since: number;
}

/** State of the pool, as far as the queue needs it. */
export interface Outlook {
  /**
   * Calls that could start now, without another call ending first; they do not count towards the limit.
   */
  readonly numSpare: number;
  /** Estimated time until a call submitted now would start, milliseconds. */
  readonly expectedWaitMs: () => number;
}

/** The queue. */
export class CallQueue<T extends QueuedCall> {
  readonly #limit: number;
  readonly #queue = new FairQueue<T>(AGEING_MS);
  /** Ids of the calls with a reserved place. */
  readonly #admitted = new Set<string>();
  #numTakingRoom = 0;
  /** Positions computed in one pass over the queue; discarded when the queue changes. */
  #places: { readonly at: number; readonly of: ReadonlyMap<string, number> } | undefined;

  /** @param limit - Calls that may wait. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of waiting calls. */
  get length(): number {
    return this.#queue.length;
  }

  /**
   * Reserves a place for a call until the call is added or withdrawn.
   *
   * @throws {ProcedureQueueFullError} if the queue is full.
   */
  admit(id: string, outlook: Outlook): void {
    if (this.#admitted.has(id)) return;
    this.checkRoom(outlook);
    this.#admitted.add(id);
  }

  /** Releases a reserved place; returns whether there was one. */
  withdraw(id: string): boolean {
    return this.#admitted.delete(id);
  }

  /** @throws {ProcedureQueueFullError} if the queue has no room for another call. */
  checkRoom({ numSpare, expectedWaitMs }: Outlook): void {
    if (this.#numTakingRoom + this.#admitted.size - numSpare < this.#limit) return;
    throw new ProcedureQueueFullError(this.#limit, Math.max(1, Math.ceil(expectedWaitMs() / 1000)));
  }

  /**
   * Adds a call, whether or not there is room.
   *
   * @param cost - Expected run time, milliseconds.
   * @param comesBack - Whether the call runs again; it then precedes all others.
   */
  add(call: T, cost: number, comesBack: boolean): void {
    this.#queue.add(call, cost, performance.now(), comesBack);
    this.#changed(call, 1);
  }

  /** Number of waiting calls whose key is not in `keys`. */
  lengthWithout(keys: ReadonlySet<string>): number {
    if (keys.size === 0) return this.length;
    let length = 0;
    for (const { key } of this.calls()) if (!keys.has(key)) length++;
    return length;
  }

  /** Removes and returns the next call to run, ignoring the calls of some keys. */
  start(withoutKeys: ReadonlySet<string> = new Set()): T | undefined {
    const now = performance.now();
    const first = this.#first(now, withoutKeys);
    return first && this.startNow(first.id);
  }

  /**
   * The first call that was queued at or before `since`, ignoring the calls of some keys; stays queued.
   */
  overdue(since: number, withoutKeys: ReadonlySet<string>): T | undefined {
    for (const { item } of this.#queue.walk(performance.now())) {
      if (item.since <= since && !withoutKeys.has(item.key)) return item;
    }
    return undefined;
  }

  /** Removes and returns this call, to run out of turn. */
  startNow(id: string): T | undefined {
    const call = this.#queue.start(id, performance.now());
    if (call !== undefined) this.#changed(call, -1);
    return call;
  }

  /** Removes and returns the next call without running it; its key is not charged for it. */
  removeFirst(): T | undefined {
    const first = this.#first(performance.now(), new Set());
    return first && this.remove(first.id);
  }

  /** Removes and returns a call that will not run; undefined if it is not queued. */
  remove(id: string): T | undefined {
    const call = this.#queue.remove(id);
    if (call !== undefined) this.#changed(call, -1);
    return call;
  }

  /** Removes and returns all calls. */
  drain(): readonly T[] {
    const all = this.#queue.drain();
    for (const call of all) this.#changed(call, -1);
    return all;
  }

  /** All waiting calls, in unspecified order. */
  calls(): Iterable<T> {
    return this.#queue.items();
  }

  /** Number of calls that will start before this one; undefined if it is not queued. */
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
