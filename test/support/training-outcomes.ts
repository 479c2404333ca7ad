/** Outcome of training as far as an artefact has it, for tests that have no time to train. */

import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { scaleRow } from '../../src/workloads/models/qnn-hybrid/feature-scaler.ts';
import { irisPair } from '../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import type { ModelArtefact } from '../../src/workloads/models/qnn-hybrid/model-card.ts';
import { expectationsOf } from '../../src/workloads/models/qnn-hybrid/sampled-expectations.ts';
import {
  ARCHITECTURES,
  circuitOf,
} from '../../src/workloads/models/qnn-hybrid/select-architecture.ts';
import type { TrainingOutcome } from '../../src/workloads/models/qnn-hybrid/train-qnn-hybrid.ts';
import { engineCircuits } from '../../src/workloads/procedures/engine-circuits.ts';
import { NEVER } from './engine-runs.ts';

/** Options of the CPU engine that models are trained on. */
export const TRAINING_ENGINE = {
  precision: 'f64',
  numThreads: 1,
  maxQubits: 12,
  memoryBytes: 2 ** 26,
  isReproducible: true,
} as const;

/** The outcome that the artefact was made from, without its folds. */
export async function outcomeOf({ card, parameters }: ModelArtefact): Promise<TrainingOutcome> {
  const data = irisPair();
  const candidates = card.model_selection.candidates.map(({ accuracy }, i) => {
    const architecture = ARCHITECTURES[i]!;
    return { ...architecture, circuit: circuitOf(architecture), accuracy };
  });
  const chosen = candidates[card.model_selection.candidates.findIndex((one) => one.chosen)]!;
  const scaler = { minimums: parameters.minimums, maximums: parameters.maximums };
  const theta = Float64Array.from(parameters.theta);
  const { circuit } = chosen;
  const { metrics, baselines, training } = card;
  const [
    [trueNegatives = 0, falsePositives = 0] = [],
    [falseNegatives = 0, truePositives = 0] = [],
  ] = metrics.held_out_confusion_matrix.matrix;
  const engine = openCpuEngine(TRAINING_ENGINE);
  const expectations = await expectationsOf(
    circuit,
    theta,
    data.rows.map((row) => scaleRow(scaler, row).values),
    engineCircuits(engine, NEVER),
  );
  await engine.close();
  return {
    data,
    candidates,
    chosen,
    evaluation: {
      folds: [],
      accuracy: metrics.accuracy,
      accuracyAtShots: metrics.accuracy_at_deployed_shots,
      confusion: [
        [trueNegatives, falsePositives],
        [falseNegatives, truePositives],
      ],
      logLoss: metrics.log_loss,
      baselines,
    },
    deployed: {
      fitted: { circuit, theta, threshold: parameters.threshold, losses: [training.final_loss] },
      scaler,
      expectations,
      accuracy: metrics.training_accuracy,
    },
  };
}
