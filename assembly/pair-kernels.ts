/**
 * Rotations of pairs of qubits: of |00⟩ with |11⟩ by one tangent, and of |01⟩ with |10⟩ by another. Both keep the
 * parity of the pair, so that among groups of one parity a pair is rotated like a single qubit whose
 * groups lie h + l or h − l apart.
 *
 * A rotation by an imaginary tangent is a real one, too: of the real part of one amplitude with the
 * imaginary part of the other.
 */
import { rotate1, rotate2, rotate3, turn1, turn2, turn3 } from './rotations';
import { flipLane0, flipLane1, IMAG, LANES, mulAdd } from './vectors';

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
