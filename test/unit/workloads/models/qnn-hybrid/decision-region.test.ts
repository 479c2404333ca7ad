/** Where the deployed decision region is linear and where it is not, as the card says. */
import { expect, test } from 'vitest';
import { uniformDraw } from '../../../../../src/math/philox.ts';
import { scaleRow } from '../../../../../src/workloads/models/qnn-hybrid/feature-scaler.ts';
import { irisPair } from '../../../../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import { ARTEFACT } from '../../../../support/fake-classifier.ts';

const { parameters, card } = ARTEFACT;

/** Weights of the four features and the sum of biases: with mixing angles of 0 all there is. */
const weights = [0, 1, 2, 3].map((q) => parameters.theta[3 * q + 1]!);
const bias = [0, 1, 2, 3].reduce((sum, q) => sum + parameters.theta[3 * q + 2]!, 0);

const phaseOf = (inputs: readonly number[]) =>
  inputs.reduce((sum, x, q) => sum + weights[q]! * x, bias);
const isClassOne = (phase: number) => Math.cos(phase) > parameters.threshold;
/** On the side of the boundary that is nearest to phase 0, where the cosine rises or falls once. */
const isOnItsSide = (phase: number) =>
  bias < 0 ? phase > -Math.acos(parameters.threshold) : phase < Math.acos(parameters.threshold);

test('the mixing angles are as near 0 as the card says', () => {
  const mixing = [0, 1, 2, 3].map((q) => Math.abs(parameters.theta[3 * q]!));
  expect(Math.max(...mixing)).toBeLessThan(0.01);
});

test('the weights keep to their bound', () => {
  const total = weights.reduce((sum, weight) => sum + Math.abs(weight), 0);
  expect(total).toBeLessThanOrEqual(card.training.weight_bound + 1e-9);
});

test('the decision is linear for every flower of the data', () => {
  for (const row of irisPair().rows) {
    const phase = phaseOf(scaleRow(parameters, row).values);
    expect(isClassOne(phase)).toBe(isOnItsSide(phase));
  }
});

test('it turns round in less than one hundredth of the range, and somewhere', () => {
  const numPoints = 100_000;
  let turned = 0;
  for (let i = 0; i < numPoints; i++) {
    const phase = phaseOf([0, 1, 2, 3].map((q) => 2 * uniformDraw(5, i, q, 0) - 1));
    if (isClassOne(phase) !== isOnItsSide(phase)) turned++;
  }
  expect(turned / numPoints).toBeLessThan(0.01);
  expect(turned).toBeGreaterThan(0);
});

test('the flower that the card names is called virginica, with a large margin', () => {
  const { values, outOfRange } = scaleRow(parameters, [7.9, 3.8, 3, 1]);
  expect(outOfRange).toEqual([]);
  const expectation = Math.cos(phaseOf(values));
  const noise = Math.sqrt((1 - expectation ** 2) / card.circuit.shots_per_circuit);
  expect((expectation - parameters.threshold) / noise).toBeGreaterThan(10);
});
