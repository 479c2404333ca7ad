/** Input of the TPU job `training`, its limits and its faults. */
import { z } from 'zod';
import type { Fault } from '../../errors/coded-error.ts';
import { MAX_AMPLITUDE_UPDATES, vqeFaults } from '../agents/research/vqe.ts';
import { type VqeInput, vqeFields } from '../agents/research/vqe-problem.ts';
import { circuitsOfGradient } from '../algorithms/training/gradients.ts';
import { ANSATZES } from '../models/qnn-hybrid/reuploading-ansatz.ts';
import { seedField } from '../procedures/input-fields.ts';

/** Limits of a training job. */
export const TRAINING_LIMITS = {
  steps: 300,
  rows: 500,
  features: 8,
  qubits: 16,
  layers: 4,
  /** Most work of all circuits of the training: gates times amplitudes. */
  classifier_amplitude_updates: 1e11,
  vqe_amplitude_updates: MAX_AMPLITUDE_UPDATES,
} as const;

/** Fixed cost of a gate, in amplitude updates. */
const GATE_OVERHEAD = 32;
const MAX_VALUE = 1e6;
/** Size of the Iris pair: rows and features. */
const DEFAULT_ROWS = { count: 100, features: 4 };

const row = z.array(z.number().min(-MAX_VALUE).max(MAX_VALUE)).min(1).max(TRAINING_LIMITS.features);

const { steps: _steps, learning_rate: _learningRate, seed: _seed, ...searchFields } = vqeFields;

/** Limits of the input. */
export const trainingInput = z.strictObject({
  problem: z
    .enum(['classifier', 'vqe'])
    .default('classifier')
    .describe(
      'classifier: a variational classifier of two classes; vqe: a ground energy. Default classifier',
    ),
  steps: z
    .int()
    .min(1)
    .max(TRAINING_LIMITS.steps)
    .default(40)
    .describe('Maximum number of steps of the optimiser; default 40'),
  learning_rate: z
    .number()
    .min(1e-5)
    .max(1)
    .optional()
    .describe('Step size of Adam, radians; default 0.1; for vqe only with optimizer adam'),
  seed: seedField,
  rows: z
    .array(row)
    .min(4)
    .max(TRAINING_LIMITS.rows)
    .optional()
    .describe(
      'classifier only: feature values, the same number in each row; by default the 100 rows of the Iris pair',
    ),
  labels: z
    .array(z.union([z.literal(0), z.literal(1)]))
    .max(TRAINING_LIMITS.rows)
    .optional()
    .describe('classifier only: the class of each row, 0 or 1; at least two rows of each'),
  test_fraction: z
    .number()
    .min(0)
    .max(0.5)
    .optional()
    .describe(
      'classifier only: part of the rows of each class that is held out for testing; default 0.2',
    ),
  batch_size: z
    .int()
    .min(1)
    .max(TRAINING_LIMITS.rows)
    .optional()
    .describe('classifier only: rows per step, drawn anew in each pass; by default all'),
  ansatz: z
    .enum(['ghz-reuploading', 'ring-reuploading'])
    .optional()
    .describe(
      "classifier only: family of circuits, as in qnn-hybrid's card; default ghz-reuploading",
    ),
  qubits: z
    .int()
    .min(1)
    .max(TRAINING_LIMITS.qubits)
    .optional()
    .describe('classifier only: number of qubits; by default one per feature, and at least 2'),
  layers: z
    .int()
    .min(1)
    .max(TRAINING_LIMITS.layers)
    .optional()
    .describe('classifier only: number of layers; default 1'),
  vqe: z
    .strictObject(searchFields)
    .optional()
    .describe('vqe only: the problem, the trial states and the search; by default H₂ in STO-3G'),
});

/** Parsed input of a training job. */
export type TrainingInput = z.output<typeof trainingInput>;

const CLASSIFIER_FIELDS = [
  'rows',
  'labels',
  'test_fraction',
  'batch_size',
  'ansatz',
  'qubits',
  'layers',
] as const;

