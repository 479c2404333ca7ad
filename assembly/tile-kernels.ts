/**
 * Kernels on a tile while it is in cache. Addresses are bytes. A subcube is given by the address of
 * its first group and a mask of the address bits that vary in it. The next member of a mask's
 * subsets after i is (i − mask) & mask: two instructions, whichever bits are fixed.
 */
import {
  flipLane0,
  flipLane1,
  IMAG,
  LANES,
  mulAdd,
  multiplyGroup,
  subMul,
} from './vectors';

/**
 * Rotates one qubit: a0 − t·a1, a1 + t·a0, which is RY without its cosine.
 *
 * @param d - Distance of a pair.
 * @param t - May differ between lanes.
 */
export function rotate1(first: usize, free: usize, d: usize, t: v128): void {
  let i: usize = 0;
  do {
    const p0 = first + i;
    const p1 = p0 + d;
    const r0 = v128.load(p0);
    const r1 = v128.load(p1);
    const i0 = v128.load(p0, IMAG);
    const i1 = v128.load(p1, IMAG);
    v128.store(p0, subMul(t, r1, r0));
    v128.store(p1, mulAdd(t, r0, r1));
    v128.store(p0, subMul(t, i1, i0), IMAG);
    v128.store(p1, mulAdd(t, i0, i1), IMAG);
    i = (i - free) & free;
  } while (i != 0);
}

// @ts-ignore: a decorator of this compiler
@inline
function rotateFour(p0: usize, p1: usize, p2: usize, p3: usize, t1: v128, t2: v128, imag: usize): void {
  let a0 = imag ? v128.load(p0, IMAG) : v128.load(p0);
  let a1 = imag ? v128.load(p1, IMAG) : v128.load(p1);
  let a2 = imag ? v128.load(p2, IMAG) : v128.load(p2);
  let a3 = imag ? v128.load(p3, IMAG) : v128.load(p3);
  const b0 = subMul(t1, a1, a0);
  const b1 = mulAdd(t1, a0, a1);
  const b2 = subMul(t1, a3, a2);
  const b3 = mulAdd(t1, a2, a3);
  a0 = subMul(t2, b2, b0);
  a2 = mulAdd(t2, b0, b2);
  a1 = subMul(t2, b3, b1);
  a3 = mulAdd(t2, b1, b3);
  if (imag) {
    v128.store(p0, a0, IMAG);
    v128.store(p1, a1, IMAG);
    v128.store(p2, a2, IMAG);
    v128.store(p3, a3, IMAG);
  } else {
    v128.store(p0, a0);
    v128.store(p1, a1);
    v128.store(p2, a2);
    v128.store(p3, a3);
  }
}

/** Applies two rotations in one trip through the tile. */
export function rotate2(first: usize, free: usize, d1: usize, d2: usize, t1: v128, t2: v128): void {
  let i: usize = 0;
  do {
    const p0 = first + i;
    const p1 = p0 + d1;
    const p2 = p0 + d2;
    const p3 = p1 + d2;
    rotateFour(p0, p1, p2, p3, t1, t2, 0);
    rotateFour(p0, p1, p2, p3, t1, t2, 1);
    i = (i - free) & free;
  } while (i != 0);
}

