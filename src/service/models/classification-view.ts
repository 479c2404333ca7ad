/** Answer to a classification. */
import { basisLabel } from '../../math/basis-index.ts';
import type {
  Classification,
  ClassifiedRow,
} from '../../workloads/models/qnn-hybrid/qnn-hybrid.ts';
import { viewBackend, viewTiming } from '../backend-view.ts';
import type { ClassificationView, DecisionView, DemoRunView } from '../schemas/models.ts';

/** The answer to one row. */
export function viewClassification(
  modelId: string,
  classification: Classification,
): ClassificationView {
  const [row] = classification.rows;
  if (row === undefined) throw new Error('unreachable: a classification without a row');
  return { ...viewRow(classification, row), ...runFields(modelId, classification) };
}

/** The answer to several rows. */
export function viewClassifications(modelId: string, classification: Classification) {
  return {
    ...runFields(modelId, classification),
    results: classification.rows.map((row) => viewRow(classification, row)),
  };
}

/** The demo's answer: that to one row, with the counts it was made from. */
export function viewDemoRun(modelId: string, classification: Classification): DemoRunView {
  const [row] = classification.rows;
  if (row === undefined) throw new Error('unreachable: a classification without a row');
  return {
    ...viewClassification(modelId, classification),
    counts: viewCounts(row, classification.numQubits),
    bit_order: 'little-endian',
  };
}

/** Bit string, qubit 0 rightmost → how often; outcomes that never came up are left out. */
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
