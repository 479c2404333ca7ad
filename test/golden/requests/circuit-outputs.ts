/** Circuits with every output by every method and processor, with noise of every form. */
import {
  BELL,
  type Body,
  BRANCHING,
  circuitRequests,
  ghz,
  NOISE,
  OBSERVABLES,
  PAULI_NOISE,
  type Table,
  UNEVEN,
} from './golden-request.ts';

const VALUES = {
  return: ['counts', 'probabilities', 'expectation'],
  observables: OBSERVABLES,
};
const PURE = {
  return: ['counts', 'memory', 'probabilities', 'expectation', 'statevector', 'amplitudes'],
  observables: OBSERVABLES,
  basis_states: ['000', '0x5', '110'],
};
const CLIFFORD = [...ghz(3), { gate: 'S', qubit: 1 }, { gate: 'H', qubit: 2 }];
/** Clifford but for two gates. */
const NEAR_CLIFFORD = [...CLIFFORD, { gate: 'T', qubit: 0 }, { gate: 'H', qubit: 0 }];
/** Bonds that a chain has to cut. */
const ENTANGLED = Array.from({ length: 3 }, (_, layer) => [
  ...Array.from({ length: 8 }, (__, qubit) => ({
    gate: 'RY',
    qubit,
    theta: 0.4 + ((7 * qubit + 3 * layer) % 5),
  })),
  ...Array.from({ length: 7 }, (__, i) => ({ gate: 'CX', control: i, target: i + 1 })),
]).flat();

const byMethod = (method: string, body: Body): Body => ({ circuit: UNEVEN, method, ...body });

const METHODS: Table = [
  ['statevector, all of a pure state', byMethod('statevector', PURE)],
  ['matrix_product_state, all of a pure state', byMethod('matrix_product_state', PURE)],
  [
    'density_matrix, with purity and the matrix',
    byMethod('density_matrix', {
      ...VALUES,
      return: [...VALUES.return, 'density_matrix', 'purity'],
    }),
  ],
  ['stabilizer', { circuit: CLIFFORD, method: 'stabilizer', ...VALUES }],
  ['stabilizer, by sums over states', { circuit: NEAR_CLIFFORD, method: 'stabilizer', ...VALUES }],
  ['automatic, a pure state', byMethod('automatic', PURE)],
  [
    'hexadecimal labels of counts and memory',
    { circuit: ghz(5), return: ['counts', 'memory'], label_format: 'hex' },
  ],
  [
    'automatic on a wide Clifford circuit',
    { circuit: ghz(40), return: ['counts', 'memory'], shots: 4 },
  ],
  [
    'automatic on a wide chain',
    {
      circuit: [
        ...ghz(40),
        ...[0.3, -0.3].flatMap((theta) =>
          ghz(40).map((_, qubit) => ({ gate: 'RY', qubit, theta })),
        ),
      ],
      return: ['counts', 'expectation'],
      observables: [{ pauli: 'Z0 Z39' }],
      shots: 4,
    },
  ],
  [
    'matrix_product_state with bonds cut',
    {
      circuit: ENTANGLED,
      method: 'matrix_product_state',
      max_bond_dimension: 3,
      return: ['counts', 'expectation'],
      observables: [{ pauli: 'Z3 Z5' }],
    },
  ],
  [
    'matrix_product_state with a threshold',
    { circuit: ENTANGLED, method: 'matrix_product_state', truncation_threshold: 0.05 },
  ],
  [
    'density_matrix after a measurement in mid-circuit',
    {
      circuit: BRANCHING,
      method: 'density_matrix',
      return: ['counts', 'probabilities', 'expectation', 'purity'],
      observables: [{ pauli: 'Z0' }, { pauli: 'Y1' }],
    },
  ],
  [
    'automatic values after a measurement in mid-circuit',
    { circuit: BRANCHING, return: ['probabilities'] },
  ],
  [
    'stabilizer with a condition',
    {
      circuit: [
        ...BELL,
        { gate: 'M', qubits: [0], bits: [0] },
        { gate: 'X', qubit: 1, condition: { bits: [0], value: 1 } },
        { gate: 'M', qubits: [1], bits: [1] },
      ],
      method: 'stabilizer',
    },
  ],
];

