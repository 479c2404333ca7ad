/**
 * Belief propagation and ordered statistics decoding: likely errors that flip given detectors. Errors may flip any number
 * of detectors. The module has a memory of its own; src/decoding/bp-osd.ts lays it out and writes the errors.
 *
 * Belief propagation passes messages between detectors and the errors that flip them: how likely each error is, as a
 * logarithm of odds, given what the other errors of the detector are believed to be. It is min-sum with a factor, and
 * takes one detector after the other with the latest beliefs. Where its errors do not flip the given detectors, ordered
 * statistics look for some that do: errors from the likeliest on, such that no sum of them flips nothing, are a basis in
 * which the given detectors have one sum. Of the errors that this leaves out, the likeliest ones are tried, too: alone and
 * in pairs, as long as what happened becomes likelier.
 *
 * @see Panteleev & Kalachev, "Degenerate quantum LDPC codes with good finite length performance", 2021, section 3; Roffe,
 *   White, Burton & Campbell, "Decoding across the quantum low-density parity-check code landscape", 2020, for the
 *   combination sweep.
 */

/** Factor of messages: min-sum alone takes itself as more certain than it is. */
const SCALE: f32 = 0.75;
/** Most that a message says. */
const MOST: f32 = 50;
/** Least by which tried errors have to make a sum likelier. */
const LEAST_GAIN: f32 = 1e-3;

let numDetectors: i32 = 0;
let numErrors: i32 = 0;
/** By detector: where its errors begin in `errorsOf` and `messages`; one more. */
let detectorStarts: usize = 0;
let errorsOf: usize = 0;
let messages: usize = 0;
/** By error: where its detectors begin in `detectorsOf`; one more. */
let errorStarts: usize = 0;
let detectorsOf: usize = 0;
/** By error: logarithms of the odds that it did not happen, before and after. */
let priors: usize = 0;
let beliefs: usize = 0;
/** By detector: a byte, 1 if it is flipped. */
let events: usize = 0;
/** Numbers of the errors that were found. */
let found: usize = 0;
/** Errors in order of their beliefs, as a heap. */
let heap: usize = 0;
let heapLength: i32 = 0;
/** By detector: the number of the sum of the basis whose first detector it is; −1 for none. */
let sumAt: usize = 0;
/** By sum: the detectors that it flips, the errors of the basis in it, and the error that came last; weights by error. */
let sums: usize = 0;
let parts: usize = 0;
let basis: usize = 0;
let weights: usize = 0;
/** Errors that are tried beside the basis: their numbers, their parts in the basis, what they gain, and whether they are in. */
let tried: usize = 0;
let triedParts: usize = 0;
let gains: usize = 0;
let isIn: usize = 0;
let mostTried: i32 = 0;
/** A sum that is made, and its parts. */
let row: usize = 0;
let rowParts: usize = 0;
let rowBytes: usize = 0;
let numBasis: i32 = 0;
/** Number of errors in a basis; not known before the first. */
let rank: i32 = -1;

// @ts-ignore: a decorator of this compiler
@inline
function field(header: usize, place: usize): usize {
  return <usize>load<u32>(header + (place << 2));
}

/** Sets the layout; `BpOsd` has the same order of fields. */
export function open(header: usize): void {
  numDetectors = <i32>field(header, 0);
  numErrors = <i32>field(header, 1);
  rowBytes = field(header, 2);
  mostTried = <i32>field(header, 3);
  detectorStarts = field(header, 4);
  errorsOf = field(header, 5);
  messages = field(header, 6);
  errorStarts = field(header, 7);
  detectorsOf = field(header, 8);
  priors = field(header, 9);
  beliefs = field(header, 10);
  events = field(header, 11);
  found = field(header, 12);
  heap = field(header, 13);
  sumAt = field(header, 14);
  sums = field(header, 15);
  parts = field(header, 16);
  basis = field(header, 17);
  weights = field(header, 18);
  tried = field(header, 19);
  triedParts = field(header, 20);
  gains = field(header, 21);
  isIn = field(header, 22);
  row = field(header, 23);
  rowParts = field(header, 24);
  rank = -1;
}

/** Number of the errors that were found, whose numbers are in `found`; −1 if no errors flip the detectors in `events`. */
export function decode(iterations: i32): i32 {
  if (propagate(iterations)) return likelyErrors();
  return orderedStatistics();
}

// @ts-ignore: a decorator of this compiler
@inline
function intAt(list: usize, i: i32): i32 {
  return load<i32>(list + (<usize>i << 2));
}

// @ts-ignore: a decorator of this compiler
@inline
function floatAt(list: usize, i: i32): f32 {
  return load<f32>(list + (<usize>i << 2));
}

