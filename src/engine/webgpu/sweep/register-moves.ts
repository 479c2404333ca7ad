/**
 * Routes a permutation of a thread's registers through a Beneš network, which realises any
 * permutation of 2^k places by 2k − 1 rows of pairwise exchanges; all pairs of a row differ in one
 * bit. Registers have no index that a program could compute, so they move only in pairs that the
 * shader spells out. A file of its own, because it is an algorithm on permutations that knows nothing of
 * shaders.
 *
 * @see V. E. Beneš, Mathematical Theory of Connecting Networks and Telephone Traffic, 1965; for the
 *   looping algorithm that colours pairs, D. C. Opferman and N. T. Tsao-Wu, 1971.
 */

/** Exchanges of pairs of places that differ in one bit. */
export interface ExchangeRow {
  readonly bit: number;
  /** For each pair, the place whose bit is 0. */
  readonly places: readonly number[];
}

/**
 * Rows of exchanges, without empty ones, after which place i holds the former content of
 * `source[i]`.
 *
 * @param source - A permutation of 0 … 2^numBits − 1.
 */
export function exchangeRows(source: readonly number[], numBits: number): readonly ExchangeRow[] {
  const moved = source.reduce((mask, from, place) => mask | (from ^ place), 0);
  const bits = Array.from({ length: numBits }, (_, bit) => bit).filter((bit) => (moved >> bit) & 1);
  let fewest: readonly ExchangeRow[] | undefined;
  // Another order of the bits may need fewer rows, but no order needs fewer than bits move.
  for (const order of ordersOf(bits)) {
    const rows = route(source, order).filter(({ places }) => places.length > 0);
    if (fewest === undefined || rows.length < fewest.length) fewest = rows;
    if (fewest.length === bits.length) break;
  }
  return fewest ?? [];
}

/**
 * Routes recursively: the outermost rows exchange along the first bit, the inner rows act in each
 * half.
 */
function route(source: readonly number[], [bit, ...inner]: readonly number[]): ExchangeRow[] {
  if (bit === undefined) return [];
  const mask = 1 << bit;
  const isLower = (place: number) => (place & mask) === 0;
  if (inner.length === 0) {
    return [{ bit, places: source.flatMap((from, i) => (from !== i && isLower(i) ? [i] : [])) }];
  }
  const sides = sidesOf(source, mask);
  const at = (place: number, side: number) => (place & ~mask) | side;
  const between = new Array<number>(source.length);
  for (const [place, from] of source.entries()) {
    const side = sides[from]!;
    between[at(place, side)] = at(from, side);
  }
  const first = source.flatMap((_, i) => (isLower(i) && sides[i] !== 0 ? [i] : []));
  const last = source.flatMap((from, i) => (isLower(i) && sides[from] !== 0 ? [i] : []));
  return [{ bit, places: first }, ...route(between, inner), { bit, places: last }];
}

/**
 * For each starting place, the half (0 or `mask`) that its content uses between the outermost rows:
 * never the same as its partner's, neither at the start nor at the end.
 */
function sidesOf(source: readonly number[], mask: number): readonly number[] {
  const target = new Array<number>(source.length);
  for (const [place, from] of source.entries()) target[from] = place;
  const sides = new Array<number>(source.length).fill(-1);
  for (const start of source.keys()) {
    for (let from = start; sides[from]! < 0; ) {
      sides[from] = start & mask;
      sides[from ^ mask] = sides[from]! ^ mask;
      from = source[target[from ^ mask]! ^ mask]!;
    }
  }
  return sides;
}

function* ordersOf(bits: readonly number[]): Generator<readonly number[]> {
  if (bits.length === 0) yield [];
  for (const bit of bits) {
    for (const rest of ordersOf(bits.filter((other) => other !== bit))) yield [bit, ...rest];
  }
}
