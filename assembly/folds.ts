/**
 * Signed sums of a table for many sign patterns at once: the fast Walsh–Hadamard transform, of which
 * only those branches are computed that lead to a wanted pattern.
 *
 * A pattern is a bit mask z; its sum is Σ (−1)^|i & z| · table[i]. A fold replaces the two halves of
 * a table, which differ in one bit of i, by their sum, for the patterns without the bit, or by their
 * difference, or by both. After a fold for every bit, each wanted sum stands at a place of its own.
 * pauli-plan.ts makes the list of folds. Run backwards, the folds turn coefficients at those places
 * into the table Σ_z c_z · (−1)^|i & z|.
 */

// A fold is two words: the bytes of one half, a multiple of 16, plus the operation; the table's offset.
const FOLD_BYTES: usize = 8;
/** Transforms the eight doubles of a cell. */
const CELL: usize = 0;
const SUM: usize = 1;
const DIFFERENCE: usize = 2;
const BOTH: usize = 3;

/** Folds a table in place. */
export function fold(list: usize, end: usize, table: usize): void {
  for (; list < end; list += FOLD_BYTES) {
    const word: usize = load<u32>(list);
    const operation = word & 3;
    const half = word & ~3;
    let at = table + <usize>load<u32>(list, 4);
    if (operation == CELL) {
      transformCell(at);
      continue;
    }
    const middle = at + half;
    if (operation == SUM) {
      for (; at < middle; at += 16) v128.store(at, f64x2.add(v128.load(at), v128.load(at + half)));
    } else if (operation == DIFFERENCE) {
      for (; at < middle; at += 16) v128.store(at, f64x2.sub(v128.load(at), v128.load(at + half)));
    } else butterflies(at, middle, half);
  }
}

/** Unfolds a table in place: the same list from its end to its begin. */
export function unfold(list: usize, end: usize, table: usize): void {
  while (end > list) {
    end -= FOLD_BYTES;
    const word: usize = load<u32>(end);
    const operation = word & 3;
    const half = word & ~3;
    let at = table + <usize>load<u32>(end, 4);
    if (operation == CELL) {
      transformCell(at);
      continue;
    }
    const middle = at + half;
    if (operation == SUM) memory.copy(middle, at, half);
    else if (operation == DIFFERENCE) {
      for (; at < middle; at += 16) v128.store(at + half, f64x2.neg(v128.load(at)));
    } else butterflies(at, middle, half);
  }
}

/** Replaces the halves of a table by their sum and their difference. */
// @ts-ignore: a decorator of this compiler
@inline
function butterflies(begin: usize, middle: usize, half: usize): void {
  for (let at = begin; at < middle; at += 16) {
    const a = v128.load(at);
    const b = v128.load(at + half);
    v128.store(at, f64x2.add(a, b));
    v128.store(at + half, f64x2.sub(a, b));
  }
}

/** The Walsh–Hadamard transform of eight doubles. */
// @ts-ignore: a decorator of this compiler
@inline
function transformCell(at: usize): void {
  const a0 = v128.load(at);
  const a1 = v128.load(at, 16);
  const a2 = v128.load(at, 32);
  const a3 = v128.load(at, 48);
  const b0 = f64x2.add(a0, a2);
  const b1 = f64x2.add(a1, a3);
  const b2 = f64x2.sub(a0, a2);
  const b3 = f64x2.sub(a1, a3);
  storePairs(at, f64x2.add(b0, b1), f64x2.sub(b0, b1));
  storePairs(at + 32, f64x2.add(b2, b3), f64x2.sub(b2, b3));
}

/** Stores the sums and differences of the two doubles of each vector. */
// @ts-ignore: a decorator of this compiler
@inline
function storePairs(at: usize, a: v128, b: v128): void {
  const evens = v128.shuffle<f64>(a, b, 0, 2);
  const odds = v128.shuffle<f64>(a, b, 1, 3);
  const sums = f64x2.add(evens, odds);
  const differences = f64x2.sub(evens, odds);
  v128.store(at, v128.shuffle<f64>(sums, differences, 0, 2));
  v128.store(at, v128.shuffle<f64>(sums, differences, 1, 3), 16);
}