/** Whether the errors that are likelier than not flip the given detectors, after some iterations at most. */
function propagate(iterations: i32): bool {
  memory.copy(beliefs, priors, <usize>numErrors << 2);
  memory.fill(messages, 0, <usize>intAt(detectorStarts, numDetectors) << 2);
  for (let i = 0; i < iterations; i++) {
    for (let detector = 0; detector < numDetectors; detector++) updateAround(detector);
    if (isExplained()) return true;
  }
  return false;
}

/** Updates the messages of a detector, and the beliefs of its errors. */
function updateAround(detector: i32): void {
  const from = intAt(detectorStarts, detector);
  const to = intAt(detectorStarts, detector + 1);
  let isOdd: u32 = load<u8>(events + <usize>detector);
  let least: f32 = MOST;
  let second: f32 = MOST;
  let leastAt = -1;
  for (let i = from; i < to; i++) {
    const at = messages + (<usize>i << 2);
    const without = floatAt(beliefs, intAt(errorsOf, i)) - load<f32>(at);
    store<f32>(at, without);
    if (without < 0) isOdd ^= 1;
    const size = abs<f32>(without);
    if (size < least) {
      second = least;
      least = size;
      leastAt = i;
    } else if (size < second) second = size;
  }
  const plain = SCALE * least;
  const ofLeast = SCALE * second;
  for (let i = from; i < to; i++) {
    const at = messages + (<usize>i << 2);
    const without = load<f32>(at);
    const size = i == leastAt ? ofLeast : plain;
    const message = (isOdd ^ <u32>(without < 0)) != 0 ? -size : size;
    store<f32>(at, message);
    store<f32>(beliefs + (<usize>intAt(errorsOf, i) << 2), without + message);
  }
}

function isExplained(): bool {
  for (let detector = 0; detector < numDetectors; detector++) {
    let isOdd: u32 = load<u8>(events + <usize>detector);
    const to = intAt(detectorStarts, detector + 1);
    for (let i = intAt(detectorStarts, detector); i < to; i++) {
      isOdd ^= <u32>(floatAt(beliefs, intAt(errorsOf, i)) < 0);
    }
    if (isOdd) return false;
  }
  return true;
}

/** Notes an error as found; returns the number of those found so far. */
// @ts-ignore: a decorator of this compiler
@inline
function note(count: i32, error: i32): i32 {
  store<i32>(found + (<usize>count << 2), error);
  return count + 1;
}

function likelyErrors(): i32 {
  let count = 0;
  for (let error = 0; error < numErrors; error++) {
    if (floatAt(beliefs, error) < 0) count = note(count, error);
  }
  return count;
}

function orderedStatistics(): i32 {
  memory.fill(sumAt, 0xff, <usize>numDetectors << 2);
  numBasis = 0;
  let numTried = 0;
  makeHeap();
  while (heapLength > 0 && (numBasis != rank || numTried < mostTried)) {
    const error = takeLikeliest();
    clear(row);
    clear(rowParts);
    const to = intAt(errorStarts, error + 1);
    for (let i = intAt(errorStarts, error); i < to; i++) toggle(row, intAt(detectorsOf, i));
    const first = reduce();
    if (first >= 0) addToBasis(error, first);
    else if (numTried < mostTried) {
      store<i32>(tried + (<usize>numTried << 2), error);
      copy(triedParts + <usize>numTried * rowBytes, rowParts);
      numTried++;
    }
  }
  if (heapLength == 0) rank = numBasis;
  clear(row);
  clear(rowParts);
  for (let i = 0; i < numDetectors; i++) if (load<u8>(events + <usize>i)) toggle(row, i);
  if (reduce() >= 0) return -1;
  tryOthers(numTried);
  return happened(numTried);
}

// @ts-ignore: a decorator of this compiler
@inline
function clear(bits: usize): void {
  memory.fill(bits, 0, rowBytes);
}

// @ts-ignore: a decorator of this compiler
@inline
function copy(to: usize, from: usize): void {
  memory.copy(to, from, rowBytes);
}

// @ts-ignore: a decorator of this compiler
@inline
function toggle(bits: usize, i: i32): void {
  const at = bits + (<usize>(i >>> 5) << 2);
  store<u32>(at, load<u32>(at) ^ (1 << (i & 31)));
}

/** Adds bits from a byte on, a multiple of 16. */
// @ts-ignore: a decorator of this compiler
@inline
function add(bits: usize, others: usize, from: usize): void {
  for (let i = from; i < rowBytes; i += 16) {
    v128.store(bits + i, v128.xor(v128.load(bits + i), v128.load(others + i)));
  }
}

/**
 * Adds sums of the basis to `row`, and their parts to `rowParts`, until its first detector is that of none.
 *
 * @returns This detector, −1 if no detector is left.
 */
function reduce(): i32 {
  for (let at: usize = 0; at < rowBytes; at += 8) {
    for (;;) {
      const word = load<u64>(row + at);
      if (word == 0) break;
      const detector = <i32>(at << 3) + <i32>ctz<u64>(word);
      const number = intAt(sumAt, detector);
      if (number < 0) return detector;
      const offset = <usize>number * rowBytes;
      // Before its first detector a sum has nothing.
      add(row, sums + offset, at & ~15);
      add(rowParts, parts + offset, 0);
    }
  }
  return -1;
}

