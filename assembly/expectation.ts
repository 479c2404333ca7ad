/**
 * Expectation values of Pauli strings: Σ (−1)^|i & signs| · part(conj(ψ[i ^ flips]) · ψ[i]).
 *
 * The products of a group are computed once. They are summed over the qubits in which its strings
 * agree, and folded (folds.ts) over those in which they differ. Of each pair i and i ^ flips, which
 * contribute the same, one is visited, if the highest flipped qubit is outside of a cell.
 *
 * An item is a span of neighbouring blocks times some groups. Its sums are written to a place of
 * their own, so that they are the same whichever thread did it.
 */
import { highDoubles, lowDoubles, mulAddDoubles, subMulDoubles } from './doubles';
import { fold } from './folds';
import {
  CELL_SHIFT,
  DIAGONAL,
  END_OF_FOLDS,
  END_OF_PLACES,
  FIRST_STRING,
  FLIPPED_LANES,
  FLIPS,
  flippedLanes,
  FOLDS,
  GROUP_BYTES,
  PAIR_BIT,
  PART,
  PLACE_BYTES,
  PLACES,
  PLAIN,
  REAL,
  SIGNED,
  signed,
  signOf,
  TABLE_CELL,
  VARYING,
} from './pauli-groups';
import { GROUP_SHIFT, IMAG, LANES, place } from './vectors';

// Fields, u32 each; the order in which expectation.ts of the engine writes them.
/** In 32-bit words. */
const STATE: usize = 32;
const BLOCK_BYTES: usize = 36;
/** In 32-bit words. */
const SPAN_SIZE: usize = 40;
const NUM_SPANS: usize = 44;
/** Groups of an item. */
const PER_ITEM: usize = 48;
const GROUPS: usize = 52;
const END_OF_GROUPS: usize = 56;
/** One double for each string, span after span. */
const OUT: usize = 60;
const NUM_STRINGS: usize = 64;

/** @param table - Scratch: eight bytes for each amplitude of a block. */
export function expectationItem(command: usize, item: u32, table: usize): void {
  const numSpans = load<u32>(command, NUM_SPANS);
  const span: usize = item % numSpans;
  const perItem: usize = load<u32>(command, PER_ITEM);
  const begin = <usize>load<u32>(command, GROUPS) + (item / numSpans) * perItem * GROUP_BYTES;
  const end = min(begin + perItem * GROUP_BYTES, <usize>load<u32>(command, END_OF_GROUPS));
  const sums = <usize>load<u32>(command, OUT) + ((span * <usize>load<u32>(command, NUM_STRINGS)) << 3);
  for (let group = begin; group < end; group += GROUP_BYTES) {
    const numStrings = (<usize>load<u32>(group, END_OF_PLACES) - <usize>load<u32>(group, PLACES)) / PLACE_BYTES;
    memory.fill(sums + (<usize>load<u32>(group, FIRST_STRING) << 3), 0, numStrings << 3);
  }
  const state = place(command + STATE);
  const blockBytes: usize = load<u32>(command, BLOCK_BYTES);
  const spanBytes = place(command + SPAN_SIZE);
  // Counted, because the end of the last span may be 2^32.
  let base = span * spanBytes;
  for (let block: usize = spanBytes / blockBytes; block != 0; block--) {
    for (let group = begin; group < end; group += GROUP_BYTES) {
      if (base & place(group + PAIR_BIT)) continue;
      sumCells(state, base, group, table);
      fold(load<u32>(group, FOLDS), load<u32>(group, END_OF_FOLDS), table);
      pick(base, group, table, sums);
    }
    base += blockBytes;
  }
}

/** Adds the sums of a block to those of the strings. */
// @ts-ignore: a decorator of this compiler
@inline
function pick(base: usize, group: usize, table: usize, sums: usize): void {
  const end: usize = load<u32>(group, END_OF_PLACES);
  let sum = sums + (<usize>load<u32>(group, FIRST_STRING) << 3);
  for (let string: usize = load<u32>(group, PLACES); string < end; string += PLACE_BYTES) {
    const value = load<f64>(table + <usize>load<u32>(string));
    store<f64>(sum, load<f64>(sum) + signed(value, base & place(string + 4)));
    sum += 8;
  }
}

