/** Training one circuit: initial parameters, learning and threshold. */

import { afterAll, describe, expect, test } from 'vitest';
import {
  angleRows,
  anglesOf,
  parametricCircuit,
} from '../../../../../src/workloads/algorithms/training/parametric-circuit.ts';
import {
  classAbove,
  type FitSettings,
  fitClassifier,
} from '../../../../../src/workloads/models/qnn-hybrid/fit-classifier.ts';
import { circuitOf } from '../../../../../src/workloads/models/qnn-hybrid/select-architecture.ts';
import { plainLogistic } from '../../../../support/plain-baselines.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';
import { gate } from '../../../../support/random-circuits.ts';

const service = openTestContext();
afterAll(() => service[Symbol.asyncDispose]());
const { circuits } = service.context;

const SETTINGS: FitSettings = {
  steps: 0,
  learningRate: 0.2,
  slope: 3,
  initialSpread: 0.3,
  weightBound: 4,
  seed: 5,
};

/** ⟨Z₀⟩ = sin(x·π/2), whatever its one parameter, which turns about Z. */
const SINE = parametricCircuit({
  shape: {
    numQubits: 1,
    numBits: 0,
    operations: [gate('RY', [0], [], [0]), gate('RZ', [0], [], [0])],
  },
  numParameters: 1,
  numFeatures: 1,
  angles: [
    { offset: -Math.PI / 2, terms: [{ coefficient: Math.PI / 2, feature: 0 }] },
    { offset: 0, terms: [{ coefficient: 1, parameter: 0 }] },
  ],
});

/** The threshold for rows whose expectation values are these. */
async function thresholdFor(values: readonly number[], labels: readonly number[]) {
  const rows = values.map((value) => [Math.asin(value) / (Math.PI / 2)]);
  return (await fitClassifier(SINE, { rows, labels }, SETTINGS, circuits)).threshold;
}

describe('the threshold', () => {
  test('is in the middle of two classes of the same shape', async () => {
    expect(await thresholdFor([-0.5, -0.1, 0.3, 0.7], [0, 0, 1, 1])).toBeCloseTo(0.1, 10);
  });

  test('is where a logistic regression on the values is undecided', async () => {
    const values = [-0.9, -0.5, -0.4, 0.2, 0.1, 0.6, 0.8];
    const labels = [0, 0, 1, 0, 1, 1, 1];
    const decide = plainLogistic(
      values.map((value) => [value]),
      labels,
    );
    const threshold = await thresholdFor(values, labels);
    expect(decide([threshold])).toBeCloseTo(0, 9);
  });

  test('stays within (−1, 1) where one class is hardly there', async () => {
    const values = [0.2, 0.3, 0.25, 0.35, 0.3];
    expect(await thresholdFor(values, [1, 1, 1, 1, 0])).toBe(0.99);
    expect(await thresholdFor(values, [0, 1, 1, 1, 1])).toBe(-0.99);
  });

  test('itself is class 0', () => {
    expect([0.1, 0.2, 0.3].map((value) => classAbove(0.2, value))).toEqual([0, 0, 1]);
  });
});

describe('training', () => {
  const circuit = circuitOf({ ansatz: 'ghz-reuploading', layers: 1 });
  const rows = [
    [-1, -1, -0.5, -1],
    [-0.5, 0, -1, -0.5],
    [0.5, 0, 1, 0.5],
    [1, 1, 0.5, 1],
  ];
  const labels = [0, 0, 1, 1];

  test('starts from seeded parameters within the spread', async () => {
    const start = (await fitClassifier(circuit, { rows, labels }, SETTINGS, circuits)).theta;
    expect(Math.max(...start.map(Math.abs))).toBeLessThanOrEqual(0.3);
    expect(new Set(start).size).toBe(12);
    expect(Math.min(...start)).toBeLessThan(0);
    expect((await fitClassifier(circuit, { rows, labels }, SETTINGS, circuits)).theta).toEqual(
      start,
    );
    const other = (
      await fitClassifier(circuit, { rows, labels }, { ...SETTINGS, seed: 6 }, circuits)
    ).theta;
    expect(other).not.toEqual(start);
    const wider = (
      await fitClassifier(circuit, { rows, labels }, { ...SETTINGS, initialSpread: 0.6 }, circuits)
    ).theta;
    expect([...wider]).toEqual([...start].map((angle) => expect.closeTo(2 * angle, 14)));
  });

  test('lowers the loss, tells what it was before each step, and learns its rows', async () => {
    const { losses, theta, threshold } = await fitClassifier(
      circuit,
      { rows, labels },
      { ...SETTINGS, steps: 60 },
      circuits,
    );
    expect(losses).toHaveLength(60);
    expect(losses.at(-1)).toBeLessThan(losses[0]! / 4);
    expect(theta).toHaveLength(12);
    expect(Math.abs(threshold)).toBeLessThan(0.5);
  });

  test('begins with a step of the learning rate along each parameter’s slope', async () => {
    const start = (await fitClassifier(circuit, { rows, labels }, SETTINGS, circuits)).theta;
    const after = (
      await fitClassifier(circuit, { rows, labels }, { ...SETTINGS, steps: 1 }, circuits)
    ).theta;
    const steps = Array.from(start, (angle, p) => Math.abs(after[p]! - angle));
    expect(steps).toEqual(steps.map(() => expect.closeTo(0.2, 3)));
  });
});

test('the angles of many rows stand row after row', () => {
  const circuit = circuitOf({ ansatz: 'ring-reuploading', layers: 1 });
  const theta = Float64Array.from({ length: 8 }, (_, p) => p / 10);
  const rows = [
    [0.1, 0.2, 0.3, 0.4],
    [-1, 1, 0, -0.5],
  ];
  const wanted = rows.flatMap((row) => [...anglesOf(circuit, theta, row)]);
  expect([...angleRows(circuit, theta, rows)]).toEqual(wanted);
});
