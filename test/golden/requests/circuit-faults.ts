/** Circuits that are refused: for their form, their meaning, their size, or because no method has what they ask for. */
import {
  BELL,
  BRANCHING,
  CIRCUITS,
  circuitRequests,
  type GoldenRequest,
  ghz,
  HEADER,
  longCircuit,
  NOISE,
  type Table,
  UNEVEN,
} from './golden-request.ts';

const FORM: Table = [
  ['neither circuit nor text', {}],
  ['both circuit and text', { circuit: BELL, qasm: `${HEADER}qubit q;` }],
  ['an empty circuit of no width', { circuit: [] }],
  ['a circuit that is no list', { circuit: {} }],
  ['an entry that is no object', { circuit: [7, null, 'H'] }],
  [
    'faults of form and of meaning together',
    {
      shot: 1,
      seed: 'x',
      target_processor: 'abacus',
      circuit: [{ gate: 'NOPE' }, { gate: 'CX', control: 1, target: 1 }],
      return: ['expectation'],
    },
  ],
  [
    'hundreds of faults, of which twenty are listed',
    { circuit: new Array(300).fill({ gate: 'NOPE' }) },
  ],
  [
    'a long one, read elsewhere',
    {
      circuit: [...longCircuit(900), { gate: 'CX', control: 0, target: 0 }, { gate: 'H', qbit: 0 }],
    },
  ],
  [
    'misspelt fields of gates',
    {
      circuit: [
        { gate: 'H', qbit: 1 },
        { gate: 'RX', qubit: 0, angle: 1 },
      ],
    },
  ],
  [
    'qubits that are none',
    {
      circuit: [
        { gate: 'H', qubit: 0.5 },
        { gate: 'H', qubit: '0' },
        { gate: 'H', qubit: -1 },
      ],
    },
  ],
  [
    'missing angles and operands',
    { circuit: [{ gate: 'RX', qubit: 0 }, { gate: 'CX', target: 0 }, { gate: 'H' }] },
  ],
  ['qubits outside the register', { circuit: [...BELL, { gate: 'M', qubits: [0, 1] }], qubits: 1 }],
  [
    'a matrix that is not unitary',
    {
      circuit: [
        {
          gate: 'UNITARY',
          qubits: [0],
          matrix: [
            [
              [1, 0],
              [0, 0],
            ],
            [
              [0, 0],
              [2, 0],
            ],
          ],
        },
      ],
    },
  ],
  [
    'a matrix of the wrong size',
    { circuit: [{ gate: 'UNITARY', qubits: [0, 1], matrix: [[[1, 0]]] }] },
  ],
  [
    'a condition on a bit that is not measured before',
    { circuit: [{ gate: 'X', qubit: 0, condition: { bits: [0], value: 1 } }] },
  ],
  [
    'a condition that cannot hold',
    {
      circuit: [
        { gate: 'M', qubits: [0] },
        { gate: 'X', qubit: 0, condition: { bits: [0], value: 2 } },
      ],
    },
  ],
  ['numbers of shots that are none', { circuit: BELL, shots: 1.5, seed: -1, qubits: 0 }],
  ['too many shots', { circuit: BELL, shots: 100_001 }],
  ['no shots, no target', { circuit: BELL, shots: undefined, target_processor: undefined }],
  ['a seed that is too large', { circuit: BELL, seed: 2 ** 53 }],
  [
    'a priority, a name and tags that are none',
    { circuit: BELL, priority: 'urgent', name: '', tags: ['a', 'a'] },
  ],
  ['an unknown target that is near a known one', { circuit: BELL, target_processor: 'qvn' }],
  ['too many gates', { circuit: new Array(1001).fill({ gate: 'H', qubit: 0 }) }],
  [
    'too many qubits for a state',
    { circuit: [{ gate: 'H', qubit: 18 }], target_processor: 'statevector-sim' },
  ],
  ['far too many qubits', { circuit: [{ gate: 'H', qubit: 20_000 }] }],
  [
    'more bits than may be drawn',
    { circuit: [{ gate: 'M', qubits: [0], bits: [9999] }], shots: 50_000 },
  ],
];