/** Loops that decide nothing inside: one for each part and each flip of lanes. */
function sumCells(state: usize, base: usize, group: usize, table: usize): void {
  const part = load<u32>(group, PART);
  const lanes = load<i32>(group, FLIPPED_LANES);
  if (part == DIAGONAL) sumSquares(state, base, group, table);
  else if (part == REAL) {
    if (lanes == 0) sumProducts(state, base, group, table, false, 0);
    else if (lanes == 1) sumProducts(state, base, group, table, false, 1);
    else if (LANES == 4) {
      if (lanes == 2) sumProducts(state, base, group, table, false, 2);
      else sumProducts(state, base, group, table, false, 3);
    }
  } else if (lanes == 0) sumProducts(state, base, group, table, true, 0);
  else if (lanes == 1) sumProducts(state, base, group, table, true, 1);
  else if (LANES == 4) {
    if (lanes == 2) sumProducts(state, base, group, table, true, 2);
    else sumProducts(state, base, group, table, true, 3);
  }
}

/** Real or imaginary part of conj(a)·b. */
// @ts-ignore: a decorator of this compiler
@inline
function product(aRe: v128, aIm: v128, bRe: v128, bIm: v128, isImaginary: bool): v128 {
  return isImaginary
    ? subMulDoubles(aIm, bRe, f64x2.mul(aRe, bIm))
    : mulAddDoubles(aIm, bIm, f64x2.mul(aRe, bRe));
}

// @ts-ignore: a decorator of this compiler
@inline
function sumProducts(
  state: usize,
  base: usize,
  group: usize,
  table: usize,
  isImaginary: bool,
  lanes: i32,
): void {
  const flips = place(group + FLIPS);
  const varying = place(group + VARYING);
  const signs = place(group + SIGNED);
  const plain = place(group + PLAIN);
  const far = flips & ~((<usize>1 << CELL_SHIFT) - 1);
  // The partner of each register group of a cell.
  const near0 = flips & ((<usize>1 << CELL_SHIFT) - 1);
  const near1 = near0 ^ (<usize>1 << GROUP_SHIFT);
  const near2 = near0 ^ (<usize>2 << GROUP_SHIFT);
  const near3 = near0 ^ (<usize>3 << GROUP_SHIFT);
  let v: usize = 0;
  do {
    let total0 = f64x2.splat(0);
    let total1 = f64x2.splat(0);
    let total2 = f64x2.splat(0);
    let total3 = f64x2.splat(0);
    let s: usize = 0;
    do {
      const from = base + (v | s);
      let sum0 = f64x2.splat(0);
      let sum1 = f64x2.splat(0);
      let sum2 = f64x2.splat(0);
      let sum3 = f64x2.splat(0);
      let u: usize = 0;
      do {
        const p = state + (from | u);
        const q = state + ((from | u) ^ far);
        const aRe = flippedLanes(v128.load(q + near0), lanes);
        const aIm = flippedLanes(v128.load(q + near0, IMAG), lanes);
        const bRe = v128.load(p);
        const bIm = v128.load(p, IMAG);
        const cRe = flippedLanes(v128.load(q + near1), lanes);
        const cIm = flippedLanes(v128.load(q + near1, IMAG), lanes);
        const dRe = v128.load(p, 1 << GROUP_SHIFT);
        const dIm = v128.load(p, (1 << GROUP_SHIFT) + IMAG);
        if (LANES == 4) {
          sum0 = f64x2.add(sum0, product(lowDoubles(aRe), lowDoubles(aIm), lowDoubles(bRe), lowDoubles(bIm), isImaginary));
          sum1 = f64x2.add(sum1, product(highDoubles(aRe), highDoubles(aIm), highDoubles(bRe), highDoubles(bIm), isImaginary));
          sum2 = f64x2.add(sum2, product(lowDoubles(cRe), lowDoubles(cIm), lowDoubles(dRe), lowDoubles(dIm), isImaginary));
          sum3 = f64x2.add(sum3, product(highDoubles(cRe), highDoubles(cIm), highDoubles(dRe), highDoubles(dIm), isImaginary));
        } else {
          sum0 = f64x2.add(sum0, product(aRe, aIm, bRe, bIm, isImaginary));
          sum1 = f64x2.add(sum1, product(cRe, cIm, dRe, dIm, isImaginary));
          const eRe = flippedLanes(v128.load(q + near2), lanes);
          const eIm = flippedLanes(v128.load(q + near2, IMAG), lanes);
          const fRe = v128.load(p, 2 << GROUP_SHIFT);
          const fIm = v128.load(p, (2 << GROUP_SHIFT) + IMAG);
          sum2 = f64x2.add(sum2, product(eRe, eIm, fRe, fIm, isImaginary));
          const gRe = flippedLanes(v128.load(q + near3), lanes);
          const gIm = flippedLanes(v128.load(q + near3, IMAG), lanes);
          const hRe = v128.load(p, 3 << GROUP_SHIFT);
          const hIm = v128.load(p, (3 << GROUP_SHIFT) + IMAG);
          sum3 = f64x2.add(sum3, product(gRe, gIm, hRe, hIm, isImaginary));
        }
        u = (u - plain) & plain;
      } while (u != 0);
      const sign = signOf(s);
      total0 = f64x2.add(total0, v128.xor(sum0, sign));
      total1 = f64x2.add(total1, v128.xor(sum1, sign));
      total2 = f64x2.add(total2, v128.xor(sum2, sign));
      total3 = f64x2.add(total3, v128.xor(sum3, sign));
      s = (s - signs) & signs;
    } while (s != 0);
    v128.store(table, total0);
    v128.store(table, total1, 16);
    v128.store(table, total2, 32);
    v128.store(table, total3, 48);
    table += TABLE_CELL;
    v = (v - varying) & varying;
  } while (v != 0);
}

