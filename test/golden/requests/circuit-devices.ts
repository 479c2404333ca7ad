/** Circuits on emulated devices and hardware, circuits as jobs, and compiled circuits. */
import {
  BELL,
  type Body,
  CIRCUITS,
  circuitRequests,
  type GoldenRequest,
  HEADER,
  NOISE,
  requestsOf,
  type Table,
  UNEVEN,
} from './golden-request.ts';

const GARNET = { target_processor: 'emulator-iqm-garnet' };
const FEZ = { target_processor: 'emulator-ibm-fez' };
const HARDWARE = { target_processor: 'superconducting-1' };
/** Gates that no device has, and a pair that few couple. */
const UNFIT = [
  { gate: 'H', qubit: 0 },
  { gate: 'RY', qubit: 2, theta: 0.7 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'CX', control: 0, target: 2 },
  { gate: 'CZ', control: 1, target: 2 },
  { gate: 'M', qubits: [0, 1, 2], bits: [2, 0, 1] },
];
/** Native gates of IQM's device on a pair that it couples. */
const NATIVE = [
  { gate: 'PRX', qubit: 9, theta: Math.PI / 2, phi: 0.3 },
  { gate: 'PRX', qubit: 4, theta: 1, phi: 0 },
  { gate: 'CZ', control: 9, target: 4 },
  { gate: 'M', qubits: [4, 9] },
];
const DEVICE = {
  num_qubits: 4,
  coupling_map: [
    [0, 1],
    [1, 2],
    [2, 3],
  ],
  native_gates: ['iswap', 'rz', 'h'],
  noise: {
    gates: [
      { gates: ['ISWAP'], qubits: [[0, 1]], channel: { type: 'depolarizing', probability: 0.05 } },
      { gates: ['ISWAP'], channel: { type: 'amplitude_damping', gamma: 0.02 } },
    ],
    readout: [{ qubits: [2], p1_given_0: 0.02, p0_given_1: 0.1 }],
    idle: [{ t1_us: 50, t2_us: 30, durations_ns: { ISWAP: 200, H: 40, M: 500 } }],
  },
};
const EMULATOR = { target_processor: 'emulator', device: DEVICE };

const DEVICES: Table = [
  ['fitted, with counts', { ...GARNET, circuit: UNFIT }],
  [
    'fitted, with all that it gives',
    {
      ...GARNET,
      circuit: UNFIT,
      return: ['counts', 'memory', 'probabilities', 'expectation'],
      observables: [{ pauli: 'Z0 Z2' }, { pauli: 'X1' }],
    },
  ],
  ['fitted, by trajectories', { ...FEZ, circuit: UNFIT, method: 'statevector' }],
  [
    'in native gates, as it is written',
    { ...GARNET, circuit: NATIVE, return: ['counts', 'probabilities'] },
  ],
  [
    'with the noise of the caller',
    {
      ...GARNET,
      circuit: NATIVE,
      noise: {
        gates: [
          {
            gates: ['CZ'],
            qubits: [[9, 4]],
            channel: { type: 'pauli', probabilities: { ZX: 0.2 } },
          },
        ],
      },
      return: ['probabilities'],
    },
  ],
  [
    'with the noise of another device',
    { ...GARNET, circuit: UNFIT, noise: { model: 'ibm-fez' }, return: ['probabilities'] },
  ],
  ['without noise', { ...FEZ, circuit: UNFIT, noise: {}, return: ['counts', 'probabilities'] }],
  [
    'with a delay and a reset',
    {
      ...FEZ,
      qasm: `${HEADER}qubit[2] q;\nbit[2] c;\nx q[0];\nh q[1];\nreset q[1];\ndelay[20us] q[0];\nc = measure q;\n`,
    },
  ],
  [
    'on qubits of the device',
    {
      ...FEZ,
      qasm: `${HEADER}bit[2] c;\nsx $150;\nrz(0.3) $150;\nsx $150;\ncz $150, $151;\nc[0] = measure $150;\nc[1] = measure $151;\n`,
    },
  ],
  [
    'on a device of the caller',
    { ...EMULATOR, circuit: UNFIT, return: ['counts', 'probabilities'] },
  ],
  [
    'on a directed device without noise',
    {
      target_processor: 'emulator',
      device: { coupling_map: [[1, 0]], symmetric_couplers: false, native_gates: ['ecr', 'u'] },
      circuit: BELL,
    },
  ],
];

