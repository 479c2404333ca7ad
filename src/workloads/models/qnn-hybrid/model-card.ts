/**
 * Schemas of the model card and of its file; field names are those of the JSON documents.
 *
 * @see Mitchell et al., "Model cards for model reporting" (2019); the metadata of Hugging Face's model
 *   cards (model-index).
 */
import { z } from 'zod';

const fraction = z.number().min(0).max(1);
const sha256 = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** An accuracy over the test folds of a cross-validation. */
const accuracyOverFolds = z.strictObject({
  mean: fraction.describe('Mean over all test folds'),
  spread: fraction.describe('Sample standard deviation between folds'),
});

const candidate = z.strictObject({
  ansatz: z.string(),
  layers: z.int(),
  parameters: z.int(),
  accuracy: accuracyOverFolds,
  chosen: z.boolean(),
});

const crossValidation = z.strictObject({
  folds: z.int(),
  repeats: z.int(),
  seed: z.int().describe('Seed of the splits'),
});

const operation = z.strictObject({
  gate: z.string(),
  controls: z.array(z.int()).optional(),
  targets: z.array(z.int()),
  angle: z
    .strictObject({
      offset: z.number().describe('Radians'),
      factor: z.number().optional().describe('Radians per unit of the scaled feature'),
      feature: z.int().optional().describe('Index into feature_names'),
    })
    .optional()
    .describe('offset + factor · scaled feature'),
});

/** Model card of the deployed model. */
export const modelCard = z.strictObject({
  model_id: z.string(),
  name: z.string(),
  version: z.string(),
  license: z.string(),
  task: z.literal('binary-classification'),
  description: z.string(),
  trained_parameters_deployed: z.boolean(),
  parameter_hash: sha256.describe('Hash of the parameters as canonical JSON'),
  measured_at: z.iso.date().describe('Date of the first measurement of the figures below'),
  feature_names: z.array(z.string()).length(4),
  features: z.array(
    z.strictObject({
      name: z.string(),
      unit: z.literal('cm'),
      minimum: z.number().describe('Minimum in the training data; −1 after scaling'),
      maximum: z.number().describe('Maximum in the training data; 1 after scaling'),
      mean: z.number(),
    }),
  ),
  scaler: z.string(),
  out_of_range_policy: z.string(),
  labels: z.array(z.string()).length(2).describe('Class 0 and class 1'),
  circuit: z.strictObject({
    ansatz: z.string(),
    description: z.string(),
    qubits: z.int(),
    layers: z.int(),
    parameters: z.int(),
    observable: z.string(),
    decision: z.string(),
    threshold: z.number(),
    shots_per_circuit: z.int().min(1).max(8192),
    operations: z
      .array(operation)
      .describe('Operations of the deployed circuit, with the trained numbers'),
  }),
  training: z.strictObject({
    data: z.strictObject({
      name: z.string(),
      source: z.string(),
      rows: z.int(),
      rows_per_class: z.array(z.int()).length(2),
      hash: sha256,
    }),
    split: z.string(),
    loss: z.string(),
    gradient: z.string(),
    optimiser: z.string(),
    steps: z.int(),
    learning_rate: z.number(),
    weight_bound: z.number().describe('Largest sum of the absolute weights of features, radians'),
    initialisation: z.string(),
    threshold_calibration: z.string(),
    seed: z.int(),
    final_loss: z.number(),
  }),
  model_selection: z.strictObject({
    rule: z.string(),
    cross_validation: crossValidation,
    candidates: z.array(candidate),
  }),
  metrics: z.strictObject({
    basis: z.literal('measured'),
    cross_validation: crossValidation,
    accuracy: accuracyOverFolds.describe('Accuracy with exact expectation values'),
    accuracy_at_deployed_shots: accuracyOverFolds.extend({
      shots: z.int(),
      seed: z
        .int()
        .describe('Seed of the first circuit; each further circuit uses the next number'),
    }),
    held_out_confusion_matrix: z.strictObject({
      rows: z.string(),
      labels: z.array(z.string()),
      matrix: z.array(z.array(z.int())).describe('matrix[true class][predicted class]'),
    }),
    log_loss: z
      .number()
      .describe('Log loss in nats, of the probabilities 1 / (1 + e^(−slope·(E − threshold)))'),
    training_accuracy: fraction.describe(
      'Accuracy of the deployed parameters on their training rows',
    ),
  }),
  baselines: z
    .array(z.strictObject({ id: z.string(), name: z.string(), accuracy: accuracyOverFolds }))
    .describe('Classical classifiers on the same splits, measured in the same run'),
  intended_use: z.string(),
  limitations: z.array(z.string()),
  reproduce: z.strictObject({ command: z.string(), gives: z.string() }),
});
/** The card. */
export type ModelCard = z.output<typeof modelCard>;

/** Parameters that determine an inference. */
export const deployedParameters = z.strictObject({
  ansatz: z.enum(['ghz-reuploading', 'ring-reuploading']),
  qubits: z.int().min(1).max(12),
  layers: z.int().min(1).max(8),
  theta: z.array(z.number()),
  minimums: z.array(z.number()).length(4),
  maximums: z.array(z.number()).length(4),
  threshold: z.number().min(-1).max(1),
});
/** Parameters that determine an inference. */
export type DeployedParameters = z.output<typeof deployedParameters>;

/** The file: the deployed parameters, known answers, and the model card. */
export const modelArtefact = z.strictObject({
  format: z.literal(1),
  parameters: deployedParameters,
  known_answers: z
    .array(
      z.strictObject({
        name: z.string(),
        input: z.array(z.number()).length(4).describe('Centimetres'),
        label: z.int().min(0).max(1).describe('What the flower really is'),
        expectation: z.number().describe('Exact'),
      }),
    )
    .min(1),
  card: modelCard,
});
/** The file's contents. */
export type ModelArtefact = z.output<typeof modelArtefact>;
