/**
 * Real 2×2 and 4×4 matrices on a few groups of a tile: what channels do with the entries of a density matrix that they
 * connect. The other values of the qubits are not visited.
 */
import { IMAG, mulAdd } from './vectors';

/**
 * @param offsets - Address of two byte offsets, u32: where the group of each row lies.
 * @param at - Address of the matrix, row-major, a vector of equal numbers for each entry.
 */
export function mix2(tile: usize, free: usize, offsets: usize, at: usize): void {
  const first = tile + load<u32>(offsets);
  const second = tile + load<u32>(offsets, 4);
  const m00 = v128.load(at);
  const m01 = v128.load(at, 16);
  const m10 = v128.load(at, 32);
  const m11 = v128.load(at, 48);
  let i: usize = 0;
  do {
    const p = first + i;
    const q = second + i;
    const pr = v128.load(p);
    const pi = v128.load(p, IMAG);
    const qr = v128.load(q);
    const qi = v128.load(q, IMAG);
    v128.store(p, mulAdd(m01, qr, v128.mul<real>(m00, pr)));
    v128.store(p, mulAdd(m01, qi, v128.mul<real>(m00, pi)), IMAG);
    v128.store(q, mulAdd(m11, qr, v128.mul<real>(m10, pr)));
    v128.store(q, mulAdd(m11, qi, v128.mul<real>(m10, pi)), IMAG);
    i = (i - free) & free;
  } while (i != 0);
}

// @ts-ignore: a decorator of this compiler
@inline
function rowOf(at: usize, a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = mulAdd(v128.load(at, 16), b, v128.mul<real>(v128.load(at), a));
  const cd = mulAdd(v128.load(at, 48), d, v128.mul<real>(v128.load(at, 32), c));
  return v128.add<real>(ab, cd);
}

// @ts-ignore: a decorator of this compiler
@inline
function mixFour(p0: usize, p1: usize, p2: usize, p3: usize, at: usize): void {
  const a = v128.load(p0);
  const b = v128.load(p1);
  const c = v128.load(p2);
  const d = v128.load(p3);
  v128.store(p0, rowOf(at, a, b, c, d));
  v128.store(p1, rowOf(at + 64, a, b, c, d));
  v128.store(p2, rowOf(at + 128, a, b, c, d));
  v128.store(p3, rowOf(at + 192, a, b, c, d));
}

/** As `mix2`, on four groups. */
export function mix4(tile: usize, free: usize, offsets: usize, at: usize): void {
  const first = tile + load<u32>(offsets);
  const second = tile + load<u32>(offsets, 4);
  const third = tile + load<u32>(offsets, 8);
  const fourth = tile + load<u32>(offsets, 12);
  let i: usize = 0;
  do {
    mixFour(first + i, second + i, third + i, fourth + i, at);
    mixFour(first + i + IMAG, second + i + IMAG, third + i + IMAG, fourth + i + IMAG, at);
    i = (i - free) & free;
  } while (i != 0);
}
