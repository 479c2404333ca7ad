/** Heap of the events of a simulation, by time. */

interface Event<T> {
  readonly at: number;
  /** Events at one time come in the order in which they were added, so that a simulation can be repeated. */
  readonly order: number;
  readonly item: T;
}

/** A binary heap of events. */
export class EventHeap<T> {
  readonly #events: Event<T>[] = [];
  #added = 0;

  /** When the next event is; infinity when there is none. */
  get nextAt(): number {
    return this.#events[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  add(at: number, item: T): void {
    const events = this.#events;
    const event = { at, order: this.#added++, item };
    let place = events.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(event, events[parent]!)) break;
      events[place] = events[parent]!;
      place = parent;
    }
    events[place] = event;
  }

  /** Takes out the next event; undefined when there is none. */
  take(): T | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (first === undefined || last === undefined) return undefined;
    if (events.length > 0) this.#sink(last);
    return first.item;
  }

  #sink(event: Event<T>): void {
    const events = this.#events;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && isBefore(events[child + 1]!, events[child]!)) child++;
      if (!isBefore(events[child]!, event)) break;
      events[place] = events[child]!;
      place = child;
    }
    events[place] = event;
  }
}

function isBefore<T>(a: Event<T>, b: Event<T>): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}
