/**
 * Rotations of single qubits in a tile: up to three in one trip, or those of lane qubits and two others. Subcubes are given
 * as in tile-kernels.ts.
 *
 * A rotation mixes real parts with real ones; one by an imaginary tangent, [[1, it], [it, 1]], mixes the real part of one
 * amplitude with the imaginary part of the other. Both are one loop, compiled for each.
 */
import {
  addProduct,
  flipLane0,
  flipLane1,
  half,
  IMAG,
  LANES,
  mulAdd,
  setHalf,
  subMul,
} from './vectors';

/**
 * The lower amplitude of a pair after a rotation: own − t·partner. By an imaginary tangent, real parts go by −t times the
 * imaginary part of the partner, and imaginary ones by t times the real.
 *
 * @param imag - Half that `own` is; a constant of the caller, as is `isImaginary`.
 */
// @ts-ignore: a decorator of this compiler
@inline
function lower(t: v128, partner: v128, own: v128, imag: bool, isImaginary: bool): v128 {
  return addProduct(t, partner, own, !(isImaginary && imag));
}

/** The upper one: own + t·partner, and the same as the lower one by an imaginary tangent. */
// @ts-ignore: a decorator of this compiler
@inline
function upper(t: v128, partner: v128, own: v128, imag: bool, isImaginary: bool): v128 {
  return addProduct(t, partner, own, isImaginary && !imag);
}

/** Rotates halves that mix: half `h` of the lower amplitude and, by an imaginary tangent, the other of the upper one. */
// @ts-ignore: a decorator of this compiler
@inline
function rotateTwo(p0: usize, p1: usize, t: v128, h: bool, isImaginary: bool): void {
  const g = h != isImaginary;
  const a0 = half(p0, h);
  const a1 = half(p1, g);
  setHalf(p0, lower(t, a1, a0, h, isImaginary), h);
  setHalf(p1, upper(t, a0, a1, g, isImaginary), g);
}

// @ts-ignore: a decorator of this compiler
@inline
function rotateOnce(first: usize, free: usize, d: usize, t: v128, isImaginary: bool): void {
  let i: usize = 0;
  do {
    const p0 = first + i;
    const p1 = p0 + d;
    rotateTwo(p0, p1, t, false, isImaginary);
    rotateTwo(p0, p1, t, true, isImaginary);
    i = (i - free) & free;
  } while (i != 0);
}

/**
 * Rotates one qubit: a0 − t·a1, a1 + t·a0, which is RY without its cosine.
 *
 * @param d - Distance of a pair.
 * @param t - May differ between lanes.
 */
export function rotate1(first: usize, free: usize, d: usize, t: v128): void {
  rotateOnce(first, free, d, t, false);
}

/** Rotates one qubit by an imaginary tangent, [[1, it], [it, 1]]. */
export function turn1(first: usize, free: usize, d: usize, t: v128): void {
  rotateOnce(first, free, d, t, true);
}

// @ts-ignore: a decorator of this compiler
@inline
function rotateFour(
  p0: usize, p1: usize, p2: usize, p3: usize, t1: v128, t2: v128, h: bool, isImaginary: bool,
): void {
  const g = h != isImaginary;
  const a0 = half(p0, h);
  const a1 = half(p1, g);
  const a2 = half(p2, g);
  const a3 = half(p3, h);
  const b0 = lower(t1, a1, a0, h, isImaginary);
  const b1 = upper(t1, a0, a1, g, isImaginary);
  const b2 = lower(t1, a3, a2, g, isImaginary);
  const b3 = upper(t1, a2, a3, h, isImaginary);
  setHalf(p0, lower(t2, b2, b0, h, isImaginary), h);
  setHalf(p1, lower(t2, b3, b1, g, isImaginary), g);
  setHalf(p2, upper(t2, b0, b2, g, isImaginary), g);
  setHalf(p3, upper(t2, b1, b3, h, isImaginary), h);
}

