import { describe, expect, test } from 'vitest';
import { uniformDraw } from '../../../../src/math/philox.ts';
import { fitScaler, scaleRow } from '../../../../src/workloads/models/qnn-hybrid/feature-scaler.ts';
import { fitClassifier } from '../../../../src/workloads/models/qnn-hybrid/fit-classifier.ts';
import { irisPair } from '../../../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import { ANSATZES } from '../../../../src/workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import { training } from '../../../../src/workloads/tpu/tpu-procedures.ts';
import { openTestContext } from '../../../support/procedure-context.ts';

/** Full configuration interaction, H₂ in STO-3G at 0.735 Å. */
const H2_ENERGY = -1.1373060358;

function numbers(value: unknown): readonly number[] {
  if (!Array.isArray(value)) throw new Error(`${JSON.stringify(value)} is no list`);
  return value.map(Number);
}

function faultsOf(input: unknown): readonly string[] {
  return training.faultsOf(input).map(({ path }) => path);
}

/** Rows of two features whose classes a line through the origin tells apart. */
function separable(count: number) {
  const rows = Array.from({ length: count }, (_, i) => [
    uniformDraw(1, i, 0, 0) + (i % 2),
    uniformDraw(2, i, 0, 0) - (i % 2),
  ]);
  return { rows, labels: rows.map((_, i) => i % 2) };
}

describe('training a classifier', () => {
  test('comes to the parameters and losses of the training of qnn-hybrid', async () => {
    await using service = openTestContext();
    // Large steps, so that the bound of the weights is met.
    const input = { steps: 8, learning_rate: 0.5, test_fraction: 0, seed: 42 };
    const result = await service.run(training, input);
    const { rows, labels } = irisPair();
    const scaler = fitScaler(rows);
    const fitted = await fitClassifier(
      ANSATZES['ghz-reuploading'].build({ numQubits: 4, numLayers: 1 }),
      { rows: rows.map((row) => scaleRow(scaler, row).values), labels },
      { steps: 8, learningRate: 0.5, slope: 3, initialSpread: 0.3, weightBound: 4, seed: 42 },
      service.context.circuits,
    );
    const losses = numbers(result['loss_curve']);
    expect(losses).toHaveLength(8);
    for (const [i, loss] of fitted.losses.entries()) expect(losses[i]).toBeCloseTo(loss, 9);
    const theta = numbers(result['parameters']);
    for (const [i, value] of fitted.theta.entries()) expect(theta[i]).toBeCloseTo(value, 6);
    expect(result['threshold']).toBeCloseTo(fitted.threshold, 6);
    expect(result).toMatchObject({ test_accuracy: null, test_rows: 0, train_rows: 100 });
  });

  test('without an input learns to tell the flowers apart, also those it has not seen', async () => {
    await using service = openTestContext();
    const result = await service.run(training, {});
    const losses = numbers(result['loss_curve']);
    expect(losses).toHaveLength(40);
    expect(Number(result['final_loss'])).toBeLessThan(Number(losses[0]) / 2);
    expect(result['train_accuracy']).toBeGreaterThan(0.93);
    expect(result['test_accuracy']).toBeGreaterThanOrEqual(0.85);
    expect(result).toMatchObject({ train_rows: 80, test_rows: 20, seed: 7, batch_size: 80 });
    // 10 flowers of each class are held out.
    const heldOut = numbers(result['held_out']);
    expect(heldOut.filter((row) => row < 50)).toHaveLength(10);
    expect(new Set(heldOut).size).toBe(20);
    const confusion = result['test_confusion_matrix'];
    expect(numbers(Array.isArray(confusion) ? confusion.flat() : []).reduce((a, b) => a + b)).toBe(
      20,
    );
  });

  test('learns the rows of a caller, whose features differ in number and range', async () => {
    await using service = openTestContext();
    const result = await service.run(training, { ...separable(60), steps: 30, layers: 2 });
    expect(result).toMatchObject({ features: 2, qubits: 2, layers: 2, train_rows: 48 });
    expect(result['train_accuracy']).toBeGreaterThan(0.95);
    expect(result['test_accuracy']).toBeGreaterThan(0.9);
  });

  test('learns from a few rows a step as well', async () => {
    await using service = openTestContext();
    const result = await service.run(training, { batch_size: 16 });
    expect(result['train_accuracy']).toBeGreaterThan(0.9);
    expect(result).toMatchObject({ batch_size: 16, train_rows: 80 });
  });

  test('gives the same for the same seed, and another start for another', async () => {
    await using service = openTestContext();
    const input = { steps: 3, batch_size: 16, seed: 5 };
    const first = await service.run(training, input);
    expect(await service.run(training, input)).toEqual(first);
    const other = await service.run(training, { ...input, seed: 6 });
    expect(other['parameters']).not.toEqual(first['parameters']);
    expect(other['held_out']).not.toEqual(first['held_out']);
  });

  test('takes each row once a pass, in an order of its own', async () => {
    // One row a step and a learning rate too small to matter: the losses tell which rows came when.
    const input = { ...separable(10), test_fraction: 0, batch_size: 1, learning_rate: 1e-5 };
    await using service = openTestContext();
    const losses = numbers((await service.run(training, { ...input, steps: 20 }))['loss_curve']);
    const [first, second] = [losses.slice(0, 10), losses.slice(10)];
    const apart = (a: readonly number[], b: readonly number[]) =>
      Math.max(...a.map((loss, i) => Math.abs(loss - Number(b[i]))));
    const ascending = (pass: readonly number[]) => pass.toSorted((a, b) => a - b);
    expect(apart(ascending(first), ascending(second))).toBeLessThan(0.005);
    expect(apart(first, second)).toBeGreaterThan(0.1);
  });

  test('bears a feature that is the same in all rows', async () => {
    await using service = openTestContext();
    const { rows, labels } = separable(20);
    const constant = rows.map((row) => [...row, 3]);
    const result = await service.run(training, { rows: constant, labels, steps: 2 });
    expect(numbers(result['parameters']).every(Number.isFinite)).toBe(true);
  });

  test('counts its circuits, one for each gradient, and what they would cost', async () => {
    await using service = openTestContext();
    const result = await service.run(training, { steps: 3, batch_size: 10 });
    // Every row once at the end.
    expect(result['circuits']).toBe(3 * 10 + 100);
    expect(result['flops']).toBe((3 * 3 * 10 + 100) * (10 * 16 * 14 + 6 * 8 * 14));
    expect(service.told.units).toBe(130);
    expect(service.told.progress).toHaveLength(3);
    expect(service.told.progress[2]?.message).toMatch(/^step 3 of 3: loss \d\.\d{4}$/);
  });

  test('ends within a step when it is cancelled', async () => {
    const controller = new AbortController();
    await using service = openTestContext({ signal: controller.signal });
    const run = service.run(training, { steps: 300 });
    controller.abort(new Error('cancelled'));
    await expect(run).rejects.toThrow();
    expect(service.told.progress.length).toBeLessThan(5);
  });
});

