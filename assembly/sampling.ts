/**
 * Draws of basis states. A draw u picks the basis state whose cumulative probability, in logical
 * order, first exceeds u times the norm.
 *
 * A small state has a table of all its cumulative sums. Of a large one only the blocks of
 * neighbouring basis states have such sums; draws are sorted into equal ranges, in which a block
 * finds its own (blocks.ts). Which thread puts a draw first into a range then does not matter.
 */
import { shotNumbers, uniformDraws } from './philox';
import { IMAG, place } from './vectors';

/** Basis index whose sum first exceeds `target`, among 2^numBits ascending sums. */
// @ts-ignore: a decorator of this compiler
@inline
export function firstAbove(sums: usize, numBits: i32, target: f64): u32 {
  let at = sums;
  // No branch depends on a draw: half of them would be mispredicted.
  for (let half = (<usize>4) << numBits; half >= 8; half >>= 1) {
    at += half & (0 - <usize>(load<f64>(at + half - 8) <= target));
  }
  return <u32>((at - sums) >> 3);
}

/**
 * Cumulative sums of |a|² in the order of `offsets`. From the last amplitude that is not zero on
 * they are infinite, so that a draw that rounding takes past the end finds it.
 *
 * @param offsets - Offsets of the amplitudes in 32-bit words, u32.
 * @returns The last finite sum.
 */
// @ts-ignore: a decorator of this compiler
@inline
export function addUp(state: usize, offsets: usize, count: i32, start: f64, sums: usize): f64 {
  let sum = start;
  let lastPossible = 0;
  for (let i = 0; i < count; i++) {
    const at = state + place(offsets + ((<usize>i) << 2));
    const re = <f64>load<real>(at);
    const im = <f64>load<real>(at, IMAG);
    const mass = re * re + im * im;
    if (mass > 0) lastPossible = i;
    sum += mass;
    store<f64>(sums + ((<usize>i) << 3), sum);
  }
  for (let i = lastPossible; i < count; i++) store<f64>(sums + ((<usize>i) << 3), Infinity);
  return sum;
}

/**
 * Cumulative sums of a small state in logical order.
 *
 * @param images - Offset of each logical qubit in 32-bit words, u32.
 * @param offsets - Room for 2^numQubits words.
 * @param sums - Room for 2^numQubits doubles.
 * @returns The norm.
 */
export function addUpState(
  state: usize,
  numQubits: i32,
  images: usize,
  offsets: usize,
  sums: usize,
): f64 {
  store<u32>(offsets, 0);
  for (let q = 0; q < numQubits; q++) {
    const half: usize = (<usize>4) << q;
    const image = load<u32>(images + ((<usize>q) << 2));
    for (let i: usize = 0; i < half; i += 4) {
      store<u32>(offsets + half + i, load<u32>(offsets + i) | image);
    }
  }
  return addUp(state, offsets, 1 << numQubits, 0, sums);
}

/**
 * Draws from the sums of a small state into a histogram.
 *
 * @param numbers - @see shotNumbers
 * @param scratch - 32 bytes.
 */
export function drawShots(
  sums: usize,
  numQubits: i32,
  norm: f64,
  seedLow: u32,
  seedHigh: u32,
  event: u32,
  from: u32,
  to: u32,
  numbers: usize,
  histogram: usize,
  scratch: usize,
): void {
  for (let i = from; i < to; i += 4) {
    uniformDraws(seedLow, seedHigh, shotNumbers(numbers, i), event, 0, scratch);
    const end = scratch + ((<usize>min(4, to - i)) << 3);
    for (let draw = scratch; draw < end; draw += 8) {
      const index = <usize>firstAbove(sums, numQubits, load<f64>(draw) * norm);
      const bin = histogram + (index << 2);
      store<u32>(bin, load<u32>(bin) + 1);
    }
  }
}

/**
 * Lists the non-empty bins of a histogram.
 *
 * @returns Their number.
 */
export function listHistogram(
  histogram: usize,
  count: i32,
  indices: usize,
  occurrences: usize,
): i32 {
  let listed: usize = 0;
  for (let i = 0; i < count; i++) {
    const occurrence = load<u32>(histogram + ((<usize>i) << 2));
    if (occurrence == 0) continue;
    store<u32>(indices + (listed << 2), i);
    store<u32>(occurrences + (listed << 2), occurrence);
    listed++;
  }
  return <i32>listed;
}

// Fields of all commands of this file, u32 each but the norm; the order in which sampling.ts and block-sampling.ts write them.
const SEED_LOW: usize = 32;
const SEED_HIGH: usize = 36;
const EVENT: usize = 40;
const NUM_SHOTS: usize = 44;
const SHOTS_PER_ITEM: usize = 48;
const NUMBERS: usize = 52;
const NORM: usize = 56;
/** Fields of commands on small states. */
const NUM_QUBITS: usize = 64;
const SUMS: usize = 68;
const HISTOGRAM: usize = 72;
/** Fields of commands on large states. */
const NUM_RANGES: usize = 64;
/** A zero, then the number of draws in each range; once they are sorted, where each begins. */
const STARTS: usize = 68;
const DRAWS: usize = 72;
const SORTED: usize = 76;
/** Number of the first shot, if shots are not listed. */
const FIRST_SHOT: usize = 80;

