/** Schemas of batches: the submission and the record. */
import { z } from 'zod';
import { type OutputOf, outputsOf } from '../../circuit/outputs.ts';
import { MAX_SEED } from '../../math/philox.ts';
import {
  askedLabelFormatField,
  backend,
  bitLabel,
  deviceBackend,
  labelFormatField,
  methodFields,
  noiseFields,
  outputsText,
  programFields,
  SOURCE_RULES,
  savedOutputs,
  warnings,
} from '../circuits/circuit-schema.ts';
import { deviceField } from '../circuits/device-schema.ts';
import { jobFields, labelFields, priority, requestFields } from '../jobs/job-schema.ts';

/** Programs of one batch. */
export const MAX_PROGRAMS = 10_000;
/** Points of one batch, over all programs. */
export const MAX_POINTS = 1_000_000;
/** Numbers in one answer, over all arrays: 2 GiB. */
export const MAX_NUMBERS = 2 ** 28;
/** Bytes of counts in one answer, in the form in which they are sent. */
export const MAX_COUNTS_BYTES = 64 * 2 ** 20;
/** Inputs of one program. */
export const MAX_INPUTS = 4096;
/** The most that any processor may be set up to take. */
const MAX_SHOTS = 1_000_000;
const MAX_NAME_LENGTH = 100;
/** Characters of the name of an input. */
const MAX_INPUT_NAME = 256;

/** Results that a program may ask for, in the order in which they are answered. */
export const BATCH_OUTPUTS = outputsOf('batch');
export type BatchOutput = OutputOf<'batch'>;

/** Forms of arrays of numbers. */
const arrayFormat = z.enum(['json', 'base64']);
export type ArrayFormat = z.output<typeof arrayFormat>;

/** Array of numbers as text. */
export const packedArray = z
  .strictObject({
    dtype: z.literal('<f8').describe('Little-endian numbers of 64 bits'),
    shape: z
      .array(z.int().min(0))
      .min(1)
      .max(4)
      .describe('Lengths of the dimensions, the outermost first'),
    data: z.string().describe('Base64 of the numbers, row-major'),
  })
  .meta({ id: 'PackedArray' });
export type PackedArray = z.output<typeof packedArray>;

/** Array of whole numbers as text. */
const packedIntegers = z
  .strictObject({
    dtype: z
      .enum(['|u1', '<u2', '<u4'])
      .describe('Unsigned whole numbers of 8, 16 or 32 bits, little-endian'),
    shape: z.array(z.int().min(0)).min(1).max(2),
    data: z.string().describe('Base64 of the numbers, row-major'),
  })
  .meta({ id: 'PackedIntegers' });
export type PackedIntegers = z.output<typeof packedIntegers>;

/** Counts of all points of a program as arrays. */
const packedCounts = z
  .strictObject({
    bits: z.int().describe('Number of classical bits of an outcome'),
    outcomes_per_point: packedIntegers.describe(
      'For each point, the number of distinct outcomes. They lie one after the other in the next two arrays, those of point 0 first',
    ),
    outcomes: packedIntegers.describe(
      'A row of bytes for each outcome, the lowest byte first: classical bit b is bit b % 8 of byte b / 8, rounded down. Those of a point are ascending',
    ),
    occurrences: packedIntegers.describe('Number of shots of each outcome'),
  })
  .meta({ id: 'PackedCounts' });

const input = z
  .union([
    z.number(),
    z.boolean(),
    bitLabel,
    z.array(z.number()),
    z.array(z.boolean()),
    z.array(bitLabel),
    packedArray,
  ])
  .describe('One value for all points, or one for each point');

