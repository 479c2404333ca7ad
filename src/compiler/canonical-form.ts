/**
 * Splits a two-qubit unitary into one-qubit unitaries around one that keeps parity, as fast as compiling needs.
 *
 * The middle is exp(i(a·XX + b·YY + c·ZZ)) up to a phase, with any a, b, c; `circuit/synthesis` has the
 * decomposition with coordinates in the Weyl chamber, which says more and takes ten times as long. In the
 * magic basis one-qubit unitaries are real and the middle is diagonal: V = O₁·D·O₂ and VᵀV = O₂ᵀ·D²·O₂.
 *
 * All matrices here are row-major in lists of numbers that are reused, so that nothing is allocated but the result.
 *
 * @see Kraus, Cirac, Phys. Rev. A 63, 062309 (2001).
 */
import type { ComplexMatrix } from '../math/complex-matrix.ts';

/** U = (after[1] ⊗ after[0]) · middle · (before[1] ⊗ before[0]); bit 0 of an index is that of qubit 0. */
export interface CanonicalForm {
  readonly before: readonly [ComplexMatrix, ComplexMatrix];
  /** Four rows. Entries between indices of different parity are exactly 0. */
  readonly middle: ComplexMatrix;
  readonly after: readonly [ComplexMatrix, ComplexMatrix];
}

/** A part of an entry this close to 0, 1 or −1 is rounded to it; the steps below lose a few bits. */
const ROUNDING = 4e-15;
/** Off-diagonal entries below this are rounding errors. */
const NEGLIGIBLE = 1e-15;
/** Convergence is quadratic; more than six sweeps are rare. */
const MAX_SWEEPS = 30;

/** V, interleaved re, im. */
const v = new Float64Array(32);
/** Real and imaginary parts of VᵀV, and their common eigenvectors in columns. */
const squareRe = new Float64Array(16);
const squareIm = new Float64Array(16);
const vectors = new Float64Array(16);
const first = new Float64Array(16);
const second = new Float64Array(16);
const product = new Float64Array(32);
/** Cosines and sines of the angles of D. */
const cosines = new Float64Array(4);
const sines = new Float64Array(4);

/**
 * Splits a unitary.
 *
 * @param unitary - Four rows, unitary to rounding.
 */
export function canonicalForm(unitary: ComplexMatrix): CanonicalForm {
  intoMagicBasis(unitary);
  squareOf();
  diagonalise();
  if (determinant(vectors) < 0) for (let i = 0; i < 16; i += 4) vectors[i]! *= -1;
  for (let k = 0; k < 4; k++) setAngle(k);
  firstFactor();
  // O₁ must have determinant 1, too: negating one of its columns moves that angle by π.
  if (determinant(first) < 0) {
    for (let i = 0; i < 16; i += 4) first[i]! *= -1;
    cosines[0]! *= -1;
    sines[0]! *= -1;
  }
  for (let row = 0; row < 4; row++) {
    for (let col = 0; col < 4; col++) second[4 * row + col] = vectors[4 * col + row]!;
  }
  return { before: factorsOf(second), middle: middleOf(), after: factorsOf(first) };
}

// The magic basis: (|00⟩ + |11⟩)/√2, i(|01⟩ + |10⟩)/√2, (|01⟩ − |10⟩)/√2, i(|00⟩ − |11⟩)/√2.

/** Writes M†·U·M to `v`. */
function intoMagicBasis(u: ComplexMatrix): void {
  // Columns: U·M, in `product`.
  for (let row = 0; row < 8; row += 2) {
    const at = 4 * row;
    const [r0, i0, r1, i1] = [u[at]!, u[at + 1]!, u[at + 2]!, u[at + 3]!];
    const [r2, i2, r3, i3] = [u[at + 4]!, u[at + 5]!, u[at + 6]!, u[at + 7]!];
    product[at] = r0 + r3;
    product[at + 1] = i0 + i3;
    product[at + 2] = -i1 - i2;
    product[at + 3] = r1 + r2;
    product[at + 4] = r1 - r2;
    product[at + 5] = i1 - i2;
    product[at + 6] = i3 - i0;
    product[at + 7] = r0 - r3;
  }
  for (let col = 0; col < 8; col += 2) {
    const [r0, i0, r1, i1] = [
      product[col]! / 2,
      product[col + 1]! / 2,
      product[col + 8]! / 2,
      product[col + 9]! / 2,
    ];
    const [r2, i2, r3, i3] = [
      product[col + 16]! / 2,
      product[col + 17]! / 2,
      product[col + 24]! / 2,
      product[col + 25]! / 2,
    ];
    v[col] = r0 + r3;
    v[col + 1] = i0 + i3;
    v[col + 8] = i1 + i2;
    v[col + 9] = -r1 - r2;
    v[col + 16] = r1 - r2;
    v[col + 17] = i1 - i2;
    v[col + 24] = i0 - i3;
    v[col + 25] = r3 - r0;
  }
}

