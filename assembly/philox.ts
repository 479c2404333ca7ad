/**
 * Uniform draws by Philox4x32-10: bit for bit those of src/math/philox.ts, which says more. Four
 * shots at a time: one draw alone takes three times as long.
 *
 * @see Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC'11).
 */

/** Low halves of four 64-bit products, which are in two vectors. */
// @ts-ignore: a decorator of this compiler
@inline
function lowWords(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 0, 2, 4, 6);
}

/** High halves of four 64-bit products. */
// @ts-ignore: a decorator of this compiler
@inline
function highWords(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(a, b, 1, 3, 5, 7);
}

/** Draws in [0, 1) of two shots, with 53 random bits each, from the words in the low lanes. */
// @ts-ignore: a decorator of this compiler
@inline
function drawsOf(word0: v128, word1: v128): v128 {
  const upper = f64x2.convert_low_i32x4_u(i32x4.shr_u(word0, 5));
  const lower = f64x2.convert_low_i32x4_u(i32x4.shr_u(word1, 6));
  // Exact: 2^26 times an integer of 27 bits and one of 26.
  const bits = f64x2.add(f64x2.mul(upper, f64x2.splat(67108864.0)), lower);
  return f64x2.mul(bits, f64x2.splat(1.0 / 9007199254740992.0));
}

/**
 * The uniform draws of four shots.
 *
 * @param shots - Four 32-bit words.
 * @param to - Room for four doubles.
 */
// @ts-ignore: a decorator of this compiler
@inline
export function uniformDraws(
  seedLow: u32,
  seedHigh: u32,
  shots: v128,
  event: u32,
  position: u32,
  to: usize,
): void {
  const multiplier0 = i32x4.splat(0xd2511f53);
  const multiplier1 = i32x4.splat(0xcd9e8d57);
  const weyl0 = i32x4.splat(0x9e3779b9);
  const weyl1 = i32x4.splat(0xbb67ae85);
  let c0 = shots;
  let c1 = i32x4.splat(event);
  let c2 = i32x4.splat(position);
  let c3 = i32x4.splat(0);
  let k0 = i32x4.splat(seedLow);
  let k1 = i32x4.splat(seedHigh);
  for (let round = 0; round < 10; round++) {
    const p0 = i64x2.extmul_low_i32x4_u(c0, multiplier0);
    const q0 = i64x2.extmul_high_i32x4_u(c0, multiplier0);
    const p1 = i64x2.extmul_low_i32x4_u(c2, multiplier1);
    const q1 = i64x2.extmul_high_i32x4_u(c2, multiplier1);
    c0 = v128.xor(v128.xor(highWords(p1, q1), c1), k0);
    c2 = v128.xor(v128.xor(highWords(p0, q0), c3), k1);
    c1 = lowWords(p1, q1);
    c3 = lowWords(p0, q0);
    k0 = i32x4.add(k0, weyl0);
    k1 = i32x4.add(k1, weyl1);
  }
  v128.store(to, drawsOf(c0, c1));
  v128.store(to, drawsOf(v128.shuffle<i64>(c0, c0, 1, 1), v128.shuffle<i64>(c1, c1, 1, 1)), 16);
}

/**
 * Numbers of four shots.
 *
 * @param numbers - List of shot numbers, with 12 bytes of padding; 0 if a shot's position is its
 *   number.
 */
// @ts-ignore: a decorator of this compiler
@inline
export function shotNumbers(numbers: usize, first: u32): v128 {
  if (numbers) return v128.load(numbers + ((<usize>first) << 2));
  return i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3));
}
