/**
 * Runs the TPU job `training`: a classifier or a VQE, with gradients from batches of circuits.
 *
 * A classifier is trained with exact expectation values and gradients of all rows of a step as one batch, and Adam.
 * Descent and threshold are those of qnn-hybrid: with the same rows and seed both arrive at the same parameters up to
 * rounding.
 */
import { uniformDraw } from '../../math/philox.ts';
import { vqeView } from '../agents/research/vqe.ts';
import { vqeOptions, vqeProblem } from '../agents/research/vqe-problem.ts';
import {
  accuracy,
  confusionMatrix,
  logisticLoss,
  shuffled,
} from '../algorithms/training/model-evaluation.ts';
import { runVqe } from '../algorithms/vqe/run-vqe.ts';
import { fitScaler, scaleRow } from '../models/qnn-hybrid/feature-scaler.ts';
import {
  calibratedThreshold,
  classAbove,
  descend,
  type LabelledRows,
} from '../models/qnn-hybrid/fit-classifier.ts';
import { irisPair } from '../models/qnn-hybrid/iris-pair.ts';
import { expectationsOf } from '../models/qnn-hybrid/sampled-expectations.ts';
import type { JsonObject } from '../procedures/json.ts';
import type { RunProcedure } from '../procedures/procedure.ts';
import type { ProcedureContext } from '../procedures/procedure-context.ts';
import { metered } from './metered-circuits.ts';
import { classifierCircuit, type TrainingInput, vqeInputOf } from './training.ts';

/** As in qnn-hybrid's training. */
const DESCENT = { slope: 3, initialSpread: 0.3, weightBound: 4 } as const;
const DEFAULT_LEARNING_RATE = 0.1;
const DEFAULT_TEST_FRACTION = 0.2;

/** Separate these draws from others of the same seed. */
const SPLIT_EVENT = 0x5b117;
const BATCH_EVENT = 0xba7c4;

/** Trains the classifier of a valid input. */
export async function trainClassifier(
  input: TrainingInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const { seed = context.seed, test_fraction = DEFAULT_TEST_FRACTION, steps } = input;
  const data = dataOf(input);
  const split = splitRows(data.labels, test_fraction, seed);
  const scaler = safeScaler(split.train.map((i) => data.rows[i]!));
  const scaled = data.rows.map((row) => scaleRow(scaler, row).values);
  const part = (indices: readonly number[]): LabelledRows => ({
    rows: indices.map((i) => scaled[i]!),
    labels: indices.map((i) => data.labels[i]!),
  });
  const [train, test] = [part(split.train), part(split.test)];
  const circuit = classifierCircuit(input, scaled[0]!.length);
  const { learning_rate: learningRate = DEFAULT_LEARNING_RATE } = input;
  const nextBatch = batches(train, input.batch_size ?? train.rows.length, seed);
  const { theta, losses } = await descend(
    circuit,
    () => {
      context.signal.throwIfAborted();
      return nextBatch();
    },
    { ...DESCENT, steps, learningRate, seed },
    context.circuits,
    (numSteps, loss, numRows) => {
      context.countUnits(numRows);
      const what = `step ${numSteps} of ${steps}: loss ${loss.toFixed(4)}`;
      context.progress(numSteps / (steps + 1), what);
    },
  );
  const all = [...train.rows, ...test.rows];
  context.signal.throwIfAborted();
  const values = await expectationsOf(circuit, theta, all, context.circuits);
  context.countUnits(all.length);
  const trained = values.subarray(0, train.rows.length);
  const threshold = calibratedThreshold(trained, train.labels);
  const tested = judged(values.subarray(train.rows.length), test.labels, threshold);
  const { loss } = logisticLoss(trained, new Float64Array(0), train.labels, DESCENT.slope);
  return {
    loss_curve: losses,
    final_loss: loss,
    train_accuracy: judged(trained, train.labels, threshold)?.accuracy ?? null,
    test_accuracy: tested?.accuracy ?? null,
    // Rows: the true class; columns: the predicted class.
    test_confusion_matrix: tested?.confusion ?? null,
    parameters: [...theta],
    threshold,
    scaler: { minimums: [...scaler.minimums], maximums: [...scaler.maximums] },
    ansatz: input.ansatz ?? 'ghz-reuploading',
    qubits: circuit.shape.numQubits,
    layers: input.layers ?? 1,
    features: circuit.numFeatures,
    train_rows: train.rows.length,
    test_rows: test.rows.length,
    held_out: [...split.test],
    steps,
    batch_size: input.batch_size ?? train.rows.length,
    learning_rate: learningRate,
    seed,
    data: input.rows === undefined ? 'Iris, versicolor against virginica' : 'The rows of the input',
    basis:
      'Logistic loss of exact expectation values, exact gradients, Adam. Split, start and batches follow from the seed; loss_curve has the loss over the rows of each step before it, final_loss that over all training rows at the end.',
  };
}

