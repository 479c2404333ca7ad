/** Schemas of circuits: the submission and the record. */
import { z } from 'zod';
import { MAX_CLASSICAL_BITS } from '../../circuit/circuit-limits.ts';
import { gateObject } from '../../circuit/gate-object-schema.ts';
import { noiseModelSchema } from '../../circuit/noise/noise-model-schema.ts';
import { basisLabel, pauliTerm } from '../../circuit/observable-schema.ts';
import {
  factsOf,
  isOfDensity,
  MAX_BASIS_STATES,
  MAX_KEPT_QUBITS,
  MAX_LISTED_QUBITS,
  NEEDED_FIELDS,
  outputsOf,
} from '../../circuit/outputs.ts';
import { RECORDED_TYPES } from '../../circuit/qir/recorded-output.ts';
import { SHOT_FORMATS } from '../../circuit/stim/shot-formats.ts';
import { METHODS, RUN_METHODS } from '../../fleet/method-names.ts';
import { REUSES } from '../../fleet/workers/worker-messages.ts';
import { MAX_SEED } from '../../math/philox.ts';
import {
  idempotencyHeaders,
  jobFields,
  labelFields,
  priority,
  requestFields,
} from '../jobs/job-schema.ts';
import { deviceField } from './device-schema.ts';
import { initialStateField } from './initial-state.ts';
import { KEPT_STATE } from './kept-state.ts';
import { pauliFields } from './pauli-fields.ts';

const BELL = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'M', qubits: [0, 1] },
];

/** Pauli terms of one request, over all observables. */
export const MAX_TERMS = 10_000;
/** The most that any processor may be set up to take. */
const MAX_SHOTS = 1_000_000;
/** Outputs that a submission may request. */
export const output = z.enum(outputsOf('circuit'));
export type Output = z.output<typeof output>;