const HARD: Table = [
  ['a fitted circuit', { ...HARDWARE, circuit: UNFIT }],
  [
    'a text with a register',
    {
      ...HARDWARE,
      qasm: `${HEADER}qubit[2] q;\nbit[3] c;\nry(1.1) q[0];\ncx q[0], q[1];\nc[2] = measure q[0];\nc[0] = measure q[1];\n`,
    },
  ],
];

const LATER = { prefer: 'respond-async' };
const JOBS: Table = [
  [
    'answered at once, read, followed and deleted',
    { circuit: UNEVEN, name: 'a golden circuit', return: ['counts', 'probabilities'] },
    {
      headers: LATER,
      reads: ['GET', 'GET ?include=request', 'GET /events', 'DELETE', 'GET'],
    },
  ],
  ['answered within some seconds', { circuit: BELL }, { headers: { prefer: 'wait=20' } }],
  [
    'on hardware, answered at once',
    { ...HARDWARE, circuit: BELL },
    { headers: LATER, reads: ['GET'] },
  ],
  ['with an Idempotency-Key', { circuit: BELL }, { headers: { 'idempotency-key': 'golden-1' } }],
  [
    'the same with that Idempotency-Key again',
    { circuit: BELL },
    { headers: { 'idempotency-key': 'golden-1' } },
  ],
  [
    'another with that Idempotency-Key',
    { circuit: UNEVEN },
    { headers: { 'idempotency-key': 'golden-1' } },
  ],
  [
    'completed, and not to be run again',
    { circuit: BELL },
    { reads: ['POST /retry', 'POST /cancel'] },
  ],
];

const COMPILED: Table = [
  ['gate objects', { circuit: [...BELL, { gate: 'T', qubit: 0 }, { gate: 'T', qubit: 0 }] }],
  ['to OpenQASM 2', { circuit: UNEVEN, format: 'qasm2' }],
  ['to OpenQASM 3', { circuit: UNEVEN, format: 'qasm3', target_processor: 'gpu-fleet' }],
  [
    'with what measurements cannot show left out',
    { circuit: [...BELL, { gate: 'T', qubit: 0 }, { gate: 'M', qubits: [0] }] },
  ],
  [
    'a text with inputs and results, which are left out',
    {
      qasm: `${HEADER}input float a;\nqubit q;\nrx(a) q;\n@reversible\nx q;\n#pragma braket result state_vector\n`,
      inputs: { a: 0.3 },
    },
  ],
  [
    'a verbatim box',
    {
      qasm: 'OPENQASM 3.0;\nrx(0.25) $0;\nrx(0.5) $0;\n#pragma braket verbatim\nbox {\nrx(0.25) $0;\nrx(0.5) $0;\ncz $0, $1;\n}\n',
    },
  ],
  ['for a device', { ...GARNET, circuit: UNFIT }],
  ['for a device, to OpenQASM 3', { ...FEZ, circuit: UNFIT, format: 'qasm3' }],
  ['for a device of the caller', { ...EMULATOR, circuit: UNFIT }],
  ['for hardware', { ...HARDWARE, circuit: UNFIT, format: 'qasm3' }],
  ['wider than any state', { target_processor: 'qvm', circuit: [{ gate: 'H', qubit: 999 }] }],
];