/** Writes VᵀV to `squareRe` and `squareIm`. */
function squareOf(): void {
  for (let p = 0; p < 4; p++) {
    for (let q = p; q < 4; q++) {
      let re = 0;
      let im = 0;
      for (let row = 0; row < 32; row += 8) {
        const pr = v[row + 2 * p]!;
        const pi = v[row + 2 * p + 1]!;
        const qr = v[row + 2 * q]!;
        const qi = v[row + 2 * q + 1]!;
        re += pr * qr - pi * qi;
        im += pr * qi + pi * qr;
      }
      squareRe[4 * p + q] = re;
      squareRe[4 * q + p] = re;
      squareIm[4 * p + q] = im;
      squareIm[4 * q + p] = im;
    }
  }
}

/**
 * Diagonalises both squares together, by Jacobi rotations that leave least off both diagonals.
 *
 * @see Cardoso, Souloumiac, SIAM J. Matrix Anal. Appl. 17, 161 (1996).
 */
function diagonalise(): void {
  for (let i = 0; i < 16; i++) vectors[i] = i % 5 === 0 ? 1 : 0;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let hasRotated = false;
    for (let p = 0; p < 3; p++) {
      for (let q = p + 1; q < 4; q++) if (rotatePlane(p, q)) hasRotated = true;
    }
    if (!hasRotated) return;
  }
}

function rotatePlane(p: number, q: number): boolean {
  const dr = squareRe[5 * p]! - squareRe[5 * q]!;
  const di = squareIm[5 * p]! - squareIm[5 * q]!;
  const tr = 2 * squareRe[4 * p + q]!;
  const ti = 2 * squareIm[4 * p + q]!;
  if (Math.abs(tr) < NEGLIGIBLE && Math.abs(ti) < NEGLIGIBLE) return false;
  // A quarter of the angle of (on, off), by half-angle formulas that lose no digits.
  const on = dr * dr + di * di - tr * tr - ti * ti;
  const off = 2 * (dr * tr + di * ti);
  const size = Math.sqrt(on * on + off * off);
  let halfCos = 1;
  let halfSin = 0;
  if (on >= 0) {
    if (size > 0) {
      halfCos = Math.sqrt((size + on) / (2 * size));
      halfSin = off / (2 * size * halfCos);
    }
  } else {
    halfSin = Math.sqrt((size - on) / (2 * size));
    if (off < 0) halfSin = -halfSin;
    halfCos = off / (2 * size * halfSin);
  }
  const c = Math.sqrt((1 + halfCos) / 2);
  const s = halfSin / (2 * c);
  mixColumns(vectors, p, q, c, s);
  mixColumns(squareRe, p, q, c, s);
  mixColumns(squareIm, p, q, c, s);
  mixRows(squareRe, p, q, c, s);
  mixRows(squareIm, p, q, c, s);
  return true;
}

function mixColumns(m: Float64Array, p: number, q: number, c: number, s: number): void {
  for (let row = 0; row < 16; row += 4) {
    const x = m[row + p]!;
    const y = m[row + q]!;
    m[row + p] = c * x + s * y;
    m[row + q] = c * y - s * x;
  }
}

function mixRows(m: Float64Array, p: number, q: number, c: number, s: number): void {
  for (let col = 0; col < 4; col++) {
    const x = m[4 * p + col]!;
    const y = m[4 * q + col]!;
    m[4 * p + col] = c * x + s * y;
    m[4 * q + col] = c * y - s * x;
  }
}

/** Sets the cosine and sine of half of the angle of an eigenvalue. */
function setAngle(k: number): void {
  const angle = Math.atan2(squareIm[5 * k]!, squareRe[5 * k]!) / 2;
  cosines[k] = Math.cos(angle);
  sines[k] = Math.sin(angle);
}

/** Writes O₁ = V·O₂ᵀ·D⁻¹, which is real. */
function firstFactor(): void {
  for (let row = 0; row < 4; row++) {
    for (let k = 0; k < 4; k++) {
      let re = 0;
      let im = 0;
      for (let col = 0; col < 4; col++) {
        re += v[8 * row + 2 * col]! * vectors[4 * col + k]!;
        im += v[8 * row + 2 * col + 1]! * vectors[4 * col + k]!;
      }
      first[4 * row + k] = re * cosines[k]! + im * sines[k]!;
    }
  }
}