/** Text on the outputs of a form of request: their requirements and limits. */
export function outputsText(form: 'circuit' | 'batch'): string {
  const texts = outputsOf(form).flatMap((name) => {
    const { needs, limit, by } = factsOf(name);
    const facts = [
      ...(limit ? [`up to ${limit.most.toLocaleString('en')} ${limit.of}`] : []),
      ...(needs
        ? [`with ${NEEDED_FIELDS[needs].map((field) => `\`${field}\``).join(' or ')}`]
        : []),
      ...(by.trajectories === 'never' && by.density_matrix === 'never'
        ? [by.stabilizer === 'never' ? 'without noise' : 'by the method stabilizer']
        : []),
      ...(isOfDensity(name) ? ['by the method density_matrix'] : []),
    ];
    return facts.length === 0 ? [] : [`${name}: ${facts.join(', ')}`];
  });
  return texts.join('; ');
}

/** Largest bond that a matrix product state may be allowed: a tensor then takes 512 MiB. */
export const MAX_BOND_DIMENSION = 4096;
/** Largest weight that one cut of a bond may leave out. */
const MAX_TRUNCATION_THRESHOLD = 0.1;

/** Fields of noise and of methods, in circuits and batches. */
export const noiseFields = {
  noise: noiseModelSchema
    .optional()
    .describe(
      'Noise model, or the name of one from GET /quantum/noise-models: `{"model":"…"}`. Channels come after the gates as they are written; on an emulated device after native gates on its qubits, in place of its own noise',
    ),
  method: z
    .enum(METHODS)
    .optional()
    .describe(
      'How to simulate. automatic (default): on qvm and emulated devices the cheapest method that is exact for what is asked, elsewhere statevector. statevector with noise runs trajectories. density_matrix: qvm and emulated devices. stabilizer (Clifford circuits), matrix_product_state, sparse (few amplitudes that are not 0) and pauli_propagation (expectation values of wide circuits): qvm',
    ),
  max_bond_dimension: z
    .int()
    .min(1)
    .max(MAX_BOND_DIMENSION)
    .optional()
    .describe(
      'Largest bond of matrix product states; larger ones are cut, which the answer states. Default 256',
    ),
  truncation_threshold: z
    .number()
    .min(0)
    .max(MAX_TRUNCATION_THRESHOLD)
    .optional()
    .describe(
      'Weight of singular values that one cut of a bond of a matrix product state may leave out. Default 1e-12',
    ),
  ...pauliFields,
};

/** Form of labels, in requests. */
export const askedLabelFormatField = {
  label_format: z
    .enum(['automatic', 'hex'])
    .optional()
    .describe(
      'Form of the labels of counts and memory. automatic (default): bits, or for more than 64 bits a hexadecimal number with a leading 0x. hex: always such a number; not taken where qubits may be lost, whose bits are 2. Counts in base64 have no labels',
    ),
};

/** Form of labels, in results. */
export const labelFormatField = {
  label_format: z
    .enum(['binary', 'hex'])
    .optional()
    .describe(
      'Form of the labels of counts and memory: bits, or for more than 64 bits, and where the request asks for it, a hexadecimal number with a leading 0x',
    ),
};

/** Fields of results on the simulation method. */
export const methodFields = {
  method: z
    .enum(RUN_METHODS)
    .optional()
    .describe(
      'Method of the simulation; with noise, statevector means trajectories. Absent on hardware',
    ),
  method_reason: z.string().optional().describe('Why this method, with its figures'),
};

/** Values that a program in QIR records. */
const recordedOutputs = z
  .array(
    z.strictObject({
      type: z.enum(RECORDED_TYPES),
      label: z.string().describe('Label that the program gives; may be empty'),
      size: z.int().optional().describe('Number of values of a tuple or an array; these come next'),
      bit: z.int().optional().describe('First classical bit of the value, the least significant'),
      width: z
        .int()
        .optional()
        .describe('Number of its bits: two’s complement, or IEEE 754 of a double'),
    }),
  )
  .describe('Values that a program in QIR records, in the order in which it does');

/** Bound on the error of product formulas. */
export const errorBoundFields = {
  error_bound: z
    .number()
    .optional()
    .describe(
      'Where an EVOLVE is a product formula: bound on the spectral norm of what the circuit differs by from exact evolutions, summed over all of them',
    ),
};

/** Fields that a program comes in: one of them. */
export const SOURCES = ['circuit', 'qasm', 'stim', 'qir'] as const;
export type SourceField = (typeof SOURCES)[number];

/** Rules that no single field can express, for the document; the circuit layer checks them. */
export const SOURCE_RULES = {
  oneOf: SOURCES.map((source) => ({ required: [source] })),
  // A text in Stim's format has no inputs, and its noise and parities itself.
  if: { required: ['stim'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: {
    properties: {
      inputs: false,
      initial_state: false,
      noise: false,
      detectors: false,
      logical_observables: false,
    },
  },
  // A program in QIR has no inputs either.
  else: {
    if: { required: ['qir'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { inputs: false } },
  },
};
/** Rules that outputs are asked for with the fields that they need, and those fields only with them. */
const NEED_RULES = Object.entries(NEEDED_FIELDS).map(([need, fields]) => {
  const names = output.options.filter((name) => factsOf(name).needs === need);
  return {
    if: { required: ['return'], properties: { return: { contains: { enum: names } } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: {
      anyOf: [...fields, ...(need === 'parities' ? ['stim'] : [])].map((field) => ({
        required: [field],
      })),
    },
    else: { properties: Object.fromEntries(fields.map((field) => [field, false])) },
  };
});

const OPTION_RULES = output.options.flatMap((name) => {
  const { option } = factsOf(name);
  if (option === undefined) return [];
  const isAsked = { required: ['return'], properties: { return: { contains: { const: name } } } };
  return [{ if: isAsked, else: { properties: { [option]: false } } }];
});

/** A unitary is that of a circuit from any state. */
const UNITARY_RULE = {
  if: { required: ['return'], properties: { return: { contains: { const: 'unitary' } } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { properties: { initial_state: false } },
};

/** Label of bits, as the value of an input: bit 0 is rightmost. */
export const bitLabel = z
  .string()
  .max(MAX_CLASSICAL_BITS)
  .regex(/^[01]+$/, 'must be a number, a boolean or a label of bits such as "011"');

/** Classical bits of one parity. */
export const parity = z.array(z.int().min(0)).min(1);
const parities = z.array(parity).min(1);
/** Options of a detector error model. Names are those of Stim. */
const errorModelOptions = z.strictObject({
  decompose_errors: z
    .boolean()
    .optional()
    .describe(
      'Whether errors are split into parts that flip one or two detectors each, for matching decoders. Default true',
    ),
  approximate_disjoint_errors: z
    .boolean()
    .optional()
    .describe(
      'Whether errors that exclude each other are taken as independent where no independent errors have their probabilities. Default false: such noise is refused',
    ),
  ignore_decomposition_failures: z
    .boolean()
    .optional()
    .describe('Whether errors that cannot be split are kept whole, not refused. Default true'),
  block_decomposition_from_introducing_remnant_edges: z
    .boolean()
    .optional()
    .describe('Whether every part of an error is itself an error of the circuit. Default false'),
  allow_gauge_detectors: z
    .boolean()
    .optional()
    .describe(
      'Whether detectors may have random values without errors. The model then has an error of probability 0.5 for each random outcome that they depend on, and their events are random. Default false: such detectors are refused',
    ),
});
/** Options of a detector error model. */
export type ErrorModelFields = z.output<typeof errorModelOptions>;

/** Most classical bits in all parities of a request. */
export const MAX_PARITY_BITS = 1_000_000;

/** Fields that declare parities of a circuit; a text in Stim's format has its own. */
export const parityFields = {
  detectors: parities
    .optional()
    .describe(
      'Lists of classical bits whose parity is the same in every run without errors; for `detection_events` and `detector_error_model`, of Clifford circuits with Pauli noise',
    ),
  logical_observables: parities
    .optional()
    .describe('As `detectors`: lists of classical bits whose parity is a logical result'),
};

/** Fields of a program, in a circuit's request or a batch's. */
export const programFields = {
  circuit: z
    .array(gateObject)
    .optional()
    .describe(
      'Operations in the order in which they run; one of `circuit`, `qasm`, `stim` and `qir` is required',
    ),
  qasm: z.string().optional().describe('OpenQASM 2.0 or 3 text; replaces `circuit`'),
  stim: z
    .string()
    .optional()
    .describe(
      'Text in the circuit format of Stim 1.16; replaces `circuit`. Its noise is simulated, and its detectors and observables are those of `detection_events` and `detector_error_model`. Bits are the measurement record',
    ),
  qir: z
    .string()
    .optional()
    .describe(
      'Program in QIR, base or adaptive profile: the text of LLVM IR, or base64 of bitcode; replaces `circuit`. Bits are those of the values that it records, in its order',
    ),
  qubits: z
    .int()
    .min(1)
    .optional()
    .describe('Number of qubits of the register; by default one more than the highest qubit used'),
  ...initialStateField,
  observables: z
    .array(z.union([pauliTerm, z.array(pauliTerm)]))
    .min(1)
    .optional()
    .describe(
      `Each element is a Pauli term, or a list of terms that are summed. At most ${MAX_TERMS.toLocaleString('en')} terms in all`,
    ),
};

/** The body of POST /quantum/circuits. */
export const circuitBody = z
  .strictObject({
    circuit: programFields.circuit,
    qasm: programFields.qasm,
    stim: programFields.stim,
    qir: programFields.qir,
    inputs: z
      .record(z.string().max(256), z.union([z.number(), z.boolean(), bitLabel]))
      .optional()
      .describe(
        'Values by name of the inputs that angles of `circuit` name (numbers), or that an OpenQASM 3 text declares. That of `input bit[n]` is a label such as "011"',
      ),
    target_processor: z.string().max(100).describe('An id from GET /quantum/processors'),
    shots: z
      .int()
      .min(1)
      .describe("Number of repetitions; at most the processor's max_shots")
      .meta({ maximum: MAX_SHOTS }),
    qubits: programFields.qubits,
    initial_state: programFields.initial_state,
    seed: z
      .int()
      .min(0)
      .max(MAX_SEED)
      .optional()
      .describe(
        'The same request with the same seed returns the same counts. By default a seed is drawn, and returned',
      ),
    priority: priority
      .optional()
      .describe('Default normal. high takes effect for Enterprise keys only'),
    ...labelFields,
    ...noiseFields,
    ...deviceField,
    return: z
      .array(output)
      .min(1)
      .max(output.options.length)
      .meta({ uniqueItems: true })
      .optional()
      .describe(`Default ["counts"]. ${outputsText('circuit')}`),
    ...askedLabelFormatField,
    shot_format: z
      .enum(SHOT_FORMATS)
      .optional()
      .describe(
        "Stim's format of detection_events, measurements and reference_sample. Default b8; ptb64 takes a multiple of 64 shots",
      ),
    observables: programFields.observables,
    basis_states: z
      .array(basisLabel)
      .min(1)
      .max(MAX_BASIS_STATES)
      .optional()
      .describe(
        'Labels of the basis states whose amplitudes are asked for: bits, qubit 0 rightmost, or a hexadecimal number with a leading 0x',
      ),
    statevector_format: z
      .enum(['json', 'binary'])
      .optional()
      .describe(
        `Form of \`statevector\`: listed in the answer up to ${MAX_LISTED_QUBITS} qubits (json, the default), or kept for GET /quantum/circuits/{circuit_id}/statevector up to ${MAX_KEPT_QUBITS} (binary)`,
      ),
    ...parityFields,
    detector_error_model: errorModelOptions
      .optional()
      .describe('How `detector_error_model` is made'),
  })
  .meta({
    id: 'CircuitSubmission',
    ...SOURCE_RULES,
    allOf: [...NEED_RULES, ...OPTION_RULES, UNITARY_RULE],
    examples: [
      { circuit: BELL, target_processor: 'statevector-sim', shots: 1000 },
      {
        qasm: 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nbit[2] c;\nh q[0];\ncx q[0], q[1];\nc = measure q;\n',
        target_processor: 'gpu-fleet',
        shots: 1000,
        seed: 7,
        name: 'Bell pair',
        tags: ['demo', 'lecture 3'],
      },
      {
        circuit: [{ gate: 'RY', qubit: 0, theta: 0.5 }],
        target_processor: 'statevector-sim',
        shots: 1,
        return: ['statevector', 'probabilities', 'expectation'],
        observables: [{ pauli: 'Z0' }, [{ pauli: 'X0', coefficient: 0.5 }, { pauli: 'I' }]],
      },
      {
        circuit: BELL,
        target_processor: 'qvm',
        shots: 1,
        return: ['amplitudes'],
        basis_states: ['00', '11'],
      },
    ],
  });
/** A submission of good form. */
export type CircuitBody = z.output<typeof circuitBody>;

const probability = z.number().min(0);

/** Hardware and software that ran a circuit. */
export const backend = z.strictObject({
  engine: z.string(),
  execution: z.string(),
  precision: z.enum(['f32', 'f64']),
  hardware: z.string(),
  devices: z.array(z.string()).optional().describe('Devices of the fleet that ran the circuit'),
  emulates: z.string().optional().describe('Device that is emulated'),
  served_by: z.string().optional().describe('Clusters only: name of the node that ran the circuit'),
});
export type BackendView = z.output<typeof backend>;

/** Hardware that ran a circuit. */
export const deviceBackend = z.strictObject({
  execution: z.literal('hardware'),
  vendor: z.string(),
  device: z.string().describe('The vendor’s name of the device'),
  vendor_job_id: z.string(),
  basis: z
    .enum(['measured', 'modelled'])
    .describe('Whether the counts are those of a device, or of a model of one'),
});

/** Warnings about parts of a program that were accepted but ignored. */
export const warnings = z
  .array(
    z.strictObject({
      code: z.string().meta({ examples: ['CIRCUIT_PRAGMA_IGNORED'] }),
      message: z.string(),
      line: z.int().min(1).optional().describe('Line of the OpenQASM text'),
    }),
  )
  .describe('Parts of the OpenQASM text that were ignored; absent if there are none');

const gateNumbers = z.strictObject({ before: z.int(), after: z.int() });

const gateFigures = {
  gates: gateNumbers,
  depth: gateNumbers,
  two_qubit_gates: gateNumbers.describe('Number of gates on two qubits, controls included'),
};

/** Report of fitting a circuit to a device. */
export const fittingFields = z.strictObject({
  ...gateFigures,
  swaps: z.int().describe('SWAPs that were inserted because qubits have no coupler'),
  initial_layout: z
    .array(z.int())
    .describe('Qubit of the device on which each qubit of the circuit starts'),
});

/** The compiler's report. */
export const compilationFields = z.strictObject({
  ...gateFigures,
  passes: z
    .array(z.strictObject({ name: z.string(), operations: gateNumbers }))
    .describe('Compiler passes in order, with the number of operations after each'),
  kernels: z
    .int()
    .describe(
      'Number of kernels that the remaining gates were compiled to; 0, as the figures below, for a circuit that is not compiled to kernels on a state vector',
    ),
  fused_blocks: z.int().describe('Number of kernels that combine more than one gate'),
  bytes_moved: z
    .number()
    .describe('Estimate: the state is read and written once for each sweep and exchange'),
  sweeps: z.int().describe('Number of times that the tiled program reads and writes the state'),
});

const complex = z.tuple([z.number(), z.number()]);

/** A result that an OpenQASM text requests with `#pragma braket result`. */
const programResult = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('state_vector'),
      value: z.array(complex).describe('As `statevector`'),
    }),
    z.strictObject({
      type: z.literal('amplitude'),
      value: z
        .record(z.string(), complex)
        .describe('[re, im] by the label that the program has, with qubit 0 leftmost'),
    }),
    z.strictObject({
      type: z.literal('probability'),
      value: z
        .record(z.string(), probability)
        .describe('By bit string, the first named qubit rightmost; those of zero are left out'),
    }),
    z.strictObject({
      type: z.literal('density_matrix'),
      value: z
        .array(z.array(complex))
        .describe('Rows of [re, im]; the first named qubit is the least significant bit'),
    }),
    z.strictObject({
      type: z.enum(['expectation', 'variance']),
      value: z
        .union([z.number(), z.array(z.number())])
        .describe('Exact; a list if the pragma names all qubits, or a register'),
    }),
    z.strictObject({
      type: z.literal('sample'),
      value: z
        .union([z.array(z.number()), z.array(z.array(z.number()))])
        .describe('An eigenvalue for each shot, in order; a list for each of several qubits'),
    }),
    z.strictObject({
      type: z.literal('adjoint_gradient'),
      value: z.strictObject({
        expectation: z.number(),
        gradient: z.record(z.string(), z.number()).describe('Derivative by each input'),
      }),
    }),
  ])
  .meta({ id: 'ProgramResult' });
