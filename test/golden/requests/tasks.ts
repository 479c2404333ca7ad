/** Tasks of agents, plans, jobs of the TPU fleet and inferences whose circuits run on the processors. */
import {
  BELL,
  type GoldenRequest,
  HEADER,
  NOISE,
  OBSERVABLES,
  requestsOf,
  type Table,
  UNEVEN,
} from './golden-request.ts';

const SEED = { seed: 7 };
const READ = { reads: ['GET'] };
const GATES = [...BELL, { gate: 'RY', qubit: 1, theta: 0.4 }];

const ofAgent = (agent: string, table: Table, isRefused = false): readonly GoldenRequest[] =>
  requestsOf(
    `${isRefused ? 'refused task' : 'task'} of ${agent}`,
    `/api/v1/agents/${agent}/execute`,
    {},
    table.map(([name, body, more]) => [name, body, isRefused ? more : { ...READ, ...more }]),
  );
const task = (name: string, input: object, more: object = {}) => ({ task: name, input, ...more });

const COMPUTATION: Table = [
  [
    'counts',
    task('simulate', { circuit: [...GATES, { gate: 'M', qubits: [1, 0] }], shots: 20, ...SEED }),
  ],
  [
    'all of a state',
    task('simulate', {
      circuit: UNEVEN,
      shots: 20,
      ...SEED,
      return: ['counts', 'probabilities', 'statevector'],
    }),
  ],
  [
    'a text that measures in mid-circuit',
    task('simulate', {
      qasm: `${HEADER}qubit[2] q;\nbit[2] c;\nh q[0];\nc[0] = measure q[0];\nif (c[0]) { x q[1]; }\nc[1] = measure q[1];\n`,
      shots: 20,
      ...SEED,
    }),
  ],
  [
    'counts on gpu-fleet',
    task('simulate', { circuit: GATES, shots: 20, ...SEED }, { target_processor: 'gpu-fleet' }),
  ],
  [
    'a circuit wider than what runs, which fails',
    task('simulate', { circuit: [{ gate: 'H', qubit: 20 }] }),
  ],
  ['expectation values', task('expectation', { circuit: UNEVEN, observables: OBSERVABLES })],
  [
    'expectation values of a text',
    task('expectation', {
      qasm: `${HEADER}qubit[2] q;\nry(0.3) q[0];\ncx q[0], q[1];\n`,
      observables: [{ pauli: 'Z0 Z1' }, { pauli: 'X0 X1' }],
    }),
  ],
];
const RESEARCH: Table = [
  [
    'a sweep over a grid',
    task('parameter_sweep', {
      circuit: [
        { gate: 'RY', qubit: 0, theta: 'x' },
        { gate: 'RX', qubit: 1, theta: '0.5*y' },
        { gate: 'CX', control: 0, target: 1 },
      ],
      parameters: { x: { from: 0, to: 1, points: 3 }, y: [0.2, 0.4] },
      observables: [{ pauli: 'Z0' }, { pauli: 'Z0 Z1' }],
      probabilities: true,
      shots: 10,
      ...SEED,
    }),
  ],
  [
    'a sweep of a text whose loop grows',
    task('parameter_sweep', {
      qasm: `${HEADER}input int n;\ninput float a;\nqubit[2] q;\nfor int i in [1:n] { ry(a) q[0]; }\ncx q[0], q[1];\n`,
      parameters: { n: [1, 2, 3], a: [0.1, 0.2, 0.3] },
      combine: 'zip',
      observables: [{ pauli: 'Z0' }],
    }),
  ],
  ['vqe of hydrogen, one step', task('vqe', { problem: 'h2', steps: 1, ...SEED })],
  [
    'vqe of a chain, some steps of adam',
    task('vqe', { problem: 'tfim', sites: 3, optimizer: 'adam', steps: 4, ...SEED }),
  ],
  [
    'vqe of an observable, estimated from shots',
    task('vqe', {
      problem: 'custom',
      observable: [{ pauli: 'Z0 Z1' }, { pauli: 'X0', coefficient: 0.5 }],
      layers: 1,
      optimizer: 'adam',
      steps: 3,
      shots: 50,
      ...SEED,
    }),
  ],
  [
    'a scan of noise of a device',
    task('noise_scan', {
      circuit: UNEVEN,
      device: 'ibm-fez',
      scale_factors: [0, 1, 10],
      observables: [{ pauli: 'Z0 Z1' }],
      ...SEED,
    }),
  ],
  [
    'a scan of levels, by trajectories',
    task('noise_scan', {
      circuit: [{ gate: 'RY', qubit: 8, theta: 0.9 }, ...UNEVEN],
      levels: [{ one_qubit_error: 0.01, two_qubit_error: 0.05, readout_error: 0.02 }],
      trajectories: 10,
      observables: [{ pauli: 'Z0 Z1' }],
      ...SEED,
    }),
  ],
  [
    'mitigation, exactly',
    task('mitigate', { circuit: GATES, observables: [{ pauli: 'Z0 Z1' }], noise: NOISE }),
  ],
  [
    'mitigation from shots',
    task('mitigate', {
      circuit: GATES,
      observables: [{ pauli: 'Z0' }, { pauli: 'X0 X1' }],
      noise: { model: 'ibm-fez' },
      scale_factors: [1, 3],
      extrapolation: ['linear'],
      shots: 100,
      ...SEED,
    }),
  ],
  [
    'phase estimation',
    task('phase_estimation', {
      unitary: [{ gate: 'P', qubit: 0, theta: 1.1 }],
      counting_qubits: 3,
      shots: 20,
      ...SEED,
    }),
  ],
  [
    'phase estimation of an energy',
    task('phase_estimation', {
      hamiltonian: [
        { pauli: 'Z0', coefficient: 0.4 },
        { pauli: 'X0', coefficient: 0.3 },
      ],
      time: 1,
      counting_qubits: 3,
      ...SEED,
    }),
  ],
];
const OTHERS: readonly GoldenRequest[] = [
  ...ofAgent('security', [
    ['random bits', task('random_bits', { bits: 64, tests: false, ...SEED })],
    [
      'BB84 with an eavesdropper',
      task('bb84', { bits: 64, eavesdrop: true, noise: 0.05, ...SEED }),
    ],
    [
      'a CHSH test under noise',
      task('chsh', { shots: 50, visibility: 0.9, noise: { model: 'ibm-fez' }, ...SEED }),
    ],
  ]),
  ...ofAgent('design', [
    [
      'a shorter circuit',
      task('shorten', { circuit: GATES, gate_set: ['cx', 'rz', 'ry'], ...SEED }),
    ],
    [
      'a routed circuit',
      task('route', {
        circuit: [
          ...GATES,
          { gate: 'CX', control: 0, target: 2 },
          { gate: 'M', qubits: [0, 1, 2] },
        ],
        device: 'iqm-garnet',
        seed: 1,
      }),
    ],
    [
      'a prepared state',
      task('prepare_state', { amplitudes: [0.5, 0, [0, 0.5], 0.5, 0, 0, 0, -0.5] }),
    ],
  ]),
  ...ofAgent('robotics', [
    [
      'an assignment',
      task('assignment', {
        costs: [
          [4, 1, 3],
          [2, 0, 5],
          [3, 2, 2],
        ],
        layers: 1,
        shots: 50,
        ...SEED,
      }),
    ],
    [
      'a route',
      task('routing', {
        coordinates: [
          [0, 0],
          [3, 1],
          [0, 2],
          [3, 4],
        ],
        layers: 1,
        shots: 50,
        ...SEED,
      }),
    ],
  ]),
];