describe('training a VQE', () => {
  test('finds the energy of H₂ to chemical accuracy', async () => {
    await using service = openTestContext();
    const result = await service.run(training, { problem: 'vqe' });
    expect(Math.abs(Number(result['energy']) - H2_ENERGY)).toBeLessThan(1e-6);
    expect(result).toMatchObject({ problem: 'vqe', vqe_problem: 'h2', energy_unit: 'hartree' });
    const energies = numbers(result['energy_history']);
    expect(energies.at(-1)).toBeLessThan(Number(energies[0]));
    expect(result['flops']).toBeGreaterThan(0);
    expect(result['circuits']).toBe(service.told.units);
  });

  test('finds the ground energy of a critical Ising ring', async () => {
    await using service = openTestContext();
    const vqe = { problem: 'tfim', sites: 4, periodic: true };
    const result = await service.run(training, { problem: 'vqe', vqe });
    // −Σ 2|sin(k/2)| over k = ±π/4, ±3π/4 for J = h = 1.
    const exact = -2 * 2 * (Math.sin(Math.PI / 8) + Math.sin((3 * Math.PI) / 8));
    expect(result['energy']).toBeCloseTo(exact, 5);
  });

  test('takes the steps and the rate of Adam from the job', async () => {
    await using service = openTestContext();
    const result = await service.run(training, {
      problem: 'vqe',
      steps: 4,
      learning_rate: 0.05,
      vqe: { optimizer: 'adam', tolerance: 0 },
    });
    expect(numbers(result['energy_history'])).toHaveLength(5);
    // No step of Adam's is much longer than its rate.
    const [theta = 0] = numbers(result['parameters']);
    expect(Math.abs(theta)).toBeGreaterThan(0.1);
    expect(Math.abs(theta)).toBeLessThan(0.21);
    expect(result).toMatchObject({ optimizer: 'adam', seed: 7 });
  });
});