// @ts-ignore: a decorator of this compiler
@inline
function rotateEight(
  p0: usize, p1: usize, p2: usize, p3: usize, p4: usize, p5: usize, p6: usize, p7: usize,
  t1: v128, t2: v128, t3: v128, imag: usize,
): void {
  let a0 = imag ? v128.load(p0, IMAG) : v128.load(p0);
  let a1 = imag ? v128.load(p1, IMAG) : v128.load(p1);
  let a2 = imag ? v128.load(p2, IMAG) : v128.load(p2);
  let a3 = imag ? v128.load(p3, IMAG) : v128.load(p3);
  let a4 = imag ? v128.load(p4, IMAG) : v128.load(p4);
  let a5 = imag ? v128.load(p5, IMAG) : v128.load(p5);
  let a6 = imag ? v128.load(p6, IMAG) : v128.load(p6);
  let a7 = imag ? v128.load(p7, IMAG) : v128.load(p7);
  let b0 = subMul(t1, a1, a0);
  let b1 = mulAdd(t1, a0, a1);
  let b2 = subMul(t1, a3, a2);
  let b3 = mulAdd(t1, a2, a3);
  let b4 = subMul(t1, a5, a4);
  let b5 = mulAdd(t1, a4, a5);
  let b6 = subMul(t1, a7, a6);
  let b7 = mulAdd(t1, a6, a7);
  a0 = subMul(t2, b2, b0);
  a2 = mulAdd(t2, b0, b2);
  a1 = subMul(t2, b3, b1);
  a3 = mulAdd(t2, b1, b3);
  a4 = subMul(t2, b6, b4);
  a6 = mulAdd(t2, b4, b6);
  a5 = subMul(t2, b7, b5);
  a7 = mulAdd(t2, b5, b7);
  b0 = subMul(t3, a4, a0);
  b4 = mulAdd(t3, a0, a4);
  b1 = subMul(t3, a5, a1);
  b5 = mulAdd(t3, a1, a5);
  b2 = subMul(t3, a6, a2);
  b6 = mulAdd(t3, a2, a6);
  b3 = subMul(t3, a7, a3);
  b7 = mulAdd(t3, a3, a7);
  if (imag) {
    v128.store(p0, b0, IMAG);
    v128.store(p1, b1, IMAG);
    v128.store(p2, b2, IMAG);
    v128.store(p3, b3, IMAG);
    v128.store(p4, b4, IMAG);
    v128.store(p5, b5, IMAG);
    v128.store(p6, b6, IMAG);
    v128.store(p7, b7, IMAG);
  } else {
    v128.store(p0, b0);
    v128.store(p1, b1);
    v128.store(p2, b2);
    v128.store(p3, b3);
    v128.store(p4, b4);
    v128.store(p5, b5);
    v128.store(p6, b6);
    v128.store(p7, b7);
  }
}

/**
 * Applies three rotations in one trip. Real matrices never mix real and imaginary parts, so the two
 * halves of eight groups are done one after the other: eight registers each, where sixteen would
 * spill.
 */
export function rotate3(
  first: usize, free: usize, d1: usize, d2: usize, d3: usize, t1: v128, t2: v128, t3: v128,
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
    rotateEight(p0, p1, p2, p3, p4, p5, p6, p7, t1, t2, t3, 0);
    rotateEight(p0, p1, p2, p3, p4, p5, p6, p7, t1, t2, t3, 1);
    i = (i - free) & free;
  } while (i != 0);
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

/** Multiplies a subcube by the constants at `at`: one complex number a lane. */
export function multiply(first: usize, free: usize, at: usize): void {
  const c = v128.load(at);
  const s = v128.load(at, IMAG);
  let i: usize = 0;
  do {
    multiplyGroup(first + i, c, s);
    i = (i - free) & free;
  } while (i != 0);
}

/** Multiplies the tile by a table of 2^k groups, which repeats. */
export function multiplyByTable(tile: usize, bytes: usize, table: usize, tableBytes: usize): void {
  const mask = tableBytes - 1;
  for (let i: usize = 0; i < bytes; i += 32) {
    const entry = table + (i & mask);
    multiplyGroup(tile + i, v128.load(entry), v128.load(entry, IMAG));
  }
}

/** Multiplies group (h, l) by high[h]·low[l]; high[h] is one complex number, in two splats. */
export function multiplyByProduct(tile: usize, bytes: usize, low: usize, lowBytes: usize, high: usize): void {
  for (let block: usize = 0; block < bytes; block += lowBytes) {
    const hc = v128.load(high);
    const hs = v128.load(high, IMAG);
    for (let l: usize = 0; l < lowBytes; l += 32) {
      const lc = v128.load(low + l);
      const ls = v128.load(low + l, IMAG);
      const c = subMul(hs, ls, v128.mul<real>(hc, lc));
      const s = mulAdd(hs, lc, v128.mul<real>(hc, ls));
      multiplyGroup(tile + block + l, c, s);
    }
    high += 32;
  }
}

