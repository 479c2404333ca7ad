/**
 * Rotations of pairs of qubits: of |00⟩ with |11⟩ by one tangent, and of |01⟩ with |10⟩ by another. Both keep the
 * parity of the pair, so that among groups of one parity a pair is rotated like a single qubit whose
 * groups lie h + l or h − l apart.
 *
 * A rotation by an imaginary tangent is a real one, too: of the real part of one amplitude with the
 * imaginary part of the other.
 */
import { rotate1, rotate2, rotate3 } from './tile-kernels';
import { flipLane0, flipLane1, IMAG, LANES, mulAdd, subMul } from './vectors';

/**
 * Rotates up to three pairs in one trip through the tile.
 *
 * @param isImaginary - [[1, it], [it, 1]] instead of [[1, −t], [t, 1]].
 * @param rotating - Bits 2j and 2j + 1 say whether pair j rotates where its bits are equal and where they differ.
 * @param at - Address of two vectors a pair: the tangents for equal and for different bits.
 * @param distances - Address of two words a pair: the distances of its lower and upper qubit's groups.
 */
export function rotatePairs(
  first: usize,
  free: usize,
  count: i32,
  isImaginary: bool,
  rotating: u32,
  at: usize,
  distances: usize,
): void {
  // Bit j of `parities` is that of pair j.
  for (let parities = 0; parities < 1 << count; parities++) {
    let start = first;
    let numRotating = 0;
    let d1: usize = 0;
    let d2: usize = 0;
    let d3: usize = 0;
    let t1 = v128.splat<real>(0);
    let t2 = t1;
    let t3 = t1;
    // The groups of a pair that stays as it is, one after the other.
    let idle1: usize = 0;
    let idle2: usize = 0;
    for (let j = 0; j < count; j++) {
      const odd = (parities >> j) & 1;
      const low: usize = load<u32>(distances + (<usize>j << 3));
      const high: usize = load<u32>(distances + (<usize>j << 3), 4);
      const d = odd ? high - low : high + low;
      if (odd) start += low;
      if (((rotating >> (2 * j + odd)) & 1) == 0) {
        idle2 = idle1;
        idle1 = d;
        continue;
      }
      const t = v128.load(at + (<usize>(2 * j + odd) << 4));
      if (numRotating == 0) {
        d1 = d;
        t1 = t;
      } else if (numRotating == 1) {
        d2 = d;
        t2 = t;
      } else {
        d3 = d;
        t3 = t;
      }
      numRotating++;
    }
    if (numRotating == 0) continue;
    const numParts = 1 << (count - numRotating);
    for (let part = 0; part < numParts; part++) {
      const from = start + (part & 1 ? idle1 : 0) + (part & 2 ? idle2 : 0);
      if (numRotating == 1) {
        if (isImaginary) turn1(from, free, d1, t1);
        else rotate1(from, free, d1, t1);
      } else if (numRotating == 2) {
        if (isImaginary) turn2(from, free, d1, d2, t1, t2);
        else rotate2(from, free, d1, d2, t1, t2);
      } else if (isImaginary) turn3(from, free, d1, d2, d3, t1, t2, t3);
      else rotate3(from, free, d1, d2, d3, t1, t2, t3);
    }
  }
}

// @ts-ignore: a decorator of this compiler
@inline
function half(p: usize, imag: usize): v128 {
  return imag ? v128.load(p, IMAG) : v128.load(p);
}

// @ts-ignore: a decorator of this compiler
@inline
function setHalf(p: usize, v: v128, imag: usize): void {
  if (imag) v128.store(p, v, IMAG);
  else v128.store(p, v);
}

/** Real parts go by −t times the imaginary part of the partner, imaginary ones by t times the real. */
// @ts-ignore: a decorator of this compiler
@inline
function turned(t: v128, partner: v128, own: v128, imag: usize): v128 {
  return imag ? mulAdd(t, partner, own) : subMul(t, partner, own);
}

