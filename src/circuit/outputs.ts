/**
 * The table of outputs: all that a caller can ask of a circuit. A row has the source of the output, how it is asked
 * for, which methods and devices give it, and how large it may be.
 *
 * Schemas, checks, the choice of a method, compiler passes, batches and the documents read these rows. Nothing else
 * lists the needs of outputs: a row without a fact does not compile, and neither does a request for a field that no row
 * names.
 */
import type { PauliSum } from './observable.ts';

/** Widest state whose amplitudes, or classical register whose distribution, is sent as JSON. */
export const MAX_LISTED_QUBITS = 16;
/** Widest state that is kept for download: 256 MiB. */
export const MAX_KEPT_QUBITS = 24;
/** Widest state vector that methods write out whose states do not have 2^n amplitudes. */
export const MAX_WRITTEN_QUBITS = 20;
/** Widest circuit whose density matrix is computed and sent: 256 KiB. */
export const MAX_DENSITY_QUBITS = 7;
/** Widest circuit whose unitary matrix is computed and sent. */
export const MAX_UNITARY_OUTPUT_QUBITS = 10;
/** Most basis states of one request whose amplitudes are computed. */
export const MAX_BASIS_STATES = 1024;
/** Values of all samples of an answer. */
const MAX_SAMPLED_VALUES = 100_000;
/** Shots whose labels are listed one by one. */
const MAX_MEMORY_SHOTS = 100_000;

/**
 * When a method gives an output: of every circuit; of one that has a single final state, because its measurements are
 * all last, without conditions and without resets of qubits in use; of one without conditions and loops; as a mean over
 * the trajectories of shots; or never.
 */
type Given = 'always' | 'of one state' | 'unconditional' | 'as a mean' | 'never';

/** Request that takes an output by name: `return` of a circuit or of a batch, and a snapshot. */
type Form = 'circuit' | 'batch' | 'save';

/** Facts about an output. */
interface OutputFacts {
  /**
   * Source of the output: the circuit alone, drawn shots, the distribution of the last measurements, or the state
   * before them. A pass may drop operations that change no requested output.
   */
  readonly reads: 'circuit' | 'shots' | 'outcomes' | 'state';
  /** Fields of an engine's request that compute it; none if shots or the circuit are enough. */
  readonly fields: readonly string[];
  /** Forms of request that take its name. */
  readonly forms: readonly Form[];
  /** Braket's name of it in `#pragma braket result`, and whether the program may have measurements. */
  readonly pragma: { readonly type: string; readonly mayMeasure: boolean } | undefined;
  /** Field of the body that it needs, and that is only taken with it. */
  readonly needs: 'observables' | 'basis_states' | 'parities' | undefined;
  /** Field of the body that it may have, and that is only taken with it. */
  readonly option: 'detector_error_model' | 'statevector_format' | undefined;
  readonly by: Readonly<
    Record<
      | 'statevector'
      | 'trajectories'
      | 'density_matrix'
      | 'stabilizer'
      | 'matrix_product_state'
      | 'matrix_product_trajectories'
      | 'sparse'
      | 'pauli_propagation',
      Given
    >
  >;
  /** Devices that give it: hardware and emulated ones; hardware, estimated from a batch's counts; emulated; none. */
  readonly devices: 'all' | 'estimated' | 'emulated' | 'none';
  readonly limit:
    | {
        readonly of: 'qubits' | 'measured bits' | 'shots' | 'basis states' | 'values of samples';
        readonly most: number;
        /** The most where it is kept for download. */
        readonly mostKept?: number;
        /** A sentence. */
        readonly advice?: string;
      }
    | undefined;
  /** Advice for methods that do not give it, as a sentence. */
  readonly instead: string | undefined;
}

const DRAWN = {
  statevector: 'always',
  trajectories: 'always',
  density_matrix: 'always',
  stabilizer: 'always',
  matrix_product_state: 'always',
  matrix_product_trajectories: 'always',
  sparse: 'always',
  pauli_propagation: 'never',
} as const;

