/**
 * Inner products of two states that lie in one tile: ψ in its lower half, and λ at the distance `d` in the upper one.
 * Sums are numbers of the tile; the host adds up those of all tiles, in order.
 */
import { addLanes } from './doubles';
import { IMAG, mulAdd, subMul } from './vectors';

/**
 * Adds up K(r, c) = conj(λ_r)·ψ_c − λ_c·conj(ψ_r) over a subcube.
 *
 * @param pc - The first group of ψ in which the targets are c; pr likewise.
 * @param indices - Moves each lane of r to that of c with the same other bits; 0 if it is the same lane.
 * @param laneMask - Those lanes of c count whose numbers are `laneValue` under it.
 * @param out - Two doubles.
 */
export function addCross(
  pc: usize,
  pr: usize,
  d: usize,
  free: usize,
  indices: usize,
  laneMask: i32,
  laneValue: i32,
  scale: f64,
  out: usize,
): void {
  if (indices) crossLanes(pc, pr, d, free, v128.load(indices), laneMask, laneValue, scale, out);
  else crossGroups(pc, pr, d, free, laneMask, laneValue, scale, out);
}

function crossGroups(
  pc: usize,
  pr: usize,
  d: usize,
  free: usize,
  laneMask: i32,
  laneValue: i32,
  scale: f64,
  out: usize,
): void {
  let re = v128.splat<real>(0);
  let im = re;
  let reOther = re;
  let imOther = re;
  let i: usize = 0;
  do {
    const c = pc + i;
    const r = pr + i;
    const cRe = v128.load(c);
    const cIm = v128.load(c, IMAG);
    const rRe = v128.load(r);
    const rIm = v128.load(r, IMAG);
    const lcRe = v128.load(c + d);
    const lcIm = v128.load(c + d, IMAG);
    const lrRe = v128.load(r + d);
    const lrIm = v128.load(r + d, IMAG);
    re = mulAdd(lrIm, cIm, mulAdd(lrRe, cRe, re));
    im = subMul(lrIm, cRe, mulAdd(lrRe, cIm, im));
    reOther = mulAdd(lcIm, rIm, mulAdd(lcRe, rRe, reOther));
    imOther = subMul(lcRe, rIm, mulAdd(lcIm, rRe, imOther));
    i = (i - free) & free;
  } while (i != 0);
  addSums(v128.sub<real>(re, reOther), v128.sub<real>(im, imOther), laneMask, laneValue, scale, out);
}

function crossLanes(
  pc: usize,
  pr: usize,
  d: usize,
  free: usize,
  indices: v128,
  laneMask: i32,
  laneValue: i32,
  scale: f64,
  out: usize,
): void {
  let re = v128.splat<real>(0);
  let im = re;
  let reOther = re;
  let imOther = re;
  let i: usize = 0;
  do {
    const c = pc + i;
    const r = pr + i;
    const cRe = v128.load(c);
    const cIm = v128.load(c, IMAG);
    const rRe = v128.swizzle(v128.load(r), indices);
    const rIm = v128.swizzle(v128.load(r, IMAG), indices);
    const lcRe = v128.load(c + d);
    const lcIm = v128.load(c + d, IMAG);
    const lrRe = v128.swizzle(v128.load(r + d), indices);
    const lrIm = v128.swizzle(v128.load(r + d, IMAG), indices);
    re = mulAdd(lrIm, cIm, mulAdd(lrRe, cRe, re));
    im = subMul(lrIm, cRe, mulAdd(lrRe, cIm, im));
    reOther = mulAdd(lcIm, rIm, mulAdd(lcRe, rRe, reOther));
    imOther = subMul(lcRe, rIm, mulAdd(lcIm, rRe, imOther));
    i = (i - free) & free;
  } while (i != 0);
  addSums(v128.sub<real>(re, reOther), v128.sub<real>(im, imOther), laneMask, laneValue, scale, out);
}

function addSums(
  re: v128,
  im: v128,
  laneMask: i32,
  laneValue: i32,
  scale: f64,
  out: usize,
): void {
  store<f64>(out, load<f64>(out) + scale * addLanes(re, laneMask, laneValue, 0));
  store<f64>(out, load<f64>(out, 8) + scale * addLanes(im, laneMask, laneValue, 0), 8);
}

/** a + l·s, or a − l·s. */
// @ts-ignore: a decorator of this compiler
@inline
function added(a: v128, l: v128, s: v128, isMinus: bool): v128 {
  return isMinus ? subMul(l, s, a) : mulAdd(l, s, a);
}