/** Input of the VQE that a training job describes. */
export function vqeInputOf({ vqe, steps, learning_rate, seed }: TrainingInput): VqeInput {
  return {
    ...(vqe ?? defaultSearch),
    steps,
    ...(learning_rate !== undefined && { learning_rate }),
    ...(seed !== undefined && { seed }),
  };
}

const defaultSearch = z.strictObject(searchFields).parse({});

/** Circuit of a classifier with this many features. */
export function classifierCircuit(
  { ansatz = 'ghz-reuploading', qubits, layers = 1 }: TrainingInput,
  numFeatures: number,
) {
  const numQubits = qubits ?? Math.max(2, numFeatures);
  return ANSATZES[ansatz].build({ numQubits, numLayers: layers, numFeatures });
}

/** Faults of an input. */
export function trainingFaults(given: TrainingInput): readonly Fault[] {
  if (given.problem === 'vqe') return searchFaults(given);
  const faults = classifierFaults(given);
  return faults.length > 0 ? faults : workFaults(given);
}

function searchFaults(given: TrainingInput): readonly Fault[] {
  const foreign = CLASSIFIER_FIELDS.filter((field) => given[field] !== undefined);
  const ofSearch = vqeFaults(vqeInputOf(given));
  return [
    ...foreign.map((path) => ({ path, message: 'Only taken where problem is classifier.' })),
    ...ofSearch.map((fault) => ({ ...fault, path: placeOf(fault.path) })),
  ];
}

/** Path of a VQE field in the training job's input. */
function placeOf(path: string): string {
  const [field = ''] = path.split(/[.[]/);
  return field in searchFields ? `vqe.${path}` : path;
}

function classifierFaults(given: TrainingInput): readonly Fault[] {
  const { rows, labels, batch_size, vqe } = given;
  const faults: Fault[] = [];
  if (vqe !== undefined) faults.push({ path: 'vqe', message: 'Only taken where problem is vqe.' });
  const numRows = rows?.length ?? DEFAULT_ROWS.count;
  if (batch_size !== undefined && batch_size > numRows) {
    faults.push({ path: 'batch_size', message: `A step cannot take more than ${numRows} rows.` });
  }
  if (rows === undefined) {
    if (labels !== undefined) faults.push({ path: 'labels', message: 'Only taken with rows.' });
    return faults;
  }
  const width = rows[0]?.length ?? 0;
  for (const [i, { length }] of rows.entries()) {
    if (length === width) continue;
    const message = `has ${length} values; the first row has ${width}.`;
    faults.push({ path: `rows[${i}]`, message });
  }
  if (labels === undefined) {
    faults.push({ path: 'labels', message: 'Required with rows.' });
  } else if (labels.length !== numRows) {
    faults.push({
      path: 'labels',
      message: `There are ${labels.length} labels for ${numRows} rows.`,
    });
  } else {
    for (const label of [0, 1]) {
      const count = labels.filter((other) => other === label).length;
      if (count >= 2) continue;
      faults.push({ path: 'labels', message: `Class ${label} has ${count} rows; it needs 2.` });
    }
  }
  return faults;
}

/** Faults of a job that could exceed its deadline. */
function workFaults(given: TrainingInput): readonly Fault[] {
  const { rows, steps, batch_size = rows?.length ?? DEFAULT_ROWS.count } = given;
  const circuit = classifierCircuit(given, rows?.[0]?.length ?? DEFAULT_ROWS.features);
  const { operations, numQubits } = circuit.shape;
  const numCircuits = batch_size * circuitsOfGradient(circuit);
  const perStep = numCircuits * operations.length * (2 ** numQubits + GATE_OVERHEAD);
  if (steps * perStep <= TRAINING_LIMITS.classifier_amplitude_updates) return [];
  const most = Math.floor(TRAINING_LIMITS.classifier_amplitude_updates / perStep);
  const message = `Each step takes the time of up to ${numCircuits} circuits of ${operations.length} gates on ${numQubits} qubits; of such steps the limit is ${most}.`;
  return [{ path: 'steps', message }];
}