/** Means of the state that each outcome in mid-circuit leaves. */
const MEANS = {
  statevector: 'of one state',
  trajectories: 'as a mean',
  density_matrix: 'always',
  stabilizer: 'unconditional',
  matrix_product_state: 'of one state',
  matrix_product_trajectories: 'as a mean',
  sparse: 'of one state',
  pauli_propagation: 'never',
} as const;

/** Amplitudes. Stabilizers do not keep their global phase. */
const OF_PURE_STATES = {
  statevector: 'of one state',
  trajectories: 'never',
  density_matrix: 'never',
  stabilizer: 'never',
  matrix_product_state: 'of one state',
  matrix_product_trajectories: 'never',
  sparse: 'of one state',
  pauli_propagation: 'never',
} as const;

const OF_DENSITY_MATRICES = {
  statevector: 'never',
  trajectories: 'never',
  density_matrix: 'always',
  stabilizer: 'never',
  matrix_product_state: 'never',
  matrix_product_trajectories: 'never',
  sparse: 'never',
  pauli_propagation: 'never',
} as const;

/** All outputs, in the order in which they are listed. */
export const OUTPUTS = {
  counts: {
    reads: 'shots',
    fields: [],
    forms: ['circuit', 'batch'],
    pragma: undefined,
    needs: undefined,
    option: undefined,
    by: DRAWN,
    devices: 'all',
    limit: undefined,
    instead: undefined,
  },
  probabilities: {
    reads: 'outcomes',
    fields: ['probabilities'],
    forms: ['circuit', 'batch', 'save'],
    pragma: { type: 'probability', mayMeasure: false },
    needs: undefined,
    option: undefined,
    by: MEANS,
    devices: 'emulated',
    limit: {
      of: 'measured bits',
      most: MAX_LISTED_QUBITS,
      advice: 'Measure fewer qubits, and ask for probabilities in "return".',
    },
    instead: undefined,
  },
  expectation: {
    reads: 'state',
    fields: ['observables'],
    forms: ['circuit', 'batch', 'save'],
    pragma: { type: 'expectation', mayMeasure: true },
    needs: 'observables',
    option: undefined,
    by: { ...MEANS, pauli_propagation: 'always' },
    devices: 'estimated',
    limit: undefined,
    instead: undefined,
  },
  variance: {
    reads: 'state',
    fields: ['observables', 'variances'],
    forms: ['batch'],
    pragma: { type: 'variance', mayMeasure: true },
    needs: 'observables',
    option: undefined,
    by: MEANS,
    devices: 'emulated',
    limit: undefined,
    instead: undefined,
  },
  gradient: {
    reads: 'state',
    fields: ['observables', 'gradients'],
    forms: ['batch'],
    pragma: undefined,
    needs: 'observables',
    option: undefined,
    by: {
      ...MEANS,
      trajectories: 'never',
      stabilizer: 'never',
      matrix_product_trajectories: 'never',
      pauli_propagation: 'always',
    },
    devices: 'estimated',
    limit: undefined,
    instead: undefined,
  },
  statevector: {
    reads: 'state',
    fields: ['statevector'],
    forms: ['circuit', 'batch', 'save'],
    pragma: { type: 'state_vector', mayMeasure: true },
    needs: undefined,
    option: 'statevector_format',
    by: OF_PURE_STATES,
    devices: 'none',
    limit: {
      of: 'qubits',
      most: MAX_LISTED_QUBITS,
      mostKept: MAX_KEPT_QUBITS,
      advice: 'Wider states are kept for download with "statevector_format": "binary".',
    },
    instead: 'Ask for density_matrix or probabilities.',
  },
  amplitudes: {
    reads: 'state',
    fields: ['amplitudes'],
    forms: ['circuit', 'save'],
    pragma: { type: 'amplitude', mayMeasure: true },
    needs: 'basis_states',
    option: undefined,
    by: OF_PURE_STATES,
    devices: 'none',
    limit: { of: 'basis states', most: MAX_BASIS_STATES },
    instead: 'Ask for density_matrix or probabilities.',
  },
  memory: {
    reads: 'shots',
    fields: [],
    forms: ['circuit'],
    pragma: undefined,
    needs: undefined,
    option: undefined,
    by: DRAWN,
    devices: 'emulated',
    limit: { of: 'shots', most: MAX_MEMORY_SHOTS },
    instead: undefined,
  },
  measurements: {
    reads: 'shots',
    fields: [],
    forms: ['circuit'],
    pragma: undefined,
    needs: undefined,
    option: undefined,
    by: DRAWN,
    devices: 'emulated',
    limit: undefined,
    instead: undefined,
  },
  /** By a run without noise, from which the shots of Pauli frames differ. */
  reference_sample: {
    reads: 'circuit',
    fields: ['referenceSample'],
    forms: ['circuit'],
    pragma: undefined,
    needs: undefined,
    option: undefined,
    by: {
      statevector: 'never',
      trajectories: 'never',
      density_matrix: 'never',
      stabilizer: 'always',
      matrix_product_state: 'never',
      matrix_product_trajectories: 'never',
      sparse: 'never',
      pauli_propagation: 'never',
    },
    devices: 'none',
    limit: undefined,
    instead: undefined,
  },
  density_matrix: {
    reads: 'state',
    fields: ['densityMatrix'],
    forms: ['circuit', 'save'],
    pragma: { type: 'density_matrix', mayMeasure: false },
    needs: undefined,
    option: undefined,
    by: OF_DENSITY_MATRICES,
    devices: 'none',
    limit: { of: 'qubits', most: MAX_DENSITY_QUBITS },
    instead: undefined,
  },
  purity: {
    reads: 'state',
    fields: ['purity'],
    forms: ['circuit'],
    pragma: undefined,
    needs: undefined,
    option: undefined,
    by: OF_DENSITY_MATRICES,
    devices: 'none',
    limit: undefined,
    instead: undefined,
  },
  /** By a run of its own, on twice the qubits. */
  unitary: {
    reads: 'circuit',
    fields: [],
    forms: ['circuit'],
    pragma: undefined,
    needs: undefined,
    option: undefined,
    by: { ...OF_PURE_STATES, matrix_product_state: 'never', sparse: 'never' },
    devices: 'none',
    limit: { of: 'qubits', most: MAX_UNITARY_OUTPUT_QUBITS },
    instead: 'Only state vectors give the unitary of a circuit, which has no noise.',
  },
  detection_events: {
    reads: 'shots',
    fields: [],
    forms: ['circuit'],
    pragma: undefined,
    needs: 'parities',
    option: undefined,
    by: DRAWN,
    devices: 'none',
    limit: undefined,
    instead: undefined,
  },
  detector_error_model: {
    reads: 'circuit',
    fields: [],
    forms: ['circuit'],
    pragma: undefined,
    needs: 'parities',
    option: 'detector_error_model',
    by: DRAWN,
    devices: 'none',
    limit: undefined,
    instead: undefined,
  },
  /** Drawn by runs of their own, which measure the observables in their bases. */
  sample: {
    reads: 'circuit',
    fields: [],
    forms: [],
    pragma: { type: 'sample', mayMeasure: false },
    needs: undefined,
    option: undefined,
    by: DRAWN,
    devices: 'none',
    limit: { of: 'values of samples', most: MAX_SAMPLED_VALUES },
    instead: undefined,
  },
  /** By a run of its own, backwards through the gates of a state vector. */
  adjoint_gradient: {
    reads: 'circuit',
    fields: [],
    forms: [],
    pragma: { type: 'adjoint_gradient', mayMeasure: true },
    needs: undefined,
    option: undefined,
    by: { ...OF_PURE_STATES, matrix_product_state: 'never', sparse: 'never' },
    devices: 'none',
    limit: undefined,
    instead: 'Ask a batch for "gradient", which is by parameter shifts there.',
  },
} as const satisfies Readonly<Record<string, OutputFacts>>;

