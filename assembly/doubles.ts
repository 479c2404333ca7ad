/**
 * Sums of squares in double precision, for either precision of amplitudes: squares of
 * single-precision amplitudes would soon be denormal, which is slow, and long sums of them would
 * lose most of their digits.
 */
import { GROUP_SHIFT, IMAG, LANES } from './vectors';

/** a·b + c of doubles, fused where the host has relaxed SIMD. */
// @ts-ignore: a decorator of this compiler
@inline
export function mulAddDoubles(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return v128.relaxed_madd<f64>(a, b, c);
  return f64x2.add(f64x2.mul(a, b), c);
}

/** c − a·b of doubles, likewise. */
// @ts-ignore: a decorator of this compiler
@inline
export function subMulDoubles(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return v128.relaxed_nmadd<f64>(a, b, c);
  return f64x2.sub(c, f64x2.mul(a, b));
}

/** Lanes 0 and 1 as doubles. */
// @ts-ignore: a decorator of this compiler
@inline
export function lowDoubles(v: v128): v128 {
  return LANES == 4 ? f64x2.promote_low_f32x4(v) : v;
}

/** Lanes 2 and 3 as doubles; single precision only. */
// @ts-ignore: a decorator of this compiler
@inline
export function highDoubles(v: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<i64>(v, v, 1, 1));
}

/** Adds |a|² of the groups in [at, end), at least one, to the LANES doubles at `sums`. */
// @ts-ignore: a decorator of this compiler
@inline
export function addMasses(at: usize, end: usize, sums: usize): void {
  let low = v128.load(sums);
  let lowImag = f64x2.splat(0);
  let high = f64x2.splat(0);
  let highImag = f64x2.splat(0);
  if (LANES == 4) high = v128.load(sums, 16);
  do {
    const re = v128.load(at);
    const im = v128.load(at, IMAG);
    low = mulAddDoubles(lowDoubles(re), lowDoubles(re), low);
    lowImag = mulAddDoubles(lowDoubles(im), lowDoubles(im), lowImag);
    if (LANES == 4) {
      high = mulAddDoubles(highDoubles(re), highDoubles(re), high);
      highImag = mulAddDoubles(highDoubles(im), highDoubles(im), highImag);
    }
    at += 1 << GROUP_SHIFT;
  } while (at < end);
  v128.store(sums, f64x2.add(low, lowImag));
  if (LANES == 4) v128.store(sums, f64x2.add(high, highImag), 16);
}

/** The sum of those of LANES doubles whose lane number is `value` under `mask`. */
// @ts-ignore: a decorator of this compiler
@inline
export function sumLanes(sums: usize, mask: i32, value: i32): f64 {
  let sum: f64 = 0;
  for (let lane = 0; lane < LANES; lane++) {
    if ((lane & mask) == value) sum += load<f64>(sums + (<usize>lane << 3));
  }
  return sum;
}

/** The sum of those lanes whose number is `value` under `mask`, minus where it has an odd number of bits of `signs`. */
export function addLanes(v: v128, mask: i32, value: i32, signs: i32): f64 {
  const low = lowDoubles(v);
  let sum = signedLane(f64x2.extract_lane(low, 0), 0, mask, value, signs);
  sum += signedLane(f64x2.extract_lane(low, 1), 1, mask, value, signs);
  if (LANES == 4) {
    const high = highDoubles(v);
    sum += signedLane(f64x2.extract_lane(high, 0), 2, mask, value, signs);
    sum += signedLane(f64x2.extract_lane(high, 1), 3, mask, value, signs);
  }
  return sum;
}

// @ts-ignore: a decorator of this compiler
@inline
function signedLane(x: f64, lane: i32, mask: i32, value: i32, signs: i32): f64 {
  if ((lane & mask) != value) return 0;
  return popcnt(lane & signs) & 1 ? -x : x;
}
