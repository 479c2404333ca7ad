/** Eigenvalues of matrices whose spectra are known, and of others beside an independent computation. */
import { eigs } from 'mathjs';
import { describe, expect, test } from 'vitest';
import { uniformDraw } from '../../../../../src/math/philox.ts';
import { eigenvalues } from '../../../../../src/workloads/agents/computation/computation-tasks.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

type Entry = number | [number, number];
interface Result {
  readonly values: readonly Entry[];
  readonly vectors: readonly (readonly [number, number])[][];
  readonly residuals: readonly number[];
  readonly max_relative_residual: number;
  readonly hermitian: boolean;
  readonly vectors_independent: boolean;
  readonly vectors_condition_number?: number;
}

async function eigen(matrix: Entry[][]): Promise<Result> {
  await using opened = openTestContext();
  return JSON.parse(JSON.stringify(await opened.run(eigenvalues, { matrix })));
}

/** [re, im] pairs, in an order that does not hang on rounding. */
function pairs(values: readonly Entry[]): [number, number][] {
  return values
    .map((value): [number, number] => (typeof value === 'number' ? [value, 0] : value))
    .sort((a, b) => (Math.abs(a[0] - b[0]) > 1e-6 ? a[0] - b[0] : a[1] - b[1]));
}

function expectSpectrum(
  values: readonly Entry[],
  expected: readonly Entry[],
  digits: number,
): void {
  const [found, wanted] = [pairs(values), pairs(expected)];
  expect(found).toHaveLength(wanted.length);
  for (const [i, [re, im]] of wanted.entries()) {
    expect(found[i]![0]).toBeCloseTo(re, digits);
    expect(found[i]![1]).toBeCloseTo(im, digits);
  }
}

function matrixOf(size: number, entry: (row: number, column: number) => Entry): Entry[][] {
  return Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) => entry(row, column)),
  );
}

/** ⟨a|b⟩ of vectors as they come back. */
function overlap(a: Result['vectors'][number], b: Result['vectors'][number]): [number, number] {
  let re = 0;
  let im = 0;
  for (const [i, [aRe, aIm]] of a.entries()) {
    const [bRe, bIm] = b[i]!;
    re += aRe * bRe + aIm * bIm;
    im += aRe * bIm - aIm * bRe;
  }
  return [re, im];
}

const draw = (seed: number, at: number) => uniformDraw(seed, 0, 0, at) - 0.5;

describe('eigenvalues with known spectra', () => {
  const angle = 0.3;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const spectra: [string, Entry[][], Entry[]][] = [
    [
      'Pauli X',
      [
        [0, 1],
        [1, 0],
      ],
      [-1, 1],
    ],
    [
      'Pauli Y',
      [
        [0, [0, -1]],
        [[0, 1], 0],
      ],
      [-1, 1],
    ],
    [
      'a rotation',
      [
        [c, -s],
        [s, c],
      ],
      [
        [c, -s],
        [c, s],
      ],
    ],
    [
      'a triangle',
      [
        [3, 100, -7],
        [0, -2, 1],
        [0, 0, 5],
      ],
      [3, -2, 5],
    ],
    // The roots of (x − 1)(x − 2)(x − 3)(x − 4) = x⁴ − 10x³ + 35x² − 50x + 24.
    [
      'a companion',
      [
        [10, -35, 50, -24],
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
      ],
      [1, 2, 3, 4],
    ],
    [
      'zeros',
      [
        [0, 0],
        [0, 0],
      ],
      [0, 0],
    ],
    ['one entry', [[[3, 4]]], [[3, 4]]],
  ];
  test.each(spectra)('of %s', async (_, matrix, expected) => {
    const result = await eigen(matrix);
    expectSpectrum(result.values, expected, 10);
    expect(result.max_relative_residual).toBeLessThan(1e-14);
  });

  // mathjs's eigs does not converge on it.
  test('of a cycle of eight are the eighth roots of one', async () => {
    const cycle = matrixOf(8, (row, column) => (row === (column + 1) % 8 ? 1 : 0));
    const roots = Array.from({ length: 8 }, (_, k): Entry => {
      const turn = (2 * Math.PI * k) / 8;
      return [Math.cos(turn), Math.sin(turn)];
    });
    expectSpectrum((await eigen(cycle)).values, roots, 12);
  });

  // mathjs's eigs answers zeros for the small one, and one vector too few for the large one.
  test.each([1e-20, 1e20])('of a matrix of entries of %d are those of its size', async (size) => {
    const result = await eigen([
      [size, 2 * size],
      [3 * size, 4 * size],
    ]);
    const root = Math.sqrt(33);
    const relative = pairs(result.values).map(([re, im]): Entry => [re / size, im / size]);
    expectSpectrum(relative, [(5 - root) / 2, (5 + root) / 2], 12);
    expect(result.vectors_independent).toBe(true);
    expect(result.max_relative_residual).toBeLessThan(1e-14);
  });

  test('of a chain of n sites are −2 cos(kπ/(n+1))', async () => {
    const chain = matrixOf(64, (row, column) => (Math.abs(row - column) === 1 ? -1 : 0));
    const exact = Array.from({ length: 64 }, (_, k) => -2 * Math.cos(((k + 1) * Math.PI) / 65));
    const { values, hermitian } = await eigen(chain);
    expect(hermitian).toBe(true);
    expectSpectrum(values, exact, 12);
  });

  test('of the Hilbert matrix of five rows: the largest as in the literature, the product its determinant', async () => {
    const { values } = await eigen(matrixOf(5, (row, column) => 1 / (row + column + 1)));
    expect(values[4]).toBeCloseTo(1.567050691098231, 12);
    const product = values.map(Number).reduce((a, b) => a * b);
    // 1/266716800000 exactly.
    expect(product * 266_716_800_000).toBeCloseTo(1, 4);
  });

  test('of a defective matrix: each value as often as it occurs, one vector for all of them', async () => {
    const jordan = [
      [2, 1, 0],
      [0, 2, 1],
      [0, 0, 2],
    ];
    const result = await eigen(jordan);
    expect(result.values).toEqual([
      [2, 0],
      [2, 0],
      [2, 0],
    ]);
    expect(result.vectors_independent).toBe(false);
    expect(result).not.toHaveProperty('vectors_condition_number');
    for (const vector of result.vectors) expect(Math.abs(vector[0]![0])).toBeCloseTo(1, 12);
    expect(Math.max(...result.residuals)).toBeLessThan(1e-14);
  });
});

