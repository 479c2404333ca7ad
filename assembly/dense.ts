/**
 * A general complex 2^k × 2^k block on a tile, k from 1 to 6.
 *
 * The 2^k groups that a matrix mixes are copied aside, then four rows at a time are accumulated:
 * eight accumulators hide the latency of the multiply-adds and leave registers for the operands.
 */
import { IMAG, mulAdd, subMul } from './vectors';

/** One row: the two accumulators of a sum of complex products. */
// @ts-ignore: a decorator of this compiler
@inline
function entryRe(at: usize): v128 {
  return sizeof<real>() == 4 ? v128.load32_splat(at) : v128.load64_splat(at);
}

/**
 * @param offsets - 2^k byte offsets, u32: where the group of each matrix index lies.
 * @param matrix - Interleaved re, im, row-major; `real`s.
 * @param lanes - A vector that selects the lanes to change.
 * @param scratch - 32·2^k bytes.
 */
export function applyDense(
  first: usize,
  free: usize,
  numRows: i32,
  offsets: usize,
  matrix: usize,
  lanes: usize,
  scratch: usize,
): void {
  const selected = v128.load(lanes);
  const rowBytes = <usize>numRows * 2 * sizeof<real>();
  let i: usize = 0;
  do {
    const p = first + i;
    for (let column = 0; column < numRows; column++) {
      const from = p + load<u32>(offsets + ((<usize>column) << 2));
      const to = scratch + ((<usize>column) << 5);
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, IMAG), IMAG);
    }
    for (let row = 0; row < numRows; row += 2) {
      let m0 = matrix + <usize>row * rowBytes;
      let m1 = m0 + rowBytes;
      let re0 = v128.splat<real>(0);
      let im0 = v128.splat<real>(0);
      let re1 = v128.splat<real>(0);
      let im1 = v128.splat<real>(0);
      const end = scratch + ((<usize>numRows) << 5);
      for (let x = scratch; x < end; x += 32) {
        const xr = v128.load(x);
        const xi = v128.load(x, IMAG);
        const c0 = entryRe(m0);
        const s0 = entryRe(m0 + sizeof<real>());
        const c1 = entryRe(m1);
        const s1 = entryRe(m1 + sizeof<real>());
        re0 = subMul(s0, xi, mulAdd(c0, xr, re0));
        im0 = mulAdd(s0, xr, mulAdd(c0, xi, im0));
        re1 = subMul(s1, xi, mulAdd(c1, xr, re1));
        im1 = mulAdd(s1, xr, mulAdd(c1, xi, im1));
        m0 += 2 * sizeof<real>();
        m1 += 2 * sizeof<real>();
      }
      const q0 = p + load<u32>(offsets + ((<usize>row) << 2));
      const q1 = p + load<u32>(offsets + ((<usize>row) << 2), 4);
      v128.store(q0, v128.bitselect(re0, v128.load(q0), selected));
      v128.store(q0, v128.bitselect(im0, v128.load(q0, IMAG), selected), IMAG);
      v128.store(q1, v128.bitselect(re1, v128.load(q1), selected));
      v128.store(q1, v128.bitselect(im1, v128.load(q1, IMAG), selected), IMAG);
    }
    i = (i - free) & free;
  } while (i != 0);
}