describe('a training job is refused', () => {
  const { rows, labels } = separable(6);
  const wide = (length: number) => Array.from({ length }, () => 0);

  test.each([
    ['labels of fewer rows', { rows, labels: labels.slice(1) }, ['labels']],
    ['rows without labels', { rows }, ['labels']],
    ['labels without rows', { labels }, ['labels']],
    ['one class only', { rows, labels: wide(6) }, ['labels']],
    ['one row of a class', { rows, labels: [1, 0, 0, 0, 0, 0] }, ['labels']],
    ['rows of different lengths', { rows: [...rows.slice(1), [1]], labels }, ['rows[5]']],
    ['a step of more rows than there are', { rows, labels, batch_size: 7 }, ['batch_size']],
    ['a step of more rows than the Iris pair has', { batch_size: 101 }, ['batch_size']],
    ['a VQE in a classifier', { vqe: {} }, ['vqe']],
    ['rows in a VQE', { problem: 'vqe', rows, labels, qubits: 2 }, ['rows', 'labels', 'qubits']],
    ['a wrong field of a VQE', { problem: 'vqe', vqe: { sites: 3 } }, ['vqe.sites']],
    [
      'a qubit that is none in a VQE',
      { problem: 'vqe', vqe: { problem: 'custom', observable: [{ pauli: 'Z0 Q1' }] } },
      ['vqe.observable[0].pauli'],
    ],
    ['a rate that BFGS has no use for', { problem: 'vqe', learning_rate: 0.1 }, ['learning_rate']],
    [
      'more work than there is time for',
      {
        rows: Array.from({ length: 500 }, () => wide(8)),
        labels: Array.from({ length: 500 }, (_, i) => i % 2),
        layers: 4,
        steps: 300,
      },
      ['steps'],
    ],
    [
      'a VQE of more work than there is time for',
      {
        problem: 'vqe',
        steps: 300,
        vqe: { problem: 'tfim', sites: 12, ansatz: 'hardware_efficient', layers: 12, restarts: 8 },
      },
      ['steps'],
    ],
  ])('for %s', (_, input, paths) => {
    expect(faultsOf(input)).toEqual(paths);
  });

  test.each([
    ['NaN', { rows: [[Number.NaN], [1], [2], [3]], labels: [0, 0, 1, 1] }],
    ['a value beyond bounds', { rows: [[1e7], [1], [2], [3]], labels: [0, 0, 1, 1] }],
    ['a row without values', { rows: [[], [], [], []], labels: [0, 0, 1, 1] }],
    ['nine features', { rows: [wide(9), wide(9), wide(9), wide(9)], labels: [0, 0, 1, 1] }],
    ['too many rows', { rows: Array.from({ length: 501 }, () => [1]) }],
    ['a third class', { rows: [[0], [1], [2], [3]], labels: [0, 1, 2, 1] }],
    ['no steps', { steps: 0 }],
    ['a learning rate of 0', { learning_rate: 0 }],
    ['steps inside of vqe', { problem: 'vqe', vqe: { steps: 3 } }],
    ['an unknown problem', { problem: 'language' }],
    ['an unknown field', { epochs: 3 }],
  ])('for the form of %s', (_, input) => {
    expect(training.input.safeParse(input).success).toBe(false);
  });

  test('and told how many steps there is time for', () => {
    const input = {
      rows: Array.from({ length: 500 }, () => wide(8)),
      labels: Array.from({ length: 500 }, (_, i) => i % 2),
      layers: 4,
      steps: 300,
    };
    const [fault] = training.faultsOf(input);
    const most = Number(/the limit is (\d+)/.exec(fault?.message ?? '')?.[1]);
    expect(most).toBeGreaterThan(10);
    expect(faultsOf({ ...input, steps: most })).toEqual([]);
    expect(faultsOf({ ...input, steps: most + 1 })).toEqual(['steps']);
  });
});