// @ts-ignore: a decorator of this compiler
@inline
function rotateTwice(
  first: usize, free: usize, d1: usize, d2: usize, t1: v128, t2: v128, isImaginary: bool,
): void {
  let i: usize = 0;
  do {
    const p0 = first + i;
    const p1 = p0 + d1;
    const p2 = p0 + d2;
    const p3 = p1 + d2;
    rotateFour(p0, p1, p2, p3, t1, t2, false, isImaginary);
    rotateFour(p0, p1, p2, p3, t1, t2, true, isImaginary);
    i = (i - free) & free;
  } while (i != 0);
}

/** Applies two rotations in one trip through the tile. */
export function rotate2(first: usize, free: usize, d1: usize, d2: usize, t1: v128, t2: v128): void {
  rotateTwice(first, free, d1, d2, t1, t2, false);
}

export function turn2(first: usize, free: usize, d1: usize, d2: usize, t1: v128, t2: v128): void {
  rotateTwice(first, free, d1, d2, t1, t2, true);
}

/** Eight parts that only mix with each other: of each amplitude the half that the number of its steps selects. */
// @ts-ignore: a decorator of this compiler
@inline
function rotateEight(
  p0: usize, p1: usize, p2: usize, p3: usize, p4: usize, p5: usize, p6: usize, p7: usize,
  t1: v128, t2: v128, t3: v128, h: bool, isImaginary: bool,
): void {
  const g = h != isImaginary;
  let a0 = half(p0, h);
  let a1 = half(p1, g);
  let a2 = half(p2, g);
  let a3 = half(p3, h);
  let a4 = half(p4, g);
  let a5 = half(p5, h);
  let a6 = half(p6, h);
  let a7 = half(p7, g);
  const b0 = lower(t1, a1, a0, h, isImaginary);
  const b1 = upper(t1, a0, a1, g, isImaginary);
  const b2 = lower(t1, a3, a2, g, isImaginary);
  const b3 = upper(t1, a2, a3, h, isImaginary);
  const b4 = lower(t1, a5, a4, g, isImaginary);
  const b5 = upper(t1, a4, a5, h, isImaginary);
  const b6 = lower(t1, a7, a6, h, isImaginary);
  const b7 = upper(t1, a6, a7, g, isImaginary);
  a0 = lower(t2, b2, b0, h, isImaginary);
  a2 = upper(t2, b0, b2, g, isImaginary);
  a1 = lower(t2, b3, b1, g, isImaginary);
  a3 = upper(t2, b1, b3, h, isImaginary);
  a4 = lower(t2, b6, b4, g, isImaginary);
  a6 = upper(t2, b4, b6, h, isImaginary);
  a5 = lower(t2, b7, b5, h, isImaginary);
  a7 = upper(t2, b5, b7, g, isImaginary);
  setHalf(p0, lower(t3, a4, a0, h, isImaginary), h);
  setHalf(p1, lower(t3, a5, a1, g, isImaginary), g);
  setHalf(p2, lower(t3, a6, a2, g, isImaginary), g);
  setHalf(p3, lower(t3, a7, a3, h, isImaginary), h);
  setHalf(p4, upper(t3, a0, a4, g, isImaginary), g);
  setHalf(p5, upper(t3, a1, a5, h, isImaginary), h);
  setHalf(p6, upper(t3, a2, a6, h, isImaginary), h);
  setHalf(p7, upper(t3, a3, a7, g, isImaginary), g);
}

/** Parts are done eight at a time: eight registers, where sixteen would spill. */
// @ts-ignore: a decorator of this compiler
@inline
function rotateThrice(
  first: usize, free: usize, d1: usize, d2: usize, d3: usize, t1: v128, t2: v128, t3: v128, isImaginary: bool,
): void {
  let i: usize = 0;
  do {
    const p0 = first + i;
    const p1 = p0 + d1;
    const p2 = p0 + d2;
    const p3 = p1 + d2;
    const p4 = p0 + d3;
    const p5 = p1 + d3;
    const p6 = p2 + d3;
    const p7 = p3 + d3;
    rotateEight(p0, p1, p2, p3, p4, p5, p6, p7, t1, t2, t3, false, isImaginary);
    rotateEight(p0, p1, p2, p3, p4, p5, p6, p7, t1, t2, t3, true, isImaginary);
    i = (i - free) & free;
  } while (i != 0);
}

