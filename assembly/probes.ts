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