function addToBasis(error: i32, first: i32): void {
  const offset = <usize>numBasis * rowBytes;
  toggle(rowParts, numBasis);
  copy(sums + offset, row);
  copy(parts + offset, rowParts);
  store<i32>(sumAt + (<usize>first << 2), numBasis);
  store<i32>(basis + (<usize>numBasis << 2), error);
  numBasis++;
}

/**
 * Tries errors beside the basis, alone and in pairs, and takes the best while it makes what happened likelier. The errors
 * of the basis that happened are in `rowParts`.
 */
function tryOthers(numTried: i32): void {
  for (let i = 0; i < numBasis; i++) {
    const prior = floatAt(priors, intAt(basis, i));
    store<f32>(weights + (<usize>i << 2), isSet(rowParts, i) ? -prior : prior);
  }
  memory.fill(isIn, 0, <usize>numTried);
  for (;;) {
    let best: f32 = -LEAST_GAIN;
    let first = -1;
    let second = -1;
    for (let i = 0; i < numTried; i++) {
      const prior = floatAt(priors, intAt(tried, i));
      const own = load<u8>(isIn + <usize>i) ? -prior : prior;
      const bits = triedParts + <usize>i * rowBytes;
      const gain = own + weightOf(bits, bits);
      store<f32>(gains + (<usize>i << 2), gain);
      if (gain < best) {
        best = gain;
        first = i;
        second = -1;
      }
      for (let j = 0; j < i; j++) {
        const both = gain + floatAt(gains, j);
        // What both have in common comes back.
        const pair = both - 2 * weightOf(bits, triedParts + <usize>j * rowBytes);
        if (pair < best) {
          best = pair;
          first = i;
          second = j;
        }
      }
    }
    if (first < 0) return;
    take(first);
    if (second >= 0) take(second);
  }
}

// @ts-ignore: a decorator of this compiler
@inline
function isSet(bits: usize, i: i32): bool {
  return ((load<u32>(bits + (<usize>(i >>> 5) << 2)) >>> (i & 31)) & 1) != 0;
}

/** Sum of the weights of the errors of the basis that two sets have in common. */
function weightOf(bits: usize, others: usize): f32 {
  let sum: f32 = 0;
  for (let at: usize = 0; at < rowBytes; at += 8) {
    for (let rest = load<u64>(bits + at) & load<u64>(others + at); rest != 0; rest &= rest - 1) {
      sum += floatAt(weights, <i32>(at << 3) + <i32>ctz<u64>(rest));
    }
  }
  return sum;
}

/** Takes a tried error in, or out again. */
function take(i: i32): void {
  store<u8>(isIn + <usize>i, load<u8>(isIn + <usize>i) ^ 1);
  const bits = triedParts + <usize>i * rowBytes;
  add(rowParts, bits, 0);
  for (let at: usize = 0; at < rowBytes; at += 8) {
    for (let rest = load<u64>(bits + at); rest != 0; rest &= rest - 1) {
      const weight = weights + (((at << 3) + <usize>ctz<u64>(rest)) << 2);
      store<f32>(weight, -load<f32>(weight));
    }
  }
}

/** Writes the errors of the basis and the tried ones that happened. */
function happened(numTried: i32): i32 {
  let count = 0;
  for (let i = 0; i < numBasis; i++) {
    if (isSet(rowParts, i)) count = note(count, intAt(basis, i));
  }
  for (let i = 0; i < numTried; i++) {
    if (load<u8>(isIn + <usize>i)) count = note(count, intAt(tried, i));
  }
  return count;
}

/** Makes the heap of all errors. */
function makeHeap(): void {
  heapLength = numErrors;
  for (let i = 0; i < numErrors; i++) store<i32>(heap + (<usize>i << 2), i);
  for (let i = (numErrors >>> 1) - 1; i >= 0; i--) sink(i, intAt(heap, i));
}

/** Takes the error that is likeliest to have happened out of the heap. */
function takeLikeliest(): i32 {
  const error = intAt(heap, 0);
  heapLength--;
  if (heapLength > 0) sink(0, intAt(heap, heapLength));
  return error;
}

/** Puts an error at a place of the heap, or below it. */
function sink(place: i32, error: i32): void {
  const belief = floatAt(beliefs, error);
  let at = place;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heapLength) break;
    if (
      child + 1 < heapLength &&
      floatAt(beliefs, intAt(heap, child + 1)) < floatAt(beliefs, intAt(heap, child))
    ) {
      child++;
    }
    const below = intAt(heap, child);
    if (floatAt(beliefs, below) >= belief) break;
    store<i32>(heap + (<usize>at << 2), below);
    at = child;
  }
  store<i32>(heap + (<usize>at << 2), error);
}
