/** Gradients of the deployed circuit: three ways to the same numbers, on all hundred flowers. */
import { afterAll, expect, test } from 'vitest';
import { openCpuEngine } from '../../../../../src/engine/cpu/cpu-engine.ts';
import { engineExpectations } from '../../../../../src/workloads/algorithms/training/engine-expectations.ts';
import { prepareAdjoint } from '../../../../../src/workloads/algorithms/training/gradients/adjoint.ts';
import { parameterShift } from '../../../../../src/workloads/algorithms/training/gradients/parameter-shift.ts';
import { logisticLoss } from '../../../../../src/workloads/algorithms/training/logistic-loss.ts';
import { expectationsOf } from '../../../../../src/workloads/models/qnn-hybrid/fit-classifier.ts';
import { irisPair } from '../../../../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import { OBSERVABLE } from '../../../../../src/workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import { circuitOf } from '../../../../../src/workloads/models/qnn-hybrid/select-architecture.ts';
import { largestDifference } from '../../../../support/parametric-circuits.ts';
import { RandomStream } from '../../../../support/random-stream.ts';
import { exactZ0, rangeScaler, writtenGhz } from '../../../../support/reuploading-circuits.ts';

const { rows, labels } = irisPair();
const inputs = rows.map(rangeScaler(rows));
const circuit = circuitOf({ ansatz: 'ghz-reuploading', layers: 1 });
const stream = new RandomStream(41);
const theta = Float64Array.from({ length: circuit.numParameters }, () => stream.angle());
const adjoint = prepareAdjoint(circuit)(theta, inputs, [OBSERVABLE]);
const engine = openCpuEngine({
  precision: 'f64',
  numThreads: 1,
  maxQubits: 4,
  memoryBytes: 2 ** 24,
});
afterAll(() => engine.close());

test('adjoint gradients are those of parameter shifts on an engine’s batches', async () => {
  await using shapes = engineExpectations(engine);
  const shifted = await parameterShift(circuit, theta, inputs, [OBSERVABLE], shapes.expectations);
  expect(adjoint.gradients).toHaveLength(1200);
  expect(largestDifference(adjoint.gradients, shifted.gradients)).toBeLessThan(1e-10);
  expect(largestDifference(adjoint.values, shifted.values)).toBeLessThan(1e-12);
});

test('adjoint gradients are finite differences of a slow simulation', () => {
  const step = 1e-5;
  const differences = inputs.flatMap((x) =>
    Array.from(theta, (angle, p) => {
      const at = (moved: number) => exactZ0(writtenGhz(4, 1, theta.with(p, moved), x));
      return (at(angle + step) - at(angle - step)) / (2 * step);
    }),
  );
  expect(largestDifference(adjoint.gradients, differences)).toBeLessThan(1e-6);
});

test('gradients of the loss are its finite differences', () => {
  const lossAt = (moved: Float64Array) => {
    const losses = inputs.map((x, row) => {
      const sign = labels[row] === 1 ? 1 : -1;
      return Math.log(1 + Math.exp(-sign * 3 * exactZ0(writtenGhz(4, 1, moved, x))));
    });
    return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  };
  const { loss, gradient } = logisticLoss(adjoint.values, adjoint.gradients, labels, 3);
  expect(loss).toBeCloseTo(lossAt(theta), 12);
  const step = 1e-5;
  const differences = Array.from(theta, (angle, p) => {
    const [up, down] = [angle + step, angle - step].map((at) => lossAt(theta.with(p, at)));
    return (up! - down!) / (2 * step);
  });
  expect(largestDifference(gradient, differences)).toBeLessThan(1e-7);
});

test('expectation values are those of the slow simulation', () => {
  const slow = inputs.map((x) => exactZ0(writtenGhz(4, 1, theta, x)));
  expect(largestDifference(expectationsOf({ circuit, theta }, inputs), slow)).toBeLessThan(1e-12);
});
