/**
 * EVOLVE: the gates that stand for exp(−i·t·H). Unitaries are products of Kronecker products; the exponential is its
 * Taylor series, and the fixed values are those of SciPy's `expm` (1.17).
 */
import { describe, expect, test } from 'vitest';
import { evaluateAngles } from '../../../../src/circuit/angle-formulas.ts';
import { type Circuit, withAngles } from '../../../../src/circuit/circuit.ts';
import { InvalidCircuitError } from '../../../../src/circuit/errors.ts';
import type { GateObject, HamiltonianTermObject } from '../../../../src/circuit/gate-object.ts';
import {
  circuitFromGateObjects,
  evolvedCircuitFromGateObjects,
} from '../../../../src/circuit/gate-objects.ts';
import { inputColumns, inputRows } from '../../../../src/circuit/input-columns.ts';
import { readSweep } from '../../../../src/circuit/read-sweep.ts';
import { CodedError } from '../../../../src/errors/coded-error.ts';
import {
  type Complex,
  circuitUnitary,
  type Matrix,
  matrixProduct,
} from '../../../support/kronecker-oracle.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { seeds, testSeeds } from '../../../support/seeds.ts';

const limits = { maxQubits: 1000, maxGates: 1_000_000 };
type Evolve = Omit<GateObject, 'gate' | 'hamiltonian'>;
type Terms = readonly HamiltonianTermObject[];

const terms = (text: string): Terms =>
  text.split(',').map((each) => {
    const [coefficient, ...factors] = each.trim().split(' ');
    return { pauli: factors.join(' '), coefficient: Number(coefficient) };
  });

function evolved(hamiltonian: Terms, fields: Evolve, numQubits: number) {
  const object = { gate: 'EVOLVE', hamiltonian, ...fields };
  const read = evolvedCircuitFromGateObjects([object], { limits, numQubits }, undefined);
  // Checked: an EVOLVE has gates alone.
  return { ...read, circuit: read.circuit as Circuit };
}