/** Accuracy and confusion matrix of predictions; undefined without rows. */
function judged(values: Float64Array, labels: readonly number[], threshold: number) {
  if (labels.length === 0) return undefined;
  const predictions = Array.from(values, (value) => classAbove(threshold, value));
  return {
    accuracy: accuracy(labels, predictions),
    confusion: confusionMatrix(labels, predictions),
  };
}

function dataOf({ rows, labels }: TrainingInput): LabelledRows {
  if (rows === undefined) return irisPair();
  if (labels === undefined) throw new Error('unreachable: checked before');
  return { rows, labels };
}

/**
 * Scaler that tolerates constant features: they carry no information, and their range of 0 must not be
 * divided by.
 */
function safeScaler(rows: readonly (readonly number[])[]) {
  const { minimums, maximums } = fitScaler(rows);
  return {
    minimums,
    maximums: maximums.map((most, f) => (most > minimums[f]! ? most : minimums[f]! + 1)),
  };
}

/**
 * Splits row numbers (ascending) into training and test rows; the same fraction of each class, rounded
 * down, is held out.
 */
function splitRows(labels: readonly number[], testFraction: number, seed: number) {
  const test = [0, 1].flatMap((label) => {
    const rows = [...labels.keys()].filter((row) => labels[row] === label);
    const drawn = shuffled(rows, (i) => uniformDraw(seed, label, SPLIT_EVENT, i));
    return drawn.slice(0, Math.floor(testFraction * rows.length));
  });
  const isHeldOut = new Set(test);
  return {
    test: test.toSorted((a, b) => a - b),
    train: [...labels.keys()].filter((row) => !isHeldOut.has(row)),
  };
}

/**
 * Returns a function that yields the next mini-batch; each pass over the rows has an order of its own.
 */
function batches({ rows, labels }: LabelledRows, size: number, seed: number): () => LabelledRows {
  if (size >= rows.length) return () => ({ rows, labels });
  let left: readonly number[] = [];
  let pass = 0;
  return () => {
    while (left.length < size) {
      const draw = (i: number) => uniformDraw(seed, pass, BATCH_EVENT, i);
      left = [...left, ...shuffled([...rows.keys()], draw)];
      pass++;
    }
    const taken = left.slice(0, size);
    left = left.slice(size);
    return { rows: taken.map((i) => rows[i]!), labels: taken.map((i) => labels[i]!) };
  };
}

/** Runs a training job. */
export const runTraining: RunProcedure<TrainingInput> = metered(async (input, context) => {
  const run = input.problem === 'vqe' ? trainVqe : trainClassifier;
  return { problem: input.problem, ...(await run(input, context)) };
});

async function trainVqe(given: TrainingInput, context: ProcedureContext): Promise<JsonObject> {
  const input = vqeInputOf(given);
  const problem = vqeProblem(input);
  const options = vqeOptions(input, input.seed ?? context.seed);
  const { steps, restarts } = options;
  const outcome = await runVqe(problem, options, context, ({ step, restart, energy, fraction }) =>
    context.progress(
      fraction,
      `search ${restart + 1} of ${restarts}, step ${step} of ${steps}: energy ${energy.toFixed(6)}`,
    ),
  );
  return { vqe_problem: input.problem, ...vqeView(problem, options, outcome) };
}
