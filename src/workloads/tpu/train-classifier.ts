/**
 * Trains a variational classifier on the service's processors: exact expectation values and gradients of all rows of a
 * step as one batch, and Adam.
 *
 * Loss, initial parameters, weight bound and threshold are those of qnn-hybrid, whose own training uses
 * adjoint gradients: with the same rows and seed both arrive at the same parameters up to rounding.
 */
import { uniformDraw } from '../../math/philox.ts';
import { adamStep, startAdam } from '../algorithms/optimisers/adam.ts';
import { shuffled } from '../algorithms/training/cross-validation.ts';
import { exactGradients } from '../algorithms/training/gradients/exact-gradients.ts';
import { logisticLoss } from '../algorithms/training/logistic-loss.ts';
import { accuracy, confusionMatrix } from '../algorithms/training/metrics.ts';
import { angleRows, type ParametricCircuit } from '../algorithms/training/parametric-circuit.ts';
import { fitScaler, scaleRow } from '../models/qnn-hybrid/feature-scaler.ts';
import {
  boundedWeights,
  calibratedThreshold,
  classAbove,
  initialTheta,
  weightsOf,
} from '../models/qnn-hybrid/fit-classifier.ts';
import { irisPair } from '../models/qnn-hybrid/iris-pair.ts';
import { OBSERVABLE } from '../models/qnn-hybrid/reuploading-ansatz.ts';
import type { JsonObject } from '../procedures/json.ts';
import type { ProcedureContext } from '../procedures/procedure-context.ts';
import { classifierCircuit, type TrainingInput } from './training.ts';

/** Slope of the logistic loss, as in qnn-hybrid's training. */
const SLOPE = 3;
const INITIAL_SPREAD = 0.3;
const WEIGHT_BOUND = 4;
const DEFAULT_LEARNING_RATE = 0.1;
const DEFAULT_TEST_FRACTION = 0.2;

/** Separate these draws from others of the same seed. */
const SPLIT_EVENT = 0x5b117;
const BATCH_EVENT = 0xba7c4;

interface Rows {
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

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
  const part = (indices: readonly number[]): Rows => ({
    rows: indices.map((i) => scaled[i]!),
    labels: indices.map((i) => data.labels[i]!),
  });
  const [train, test] = [part(split.train), part(split.test)];
  const circuit = classifierCircuit(input, scaled[0]!.length);
  const { theta, losses } = await descend(circuit, train, { ...input, seed }, context);
  const all = [...train.rows, ...test.rows];
  const values = await exactExpectations(circuit, theta, all, context);
  const trained = values.subarray(0, train.rows.length);
  const threshold = calibratedThreshold(trained, train.labels);
  const tested = judged(values.subarray(train.rows.length), test.labels, threshold);
  const { loss } = logisticLoss(trained, new Float64Array(0), train.labels, SLOPE);
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
    learning_rate: input.learning_rate ?? DEFAULT_LEARNING_RATE,
    seed,
    data: input.rows === undefined ? 'Iris, versicolor against virginica' : 'The rows of the input',
    basis:
      'Logistic loss of exact expectation values, exact gradients, Adam. Split, start and batches follow from the seed; loss_curve has the loss over the rows of each step before it, final_loss that over all training rows at the end.',
  };
}

/** Final parameters of Adam, and the loss before each step. */
async function descend(
  circuit: ParametricCircuit,
  train: Rows,
  settings: TrainingInput & { readonly seed: number },
  context: ProcedureContext,
) {
  const { steps, seed, learning_rate: learningRate = DEFAULT_LEARNING_RATE } = settings;
  const nextBatch = batches(train, settings.batch_size ?? train.rows.length, seed);
  const weights = weightsOf(circuit);
  let state = startAdam(initialTheta(circuit, { seed, initialSpread: INITIAL_SPREAD }));
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    context.signal.throwIfAborted();
    const { rows, labels } = nextBatch();
    const { values, gradients } = await exactGradients(
      circuit,
      state.theta,
      rows,
      [OBSERVABLE],
      context.circuits,
    );
    context.countUnits(rows.length);
    const { loss, gradient } = logisticLoss(values, gradients, labels, SLOPE);
    losses.push(loss);
    const moved = adamStep(state, gradient, { learningRate });
    state = { ...moved, theta: boundedWeights(moved.theta, weights, WEIGHT_BOUND) };
    context.progress(
      (step + 1) / (steps + 1),
      `step ${step + 1} of ${steps}: loss ${loss.toFixed(4)}`,
    );
  }
  return { theta: state.theta, losses };
}

/** Exact expectation values of some rows. */
async function exactExpectations(
  circuit: ParametricCircuit,
  theta: Float64Array,
  rows: Rows['rows'],
  { circuits, countUnits, signal }: ProcedureContext,
): Promise<Float64Array> {
  signal.throwIfAborted();
  const { expectations } = await circuits.runBatch(circuit.shape, {
    numCircuits: rows.length,
    angles: angleRows(circuit, theta, rows),
    observables: [OBSERVABLE],
  });
  if (expectations === undefined) throw new Error('unreachable: no expectations came back');
  countUnits(rows.length);
  return expectations;
}

/** Accuracy and confusion matrix of predictions; undefined without rows. */
function judged(values: Float64Array, labels: readonly number[], threshold: number) {
  if (labels.length === 0) return undefined;
  const predictions = Array.from(values, (value) => classAbove(threshold, value));
  const confusion = confusionMatrix(labels, predictions);
  return {
    accuracy: accuracy(labels, predictions),
    confusion: [
      [confusion.trueNegatives, confusion.falsePositives],
      [confusion.falseNegatives, confusion.truePositives],
    ],
  };
}

function dataOf({ rows, labels }: TrainingInput): Rows {
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
function batches({ rows, labels }: Rows, size: number, seed: number): () => Rows {
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