// @ts-ignore: a decorator of this compiler
@inline
function turnTwo(p0: usize, p1: usize, t: v128, h: usize): void {
  const a0 = half(p0, h);
  const a1 = half(p1, 1 - h);
  setHalf(p0, turned(t, a1, a0, h), h);
  setHalf(p1, turned(t, a0, a1, 1 - h), 1 - h);
}

/** Rotates one qubit by an imaginary tangent; parameters as of `rotate1`. */
function turn1(first: usize, free: usize, d: usize, t: v128): void {
  let i: usize = 0;
  do {
    const p0 = first + i;
    const p1 = p0 + d;
    turnTwo(p0, p1, t, 0);
    turnTwo(p0, p1, t, 1);
    i = (i - free) & free;
  } while (i != 0);
}

// @ts-ignore: a decorator of this compiler
@inline
function turnFour(
  p0: usize, p1: usize, p2: usize, p3: usize, t1: v128, t2: v128, h: usize,
): void {
  const g = 1 - h;
  const a0 = half(p0, h);
  const a1 = half(p1, g);
  const a2 = half(p2, g);
  const a3 = half(p3, h);
  const b0 = turned(t1, a1, a0, h);
  const b1 = turned(t1, a0, a1, g);
  const b2 = turned(t1, a3, a2, g);
  const b3 = turned(t1, a2, a3, h);
  setHalf(p0, turned(t2, b2, b0, h), h);
  setHalf(p1, turned(t2, b3, b1, g), g);
  setHalf(p2, turned(t2, b0, b2, g), g);
  setHalf(p3, turned(t2, b1, b3, h), h);
}

function turn2(first: usize, free: usize, d1: usize, d2: usize, t1: v128, t2: v128): void {
  let i: usize = 0;
  do {
    const p0 = first + i;
    const p1 = p0 + d1;
    const p2 = p0 + d2;
    const p3 = p1 + d2;
    turnFour(p0, p1, p2, p3, t1, t2, 0);
    turnFour(p0, p1, p2, p3, t1, t2, 1);
    i = (i - free) & free;
  } while (i != 0);
}

/** Eight parts that only mix with each other: of each amplitude the half that the number of its steps selects. */
// @ts-ignore: a decorator of this compiler
@inline
function turnEight(
  p0: usize, p1: usize, p2: usize, p3: usize, p4: usize, p5: usize, p6: usize, p7: usize,
  t1: v128, t2: v128, t3: v128, h: usize,
): void {
  const g = 1 - h;
  let a0 = half(p0, h);
  let a1 = half(p1, g);
  let a2 = half(p2, g);
  let a3 = half(p3, h);
  let a4 = half(p4, g);
  let a5 = half(p5, h);
  let a6 = half(p6, h);
  let a7 = half(p7, g);
  let b0 = turned(t1, a1, a0, h);
  let b1 = turned(t1, a0, a1, g);
  let b2 = turned(t1, a3, a2, g);
  let b3 = turned(t1, a2, a3, h);
  let b4 = turned(t1, a5, a4, g);
  let b5 = turned(t1, a4, a5, h);
  let b6 = turned(t1, a7, a6, h);
  let b7 = turned(t1, a6, a7, g);
  a0 = turned(t2, b2, b0, h);
  a2 = turned(t2, b0, b2, g);
  a1 = turned(t2, b3, b1, g);
  a3 = turned(t2, b1, b3, h);
  a4 = turned(t2, b6, b4, g);
  a6 = turned(t2, b4, b6, h);
  a5 = turned(t2, b7, b5, h);
  a7 = turned(t2, b5, b7, g);
  b0 = turned(t3, a4, a0, h);
  b4 = turned(t3, a0, a4, g);
  b1 = turned(t3, a5, a1, g);
  b5 = turned(t3, a1, a5, h);
  b2 = turned(t3, a6, a2, g);
  b6 = turned(t3, a2, a6, h);
  b3 = turned(t3, a7, a3, h);
  b7 = turned(t3, a3, a7, g);
  setHalf(p0, b0, h);
  setHalf(p1, b1, g);
  setHalf(p2, b2, g);
  setHalf(p3, b3, h);
  setHalf(p4, b4, g);
  setHalf(p5, b5, h);
  setHalf(p6, b6, h);
  setHalf(p7, b7, g);
}

