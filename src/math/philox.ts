/**
 * Counter-based random numbers: Philox4x32-10.
 *
 * A draw is a pure function of (seed, counter). Any engine, thread or GPU invocation computes the draw of
 * shot s on its own, and all agree; no state is carried from one draw to the next.
 *
 * @see Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC'11); the tests compare
 *   it with the known answers of the authors' Random123 library.
 */

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const NUM_ROUNDS = 10;

/** Upper 32 bits of the product of two unsigned 32-bit integers, as a signed 32-bit word. */
function mulHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  // No sum reaches 2^32: (2^16 − 1)² + 2^16 − 1 < 2^32, and mid2 adds as much at most.
  const mid1 = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) >>> 0;
  const mid2 = (Math.imul(aLow, bHigh) + (mid1 & 0xffff)) >>> 0;
  return (Math.imul(aHigh, bHigh) + (mid1 >>> 16) + (mid2 >>> 16)) | 0;
}

/**
 * Block computed last. A sampler draws millions of times, and an array per draw would cost more than the
 * arithmetic; every function that fills this reads it before it returns.
 */
const block = new Int32Array(4);

/** Computes a block into `block`. Words are 32 bits, signed or unsigned. */
function computeBlock(
  counter0: number,
  counter1: number,
  counter2: number,
  counter3: number,
  key0: number,
  key1: number,
): void {
  let c0 = counter0 | 0;
  let c1 = counter1 | 0;
  let c2 = counter2 | 0;
  let c3 = counter3 | 0;
  let k0 = key0 | 0;
  let k1 = key1 | 0;
  for (let round = 0; round < NUM_ROUNDS; round++) {
    const next0 = mulHigh(MULTIPLIER_1, c2) ^ c1 ^ k0;
    const next2 = mulHigh(MULTIPLIER_0, c0) ^ c3 ^ k1;
    c1 = Math.imul(MULTIPLIER_1, c2);
    c3 = Math.imul(MULTIPLIER_0, c0);
    c0 = next0;
    c2 = next2;
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  block[0] = c0;
  block[1] = c1;
  block[2] = c2;
  block[3] = c3;
}

/**
 * Returns the four 32-bit words of one Philox4x32-10 block.
 *
 * @param counter - Four unsigned 32-bit words.
 * @param key - Two unsigned 32-bit words.
 */
export function philox4x32(
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
): [number, number, number, number] {
  computeBlock(counter[0], counter[1], counter[2], counter[3], key[0], key[1]);
  return [block[0]! >>> 0, block[1]! >>> 0, block[2]! >>> 0, block[3]! >>> 0];
}

/** Largest seed: every integer from 0 to this is exact as a JSON number. */
export const MAX_SEED = 2 ** 53 - 1;

/**
 * A seed for a run that names none.
 *
 * @param random - Uniform in [0, 1).
 */
export function drawSeed(random: () => number): number {
  return Math.floor(random() * (MAX_SEED + 1));
}

/**
 * Draws one uniform number in [0, 1) with 53 random bits.
 *
 * @param seed - Integer in [0, 2^53 − 1].
 * @param shot - Index of the shot; below 2^32.
 * @param event - Index of the measurement or reset in the program; below 2^32.
 * @param position - Index of the draw within the event; below 2^32.
 * @param round - Rounds of loops that the shot has begun; below 2^32.
 */
export function uniformDraw(
  seed: number,
  shot: number,
  event: number,
  position: number,
  round = 0,
): number {
  computeBlock(shot, event, position, round, seed, Math.floor(seed / 0x100000000));
  return ((block[0]! >>> 5) * 0x4000000 + (block[1]! >>> 6)) / 2 ** 53;
}

/** Word of the counters of seeds that are derived from others; draws have small numbers in its place. */
const DERIVED = 0x5eedc4a9;

/**
 * Seed of part `index` of a run with a seed: that seed for part 0, and for others one that looks drawn.
 *
 * @param index - Whole number of at most MAX_SEED.
 */
export function partSeed(seed: number, index: number): number {
  if (index === 0) return seed;
  computeBlock(index, Math.floor(index / 2 ** 32), 0, DERIVED, seed, Math.floor(seed / 2 ** 32));
  return (block[0]! >>> 11) * 2 ** 32 + (block[1]! >>> 0);
}

/** Adds a whole number of at most MAX_SEED to a seed, modulo 2^53. */
export function addToSeed(seed: number, by: number): number {
  const room = MAX_SEED - seed;
  return by <= room ? seed + by : by - room - 1;
}