const INPUTS: Table = [
  [
    'a value missing and one too many',
    { circuit: [{ gate: 'RX', qubit: 0, theta: { input: 't' } }], inputs: { u: 1 } },
  ],
  ['no values at all', { circuit: [{ gate: 'RX', qubit: 0, theta: { input: 't' } }] }],
  [
    'a list, which a batch takes',
    { circuit: [{ gate: 'RX', qubit: 0, theta: { input: 't' } }], inputs: { t: [1, 2] } },
  ],
  [
    'a boolean for an angle',
    { circuit: [{ gate: 'RX', qubit: 0, theta: { input: 't' } }], inputs: { t: true } },
  ],
  [
    'a misspelt field of an input angle',
    { circuit: [{ gate: 'RX', qubit: 0, theta: { input: 't', factor: 2 } }], inputs: { t: 1 } },
  ],
  [
    'values of the wrong type for a text',
    {
      qasm: `${HEADER}input int[4] n;\ninput bit[2] b;\nqubit q;\nrx(n) q;\n`,
      inputs: { n: 0.5, b: '011' },
    },
  ],
];

const TEXTS: Table = [
  ['a text that is none', { qasm: 'hello' }],
  [
    'several faults, with their lines',
    { qasm: `${HEADER}qubit[2] q;\nhh q[0];\nx q[5];\ncx q[0] q[1];`, shots: 0 },
  ],
  [
    'a statement that is not supported',
    { qasm: `${HEADER}extern f(int) -> int;\nqubit q;\nh q;\n` },
  ],
  [
    'a loop that never ends while it is read',
    { qasm: `${HEADER}qubit q;\nint i = 0;\nwhile (i < 1) { i *= 1; }\nh q;\n` },
  ],
  ['a register narrower than the text declares', { qasm: `${HEADER}qubit[2] q;\n`, qubits: 1 }],
  [
    'bad pragmas of noise',
    {
      qasm: 'OPENQASM 3.0;\nqubit[1] q;\n#pragma braket noise depolarizing(1.5) q[0]\n#pragma braket noise bitflip(0.1) q[0]\n',
    },
  ],
  [
    'a result of a program that measures',
    {
      qasm: 'OPENQASM 3.0;\nqubit[1] q;\nbit c;\nc = measure q[0];\n#pragma braket result probability\n',
    },
  ],
  [
    'a result that needs a pure state, with noise',
    {
      qasm: 'OPENQASM 3.0;\nqubit[1] q;\n#pragma braket noise bit_flip(0.1) q[0]\n#pragma braket result state_vector\n',
    },
  ],
  [
    'a gradient by an input that there is not',
    {
      qasm: 'OPENQASM 3.0;\ninput float theta;\nqubit[1] q;\nrx(theta) q[0];\n#pragma braket result adjoint_gradient expectation(z(q[0])) tehta\n',
      inputs: { theta: 1 },
    },
  ],
  [
    'a gradient by an input that decides which gates run',
    {
      qasm: 'OPENQASM 3.0;\ninput float n;\nqubit[1] q;\nif (n > 1) x q[0];\n#pragma braket result adjoint_gradient expectation(z(q[0])) all\n',
      inputs: { n: 2 },
    },
  ],
  [
    'amplitudes of another width',
    { qasm: 'OPENQASM 3.0;\nqubit[2] q;\nh q[0];\n#pragma braket result amplitude "000"\n' },
  ],
  [
    'a density matrix where there is none',
    {
      qasm: 'OPENQASM 3.0;\nqubit[2] q;\nh q[0];\n#pragma braket result density_matrix\n',
      target_processor: 'statevector-sim',
    },
  ],
];

