/** Matrices of the composer as text: entries as expressions, rows, and other numbers of qubits. */
import { describe, expect, test } from 'vitest';
import {
  readComplex,
  readMatrix,
  withOneMoreQubit,
  withoutLastQubit,
  writeComplex,
  writeMatrix,
} from '../../../src/console/composer/matrix-text.ts';
import { RandomStream } from '../../support/random-stream.ts';

const { SQRT1_2, PI } = Math;

describe('an entry of a matrix', () => {
  test.each([
    ['0.5', 0.5, 0],
    ['-1e-3', -0.001, 0],
    ['i', 0, 1],
    ['-j', 0, -1],
    ['0.6-0.8i', 0.6, -0.8],
    ['1/sqrt(2)', SQRT1_2, 0],
    ['-i/√2', 0, -SQRT1_2],
    ['(1 + i) / 2', 0.5, 0.5],
    ['exp(i*pi/4)', SQRT1_2, SQRT1_2],
    ['exp(-iπ/2)', 0, -1],
    ['2^-1 + 2i^2', -1.5, 0],
    ['cos(pi/3) - i sin(pi/3)', 0.5, -Math.sqrt(3) / 2],
    ['sqrt(-4)', 0, 2],
    ['sqrt(i)', SQRT1_2, SQRT1_2],
    ['sqrt(-i)', SQRT1_2, -SQRT1_2],
    ['2pi', 2 * PI, 0],
    ['--1', 1, 0],
    ['1/i', 0, -1],
  ])('may be %s', (text, re, im) => {
    const read = readComplex(text);
    expect(read?.[0]).toBeCloseTo(re, 14);
    expect(read?.[1]).toBeCloseTo(im, 14);
  });

  test.each([
    '',
    '1 2',
    'a',
    '1/0',
    'sqrt',
    'sqrt(',
    '(1',
    '1)',
    '2^0.5',
    '2^i',
    'cos(i)',
    '1e999',
    '+',
    '1..2',
  ])('may not be %j', (text) => {
    expect(readComplex(text)).toBeUndefined();
  });

  test('is written as it can be read', () => {
    const stream = new RandomStream(3);
    const sizes = [0, 1, -1, 0.5, SQRT1_2, -SQRT1_2, 1 / Math.sqrt(3), 1e-17, 0.1];
    for (let i = 0; i < 300; i += 1) {
      const one = [stream, stream].map((each) =>
        each.below(2) === 0 ? (sizes[each.below(sizes.length)] ?? 0) : each.uniform() - 0.5,
      );
      const [re = 0, im = 0] = one;
      const read = readComplex(writeComplex([re, im]));
      expect(read?.[0], writeComplex([re, im])).toBeCloseTo(re, 15);
      expect(read?.[1], writeComplex([re, im])).toBeCloseTo(im, 15);
    }
    expect(writeComplex([SQRT1_2, -SQRT1_2])).toBe('1/sqrt(2)-i/sqrt(2)');
  });
});

describe('a matrix', () => {
  const swap = [
    [
      [1, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [0, 0],
      [1, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [1, 0],
      [0, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [0, 0],
      [0, 0],
      [1, 0],
    ],
  ] as const;

  test('is read with spaces, or with commas and spaces within its entries', () => {
    // As the division gives it, which is the next number below Math.SQRT1_2.
    const half = 1 / Math.SQRT2;
    const h = [
      [
        [half, 0],
        [half, 0],
      ],
      [
        [half, 0],
        [-half, 0],
      ],
    ];
    expect(readMatrix('1/sqrt(2) 1/sqrt(2)\n1/sqrt(2)  -1/sqrt(2)\n')).toEqual(h);
    expect(readMatrix('1 / sqrt(2), 1 / sqrt(2)\n1/sqrt(2); - 1/sqrt(2);')).toEqual(h);
    expect(readMatrix(writeMatrix(swap))).toEqual(swap);
  });

  test('is none with rows of other lengths or with words', () => {
    for (const text of ['', '1 0', '1 0\n0', '1 0\n0 x', '1,0\n0,,1']) {
      expect(readMatrix(text), text).toBeUndefined();
    }
  });

  test('does nothing on a qubit that is added, and is as before without it', () => {
    const wide = withOneMoreQubit(swap);
    expect(wide).toHaveLength(8);
    expect(wide[6]?.[5]).toEqual([1, 0]);
    expect(wide[2]?.[6]).toEqual([0, 0]);
    expect(withoutLastQubit(wide)).toEqual(swap);
    // It exchanges the qubits, so that nothing is left of it on one of them.
    expect(withoutLastQubit(swap)).toEqual([
      [
        [1, 0],
        [0, 0],
      ],
      [
        [0, 0],
        [1, 0],
      ],
    ]);
  });
});
