/**
 * Cosines and sines of one angle of LANES circuits.
 *
 * Reduced to [−π/4, π/4] in double precision by two parts of π/2, of which the first has so few bits
 * that its product with a quotient of up to 20 is exact; the host reduces larger angles beforehand
 * (batch-request.ts). The polynomials are fdlibm's; single precision needs fewer of their terms.
 *
 * @see Cody, Waite, "Software Manual for the Elementary Functions" (1980), chapter 8.
 */
import { mulAddDoubles, subMulDoubles } from './doubles';
import { LANES } from './vectors';

const TWO_OVER_PI: f64 = 6.36619772367581382433e-1;
/** The first 33 bits of π/2, and the remainder. */
const HALF_PI_1: f64 = 1.57079632673412561417;
const HALF_PI_2: f64 = 6.07710050650619224932e-11;
/** 1.5·2^52: adding it rounds to an integer, whose bits are then the lowest of the sum. */
const ROUNDER: f64 = 6755399441055744.0;

const S1: f64 = -1.66666666666666324348e-1;
const S2: f64 = 8.33333333332248946124e-3;
const S3: f64 = -1.98412698298579493134e-4;
const S4: f64 = 2.75573137070700676789e-6;
const S5: f64 = -2.50507602534068634195e-8;
const S6: f64 = 1.58969099521155010221e-10;
const C1: f64 = 4.16666666666666019037e-2;
const C2: f64 = -1.38888888888741095749e-3;
const C3: f64 = 2.48015872894767294178e-5;
const C4: f64 = -2.75573143513906633035e-7;
const C5: f64 = 2.08757232129817482790e-9;
const C6: f64 = -1.13596475577881948265e-11;

// @ts-ignore: a decorator of this compiler
@inline
function next(z: v128, polynomial: v128, coefficient: f64): v128 {
  return mulAddDoubles(z, polynomial, f64x2.splat(coefficient));
}

/** Sine of a reduced angle r; z is r². */
// @ts-ignore: a decorator of this compiler
@inline
function sineOf(r: v128, z: v128): v128 {
  let p = f64x2.splat(S4);
  if (LANES == 2) p = next(z, next(z, f64x2.splat(S6), S5), S4);
  p = next(z, next(z, next(z, p, S3), S2), S1);
  return mulAddDoubles(f64x2.mul(p, z), r, r);
}

/** Cosine of a reduced angle. */
// @ts-ignore: a decorator of this compiler
@inline
function cosineOf(z: v128): v128 {
  let p = f64x2.splat(C4);
  if (LANES == 2) p = next(z, next(z, f64x2.splat(C6), C5), C4);
  p = next(z, next(z, next(z, p, C3), C2), C1);
  const rest = mulAddDoubles(f64x2.mul(z, z), p, f64x2.splat(1));
  return subMulDoubles(f64x2.splat(0.5), z, rest);
}

/** Writes two cosines, followed by two sines. */
// @ts-ignore: a decorator of this compiler
@inline
function storeTurns(x: v128, to: usize): void {
  const shifted = mulAddDoubles(x, f64x2.splat(TWO_OVER_PI), f64x2.splat(ROUNDER));
  const quotient = f64x2.sub(shifted, f64x2.splat(ROUNDER));
  let r = subMulDoubles(quotient, f64x2.splat(HALF_PI_1), x);
  r = subMulDoubles(quotient, f64x2.splat(HALF_PI_2), r);
  const z = f64x2.mul(r, r);
  const sine = sineOf(r, z);
  const cosine = cosineOf(z);
  // The quotient's lowest two bits are the quadrant.
  const isOdd = i64x2.shr_s(i64x2.shl(shifted, 63), 63);
  const two = i64x2.splat(2);
  const sineSign = i64x2.shl(v128.and(shifted, two), 62);
  const cosineSign = i64x2.shl(v128.and(i64x2.add(shifted, i64x2.splat(1)), two), 62);
  v128.store(to, v128.xor(v128.bitselect(sine, cosine, isOdd), cosineSign));
  v128.store(to, v128.xor(v128.bitselect(cosine, sine, isOdd), sineSign), 16);
}

/** Reads the angles of two circuits. */
// @ts-ignore: a decorator of this compiler
@inline
function twoAngles(at: usize, stride: usize): v128 {
  return f64x2.replace_lane(f64x2.splat(load<f64>(at)), 1, load<f64>(at + stride));
}

/** Scratch, in bytes, for the cosines and sines of two circuits. */
// @ts-ignore: a decorator of this compiler
@inline
function storeDoubles(at: usize, stride: usize, factor: f64, to: usize): void {
  const f = f64x2.splat(factor);
  storeTurns(f64x2.mul(f, twoAngles(at, stride)), to);
  if (LANES == 4) storeTurns(f64x2.mul(f, twoAngles(at + 2 * stride, stride)), to + 32);
}

// @ts-ignore: a decorator of this compiler
@inline
function lanesAt(at: usize): v128 {
  if (LANES == 2) return v128.load(at);
  const low = f32x4.demote_f64x2_zero(v128.load(at));
  const high = f32x4.demote_f64x2_zero(v128.load(at, 32));
  return v128.shuffle<f32>(low, high, 0, 1, 4, 5);
}

/**
 * The vectors c, −s, s, c, s, −s, c. They contain the matrix of a rotation and its complex number,
 * and 48 bytes later those of the opposite angle.
 */
// @ts-ignore: a decorator of this compiler
@inline
function storeCoefficients(c: v128, s: v128, to: usize): void {
  const negated = v128.neg<real>(s);
  v128.store(to, c);
  v128.store(to, negated, 16);
  v128.store(to, s, 32);
  v128.store(to, c, 48);
  v128.store(to, s, 64);
  v128.store(to, negated, 80);
  v128.store(to, c, 96);
}

/** Bytes that the functions below write, and 64 bytes of scratch. */
// @ts-ignore: a decorator of this compiler
@inline
export const COEFFICIENT_BYTES: usize = 192;

/**
 * Writes the coefficients of the angle at `at` times `factor`.
 *
 * @param stride - Bytes between circuits.
 */
export function setAngle(at: usize, stride: usize, factor: f64, to: usize): void {
  const doubles = to + 128;
  storeDoubles(at, stride, factor, doubles);
  storeCoefficients(lanesAt(doubles), lanesAt(doubles + 16), to);
}

/** Multiplies the complex numbers at `to` by e^{i·angle}. */
export function addAngle(at: usize, stride: usize, factor: f64, to: usize): void {
  const doubles = to + 128;
  storeDoubles(at, stride, factor, doubles);
  const c = lanesAt(doubles);
  const s = lanesAt(doubles + 16);
  const re = v128.load(to);
  const im = v128.load(to, 32);
  const cosine = v128.sub<real>(v128.mul<real>(c, re), v128.mul<real>(s, im));
  const sine = v128.add<real>(v128.mul<real>(c, im), v128.mul<real>(s, re));
  storeCoefficients(cosine, sine, to);
}