/**
 * Adds up the real or the imaginary parts of K(0, 1) for three bits in one trip. λ's real parts meet ψ's real or
 * imaginary ones, and so on: halves of groups, eight of ψ in registers and one of λ at a time.
 *
 * @param d1 - Distance of the groups that differ in the first bit.
 * @param out1 - Address of the double that the first sum is added to.
 */
// @ts-ignore: a decorator of this compiler
@inline
function crossEight(
  first: usize,
  free: usize,
  d: usize,
  d1: usize,
  d2: usize,
  d3: usize,
  lanes: i32,
  scale: f64,
  out1: usize,
  out2: usize,
  out3: usize,
  isImaginary: bool,
): void {
  let a1 = v128.splat<real>(0);
  let b1 = a1;
  let a2 = a1;
  let b2 = a1;
  let a3 = a1;
  let b3 = a1;
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
    let s0 = isImaginary ? v128.load(p0, IMAG) : v128.load(p0);
    let s1 = isImaginary ? v128.load(p1, IMAG) : v128.load(p1);
    let s2 = isImaginary ? v128.load(p2, IMAG) : v128.load(p2);
    let s3 = isImaginary ? v128.load(p3, IMAG) : v128.load(p3);
    let s4 = isImaginary ? v128.load(p4, IMAG) : v128.load(p4);
    let s5 = isImaginary ? v128.load(p5, IMAG) : v128.load(p5);
    let s6 = isImaginary ? v128.load(p6, IMAG) : v128.load(p6);
    let s7 = isImaginary ? v128.load(p7, IMAG) : v128.load(p7);
    let l = v128.load(p0 + d);
    a1 = added(a1, l, s1, false);
    a2 = added(a2, l, s2, false);
    a3 = added(a3, l, s4, false);
    l = v128.load(p1 + d);
    b1 = added(b1, l, s0, !isImaginary);
    a2 = added(a2, l, s3, false);
    a3 = added(a3, l, s5, false);
    l = v128.load(p2 + d);
    a1 = added(a1, l, s3, false);
    b2 = added(b2, l, s0, !isImaginary);
    a3 = added(a3, l, s6, false);
    l = v128.load(p3 + d);
    b1 = added(b1, l, s2, !isImaginary);
    b2 = added(b2, l, s1, !isImaginary);
    a3 = added(a3, l, s7, false);
    l = v128.load(p4 + d);
    a1 = added(a1, l, s5, false);
    a2 = added(a2, l, s6, false);
    b3 = added(b3, l, s0, !isImaginary);
    l = v128.load(p5 + d);
    b1 = added(b1, l, s4, !isImaginary);
    a2 = added(a2, l, s7, false);
    b3 = added(b3, l, s1, !isImaginary);
    l = v128.load(p6 + d);
    a1 = added(a1, l, s7, false);
    b2 = added(b2, l, s4, !isImaginary);
    b3 = added(b3, l, s2, !isImaginary);
    l = v128.load(p7 + d);
    b1 = added(b1, l, s6, !isImaginary);
    b2 = added(b2, l, s5, !isImaginary);
    b3 = added(b3, l, s3, !isImaginary);
    s0 = isImaginary ? v128.load(p0) : v128.load(p0, IMAG);
    s1 = isImaginary ? v128.load(p1) : v128.load(p1, IMAG);
    s2 = isImaginary ? v128.load(p2) : v128.load(p2, IMAG);
    s3 = isImaginary ? v128.load(p3) : v128.load(p3, IMAG);
    s4 = isImaginary ? v128.load(p4) : v128.load(p4, IMAG);
    s5 = isImaginary ? v128.load(p5) : v128.load(p5, IMAG);
    s6 = isImaginary ? v128.load(p6) : v128.load(p6, IMAG);
    s7 = isImaginary ? v128.load(p7) : v128.load(p7, IMAG);
    l = v128.load(p0 + d, IMAG);
    a1 = added(a1, l, s1, isImaginary);
    a2 = added(a2, l, s2, isImaginary);
    a3 = added(a3, l, s4, isImaginary);
    l = v128.load(p1 + d, IMAG);
    b1 = added(b1, l, s0, true);
    a2 = added(a2, l, s3, isImaginary);
    a3 = added(a3, l, s5, isImaginary);
    l = v128.load(p2 + d, IMAG);
    a1 = added(a1, l, s3, isImaginary);
    b2 = added(b2, l, s0, true);
    a3 = added(a3, l, s6, isImaginary);
    l = v128.load(p3 + d, IMAG);
    b1 = added(b1, l, s2, true);
    b2 = added(b2, l, s1, true);
    a3 = added(a3, l, s7, isImaginary);
    l = v128.load(p4 + d, IMAG);
    a1 = added(a1, l, s5, isImaginary);
    a2 = added(a2, l, s6, isImaginary);
    b3 = added(b3, l, s0, true);
    l = v128.load(p5 + d, IMAG);
    b1 = added(b1, l, s4, true);
    a2 = added(a2, l, s7, isImaginary);
    b3 = added(b3, l, s1, true);
    l = v128.load(p6 + d, IMAG);
    a1 = added(a1, l, s7, isImaginary);
    b2 = added(b2, l, s4, true);
    b3 = added(b3, l, s2, true);
    l = v128.load(p7 + d, IMAG);
    b1 = added(b1, l, s6, true);
    b2 = added(b2, l, s5, true);
    b3 = added(b3, l, s3, true);
    i = (i - free) & free;
  } while (i != 0);
  store<f64>(out1, load<f64>(out1) + scale * addLanes(v128.add<real>(a1, b1), lanes, lanes, 0));
  store<f64>(out2, load<f64>(out2) + scale * addLanes(v128.add<real>(a2, b2), lanes, lanes, 0));
  store<f64>(out3, load<f64>(out3) + scale * addLanes(v128.add<real>(a3, b3), lanes, lanes, 0));
}