const BAD_COMPILED: Table = [
  ['with shots and outputs', { circuit: BELL, shots: 5, return: ['statevector'] }],
  [
    'with noise',
    { circuit: [{ gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip', probability: 0.1 } }] },
  ],
  [
    'with a bad gate, format and target',
    { circuit: [{ gate: 'RX', qubit: 0 }], format: 'pdf', target_processor: 'abacus' },
  ],
  [
    'that computes while it runs',
    { qasm: `${HEADER}qubit q;\nbit c;\nc = measure q;\nwhile (c) { c = measure q; }\n` },
  ],
];

const BAD_DEVICES: Table = [
  [
    'a state vector of a device',
    { ...GARNET, circuit: UNFIT, return: ['statevector', 'density_matrix'] },
  ],
  [
    'noise in a circuit for a device',
    {
      ...GARNET,
      circuit: [{ gate: 'NOISE', qubits: [0], channel: { type: 'bit_flip', probability: 0.1 } }],
    },
  ],
  ['noise of gates that are not native', { ...GARNET, circuit: UNFIT, noise: NOISE }],
  ['more qubits than the device has', { ...GARNET, circuit: [{ gate: 'H', qubit: 20 }] }],
  [
    'a loop on a device',
    {
      ...GARNET,
      qasm: `${HEADER}qubit q;\nbit c;\nc = measure q;\nwhile (!c) { h q; c = measure q; }\n`,
    },
  ],
  [
    'more qubits of a device than a state has',
    { ...FEZ, qasm: `${HEADER}qubit[156] q;\nh q[155];\n` },
  ],
  [
    'gates that do not fit where qubits are named',
    { ...FEZ, qasm: `${HEADER}h $3;\ncz $0, $3;\n` },
  ],
  ['no device', { target_processor: 'emulator', circuit: BELL }],
  ['a device for another processor', { device: DEVICE, circuit: BELL }],
  [
    'a bad device',
    {
      target_processor: 'emulator',
      circuit: BELL,
      device: {
        coupling_map: [
          [2, 2],
          [0, 1.5],
        ],
        native_gates: [],
      },
    },
  ],
  [
    'a device with faults of meaning',
    {
      target_processor: 'emulator',
      circuit: BELL,
      device: {
        num_qubits: 3,
        coupling_map: [
          [2, 2],
          [0, 5],
        ],
        native_gates: ['u', 'swap'],
        noise: { readout: [{ qubits: [4], p1_given_0: 2, p0_given_1: 0 }] },
      },
    },
  ],
  [
    'values, noise and a method on hardware',
    { ...HARDWARE, circuit: BELL, return: ['probabilities'], noise: NOISE, method: 'statevector' },
  ],
  [
    'results of a text on hardware',
    { ...HARDWARE, qasm: 'OPENQASM 3.0;\nqubit q;\nx q;\n#pragma braket result state_vector\n' },
  ],
  ['more shots than hardware takes', { ...HARDWARE, circuit: BELL, shots: 501 }],
];

const COMPILE = '/api/v1/quantum/compile';
const compileRequests = (family: string, table: Table) =>
  requestsOf(family, COMPILE, { target_processor: 'statevector-sim' }, table);

const read = (path: string, headers: Readonly<Record<string, string>> = {}): GoldenRequest => ({
  name: `read: ${path}${headers['x-api-key'] === undefined ? '' : ' without a key'}`,
  method: 'GET',
  path: `/api/v1${path}`,
  headers,
});

/** A job's path that none has. */
const UNKNOWN: Body = { id: 'circ_0199f3a2c5d87c3e9b1f2a4d6c8e0b35' };

/** The requests. */
export const CIRCUIT_DEVICES: readonly GoldenRequest[] = [
  ...circuitRequests('device', DEVICES),
  ...circuitRequests('hardware', HARD),
  ...circuitRequests('job', JOBS),
  ...compileRequests('compile', COMPILED),
  ...compileRequests('refused compile', BAD_COMPILED),
  ...circuitRequests('refused for a device', BAD_DEVICES),
  read('/quantum/processors/qvm'),
  read('/quantum/processors/emulator-iqm-garnet'),
  read('/quantum/processors/nothing'),
  read('/quantum/noise-models/iqm-garnet'),
  read('/quantum/noise-models/nothing'),
  read(`/quantum/circuits/${UNKNOWN['id']}`),
  read('/quantum/circuits?limit=0&status=done'),
  read('/quantum/circuits', { 'x-api-key': '' }),
  { name: 'refused method: PUT', method: 'PUT', path: CIRCUITS, body: {} },
];
