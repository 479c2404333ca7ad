/**
 * Products of complex matrices for matrix product states. Matrices are row-major, a complex number is two doubles, and
 * a leading dimension is the distance of two rows in complex numbers.
 */

/** Bytes of a complex number. */
export const ENTRY: usize = 16;

/** Adds Q turned by i to P: what Σ re(a)·b and Σ im(a)·b make of Σ a·b. */
// @ts-ignore: a decorator of this compiler
@inline
function joined(p: v128, q: v128): v128 {
  const turned = v128.shuffle<f64>(q, q, 1, 0);
  return f64x2.add(p, f64x2.mul(turned, f64x2(-1, 1)));
}

// @ts-ignore: a decorator of this compiler
@inline
function addProduct(factor: v128, entry: v128, sum: v128): v128 {
  return f64x2.add(f64x2.mul(factor, entry), sum);
}

/**
 * C = A·B, with A of m rows and k columns, and B of n columns.
 *
 * Two columns of B are packed, so that the loop over all rows of A reads them from the first-level cache.
 *
 * @param packed - Scratch of 32·k bytes.
 */
export function multiplyMatrices(
  a: usize,
  lda: usize,
  b: usize,
  ldb: usize,
  c: usize,
  ldc: usize,
  m: usize,
  k: usize,
  n: usize,
  packed: usize,
): void {
  const rowOfA = lda * ENTRY;
  const rowOfB = ldb * ENTRY;
  const rowOfC = ldc * ENTRY;
  const end = packed + 2 * ENTRY * k;
  let column: usize = 0;
  for (; column + 2 <= n; column += 2) {
    let from = b + column * ENTRY;
    for (let at = packed; at < end; at += 2 * ENTRY) {
      v128.store(at, v128.load(from));
      v128.store(at, v128.load(from, 16), 16);
      from += rowOfB;
    }
    let row: usize = 0;
    for (; row + 2 <= m; row += 2) {
      twoRows(a + row * rowOfA, rowOfA, packed, end, c + row * rowOfC + column * ENTRY, rowOfC);
    }
    if (row < m) oneRow(a + row * rowOfA, packed, end, c + row * rowOfC + column * ENTRY);
  }
  if (column < n) lastColumn(a, rowOfA, b + column * ENTRY, rowOfB, c + column * ENTRY, rowOfC, m, k);
}

// @ts-ignore: a decorator of this compiler
@inline
function twoRows(a: usize, rowOfA: usize, packed: usize, end: usize, c: usize, rowOfC: usize): void {
  let p00 = f64x2.splat(0);
  let p01 = f64x2.splat(0);
  let p10 = f64x2.splat(0);
  let p11 = f64x2.splat(0);
  let q00 = f64x2.splat(0);
  let q01 = f64x2.splat(0);
  let q10 = f64x2.splat(0);
  let q11 = f64x2.splat(0);
  let first = a;
  let second = a + rowOfA;
  for (let at = packed; at < end; at += 2 * ENTRY) {
    const left = v128.load(at);
    const right = v128.load(at, 16);
    const re0 = v128.load64_splat(first);
    const im0 = v128.load64_splat(first, 8);
    p00 = addProduct(re0, left, p00);
    p01 = addProduct(re0, right, p01);
    q00 = addProduct(im0, left, q00);
    q01 = addProduct(im0, right, q01);
    const re1 = v128.load64_splat(second);
    const im1 = v128.load64_splat(second, 8);
    p10 = addProduct(re1, left, p10);
    p11 = addProduct(re1, right, p11);
    q10 = addProduct(im1, left, q10);
    q11 = addProduct(im1, right, q11);
    first += ENTRY;
    second += ENTRY;
  }
  v128.store(c, joined(p00, q00));
  v128.store(c, joined(p01, q01), 16);
  v128.store(c + rowOfC, joined(p10, q10));
  v128.store(c + rowOfC, joined(p11, q11), 16);
}

// @ts-ignore: a decorator of this compiler
@inline
function oneRow(a: usize, packed: usize, end: usize, c: usize): void {
  let p0 = f64x2.splat(0);
  let p1 = f64x2.splat(0);
  let q0 = f64x2.splat(0);
  let q1 = f64x2.splat(0);
  let entry = a;
  for (let at = packed; at < end; at += 2 * ENTRY) {
    const left = v128.load(at);
    const right = v128.load(at, 16);
    const re = v128.load64_splat(entry);
    const im = v128.load64_splat(entry, 8);
    p0 = addProduct(re, left, p0);
    p1 = addProduct(re, right, p1);
    q0 = addProduct(im, left, q0);
    q1 = addProduct(im, right, q1);
    entry += ENTRY;
  }
  v128.store(c, joined(p0, q0));
  v128.store(c, joined(p1, q1), 16);
}

function lastColumn(
  a: usize,
  rowOfA: usize,
  b: usize,
  rowOfB: usize,
  c: usize,
  rowOfC: usize,
  m: usize,
  k: usize,
): void {
  for (let row: usize = 0; row < m; row++) {
    let p = f64x2.splat(0);
    let q = f64x2.splat(0);
    let left = a + row * rowOfA;
    let right = b;
    for (let i: usize = 0; i < k; i++) {
      const entry = v128.load(right);
      p = addProduct(v128.load64_splat(left), entry, p);
      q = addProduct(v128.load64_splat(left, 8), entry, q);
      left += ENTRY;
      right += rowOfB;
    }
    v128.store(c + row * rowOfC, joined(p, q));
  }
}

/** Rows and columns of a block of a transposition: both sides of it stay in the first-level cache. */
const BLOCK: usize = 16;