/** @param local - Room for a histogram and 32 bytes: threads that shared one would wait for each other. */
export function drawShotsItem(command: usize, item: u32, local: usize): void {
  const numQubits: i32 = load<i32>(command, NUM_QUBITS);
  const perItem = load<u32>(command, SHOTS_PER_ITEM);
  const from = item * perItem;
  const to = min(from + perItem, load<u32>(command, NUM_SHOTS));
  const bytes: usize = (<usize>4) << numQubits;
  memory.fill(local, 0, bytes);
  drawShots(
    load<u32>(command, SUMS),
    numQubits,
    load<f64>(command, NORM),
    load<u32>(command, SEED_LOW),
    load<u32>(command, SEED_HIGH),
    load<u32>(command, EVENT),
    from,
    to,
    load<u32>(command, NUMBERS),
    local,
    local + bytes,
  );
  const histogram: usize = load<u32>(command, HISTOGRAM);
  for (let i: usize = 0; i < bytes; i += 4) {
    const occurrence = load<u32>(local + i);
    if (occurrence) atomic.add<u32>(histogram + i, occurrence);
  }
}

/** Range of a draw, scaled to [0, norm); monotonic in the draw. */
// @ts-ignore: a decorator of this compiler
@inline
export function rangeOf(draw: f64, rangesPerUnit: f64, numRanges: u32): u32 {
  return min(<u32>(draw * rangesPerUnit), numRanges - 1);
}

/** Draws an item's shots and counts the draws of each range. */
export function drawItem(command: usize, item: u32): void {
  const seedLow = load<u32>(command, SEED_LOW);
  const seedHigh = load<u32>(command, SEED_HIGH);
  const event = load<u32>(command, EVENT);
  const numbers: usize = load<u32>(command, NUMBERS);
  const firstShot = load<u32>(command, FIRST_SHOT);
  const norm = load<f64>(command, NORM);
  // A draw just below 1 may round up to the norm, where no block is.
  const largest = reinterpret<f64>(reinterpret<i64>(norm) - 1);
  const numRanges = load<u32>(command, NUM_RANGES);
  const rangesPerUnit = <f64>numRanges / norm;
  const counts: usize = load<u32>(command, STARTS) + 4;
  const draws: usize = load<u32>(command, DRAWS);
  const perItem = load<u32>(command, SHOTS_PER_ITEM);
  const from = item * perItem;
  const to = min(from + perItem, load<u32>(command, NUM_SHOTS));
  for (let i = from; i < to; i += 4) {
    // Items are multiples of four shots, and behind the last there is room.
    const place = draws + ((<usize>i) << 3);
    const shots = shotNumbers(numbers, numbers ? i : firstShot + i);
    uniformDraws(seedLow, seedHigh, shots, event, 0, place);
    const end = place + ((<usize>min(4, to - i)) << 3);
    for (let at = place; at < end; at += 8) {
      const draw = min(load<f64>(at) * norm, largest);
      store<f64>(at, draw);
      atomic.add<u32>(counts + ((<usize>rangeOf(draw, rangesPerUnit, numRanges)) << 2), 1);
    }
  }
}

/** Puts an item's draws into their ranges. */
export function sortDrawsItem(command: usize, item: u32): void {
  const numRanges = load<u32>(command, NUM_RANGES);
  const rangesPerUnit = <f64>numRanges / load<f64>(command, NORM);
  const next: usize = load<u32>(command, STARTS) + 4;
  const draws: usize = load<u32>(command, DRAWS);
  const sorted: usize = load<u32>(command, SORTED);
  const perItem = load<u32>(command, SHOTS_PER_ITEM);
  const from = item * perItem;
  const to = min(from + perItem, load<u32>(command, NUM_SHOTS));
  for (let i = from; i < to; i++) {
    const draw = load<f64>(draws + ((<usize>i) << 3));
    const range = <usize>rangeOf(draw, rangesPerUnit, numRanges);
    const place = atomic.add<u32>(next + (range << 2), 1);
    store<f64>(sorted + ((<usize>place) << 3), draw);
  }
}

/** Replaces counts by their exclusive prefix sums, followed by the total. */
export function startsOfCounts(counts: usize, numCounts: u32): void {
  const end = counts + ((<usize>numCounts) << 2);
  let sum: u32 = 0;
  for (; counts < end; counts += 4) {
    const count = load<u32>(counts);
    store<u32>(counts, sum);
    sum += count;
  }
  store<u32>(end, sum);
}

/** Replaces masses by their exclusive prefix sums, followed by the total. */
export function startsOfMasses(masses: usize, numMasses: u32): f64 {
  const end = masses + ((<usize>numMasses) << 3);
  let sum: f64 = 0;
  for (; masses < end; masses += 8) {
    const mass = load<f64>(masses);
    store<f64>(masses, sum);
    sum += mass;
  }
  store<f64>(end, sum);
  return sum;
}

/**
 * Moves the entries that occur to the front.
 *
 * @returns Their number.
 */
export function compactSamples(indices: usize, occurrences: usize, count: u32): u32 {
  const bytes = (<usize>count) << 2;
  let to: usize = 0;
  for (let i: usize = 0; i < bytes; i += 4) {
    const occurrence = load<u32>(occurrences + i);
    store<u32>(indices + to, load<u32>(indices + i));
    store<u32>(occurrences + to, occurrence);
    to += (<usize>(occurrence != 0)) << 2;
  }
  return <u32>(to >> 2);
}
