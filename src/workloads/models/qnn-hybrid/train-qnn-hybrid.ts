/**
 * Trains qnn-hybrid, from the data to the deployed file: chooses a circuit, measures it beside classical
 * classifiers on splits of its own, and trains it on all rows.
 *
 * The result depends neither on time, on random sources nor on the number of threads: every run produces
 * the same file, byte for byte.
 */
import type { Engine } from '../../../engine/engine.ts';
import { BASELINES, classOf } from '../../algorithms/training/baselines.ts';
import {
  accuracy,
  type ConfusionMatrix,
  confusionMatrix,
  logLoss,
  type Split,
  stratifiedSplits,
} from '../../algorithms/training/model-evaluation.ts';
import { engineCircuits } from '../../procedures/engine-circuits.ts';
import type { Runner } from '../../procedures/procedure-context.ts';
import { type FeatureScaler, fitScaler, scaleRow } from './feature-scaler.ts';
import {
  classAbove,
  type FitSettings,
  type FittedClassifier,
  fitClassifier,
} from './fit-classifier.ts';
import { type IrisPair, irisPair } from './iris-pair.ts';
import { expectationsOf } from './sampled-expectations.ts';
import {
  ARCHITECTURES,
  type Architecture,
  type Candidate,
  chooseCandidate,
  compareArchitectures,
  crossValidate,
  type FoldAccuracy,
  type FoldOutcome,
  overFolds,
  predictionsOf,
} from './select-architecture.ts';

/** Hyperparameters and seeds of the training. */
export const TRAINING_PLAN = {
  fit: {
    steps: 150,
    learningRate: 0.1,
    slope: 3,
    initialSpread: 0.3,
    weightBound: 4,
    seed: 20_261_121,
  },
  selection: { numFolds: 5, numRepeats: 4, seed: 1 },
  evaluation: { numFolds: 5, numRepeats: 20, seed: 2 },
  /** Default number of shots of an inference. */
  deployedShots: 1024,
  shotSeed: 3,
} as const;

/** Performance of the chosen circuit on held-out flowers. */
export interface Evaluation {
  /**
   * Outputs from which the figures below are computed; with the splits they suffice to recompute them.
   */
  readonly folds: readonly FoldOutcome[];
  readonly accuracy: FoldAccuracy;
  readonly accuracyAtShots: FoldAccuracy;
  /** Confusion matrix from exact expectation values, over all test folds. */
  readonly confusion: ConfusionMatrix;
  readonly logLoss: number;
  readonly baselines: readonly {
    readonly id: string;
    readonly name: string;
    readonly accuracy: FoldAccuracy;
  }[];
}

/** Outcome of training. */
export interface TrainingOutcome {
  readonly data: IrisPair;
  readonly candidates: readonly Candidate[];
  readonly chosen: Candidate;
  readonly evaluation: Evaluation;
  /** The deployed classifier, trained on all rows. */
  readonly deployed: {
    readonly fitted: FittedClassifier;
    readonly scaler: FeatureScaler;
    /** Exact ⟨Z₀⟩, one per row. */
    readonly expectations: Float64Array;
    readonly accuracy: number;
  };
}

/**
 * Trains from scratch.
 *
 * @param engine - A CPU engine of double precision that is reproducible; stays open.
 * @param onProgress - Called with the current step and the fraction done.
 */
export async function trainQnnHybrid(
  engine: Engine,
  onProgress: (what: string, fraction: number) => void,
  signal: AbortSignal,
): Promise<TrainingOutcome> {
  const data = irisPair();
  const { fit, selection, evaluation } = TRAINING_PLAN;
  const progress = new Progress(onProgress, signal);
  const circuits = engineCircuits(engine, signal);
  const onFold = ({ ansatz, layers }: Architecture) =>
    progress.fitted(`comparing: ${ansatz}, ${layers} ${layers === 1 ? 'layer' : 'layers'}`, layers);
  const candidates = await compareArchitectures(data, selection, fit, circuits, onFold);
  const chosen = chooseCandidate(candidates, selection.numFolds * selection.numRepeats);
  const splits = stratifiedSplits(data.labels, evaluation);
  const folds = await crossValidate(chosen.circuit, data, splits, fit, circuits, () =>
    progress.fitted('measuring the chosen circuit', chosen.layers),
  );
  return {
    data,
    candidates,
    chosen,
    evaluation: await evaluate(data, splits, folds, circuits),
    deployed: await trainOnAll(chosen, data, fit, circuits),
  };
}