const Z0 = { observables: [{ pauli: 'Z0' }] };
const OUTPUTS: Table = [
  ['no output, and an unknown one', { circuit: BELL, return: [] }],
  ['unknown and repeated outputs', { circuit: BELL, return: ['histogram', 'counts', 'counts'] }],
  ['a batch’s outputs', { circuit: BELL, return: ['variance', 'gradient'], ...Z0 }],
  ['expectation without observables', { circuit: BELL, return: ['expectation'] }],
  [
    'observables and labels that nothing asks for',
    { circuit: BELL, ...Z0, basis_states: ['00'], detectors: [[0]], detector_error_model: {} },
  ],
  [
    'bad observables',
    {
      circuit: BELL,
      return: ['expectation'],
      observables: [{ pauli: 'Z0' }, [{ pauli: 'Z7' }], { pauli: 'Q0' }, { pauli: 'X0 X0' }],
    },
  ],
  [
    'observables of bad form',
    {
      circuit: BELL,
      return: ['expectation'],
      observables: [{ paulii: 'Z0' }, { pauli: 'Z0', coefficient: '1' }],
    },
  ],
  [
    'bad labels of basis states',
    { circuit: BELL, return: ['amplitudes'], basis_states: ['00', '011', '0x4', '0x0'] },
  ],
  [
    'states of a circuit that branches',
    {
      circuit: BRANCHING,
      return: ['statevector', 'amplitudes'],
      basis_states: ['00'],
      target_processor: 'statevector-sim',
    },
  ],
  [
    'values of a circuit that branches',
    { circuit: BRANCHING, return: ['probabilities', 'expectation'], ...Z0, method: 'statevector' },
  ],
  [
    'a pure state with noise',
    { circuit: UNEVEN, noise: NOISE, return: ['statevector', 'amplitudes'], basis_states: ['000'] },
  ],
  [
    'a pure state of a density matrix',
    { circuit: UNEVEN, method: 'density_matrix', return: ['statevector'] },
  ],
  [
    'purity by a state vector',
    { circuit: UNEVEN, method: 'statevector', return: ['purity', 'density_matrix'] },
  ],
  [
    'a density matrix of statevector-sim',
    { circuit: UNEVEN, target_processor: 'statevector-sim', return: ['density_matrix'] },
  ],
  ['a density matrix that is too wide', { circuit: ghz(8), return: ['density_matrix'] }],
  [
    'a state vector that is too wide',
    { circuit: ghz(17), return: ['statevector', 'probabilities'] },
  ],
  [
    'a mean over one trajectory',
    {
      circuit: UNEVEN,
      noise: NOISE,
      method: 'statevector',
      shots: 1,
      return: ['expectation'],
      ...Z0,
    },
  ],
  ['a random parity', { circuit: BELL, detectors: [[0]], return: ['detection_events'] }],
  [
    'bad parities',
    { circuit: ghz(2), detectors: [[2], [-1], [], 0, ['c0']], return: ['detection_events'] },
  ],
  [
    'detectors of a circuit that is not Clifford',
    { circuit: UNEVEN, detectors: [[0]], return: ['detector_error_model'] },
  ],
  [
    'parities that are not declared',
    { circuit: BELL, return: ['detection_events', 'detector_error_model'] },
  ],
];

const METHODS: Table = [
  ['a method that there is not', { circuit: BELL, method: 'magic' }],
  [
    'stabilizer on gpu-fleet',
    { circuit: BELL, method: 'stabilizer', target_processor: 'gpu-fleet' },
  ],
  [
    'density_matrix on statevector-sim',
    { circuit: BELL, method: 'density_matrix', target_processor: 'statevector-sim' },
  ],
  [
    'stabilizer with a state vector',
    { circuit: BELL, method: 'stabilizer', return: ['statevector'] },
  ],
  [
    'stabilizer with noise that is no mixture of Paulis',
    {
      circuit: BELL,
      method: 'stabilizer',
      noise: { gates: [{ gates: ['CX'], channel: { type: 'amplitude_damping', gamma: 0.1 } }] },
    },
  ],
  [
    'stabilizer with a T gate, noise and exact values',
    {
      circuit: [{ gate: 'T', qubit: 0 }, ...BELL],
      method: 'stabilizer',
      noise: { readout: [{ p1_given_0: 0.1, p0_given_1: 0.2 }] },
      return: ['probabilities'],
    },
  ],
  [
    'matrix_product_state with noise and a state vector',
    { circuit: UNEVEN, method: 'matrix_product_state', noise: NOISE, return: ['statevector'] },
  ],
  [
    'matrix_product_state with a density matrix',
    { circuit: UNEVEN, method: 'matrix_product_state', return: ['density_matrix'] },
  ],
  [
    'bonds for another method',
    { circuit: UNEVEN, method: 'statevector', max_bond_dimension: 8, truncation_threshold: 0.01 },
  ],
  ['bonds that are none', { circuit: UNEVEN, max_bond_dimension: 0, truncation_threshold: 0.2 }],
  ['a density matrix that does not fit', { circuit: ghz(12), method: 'density_matrix' }],
  [
    'no method for a wide circuit with noise',
    {
      circuit: Array.from({ length: 400 }, (_, i) =>
        i < 40
          ? { gate: 'RY', qubit: i, theta: 0.3 + i }
          : { gate: 'CRY', control: i % 40, target: (i + 1 + ((7 * i) % 39)) % 40, theta: 0.3 + i },
      ),
      noise: NOISE,
    },
  ],
];

