/** Schemas of models, of inferences and of the public demo. */
import { z } from 'zod';
import { MAX_SEED } from '../../math/philox.ts';
import {
  INFERENCE_LIMITS,
  MAX_THETA_LENGTH,
} from '../../workloads/models/qnn-hybrid/classification-request.ts';
import { modelCard as classifierCard } from '../../workloads/models/qnn-hybrid/model-card.ts';
import {
  DEFAULT_MAX_TOKENS,
  MAX_INPUT_LENGTH,
  MAX_TEMPERATURE,
} from '../../workloads/models/text-generation/text-request.ts';
import { backend } from '../circuits/circuit-schema.ts';
import { isoTimestamp } from '../http/envelope.ts';

const { maxRows, maxShots, maxQubits, maxLayers, maxLength } = INFERENCE_LIMITS;

// The limits are documented here and checked by the model, so that one answer lists every fault.
const row = z.array(z.number()).meta({ minItems: 4, maxItems: 4, examples: [[6.8, 3, 5.5, 2.1]] });
const shots = z.int().optional().meta({ minimum: 1, maximum: maxShots });
const seed = z.int().min(0).max(MAX_SEED).optional();

/** Fields of a circuit of the caller's own, without which they have no meaning. */
const OWN_CIRCUIT_RULES = { dependentRequired: { qubits: ['theta'], threshold: ['theta'] } };
/** Rule that shots and seed are given beside the input or among the parameters, not in both. */
const givenTwice = (name: string) => ({
  required: [name, 'parameters'],
  properties: { parameters: { required: [name] } },
});
const CLASSIFICATION_RULES = {
  oneOf: [{ required: ['input'] }, { required: ['inputs'] }],
  not: { anyOf: [givenTwice('shots'), givenTwice('seed')] },
};

const classificationParameters = z.strictObject({
  theta: z
    .array(z.number())
    .optional()
    .describe(
      `Runs a circuit of the caller's own instead of the deployed one: ansatz \`ghz-reuploading\`, 3 numbers a qubit and layer, at most ${maxLayers} layers. Their number decides the layers`,
    )
    .meta({ minItems: 3, maxItems: MAX_THETA_LENGTH }),
  qubits: z
    .int()
    .optional()
    .describe(`Qubits of your own circuit, 1 to ${maxQubits}; 4 by default`)
    .meta({ minimum: 1, maximum: maxQubits }),
  threshold: z
    .number()
    .optional()
    .describe('Threshold of your own circuit; default 0')
    .meta({ minimum: -1, maximum: 1 }),
  shots: shots.describe(`1 to ${maxShots}; may also be given next to \`input\``),
  seed: seed.describe(
    'The same request with the same seed has the same answer; may also be given next to `input`',
  ),
});

/** Body of an inference with `qnn-hybrid`. */
export const classificationBody = z
  .strictObject({
    input: row
      .optional()
      .describe(
        `One row, in the order of model_card.feature_names: centimetres above 0 and up to ${maxLength}, or with \`parameters.theta\` numbers in [-1, 1]`,
      ),
    inputs: z
      .array(row)
      .optional()
      .describe(`Replaces \`input\`: up to ${maxRows} rows, which run as one batch`)
      .meta({ minItems: 1, maxItems: maxRows }),
    parameters: classificationParameters.meta(OWN_CIRCUIT_RULES).optional(),
    shots: shots.describe(`1 to ${maxShots}; the deployed number by default`),
    seed: seed.describe('The same request with the same seed has the same answer'),
  })
  .meta({
    id: 'Classification',
    ...CLASSIFICATION_RULES,
    examples: [
      { input: [6.8, 3, 5.5, 2.1], shots: 1000, seed: 7 },
      {
        inputs: [
          [6.8, 3, 5.5, 2.1],
          [5.7, 2.9, 4.2, 1.3],
        ],
      },
      {
        input: [0.2, -0.1, 0.5, 0.7],
        parameters: { theta: [0, 0.5, 0, 0, 0.5, 0, 0, 1, 0, 0, 1, 0] },
      },
    ],
  });
export type ClassificationBody = z.output<typeof classificationBody>;

/** Body of an inference with a text model; the model checks its own limits. */
export const textBody = z
  .strictObject({
    input: z.string().meta({ minLength: 1, maxLength: MAX_INPUT_LENGTH }),
    parameters: z
      .strictObject({
        max_tokens: z
          .int()
          .optional()
          .describe(
            `1 to model_card.limits.max_tokens, which the operator sets; default ${DEFAULT_MAX_TOKENS}, or that limit if it is smaller`,
          )
          // The limit depends on the service; without this, the document would state 2^53 - 1.
          .meta({ minimum: 1, maximum: undefined }),
        temperature: z
          .number()
          .optional()
          .describe('By default that of the upstream')
          .meta({ minimum: 0, maximum: MAX_TEMPERATURE }),
      })
      .optional(),
  })
  .meta({
    id: 'TextGeneration',
    examples: [
      {
        input: 'What is a qubit? Answer in one sentence.',
        parameters: { max_tokens: 100, temperature: 0.2 },
      },
    ],
  });

/** Body of an inference with any model. */
export const inferenceBody = z.union([classificationBody, textBody]);

/** Body of the demo. */
export const demoBody = z
  .strictObject({
    input: z
      .array(z.number().meta({ exclusiveMinimum: 0, maximum: maxLength }))
      .meta({ minItems: 4, maxItems: 4 }),
  })
  .meta({ examples: [{ input: [6.8, 3, 5.5, 2.1] }] });