/** As `crossEight`, for two bits. */
// @ts-ignore: a decorator of this compiler
@inline
function crossFour(
  first: usize,
  free: usize,
  d: usize,
  d1: usize,
  d2: usize,
  lanes: i32,
  scale: f64,
  out1: usize,
  out2: usize,
  isImaginary: bool,
): void {
  let a1 = v128.splat<real>(0);
  let b1 = a1;
  let a2 = a1;
  let b2 = a1;
  let i: usize = 0;
  do {
    const p0 = first + i;
    const p1 = p0 + d1;
    const p2 = p0 + d2;
    const p3 = p1 + d2;
    let s0 = isImaginary ? v128.load(p0, IMAG) : v128.load(p0);
    let s1 = isImaginary ? v128.load(p1, IMAG) : v128.load(p1);
    let s2 = isImaginary ? v128.load(p2, IMAG) : v128.load(p2);
    let s3 = isImaginary ? v128.load(p3, IMAG) : v128.load(p3);
    let l = v128.load(p0 + d);
    a1 = added(a1, l, s1, false);
    a2 = added(a2, l, s2, false);
    l = v128.load(p1 + d);
    b1 = added(b1, l, s0, !isImaginary);
    a2 = added(a2, l, s3, false);
    l = v128.load(p2 + d);
    a1 = added(a1, l, s3, false);
    b2 = added(b2, l, s0, !isImaginary);
    l = v128.load(p3 + d);
    b1 = added(b1, l, s2, !isImaginary);
    b2 = added(b2, l, s1, !isImaginary);
    s0 = isImaginary ? v128.load(p0) : v128.load(p0, IMAG);
    s1 = isImaginary ? v128.load(p1) : v128.load(p1, IMAG);
    s2 = isImaginary ? v128.load(p2) : v128.load(p2, IMAG);
    s3 = isImaginary ? v128.load(p3) : v128.load(p3, IMAG);
    l = v128.load(p0 + d, IMAG);
    a1 = added(a1, l, s1, isImaginary);
    a2 = added(a2, l, s2, isImaginary);
    l = v128.load(p1 + d, IMAG);
    b1 = added(b1, l, s0, true);
    a2 = added(a2, l, s3, isImaginary);
    l = v128.load(p2 + d, IMAG);
    a1 = added(a1, l, s3, isImaginary);
    b2 = added(b2, l, s0, true);
    l = v128.load(p3 + d, IMAG);
    b1 = added(b1, l, s2, true);
    b2 = added(b2, l, s1, true);
    i = (i - free) & free;
  } while (i != 0);
  store<f64>(out1, load<f64>(out1) + scale * addLanes(v128.add<real>(a1, b1), lanes, lanes, 0));
  store<f64>(out2, load<f64>(out2) + scale * addLanes(v128.add<real>(a2, b2), lanes, lanes, 0));
}

/**
 * Adds up one part of K for two or three qubits, or pairs of qubits, in one trip.
 *
 * A pair has two sums: of |00⟩ with |11⟩ and of |01⟩ with |10⟩. Among groups of one parity it is like a single qubit
 * whose groups lie high + low or high − low apart, as in `rotatePairs`.
 *
 * @param lanes - Lanes count whose numbers have all these bits.
 * @param list - Four words for each: distances of the groups of its lower and upper qubit, the lower one 0 for a single
 *   qubit, and the offsets of its two sums.
 */