async function trainOnAll(
  { circuit }: Candidate,
  { rows, labels }: IrisPair,
  settings: FitSettings,
  circuits: Runner,
): Promise<TrainingOutcome['deployed']> {
  const scaler = fitScaler(rows);
  const inputs = rows.map((row) => scaleRow(scaler, row).values);
  const fitted = await fitClassifier(circuit, { rows: inputs, labels }, settings, circuits);
  const values = await expectationsOf(circuit, fitted.theta, inputs, circuits);
  const predictions = Array.from(values, (value) => classAbove(fitted.threshold, value));
  return { fitted, scaler, expectations: values, accuracy: accuracy(labels, predictions) };
}

async function evaluate(
  data: IrisPair,
  splits: readonly Split[],
  folds: readonly FoldOutcome[],
  circuits: Runner,
): Promise<Evaluation> {
  const exact = folds.map((fold) => predictionsOf(fold, fold.expectations));
  const labels = folds.flatMap((fold) => fold.labels);
  const scores = folds.map((fold, i) => accuracy(fold.labels, exact[i]!));
  return {
    folds,
    accuracy: overFolds(scores),
    accuracyAtShots: await accuracyAtShots(folds, circuits),
    confusion: confusionMatrix(labels, exact.flat()),
    logLoss: logLoss(labels, folds.flatMap(probabilities)),
    baselines: BASELINES.map(({ id, name, fit: fitBaseline }) => ({
      id,
      name,
      accuracy: overFolds(
        splits.map(({ train, test }) => {
          const decide = fitBaseline(
            train.map((row) => data.rows[row]!),
            train.map((row) => data.labels[row]!),
          );
          return accuracy(
            test.map((row) => data.labels[row]!),
            test.map((row) => classOf(decide(data.rows[row]!))),
          );
        }),
      ),
    })),
  };
}

/** Probabilities of class 1, as the loss defines them. */
function probabilities({ fitted, expectations }: FoldOutcome): readonly number[] {
  const { slope } = TRAINING_PLAN.fit;
  return Array.from(
    expectations,
    (value) => 1 / (1 + Math.exp(-slope * (value - fitted.threshold))),
  );
}

/** Accuracy of the same predictions from as many shots as an inference takes; each row has a seed of its own. */
async function accuracyAtShots(
  folds: readonly FoldOutcome[],
  circuits: Runner,
): Promise<FoldAccuracy> {
  const { deployedShots: shots, shotSeed } = TRAINING_PLAN;
  let seed = shotSeed;
  const scores: number[] = [];
  for (const fold of folds) {
    const { circuit, theta } = fold.fitted;
    const seeds = fold.inputs.map(() => seed++);
    const sampled = await expectationsOf(circuit, theta, fold.inputs, circuits, { shots, seeds });
    scores.push(accuracy(fold.labels, predictionsOf(fold, sampled)));
  }
  return overFolds(scores);
}

/** Progress of the training; a fit counts in proportion to its layers. */
class Progress {
  readonly #onProgress: (what: string, fraction: number) => void;
  readonly #signal: AbortSignal;
  readonly #total: number;
  #done = 0;

  constructor(onProgress: (what: string, fraction: number) => void, signal: AbortSignal) {
    this.#onProgress = onProgress;
    this.#signal = signal;
    const { selection, evaluation } = TRAINING_PLAN;
    const perSplit = ARCHITECTURES.reduce((sum, { layers }) => sum + layers, 0);
    this.#total =
      selection.numFolds * selection.numRepeats * perSplit +
      evaluation.numFolds * evaluation.numRepeats;
  }

  async fitted(what: string, layers: number): Promise<void> {
    this.#done += layers;
    this.#onProgress(what, Math.min(1, this.#done / this.#total));
    // Yields to the event loop, so that a caller can abort the training.
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal.throwIfAborted();
  }
}