export type OutputName = keyof typeof OUTPUTS;

/** Name of a simulation method. */
export type OutputMethod = keyof OutputFacts['by'];

/** Fields of a body that outputs need: one at least. */
export const NEEDED_FIELDS = {
  observables: ['observables'],
  basis_states: ['basis_states'],
  parities: ['detectors', 'logical_observables'],
} as const satisfies Readonly<Record<NonNullable<OutputFacts['needs']>, readonly string[]>>;

type Row<Name extends OutputName> = (typeof OUTPUTS)[Name];

/** Outputs that a form of request takes. */
export type OutputOf<F extends Form> = {
  [Name in OutputName]: F extends Row<Name>['forms'][number] ? Name : never;
}[OutputName];

const NAMES = Object.keys(OUTPUTS) as OutputName[];

/** The facts about an output. */
export const factsOf = (name: OutputName): OutputFacts => OUTPUTS[name];

/** Outputs that a form of request takes, in the order of the table. */
export function outputsOf<F extends Form>(form: F): readonly OutputOf<F>[] {
  // The cast is safe: these are the rows whose forms include it.
  return NAMES.filter((name) => factsOf(name).forms.includes(form)) as OutputOf<F>[];
}

/** Braket's names of the results that pragmas request, in the order of the table. */
export const RESULT_TYPES = NAMES.flatMap((name): readonly ResultType[] => {
  const { pragma }: { readonly pragma: { readonly type: ResultType } | undefined } = OUTPUTS[name];
  return pragma === undefined ? [] : [pragma.type];
});

