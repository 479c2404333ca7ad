import { describe, expect, test } from 'vitest';
import { basisLabel, insertZeroBits } from '../../../src/math/basis-index.ts';

describe('a basis label', () => {
  test.each([
    [1, 3, '001'],
    [4, 3, '100'],
    [0, 2, '00'],
    [0, 0, ''],
    [2 ** 40, 41, `1${'0'.repeat(40)}`],
  ])('of %i on %i qubits is "%s": qubit 0 rightmost', (index, width, label) => {
    expect(basisLabel(index, width)).toBe(label);
  });
});

describe('inserting zero bits', () => {
  test('spreads an index over the positions left free', () => {
    expect(insertZeroBits(0b1011, [1, 4])).toBe(0b100101);
    expect(insertZeroBits(0b11, [0])).toBe(0b110);
    expect(insertZeroBits(0b11, [])).toBe(0b11);
  });

  test('stays exact past 32 bits', () => {
    expect(insertZeroBits(2 ** 35 + 1, [1, 33])).toBe(2 ** 37 + 1);
  });

  test('enumerates exactly the indices with zeros there, in order', () => {
    const positions = [0, 2, 3];
    const mask = positions.reduce((sum, position) => sum + 2 ** position, 0);
    const expected = Array.from({ length: 64 }, (_, i) => i).filter((i) => (i & mask) === 0);
    expect(expected.map((_, group) => insertZeroBits(group, positions))).toEqual(expected);
  });
});
