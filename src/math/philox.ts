/**
 * Counter-based random numbers: Philox4x32-10.
 *
 * A draw is a pure function of (seed, counter), so any engine, thread or GPU invocation computes
 * the draw of shot s on its own and all agree; nothing is carried from one draw to the next.
 *
 * @see Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC'11); the
 *   tests hold it to the known answers of the authors' Random123 library.
 */

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const NUM_ROUNDS = 10;

/** Upper 32 bits of the 64-bit product of two 32-bit unsigned integers. */
function mulHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const low = aLow * bLow;
  const mid1 = aHigh * bLow + (low >>> 16);
  const mid2 = aLow * bHigh + (mid1 & 0xffff);
  return (aHigh * bHigh + Math.floor(mid1 / 0x10000) + Math.floor(mid2 / 0x10000)) >>> 0;
}

/**
 * The four 32-bit words of one Philox4x32-10 block.
 *
 * @param counter - Four unsigned 32-bit words.
 * @param key - Two unsigned 32-bit words.
 */
export function philox4x32(
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
): [number, number, number, number] {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < NUM_ROUNDS; round++) {
    const high0 = mulHigh(MULTIPLIER_0, c0);
    const low0 = Math.imul(MULTIPLIER_0, c0) >>> 0;
    const high1 = mulHigh(MULTIPLIER_1, c2);
    const low1 = Math.imul(MULTIPLIER_1, c2) >>> 0;
    const next0 = (high1 ^ c1 ^ k0) >>> 0;
    const next2 = (high0 ^ c3 ^ k1) >>> 0;
    c0 = next0;
    c1 = low1;
    c2 = next2;
    c3 = low0;
    k0 = (k0 + WEYL_0) >>> 0;
    k1 = (k1 + WEYL_1) >>> 0;
  }
  return [c0, c1, c2, c3];
}

/** The largest seed: every integer from 0 to here is exact as a JSON number. */
export const MAX_SEED = 2 ** 53 - 1;

/**
 * One uniform draw in [0, 1) with 53 random bits.
 *
 * @param seed - Integer in [0, 2^53 − 1].
 * @param shot - Which shot the draw belongs to; below 2^32.
 * @param event - Which measuring event of the program; below 2^32.
 * @param position - Which draw of that event; below 2^32.
 */
export function uniformDraw(seed: number, shot: number, event: number, position: number): number {
  const [high, low] = philox4x32(
    [shot, event, position, 0],
    [seed >>> 0, Math.floor(seed / 0x100000000)],
  );
  return ((high >>> 5) * 0x4000000 + (low >>> 6)) / 2 ** 53;
}
