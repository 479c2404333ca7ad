import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../../../../src/circuit/circuit.ts';
import {
  adjointGradient,
  prepareAdjoint,
} from '../../../../../../src/workloads/algorithms/training/gradients/adjoint.ts';
import { parameterShift } from '../../../../../../src/workloads/algorithms/training/gradients/parameter-shift.ts';
import { parametricCircuit } from '../../../../../../src/workloads/algorithms/training/parametric-circuit.ts';
import {
  largestDifference,
  oracleExpectations,
  randomForms,
  randomObservable,
  randomParametricCircuit,
  randomRow,
} from '../../../../../support/parametric-circuits.ts';
import { gate, randomUnitary } from '../../../../../support/random-circuits.ts';
import { RandomStream } from '../../../../../support/random-stream.ts';

const Z0 = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }] as const;
const rotated: Circuit = { numQubits: 1, numBits: 0, operations: [gate('RX', [0], [], [0])] };

describe('adjoint differentiation', () => {
  test('gives the cosine of a rotation and its slope', () => {
    const { value, angleGradient } = adjointGradient(rotated, Float64Array.of(0.7), Z0);
    expect(value).toBeCloseTo(Math.cos(0.7), 15);
    expect(angleGradient[0]).toBeCloseTo(-Math.sin(0.7), 15);
  });

  test('gives the same bytes each time', () => {
    const stream = new RandomStream(80);
    const circuit = randomParametricCircuit(stream, 4);
    const gradients = prepareAdjoint(circuit);
    const theta = randomRow(stream, circuit.numParameters);
    const [one, two] = [0, 1].map(() => randomRow(stream, circuit.numFeatures));
    const observable = randomObservable(stream, 4);
    const first = gradients(theta, [one!, two!], [observable]);
    gradients(theta, [two!], [Z0]);
    expect(gradients(theta, [one!, two!], [observable])).toEqual(first);
  });

  test('takes unitaries on many targets in any order, under controls', async () => {
    const stream = new RandomStream(81);
    for (const targets of [
      [2, 0],
      [3, 1, 0],
      [1, 4, 0, 3],
    ]) {
      const matrix = randomUnitary(stream, targets.length);
      const control = [0, 1, 2, 3, 4].find((qubit) => !targets.includes(qubit))!;
      const operations: Operation[] = [
        { kind: 'unitary', controls: [control], targets, matrix },
        gate('RZX', [3, 1], [4], [0]),
        { kind: 'unitary', controls: [], targets: targets.toReversed(), matrix },
      ];
      const circuit = randomForms(stream, 5, operations);
      const theta = randomRow(stream, circuit.numParameters);
      const rows = [randomRow(stream, circuit.numFeatures)];
      const observables = [randomObservable(stream, 5), randomObservable(stream, 5)];
      const found = prepareAdjoint(circuit)(theta, rows, observables);
      const args = [circuit, theta, rows, observables] as const;
      const shifted = await parameterShift(...args, oracleExpectations);
      expect(largestDifference(found.values, shifted.values)).toBeLessThan(1e-12);
      expect(largestDifference(found.gradients, shifted.gradients)).toBeLessThan(1e-12);
    }
  });

  test('differentiates only by angles that depend on a parameter', () => {
    const shape = { ...rotated, operations: [...rotated.operations, gate('RX', [0], [], [0])] };
    const circuit = parametricCircuit({
      shape,
      numParameters: 1,
      numFeatures: 1,
      angles: [
        { offset: 0, terms: [{ coefficient: 1, feature: 0 }] },
        { offset: 0, terms: [{ coefficient: 3, parameter: 0, feature: 0 }] },
      ],
    });
    const { values, gradients } = prepareAdjoint(circuit)([0.2], [[0.5], [-1]], [Z0]);
    const turns = [0.5 + 0.3, -1 - 0.6];
    expect(values[0]).toBeCloseTo(Math.cos(turns[0]!), 14);
    expect(gradients[0]).toBeCloseTo(-1.5 * Math.sin(turns[0]!), 14);
    expect(gradients[1]).toBeCloseTo(3 * Math.sin(turns[1]!), 14);
  });

  test('gives values where nothing is trained', () => {
    const circuit = { shape: rotated, numParameters: 0, numFeatures: 0 };
    const angles = [{ offset: 0.7, terms: [] }];
    const { values, gradients } = prepareAdjoint({ ...circuit, angles })([], [[]], [Z0]);
    expect(values[0]).toBeCloseTo(Math.cos(0.7), 15);
    expect(gradients).toHaveLength(0);
  });

  test('passes over barriers and measurements at the end', () => {
    const operations: Operation[] = [
      { kind: 'barrier', qubits: [0] },
      ...rotated.operations,
      { kind: 'measure', qubits: [0], bits: [0] },
    ];
    const { angleGradient } = adjointGradient(
      { numQubits: 1, numBits: 1, operations },
      Float64Array.of(0.7),
      Z0,
    );
    expect(angleGradient[0]).toBeCloseTo(-Math.sin(0.7), 15);
  });

  test('reaches 20 qubits, and the highest of them', () => {
    const operations = [
      gate('RY', [19], [], [0]),
      gate('CX', [18], [19]),
      gate('CRX', [0], [18], [0]),
    ];
    const observable = [{ coefficient: 1, factors: [{ pauli: 'Y', qubit: 0 }] }] as const;
    const { value, angleGradient } = adjointGradient(
      { numQubits: 20, numBits: 0, operations },
      Float64Array.of(0.7, 0.4),
      observable,
    );
    const one = Math.sin(0.35) ** 2;
    expect(value).toBeCloseTo(-one * Math.sin(0.4), 13);
    expect(angleGradient[0]).toBeCloseTo((-Math.sin(0.7) / 2) * Math.sin(0.4), 13);
    expect(angleGradient[1]).toBeCloseTo(-one * Math.cos(0.4), 13);
  });

  test.each([
    ['a register that is too wide', { ...rotated, numQubits: 21 }, 'ENGINE_PROGRAM_TOO_WIDE'],
    [
      'a measurement before the end',
      {
        numQubits: 1,
        numBits: 1,
        operations: [{ kind: 'measure', qubits: [0], bits: [0] }, ...rotated.operations],
      } satisfies Circuit,
      'ENGINE_OUTPUT_NEEDS_FINAL_STATE',
    ],
    [
      'a condition',
      {
        numQubits: 1,
        numBits: 1,
        operations: [{ ...gate('RX', [0], [], [0]), condition: { bits: [0], value: 1 } }],
      } satisfies Circuit,
      'ENGINE_OUTPUT_NEEDS_FINAL_STATE',
    ],
  ])('refuses %s', (_, shape, code) => {
    const refusal = expect.objectContaining({ code });
    expect(() => adjointGradient(shape, new Float64Array(1), Z0)).toThrow(refusal);
  });
});