export type ProgramResultJson = z.output<typeof programResult>;

/** Shots in an answer. */
const shotFields = {
  shots: z.int(),
  bytes_per_shot: z
    .int()
    .optional()
    .describe('Bytes that hold one shot; only the format b8 has it'),
  format: z.enum(SHOT_FORMATS).describe("Stim's name of the format"),
  data: z
    .string()
    .describe(
      "Lines of text in the formats 01, hits and dets; of the others, base64 of the file's bytes. In b8 the bits of a shot fill its bytes from the least significant bit on. Shots come in the order of `memory`",
    ),
};

const measuredFields = { num_bits: z.int().describe('Bits of a shot'), ...shotFields };

/** Expectation values in an answer. */
const expectationValues = z.strictObject({
  values: z.array(z.number()),
  sum: z.number(),
  standard_error: z
    .array(z.number())
    .optional()
    .describe('Standard errors of values that are means over trajectories'),
});

/** A snapshot, in the form of the output of its name. */
const savedOutput = z
  .union([
    expectationValues,
    z.array(complex).describe('State vector'),
    z.array(z.array(complex)).describe('Density matrix; qubits[0] is the least significant bit'),
    z.record(z.string(), complex).describe('Amplitudes by label'),
    z.record(z.string(), probability).describe('Probabilities; qubits[0] is the rightmost bit'),
  ])
  .meta({ id: 'SavedOutput' });