const NOISES: Table = [
  ['a model that there is not', { circuit: BELL, noise: { model: 'ibm-fes' } }],
  ['a model with other fields', { circuit: BELL, noise: { model: 'ibm-fez', readout: [] } }],
  [
    'bad fields, gates and qubits',
    {
      circuit: BELL,
      noise: {
        gate: [],
        gates: [{ gates: ['CY2'], channel: { type: 'bit_flip', probability: 0.1 } }],
      },
    },
  ],
  [
    'probabilities out of range',
    {
      circuit: BELL,
      noise: {
        gates: [{ gates: ['X'], channel: { type: 'bit_flip', probability: 1.5 } }],
        readout: [{ p1_given_0: -1, p0_given_1: 0 }],
        idle: [{ t1_us: 1, t2_us: 3, durations_ns: { H: 1 } }],
      },
    },
  ],
  [
    'channels with missing and foreign fields',
    {
      circuit: [
        { gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip' } },
        { gate: 'NOISE', qubits: [0], channel: { type: 'depolarizing', gamma: 0.1 } },
        { gate: 'NOISE', qubits: [0], channel: { type: 'nothing' } },
        { gate: 'NOISE', qubits: [0] },
      ],
    },
  ],
  [
    'Kraus matrices that are not complete',
    {
      circuit: [
        {
          gate: 'NOISE',
          qubits: [0],
          channel: {
            type: 'kraus',
            matrices: [
              [
                [
                  [0.5, 0],
                  [0, 0],
                ],
                [
                  [0, 0],
                  [0.5, 0],
                ],
              ],
            ],
          },
        },
      ],
    },
  ],
  [
    'Pauli strings of two lengths and of too much',
    {
      circuit: [
        {
          gate: 'NOISE',
          qubits: [0],
          channel: { type: 'pauli', probabilities: { X: 0.7, ZZ: 0.6 } },
        },
      ],
    },
  ],
  [
    'a channel on the wrong number of qubits',
    {
      circuit: [
        {
          gate: 'NOISE',
          qubits: [0, 1, 2],
          channel: { type: 'depolarizing', probability: 0.1, num_qubits: 2 },
        },
      ],
    },
  ],
];

const raw = (name: string, body: string): GoldenRequest => ({
  name: `refused body: ${name}`,
  path: CIRCUITS,
  body,
});

/** The requests. */
export const CIRCUIT_FAULTS = [
  ...circuitRequests('refused circuit', FORM),
  ...circuitRequests('refused input', INPUTS),
  ...circuitRequests('refused text', TEXTS),
  ...circuitRequests('refused output', OUTPUTS),
  ...circuitRequests('refused method', METHODS),
  ...circuitRequests('refused noise', NOISES),
  raw('no JSON', '{"circuit": ['),
  raw('a list', '[]'),
  raw('nothing', ''),
  raw('nested too deeply', `{"circuit": ${'['.repeat(40)}${']'.repeat(40)}}`),
];