const timing = z.strictObject({
  queue_ms: z.number(),
  compile_ms: z.number(),
  execution_ms: z.number(),
});

const decisionFields = {
  prediction: z.int().min(0).max(1).describe('Predicted class'),
  prediction_label: z.string(),
  expectation: z.number().min(-1).max(1).describe('Measured expectation value of Z0'),
  margin_in_shot_noise: z
    .number()
    .min(0)
    .describe(
      'Distance of the expectation from the threshold, in units of the standard error of the expectation (binomial)',
    ),
  out_of_range: z
    .array(z.string())
    .describe('Features outside the range of the training data; each was clipped to that range'),
};
const runFields = {
  model_id: z.string(),
  mode: z.enum(['trained', 'custom']),
  threshold: z.number().describe('Threshold of the expectation: class 1 above it'),
  backend: z.string().describe('Processor and engine that ran the circuits'),
  backend_details: backend.extend({ processor: z.string() }),
  qubits: z.int(),
  layers: z.int(),
  parameters: z.int().describe('Number of parameters of the circuit'),
  shots_per_circuit: z.int(),
  seed: z.int(),
  timing,
};

/** The answer to one row. */
export const classification = z
  .strictObject({ ...runFields, ...decisionFields })
  .meta({ id: 'ClassificationResult' });
export type ClassificationView = z.output<typeof classification>;

const decision = z.strictObject(decisionFields);
/** One row's part of the answer to several. */
export type DecisionView = z.output<typeof decision>;

/** The answer to several rows, in their order; row k was drawn with `seed` + k. */
const classificationBatch = z
  .strictObject({ ...runFields, results: z.array(decision) })
  .meta({ id: 'ClassificationBatchResult' });

/** The demo's answer. */
export const demoResult = z
  .strictObject({
    ...runFields,
    ...decisionFields,
    counts: z
      .record(z.string(), z.int())
      .describe(
        'Number of shots for each outcome, qubit 0 rightmost. The expectation is computed from them',
      ),
    bit_order: z.literal('little-endian'),
  })
  .meta({ id: 'DemoResult' });
export type DemoRunView = z.output<typeof demoResult>;

/** The answer of a text model. */
export const textResult = z
  .strictObject({
    model_id: z.string(),
    text: z.string(),
    finish_reason: z.enum(['stop', 'length', 'content_filter', 'other']),
    backend: z.string().describe("The upstream's model"),
    upstream_model: z.string(),
    usage: z.strictObject({ prompt_tokens: z.int(), completion_tokens: z.int() }).optional(),
    timing: z.strictObject({ upstream_ms: z.number() }),
  })
  .meta({ id: 'TextResult' });
export type TextResultView = z.output<typeof textResult>;

/** Answer of an inference with any model. */
export const inferenceResult = z.union([classification, classificationBatch, textResult]);

const modelFields = {
  id: z.string().meta({ examples: ['qnn-hybrid'] }),
  name: z.string(),
  task: z.enum(['classification', 'text-generation']),
  description: z.string(),
  available: z
    .boolean()
    .describe('Whether the last self-test passed, so that an inference sent now would run'),
  reason: z.string().optional().describe('Reason, if it is not available'),
  checked_at: isoTimestamp.describe('End of the last self-test'),
};

/** A model in the listing. */
export const modelSummary = z.strictObject(modelFields).meta({ id: 'ModelSummary' });
export type ModelSummaryView = z.output<typeof modelSummary>;

/** All models. */
export const modelList = z.strictObject({ models: z.array(modelSummary) });

const textCard = z
  .strictObject({
    model_id: z.string(),
    name: z.string(),
    task: z.literal('text-generation'),
    description: z.string(),
    trained_parameters_deployed: z
      .literal(false)
      .describe('The service has no language model of its own'),
    limits: z.strictObject({
      input_characters: z.int(),
      max_tokens: z.int(),
      default_max_tokens: z.int(),
      temperature: z.number(),
    }),
    intended_use: z.string(),
    limitations: z.array(z.string()),
  })
  .meta({ id: 'TextModelCard' });
export type TextCardView = z.output<typeof textCard>;

const customCircuit = z.strictObject({
  ansatz: z.string(),
  description: z.string(),
  features: z.string(),
  theta: z.string(),
  default_qubits: z.int(),
  parameters_per_qubit_and_layer: z.int(),
  theta_lengths: z
    .array(z.int())
    .describe('Valid lengths of `theta` for the default number of qubits'),
});

const inferenceFacts = z.strictObject({
  path: z.string(),
  limits: z
    .strictObject({
      rows: z.int(),
      shots: z.int(),
      custom_qubits: z.int(),
      custom_layers: z.int(),
    })
    .optional(),
  custom_circuit: customCircuit.optional(),
  examples: z.array(z.record(z.string(), z.unknown())).describe('Whole request bodies'),
});
export type InferenceFactsView = z.output<typeof inferenceFacts>;

/** One model with its card. */
export const modelDetail = z
  .strictObject({
    ...modelFields,
    model_card: z.union([classifierCard.meta({ id: 'ModelCard' }), textCard]),
    inference: inferenceFacts,
  })
  .meta({ id: 'Model' });
export type ModelDetailView = z.output<typeof modelDetail>;

/** Path of one model. */
export const modelParams = z.strictObject({ model_id: z.string() });