/** Braket's names of results. */
export type ResultType = NonNullable<Row<OutputName>['pragma']>['type'];

/** The output that is meant by a pragma. */
export function outputOfResult(type: ResultType): OutputName {
  return NAMES.find((name) => factsOf(name).pragma?.type === type)!;
}

type RequestedField = Row<OutputName>['fields'][number];

/**
 * Outputs as engines are asked for them. State vector, amplitudes, density matrix and purity, expectation values and
 * variances are those of the state before the trailing measurements; probabilities are those of the classical bits.
 */
export type RequestedOutputs = {
  readonly [Field in RequestedField]?: Field extends 'observables'
    ? readonly PauliSum[]
    : Field extends 'amplitudes'
      ? /** Basis states, bit q for qubit q. */ readonly bigint[]
      : boolean;
};

/** The request for some outputs. */
export function requestFor(
  names: Iterable<OutputName>,
  values: Pick<RequestedOutputs, 'observables' | 'amplitudes'>,
): RequestedOutputs {
  const fields = [...names].flatMap((name): readonly RequestedField[] => OUTPUTS[name].fields);
  const isGiven = (field: RequestedField) => field === 'observables' || field === 'amplitudes';
  // The cast is safe: all other fields are flags.
  return Object.fromEntries(
    fields.map((field) => [field, isGiven(field) ? values[field] : true]),
  ) as RequestedOutputs;
}

const FIELDS_OF_STATE = new Set(
  NAMES.flatMap((name): readonly RequestedField[] =>
    OUTPUTS[name].reads === 'state' ? OUTPUTS[name].fields : [],
  ),
);
const FIELDS = new Set(NAMES.flatMap((name): readonly RequestedField[] => OUTPUTS[name].fields));

/** Fields of a request that ask for something. */
export function askedFields(request: RequestedOutputs): readonly RequestedField[] {
  return [...FIELDS].filter((field) => request[field] !== undefined && request[field] !== false);
}

/** Whether a request reads the state itself, and not only outcomes of measurements. */
export function readsState(request: RequestedOutputs): boolean {
  return askedFields(request).some((field) => FIELDS_OF_STATE.has(field));
}

/** Whether a method gives the requested outputs only of circuits that have a single final state. */
export function needsOneState(request: RequestedOutputs, method: OutputMethod): boolean {
  const asked = new Set<string>(askedFields(request));
  return NAMES.map(factsOf).some(
    ({ fields, by }) => by[method] === 'of one state' && fields.some((field) => asked.has(field)),
  );
}

/** Whether a method's expectation values are means over the trajectories of shots. */
export const givesMeans = (method: OutputMethod): boolean =>
  OUTPUTS.expectation.by[method] === 'as a mean';

/** Whether an output is a value that noise or an outcome in mid-circuit leaves exact on a density matrix alone. */
export function isMean(name: OutputName): boolean {
  const { density_matrix, statevector } = factsOf(name).by;
  return density_matrix === 'always' && statevector === 'of one state';
}

/** Whether only density matrices have an output. */
export function isOfDensity(name: OutputName): boolean {
  const { density_matrix, statevector } = factsOf(name).by;
  return density_matrix === 'always' && statevector === 'never';
}
