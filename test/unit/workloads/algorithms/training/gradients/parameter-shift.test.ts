import { describe, expect, test } from 'vitest';
import {
  type ExpectationBatch,
  parameterShift,
} from '../../../../../../src/workloads/algorithms/training/gradients.ts';
import { parametricCircuit } from '../../../../../../src/workloads/algorithms/training/parametric-circuit.ts';
import {
  centralDifferences,
  largestDifference,
  oracleExpectations,
  randomObservable,
  randomParametricCircuit,
  randomRow,
} from '../../../../../support/parametric-circuits.ts';
import { gate } from '../../../../../support/random-circuits.ts';
import { RandomStream } from '../../../../../support/random-stream.ts';

const Z0 = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }] as const;
const X0 = [{ coefficient: 1, factors: [{ pauli: 'X', qubit: 0 }] }] as const;

/** RY(θ0·x0 + θ1) then RY(θ0): both gates share a parameter. */
const shared = parametricCircuit({
  shape: {
    numQubits: 1,
    numBits: 0,
    operations: [gate('RY', [0], [], [0]), gate('RY', [0], [], [0])],
  },
  numParameters: 2,
  numFeatures: 1,
  angles: [
    {
      offset: 0,
      terms: [
        { coefficient: 1, parameter: 0, feature: 0 },
        { coefficient: 1, parameter: 1 },
      ],
    },
    { offset: 0, terms: [{ coefficient: 1, parameter: 0 }] },
  ],
});

/** The oracle, with the circuits of each call counted. */
function counted() {
  const calls: number[] = [];
  const expectations: ExpectationBatch = (shape, angles, numCircuits, observables) => {
    calls.push(numCircuits);
    return oracleExpectations(shape, angles, numCircuits, observables);
  };
  return { calls, expectations };
}

describe('the parameter-shift rule', () => {
  test('gives values and slopes for each row and observable', async () => {
    const { values, gradients } = await parameterShift(
      shared,
      [0.3, 0.2],
      [[2], [-1]],
      [Z0, X0],
      oracleExpectations,
    );
    const turns = [0.3 * 2 + 0.2 + 0.3, -0.3 + 0.2 + 0.3];
    const expectedValues = turns.flatMap((turn) => [Math.cos(turn), Math.sin(turn)]);
    const expectedSlopes = turns.flatMap((turn, row) => {
      const byTheta0 = [3, 0][row]!;
      return [
        -byTheta0 * Math.sin(turn),
        -Math.sin(turn),
        byTheta0 * Math.cos(turn),
        Math.cos(turn),
      ];
    });
    expect(largestDifference(values, expectedValues)).toBeLessThan(1e-14);
    expect(largestDifference(gradients, expectedSlopes)).toBeLessThan(1e-14);
  });

  test('asks for all rows and shifts at once', async () => {
    const { calls, expectations } = counted();
    await parameterShift(shared, [0.3, 0.2], [[2], [-1], [4]], [Z0], expectations);
    expect(calls).toEqual([3 * (1 + 2 * 2)]);
  });

  test('gives nothing for no rows', async () => {
    const { calls, expectations } = counted();
    const { values, gradients } = await parameterShift(shared, [0, 0], [], [Z0], expectations);
    expect([calls, values.length, gradients.length]).toEqual([[0], 0, 0]);
  });

  test('shifts only angles that depend on a parameter', async () => {
    const { calls, expectations } = counted();
    const circuit = {
      ...shared,
      angles: [{ offset: 0, terms: [{ coefficient: 1, feature: 0 }] }, shared.angles[1]!],
    };
    await parameterShift(circuit, [0.3, 0.2], [[2]], [Z0], expectations);
    expect(calls).toEqual([1 + 2]);
  });

  test('agrees with central differences', async () => {
    const stream = new RandomStream(71);
    for (let i = 0; i < 10; i++) {
      const circuit = randomParametricCircuit(stream, 4);
      const theta = randomRow(stream, circuit.numParameters);
      const rows = [0, 1].map(() => randomRow(stream, circuit.numFeatures));
      const observables = [randomObservable(stream, 4), randomObservable(stream, 4)];
      const found = await parameterShift(circuit, theta, rows, observables, oracleExpectations);
      const slopes = await centralDifferences(circuit, theta, rows, observables);
      expect(largestDifference(found.gradients, slopes)).toBeLessThan(1e-6);
    }
  });

  test('passes on what the expectation values fail with', async () => {
    const failing = async () => {
      throw new Error('no engine');
    };
    await expect(parameterShift(shared, [0, 0], [[0]], [Z0], failing)).rejects.toThrow('no engine');
  });
});