const PAULIS: Readonly<Record<string, Matrix>> = {
  I: [
    [
      [1, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [1, 0],
    ],
  ],
  X: [
    [
      [0, 0],
      [1, 0],
    ],
    [
      [1, 0],
      [0, 0],
    ],
  ],
  Y: [
    [
      [0, 0],
      [0, -1],
    ],
    [
      [0, 1],
      [0, 0],
    ],
  ],
  Z: [
    [
      [1, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [-1, 0],
    ],
  ],
};

const times = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c];
const scaled = (m: Matrix, by: Complex): Matrix =>
  m.map((row) => row.map((entry) => times(entry, by)));
const plus = (a: Matrix, b: Matrix): Matrix =>
  a.map((row, i) => row.map(([re, im], j): Complex => [re + b[i]![j]![0], im + b[i]![j]![1]]));
const zeros = (d: number): Matrix =>
  Array.from({ length: d }, () => Array.from({ length: d }, (): Complex => [0, 0]));
const kron = (a: Matrix, b: Matrix): Matrix =>
  a.flatMap((row) => b.map((other) => row.flatMap((x) => other.map((y) => times(x, y)))));

function hamiltonianMatrix(sum: Terms, numQubits: number): Matrix {
  return sum.reduce(
    (total, { pauli, coefficient }) => {
      let product: Matrix = [[[Number(coefficient), 0]]];
      for (let qubit = 0; qubit < numQubits; qubit++) {
        const factor = pauli.split(' ').find((word) => word.slice(1) === `${qubit}`);
        product = kron(PAULIS[factor?.[0] ?? 'I']!, product);
      }
      return plus(total, product);
    },
    zeros(2 ** numQubits),
  );
}

/** exp(−i·t·H) by its Taylor series at t / 64, squared six times. */
function exponential(sum: Terms, t: number, numQubits: number): Matrix {
  const step: Matrix = scaled(hamiltonianMatrix(sum, numQubits), [0, -t / 64]);
  const identity: Matrix = zeros(2 ** numQubits).map((row, i) =>
    row.map((entry, j): Complex => (i === j ? [1, 0] : entry)),
  );
  let power: Matrix = identity;
  let total: Matrix = identity;
  for (let n = 1; n < 18; n++) {
    power = scaled(matrixProduct(power, step), [1 / n, 0]);
    total = plus(total, power);
  }
  for (let n = 0; n < 6; n++) total = matrixProduct(total, total);
  return total;
}

function worstEntry(a: Matrix, b: Matrix): number {
  const differences = plus(a, scaled(b, [-1, 0])).flat();
  return differences.reduce((worst, [re, im]) => Math.max(worst, Math.hypot(re, im)), 0);
}

/** Spectral norm of a difference, from below, by repeated multiplication of a vector. */
function distance(a: Matrix, b: Matrix, stream: RandomStream): number {
  const m = plus(a, scaled(b, [-1, 0]));
  const adjoint = m.map((_, i) => m.map((row): Complex => [row[i]![0], -row[i]![1]]));
  let vector: readonly Complex[] = m.map(() => [stream.normal(), stream.normal()]);
  let norm = 0;
  for (let n = 0; n < 60; n++) {
    for (const matrix of [m, adjoint]) {
      const length = Math.hypot(...vector.flat());
      const unit = vector.map(([re, im]): Complex => [re / length, im / length]);
      vector = matrix.map((row) =>
        row.reduce<Complex>(
          ([re, im], entry, k) => {
            const [x, y] = times(entry, unit[k]!);
            return [re + x, im + y];
          },
          [0, 0],
        ),
      );
      if (matrix === m) norm = Math.hypot(...vector.flat());
    }
  }
  return norm;
}

const HEISENBERG = terms(
  '1 X0 X1, 1 Y0 Y1, 0.5 Z0 Z1, 1 X1 X2, 1 Y1 Y2, 0.5 Z1 Z2, 1 X2 X3, 1 Y2 Y3, 0.5 Z2 Z3, 0.3 Z0, -0.7 X3, 0.25 I',
);

function randomHamiltonian(stream: RandomStream, numQubits: number, numTerms: number): Terms {
  return Array.from({ length: numTerms }, () => {
    const letters = Array.from({ length: numQubits }, (_, qubit) => {
      const letter = 'IXYZ'[stream.below(4)]!;
      return letter === 'I' ? [] : [`${letter}${qubit}`];
    });
    return { pauli: letters.flat().join(' ') || 'I', coefficient: stream.normal() };
  });
}

describe('without error', () => {
  test.each<[string, string, Evolve, number]>([
    ['terms that commute', '0.4 X0 X1, -0.7 Z0 Z1, 0.2 Y0 Y1', {}, 2],
    ['wide strings', '0.4 X0 Y2 Z3, 1.1 Y1', {}, 4],
    ['pairs of different Paulis', '0.3 X0 Z1, 0.5 Z2 X3', {}, 4],
    ['the pair that has no gate', '0.3 X0 Y1', {}, 2],
    ['terms that do not commute', '1 Z0 Z1, 0.5 X0, 0.25 Y1, 0.125 I', {}, 2],
    ['parts on different qubits', '1 Z0 X3, 1 Y0, 0.4 Z1, 0.3 X1, 0.9 Y2 Y4', {}, 5],
    ['a string that is there twice', '0.2 X0, 0.3 Z0, 0.2 X0', {}, 1],
    ['steps that are not needed', '0.2 X0, 0.3 Z0', { order: 1, steps: 2 }, 1],
    ['an error that is allowed', '0.2 X0, 0.3 Z0', { max_error: 0.1 }, 1],
  ])('%s', (_, text, fields, numQubits) => {
    for (const time of [0.7, -2.3]) {
      const { circuit, errorBound } = evolved(terms(text), { ...fields, time }, numQubits);
      const expected = exponential(terms(text), time, numQubits);
      expect(worstEntry(circuitUnitary(circuit), expected)).toBeLessThan(1e-12);
      expect(errorBound).toBeUndefined();
      if (fields.max_error !== undefined) continue;

      // Under controls, also where angles are formulas of the time.
      const on = (matrix: Matrix): Matrix => {
        const d = 2 ** numQubits;
        return zeros(2 * d).map((row, i) =>
          row.map((zero, j): Complex => {
            if (i >= d && j >= d) return matrix[i - d]![j - d]!;
            return i === j ? [1, 0] : zero;
          }),
        );
      };
      const object = { gate: 'EVOLVE', hamiltonian: terms(text), controls: [numQubits] };
      const open = [{ ...object, time: { input: 't', scale: -1, offset: 0.5 } }];
      const inputs = inputColumns({ t: 0.5 - time });
      for (const controlled of [
        circuitFromGateObjects([{ ...object, time }], { limits }),
        evolvedCircuitFromGateObjects(open, { limits }, inputs).circuit as Circuit,
      ]) {
        expect(worstEntry(circuitUnitary(controlled), on(expected))).toBeLessThan(1e-12);
      }
    }
  });

  test('agrees with SciPy on four qubits', () => {
    const { circuit } = evolved(HEISENBERG, { time: 0.7 }, 4);
    const unitary = circuitUnitary(circuit);
    for (const [row, re, im] of [
      [0, 0.103914361821, -0.895415291287],
      [1, -0.036654758231, 0.021712072458],
      [4, 0.158425593055, -0.166116430538],
      [8, 0.321042503748, 0.125559200745],
    ] as const) {
      expect(Math.hypot(unitary[row]![0]![0] - re, unitary[row]![0]![1] - im)).toBeLessThan(1e-11);
    }
  });

  test('a time of zero has no gates', () => {
    expect(evolved(HEISENBERG, { time: 0 }, 4).circuit.operations).toEqual([]);
  });
});

describe('product formulas', () => {
  // Three steps of a formula in SciPy: two amplitudes, and the norm of its difference from expm.
  test.each([
    [1, [0.104939419807, -0.894314878859], [0.102906306883, -0.15550837596], 0.7077447687848868],
    [2, [0.105282606852, -0.8932305332], [0.161034667918, -0.166924908316], 0.08419754278331072],
    [4, [0.103908159147, -0.895414244707], [0.158439201895, -0.166133370597], 2.522159416e-4],
  ] as const)(
    'order %i is that of SciPy, and its error is bounded',
    (order, first, other, error) => {
      const fields = { time: 0.7, order, steps: 3, exact: false };
      const { circuit, errorBound } = evolved(HEISENBERG, fields, 4);
      const unitary = circuitUnitary(circuit);
      for (const [row, [re, im]] of [
        [0, first],
        [4, other],
      ] as const) {
        expect(Math.hypot(unitary[row]![0]![0] - re, unitary[row]![0]![1] - im)).toBeLessThan(
          1e-11,
        );
      }
      expect(errorBound).toBeGreaterThanOrEqual(error);
      expect(errorBound).toBeLessThan(Math.min(2.001, error * (order === 4 ? 1e4 : 10)));
    },
  );

  testSeeds('the error of random formulas is within the bound, and not far', seeds(60), (seed) => {
    const stream = new RandomStream(4500 + seed);
    const numQubits = 2 + stream.below(2);
    const sum = randomHamiltonian(stream, numQubits, 2 + stream.below(6));
    const order = [1, 2, 4][seed % 3]!;
    const fields = { time: 0.4 * stream.normal(), order, steps: 1 + stream.below(3), exact: false };
    const { circuit, errorBound = 0 } = evolved(sum, fields, numQubits);
    const expected = exponential(sum, fields.time, numQubits);
    const error = distance(circuitUnitary(circuit), expected, stream);
    expect(error).toBeLessThan(errorBound + 1e-11);
    if (error > 1e-9 && errorBound < 2)
      expect(errorBound / error).toBeLessThan(order === 4 ? 1e4 : 100);
  });

  test('bounds add up over evolutions and are at most 2', () => {
    const bound = (...all: readonly number[]) =>
      evolvedCircuitFromGateObjects(
        all.map((time) => ({
          gate: 'EVOLVE',
          hamiltonian: HEISENBERG,
          time,
          order: 1,
          steps: 500,
          exact: false,
        })),
        { limits },
        undefined,
      ).errorBound!;
    expect(bound(0.4, 1)).toBeCloseTo(bound(0.4) + bound(-1), 12);
    expect(bound(100)).toBe(2);
  });

  test.each([1, 2, 4])(
    'max_error takes the fewest steps whose bound is within it: order %i',
    (order) => {
      const fields = { time: 0.9, order, exact: false };
      const { circuit, errorBound = 3 } = evolved(HEISENBERG, { ...fields, max_error: 0.05 }, 4);
      expect(errorBound).toBeLessThanOrEqual(0.05 * (1 + 1e-12));
      const size = (steps: number) => evolved(HEISENBERG, { ...fields, steps }, 4);
      let steps = 1;
      while (size(steps).circuit.operations.length < circuit.operations.length) steps++;
      expect(size(steps).errorBound).toBe(errorBound);
      expect(size(steps - 1).errorBound).toBeGreaterThan(0.05);
    },
  );

  test('exponentials of one term that follow each other are one', () => {
    const { circuit } = evolved(terms('1 X0, 1 Z0'), { time: 1, steps: 3, exact: false }, 1);
    const gates = circuit.operations.map((each) => (each.kind === 'gate' ? each.gate : each.kind));
    expect(gates).toEqual(['RX', 'RZ', 'RX', 'RZ', 'RX', 'RZ', 'RX']);
  });

  test('10,000 terms and 100 steps are read', () => {
    const sum = Array.from({ length: 10_000 }, (_, i) => ({
      pauli: `${'XYZ'[i % 3]}${i % 99} ${'XYZ'[i % 3]}${(i % 99) + 1}`,
      coefficient: 1e-4 * (1 + (i % 7)),
    }));
    const { circuit, errorBound } = evolved(sum, { time: 0.1, order: 1, steps: 100 }, 100);
    expect(circuit.operations.length).toBe(1_000_000);
    expect(errorBound).toBeGreaterThan(0);
  });
});

describe('angles by inputs', () => {
  const hamiltonian = [
    { pauli: 'Z0 Z1', coefficient: { input: 'J' } },
    { pauli: 'X0', coefficient: 0.5 },
    { pauli: 'X1', coefficient: { input: 'J', scale: 0.3, offset: 0.1 } },
    { pauli: 'Y2' },
  ];
  const inputs = { t: [0.2, -0.9, 1.4], J: [1, 0.4, -0.6] };

  test.each<[string, Evolve, number]>([
    ['eigenvectors of each coupling', {}, 3],
    ['one formula for all points', { order: 2, steps: 4, exact: false }, 1],
    ['steps of each point', { order: 4, max_error: 1e-4, exact: false }, 3],
  ])('%s', (_, fields, numGroups) => {
    const objects = [{ gate: 'EVOLVE', hamiltonian, time: { input: 't' }, ...fields }];
    const columns = inputColumns(inputs);
    const sweep = readSweep({ circuit: objects }, columns, limits);
    expect(sweep.groups).toHaveLength(numGroups);
    for (const { circuit, formulas, points, errorBoundAt } of sweep.groups) {
      const count = points?.length ?? 3;
      const angles = evaluateAngles(formulas, inputRows(columns, points, 0, count), count);
      for (let i = 0; i < count; i++) {
        const point = points?.[i] ?? i;
        const [t, J] = [inputs.t[point]!, inputs.J[point]!];
        const own = angles.subarray(i * formulas.numAngles, (i + 1) * formulas.numAngles);
        const swept = circuitUnitary(withAngles(circuit as Circuit, own));
        const alone = evolvedCircuitFromGateObjects(objects, { limits }, inputColumns({ t, J }));
        expect(worstEntry(swept, circuitUnitary(alone.circuit as Circuit))).toBe(0);
        const sum = terms(`${J} Z0 Z1, 0.5 X0, ${0.3 * J + 0.1} X1, 1 Y2`);
        const error = worstEntry(swept, exponential(sum, t, 3));
        const bound = errorBoundAt?.(point) ?? 0;
        expect(error).toBeLessThan(bound + 1e-12);
        expect(alone.errorBound ?? 0).toBeLessThanOrEqual(bound);
      }
    }
  });

  test('inputs that decide more than angles have no derivative', () => {
    const objects = [{ gate: 'EVOLVE', hamiltonian, time: { input: 't' } }];
    const { derivativeFaults } = readSweep({ circuit: objects }, inputColumns(inputs), limits);
    expect(derivativeFaults).toEqual([
      { input: 1, message: 'The input "J" decides the eigenvectors of an EVOLVE.' },
    ]);
  });
});

describe('faults', () => {
  const chain = terms(
    '1 Z0 Z1, 1 Z1 Z2, 1 Z2 Z3, 1 Z3 Z4, 1 Z4 Z5, 1 Z5 Z6, 1 X0, 1 X1, 1 X2, 1 X3, 1 X4, 1 X5, 1 X6',
  );

  test.each<[string, Partial<GateObject>, string]>([
    ['circuit[0].hamiltonian[1].pauli', { hamiltonian: terms('1 Z0, 1 Q1'), time: 1 }, '"Q1"'],
    ['circuit[0].hamiltonian[0].pauli', { hamiltonian: terms('1 Z9'), time: 1 }, 'qubit 9'],
    ['circuit[0].hamiltonian[0].pauli', { hamiltonian: terms('1 Z0 X0'), time: 1 }, 'twice'],
    ['circuit[0].hamiltonian[0].pauli', { hamiltonian: chain, time: 1, controls: [1] }, 'control'],
    ['circuit[0].hamiltonian', { time: 1 }, 'Missing'],
    ['circuit[0].hamiltonian', { hamiltonian: [], time: 1 }, 'at least one term'],
    ['circuit[0].hamiltonian', { hamiltonian: chain, time: 1 }, '13 terms on 7 qubits'],
    ['circuit[0].hamiltonian', { hamiltonian: chain, time: 1, steps: 1, exact: true }, 'exact'],
    ['circuit[0].time', { hamiltonian: chain, steps: 1 }, 'Missing'],
    ['circuit[0].time', { hamiltonian: chain, steps: 1, time: 1e308 }, 'limit'],
    ['circuit[0].time', { hamiltonian: terms('1 X0, 1 Z0'), time: 1e7 }, 'limit is 1000000'],
    ['circuit[0].time', { hamiltonian: chain, steps: 1, time: { input: 't' } }, 'no inputs'],
    ['circuit[0].order', { hamiltonian: chain, time: 1, order: 3, steps: 1 }, '1, 2 or 4'],
    ['circuit[0].steps', { hamiltonian: chain, time: 1, order: 2 }, 'steps or max_error'],
    ['circuit[0].steps', { hamiltonian: chain, time: 1, steps: 0 }, 'whole number from 1'],
    ['circuit[0].max_error', { hamiltonian: chain, time: 1, max_error: 0 }, 'greater than 0'],
    ['circuit[0].max_error', { hamiltonian: chain, time: 1, steps: 1, max_error: 1 }, 'either'],
    [
      'circuit[0]',
      { hamiltonian: chain, time: 1, steps: 50_000 },
      'out as 1200001 gates (50000 steps',
    ],
    ['circuit[0].max_error', { hamiltonian: chain, time: 1, max_error: 1e-15 }, 'steps of order 2'],
    [
      'circuit[0].qubits',
      { hamiltonian: chain, time: 1, steps: 1, qubits: [0] },
      'name its qubits',
    ],
    ['circuit[0].matrix', { hamiltonian: chain, time: 1, steps: 1, matrix: [] }, 'no matrix'],
  ])('%s: %o', (path, fields, words) => {
    const read = () =>
      evolvedCircuitFromGateObjects(
        [{ gate: 'EVOLVE', ...fields }],
        { limits, numQubits: 8 },
        undefined,
      );
    expect(read).toThrow(InvalidCircuitError);
    try {
      read();
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const [fault] = error.faults;
      expect(fault?.path).toBe(path);
      expect(fault?.message).toContain(words);
    }
  });

  test('gates of several evolutions and of the circuit count together', () => {
    const one = { gate: 'EVOLVE', hamiltonian: chain, time: 1, steps: 20_000 };
    const faultOf = (objects: readonly GateObject[]) => {
      try {
        evolvedCircuitFromGateObjects(
          objects,
          { limits: { maxQubits: 10, maxGates: 600_000 } },
          undefined,
        );
      } catch (error) {
        if (error instanceof CodedError) return error.faults[0];
      }
      return undefined;
    };
    expect(faultOf([one, one])?.message).toContain('after 480001 of other EVOLVEs; the limit');
  });

  test('only EVOLVE has its fields', () => {
    const object = { gate: 'RX', qubit: 0, theta: 1, steps: 2 };
    expect(() => circuitFromGateObjects([object], { limits })).toThrow('only EVOLVE does');
  });
});