/** Fields that a batch has as defaults and a program may have of its own. */
const defaults = {
  ...noiseFields,
  shots: z
    .int()
    .min(1)
    .optional()
    .describe(
      "Number of repetitions of each point; at most the processor's max_shots. counts need it. Without it all values are exact; with it, and without counts, expectation and gradient are estimated from shots. Trajectories need it, and by density_matrix all values are exact",
    )
    .meta({ maximum: MAX_SHOTS }),
  return: z
    .array(z.enum(BATCH_OUTPUTS))
    .min(1)
    .max(BATCH_OUTPUTS.length)
    .meta({ uniqueItems: true })
    .optional()
    .describe(
      `Default ["expectation"] for a program with observables, otherwise ["counts"]. ${outputsText('batch')}`,
    ),
  gradient_inputs: z
    .array(z.string().max(MAX_INPUT_NAME))
    .min(1)
    .max(MAX_INPUTS)
    .meta({ uniqueItems: true })
    .optional()
    .describe(
      'Names of the inputs that `gradient` is taken by, in the order of the answer. By default all inputs that are numbers, in the order of the keys of `inputs`. Name those that have a derivative where another one decides which gates run',
    ),
  array_format: arrayFormat
    .optional()
    .describe('Form of counts and of arrays of numbers: nested JSON by default, or `base64`'),
  ...askedLabelFormatField,
};

const seed = z.int().min(0).max(MAX_SEED);

/** One program of a batch. */
export const programBody = z
  .strictObject({
    name: z
      .string()
      .max(MAX_NAME_LENGTH)
      .optional()
      .describe('Returned as sent; it need not be unique'),
    circuit: programFields.circuit,
    qasm: programFields.qasm,
    stim: programFields.stim,
    qir: programFields.qir,
    qubits: programFields.qubits,
    initial_state: programFields.initial_state,
    inputs: z
      .record(z.string().max(MAX_INPUT_NAME), input)
      .optional()
      .describe(
        'Values of the inputs that angles name, or of the `input` declarations of an OpenQASM 3 text. Arrays make a sweep: all arrays of a program have one length, its number of points',
      ),
    observables: programFields.observables,
    ...defaults,
    seed: seed
      .optional()
      .describe("Seed of the program's first point, the next points count on from it"),
  })
  .meta({ id: 'BatchProgram', ...SOURCE_RULES });
export type ProgramBody = z.output<typeof programBody>;

/** The body of POST /quantum/batches. */
export const batchBody = z
  .strictObject({
    ...deviceField,
    target_processor: z.string().max(100).describe('An id from GET /quantum/processors'),
    programs: z.array(programBody).min(1).max(MAX_PROGRAMS),
    ...defaults,
    seed: seed
      .optional()
      .describe(
        'Point k, counted from 0 over all programs, draws with the seed + k (modulo 2^53), as a single circuit with that seed does. By default a seed is drawn, and returned',
      ),
    priority: priority
      .optional()
      .describe('Default normal. high takes effect for Enterprise keys only'),
    ...labelFields,
    metadata: z
      .record(z.string().max(MAX_NAME_LENGTH), z.string())
      .optional()
      .describe('Your own texts by name. They are kept and shown with the request'),
  })
  .meta({
    id: 'BatchSubmission',
    examples: [
      {
        target_processor: 'statevector-sim',
        programs: [
          {
            circuit: [
              { gate: 'RY', qubit: 0, theta: { input: 'a' } },
              { gate: 'CX', control: 0, target: 1 },
            ],
            inputs: { a: [0, 0.5, 1] },
            observables: [{ pauli: 'Z0 Z1' }, { pauli: 'X0 X1' }],
            return: ['expectation', 'gradient'],
          },
        ],
      },
      {
        target_processor: 'statevector-sim',
        shots: 1000,
        programs: [
          {
            name: 'bell',
            circuit: [
              { gate: 'H', qubit: 0 },
              { gate: 'CX', control: 0, target: 1 },
            ],
          },
          {
            name: 'sweep',
            qasm: 'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput angle a;\nqubit q;\nrx(a) q;\n',
            inputs: { a: [0.1, 0.2] },
          },
        ],
        seed: 7,
      },
    ],
  });
/** A batch of good form, but for the circuits, inputs and observables of its programs. */
export type BatchBody = z.output<typeof batchBody>;

/** Numbers of a result: nested arrays, or one text. */
const numbers = (nested: z.ZodType) => z.union([nested, packedArray]);
const row = z.array(z.number());

