/** Transposing 32 × 32 bits. */
import { expect, test } from 'vitest';
import { transpose32 } from '../../../src/math/bit-matrix.ts';

test('bit j of word i becomes bit i of word j', () => {
  const words = Int32Array.from({ length: 32 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) ^ (i << 27));
  const bit = (matrix: Int32Array, i: number, j: number) => (matrix[i]! >>> j) & 1;
  const transposed = words.slice();
  transpose32(transposed);
  for (let i = 0; i < 32; i++) {
    for (let j = 0; j < 32; j++) expect(bit(transposed, j, i)).toBe(bit(words, i, j));
  }
});