export function addCrosses(
  first: usize,
  free: usize,
  d: usize,
  isImaginary: bool,
  lanes: i32,
  count: i32,
  list: usize,
  scale: f64,
  sums: usize,
): void {
  const numParities = load<u32>(list) != 0 ? 1 << count : 1;
  for (let parities = 0; parities < numParities; parities++) {
    const odd1 = parities & 1;
    const odd2 = (parities >> 1) & 1;
    const odd3 = parities >> 2;
    let start = first + shiftOf(list, odd1) + shiftOf(list + 16, odd2);
    const d1 = distanceOf(list, odd1);
    const d2 = distanceOf(list + 16, odd2);
    const out1 = sums + outOf(list, odd1);
    const out2 = sums + outOf(list + 16, odd2);
    if (count == 2) {
      if (isImaginary) crossFourIm(start, free, d, d1, d2, lanes, scale, out1, out2);
      else crossFourRe(start, free, d, d1, d2, lanes, scale, out1, out2);
      continue;
    }
    start += shiftOf(list + 32, odd3);
    const d3 = distanceOf(list + 32, odd3);
    const out3 = sums + outOf(list + 32, odd3);
    if (isImaginary) crossEightIm(start, free, d, d1, d2, d3, lanes, scale, out1, out2, out3);
    else crossEightRe(start, free, d, d1, d2, d3, lanes, scale, out1, out2, out3);
  }
}

// @ts-ignore: a decorator of this compiler
@inline
function shiftOf(entry: usize, odd: i32): usize {
  return odd ? load<u32>(entry) : 0;
}

// @ts-ignore: a decorator of this compiler
@inline
function distanceOf(entry: usize, odd: i32): usize {
  const low: usize = load<u32>(entry);
  const high: usize = load<u32>(entry, 4);
  return odd ? high - low : high + low;
}

// @ts-ignore: a decorator of this compiler
@inline
function outOf(entry: usize, odd: i32): usize {
  return odd ? load<u32>(entry, 12) : load<u32>(entry, 8);
}

function crossFourRe(
  first: usize, free: usize, d: usize, d1: usize, d2: usize,
  lanes: i32, scale: f64, out1: usize, out2: usize,
): void {
  crossFour(first, free, d, d1, d2, lanes, scale, out1, out2, false);
}

function crossFourIm(
  first: usize, free: usize, d: usize, d1: usize, d2: usize,
  lanes: i32, scale: f64, out1: usize, out2: usize,
): void {
  crossFour(first, free, d, d1, d2, lanes, scale, out1, out2, true);
}

function crossEightRe(
  first: usize, free: usize, d: usize, d1: usize, d2: usize, d3: usize,
  lanes: i32, scale: f64, out1: usize, out2: usize, out3: usize,
): void {
  crossEight(first, free, d, d1, d2, d3, lanes, scale, out1, out2, out3, false);
}

function crossEightIm(
  first: usize, free: usize, d: usize, d1: usize, d2: usize, d3: usize,
  lanes: i32, scale: f64, out1: usize, out2: usize, out3: usize,
): void {
  crossEight(first, free, d, d1, d2, d3, lanes, scale, out1, out2, out3, true);
}

/** Writes Im(conj(λ)·ψ) for each amplitude of ψ, half as long as ψ. */
export function diagonalProducts(tile: usize, d: usize, to: usize): void {
  const end = tile + d;
  for (let p = tile; p < end; p += 32) {
    const re = v128.load(p);
    const im = v128.load(p, IMAG);
    v128.store(to, subMul(v128.load(p + d, IMAG), re, v128.mul<real>(v128.load(p + d), im)));
    to += 16;
  }
}

/** Adds the upper half of a list of 2·bytes to the lower one, or subtracts it. */
export function fold(from: usize, to: usize, bytes: usize, isDifference: bool): void {
  if (isDifference) {
    for (let i: usize = 0; i < bytes; i += 16) {
      v128.store(to + i, v128.sub<real>(v128.load(from + i), v128.load(from + bytes + i)));
    }
  } else {
    for (let i: usize = 0; i < bytes; i += 16) {
      v128.store(to + i, v128.add<real>(v128.load(from + i), v128.load(from + bytes + i)));
    }
  }
}

/**
 * Adds up a list.
 *
 * @param ones - Lanes count that have all these bits; those with an odd number of bits of `signs` count negative.
 */
export function addList(
  from: usize,
  bytes: usize,
  ones: i32,
  signs: i32,
  factor: f64,
  out: usize,
): void {
  let sum = v128.splat<real>(0);
  let other = sum;
  let i: usize = 0;
  for (; i + 32 <= bytes; i += 32) {
    sum = v128.add<real>(sum, v128.load(from + i));
    other = v128.add<real>(other, v128.load(from + i, 16));
  }
  if (i < bytes) sum = v128.add<real>(sum, v128.load(from + i));
  const total = addLanes(v128.add<real>(sum, other), ones, ones, signs);
  store<f64>(out, load<f64>(out) + factor * total);
}