const programResult = z.strictObject({
  name: z.string().optional(),
  points: z.int().describe('Number of points of the program'),
  qubits: z.int(),
  counts: z
    .union([z.array(z.record(z.string(), z.int())), packedCounts])
    .optional()
    .describe(
      'For each point, the number of shots of each bit string, classical bit 0 rightmost. A bit of a qubit that was lost is 2; where qubits may be lost, counts are never in base64',
    ),
  probabilities: numbers(z.array(row))
    .optional()
    .describe('For each point, the exact probability of each value of the classical register'),
  expectation: numbers(z.array(row))
    .optional()
    .describe('For each point, a value for each element of `observables`'),
  standard_error: numbers(z.array(row))
    .optional()
    .describe('Standard errors of an expectation that was estimated from shots'),
  variance: numbers(z.array(row))
    .optional()
    .describe('For each point, the exact variance of each element of `observables` in the state'),
  gradient: numbers(z.array(z.array(z.array(z.number().nullable()))))
    .optional()
    .describe(
      'For each point and observable, the derivative by each of `gradient_inputs`, by default by each number among the `inputs`, in the order of their keys; null (in base64 NaN or infinity) where an expression of the program has none, such as the square root at 0',
    ),
  statevector: numbers(z.array(z.array(z.tuple([z.number(), z.number()]))))
    .optional()
    .describe(
      'For each point, the amplitude [re, im] of each basis state before the final measurement',
    ),
  error_bound: numbers(row)
    .optional()
    .describe(
      'Where an EVOLVE is a product formula: for each point, a bound on the spectral norm of what the circuit differs by from exact evolutions',
    ),
  truncation_error: numbers(row)
    .optional()
    .describe(
      'For each point, by matrix product states the weight that all cuts of bonds left out, about one minus the fidelity with the exact state; by Pauli propagation a bound on the error of each expectation value',
    ),
  largest_bond: numbers(z.array(z.int()))
    .optional()
    .describe('Matrix product states only: for each point, the largest bond dimension of its run'),
  saved: z
    .array(savedOutputs)
    .optional()
    .describe(
      'For each point, the outputs that its circuit saves by SAVE, as in the result of a circuit',
    ),
  ...methodFields,
  ...labelFormatField,
  shots: z.int().optional(),
  seed: z.int().describe("Seed of the program's first point"),
  measured_qubits: z
    .array(z.int().nullable())
    .optional()
    .describe('Measured qubit of each classical bit, of counts and probabilities'),
  warnings: warnings.optional(),
});
export type ProgramResultFields = z.output<typeof programResult>;

/** Hardware that ran circuits of a batch. */
const batchDevice = deviceBackend.omit({ vendor_job_id: true }).extend({
  vendor_job_ids: z.array(z.string()).describe('The vendor’s jobs, each of several circuits'),
});

/** Fields that only a completed batch's record has. */
export const batchResult = z.strictObject({
  programs: z
    .array(programResult)
    .describe('Results, in the order in which the programs were sent'),
  executed_on: z
    .array(
      z.strictObject({
        backend: z.union([backend, batchDevice]),
        circuits: z
          .int()
          .describe('Number of circuits that it ran: one a point, more where values are estimated'),
        execution_ms: z
          .number()
          .describe('Duration of evolution and sampling, summed over its runs'),
      }),
    )
    .describe('Engines and devices that ran the circuits since the last start of the service'),
  resumed_points: z
    .int()
    .optional()
    .describe('Points whose results were kept from before a restart of the service'),
  timing: z.strictObject({
    queue_ms: z.number().describe('From submission to the start of the first point'),
    compile_ms: z.number().describe('Compiling, summed over all runs'),
    execution_ms: z.number().describe('Evolution and sampling, summed over all runs'),
  }),
  bit_order: z.literal('little-endian'),
});
export type BatchResultFields = z.output<typeof batchResult>;

const recordFields = {
  batch_id: z.string().meta({ examples: ['batch_0199f3a2c5d87c3e9b1f2a4d6c8e0b35'] }),
  processor: z.string(),
  points: z.int().describe('Number of points of all programs together'),
  seed: z.int().describe('Seed of the first point'),
  ...jobFields,
};

/** A batch in a listing: without its result. */
export const batchSummary = z.strictObject(recordFields).meta({ id: 'BatchSummary' });
export type BatchSummary = z.output<typeof batchSummary>;

/** A batch's record; the result fields are there once it is completed. */
export const batchRecord = z
  .strictObject({
    ...recordFields,
    ...requestFields,
    ...batchResult.partial().shape,
  })
  .meta({ id: 'Batch' });
