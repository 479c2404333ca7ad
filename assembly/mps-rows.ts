/** Makes rows of complex matrices orthogonal, for matrix product states. */
import { ENTRY } from './mps-products';

/** conj(a)·b summed over two rows; the result of the last `setProduct`. */
export let productRe: f64 = 0;
export let productIm: f64 = 0;

// @ts-ignore: a decorator of this compiler
@inline
export function setProduct(a: usize, b: usize, bytes: usize): void {
  // Products of equal parts, and of unlike ones.
  let like = f64x2.splat(0);
  let unlike = f64x2.splat(0);
  for (const end = a + bytes; a < end; a += ENTRY) {
    const left = v128.load(a);
    const right = v128.load(b);
    like = f64x2.add(f64x2.mul(left, right), like);
    unlike = f64x2.add(f64x2.mul(left, v128.shuffle<f64>(right, right, 1, 0)), unlike);
    b += ENTRY;
  }
  productRe = f64x2.extract_lane(like, 0) + f64x2.extract_lane(like, 1);
  productIm = f64x2.extract_lane(unlike, 0) - f64x2.extract_lane(unlike, 1);
}

/** Subtracts a complex number times a row from another one; gives what the squared norm is then. */
// @ts-ignore: a decorator of this compiler
@inline
export function subtractRow(re: f64, im: f64, row: usize, from: usize, bytes: usize): f64 {
  const real = f64x2.splat(re);
  const imaginary = f64x2.mul(f64x2.splat(im), f64x2(-1, 1));
  let sum = f64x2.splat(0);
  for (const end = row + bytes; row < end; row += ENTRY) {
    const entry = v128.load(row);
    const product = f64x2.add(
      f64x2.mul(real, entry),
      f64x2.mul(imaginary, v128.shuffle<f64>(entry, entry, 1, 0)),
    );
    const left = f64x2.sub(v128.load(from), product);
    v128.store(from, left);
    sum = f64x2.add(f64x2.mul(left, left), sum);
    from += ENTRY;
  }
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

// @ts-ignore: a decorator of this compiler
@inline
function massOf(row: usize, bytes: usize): f64 {
  let sum = f64x2.splat(0);
  for (const end = row + bytes; row < end; row += ENTRY) {
    const entry = v128.load(row);
    sum = f64x2.add(f64x2.mul(entry, entry), sum);
  }
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** The row of the largest mass, that mass, and the sum of all that are positive; the result of the last `setLargest`. */
export let largestRow: usize = 0;
export let largestMass: f64 = 0;
export let massSum: f64 = 0;

// @ts-ignore: a decorator of this compiler
@inline
export function setLargest(masses: usize, rows: usize): void {
  largestRow = 0;
  largestMass = -1;
  massSum = 0;
  for (let row: usize = 0; row < rows; row++) {
    const mass = load<f64>(masses + row * 8);
    if (mass > largestMass) {
      largestMass = mass;
      largestRow = row;
    }
    if (mass > 0) massSum += mass;
  }
}

/** Scales a row to norm 1, and copies it unless `copy` is 0; gives its norm. */
// @ts-ignore: a decorator of this compiler
@inline
export function normalizeRow(row: usize, bytes: usize, copy: usize): f64 {
  const norm = Math.sqrt(massOf(row, bytes));
  const scale = f64x2.splat(norm > 0 ? 1 / norm : 0);
  for (let i: usize = 0; i < bytes; i += ENTRY) {
    const entry = f64x2.mul(v128.load(row + i), scale);
    v128.store(row + i, entry);
    if (copy != 0) v128.store(copy + i, entry);
  }
  return norm;
}

/**
 * Modified Gram-Schmidt orthogonalisation of rows, largest row first: B = Lᵀ·Q with orthonormal rows of Q.
 *
 * @param at - B, overwritten; rows that are done become rows of Q in place.
 * @param masses - Squared norms of the rows, which are kept up; −1 for rows that are done.
 * @param factors - L, one row of `rows` entries for each step; not written if 0.
 * @param basis - Q, one row for each step, orthonormal to rounding; not written if 0.
 * @param most - Steps after which it ends.
 * @param rest - Ends where the rows that are left have no more than this squared norm together.
 * @returns Steps done.
 */
export function orthogonalizeRows(
  at: usize,
  rows: usize,
  columns: usize,
  masses: usize,
  factors: usize,
  basis: usize,
  most: usize,
  rest: f64,
): usize {
  const bytes = columns * ENTRY;
  for (let step: usize = 0; step < most; step++) {
    setLargest(masses, rows);
    if (largestMass <= 0 || massSum <= rest) return step;
    const pivot = largestRow;
    const unit = at + pivot * bytes;
    if (basis != 0) {
      // Once more against the rows before, whose products are rounding, or all that a small row has left.
      for (let done: usize = 0; done < step; done++) {
        setProduct(basis + done * bytes, unit, bytes);
        subtractRow(productRe, productIm, basis + done * bytes, unit, bytes);
      }
    }
    const norm = normalizeRow(unit, bytes, basis == 0 ? 0 : basis + step * bytes);
    const own = factors + step * rows * ENTRY;
    for (let row: usize = 0; row < rows; row++) {
      const isDone = load<f64>(masses + row * 8) < 0;
      if (row == pivot) {
        store<f64>(masses + row * 8, -1);
        productRe = norm;
        productIm = 0;
      } else if (isDone) {
        productRe = 0;
        productIm = 0;
      } else {
        const other = at + row * bytes;
        setProduct(unit, other, bytes);
        store<f64>(masses + row * 8, subtractRow(productRe, productIm, unit, other, bytes));
      }
      if (factors != 0) {
        store<f64>(own + row * ENTRY, productRe);
        store<f64>(own + row * ENTRY, productIm, 8);
      }
    }
  }
  return most;
}

/**
 * Part of a sweep of one-sided Jacobi rotations: makes the rows `from` to `to` orthogonal to all rows after them.
 *
 * @param masses - Squared norms of the rows, which are kept up.
 * @param tolerance - Rows whose product is below this, relative to their norms, are left as they are.
 * @returns Number of rotations.
 */
export function rotateRows(
  at: usize,
  rows: usize,
  columns: usize,
  masses: usize,
  from: usize,
  to: usize,
  tolerance: f64,
): usize {
  const bytes = columns * ENTRY;
  let rotations: usize = 0;
  for (let i = from; i < to; i++) {
    const first = at + i * bytes;
    for (let j = i + 1; j < rows; j++) {
      const second = at + j * bytes;
      const a = load<f64>(masses + i * 8);
      const b = load<f64>(masses + j * 8);
      setProduct(first, second, bytes);
      const size = Math.sqrt(productRe * productRe + productIm * productIm);
      if (!(size > tolerance * Math.sqrt(a * b)) || size < f64.MIN_NORMAL_VALUE) continue;
      const ratio = (b - a) / (2 * size);
      const t =
        (ratio >= 0 ? 1 : -1) / (Math.abs(ratio) + Math.sqrt(1 + ratio * ratio));
      const c = 1 / Math.sqrt(1 + t * t);
      const s = c * t;
      rotatePair(first, second, bytes, c, (s * productRe) / size, (s * productIm) / size);
      store<f64>(masses + i * 8, a - t * size);
      store<f64>(masses + j * 8, b + t * size);
      rotations++;
    }
  }
  return rotations;
}

/** first ← c·first − conj(s)·second, second ← s·first + c·second. */
// @ts-ignore: a decorator of this compiler
@inline
function rotatePair(first: usize, second: usize, bytes: usize, c: f64, re: f64, im: f64): void {
  const cosine = f64x2.splat(c);
  const real = f64x2.splat(re);
  const imaginary = f64x2.mul(f64x2.splat(im), f64x2(-1, 1));
  for (const end = first + bytes; first < end; first += ENTRY) {
    const x = v128.load(first);
    const y = v128.load(second);
    const xTurned = f64x2.mul(imaginary, v128.shuffle<f64>(x, x, 1, 0));
    const yTurned = f64x2.mul(imaginary, v128.shuffle<f64>(y, y, 1, 0));
    v128.store(
      first,
      f64x2.sub(f64x2.mul(cosine, x), f64x2.sub(f64x2.mul(real, y), yTurned)),
    );
    v128.store(
      second,
      f64x2.add(f64x2.mul(cosine, y), f64x2.add(f64x2.mul(real, x), xTurned)),
    );
    second += ENTRY;
  }
}