const NOISY: Table = [
  ['automatic counts', { circuit: UNEVEN, noise: NOISE }],
  ['automatic values, from a density matrix', { circuit: UNEVEN, noise: NOISE, ...VALUES }],
  [
    'trajectories, with means and their errors',
    { circuit: UNEVEN, noise: NOISE, method: 'statevector', ...VALUES, shots: 200 },
  ],
  [
    'trajectories after a measurement in mid-circuit',
    {
      circuit: BRANCHING,
      noise: NOISE,
      method: 'statevector',
      return: ['counts', 'probabilities', 'expectation'],
      observables: [{ pauli: 'Z0' }],
      shots: 50,
    },
  ],
  [
    'density_matrix with memory',
    { circuit: UNEVEN, noise: NOISE, method: 'density_matrix', return: ['memory', 'purity'] },
  ],
  [
    'stabilizer with Pauli noise',
    { circuit: CLIFFORD, noise: PAULI_NOISE, method: 'stabilizer', ...VALUES },
  ],
  ['a model by name', { circuit: UNEVEN, noise: { model: 'ibm-fez' }, ...VALUES }],
  [
    'idle qubits that relax',
    {
      circuit: [
        { gate: 'X', qubit: 0 },
        ...ghz(2),
        { gate: 'X', qubit: 1 },
        { gate: 'H', qubit: 1 },
      ],
      noise: {
        idle: [
          { t1_us: 20, t2_us: 15, excited: 0.1, durations_ns: { '*1': 350, CX: 3000, M: 1000 } },
        ],
      },
      return: ['probabilities'],
    },
  ],
  [
    'readout that decides on a gate',
    {
      circuit: BRANCHING,
      noise: { readout: [{ qubits: [0], p1_given_0: 0.3, p0_given_1: 0.2 }] },
      return: ['counts', 'probabilities'],
    },
  ],
  [
    'a wide circuit with few errors, by trajectories',
    {
      circuit: Array.from({ length: 9 }, (_, qubit) => ({ gate: 'RY', qubit, theta: 0.3 + qubit })),
      noise: { gates: [{ gates: ['*'], channel: { type: 'depolarizing', probability: 1e-4 } }] },
    },
  ],
  [
    'a wide circuit, by trajectories of matrix product states',
    {
      circuit: Array.from({ length: 40 }, (_, qubit) => ({ gate: 'RY', qubit, theta: 0.3 })),
      noise: NOISE,
      return: ['counts', 'expectation'],
      observables: [{ pauli: 'Z0 Z39' }],
      shots: 6,
    },
  ],
  [
    'matrix_product_state with all that trajectories give',
    { circuit: UNEVEN, method: 'matrix_product_state', noise: NOISE, ...VALUES },
  ],
  [
    'values of a circuit too wide for a density matrix',
    {
      circuit: Array.from({ length: 12 }, (_, qubit) => ({
        gate: 'RY',
        qubit,
        theta: 0.3 + qubit,
      })),
      noise: { gates: [{ gates: ['*'], channel: { type: 'depolarizing', probability: 0.01 } }] },
      return: ['expectation'],
      observables: [{ pauli: 'Z0' }],
    },
  ],
  [
    'zero',
    {
      circuit: UNEVEN,
      noise: { gates: [{ gates: ['*'], channel: { type: 'depolarizing', probability: 0 } }] },
    },
  ],
];

const on = (qubits: readonly number[], channel: Body) => ({ gate: 'NOISE', qubits, channel });
const K = (rows: readonly (readonly number[])[]) => rows.map((row) => row.map((x) => [x, 0]));
const CHANNELS: Readonly<Record<string, readonly object[]>> = {
  'flips of all three kinds': ['bit_flip', 'phase_flip', 'bit_phase_flip'].map((type, i) =>
    on([i], { type, probability: 0.1 }),
  ),
  'pauli on one and two qubits': [
    on([0], { type: 'pauli', probabilities: { X: 0.1, Y: 0.05 } }),
    on([1, 2], { type: 'pauli', probabilities: { ZX: 0.2, YI: 0.1 } }),
  ],
  'depolarizing on one and two qubits': [
    on([0], { type: 'depolarizing', probability: 0.1 }),
    on([0, 2], { type: 'depolarizing', probability: 0.1, num_qubits: 2 }),
    on([0, 1], { type: 'depolarizing', probability: 0.05, num_qubits: 1 }),
  ],
  'amplitude damping, also generalized': [
    on([0], { type: 'amplitude_damping', gamma: 0.3 }),
    on([1], { type: 'generalized_amplitude_damping', gamma: 0.3, excited: 0.2 }),
  ],
  'phase damping and thermal relaxation': [
    on([0], { type: 'phase_damping', gamma: 0.3 }),
    on([2], {
      type: 'thermal_relaxation',
      t1_us: 120,
      t2_us: 80,
      duration_ns: 30_000,
      excited: 0.1,
    }),
  ],
  'resets to 0 and 1': [
    on([0], { type: 'reset', probability: 0.3 }),
    on([1], { type: 'reset', probability: 0.2, value: 1 }),
  ],
  'Kraus matrices': [
    on([0], {
      type: 'kraus',
      matrices: [
        K([
          [0.8, 0],
          [0, 0.8],
        ]),
        K([
          [0, 0.6],
          [0.6, 0],
        ]),
      ],
    }),
  ],
};
const channelTable = (body: Body): Table =>
  Object.entries(CHANNELS).map(([name, noises]) => [
    name,
    { circuit: [...UNEVEN, ...noises], ...body },
  ]);

