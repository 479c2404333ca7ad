/** Schemas of experiments: the submission and the record. */
import { z } from 'zod';
import { CHUNK_SHOTS } from '../../fleet/error-counting.ts';
import { MAX_SEED } from '../../math/philox.ts';
import {
  backend,
  noiseFields,
  parityFields,
  programFields,
  SOURCE_RULES,
} from '../circuits/circuit-schema.ts';
import { jobFields, labelFields, priority, requestFields } from '../jobs/job-schema.ts';
import { decoder, taskCounts } from '../jobs/task-counts-schema.ts';

/** Tasks of one experiment. */
export const MAX_TASKS = 10_000;
/** Shots of one task. */
export const MAX_TASK_SHOTS = 10 ** 12;
/** Characters of a task's metadata as JSON text. It is stored anew with the counts, once a second. */
export const MAX_METADATA_LENGTH = 10_000;
/** Processor of an experiment that names none. */
export const DEFAULT_TARGET = 'qvm';

const chunk = CHUNK_SHOTS.toLocaleString('en');

/** Fields that an experiment has for all tasks and a task may have of its own. */
const defaults = {
  ...{ noise: noiseFields.noise },
  decoder: decoder
    .optional()
    .describe(
      'Predicts from the detection events which logical observables flipped. matching (default): minimum-weight perfect matching, for errors that flip one or two detectors, or split into such errors. union_find: faster and less exact. bp_osd: belief propagation and ordered statistics, for errors that flip any number of detectors, as in colour codes. lookup: the likeliest flips, of up to 20 detectors and observables together. none predicts no flips',
    ),
  max_shots: z
    .int()
    .min(1)
    .max(MAX_TASK_SHOTS)
    .optional()
    .describe('Shots after which a task ends; every task needs this limit'),
  max_errors: z
    .int()
    .min(1)
    .max(MAX_TASK_SHOTS)
    .optional()
    .describe(
      `Errors after which a task ends. It is looked at after every ${chunk} shots, so that the errors may be more`,
    ),
  relative_error: z
    .number()
    .positive()
    .max(1)
    .optional()
    .describe(
      `A task ends once half the length of its interval is at most this part of its logical error rate; looked at after every ${chunk} shots`,
    ),
  sampling: z
    .strictObject({
      method: z.literal('stratified'),
      min_faults: z
        .int()
        .min(0)
        .max(1000)
        .optional()
        .describe(
          'Fewer faults than these are taken as corrected, and no shots of them are taken: half the distance of the circuit, rounded up. By default 0',
        ),
    })
    .optional()
    .describe(
      'stratified: shots are taken by their number of faults (independent errors of the circuit), for logical error rates that are too low to be sampled. Without it shots are drawn as the circuit has them',
    ),
};

const seed = z.int().min(0).max(MAX_SEED);
const numbers = z.array(z.int().min(0)).min(1);

/** One task of an experiment. */
export const taskBody = z
  .strictObject({
    circuit: programFields.circuit,
    qasm: programFields.qasm,
    stim: programFields.stim,
    qir: programFields.qir,
    qubits: programFields.qubits,
    ...parityFields,
    ...defaults,
    postselect: z
      .strictObject({
        detectors: numbers
          .optional()
          .describe('Numbers of detectors: a shot in which one of them fires is discarded'),
        observables: numbers
          .optional()
          .describe(
            'Numbers of logical observables: a shot is discarded, and is no error, if the prediction of one of them is wrong',
          ),
      })
      .optional()
      .describe('Which shots are discarded'),
    seed: seed
      .optional()
      .describe("By default the experiment's seed + the number of the task (modulo 2^53)"),
    metadata: z
      .unknown()
      .optional()
      .describe(
        `Your own JSON value, at most ${MAX_METADATA_LENGTH.toLocaleString('en')} characters of text. Returned as sent, and in \`json_metadata\` of the CSV table`,
      ),
  })
  .meta({ id: 'ExperimentTask', ...SOURCE_RULES });
export type TaskBody = z.output<typeof taskBody>;

const REPETITION_CODE = [
  'R 0 1 2 3 4',
  'X_ERROR(0.1) 0 2 4',
  'CX 0 1 2 3 2 1 4 3',
  'M 1 3 0 2 4',
  'DETECTOR rec[-5]',
  'DETECTOR rec[-4]',
  'OBSERVABLE_INCLUDE(0) rec[-1]',
  '',
].join('\n');

/** The body of POST /quantum/experiments. */
export const experimentBody = z
  .strictObject({
    target_processor: z
      .string()
      .max(100)
      .optional()
      .describe(`A simulator's id from GET /quantum/processors; default ${DEFAULT_TARGET}`),
    tasks: z.array(taskBody).min(1).max(MAX_TASKS),
    ...defaults,
    seed: seed
      .optional()
      .describe('The same request with the same seed has the same counts. By default it is drawn'),
    priority: priority
      .optional()
      .describe('Default normal. high takes effect for Enterprise keys only'),
    ...labelFields,
  })
  .meta({
    id: 'ExperimentSubmission',
    examples: [
      {
        tasks: [{ stim: REPETITION_CODE, metadata: { d: 3, p: 0.1 } }],
        max_shots: 1_000_000,
        max_errors: 1000,
        seed: 7,
      },
    ],
  });
export type ExperimentBody = z.output<typeof experimentBody>;

/** Fields that only a completed experiment's record has. */
const experimentResult = z.strictObject({
  executed_on: z
    .array(
      z.strictObject({
        backend,
        shots: z.int().describe('Shots that it took, those after the end of a task included'),
        execution_ms: z.number().describe('Sampling and decoding, summed over its runs'),
      }),
    )
    .describe('Engines that took the shots since the last start of the service'),
  resumed_shots: z
    .int()
    .optional()
    .describe('Shots whose counts were kept from before a restart of the service'),
  timing: z.strictObject({
    queue_ms: z.number().describe('From submission to the first shot'),
    compile_ms: z.number().describe('Preparing circuits and decoders, summed over all runs'),
    execution_ms: z.number().describe('Sampling and decoding, summed over all runs'),
  }),
});
export type ExperimentResultFields = z.output<typeof experimentResult>;

const recordFields = {
  experiment_id: z.string().meta({ examples: ['exp_0199f3a2c5d87c3e9b1f2a4d6c8e0b35'] }),
  processor: z.string(),
  num_tasks: z.int(),
  seed: z.int(),
  ...jobFields,
};

/** An experiment in a listing: without its counts. */
export const experimentSummary = z.strictObject(recordFields).meta({ id: 'ExperimentSummary' });
export type ExperimentSummary = z.output<typeof experimentSummary>;

/** An experiment's record. */
export const experimentRecord = z
  .strictObject({
    ...recordFields,
    ...requestFields,
    tasks: z
      .array(taskCounts)
      .optional()
      .describe(
        'Counts so far, once it runs; an experiment that is cancelled or fails keeps them. On another node than that which runs it, they are those of the last second, of tasks that have any',
      ),
    ...experimentResult.partial().shape,
  })
  .meta({ id: 'Experiment' });