/** Applies three rotations in one trip. */
export function rotate3(
  first: usize, free: usize, d1: usize, d2: usize, d3: usize, t1: v128, t2: v128, t3: v128,
): void {
  rotateThrice(first, free, d1, d2, d3, t1, t2, t3, false);
}

export function turn3(
  first: usize, free: usize, d1: usize, d2: usize, d3: usize, t1: v128, t2: v128, t3: v128,
): void {
  rotateThrice(first, free, d1, d2, d3, t1, t2, t3, true);
}

/** Rotates the lane qubits of the mask `lanes`. The sign of a tangent tells lanes apart. */
// @ts-ignore: a decorator of this compiler
@inline
function rotatedLanes(v: v128, t0: v128, t1: v128, lanes: i32): v128 {
  if (lanes == 1) return mulAdd(t0, flipLane0(v), v);
  if (lanes == 2) return mulAdd(t1, flipLane1(v), v);
  const u = mulAdd(t0, flipLane0(v), v);
  return mulAdd(t1, flipLane1(u), u);
}

// @ts-ignore: a decorator of this compiler
@inline
function rotateHalves(
  p0: usize, d1: usize, d2: usize,
  t0: v128, t1: v128, t2: v128, t3: v128, lanes: i32, count: i32, imag: usize,
): void {
  const p1 = p0 + d1;
  let a0 = rotatedLanes(v128.load(p0 + imag), t0, t1, lanes);
  if (count == 0) {
    v128.store(p0 + imag, a0);
    return;
  }
  let a1 = rotatedLanes(v128.load(p1 + imag), t0, t1, lanes);
  const b0 = subMul(t2, a1, a0);
  const b1 = mulAdd(t2, a0, a1);
  if (count == 1) {
    v128.store(p0 + imag, b0);
    v128.store(p1 + imag, b1);
    return;
  }
  a0 = rotatedLanes(v128.load(p0 + d2 + imag), t0, t1, lanes);
  a1 = rotatedLanes(v128.load(p1 + d2 + imag), t0, t1, lanes);
  const b2 = subMul(t2, a1, a0);
  const b3 = mulAdd(t2, a0, a1);
  v128.store(p0 + imag, subMul(t3, b2, b0));
  v128.store(p1 + imag, subMul(t3, b3, b1));
  v128.store(p0 + d2 + imag, mulAdd(t3, b0, b2));
  v128.store(p1 + d2 + imag, mulAdd(t3, b1, b3));
}

// @ts-ignore: a decorator of this compiler
@inline
function rotateSome(
  first: usize, free: usize, d1: usize, d2: usize, at: usize, lanes: i32, count: i32,
): void {
  const t0 = v128.load(at);
  const t1 = v128.load(at, 16);
  const t2 = v128.load(at, 32);
  const t3 = v128.load(at, 48);
  let i: usize = 0;
  do {
    rotateHalves(first + i, d1, d2, t0, t1, t2, t3, lanes, count, 0);
    rotateHalves(first + i, d1, d2, t0, t1, t2, t3, lanes, count, IMAG);
    i = (i - free) & free;
  } while (i != 0);
}

// @ts-ignore: a decorator of this compiler
@inline
function rotateUpToTwo(
  first: usize, free: usize, d1: usize, d2: usize, at: usize, lanes: i32, count: i32,
): void {
  if (count == 0) rotateSome(first, free, 0, 0, at, lanes, 0);
  else if (count == 1) rotateSome(first, free, d1, 0, at, lanes, 1);
  else rotateSome(first, free, d1, d2, at, lanes, 2);
}

/**
 * Rotates lane qubits and up to two others in one trip.
 *
 * @param lanes - Mask of the lane qubits: 1, and in single precision 2 or 3, too.
 * @param count - Number of other qubits; d1 and d2 are their distances.
 * @param at - Address of four vectors: the tangents of lane qubits 0 and 1, then of the others.
 */
export function rotateLanes(
  first: usize, free: usize, lanes: i32, count: i32, d1: usize, d2: usize, at: usize,
): void {
  if (LANES == 2 || lanes == 1) rotateUpToTwo(first, free, d1, d2, at, 1, count);
  else if (lanes == 2) rotateUpToTwo(first, free, d1, d2, at, 2, count);
  else rotateUpToTwo(first, free, d1, d2, at, 3, count);
}
