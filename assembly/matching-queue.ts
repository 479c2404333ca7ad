/**
 * A queue of events by time, which never goes back: the radix heap of src/decoding/event-queue.ts, which gives the same
 * events in the same order.
 */

/** Given by an empty queue. */
export const NOTHING: usize = 0;

/** The present: the time of the event that was taken last. */
export let now = 0;

/** Bytes of an entry: the next of its place, its time, what happens. */
const ENTRY: usize = 12;
const TIME: usize = 4;
const EVENT: usize = 8;
const PLACES: usize = 32;

/** First entry of each place; bit i of `filled` is set if place i has entries. */
let heads: usize = 0;
let filled: u32 = 0;
/** First entry, end of those that were ever used, and first of those given back. */
let entries: usize = 0;
let end: usize = 0;
let free: usize = 0;
/** End of the memory. */
let room: usize = 0;

/** @param at - Address after everything else in the memory: the queue takes what it needs. */
export function openQueue(at: usize): void {
  heads = at;
  entries = end = at + (PLACES << 2);
  room = <usize>memory.size() << 16;
}

/** Forgets all events; the present is 0. */
export function clearQueue(): void {
  memory.fill(heads, 0, PLACES << 2);
  filled = 0;
  end = entries;
  free = 0;
  now = 0;
}

/** Adds an event, a number above 0, at a time that is not past. */
export function push(time: i32, event: usize): void {
  let entry = free;
  if (entry != 0) free = load<u32>(entry);
  else {
    entry = end;
    end += ENTRY;
    if (end > room) grow();
  }
  const place = <u32>(32 - clz(time ^ now));
  const head = heads + (<usize>place << 2);
  store<u32>(entry, load<u32>(head));
  store<i32>(entry, time, TIME);
  store<u32>(entry, <u32>event, EVENT);
  store<u32>(head, <u32>entry);
  filled |= 1 << place;
}

/** Takes the next event and brings the present to its time; `NOTHING` if there is none. */
export function pop(): usize {
  if ((filled & 1) == 0) {
    if (filled == 0) return NOTHING;
    advance();
  }
  const entry = <usize>load<u32>(heads);
  const next = load<u32>(entry);
  store<u32>(heads, next);
  if (next == 0) filled &= ~1;
  store<u32>(entry, <u32>free);
  free = entry;
  return load<u32>(entry, EVENT);
}

/** Goes on to the time of the next event, by moving those of the lowest place. */
function advance(): void {
  const lowest = ctz(filled);
  const from = heads + (<usize>lowest << 2);
  const first = <usize>load<u32>(from);
  now = load<i32>(first, TIME);
  for (let entry = <usize>load<u32>(first); entry != 0; entry = load<u32>(entry)) {
    now = min(now, load<i32>(entry, TIME));
  }
  store<u32>(from, 0);
  filled &= ~(1 << lowest);
  for (let entry = first; entry != 0; ) {
    const next = <usize>load<u32>(entry);
    const place = <u32>(32 - clz(load<i32>(entry, TIME) ^ now));
    const head = heads + (<usize>place << 2);
    store<u32>(entry, load<u32>(head));
    store<u32>(head, <u32>entry);
    filled |= 1 << place;
    entry = next;
  }
}

function grow(): void {
  if (memory.grow(16) < 0) unreachable();
  room += 16 << 16;
}