/** Determinant by two-row minors. */
function determinant(m: Float64Array): number {
  return (
    minor(m, 0, 0, 1) * minor(m, 8, 2, 3) -
    minor(m, 0, 0, 2) * minor(m, 8, 1, 3) +
    minor(m, 0, 0, 3) * minor(m, 8, 1, 2) +
    minor(m, 0, 1, 2) * minor(m, 8, 0, 3) -
    minor(m, 0, 1, 3) * minor(m, 8, 0, 2) +
    minor(m, 0, 2, 3) * minor(m, 8, 0, 1)
  );
}

function minor(m: Float64Array, row: number, i: number, j: number): number {
  return m[row + i]! * m[row + 4 + j]! - m[row + j]! * m[row + 4 + i]!;
}

/** M·D·M†. */
function middleOf(): ComplexMatrix {
  const out = new Float64Array(32);
  const setBlock = (low: number, high: number, plus: number, minus: number) => {
    const sameRe = rounded((cosines[plus]! + cosines[minus]!) / 2);
    const sameIm = rounded((sines[plus]! + sines[minus]!) / 2);
    const otherRe = rounded((cosines[plus]! - cosines[minus]!) / 2);
    const otherIm = rounded((sines[plus]! - sines[minus]!) / 2);
    for (const at of [10 * low, 10 * high]) {
      out[at] = sameRe;
      out[at + 1] = sameIm;
    }
    for (const at of [8 * low + 2 * high, 8 * high + 2 * low]) {
      out[at] = otherRe;
      out[at + 1] = otherIm;
    }
  };
  setBlock(0, 3, 0, 3);
  setBlock(1, 2, 1, 2);
  return out;
}

/** Factors of M·O·M†, which is a tensor product of unitaries: those of bit 0 and of bit 1. */
function factorsOf(o: Float64Array): readonly [ComplexMatrix, ComplexMatrix] {
  // Rows of 2·M·O·M†. Each entry of M·O is a sum of two real numbers, one of them times i.
  const k = product;
  for (let col = 0; col < 4; col++) {
    const [o0, o1, o2, o3] = [o[col]!, o[4 + col]!, o[8 + col]!, o[12 + col]!];
    const at = 2 * col;
    k[at] = o0;
    k[at + 1] = o3;
    k[at + 8] = o2;
    k[at + 9] = o1;
    k[at + 16] = -o2;
    k[at + 17] = o1;
    k[at + 24] = o0;
    k[at + 25] = -o3;
  }
  for (let at = 0; at < 32; at += 8) {
    const [r0, i0, r1, i1] = [k[at]!, k[at + 1]!, k[at + 2]!, k[at + 3]!];
    const [r2, i2, r3, i3] = [k[at + 4]!, k[at + 5]!, k[at + 6]!, k[at + 7]!];
    k[at] = (r0 + i3) / 2;
    k[at + 1] = (i0 - r3) / 2;
    k[at + 2] = (i1 + r2) / 2;
    k[at + 3] = (i2 - r1) / 2;
    k[at + 4] = (i1 - r2) / 2;
    k[at + 5] = (-r1 - i2) / 2;
    k[at + 6] = (r0 - i3) / 2;
    k[at + 7] = (i0 + r3) / 2;
  }
  // A block is the low factor times an entry of the high one; the larger of two loses least precision.
  const from = squaredNorm(k, 0) >= squaredNorm(k, 4) ? 0 : 4;
  const norm = Math.sqrt(squaredNorm(k, from));
  const low = new Float64Array(8);
  for (let i = 0; i < 4; i++) {
    low[i] = k[from + i]! / norm;
    low[4 + i] = k[8 + from + i]! / norm;
  }
  const high = new Float64Array(8);
  for (let entry = 0; entry < 4; entry++) {
    const block = 16 * (entry >> 1) + 4 * (entry & 1);
    let re = 0;
    let im = 0;
    // tr(low† · block) / 2
    for (let i = 0; i < 8; i += 2) {
      const at = block + (i < 4 ? i : i + 4);
      re += low[i]! * k[at]! + low[i + 1]! * k[at + 1]!;
      im += low[i]! * k[at + 1]! - low[i + 1]! * k[at]!;
    }
    high[2 * entry] = rounded(re / 2);
    high[2 * entry + 1] = rounded(im / 2);
  }
  for (let i = 0; i < 8; i++) low[i] = rounded(low[i]!);
  return [low, high];
}

/** Squared norm of two complex numbers. */
function squaredNorm(m: Float64Array, at: number): number {
  return m[at]! ** 2 + m[at + 1]! ** 2 + m[at + 2]! ** 2 + m[at + 3]! ** 2;
}

function rounded(part: number): number {
  const nearest = Math.round(part);
  return Math.abs(part - nearest) < ROUNDING ? nearest : part;
}
