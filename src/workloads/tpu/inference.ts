/**
 * The TPU job `inference`: classifies many rows with the deployed model's circuit, in batches.
 *
 * Row k is drawn with seed + k, as in an inference request, so the same rows and seed give the model's
 * own answers.
 */
import { z } from 'zod';
import type { Fault } from '../../errors/coded-error.ts';
import { addToSeed } from '../../math/philox.ts';
import { accuracy, confusionMatrix } from '../algorithms/training/model-evaluation.ts';
import { readArtefact } from '../models/qnn-hybrid/artefact-file.ts';
import { scaleRow } from '../models/qnn-hybrid/feature-scaler.ts';
import { classAbove } from '../models/qnn-hybrid/fit-classifier.ts';
import { irisPair } from '../models/qnn-hybrid/iris-pair.ts';
import { QNN_HYBRID_ID } from '../models/qnn-hybrid/model-id.ts';
import { ANSATZES } from '../models/qnn-hybrid/reuploading-ansatz.ts';
import { expectationsOf } from '../models/qnn-hybrid/sampled-expectations.ts';
import { seedField } from '../procedures/input-fields.ts';
import type { JsonObject } from '../procedures/json.ts';
import { procedure } from '../procedures/procedure.ts';
import type { ProcedureContext } from '../procedures/procedure-context.ts';
import { metered } from './metered-circuits.ts';

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

type InferenceInput = z.output<typeof input>;

/** The TPU job `inference`. */
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
  run: metered(runInference),
});

function labelFaults(numRows: number | undefined, numLabels: number | undefined): readonly Fault[] {
  if (numLabels === undefined || numLabels === numRows) return [];
  const message =
    numRows === undefined
      ? 'Only taken with inputs; the rows that are taken by default have theirs.'
      : `There are ${numLabels} labels for ${numRows} rows.`;
  return [{ path: 'labels', message }];
}

/** Rows of one batch: small enough for frequent progress reports, large enough for an engine. */
const BATCH_ROWS = 1_000;

async function runInference(input: InferenceInput, context: ProcedureContext): Promise<JsonObject> {
  const { parameters, card } = readArtefact();
  const { seed = context.seed, shots } = input;
  const iris = input.inputs === undefined ? irisPair() : undefined;
  const rows = input.inputs ?? iris?.rows ?? [];
  const labels = input.labels ?? iris?.labels;
  const { ansatz, qubits: numQubits, layers: numLayers, theta, threshold } = parameters;
  const circuit = ANSATZES[ansatz].build({ numQubits, numLayers });
  const scaled = rows.map((row) => scaleRow(parameters, row));
  const expectations: number[] = [];
  for (let from = 0; from < rows.length; from += BATCH_ROWS) {
    context.signal.throwIfAborted();
    const batch = scaled.slice(from, from + BATCH_ROWS).map(({ values }) => values);
    const seeds = batch.map((_, k) => addToSeed(seed, from + k));
    expectations.push(
      ...(await expectationsOf(circuit, theta, batch, context.circuits, { shots, seeds })),
    );
    context.countUnits(batch.length);
    const numDone = from + batch.length;
    context.progress(numDone / rows.length, `${numDone} of ${rows.length} rows classified`);
  }
  const predictions = expectations.map((value) => classAbove(threshold, value));
  return {
    model_id: QNN_HYBRID_ID,
    model_version: card.version,
    rows: rows.length,
    predictions,
    predicted_labels: predictions.map((prediction) => card.labels[prediction] ?? ''),
    expectations,
    threshold,
    out_of_range: scaled.flatMap(({ outOfRange }, row) =>
      outOfRange.map((feature) => ({ row, feature: card.feature_names[feature] ?? '' })),
    ),
    ...(labels !== undefined && {
      accuracy: accuracy(labels, predictions),
      // Rows: the true class; columns: the predicted class.
      confusion_matrix: confusionMatrix(labels, predictions),
    }),
    data: iris === undefined ? 'The rows of the input' : card.training.data.name,
    shots,
    ...(shots > 0 && { seed }),
    basis:
      shots > 0
        ? 'Expectation values are sampled from the shots with the seed; row k is drawn with seed + k.'
        : 'Expectation values are exact up to the precision of the processor.',
  };
}
