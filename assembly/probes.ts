/**
 * Inner products of two states that lie in one tile: ψ in its lower half, and λ at the distance `d` in the upper one.
 * Sums are numbers of the tile; the host adds up those of all tiles, in order.
 */
import { addLanes } from './doubles';
import { addProduct, half, IMAG, LANES, mulAdd, subMul } from './vectors';

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
  if (indices) cross(pc, pr, d, free, v128.load(indices), true, laneMask, laneValue, scale, out);
  else cross(pc, pr, d, free, v128.splat<real>(0), false, laneMask, laneValue, scale, out);
}

/** Half of a group, its lanes moved if they are to be. */
// @ts-ignore: a decorator of this compiler
@inline
function lanesAt(p: usize, imag: bool, indices: v128, moves: bool): v128 {
  return moves ? v128.swizzle(half(p, imag), indices) : half(p, imag);
}

// @ts-ignore: a decorator of this compiler
@inline
function cross(
  pc: usize,
  pr: usize,
  d: usize,
  free: usize,
  indices: v128,
  moves: bool,
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
    const rRe = lanesAt(r, false, indices, moves);
    const rIm = lanesAt(r, true, indices, moves);
    const lcRe = v128.load(c + d);
    const lcIm = v128.load(c + d, IMAG);
    const lrRe = lanesAt(r + d, false, indices, moves);
    const lrIm = lanesAt(r + d, true, indices, moves);
    re = mulAdd(lrIm, cIm, mulAdd(lrRe, cRe, re));
    im = subMul(lrIm, cRe, mulAdd(lrRe, cIm, im));
    reOther = mulAdd(lcIm, rIm, mulAdd(lcRe, rRe, reOther));
    imOther = subMul(lcRe, rIm, mulAdd(lcIm, rRe, imOther));
    i = (i - free) & free;
  } while (i != 0);
  addSum(v128.sub<real>(re, reOther), laneMask, laneValue, scale, out);
  addSum(v128.sub<real>(im, imOther), laneMask, laneValue, scale, out + 8);
}

/** Adds up those lanes whose numbers are `value` under `mask`. */
function addSum(sum: v128, mask: i32, value: i32, scale: f64, out: usize): void {
  store<f64>(out, load<f64>(out) + scale * addLanes(sum, mask, value, 0));
}

/** A half of λ, with the sign that its product has in imaginary parts. */
// @ts-ignore: a decorator of this compiler
@inline
function ofCostate(p: usize, i: usize, isImaginary: bool): v128 {
  if (!isImaginary) return v128.load(p);
  const isImag = i & IMAG;
  const sign = LANES == 4 ? i32x4.splat(<i32>isImag << 27) : i64x2.splat(<i64>isImag << 59);
  return v128.xor(v128.load(p), sign);
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
  // One half of each group in a step.
  const units = free | IMAG;
  let i: usize = 0;
  do {
    // From a half of λ to the one of ψ that it meets.
    const other: usize = isImaginary ? IMAG - ((i & IMAG) << 1) : 0;
    const p0 = first + i;
    const p1 = p0 + d1;
    const p2 = p0 + d2;
    const p3 = p1 + d2;
    const p4 = p0 + d3;
    const p5 = p1 + d3;
    const p6 = p2 + d3;
    const p7 = p3 + d3;
    const s0 = v128.load(p0 + other);
    const s1 = v128.load(p1 + other);
    const s2 = v128.load(p2 + other);
    const s3 = v128.load(p3 + other);
    const s4 = v128.load(p4 + other);
    const s5 = v128.load(p5 + other);
    const s6 = v128.load(p6 + other);
    const s7 = v128.load(p7 + other);
    let l = ofCostate(p0 + d, i, isImaginary);
    a1 = addProduct(l, s1, a1, false);
    a2 = addProduct(l, s2, a2, false);
    a3 = addProduct(l, s4, a3, false);
    l = ofCostate(p1 + d, i, isImaginary);
    b1 = addProduct(l, s0, b1, !isImaginary);
    a2 = addProduct(l, s3, a2, false);
    a3 = addProduct(l, s5, a3, false);
    l = ofCostate(p2 + d, i, isImaginary);
    a1 = addProduct(l, s3, a1, false);
    b2 = addProduct(l, s0, b2, !isImaginary);
    a3 = addProduct(l, s6, a3, false);
    l = ofCostate(p3 + d, i, isImaginary);
    b1 = addProduct(l, s2, b1, !isImaginary);
    b2 = addProduct(l, s1, b2, !isImaginary);
    a3 = addProduct(l, s7, a3, false);
    l = ofCostate(p4 + d, i, isImaginary);
    a1 = addProduct(l, s5, a1, false);
    a2 = addProduct(l, s6, a2, false);
    b3 = addProduct(l, s0, b3, !isImaginary);
    l = ofCostate(p5 + d, i, isImaginary);
    b1 = addProduct(l, s4, b1, !isImaginary);
    a2 = addProduct(l, s7, a2, false);
    b3 = addProduct(l, s1, b3, !isImaginary);
    l = ofCostate(p6 + d, i, isImaginary);
    a1 = addProduct(l, s7, a1, false);
    b2 = addProduct(l, s4, b2, !isImaginary);
    b3 = addProduct(l, s2, b3, !isImaginary);
    l = ofCostate(p7 + d, i, isImaginary);
    b1 = addProduct(l, s6, b1, !isImaginary);
    b2 = addProduct(l, s5, b2, !isImaginary);
    b3 = addProduct(l, s3, b3, !isImaginary);
    i = (i - units) & units;
  } while (i != 0);
  addSum(v128.add<real>(a1, b1), lanes, lanes, scale, out1);
  addSum(v128.add<real>(a2, b2), lanes, lanes, scale, out2);
  addSum(v128.add<real>(a3, b3), lanes, lanes, scale, out3);
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
  // One half of each group in a step.
  const units = free | IMAG;
  let i: usize = 0;
  do {
    // From a half of λ to the one of ψ that it meets.
    const other: usize = isImaginary ? IMAG - ((i & IMAG) << 1) : 0;
    const p0 = first + i;
    const p1 = p0 + d1;
    const p2 = p0 + d2;
    const p3 = p1 + d2;
    const s0 = v128.load(p0 + other);
    const s1 = v128.load(p1 + other);
    const s2 = v128.load(p2 + other);
    const s3 = v128.load(p3 + other);
    let l = ofCostate(p0 + d, i, isImaginary);
    a1 = addProduct(l, s1, a1, false);
    a2 = addProduct(l, s2, a2, false);
    l = ofCostate(p1 + d, i, isImaginary);
    b1 = addProduct(l, s0, b1, !isImaginary);
    a2 = addProduct(l, s3, a2, false);
    l = ofCostate(p2 + d, i, isImaginary);
    a1 = addProduct(l, s3, a1, false);
    b2 = addProduct(l, s0, b2, !isImaginary);
    l = ofCostate(p3 + d, i, isImaginary);
    b1 = addProduct(l, s2, b1, !isImaginary);
    b2 = addProduct(l, s1, b2, !isImaginary);
    i = (i - units) & units;
  } while (i != 0);
  addSum(v128.add<real>(a1, b1), lanes, lanes, scale, out1);
  addSum(v128.add<real>(a2, b2), lanes, lanes, scale, out2);
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
