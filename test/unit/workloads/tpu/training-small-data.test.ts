/** Training on the least data that is taken, where rows coincide, features are constant and classes rare. */
import { expect, test } from 'vitest';
import { uniformDraw } from '../../../../src/math/philox.ts';
import type { Json, JsonObject } from '../../../../src/workloads/procedures/json.ts';
import { training } from '../../../../src/workloads/tpu/tpu-procedures.ts';
import { openTestContext } from '../../../support/procedure-context.ts';

/** Paths at which a result has no value: JSON writes NaN and infinity as null. */
function missing(value: Json | undefined, path = ''): readonly string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, field]) => missing(field, `${path}.${name}`));
}

async function trained(input: JsonObject): Promise<JsonObject> {
  await using service = openTestContext();
  return await service.run(training, input);
}

test('rows that are all one have the threshold in the middle, and half of them right', async () => {
  const rows = [[1], [1], [1], [1]];
  const result = await trained({ rows, labels: [0, 0, 1, 1], seed: 1, steps: 3 });
  expect(result).toMatchObject({ threshold: 0, train_accuracy: 0.5 });
  expect(missing(result)).toEqual(['.test_accuracy', '.test_confusion_matrix']);
});

test('rows that are all one are of the class that most of them have', async () => {
  const rows = [[1], [1], [1], [1], [1], [1], [1]];
  for (const labels of [
    [0, 0, 1, 1, 1, 1, 1],
    [1, 1, 0, 0, 0, 0, 0],
  ]) {
    const result = await trained({ rows, labels, seed: 1, steps: 3, test_fraction: 0 });
    expect(result['train_accuracy']).toBeCloseTo(5 / 7, 12);
  }
});

test('few rows of few values give finite numbers, whatever they are', async () => {
  let at = 0;
  const below = (n: number) => Math.floor(n * uniformDraw(2, at++, 0, 0));
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  for (let k = 0; k < 60; k++) {
    const values = pick([[1], [1, -3.5, 5], [0, 5e-324], [-1e6, 1e6], [1, 1 + 2 ** -52], [0, -0]]);
    const numFeatures = 1 + below(2);
    const labels = [0, 0, 1, 1, ...Array.from({ length: below(4) }, () => below(2))];
    const rows = labels.map(() => Array.from({ length: numFeatures }, () => pick(values)));
    const result = await trained({
      rows,
      labels,
      steps: 1 + below(3),
      seed: k,
      test_fraction: pick([0, 0.2, 0.5]),
      learning_rate: pick([1e-5, 0.1, 1]),
      batch_size: 1 + below(rows.length),
      ansatz: pick(['ghz-reuploading', 'ring-reuploading']),
      qubits: 1 + below(3),
      layers: 1 + below(2),
    });
    const absent = result['test_rows'] === 0 ? ['.test_accuracy', '.test_confusion_matrix'] : [];
    expect(missing(result), JSON.stringify({ rows, labels })).toEqual(absent);
  }
});
