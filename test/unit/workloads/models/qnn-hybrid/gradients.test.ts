/** Gradients of the deployed circuit: three ways to the same numbers, on all hundred flowers. */
import { afterAll, expect, test } from 'vitest';
import { openCpuEngine } from '../../../../../src/engine/cpu/cpu-engine.ts';
import { exactGradients } from '../../../../../src/workloads/algorithms/training/gradients.ts';
import { logisticLoss } from '../../../../../src/workloads/algorithms/training/model-evaluation.ts';
import {
  angleGradientToTheta,
  anglesOf,
} from '../../../../../src/workloads/algorithms/training/parametric-circuit.ts';
import { irisPair } from '../../../../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import { OBSERVABLE } from '../../../../../src/workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import { expectationsOf } from '../../../../../src/workloads/models/qnn-hybrid/sampled-expectations.ts';
import { circuitOf } from '../../../../../src/workloads/models/qnn-hybrid/select-architecture.ts';
import { engineCircuits } from '../../../../../src/workloads/procedures/engine-circuits.ts';
import { NEVER } from '../../../../support/engine-runs.ts';
import { gradientOracle } from '../../../../support/gradient-oracle.ts';
import { largestDifference } from '../../../../support/parametric-circuits.ts';
import { RandomStream } from '../../../../support/random-stream.ts';
import { exactZ0, rangeScaler, writtenGhz } from '../../../../support/reuploading-circuits.ts';
import { TRAINING_ENGINE } from '../../../../support/training-outcomes.ts';

const { rows, labels } = irisPair();
const inputs = rows.map(rangeScaler(rows));
const circuit = circuitOf({ ansatz: 'ghz-reuploading', layers: 1 });
const stream = new RandomStream(41);
const theta = Float64Array.from({ length: circuit.numParameters }, () => stream.angle());
const engine = openCpuEngine(TRAINING_ENGINE);
afterAll(() => engine.close());
const circuits = engineCircuits(engine, NEVER);
const exact = await exactGradients(circuit, theta, inputs, [OBSERVABLE], circuits);

test('gradients of an engine’s batches are those of the adjoint method', () => {
  expect(exact.gradients).toHaveLength(1200);
  for (const [row, x] of inputs.entries()) {
    const angles = anglesOf(circuit, theta, x);
    const { value, angleGradient } = gradientOracle(circuit.shape, angles, OBSERVABLE);
    const byTheta = angleGradientToTheta(circuit, x, angleGradient);
    const own = exact.gradients.subarray(row * theta.length, (row + 1) * theta.length);
    expect(largestDifference(own, byTheta)).toBeLessThan(1e-10);
    expect(exact.values[row]).toBeCloseTo(value, 12);
  }
});

test('gradients are finite differences of a slow simulation', () => {
  const step = 1e-5;
  const differences = inputs.flatMap((x) =>
    Array.from(theta, (angle, p) => {
      const at = (moved: number) => exactZ0(writtenGhz(4, 1, theta.with(p, moved), x));
      return (at(angle + step) - at(angle - step)) / (2 * step);
    }),
  );
  expect(largestDifference(exact.gradients, differences)).toBeLessThan(1e-6);
});

test('gradients of the loss are its finite differences', () => {
  const lossAt = (moved: Float64Array) => {
    const losses = inputs.map((x, row) => {
      const sign = labels[row] === 1 ? 1 : -1;
      return Math.log(1 + Math.exp(-sign * 3 * exactZ0(writtenGhz(4, 1, moved, x))));
    });
    return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  };
  const { loss, gradient } = logisticLoss(exact.values, exact.gradients, labels, 3);
  expect(loss).toBeCloseTo(lossAt(theta), 12);
  const step = 1e-5;
  const differences = Array.from(theta, (angle, p) => {
    const [up, down] = [angle + step, angle - step].map((at) => lossAt(theta.with(p, at)));
    return (up! - down!) / (2 * step);
  });
  expect(largestDifference(gradient, differences)).toBeLessThan(1e-7);
});

test('expectation values are those of the slow simulation', async () => {
  const slow = inputs.map((x) => exactZ0(writtenGhz(4, 1, theta, x)));
  const values = await expectationsOf(circuit, theta, inputs, circuits);
  expect(largestDifference(values, slow)).toBeLessThan(1e-12);
});
