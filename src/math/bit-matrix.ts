/** Matrices of bits in words of 32, bit 0 first. */

/** Transposes 32 × 32 bits in place: bit j of word i becomes bit i of word j. */
export function transpose32(words: Int32Array): void {
  let mask = 0xffff;
  for (let step = 16; step > 0; step >>= 1, mask ^= mask << step) {
    for (let i = 0; i < 32; i = ((i | step) + 1) & ~step) {
      const swapped = ((words[i]! >>> step) ^ words[i | step]!) & mask;
      words[i] = words[i]! ^ (swapped << step);
      words[i | step] = words[i | step]! ^ swapped;
    }
  }
}

/** Rows of bits: row b has the `rowWords` words from `at` + b·rowWords on, a bit for each of 32·rowWords columns. */
export interface BitTable {
  readonly words: Int32Array;
  readonly at: number;
  readonly rowWords: number;
}

/** Lists of rows, whose parities are computed. */
export interface ParityLists {
  /** Rows, list after list. */
  readonly bits: Uint32Array;
  /** For each list, one past its last row. */
  readonly ends: Uint32Array;
  /** 0 or 1 for each list: the parity that is written as 0. */
  readonly expected: Uint8Array;
}

/** Lists of rows as arrays. */
export function parityLists(
  lists: readonly (readonly number[])[],
  expected: Uint8Array,
): ParityLists {
  const growing = new GrowingLists();
  for (const list of lists) growing.add(list, 0);
  return growing.take(expected);
}

/** Lists of rows that come one after the other: millions of small arrays take longer than their parities. */
export class GrowingLists {
  #bits = new Uint32Array(1024);
  #ends = new Uint32Array(256);
  #numBits = 0;
  #length = 0;

  /** Number of lists. */
  get length(): number {
    return this.#length;
  }

  /** Adds a list of rows that are so much higher. */
  add(rows: readonly number[], shift: number): void {
    while (this.#numBits + rows.length > this.#bits.length) this.#bits = doubled(this.#bits);
    if (this.#length === this.#ends.length) this.#ends = doubled(this.#ends);
    for (let i = 0; i < rows.length; i++) this.#bits[this.#numBits++] = rows[i]! + shift;
    this.#ends[this.#length++] = this.#numBits;
  }

  /** Takes all lists out. */
  take(expected: Uint8Array): ParityLists {
    const bits = this.#bits.slice(0, this.#numBits);
    const ends = this.#ends.slice(0, this.#length);
    [this.#numBits, this.#length] = [0, 0];
    return { bits, ends, expected };
  }
}

function doubled(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * array.length);
  longer.set(array);
  return longer;
}

/** The lists of `parityLists`. */
export function listsOfParities({ bits, ends }: ParityLists): readonly (readonly number[])[] {
  let from = 0;
  return Array.from(ends, (end) => {
    const list = [...bits.subarray(from, end)];
    from = end;
    return list;
  });
}

/** Bytes of a column of parities. */
export const parityBytes = ({ ends }: Pick<ParityLists, 'ends'>): number =>
  Math.ceil(ends.length / 8);

/**
 * Writes parities of rows, column after column: bit k of a column is bit k mod 8 of its byte ⌊k/8⌋. 32 columns are worked
 * on at a time: bit by bit it takes longer than sampling a surface code.
 *
 * @param out - Gets the bytes of `numColumns` columns.
 * @param width - Bytes of a column.
 * @param firstByte - Where the parities begin in each column.
 */
export function writeParities(
  { words, at, rowWords }: BitTable,
  { bits, ends, expected }: ParityLists,
  numColumns: number,
  out: Uint8Array,
  width = parityBytes({ ends }),
  firstByte = 0,
): void {
  const numBytes = parityBytes({ ends });
  const parities = new Int32Array(32 * rowWords);
  const block = new Int32Array(32);
  let bit = 0;
  for (let first = 0; first < ends.length; first += 32) {
    for (let i = 0; i < 32; i++) {
      const row = i * rowWords;
      parities.fill(-(expected[first + i] ?? 0), row, row + rowWords);
      for (const end = ends[first + i] ?? bit; bit < end; bit++) {
        const from = at + bits[bit]! * rowWords;
        for (let word = 0; word < rowWords; word++) parities[row + word]! ^= words[from + word]!;
      }
    }
    const length = Math.min(4, numBytes - (first >>> 3));
    const from = firstByte + (first >>> 3);
    for (let column = 0; column < numColumns; column += 32) {
      for (let i = 0; i < 32; i++) block[i] = parities[i * rowWords + (column >>> 5)]!;
      transpose32(block);
      const count = Math.min(32, numColumns - column);
      for (let i = 0; i < count; i++) {
        const place = (column + i) * width + from;
        for (let byte = 0; byte < length; byte++) out[place + byte] = block[i]! >>> (8 * byte);
      }
    }
  }
}

/** Columns of bits as rows: `wordsPerColumn` words each, bit 0 of word 0 first. */
export function tableOfColumns(columns: Uint32Array, wordsPerColumn: number): BitTable {
  const numColumns = columns.length / wordsPerColumn;
  const rowWords = Math.ceil(numColumns / 32);
  const words = new Int32Array(32 * wordsPerColumn * rowWords);
  const block = new Int32Array(32);
  for (let first = 0; first < numColumns; first += 32) {
    const count = Math.min(32, numColumns - first);
    for (let word = 0; word < wordsPerColumn; word++) {
      for (let i = 0; i < 32; i++) {
        block[i] = i < count ? columns[(first + i) * wordsPerColumn + word]! : 0;
      }
      transpose32(block);
      for (let i = 0; i < 32; i++) words[(32 * word + i) * rowWords + (first >>> 5)] = block[i]!;
    }
  }
  return { words, at: 0, rowWords };
}
