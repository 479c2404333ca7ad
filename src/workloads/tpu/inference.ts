/** What an inference job takes; inference-run.ts does it. */
import { z } from 'zod';
import type { Fault } from '../../errors/coded-error.ts';
import { seedField } from '../procedures/input-fields.ts';
import { procedure } from '../procedures/procedure.ts';

const MAX_ROWS = 10_000;
const MAX_SHOTS = 8_192;
const MAX_LENGTH_CM = 100;
const NUM_FEATURES = 4;

const length = z.number().gt(0).max(MAX_LENGTH_CM);

const input = z.strictObject({
  inputs: z
    .array(z.array(length).length(NUM_FEATURES))
    .min(1)
    .max(MAX_ROWS)
    .optional()
    .describe(
      'Flowers, each as sepal length, sepal width, petal length, petal width in centimetres; by default the 100 labelled flowers of the Iris data',
    ),
  labels: z
    .array(z.union([z.literal(0), z.literal(1)]))
    .max(MAX_ROWS)
    .optional()
    .describe(
      'True classes of the rows of `inputs`, 0 versicolor and 1 virginica; with them the result has the accuracy',
    ),
  shots: z
    .int()
    .min(0)
    .max(MAX_SHOTS)
    .default(1024)
    .describe('Shots of each prediction; 0 uses the exact expectation value; default 1024'),
  seed: seedField,
});

/** An input of an inference job. */
export type InferenceInput = z.output<typeof input>;

/** Classification of a batch with the deployed model. */
export const inference = procedure({
  name: 'inference',
  description:
    'Classifies rows with the deployed qnn-hybrid model, one circuit per row. The result has a prediction, its label and its expectation value for each row, and the accuracy if labels are known.',
  input,
  check: ({ inputs, labels }) => labelFaults(inputs?.length, labels?.length),
  limits: { deadline_ms: 120_000, inputs: MAX_ROWS, shots: MAX_SHOTS },
  example: {
    inputs: [
      [5.7, 2.9, 4.2, 1.3],
      [6.8, 3, 5.5, 2.1],
    ],
    labels: [0, 1],
    seed: 7,
  },
  load: () => import('./inference-run.ts').then(({ runInference }) => runInference),
});

function labelFaults(numRows: number | undefined, numLabels: number | undefined): readonly Fault[] {
  if (numLabels === undefined || numLabels === numRows) return [];
  const message =
    numRows === undefined
      ? 'Only taken with inputs; the rows that are taken by default have theirs.'
      : `There are ${numLabels} labels for ${numRows} rows.`;
  return [{ path: 'labels', message }];
}
