/**
 * A permutation of a thread's registers as exchanges of pairs: a Beneš network, which takes any
 * permutation of 2^k places in 2k − 1 rows of exchanges, each row between places that differ in one
 * bit. Registers have no index that a program could compute, so they move only in pairs written out.
 *
 * @see V. E. Beneš, Mathematical Theory of Connecting Networks and Telephone Traffic, 1965; the
 *   loop that colours pairs is D. C. Opferman and N. T. Tsao-Wu's, 1971.
 */

/** Exchanges the two halves of pairs of places that differ in one bit. */
export interface ExchangeRow {
  readonly bit: number;
  /** Of a pair, the place whose bit is 0. */
  readonly places: readonly number[];
}

/**
 * The rows, in order and without empty ones, after which place i holds what was at `source[i]`.
 *
 * @param source - A permutation of 0 … 2^numBits − 1.
 */
export function exchangeRows(source: readonly number[], numBits: number): readonly ExchangeRow[] {
  const bits = Array.from({ length: numBits }, (_, bit) => bit);
  let fewest: readonly ExchangeRow[] | undefined;
  // What a row cannot do in one order of the bits, another may spare.
  for (const order of ordersOf(bits)) {
    const rows = route(source, order).filter(({ places }) => places.length > 0);
    if (fewest === undefined || rows.length < fewest.length) fewest = rows;
  }
  return fewest ?? [];
}

/** The outermost rows exchange along the first bit; between them, halves are routed each in itself. */
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
 * In which half (0 or `mask`) what begins at each place is between the outermost rows: another than
 * its partner, both where they begin and where they end.
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

function ordersOf(bits: readonly number[]): readonly (readonly number[])[] {
  if (bits.length === 0) return [[]];
  return bits.flatMap((bit) =>
    ordersOf(bits.filter((other) => other !== bit)).map((rest) => [bit, ...rest]),
  );
}