describe('eigenvectors', () => {
  test('of a random Hermitian matrix are orthonormal, and residuals are rounding', async () => {
    const size = 24;
    const matrix = matrixOf(size, (row, column): Entry => {
      const [low, high] = [Math.min(row, column), Math.max(row, column)];
      const im = low === high ? 0 : draw(1, 1000 + low * size + high);
      return [draw(1, low * size + high), row < column ? im : -im];
    });
    const result = await eigen(matrix);
    expect(result.hermitian).toBe(true);
    expect(result.values.every((value) => typeof value === 'number')).toBe(true);
    for (const [i, a] of result.vectors.entries()) {
      for (const [j, b] of result.vectors.entries()) {
        const [re, im] = overlap(a, b);
        expect(Math.hypot(re - (i === j ? 1 : 0), im)).toBeLessThan(1e-13);
      }
    }
    expect(result.max_relative_residual).toBeLessThan(1e-14);
  });

  test('of a threefold eigenvalue of a Hermitian matrix are orthonormal', async () => {
    // 1 − 2·v·v† with v uniform: −1 once, 1 three times.
    const result = await eigen(matrixOf(4, (row, column) => (row === column ? 1 : 0) - 0.5));
    expectSpectrum(result.values, [-1, 1, 1, 1], 12);
    expect(result.vectors_independent).toBe(true);
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < i; j++) {
        expect(Math.hypot(...overlap(result.vectors[i]!, result.vectors[j]!))).toBeLessThan(1e-13);
      }
    }
  });

  test.each([
    ['real', 12, 3, false],
    ['complex', 12, 4, true],
    ['real', 64, 5, false],
    ['complex', 64, 6, true],
  ])('of a random %s matrix of %i rows solve its equation', async (_, size, seed, isComplex) => {
    const matrix = matrixOf(size, (row, column): Entry => {
      const at = row * size + column;
      return isComplex ? [draw(seed, at), draw(seed, 10_000 + at)] : draw(seed, at);
    });
    const result = await eigen(matrix);
    // Recomputed here from what came back.
    for (const [k, [re, im]] of pairsInOrder(result.values).entries()) {
      const v = result.vectors[k]!;
      expect(Math.hypot(...v.flat())).toBeCloseTo(1, 12);
      const differences = matrix.flatMap((row, i) => {
        let [sumRe, sumIm] = [im * v[i]![1] - re * v[i]![0], -re * v[i]![1] - im * v[i]![0]];
        for (const [j, entry] of row.entries()) {
          const [aRe, aIm] = typeof entry === 'number' ? [entry, 0] : entry;
          sumRe += aRe * v[j]![0] - aIm * v[j]![1];
          sumIm += aRe * v[j]![1] + aIm * v[j]![0];
        }
        return [sumRe, sumIm];
      });
      const residual = Math.hypot(...differences);
      expect(residual).toBeLessThan(1e-12);
      expect(Math.abs(residual - result.residuals[k]!)).toBeLessThan(1e-13);
    }
    const sum = pairsInOrder(result.values).reduce((total, [re]) => total + re, 0);
    const trace = matrix.reduce((total, row, i) => total + [row[i]!].flat()[0]!, 0);
    expect(sum).toBeCloseTo(trace, 10);
  });

  test('agree with mathjs on a matrix on which mathjs converges', async () => {
    const matrix = matrixOf(6, (row, column) => draw(9, row * 6 + column));
    const { values } = await eigen(matrix);
    const others = eigs(matrix.map((row) => row.map(Number))).values;
    const expected = Object(others).map(
      (value: number | { re: number; im: number }): Entry =>
        typeof value === 'number' ? value : [value.re, value.im],
    );
    expectSpectrum(values, expected, 9);
  });
});

describe('inputs of eigenvalues', () => {
  test.each([
    ['a matrix that is not square', [[1, 2]], 'matrix'],
    ['rows that differ', [[1, 2], [3]], 'matrix[1]'],
  ])('%s are refused', (_, matrix, path) => {
    const faults = eigenvalues.faultsOf({ matrix });
    expect(faults.map((fault) => fault.path)).toContain(path);
  });

  test.each([
    ['no rows', []],
    ['an empty row', [[]]],
    ['65 rows', matrixOf(65, () => 0)],
    ['an entry of three parts', [[[1, 2, 3]]]],
    ['an entry that overflows', [[1e200]]],
    ['NaN', [[Number.NaN]]],
  ])('%s are of bad form', (_, matrix) => {
    expect(eigenvalues.input.safeParse({ matrix }).success).toBe(false);
  });
});

function pairsInOrder(values: readonly Entry[]): [number, number][] {
  return values.map((value) => (typeof value === 'number' ? [value, 0] : value));
}
