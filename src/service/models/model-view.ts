/** Models as callers see them: the entry of a listing, the details with the card, classifications. */

import { basisLabel } from '../../math/basis-index.ts';
import type { Model } from '../../workloads/models/model.ts';
import { INFERENCE_LIMITS } from '../../workloads/models/qnn-hybrid/classification-request.ts';
import type {
  Classification,
  ClassifiedRow,
} from '../../workloads/models/qnn-hybrid/qnn-hybrid.ts';
import {
  GHZ_REUPLOADING,
  NUM_FEATURES,
} from '../../workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import { viewBackend, viewTiming } from '../circuits/backend-view.ts';
import type { ModelDirectory } from '../directories.ts';
import { isoTime } from '../http/envelope.ts';
import { ModelNotFoundError } from '../http/errors.ts';
import type {
  ClassificationView,
  DecisionView,
  DemoRunView,
  InferenceFactsView,
  ModelDetailView,
  ModelSummaryView,
  TextCardView,
} from './model-schema.ts';

/**
 * Finds a model by id.
 *
 * @throws {ModelNotFoundError}
 */
export function findModel({ models }: ModelDirectory, id: string): Model {
  const found = models.find((model) => model.id === id);
  if (found !== undefined) return found;
  throw new ModelNotFoundError(
    id,
    models.map((model) => model.id),
  );
}

/** Entry of a model in the listing. */
export function viewModel(model: Model): ModelSummaryView {
  const { available, reason, checkedAt } = model.availability();
  return {
    id: model.id,
    name: model.name,
    task: model.task,
    description: model.description,
    available,
    ...(reason !== undefined && { reason }),
    checked_at: isoTime(checkedAt),
  };
}

/**
 * Details of a model: its card and the form of its requests.
 *
 * @throws {ModelNotFoundError}
 */
export function viewModelDetail(directory: ModelDirectory, id: string): ModelDetailView {
  const model = findModel(directory, id);
  const { classifier, text } = directory;
  return {
    ...viewModel(model),
    model_card: model.id === classifier.id ? classifier.card : textCard(text),
    inference: model.id === classifier.id ? classifierFacts(classifier) : textFacts(text),
  };
}

function classifierFacts({ id, knownAnswers }: ModelDirectory['classifier']): InferenceFactsView {
  const { maxRows, maxShots, maxQubits, maxLayers } = INFERENCE_LIMITS;
  const perLayer = GHZ_REUPLOADING.parametersPerQubit * NUM_FEATURES;
  return {
    path: inferencePath(id),
    limits: {
      rows: maxRows,
      shots: maxShots,
      custom_qubits: maxQubits,
      custom_layers: maxLayers,
    },
    custom_circuit: {
      ansatz: GHZ_REUPLOADING.id,
      description: GHZ_REUPLOADING.description,
      features:
        'x of qubit q in layer l is input[(l · qubits + q) mod 4]; every input lies in [-1, 1], and the deployed scaler is not applied.',
      theta:
        'Three numbers for each qubit, qubit after qubit, layer after layer: theta[3 · (l · qubits + q)] and the two after it.',
      default_qubits: NUM_FEATURES,
      parameters_per_qubit_and_layer: GHZ_REUPLOADING.parametersPerQubit,
      theta_lengths: Array.from({ length: maxLayers }, (_, layer) => (layer + 1) * perLayer),
    },
    examples: [
      { input: [...(knownAnswers[0]?.input ?? [])] },
      { inputs: knownAnswers.map(({ input }) => [...input]), shots: 1000, seed: 7 },
      {
        input: [0.2, -0.1, 0.5, 0.7],
        parameters: { theta: [0, 0.5, 0, 0, 0.5, 0, 0, 1, 0, 0, 1, 0], shots: 1000, seed: 7 },
      },
    ],
  };
}

function textFacts({ id }: ModelDirectory['text']): InferenceFactsView {
  return {
    path: inferencePath(id),
    examples: [
      {
        input: 'What is a qubit? Answer in one sentence.',
        parameters: { max_tokens: 100, temperature: 0.2 },
      },
    ],
  };
}

function textCard({ id, name, description, limits }: ModelDirectory['text']): TextCardView {
  return {
    model_id: id,
    name,
    task: 'text-generation',
    description,
    trained_parameters_deployed: false,
    limits: {
      input_characters: limits.maxInputLength,
      max_tokens: limits.maxTokens,
      default_max_tokens: limits.defaultMaxTokens,
      temperature: limits.maxTemperature,
    },
    intended_use: 'Text for whatever the upstream that serves it is meant for.',
    limitations: [
      'This service has no language model of its own and knows nothing of the quality of the upstream’s; backend names it in every answer.',
      'Without an upstream, or while it does not pass its self-test, the model is unavailable.',
    ],
  };
}

function inferencePath(id: string): string {
  return `/api/v1/models/${id}/inference`;
}

/** Answer for one row. */
export function viewClassification(
  modelId: string,
  classification: Classification,
): ClassificationView {
  const [row] = classification.rows;
  if (row === undefined) throw new Error('unreachable: a classification without a row');
  return { ...viewRow(classification, row), ...runFields(modelId, classification) };
}

/** Answer for several rows. */
export function viewClassifications(modelId: string, classification: Classification) {
  return {
    ...runFields(modelId, classification),
    results: classification.rows.map((row) => viewRow(classification, row)),
  };
}

/** Answer of the demo: that for one row, with its counts. */
export function viewDemoRun(modelId: string, classification: Classification): DemoRunView {
  const [row] = classification.rows;
  if (row === undefined) throw new Error('unreachable: a classification without a row');
  return {
    ...viewClassification(modelId, classification),
    counts: viewCounts(row, classification.numQubits),
    bit_order: 'little-endian',
  };
}

/** Counts by bit string, qubit 0 rightmost; outcomes without counts are left out. */
function viewCounts({ counts }: ClassifiedRow, numQubits: number): Record<string, number> {
  const view: Record<string, number> = {};
  for (const [outcome, times] of counts.entries()) {
    if (times > 0) view[basisLabel(outcome, numQubits)] = times;
  }
  return view;
}

function runFields(modelId: string, classification: Classification) {
  const { backend, processor } = classification;
  return {
    model_id: modelId,
    mode: classification.mode,
    threshold: classification.threshold,
    backend: `${processor}: ${backend.engine} engine, ${backend.precision}, on ${backend.hardware}`,
    backend_details: { processor, ...viewBackend(backend) },
    qubits: classification.numQubits,
    layers: classification.numLayers,
    parameters: classification.numParameters,
    shots_per_circuit: classification.shots,
    seed: classification.seed,
    timing: viewTiming(classification.timing),
  };
}

function viewRow({ labels }: Classification, row: ClassifiedRow): DecisionView {
  return {
    prediction: row.prediction,
    prediction_label: labels[row.prediction] ?? `${row.prediction}`,
    expectation: row.expectation,
    margin_in_shot_noise: row.marginInShotNoise,
    out_of_range: [...row.outOfRange],
  };
}
