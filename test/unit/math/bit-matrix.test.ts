/** Transposing bits, and parities of rows of them. */
import { expect, test } from 'vitest';
import {
  listsOfParities,
  parityBytes,
  parityLists,
  tableOfColumns,
  transpose32,
  writeParities,
} from '../../../src/math/bit-matrix.ts';
import { RandomStream } from '../../support/random-stream.ts';

test('bit j of word i becomes bit i of word j', () => {
  const words = Int32Array.from({ length: 32 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) ^ (i << 27));
  const bit = (matrix: Int32Array, i: number, j: number) => (matrix[i]! >>> j) & 1;
  const transposed = words.slice();
  transpose32(transposed);
  for (let i = 0; i < 32; i++) {
    for (let j = 0; j < 32; j++) expect(bit(transposed, j, i)).toBe(bit(words, i, j));
  }
});

test.each([1, 31, 32, 33, 100])('parities of the bits of %d columns', (numColumns) => {
  const stream = new RandomStream(numColumns);
  const columns = Uint32Array.from({ length: 2 * numColumns }, () => stream.below(2 ** 32));
  const bitOf = (column: number, bit: number) =>
    (columns[2 * column + (bit >>> 5)]! >>> (bit & 31)) & 1;
  const lists = Array.from({ length: 70 }, (_, i) => stream.distinct(i % 5, 64));
  const expected = Uint8Array.from(lists, () => stream.below(2));
  const parities = parityLists(lists, expected);
  expect(parityBytes(parities)).toBe(9);
  expect(listsOfParities(parities)).toEqual(lists);
  const out = new Uint8Array(9 * numColumns);
  writeParities(tableOfColumns(columns, 2), parities, numColumns, out);
  for (let column = 0; column < numColumns; column++) {
    for (const [k, bits] of lists.entries()) {
      const parity = bits.reduce((sum, bit) => sum ^ bitOf(column, bit), expected[k]!);
      expect((out[9 * column + (k >>> 3)]! >>> (k & 7)) & 1).toBe(parity);
    }
    expect(out[9 * column + 8]! >>> 6).toBe(0);
  }
});
