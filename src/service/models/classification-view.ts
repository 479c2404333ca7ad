/** Answers of classifications, in the form that callers see. */
import { basisLabel } from '../../math/basis-index.ts';
import type {
  Classification,
  ClassifiedRow,
} from '../../workloads/models/qnn-hybrid/qnn-hybrid.ts';
import { viewBackend, viewTiming } from '../circuits/backend-view.ts';
import type { ClassificationView, DecisionView, DemoRunView } from './model-schema.ts';

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
