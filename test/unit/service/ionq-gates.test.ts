/** Gates of IonQ's interface have the matrices that its documents give them. */
import { describe, expect, test } from 'vitest';
import type { Circuit } from '../../../src/circuit/circuit.ts';
import type { CircuitLimits } from '../../../src/circuit/circuit-limits.ts';
import { StepsSpentError } from '../../../src/circuit/circuit-limits.ts';
import { FaultList } from '../../../src/circuit/errors.ts';
import { circuitFromGateObjects } from '../../../src/circuit/gate-objects.ts';
import type { ComplexMatrix } from '../../../src/math/complex-matrix.ts';
import { type Gateset, gateNames, translateGates } from '../../../src/service/ionq/read-gates.ts';
import { unitaryOf } from '../../support/small-unitary.ts';

const LIMITS: CircuitLimits = { maxQubits: 8, maxGates: 100 };

type Complex = readonly [re: number, im: number];
type Matrix = readonly (readonly Complex[])[];

const times = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c];
const turned = (turns: number): Complex => [
  Math.cos(2 * Math.PI * turns),
  Math.sin(2 * Math.PI * turns),
];
const real = (value: number): Complex => [value, 0];

function circuitOf(gates: readonly object[], gateset: Gateset, numQubits: number): Circuit {
  const faults = new FaultList();
  const { objects } = translateGates(gates, gateset, numQubits, 'circuit', faults);
  expect(faults.kept).toEqual([]);
  return circuitFromGateObjects(objects, { limits: LIMITS, numQubits });
}

/** Entries of a matrix, so turned that the first large one of the first column is real and positive. */
function upToPhase(matrix: ComplexMatrix | Matrix): readonly number[] {
  const flat = matrix instanceof Float64Array ? [...matrix] : matrix.flat(2);
  const d = Math.sqrt(flat.length / 2);
  const column = Array.from({ length: d }, (_, row): Complex => {
    return [flat[2 * row * d]!, flat[2 * row * d + 1]!];
  });
  const [re, im] = column.find((entry) => Math.hypot(...entry) > 0.1)!;
  const size = Math.hypot(re, im);
  const back: Complex = [re / size, -im / size];
  return Array.from({ length: flat.length / 2 }, (_, i) =>
    times([flat[2 * i]!, flat[2 * i + 1]!], back),
  ).flat();
}

function expectSame(found: ComplexMatrix, wanted: ComplexMatrix | Matrix): void {
  const numbers = upToPhase(wanted);
  for (const [i, number] of upToPhase(found).entries()) expect(number).toBeCloseTo(numbers[i]!, 12);
}

describe('native gates', () => {
  const gpi = (phase: number): Matrix => [
    [real(0), turned(-phase)],
    [turned(phase), real(0)],
  ];

  test.each([0, 0.1, 0.6, -0.3])('gpi of a phase of %d turns', (phase) => {
    const circuit = circuitOf([{ gate: 'gpi', target: 0, phase }], 'native', 1);
    expectSame(unitaryOf(circuit), gpi(phase));
  });

  test.each([0, 0.1, 0.6, -0.3])('gpi2 of a phase of %d turns', (phase) => {
    const circuit = circuitOf([{ gate: 'gpi2', target: 0, phase }], 'native', 1);
    expectSame(
      unitaryOf(circuit),
      [
        [real(1), times([0, -1], turned(-phase))],
        [times([0, -1], turned(phase)), real(1)],
      ].map((row) => row.map((entry) => times(entry, real(Math.SQRT1_2)))),
    );
  });

  test.each([
    [0, 0, undefined],
    [0.1, 0.35, 0.25],
    [0.2, 0.7, 0.1],
  ])('ms of phases %d and %d is the exponential of both gpi', (first, second, angle) => {
    const gate = { gate: 'ms', targets: [1, 0], phases: [first, second], angle };
    // cos(πθ) − i sin(πθ) · GPi(φ0) ⊗ GPi(φ1), φ0 on qubit 1, the more significant bit.
    const [theta, a, b] = [Math.PI * (angle ?? 0.25), gpi(first), gpi(second)];
    const wanted = Array.from({ length: 4 }, (_, row) =>
      Array.from({ length: 4 }, (__, column): Complex => {
        const both = times(a[row >> 1]![column >> 1]!, b[row & 1]![column & 1]!);
        const [re, im] = times([0, -Math.sin(theta)], both);
        return [re + (row === column ? Math.cos(theta) : 0), im];
      }),
    );
    expectSame(unitaryOf(circuitOf([gate], 'native', 2)), wanted);
  });

  test('zz takes its angle in turns, as angle or, as cirq-ionq writes, as phase', () => {
    const diagonal = [-0.15, 0.15, 0.15, -0.15].map((halfTurns) => turned(halfTurns / 2));
    const wanted = diagonal.map((entry, i) => diagonal.map((_, j) => (i === j ? entry : real(0))));
    for (const field of ['angle', 'phase']) {
      const gate = { gate: 'zz', targets: [0, 1], [field]: 0.15 };
      expectSame(unitaryOf(circuitOf([gate], 'native', 2)), wanted);
    }
  });
});