/** |a|² of two amplitudes. */
// @ts-ignore: a decorator of this compiler
@inline
function square(re: v128, im: v128): v128 {
  return mulAddDoubles(im, im, f64x2.mul(re, re));
}

/** As `sumProducts`, which takes 1.06 to 1.09 times as long in double precision if its loop serves for squares, too. */
function sumSquares(state: usize, base: usize, group: usize, table: usize): void {
  const varying = place(group + VARYING);
  const signs = place(group + SIGNED);
  const plain = place(group + PLAIN);
  let v: usize = 0;
  do {
    let total0 = f64x2.splat(0);
    let total1 = f64x2.splat(0);
    let total2 = f64x2.splat(0);
    let total3 = f64x2.splat(0);
    let s: usize = 0;
    do {
      const from = base + (v | s);
      let sum0 = f64x2.splat(0);
      let sum1 = f64x2.splat(0);
      let sum2 = f64x2.splat(0);
      let sum3 = f64x2.splat(0);
      let u: usize = 0;
      do {
        const p = state + (from | u);
        const aRe = v128.load(p);
        const aIm = v128.load(p, IMAG);
        const bRe = v128.load(p, 1 << GROUP_SHIFT);
        const bIm = v128.load(p, (1 << GROUP_SHIFT) + IMAG);
        if (LANES == 4) {
          sum0 = f64x2.add(sum0, square(lowDoubles(aRe), lowDoubles(aIm)));
          sum1 = f64x2.add(sum1, square(highDoubles(aRe), highDoubles(aIm)));
          sum2 = f64x2.add(sum2, square(lowDoubles(bRe), lowDoubles(bIm)));
          sum3 = f64x2.add(sum3, square(highDoubles(bRe), highDoubles(bIm)));
        } else {
          sum0 = f64x2.add(sum0, square(aRe, aIm));
          sum1 = f64x2.add(sum1, square(bRe, bIm));
          const cRe = v128.load(p, 2 << GROUP_SHIFT);
          const cIm = v128.load(p, (2 << GROUP_SHIFT) + IMAG);
          sum2 = f64x2.add(sum2, square(cRe, cIm));
          const dRe = v128.load(p, 3 << GROUP_SHIFT);
          const dIm = v128.load(p, (3 << GROUP_SHIFT) + IMAG);
          sum3 = f64x2.add(sum3, square(dRe, dIm));
        }
        u = (u - plain) & plain;
      } while (u != 0);
      const sign = signOf(s);
      total0 = f64x2.add(total0, v128.xor(sum0, sign));
      total1 = f64x2.add(total1, v128.xor(sum1, sign));
      total2 = f64x2.add(total2, v128.xor(sum2, sign));
      total3 = f64x2.add(total3, v128.xor(sum3, sign));
      s = (s - signs) & signs;
    } while (s != 0);
    v128.store(table, total0);
    v128.store(table, total1, 16);
    v128.store(table, total2, 32);
    v128.store(table, total3, 48);
    table += TABLE_CELL;
    v = (v - varying) & varying;
  } while (v != 0);
}