const TARGETS: Table = ['statevector-sim', 'gpu-fleet'].flatMap(
  (target_processor): Table => [
    [
      `${target_processor}: counts of two qubits of three`,
      { target_processor, circuit: [...UNEVEN, { gate: 'M', qubits: [2, 0] }] },
    ],
    [`${target_processor}: values`, { target_processor, circuit: UNEVEN, ...VALUES }],
    [
      `${target_processor}: counts after a measurement in mid-circuit`,
      { target_processor, circuit: BRANCHING, return: ['counts', 'memory'] },
    ],
    [
      `${target_processor}: trajectories`,
      {
        target_processor,
        circuit: UNEVEN,
        noise: NOISE,
        return: ['counts', 'expectation'],
        observables: OBSERVABLES,
      },
    ],
  ],
);

/** Qubit 1 checks qubit 0, which may be flipped and misread. */
const CHECK = {
  circuit: [
    on([0], { type: 'bit_flip', probability: 0.125 }),
    { gate: 'CX', control: 0, target: 1 },
    { gate: 'M', qubits: [1], bits: [0] },
    { gate: 'M', qubits: [0], bits: [1] },
  ],
  noise: { readout: [{ qubits: [1], p1_given_0: 0.125, p0_given_1: 0.125 }] },
  detectors: [[0], [0, 1]],
  logical_observables: [[1]],
  return: ['counts', 'memory', 'detection_events', 'detector_error_model'],
};
const flips = (string: string) =>
  on([0, 1, 2], { type: 'pauli', probabilities: { [string]: 0.1 } });

const DETECTION: Table = [
  ['events and errors, by density matrix', { ...CHECK, method: 'density_matrix' }],
  ['events and errors, by stabilizers', { ...CHECK, method: 'stabilizer' }],
  ['events and errors, by trajectories', { ...CHECK, method: 'statevector' }],
  [
    'a model of depolarizing noise',
    {
      qasm: 'OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit[4] c; cx q[0], q[2]; cx q[1], q[2]; c[0] = measure q[2]; reset q[2]; cx q[0], q[2]; cx q[1], q[2]; c[1] = measure q[2]; c[2] = measure q[0]; c[3] = measure q[1];',
      noise: {
        gates: [
          { gates: ['CX'], channel: { type: 'depolarizing', probability: 0.01, num_qubits: 2 } },
        ],
      },
      detectors: [[0], [0, 1], [1, 2, 3]],
      logical_observables: [[2]],
      return: ['detection_events', 'detector_error_model'],
    },
  ],
  [
    'a model of whole errors',
    {
      circuit: [flips('XXX'), flips('XII'), { gate: 'M', qubits: [0, 1, 2] }],
      detectors: [[0], [1], [2]],
      return: ['detector_error_model'],
      detector_error_model: { decompose_errors: false },
    },
  ],
  [
    'an approximate model',
    {
      circuit: [
        on([0, 1], { type: 'pauli', probabilities: { IX: 0.1, XI: 0.1 } }),
        flips('XXX'),
        { gate: 'M', qubits: [0, 1, 2] },
      ],
      detectors: [[0], [1], [2]],
      return: ['detector_error_model'],
      detector_error_model: { approximate_disjoint_errors: true },
    },
  ],
];

/** A shape that no other request has. */
const reused = (theta: number) => ({
  circuit: [
    { gate: 'RYY', qubits: [0, 1], theta },
    { gate: 'RZX', qubits: [1, 2], theta: 0.25 },
  ],
  target_processor: 'statevector-sim',
});

/** The requests. */
export const CIRCUIT_OUTPUTS = [
  ...circuitRequests('method', METHODS),
  ...circuitRequests('noise', NOISY),
  ...circuitRequests(
    'channel, exactly',
    channelTable({ method: 'density_matrix', return: ['probabilities', 'purity'] }),
  ),
  ...circuitRequests(
    'channel, by trajectories',
    channelTable({ method: 'statevector', shots: 40 }),
  ),
  ...circuitRequests('processor', TARGETS),
  ...circuitRequests('detection', DETECTION),
  ...circuitRequests('engine', [
    ['a circuit that it has not seen', reused(0.3), { keepsReuse: true }],
    ['the shape of an earlier circuit', reused(0.7), { keepsReuse: true }],
  ]),
];