/** Exchanges two subcubes in the lanes that `at` selects. */
export function exchange(first: usize, second: usize, free: usize, at: usize): void {
  const lanes = v128.load(at);
  let i: usize = 0;
  do {
    const p = first + i;
    const q = second + i;
    const pr = v128.load(p);
    const pi = v128.load(p, IMAG);
    const qr = v128.load(q);
    const qi = v128.load(q, IMAG);
    v128.store(p, v128.bitselect(qr, pr, lanes));
    v128.store(p, v128.bitselect(qi, pi, lanes), IMAG);
    v128.store(q, v128.bitselect(pr, qr, lanes));
    v128.store(q, v128.bitselect(pi, qi, lanes), IMAG);
    i = (i - free) & free;
  } while (i != 0);
}

/** Moves the subcubes at offsets[0] → offsets[1] → … → offsets[0]; all lanes of them. */
export function rotateSubcubes(tile: usize, free: usize, numOffsets: i32, offsets: usize): void {
  const last = offsets + ((numOffsets - 1) << 2);
  let i: usize = 0;
  do {
    let to = tile + load<u32>(last) + i;
    const re = v128.load(to);
    const im = v128.load(to, IMAG);
    for (let at = last - 4; at >= offsets; at -= 4) {
      const from = tile + load<u32>(at) + i;
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, IMAG), IMAG);
      to = from;
    }
    v128.store(to, re);
    v128.store(to, im, IMAG);
    i = (i - free) & free;
  } while (i != 0);
}

/** Rearranges the lanes of each group of a subcube by the byte indices at `at`. */
export function permuteLanes(first: usize, free: usize, at: usize): void {
  const indices = v128.load(at);
  let i: usize = 0;
  do {
    const p = first + i;
    v128.store(p, v128.swizzle(v128.load(p), indices));
    v128.store(p, v128.swizzle(v128.load(p, IMAG), indices), IMAG);
    i = (i - free) & free;
  } while (i != 0);
}

/** Exchanges lane qubit `lane` with the qubit at distance d. */
export function exchangeLaneQubit(tile: usize, free: usize, d: usize, lane: i32): void {
  let i: usize = 0;
  do {
    const p = tile + i;
    const q = p + d;
    const pr = v128.load(p);
    const pi = v128.load(p, IMAG);
    const qr = v128.load(q);
    const qi = v128.load(q, IMAG);
    if (LANES == 2) {
      v128.store(p, v128.shuffle<f64>(pr, qr, 0, 2));
      v128.store(p, v128.shuffle<f64>(pi, qi, 0, 2), IMAG);
      v128.store(q, v128.shuffle<f64>(pr, qr, 1, 3));
      v128.store(q, v128.shuffle<f64>(pi, qi, 1, 3), IMAG);
    } else if (lane == 0) {
      v128.store(p, v128.shuffle<f32>(pr, qr, 0, 4, 2, 6));
      v128.store(p, v128.shuffle<f32>(pi, qi, 0, 4, 2, 6), IMAG);
      v128.store(q, v128.shuffle<f32>(pr, qr, 1, 5, 3, 7));
      v128.store(q, v128.shuffle<f32>(pi, qi, 1, 5, 3, 7), IMAG);
    } else {
      v128.store(p, v128.shuffle<f32>(pr, qr, 0, 1, 4, 5));
      v128.store(p, v128.shuffle<f32>(pi, qi, 0, 1, 4, 5), IMAG);
      v128.store(q, v128.shuffle<f32>(pr, qr, 2, 3, 6, 7));
      v128.store(q, v128.shuffle<f32>(pi, qi, 2, 3, 6, 7), IMAG);
    }
    i = (i - free) & free;
  } while (i != 0);
}