function turn3(
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
    turnEight(p0, p1, p2, p3, p4, p5, p6, p7, t1, t2, t3, 0);
    turnEight(p0, p1, p2, p3, p4, p5, p6, p7, t1, t2, t3, 1);
    i = (i - free) & free;
  } while (i != 0);
}

/**
 * Rotates a pair with one qubit in the lanes, or with both.
 *
 * @param lanes - Mask of the lane qubits of the pair.
 * @param d - Distance of the other qubit's groups; 0 if both are lane qubits.
 * @param at - Address of the factors of partners: for the real and the imaginary parts of the lower
 *   groups, then of the upper ones.
 */
export function rotateLanePair(
  first: usize,
  free: usize,
  lanes: i32,
  isImaginary: bool,
  d: usize,
  at: usize,
): void {
  if (LANES == 4 && lanes == 3) {
    if (isImaginary) rotateBothLanes(first, free, at, 1);
    else rotateBothLanes(first, free, at, 0);
  } else if (lanes == 1) {
    if (isImaginary) rotateLaneAndGroup(first, free, d, at, 0, 1);
    else rotateLaneAndGroup(first, free, d, at, 0, 0);
  } else if (isImaginary) rotateLaneAndGroup(first, free, d, at, 1, 1);
  else rotateLaneAndGroup(first, free, d, at, 1, 0);
}

// @ts-ignore: a decorator of this compiler
@inline
function rotateLaneAndGroup(
  first: usize, free: usize, d: usize, at: usize, lane: i32, swaps: usize,
): void {
  const re0 = v128.load(at);
  const im0 = v128.load(at, 16);
  const re1 = v128.load(at, 32);
  const im1 = v128.load(at, 48);
  let i: usize = 0;
  do {
    const p = first + i;
    const q = p + d;
    const pr = v128.load(p);
    const pi = v128.load(p, IMAG);
    const qr = v128.load(q);
    const qi = v128.load(q, IMAG);
    const pr2 = lane == 0 ? flipLane0(pr) : flipLane1(pr);
    const pi2 = lane == 0 ? flipLane0(pi) : flipLane1(pi);
    const qr2 = lane == 0 ? flipLane0(qr) : flipLane1(qr);
    const qi2 = lane == 0 ? flipLane0(qi) : flipLane1(qi);
    v128.store(p, mulAdd(re0, swaps ? qi2 : qr2, pr));
    v128.store(p, mulAdd(im0, swaps ? qr2 : qi2, pi), IMAG);
    v128.store(q, mulAdd(re1, swaps ? pi2 : pr2, qr));
    v128.store(q, mulAdd(im1, swaps ? pr2 : pi2, qi), IMAG);
    i = (i - free) & free;
  } while (i != 0);
}

// @ts-ignore: a decorator of this compiler
@inline
function rotateBothLanes(first: usize, free: usize, at: usize, swaps: usize): void {
  const toRe = v128.load(at);
  const toIm = v128.load(at, 16);
  let i: usize = 0;
  do {
    const p = first + i;
    const re = v128.load(p);
    const im = v128.load(p, IMAG);
    const re2 = v128.shuffle<f32>(re, re, 3, 2, 1, 0);
    const im2 = v128.shuffle<f32>(im, im, 3, 2, 1, 0);
    v128.store(p, mulAdd(toRe, swaps ? im2 : re2, re));
    v128.store(p, mulAdd(toIm, swaps ? re2 : im2, im), IMAG);
    i = (i - free) & free;
  } while (i != 0);
}
