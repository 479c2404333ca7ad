/**
 * A queue of events by time, which never goes back: a radix heap. Events are kept by the highest bit in which their time
 * differs from the present; so each moves to lower places only, at most once a bit, and none is compared with others
 * but for the least of one place.
 *
 * @see Ahuja, Mehlhorn, Orlin & Tarjan, "Faster algorithms for the shortest path problem", 1990.
 */

/** Given by an empty queue. */
export const NOTHING = -1;

/** Words of an entry: the next of its place, its time, what happens. */
const ENTRY = 4;
const [NEXT, TIME, EVENT] = [0, 1, 2];
const PLACES = 32;

/** Events at whole times below 2^31. */
export class EventQueue {
  /** The present: the time of the event that was taken last. */
  now = 0;
  /** Entries; none at 0, which ends a list. */
  #entries = new Int32Array(1024 * ENTRY);
  /** End of the entries that were ever used, and first of those given back. */
  #end = ENTRY;
  #free = 0;
  /** First entry of each place. */
  readonly #heads = new Int32Array(PLACES);
  /** Bit i is set if place i has entries. */
  #filled = 0;

  /** Adds an event, a number that is no less than 0, at a time that is not past. */
  push(time: number, event: number): void {
    let entry = this.#free;
    if (entry !== 0) this.#free = this.#entries[entry + NEXT]!;
    else {
      if (this.#end === this.#entries.length) this.#grow();
      entry = this.#end;
      this.#end += ENTRY;
    }
    const place = 32 - Math.clz32(time ^ this.now);
    const entries = this.#entries;
    entries[entry + NEXT] = this.#heads[place]!;
    entries[entry + TIME] = time;
    entries[entry + EVENT] = event;
    this.#heads[place] = entry;
    this.#filled |= 1 << place;
  }

  /** Takes the next event and brings the present to its time; `NOTHING` if there is none. */
  pop(): number {
    if ((this.#filled & 1) === 0) {
      if (this.#filled === 0) return NOTHING;
      this.#advance();
    }
    const entries = this.#entries;
    const entry = this.#heads[0]!;
    const next = entries[entry + NEXT]!;
    this.#heads[0] = next;
    if (next === 0) this.#filled &= ~1;
    entries[entry + NEXT] = this.#free;
    this.#free = entry;
    return entries[entry + EVENT]!;
  }

  /** Forgets all events; the present is 0. */
  clear(): void {
    this.#heads.fill(0);
    this.#filled = 0;
    this.#end = ENTRY;
    this.#free = 0;
    this.now = 0;
  }

  /** Goes on to the time of the next event, by moving those of the lowest place. */
  #advance(): void {
    const entries = this.#entries;
    const heads = this.#heads;
    const lowest = 31 - Math.clz32(this.#filled & -this.#filled);
    const first = heads[lowest]!;
    let now = entries[first + TIME]!;
    for (let entry = entries[first + NEXT]!; entry !== 0; entry = entries[entry + NEXT]!) {
      const time = entries[entry + TIME]!;
      if (time < now) now = time;
    }
    this.now = now;
    heads[lowest] = 0;
    let filled = this.#filled & ~(1 << lowest);
    for (let entry = first; entry !== 0; ) {
      const next = entries[entry + NEXT]!;
      const place = 32 - Math.clz32(entries[entry + TIME]! ^ now);
      entries[entry + NEXT] = heads[place]!;
      heads[place] = entry;
      filled |= 1 << place;
      entry = next;
    }
    this.#filled = filled;
  }

  #grow(): void {
    const larger = new Int32Array(2 * this.#entries.length);
    larger.set(this.#entries);
    this.#entries = larger;
  }
}