const REFUSED: readonly GoldenRequest[] = [
  ...ofAgent(
    'computation',
    [
      ['that it does not know', task('simulat', {})],
      [
        'with faults of form',
        task('simulate', { circuit: [{ gate: 'H' }], shots: 0, colour: 1 }, { priority: 'urgent' }),
      ],
      [
        'with a bad circuit',
        task('simulate', { circuit: [{ gate: 'CX', control: 0, target: 0 }] }),
      ],
      ['with a bad text', task('simulate', { qasm: `${HEADER}qubit q;\nnonsense q;\n` })],
      [
        'with outputs of a circuit that measures in mid-circuit',
        task('simulate', {
          circuit: [
            { gate: 'M', qubits: [0] },
            { gate: 'H', qubit: 0 },
          ],
          return: ['probabilities', 'statevector'],
        }),
      ],
      [
        'with more qubits than it lists',
        task('simulate', { circuit: [{ gate: 'H', qubit: 14 }], return: ['statevector'] }),
      ],
      [
        'on qvm',
        task('simulate', { circuit: GATES, shots: 20, ...SEED }, { target_processor: 'qvm' }),
      ],
      [
        'with noise',
        task('simulate', {
          circuit: [
            { gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip', probability: 0.1 } },
          ],
        }),
      ],
      [
        'with observables of a missing qubit',
        task('expectation', { circuit: BELL, observables: [{ pauli: 'Z5' }] }),
      ],
      [
        'on hardware',
        task('simulate', { circuit: BELL }, { target_processor: 'superconducting-1' }),
      ],
    ],
    true,
  ),
  ...ofAgent(
    'research',
    [
      [
        'a sweep that asks for nothing',
        task('parameter_sweep', {
          circuit: [{ gate: 'RY', qubit: 0, theta: 'x' }],
          parameters: { x: [1] },
        }),
      ],
      [
        'a sweep with a parameter that it does not use',
        task('parameter_sweep', {
          circuit: [{ gate: 'RY', qubit: 0, theta: 'x' }],
          parameters: { x: [1], y: [2] },
          probabilities: true,
        }),
      ],
      ['vqe with fields of other problems', task('vqe', { problem: 'h2', sites: 3, layers: 2 })],
      [
        'mitigation of a circuit that cannot be folded',
        task('mitigate', {
          circuit: [
            { gate: 'M', qubits: [0] },
            { gate: 'H', qubit: 0 },
          ],
          observables: [{ pauli: 'Z0' }],
          noise: NOISE,
        }),
      ],
      [
        'a scan of two kinds of noise',
        task('noise_scan', { circuit: BELL, device: 'ibm-fez', noise: NOISE }),
      ],
    ],
    true,
  ),
  ...ofAgent('oracle', [['of an agent that there is not', task('simulate', {})]], true),
];

const TPU = requestsOf('TPU job', '/api/v1/tpu/jobs', { tpu_type: 'v4', zone: 'us-central2-b' }, [
  [
    'circuits',
    {
      job_type: 'simulation',
      input: {
        circuits: [
          { name: 'bell', circuit: BELL, observables: [{ pauli: 'Z0 Z1' }], probabilities: true },
          { qasm: `${HEADER}qubit q;\nbit c;\nh q;\nc = measure q;\n`, shots: 10 },
        ],
        shots: 20,
        ...SEED,
      },
    },
    READ,
  ],
  [
    'a sweep',
    {
      job_type: 'simulation',
      input: {
        sweep: {
          circuit: [{ gate: 'RY', qubit: 0, theta: 'x' }],
          parameters: { x: [0.1, 0.2] },
          observables: [{ pauli: 'Z0' }],
        },
        ...SEED,
      },
    },
    READ,
  ],
  [
    'a cut of a graph',
    {
      job_type: 'optimization',
      input: {
        problem: 'maxcut',
        edges: [
          [0, 1],
          [1, 2],
          [2, 0],
        ],
        layers: 1,
        ...SEED,
      },
    },
    READ,
  ],
  [
    'rows to classify',
    {
      job_type: 'inference',
      input: {
        inputs: [
          [5.7, 2.9, 4.2, 1.3],
          [6.8, 3, 5.5, 2.1],
        ],
        labels: [0, 1],
        ...SEED,
      },
    },
    READ,
  ],
  [
    'refused: a bad circuit',
    { job_type: 'simulation', input: { circuits: [{ circuit: [{ gate: 'NOPE', qubit: 0 }] }] } },
  ],
]);

const FLOWER = [6.8, 3, 5.5, 2.1];
const THETA = [0.1, 0.5, -0.2, 0.3, 0.5, 0, 0, 1, 0, 0, 1, 0.4];
const INFERENCE = requestsOf('inference', '/api/v1/models/qnn-hybrid/inference', SEED, [
  ['one flower', { input: FLOWER }],
  ['three flowers', { inputs: [FLOWER, [5.7, 2.9, 4.2, 1.3], [6.1, 2.9, 47, 1.4]], shots: 100 }],
  [
    'a circuit of the caller',
    { input: [0.2, -0.1, 0.5, 1], parameters: { theta: THETA, shots: 200, threshold: 0.1 } },
  ],
  [
    'a circuit of three qubits and two layers',
    { input: [-1, 0, 1, 0.5], parameters: { theta: [...THETA, 1, 2, 3, 4, 5, 6], qubits: 3 } },
  ],
  [
    'refused: bad rows and parameters',
    { input: [1, 2, 3], shots: 10_000, parameters: { theta: [1, 2], qubits: 13 } },
  ],
  [
    'refused: two inputs, and a field of another circuit',
    { input: FLOWER, inputs: [FLOWER], parameters: { threshold: 2 } },
  ],
  ['refused: no input', {}],
]);

/** The requests. */
export const TASKS: readonly GoldenRequest[] = [
  ...ofAgent('computation', COMPUTATION),
  ...ofAgent('research', RESEARCH),
  ...OTHERS,
  ...REFUSED,
  {
    name: 'plan: a ground state whose circuit is made shorter',
    path: '/api/v1/systems/asi/plans',
    body: {
      goal: 'A short circuit',
      tasks: [
        {
          name: 'sweep',
          agent: 'research',
          task: 'phase_estimation',
          input: { unitary: [{ gate: 'T', qubit: 0 }], counting_qubits: 2, ...SEED },
        },
        { name: 'short', agent: 'design', task: 'shorten' },
      ],
    },
    reads: ['GET'],
  },
  ...TPU,
  ...INFERENCE,
  {
    name: 'inference: refused: a model that there is not',
    path: '/api/v1/models/resnet/inference',
    body: { input: FLOWER },
  },
];
