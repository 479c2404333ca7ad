import { describe, expect, test } from 'vitest';
import { type Circuit, numAnglesOf } from '../../../../../src/circuit/circuit.ts';
import {
  angleGradientToTheta,
  anglesOf,
  parametricCircuit,
  trainableAngles,
} from '../../../../../src/workloads/algorithms/training/parametric-circuit.ts';
import { gate } from '../../../../support/random-circuits.ts';

/** Five angles: RY on qubit 0, three of a U, RZZ. */
const shape: Circuit = {
  numQubits: 2,
  numBits: 0,
  operations: [
    gate('H', [0]),
    gate('RY', [0], [], [9]),
    { kind: 'barrier', qubits: [0, 1] },
    gate('U', [1], [], [9, 9, 9]),
    gate('RZZ', [0, 1], [], [9]),
  ],
};

const circuit = parametricCircuit({
  shape,
  numParameters: 3,
  numFeatures: 2,
  angles: [
    { offset: 0.5, terms: [{ coefficient: 2, parameter: 0 }] },
    { offset: 0, terms: [{ coefficient: 3, feature: 1 }] },
    {
      offset: 0,
      terms: [
        { coefficient: 1, parameter: 1, feature: 0 },
        { coefficient: 1, parameter: 2 },
      ],
    },
    { offset: -1, terms: [] },
    {
      offset: 0,
      terms: [
        { coefficient: 4, parameter: 0 },
        { coefficient: 5, parameter: 0, feature: 1 },
      ],
    },
  ],
});
const theta = [0.1, 0.2, 0.3];
const x = [7, 11];

describe('a parametric circuit', () => {
  test('counts the angles of gates only, in the order of operations', () => {
    expect(numAnglesOf(shape)).toBe(5);
  });

  test('has angles of offsets, parameters, inputs and their products', () => {
    expect([...anglesOf(circuit, theta, x)]).toEqual([
      0.5 + 2 * 0.1,
      3 * 11,
      0.2 * 7 + 0.3,
      -1,
      4 * 0.1 + 5 * 0.1 * 11,
    ]);
  });

  test('writes angles where it is asked to', () => {
    const row = new Float64Array(10).subarray(5);
    expect(anglesOf(circuit, theta, x, row)).toBe(row);
    expect(row[0]).toBe(0.7);
  });

  test('knows which angles training moves', () => {
    expect(trainableAngles(circuit)).toEqual([0, 2, 4]);
  });

  test('sums what each parameter does to each angle', () => {
    const gradient = angleGradientToTheta(circuit, x, [1, 1000, 10, 1000, 100]);
    expect([...gradient]).toEqual([2 * 1 + (4 + 5 * 11) * 100, 7 * 10, 10]);
  });

  test('overwrites an old gradient', () => {
    const out = Float64Array.of(5, 5, 5);
    angleGradientToTheta(circuit, x, [0, 0, 0, 0, 0], out);
    expect([...out]).toEqual([0, 0, 0]);
  });

  test.each([
    ['too few forms', { ...circuit, angles: circuit.angles.slice(1) }],
    ['a parameter that is not there', { ...circuit, numParameters: 2 }],
    ['a parameter where there are none', { ...circuit, numParameters: 0 }],
    ['a feature that is not there', { ...circuit, numFeatures: 1 }],
  ])('is refused with %s', (_, parts) => {
    expect(() => parametricCircuit(parts)).toThrow(RangeError);
  });

  test('is refused with an index that is no whole number', () => {
    const angles = [{ offset: 0, terms: [{ coefficient: 1, parameter: 0.5 }] }];
    const one = { numQubits: 1, numBits: 0, operations: [gate('RX', [0], [], [0])] };
    expect(() => parametricCircuit({ ...circuit, shape: one, angles })).toThrow(RangeError);
  });
});