/** Snapshots of a circuit, by label. */
export const savedOutputs = z
  .record(z.string(), z.union([savedOutput, z.array(savedOutput)]))
  .describe(
    'Outputs that the circuit saves by SAVE, by label, in the form of the output of that name; several of one label make an array, in order',
  );

/** Fields that only a completed circuit's record has. */
export const circuitResult = z.strictObject({
  counts: z
    .record(z.string(), z.int())
    .optional()
    .describe(
      'Number of shots for each bit string, classical bit 0 rightmost; the numbers sum to `shots`. A bit of a qubit that was lost is 2',
    )
    .meta({ examples: [{ '00': 503, '11': 497 }] }),
  probabilities: z
    .record(z.string(), probability)
    .optional()
    .describe(
      'Exact probability of each bit string, or with trajectories its mean over them; those of probability zero are left out',
    ),
  statevector: z
    .array(z.tuple([z.number(), z.number()]))
    .optional()
    .describe(
      'Amplitude [re, im] of each basis state before the final measurement; qubit 0 is the least significant bit of the index',
    ),
  amplitudes: z
    .record(z.string(), z.tuple([z.number(), z.number()]))
    .optional()
    .describe(
      'Amplitude [re, im] of each of `basis_states` before the final measurement, by its label as it was given',
    ),
  expectation: expectationValues
    .optional()
    .describe(
      'Values, one for each element of `observables`, and their sum: exact, or with trajectories means over them',
    ),
  memory: z
    .array(z.string())
    .optional()
    .describe('Bit string of each shot, in an order drawn with the seed; labels as in `counts`'),
  ...labelFormatField,
  measurements: z
    .strictObject(measuredFields)
    .optional()
    .describe(
      'The classical bits of all shots, from bit 0 on. A bit of a qubit that was lost is 0',
    ),
  reference_sample: z
    .strictObject(measuredFields)
    .optional()
    .describe(
      'The classical bits of one run without noise whose random outcomes are fixed, as `measurements` of one shot',
    ),
  density_matrix: z
    .array(z.array(z.tuple([z.number(), z.number()])))
    .optional()
    .describe(
      'Rows of [re, im] before the final measurement; qubit 0 is the least significant bit of an index',
    ),
  purity: z.number().optional().describe('tr ρ² before the final measurement'),
  unitary: z
    .array(z.array(z.tuple([z.number(), z.number()])))
    .optional()
    .describe(
      'Unitary matrix of the circuit without its final measurement, rows of [re, im]; qubit 0 is the least significant bit of an index',
    ),
  detection_events: z
    .strictObject({
      num_detectors: z.int(),
      num_logical_observables: z.int(),
      ...shotFields,
    })
    .optional()
    .describe(
      'Which detectors fired in each shot: a bit for each detector, then for each logical observable, 1 if its parity is not what it is without errors',
    ),
  detector_error_model: z
    .string()
    .optional()
    .describe('Errors of the circuit and what they flip, in the text format of Stim'),
  [KEPT_STATE]: z
    .strictObject({
      qubits: z.int(),
      bytes: z.int().describe('Bytes of the state in 64-bit floats'),
    })
    .optional()
    .describe('The state vector is kept for GET /quantum/circuits/{circuit_id}/statevector'),
  saved: savedOutputs.optional(),
  ...methodFields,
  trajectories: z
    .int()
    .optional()
    .describe(
      'Distinct trajectories that were computed; with noise and the methods statevector, matrix_product_state and sparse',
    ),
  ...errorBoundFields,
  truncation_error: z
    .number()
    .optional()
    .describe(
      'Matrix product states: weight that all cuts of bonds left out, about one minus the fidelity with the exact state; under noise, that of the worst trajectory. Pauli propagation: bound on the error of each expectation value',
    ),
  largest_bond: z
    .int()
    .optional()
    .describe('Matrix product states only: largest bond dimension of the run'),
  results: z
    .array(programResult)
    .optional()
    .describe('Results that the text requests with `#pragma braket result`, in order'),
  backend: z
    .union([backend, deviceBackend])
    .describe('Engine and device that ran the circuit, or the hardware'),
  fitting: fittingFields
    .optional()
    .describe(
      'Emulated devices only: how the circuit was fitted; absent where it ran as it was written. POST /quantum/compile shows the fitted circuit',
    ),
  compilation: z.union([
    compilationFields.extend({
      state_passes: z.int().describe('Number of times that the run read and wrote the whole state'),
      reused: z
        .enum(REUSES)
        .describe(
          'The part of an earlier circuit that the engine used again: `nothing`, its `shape` with other angles, or the same `program`',
        ),
    }),
    fittingFields,
  ]),
  timing: z.strictObject({
    queue_ms: z.number(),
    compile_ms: z.number(),
    vendor_queue_ms: z
      .number()
      .optional()
      .describe('Hardware only: the part of `queue_ms` that the job waited at the vendor'),
    execution_ms: z
      .number()
      .optional()
      .describe(
        'Duration of evolution and sampling, milliseconds; on hardware the vendor’s figure, if it has one',
      ),
    sampling_ms: z
      .number()
      .optional()
      .describe(
        'The part of `execution_ms` that drew the shots; 0 if a batch timed both together. Absent on hardware',
      ),
  }),
  bit_order: z.literal('little-endian'),
  measured_qubits: z
    .array(z.int().nullable())
    .describe(
      'Measured qubit of each classical bit, by index; null for a bit without a measurement. Empty for a text in Stim’s format whose REPEAT blocks are kept as loops',
    ),
  recorded_outputs: recordedOutputs.optional(),
  warnings: warnings.optional(),
});
export type CircuitResultFields = z.output<typeof circuitResult>;

const recordFields = {
  circuit_id: z.string().meta({ examples: ['circ_0199f3a2c5d87c3e9b1f2a4d6c8e0b35'] }),
  processor: z.string(),
  shots: z.int(),
  seed: z.int(),
  qubits: z.int(),
  ...jobFields,
};

/** A circuit in a listing: without its result. */
export const circuitSummary = z.strictObject(recordFields).meta({ id: 'CircuitSummary' });
export type CircuitSummary = z.output<typeof circuitSummary>;

/** A circuit's record; the result fields are there once it is completed. */
export const circuitRecord = z
  .strictObject({
    ...recordFields,
    ...requestFields,
    ...circuitResult.partial().shape,
  })
  .meta({ id: 'Circuit' });

/** Headers of POST /quantum/circuits; others pass. */
export const submissionHeaders = idempotencyHeaders.extend({
  prefer: z
    .string()
    .max(1000)
    .optional()
    .describe(
      'RFC 7240. `respond-async`: the answer comes at once, with status queued. `wait=N`: it comes after N seconds at most',
    ),
});