describe('gates of the set qis', () => {
  const same: readonly (readonly [string, object, object])[] = [
    [
      'cnot is not with a control',
      { gate: 'cnot', control: 1, target: 0 },
      { gate: 'not', controls: [1], targets: [0] },
    ],
    [
      'a gate on several targets acts on each',
      { gate: 'h', targets: [0, 1] },
      { gate: 'h', target: 0 },
    ],
    [
      'a field that is null is not given',
      { gate: 'x', target: 0, targets: null, control: null, rotation: null },
      { gate: 'x', target: 0 },
    ],
    [
      'z of a quarter turn is s',
      { gate: 'z', target: 0, rotation: Math.PI / 2 },
      { gate: 's', target: 0 },
    ],
    [
      'v is half of x',
      { gate: 'v', target: 1, controls: [0] },
      { gate: 'v', target: 1, control: 0 },
    ],
  ];
  test.each(same)('%s', (name, one, other) => {
    const others = name.includes('several') ? [other, { gate: 'h', target: 1 }] : [other];
    expectSame(unitaryOf(circuitOf([one], 'qis', 2)), unitaryOf(circuitOf(others, 'qis', 2)));
  });

  test('a phase under a control is a phase of both', () => {
    const circuit = circuitOf([{ gate: 'z', target: 0, control: 1, rotation: 0.7 }], 'qis', 2);
    const last = unitaryOf(circuit).subarray(-2);
    expect([...last]).toEqual([
      expect.closeTo(Math.cos(0.7), 12),
      expect.closeTo(Math.sin(0.7), 12),
    ]);
  });

  test('all names of IonQ’s documents are there', () => {
    expect(gateNames('qis')).toEqual(
      'x y z h s si t ti v vi rx ry rz cnot swap xx yy zz not pauliexp'.split(' '),
    );
    expect(gateNames('native')).toEqual(['gpi', 'gpi2', 'ms', 'zz', 'nop']);
  });
});

