import { describe, expect, test } from 'vitest';
import { MAX_SEED } from '../../../../src/math/philox.ts';
import { readArtefact } from '../../../../src/workloads/models/qnn-hybrid/artefact-file.ts';
import { irisPair } from '../../../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import { inference } from '../../../../src/workloads/tpu/inference.ts';
import { openTestContext } from '../../../support/procedure-context.ts';

const { known_answers: KNOWN, parameters, card } = readArtefact();

describe('an inference job', () => {
  test('gives the deployed model’s exact expectation values for flowers that are known', async () => {
    await using service = openTestContext();
    const result = await service.run(inference, {
      inputs: KNOWN.map(({ input }) => [...input]),
      labels: KNOWN.map(({ label }) => label),
      shots: 0,
    });
    const { expectations } = result;
    for (const [i, { expectation }] of KNOWN.entries()) {
      expect(Array.isArray(expectations) && expectations[i]).toBeCloseTo(expectation, 12);
    }
    expect(result).toMatchObject({
      predictions: [0, 1, 0],
      predicted_labels: ['versicolor', 'virginica', 'versicolor'],
      accuracy: 1,
      confusion_matrix: [
        [2, 0],
        [0, 1],
      ],
      threshold: parameters.threshold,
      model_version: card.version,
      out_of_range: [],
    });
    expect(result).not.toHaveProperty('seed');
  });

  test('without an input classifies the Iris pair, as accurately as the model’s card says', async () => {
    await using service = openTestContext();
    const result = await service.run(inference, {});
    expect(result).toMatchObject({ rows: 100, shots: 1024, seed: 7, model_id: 'qnn-hybrid' });
    // Exact training accuracy is the card's; a thousand shots move a flower or two.
    const exact = await service.run(inference, { shots: 0 });
    expect(exact).toMatchObject({ accuracy: card.metrics.training_accuracy });
    expect(Math.abs(Number(result['accuracy']) - card.metrics.training_accuracy)).toBeLessThan(
      0.04,
    );
    expect(service.told.units).toBe(200);
  });

  test('draws a row by its number, so that a part of the rows gives a part of the answers', async () => {
    await using service = openTestContext();
    const { rows } = irisPair();
    const inputs = rows.slice(0, 20).map((row) => [...row]);
    const all = await service.run(inference, { inputs, seed: 100 });
    const tail = await service.run(inference, { inputs: inputs.slice(5), seed: 105 });
    expect(Array.isArray(all['expectations']) && all['expectations'].slice(5)).toEqual(
      tail['expectations'],
    );
    const other = await service.run(inference, { inputs, seed: 101 });
    expect(other['expectations']).not.toEqual(all['expectations']);
  });

  test('counts seeds up past the largest by beginning again at 0', async () => {
    await using service = openTestContext();
    const inputs = Array.from({ length: 3 }, () => [5.7, 2.9, 4.2, 1.3]);
    const wrapped = await service.run(inference, { inputs, seed: MAX_SEED - 1 });
    const start = await service.run(inference, { inputs: inputs.slice(2), seed: 0 });
    expect(Array.isArray(wrapped['expectations']) && wrapped['expectations'][2]).toEqual(
      Array.isArray(start['expectations']) && start['expectations'][0],
    );
  });

  test('tells features that lie outside of the data', async () => {
    await using service = openTestContext();
    const result = await service.run(inference, { inputs: [[1, 3, 5, 99]], shots: 1 });
    expect(result['out_of_range']).toEqual([
      { row: 0, feature: 'sepal length (cm)' },
      { row: 0, feature: 'petal width (cm)' },
    ]);
    expect(result).not.toHaveProperty('accuracy');
  });

  test('goes on counting seeds from one batch to the next', async () => {
    await using service = openTestContext();
    const flower = [6.7, 3, 5, 1.7];
    const many = await service.run(inference, { inputs: Array(1_003).fill(flower), shots: 200 });
    const last = await service.run(inference, { inputs: [flower], shots: 200, seed: 7 + 1_002 });
    expect(Array.isArray(many['expectations']) && many['expectations'].slice(1_002)).toEqual(
      last['expectations'],
    );
  });

  test('takes its full number of rows, and tells how far it is', async () => {
    await using service = openTestContext();
    const inputs = Array.from({ length: 10_000 }, (_, i) => [5 + (i % 3), 3, 4 + (i % 2), 1.5]);
    const result = await service.run(inference, { inputs, shots: 1 });
    expect(result).toMatchObject({ rows: 10_000 });
    expect(service.told.progress).toHaveLength(10);
    expect(service.told.progress.at(-1)).toEqual({
      fraction: 1,
      message: '10000 of 10000 rows classified',
    });
  });

  test('counts the operations of its circuits: 18 gates on 4 qubits a row', async () => {
    await using service = openTestContext();
    const result = await service.run(inference, { inputs: [[5.7, 2.9, 4.2, 1.3]], shots: 1 });
    // 10 gates on 16 amplitudes, 6 controlled ones on 8, each of 14 operations an amplitude.
    expect(result['flops']).toBe(10 * 16 * 14 + 6 * 8 * 14);
  });

  test('ends between batches when it is cancelled', async () => {
    await using service = openTestContext({ signal: AbortSignal.abort(new Error('cancelled')) });
    await expect(service.run(inference, {})).rejects.toThrow('cancelled');
  });

  test.each([
    ['a length that is no number', { inputs: [[5, 3, Number.NaN, 1]] }],
    ['an infinite length', { inputs: [[5, 3, Number.POSITIVE_INFINITY, 1]] }],
    ['a length of 0', { inputs: [[5, 3, 0, 1]] }],
    ['a flower larger than any', { inputs: [[5, 3, 101, 1]] }],
    ['three lengths', { inputs: [[5, 3, 4]] }],
    ['no rows', { inputs: [] }],
    ['too many rows', { inputs: Array.from({ length: 10_001 }, () => [5, 3, 4, 1]) }],
    ['a label of a third class', { inputs: [[5, 3, 4, 1]], labels: [2] }],
    ['too many shots', { shots: 8_193 }],
    ['half a shot', { shots: 0.5 }],
    ['a field that it does not know', { threshold: 0 }],
    ['a text', { inputs: 'rows' }],
  ])('refuses %s', (_, input) => {
    expect(inference.input.safeParse(input).success).toBe(false);
  });

  test('refuses labels that do not match the rows, or that have none', () => {
    const faultsOf = (input: unknown) => inference.faultsOf(input);
    const two = { inputs: [KNOWN[0]?.input, KNOWN[1]?.input] };
    expect(faultsOf({ ...two, labels: [0] })).toEqual([
      { path: 'labels', message: 'There are 1 labels for 2 rows.' },
    ]);
    expect(faultsOf({ labels: [0, 1] }).map(({ path }) => path)).toEqual(['labels']);
    expect(faultsOf({ ...two, labels: [0, 1] })).toEqual([]);
  });
});
