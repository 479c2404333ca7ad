/** Arithmetic of matrices beside answers worked out elsewhere. */
import { describe, expect, test } from 'vitest';
import { uniformDraw } from '../../../../../src/math/philox.ts';
import { matrix } from '../../../../../src/workloads/agents/computation/computation-tasks.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

type Entry = number | [number, number];
type Rows = Entry[][];

async function compute(operation: string, matrices: Rows[], more: JsonObject = {}) {
  await using opened = openTestContext();
  return await opened.run(matrix, { operation, matrices, ...more });
}

function expectRows(result: unknown, expected: Rows, digits = 12): void {
  const rows: Entry[][] = Object(result);
  expect(rows).toHaveLength(expected.length);
  for (const [i, row] of expected.entries()) {
    expect(rows[i]).toHaveLength(row.length);
    for (const [j, entry] of row.entries()) {
      const [found, wanted] = [[rows[i]![j]!].flat(), [entry].flat()];
      expect(found).toHaveLength(wanted.length);
      for (const [part, value] of wanted.entries()) {
        expect(found[part]).toBeCloseTo(value, digits);
      }
    }
  }
}

const X: Rows = [
  [0, 1],
  [1, 0],
];
const Y: Rows = [
  [0, [0, -1]],
  [[0, 1], 0],
];
const A: Rows = [
  [1, 2],
  [3, 4],
];

