/**
 * Expectation values of Pauli strings, all of them on one block of the state after the other.
 *
 * A string sends |i⟩ to i^numY · (−1)^|i & signs| · |i ^ flips⟩. The contributions of i and of
 * i ^ flips are the same, so that only the i are visited where one of the flipped qubits is 0.
 */
import { highDoubles, lowDoubles, mulAddDoubles, subMulDoubles } from './doubles';
import { GROUP_SHIFT, IMAG, LANES } from './vectors';

// Fields, u32 each; the order in which expectation.ts of the engine writes them.
const STATE: usize = 32;
const BLOCK_BYTES: usize = 36;
const NUM_TERMS: usize = 40;
const TERMS: usize = 44;
/** One double for each term, block after block. */
const OUT: usize = 48;

// Words of a term.
const FLIPS: usize = 0;
const SIGNS: usize = 4;
const FLIPPED_LANES: usize = 8;
const SIGNED_LANES: usize = 12;
/** 1 if the imaginary part counts. */
const IS_IMAGINARY: usize = 16;
/** One bit of the flips, or 0 where only lanes are flipped. */
const PAIR_BIT: usize = 20;
const TERM_BYTES: usize = 32;

/** @param sums - 32 bytes of scratch. */
export function expectationItem(command: usize, item: i32, sums: usize): void {
  const state: usize = load<u32>(command, STATE);
  const bytes: usize = load<u32>(command, BLOCK_BYTES);
  const numTerms: usize = load<u32>(command, NUM_TERMS);
  const base = <usize>item * bytes;
  let term: usize = load<u32>(command, TERMS);
  let out: usize = load<u32>(command, OUT) + <usize>item * (numTerms << 3);
  const end = term + numTerms * TERM_BYTES;
  for (; term < end; term += TERM_BYTES) {
    store<f64>(out, evaluate(state, base, bytes, term, sums));
    out += 8;
  }
}

function evaluate(state: usize, base: usize, bytes: usize, term: usize, sums: usize): f64 {
  const flips: usize = load<u32>(term, FLIPS);
  const signs: usize = load<u32>(term, SIGNS);
  const flippedLanes: i32 = load<i32>(term, FLIPPED_LANES);
  const signedLanes: i32 = load<i32>(term, SIGNED_LANES);
  const pairBit: usize = load<u32>(term, PAIR_BIT);
  if (base & pairBit) return 0;
  const free = (bytes - (1 << GROUP_SHIFT)) & ~pairBit;
  if (flips == 0 && flippedLanes == 0) diagonalSums(state, base, free, signs, sums);
  else {
    const isImaginary = load<u32>(term, IS_IMAGINARY) != 0;
    flippedSums(state, base, free, flips, signs, flippedLanes, isImaginary, sums);
  }
  let sum: f64 = 0;
  for (let lane = 0; lane < LANES; lane++) {
    const value = load<f64>(sums + (<usize>lane << 3));
    sum += popcnt(lane & signedLanes) & 1 ? -value : value;
  }
  return sum;
}

/** Sign bits of two doubles, set if the parity of the group's signed qubits is odd. */
// @ts-ignore: a decorator of this compiler
@inline
function signOf(offset: usize, signs: usize): v128 {
  return i64x2.splat((<i64>popcnt(offset & signs)) << 63);
}

function diagonalSums(state: usize, base: usize, free: usize, signs: usize, sums: usize): void {
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  let i: usize = 0;
  do {
    const p = state + base + i;
    const sign = signOf(base + i, signs);
    const re = v128.load(p);
    const im = v128.load(p, IMAG);
    const reLow = lowDoubles(re);
    const imLow = lowDoubles(im);
    const mass = mulAddDoubles(imLow, imLow, f64x2.mul(reLow, reLow));
    low = f64x2.add(low, v128.xor(mass, sign));
    if (LANES == 4) {
      const reHigh = highDoubles(re);
      const imHigh = highDoubles(im);
      const massHigh = mulAddDoubles(imHigh, imHigh, f64x2.mul(reHigh, reHigh));
      high = f64x2.add(high, v128.xor(massHigh, sign));
    }
    i = (i - free) & free;
  } while (i != 0);
  v128.store(sums, low);
  if (LANES == 4) v128.store(sums, high, 16);
}

/** Real or imaginary part of conj(a)·b. */
// @ts-ignore: a decorator of this compiler
@inline
function product(aRe: v128, aIm: v128, bRe: v128, bIm: v128, isImaginary: bool): v128 {
  return isImaginary
    ? subMulDoubles(aIm, bRe, f64x2.mul(aRe, bIm))
    : mulAddDoubles(aIm, bIm, f64x2.mul(aRe, bRe));
}

/** Byte indices that move each lane to the one that differs from it in `flips`. */
// @ts-ignore: a decorator of this compiler
@inline
function flippedBytes(flips: i32): v128 {
  const identity = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return v128.xor(identity, i8x16.splat(<i8>(flips << <i32>alignof<real>())));
}

// @ts-ignore: a decorator of this compiler
@inline
function sumPairs(
  state: usize,
  base: usize,
  free: usize,
  flips: usize,
  signs: usize,
  flippedLanes: i32,
  isImaginary: bool,
  sums: usize,
): void {
  const indices = flippedBytes(flippedLanes);
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  let i: usize = 0;
  do {
    const offset = base + i;
    const p = state + offset;
    const q = state + (offset ^ flips);
    const sign = signOf(offset, signs);
    const aRe = v128.swizzle(v128.load(q), indices);
    const aIm = v128.swizzle(v128.load(q, IMAG), indices);
    const bRe = v128.load(p);
    const bIm = v128.load(p, IMAG);
    const part = product(
      lowDoubles(aRe), lowDoubles(aIm), lowDoubles(bRe), lowDoubles(bIm), isImaginary,
    );
    low = f64x2.add(low, v128.xor(part, sign));
    if (LANES == 4) {
      const partHigh = product(
        highDoubles(aRe), highDoubles(aIm), highDoubles(bRe), highDoubles(bIm), isImaginary,
      );
      high = f64x2.add(high, v128.xor(partHigh, sign));
    }
    i = (i - free) & free;
  } while (i != 0);
  v128.store(sums, low);
  if (LANES == 4) v128.store(sums, high, 16);
}

/** Separate loops for real and imaginary parts, so that neither decides inside. */
function flippedSums(
  state: usize,
  base: usize,
  free: usize,
  flips: usize,
  signs: usize,
  flippedLanes: i32,
  isImaginary: bool,
  sums: usize,
): void {
  if (isImaginary) sumPairs(state, base, free, flips, signs, flippedLanes, true, sums);
  else sumPairs(state, base, free, flips, signs, flippedLanes, false, sums);
}