describe('pauliexp', () => {
  const evolved = (terms: readonly string[], time: number, targets: readonly number[]) => {
    const coefficients = terms.map((_, i) => 0.4 + 0.3 * i);
    const gate = { gate: 'pauliexp', targets, terms, coefficients, time };
    return unitaryOf(circuitOf([gate], 'qis', targets.length));
  };

  test.each([
    ['XX', 'rxx'],
    ['ZZ', 'rzz'],
  ])('of %s alone is a rotation by twice time and coefficient', (term, gate) => {
    const wanted = circuitOf(
      [{ gate: gate.slice(1), targets: [0, 1], rotation: 0.8 * 0.5 }],
      'qis',
      2,
    );
    expectSame(evolved([term], 0.5, [0, 1]), unitaryOf(wanted));
  });

  test('reads the last character of a term as the first target', () => {
    const wanted = circuitOf([{ gate: 'rx', target: 1, rotation: 0.8 * 0.5 }], 'qis', 2);
    expectSame(evolved(['IX'], 0.5, [1, 0]), unitaryOf(wanted));
  });

  test.each([
    [['XYZ'], 'one string'],
    [['XX', 'ZZ', 'YY'], 'strings that commute'],
    [['XI', 'ZZ', 'IY'], 'strings that do not'],
  ])('of %j, %s, is that of many short times in turn', (terms) => {
    const targets = Array.from(terms[0]!, (_, i) => i);
    const whole = evolved(terms, 0.9, targets);
    // The product of two halves is the whole, exactly: no product formula has that.
    const half = evolved(terms, 0.45, targets);
    const d = 2 ** targets.length;
    const product = Array.from({ length: d }, (_, i) =>
      Array.from({ length: d }, (__, j): Complex => {
        let sum: Complex = [0, 0];
        for (let k = 0; k < d; k++) {
          const at = (row: number, column: number): Complex => {
            return [half[2 * (row * d + column)]!, half[2 * (row * d + column) + 1]!];
          };
          const [re, im] = times(at(i, k), at(k, j));
          sum = [sum[0] + re, sum[1] + im];
        }
        return sum;
      }),
    );
    expectSame(whole, product);
  });

  test('of strings that do not commute is refused on more than six targets', () => {
    const faults = new FaultList();
    const targets = [0, 1, 2, 3, 4, 5, 6];
    const gate = {
      gate: 'pauliexp',
      targets,
      terms: ['XXXXXXX', 'ZIIIIII'],
      coefficients: [1, 1],
      time: 1,
    };
    translateGates([gate], 'qis', 7, 'circuit', faults);
    expect(faults.kept).toEqual([
      { path: 'circuit[0].terms', message: expect.stringContaining('do not commute') },
    ]);
  });

  test.each([
    [['XX', 'ZI'], 1e300],
    [['XX', 'ZI'], 1e7],
    [['XX'], 1e300],
  ])('of %j is refused after a time of %d', (terms, time) => {
    const faults = new FaultList();
    const coefficients = terms.map(() => 1);
    const gate = { gate: 'pauliexp', targets: [0, 1], terms, coefficients, time };
    translateGates([gate], 'qis', 2, 'circuit', faults);
    expect(faults.kept).toEqual([
      { path: 'circuit[0].time', message: expect.stringContaining('the limit is 1000000') },
    ]);
  });

  test('of a product beyond all numbers is refused', () => {
    const faults = new FaultList();
    const terms = ['XX', 'ZI'];
    const gate = {
      gate: 'pauliexp',
      targets: [0, 1],
      terms,
      coefficients: [1e300, 1],
      time: 1e300,
    };
    translateGates([gate], 'qis', 2, 'circuit', faults);
    expect(faults.kept).toEqual([
      { path: 'circuit[0].time', message: expect.stringContaining('is Infinity') },
    ]);
  });

  test('of more terms than can be compared is refused', () => {
    const faults = new FaultList();
    const [terms, coefficients] = [Array(4097).fill('Z'), Array(4097).fill(1)];
    const gate = { gate: 'pauliexp', targets: [0], terms, coefficients, time: 1 };
    translateGates([gate], 'qis', 1, 'circuit', faults);
    expect(faults.kept).toEqual([
      { path: 'circuit[0].terms', message: '4097 terms; the limit is 4096.' },
    ]);
  });

  test('on many qubits is computed only where it may take long', () => {
    const read = (numQubits: number, mayTakeLong: boolean) => {
      const targets = Array.from({ length: numQubits }, (_, qubit) => qubit);
      const terms = ['X'.repeat(numQubits), `Z${'I'.repeat(numQubits - 1)}`];
      const gate = { gate: 'pauliexp', targets, terms, coefficients: [1, 1], time: 1 };
      const gates = [gate];
      return translateGates(gates, 'qis', numQubits, 'circuit', new FaultList(), mayTakeLong);
    };
    expect(read(3, false).objects).toEqual([expect.objectContaining({ gate: 'UNITARY' })]);
    expect(() => read(4, false)).toThrow(StepsSpentError);
    expect(read(4, true).objects).toEqual([expect.objectContaining({ gate: 'UNITARY' })]);
  });
});