describe('matrix', () => {
  test.each<[string, Rows[], Rows]>([
    [
      'add',
      [A, X, X],
      [
        [1, 4],
        [5, 4],
      ],
    ],
    [
      'subtract',
      [A, X],
      [
        [1, 1],
        [2, 4],
      ],
    ],
    ['multiply', [A, [[5], [6]]], [[17], [39]]],
    // X·Y = i·Z.
    [
      'multiply',
      [X, Y],
      [
        [
          [0, 1],
          [0, 0],
        ],
        [
          [0, 0],
          [0, -1],
        ],
      ],
    ],
    // From the left: (A·X)·A.
    [
      'multiply',
      [A, X, A],
      [
        [5, 8],
        [13, 20],
      ],
    ],
    [
      'kronecker',
      [[[1, 2]], A],
      [
        [1, 2, 2, 4],
        [3, 4, 6, 8],
      ],
    ],
    ['transpose', [[[1, 2, 3]]], [[1], [2], [3]]],
    [
      'transpose',
      [Y],
      [
        [
          [0, 0],
          [0, 1],
        ],
        [
          [0, -1],
          [0, 0],
        ],
      ],
    ],
    [
      'adjoint',
      [Y],
      [
        [
          [0, 0],
          [0, -1],
        ],
        [
          [0, 1],
          [0, 0],
        ],
      ],
    ],
    [
      'inverse',
      [A],
      [
        [-2, 1],
        [1.5, -0.5],
      ],
    ],
    // A pivot of zero, which only a change of rows gets over.
    [
      'inverse',
      [
        [
          [0, 2],
          [1, 0],
        ],
      ],
      [
        [0, 1],
        [0.5, 0],
      ],
    ],
    [
      'solve',
      [
        [
          [2, 1],
          [1, 3],
        ],
        [[3], [5]],
      ],
      [[0.8], [1.4]],
    ],
    ['solve', [Y, [[1], [0]]], [[[0, 0]], [[0, 1]]]],
  ])('%s of %j is %j', async (operation, matrices, expected) => {
    const { result } = await compute(operation, matrices);
    expectRows(result, expected);
  });

  test.each<[string, Rows, Entry]>([
    ['trace', A, 5],
    ['determinant', A, -2],
    [
      'determinant',
      [
        [0, 0, 1],
        [0, 1, 0],
        [1, 0, 0],
      ],
      -1,
    ],
    [
      'determinant',
      [
        [1, 2],
        [2, 4],
      ],
      0,
    ],
    [
      'determinant',
      [
        [[0, 1], 0],
        [0, [0, 1]],
      ],
      [-1, 0],
    ],
  ])('the %s of %j is %j', async (operation, rows, expected) => {
    const { result } = await compute(operation, [rows]);
    expect([result].flat()).toEqual([expected].flat());
  });

  test('the exponential of −iθX/2 is the rotation RX(θ), also of many turns', async () => {
    for (const theta of [0.3, 40]) {
      const [c, s] = [Math.cos(theta / 2), Math.sin(theta / 2)];
      const generator: Rows = [
        [0, [0, -theta / 2]],
        [[0, -theta / 2], 0],
      ];
      const { result } = await compute('exponential', [generator]);
      expectRows(
        result,
        [
          [
            [c, 0],
            [0, -s],
          ],
          [
            [0, -s],
            [c, 0],
          ],
        ],
        11,
      );
    }
  });

  // mathjs finds no parameters for a norm this large.
  test('the exponential of a matrix of a large norm is found', async () => {
    const shift: Rows = [
      [0, 1e9],
      [0, 0],
    ];
    expect((await compute('exponential', [shift]))['result']).toEqual([
      [1, 1e9],
      [0, 1],
    ]);
    const turn: Rows = [
      [0, -1e8],
      [1e8, 0],
    ];
    const [c, s] = [Math.cos(1e8), Math.sin(1e8)];
    expectRows(
      (await compute('exponential', [turn]))['result'],
      [
        [c, -s],
        [s, c],
      ],
      6,
    );
  });

  test('the exponential is refused where rounding would leave few of its digits', async () => {
    const turn: Rows = [
      [0, -1e17],
      [1e17, 0],
    ];
    await expect(compute('exponential', [turn])).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_INPUT',
      faults: [{ path: 'matrices[0]', message: expect.stringMatching(/1\.0e\+17.*right digits/) }],
    });
  });

  // mathjs takes numbers below 1e-15 for zeros, and its `det` multiplies before it divides.
  test.each<[string, number[]]>([
    ['small entries', [1e-20, 1e-20, 1e-20, 1e-20, 1e-20]],
    ['rows of very different sizes', [1, 1e-9, 1e-18, 1e-27, 1e-36]],
    ['large entries', [1e30, 1e30, 1e30, 1e30, 1e30, 1e30, 1e30, 1e30, 1e30]],
  ])('the determinant of a matrix of %s is its product of pivots', async (_, sizes) => {
    // Triangular, its rows from the last to the first: their order has the sign of so many swaps.
    const rows = sizes.map((size, i) =>
      sizes.map((_, j) => (j === i ? size : j < i ? size / 2 : 0)),
    );
    const { result } = await compute('determinant', [rows.toReversed()]);
    const half = Math.floor(sizes.length / 2);
    const product = sizes.reduce((a, b) => a * b) * (-1) ** half;
    expect(Number(result) / product).toBeCloseTo(1, 12);
  });

  test('pairs without an imaginary part are real numbers', async () => {
    const rows: Rows = [
      [
        [0, 0],
        [1, 0],
      ],
      [
        [1e-170, 0],
        [1, 0],
      ],
    ];
    expect(await compute('determinant', [rows])).toMatchObject({
      result: -1e-170,
      entries: 'real',
    });
  });

  // mathjs takes the square of a complex pivot, which is zero.
  test.each<[string, Rows]>([
    [
      'the only pivots',
      [
        [[0, 1e-170], 1],
        [[1e-170, 0], 1],
      ],
    ],
    [
      'the pivot below a zero',
      [
        [0, 1],
        [[0, 1e-170], 1],
      ],
    ],
  ])('a determinant is refused where complex numbers of 1e-170 are %s', async (_, rows) => {
    await expect(compute('determinant', [rows])).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_INPUT',
      faults: [{ path: 'matrices[0]', message: expect.stringMatching(/pivot/) }],
    });
  });

  // mathjs calls the real one singular, and squares of the complex entries are zero.
  test.each<[string, Rows]>([
    ['1e-20', [[1e-20]]],
    [
      'real entries of 1e-200',
      [
        [0, 1e-200],
        [1e-200, 0],
      ],
    ],
    [
      'complex entries of 1e-200',
      [
        [0, [0, 1e-200]],
        [[0, -1e-200], 0],
      ],
    ],
  ])('%s has an inverse of condition number 1, and solves itself', async (_, rows) => {
    const { condition_number: condition } = await compute('inverse', [rows]);
    expect(condition).toBeCloseTo(1, 12);
    const isComplex = Array.isArray(rows[0]?.at(-1));
    const unit = rows.map((row, i) =>
      row.map((_, j): Entry => (isComplex ? [i === j ? 1 : 0, 0] : i === j ? 1 : 0)),
    );
    const { result } = await compute('solve', [rows, rows]);
    expectRows(result, unit);
  });

  test('powers of the Fibonacci matrix hold its numbers, and negative ones undo them', async () => {
    const fibonacci: Rows = [
      [1, 1],
      [1, 0],
    ];
    const { result } = await compute('power', [fibonacci], { exponent: 50 });
    expect(result).toEqual([
      [20_365_011_074, 12_586_269_025],
      [12_586_269_025, 7_778_742_049],
    ]);
    const inverse = await compute('power', [fibonacci], { exponent: -3 });
    expectRows(inverse['result'], [
      [-1, 2],
      [2, -3],
    ]);
    const one = await compute('power', [fibonacci], { exponent: 0 });
    expect(one['result']).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test('inverts a random complex matrix of 64 rows with a residual of rounding', async () => {
    const draw = (at: number) => uniformDraw(3, 0, 0, at) - 0.5;
    const rows = Array.from({ length: 64 }, (_, i) =>
      Array.from({ length: 64 }, (_, j): Entry => [draw(128 * i + j), draw(128 * i + 64 + j)]),
    );
    const { result, residual, condition_number: condition } = await compute('inverse', [rows]);
    expect(residual).toBeLessThan(1e-11);
    expect(residual).toBeGreaterThan(0);
    expect(condition).toBeGreaterThan(1);
    const again = await compute('multiply', [rows, Object(result)]);
    const unit = rows.map((row, i) => row.map((_, j): Entry => [i === j ? 1 : 0, 0]));
    expectRows(again['result'], unit, 11);
  });

  test('the inverse of the Hilbert matrix of five rows is the known one of integers', async () => {
    const hilbert = Array.from({ length: 5 }, (_, i) =>
      Array.from({ length: 5 }, (_, j) => 1 / (i + j + 1)),
    );
    const { result, condition_number: condition } = await compute('inverse', [hilbert]);
    expectRows(
      result,
      [
        [25, -300, 1050, -1400, 630],
        [-300, 4800, -18_900, 26_880, -12_600],
        [1050, -18_900, 79_380, -117_600, 56_700],
        [-1400, 26_880, -117_600, 179_200, -88_200],
        [630, -12_600, 56_700, -88_200, 44_100],
      ],
      5,
    );
    // In the one-norm: (1 + 1/2 + 1/3 + 1/4 + 1/5) · 413280.
    expect(condition).toBeCloseTo(943_656, 0);
  });

  test.each<[string, Rows[], JsonObject]>([
    [
      'inverse',
      [
        [
          [1, 2],
          [2, 4],
        ],
      ],
      {},
    ],
    // Singular, but no pivot comes out as exactly zero.
    [
      'inverse',
      [
        [
          [1, 2, 3],
          [4, 5, 6],
          [7, 8, 9],
        ],
      ],
      {},
    ],
    [
      'inverse',
      [
        [
          [0, 0],
          [0, 0],
        ],
      ],
      {},
    ],
    [
      'solve',
      [
        [
          [1, [0, 1]],
          [[0, 1], -1],
        ],
        [[1], [1]],
      ],
      {},
    ],
    [
      'power',
      [
        [
          [1, 1],
          [1, 1],
        ],
      ],
      { exponent: -1 },
    ],
  ])('%s of the singular %j is a fault of the input', async (operation, matrices, more) => {
    await expect(compute(operation, matrices, more)).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_INPUT',
      faults: [{ path: 'matrices[0]' }],
    });
  });

  test('what leaves the range of doubles is a fault of the input', async () => {
    const running = compute('power', [[[1e30]]], { exponent: 1000 });
    await expect(running).rejects.toMatchObject({ code: 'WORKLOADS_TASK_INPUT' });
    const growing = compute('exponential', [[[1e30]]]);
    await expect(growing).rejects.toMatchObject({ code: 'WORKLOADS_TASK_INPUT' });
  });

  test.each<[string, JsonObject, string]>([
    ['rows that differ', { operation: 'add', matrices: [A, [[1, 2], [3]]] }, 'matrices[1][1]'],
    ['sums of unlike matrices', { operation: 'add', matrices: [A, [[1, 2]]] }, 'matrices[1]'],
    ['products that do not fit', { operation: 'multiply', matrices: [A, [[1, 2]]] }, 'matrices[1]'],
    ['one factor', { operation: 'multiply', matrices: [A] }, 'matrices'],
    ['two matrices to invert', { operation: 'inverse', matrices: [A, A] }, 'matrices'],
    ['the inverse of a row', { operation: 'inverse', matrices: [[[1, 2]]] }, 'matrices[0]'],
    ['a system without a right side', { operation: 'solve', matrices: [A] }, 'matrices'],
    ['a right side that does not fit', { operation: 'solve', matrices: [A, [[1]]] }, 'matrices[1]'],
    ['a power of nothing', { operation: 'power', matrices: [A] }, 'exponent'],
    ['an exponent elsewhere', { operation: 'trace', matrices: [A], exponent: 2 }, 'exponent'],
    [
      'a Kronecker product beyond the limit',
      { operation: 'kronecker', matrices: Array(8).fill([[1, 2, 3, 4]]) },
      'matrices',
    ],
  ])('refuses %s before it runs', (_, input, path) => {
    const faults = matrix.faultsOf(input);
    expect(faults.map((fault) => fault.path)).toContain(path);
  });
});