/** Writes the transpose of a dense matrix, of `rows` rows; its adjoint if `sign` is −1. */
export function transpose(a: usize, rows: usize, columns: usize, out: usize, sign: f64): void {
  const signs = f64x2.replace_lane(f64x2.splat(1), 1, sign);
  const rowBytes = columns * ENTRY;
  for (let fromRow: usize = 0; fromRow < rows; fromRow += BLOCK) {
    const toRow = min(rows, fromRow + BLOCK);
    for (let fromColumn: usize = 0; fromColumn < columns; fromColumn += BLOCK) {
      const toColumn = min(columns, fromColumn + BLOCK);
      for (let column = fromColumn; column < toColumn; column++) {
        let from = a + fromRow * rowBytes + column * ENTRY;
        let to = out + (column * rows + fromRow) * ENTRY;
        for (let row = fromRow; row < toRow; row++) {
          v128.store(to, f64x2.mul(v128.load(from), signs));
          from += rowBytes;
          to += ENTRY;
        }
      }
    }
  }
}

/** Conjugates `count` complex numbers. */
export function conjugate(at: usize, count: usize): void {
  const end = at + count * ENTRY;
  for (; at < end; at += ENTRY) v128.store(at, f64x2.mul(v128.load(at), f64x2(1, -1)));
}

/** a·b of a complex number, given as (re, re) and (−im, im), and one in memory order. */
// @ts-ignore: a decorator of this compiler
@inline
function scaled(re: v128, im: v128, entry: v128, swapped: v128): v128 {
  return f64x2.add(f64x2.mul(re, entry), f64x2.mul(im, swapped));
}

// @ts-ignore: a decorator of this compiler
@inline
function realOf(matrix: usize, i: usize): v128 {
  return v128.load64_splat(matrix + i * ENTRY);
}

// @ts-ignore: a decorator of this compiler
@inline
function imaginaryOf(matrix: usize, i: usize): v128 {
  return f64x2.mul(v128.load64_splat(matrix + i * ENTRY, 8), f64x2(-1, 1));
}

// @ts-ignore: a decorator of this compiler
@inline
function swap(entry: v128): v128 {
  return v128.shuffle<f64>(entry, entry, 1, 0);
}

/** Applies a 2×2 matrix to the middle index of a tensor left × 2 × right, in place. */
export function applyToSite(at: usize, left: usize, right: usize, matrix: usize): void {
  const bytes = right * ENTRY;
  for (let l: usize = 0; l < left; l++) {
    for (const end = at + bytes; at < end; at += ENTRY) {
      const zero = v128.load(at);
      const one = v128.load(at + bytes);
      const zeroSwapped = swap(zero);
      const oneSwapped = swap(one);
      v128.store(
        at,
        f64x2.add(
          scaled(realOf(matrix, 0), imaginaryOf(matrix, 0), zero, zeroSwapped),
          scaled(realOf(matrix, 1), imaginaryOf(matrix, 1), one, oneSwapped),
        ),
      );
      v128.store(
        at + bytes,
        f64x2.add(
          scaled(realOf(matrix, 2), imaginaryOf(matrix, 2), zero, zeroSwapped),
          scaled(realOf(matrix, 3), imaginaryOf(matrix, 3), one, oneSwapped),
        ),
      );
    }
    at += bytes;
  }
}

/** Applies a 4×4 matrix to the middle indices of a tensor left × 2 × 2 × right, in place. */
export function applyToPair(at: usize, left: usize, right: usize, matrix: usize): void {
  const bytes = right * ENTRY;
  for (let l: usize = 0; l < left; l++) {
    for (const end = at + bytes; at < end; at += ENTRY) {
      const v0 = v128.load(at);
      const v1 = v128.load(at + bytes);
      const v2 = v128.load(at + 2 * bytes);
      const v3 = v128.load(at + 3 * bytes);
      const s0 = swap(v0);
      const s1 = swap(v1);
      const s2 = swap(v2);
      const s3 = swap(v3);
      let to = at;
      for (let row: usize = 0; row < 16; row += 4) {
        const low = f64x2.add(
          scaled(realOf(matrix, row), imaginaryOf(matrix, row), v0, s0),
          scaled(realOf(matrix, row + 1), imaginaryOf(matrix, row + 1), v1, s1),
        );
        const high = f64x2.add(
          scaled(realOf(matrix, row + 2), imaginaryOf(matrix, row + 2), v2, s2),
          scaled(realOf(matrix, row + 3), imaginaryOf(matrix, row + 3), v3, s3),
        );
        v128.store(to, f64x2.add(low, high));
        to += bytes;
      }
    }
    at += 3 * bytes;
  }
}

/** Squared norms of rows of complex numbers, one double each. */
export function rowMasses(at: usize, rows: usize, columns: usize, out: usize): void {
  for (let row: usize = 0; row < rows; row++) {
    let sum = f64x2.splat(0);
    for (const end = at + columns * ENTRY; at < end; at += ENTRY) {
      const entry = v128.load(at);
      sum = f64x2.add(f64x2.mul(entry, entry), sum);
    }
    store<f64>(out + row * 8, f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1));
  }
}

/**
 * Copies rows times real factors.
 *
 * @param rows - Numbers of the rows that are copied, 32 bits each.
 * @param factors - One double for each of them.
 */
export function pickRows(
  from: usize,
  columns: usize,
  rows: usize,
  factors: usize,
  count: usize,
  to: usize,
): void {
  const bytes = columns * ENTRY;
  for (let i: usize = 0; i < count; i++) {
    const factor = v128.load64_splat(factors + i * 8);
    let at = from + <usize>load<u32>(rows + i * 4) * bytes;
    for (const end = to + bytes; to < end; to += ENTRY) {
      v128.store(to, f64x2.mul(v128.load(at), factor));
      at += ENTRY;
    }
  }
}
