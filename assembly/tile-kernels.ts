/**
 * Kernels on a tile while it is in cache. Addresses are bytes. A subcube is given by the address of
 * its first group and a mask of the address bits that vary in it. The next member of a mask's
 * subsets after i is (i − mask) & mask: two instructions, whichever bits are fixed.
 */
import { IMAG, LANES, mulAdd, multiplyGroup, subMul } from './vectors';

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
