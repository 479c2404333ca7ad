/** Batches: sweeps, lists of programs, values, gradients, estimates, noise, methods, packed arrays, and jobs of them. */
import {
  BELL,
  type Body,
  BRANCHING,
  batchRequests,
  type GoldenRequest,
  ghz,
  HEADER,
  longCircuit,
  NOISE,
  type Table,
} from './golden-request.ts';

const ROTATED = [
  { gate: 'RY', qubit: 0, theta: { input: 'a' } },
  { gate: 'RX', qubit: 1, theta: { input: 'b', scale: 2, offset: 0.25 } },
  { gate: 'CX', control: 0, target: 1 },
];
const INPUTS = { a: [0.3, 1.1, 2.7], b: 0.4 };
const OBSERVABLES = [{ pauli: 'Z0' }, [{ pauli: 'Z0 Z1' }, { pauli: 'X0 Y1', coefficient: 0.5 }]];
const SWEEP = { circuit: ROTATED, inputs: INPUTS };
const VALUES = { ...SWEEP, observables: OBSERVABLES };
const one = (program: Body, more: Body = {}): Body => ({ programs: [program], ...more });
const on = (target_processor: string, program: Body, more: Body = {}): Body => ({
  ...one(program, more),
  target_processor,
});

/** Its loop and its condition depend on inputs, its angle on an expression. */
const STRUCTURAL = {
  qasm: `${HEADER}input int n;\ninput float a;\ninput bit[2] b;\nqubit[2] q;\nfor int i in [1:n] { ry(a * i + 0.1) q[0]; }\nif (b[1]) { x q[1]; }\ncx q[0], q[1];\n`,
  inputs: { n: [1, 2, 1], a: [0.3, 0.4, 0.5], b: ['00', '10', '10'] },
};
const BRAKET = `OPENQASM 3.0;\ninput float theta;\nqubit[3] q;\nh q[0];\ncnot q[0], q[1];\nrx(theta) q[2];\n`;
const braket = (...results: readonly string[]) => ({
  qasm: `${BRAKET}${results.map((text) => `#pragma braket result ${text}\n`).join('')}`,
  inputs: { theta: [0.2, 0.7] },
});
const packed = (...numbers: readonly number[]) => ({
  dtype: '<f8',
  shape: [numbers.length],
  data: Buffer.from(Float64Array.from(numbers).buffer).toString('base64'),
});
/** A bond is cut for some of its points. */
const CHAIN = Array.from({ length: 3 }, (_, layer) => [
  ...Array.from({ length: 8 }, (__, qubit) => ({
    gate: 'RY',
    qubit,
    theta: { input: 'a', scale: 1 + ((7 * qubit + 3 * layer) % 5) },
  })),
  ...Array.from({ length: 7 }, (__, i) => ({ gate: 'CX', control: i, target: i + 1 })),
]).flat();

const RUN: Table = [
  ['a sweep with values', one(VALUES)],
  ['a sweep with counts', one({ ...SWEEP, shots: 20 })],
  [
    'hexadecimal labels of counts, of the batch and of a program',
    {
      shots: 20,
      label_format: 'hex',
      programs: [
        { circuit: ghz(5) },
        { circuit: ghz(5), label_format: 'automatic' },
        { circuit: ghz(5), array_format: 'base64' },
      ],
    },
  ],
  [
    'programs of all kinds, with defaults and fields of their own',
    {
      shots: 20,
      name: 'all kinds',
      tags: ['golden'],
      metadata: { course: '1' },
      programs: [
        { name: 'sweep', ...SWEEP, shots: 10 },
        { circuit: BELL },
        { circuit: ROTATED, inputs: { a: 1, b: [0.5, 0.6] }, seed: 99 },
        {
          qasm: `${HEADER}qubit[2] q;\nbit[3] c;\nh q[0];\nc[2] = measure q[0];\nif (c[2]) { x q[1]; }\nc[0] = measure q[1];\n`,
        },
        { ...VALUES, return: ['expectation', 'counts'], qubits: 3 },
      ],
    },
  ],
  [
    'every output of a pure state',
    one({
      ...VALUES,
      shots: 10,
      return: ['statevector', 'probabilities', 'counts', 'expectation', 'variance', 'gradient'],
    }),
  ],
  [
    'a gradient by two inputs in their order',
    one({ ...VALUES, return: ['gradient'], gradient_inputs: ['b', 'a'] }),
  ],
  [
    'gradients by the input that the batch names',
    {
      gradient_inputs: ['a'],
      programs: [
        { ...VALUES, return: ['gradient', 'expectation'] },
        { ...SWEEP, shots: 5 },
      ],
    },
  ],
  [
    'a gradient of many qubits, by the adjoint method',
    one({ ...VALUES, qubits: 9, return: ['gradient', 'variance'] }),
  ],
  [
    'a derivative that does not exist',
    one({
      qasm: `${HEADER}input float a;\nqubit q;\nrx(sqrt(a)) q;\n`,
      inputs: { a: [0, 1] },
      observables: [{ pauli: 'Z0' }],
      return: ['gradient'],
    }),
  ],
  ['estimates from shots', one({ ...VALUES, shots: 50 })],
  [
    'estimates with gradients and exact variances',
    one({ ...VALUES, shots: 50, return: ['expectation', 'gradient', 'variance'] }),
  ],
  ['inputs that decide which gates run', one({ ...STRUCTURAL, shots: 20 })],
  [
    'a gradient beside inputs that decide which gates run',
    one({
      ...STRUCTURAL,
      observables: [{ pauli: 'Z0' }],
      return: ['gradient'],
      gradient_inputs: ['a'],
    }),
  ],
  [
    'results of a text fill the fields of the answer',
    one(braket('variance z(q[2])', 'adjoint_gradient expectation(z(q[2])) all', 'probability')),
  ],
  [
    'a measurement in mid-circuit',
    one({ circuit: [...ROTATED, ...BRANCHING], inputs: INPUTS, shots: 20 }),
  ],
  [
    'a gradient after a measurement in mid-circuit',
    one({
      circuit: [...ROTATED, { gate: 'M', qubits: [0] }, ...ROTATED],
      inputs: INPUTS,
      observables: [{ pauli: 'Z0' }],
      return: ['gradient'],
    }),
  ],
  [
    'values after a measurement in mid-circuit',
    one({
      circuit: BRANCHING,
      observables: [{ pauli: 'Z0' }],
      return: ['expectation', 'probabilities', 'variance'],
    }),
  ],
  [
    'bits with gaps, and more than 64',
    {
      shots: 10,
      programs: [
        [8, 39],
        [8, 69],
      ].map((bits) => ({
        circuit: [
          { gate: 'H', qubit: 0 },
          { gate: 'X', qubit: 1 },
          { gate: 'M', qubits: [0, 1], bits },
        ],
      })),
    },
  ],
  [
    'packed arrays, in and out',
    {
      array_format: 'base64',
      programs: [
        {
          ...VALUES,
          inputs: { a: packed(0.3, 1.1), b: packed(-0.5, 0.5) },
          return: ['expectation', 'probabilities', 'statevector', 'variance', 'gradient'],
        },
        { ...SWEEP, shots: 20 },
        { ...SWEEP, shots: 20, array_format: 'json' },
        {
          circuit: [
            { gate: 'H', qubit: 0 },
            { gate: 'M', qubits: [0], bits: [9] },
          ],
          shots: 70_000,
        },
      ],
    },
  ],
  [
    'the greatest seed, after which seeds count on from 0',
    one({ ...SWEEP, shots: 20 }, { seed: 2 ** 53 - 1 }),
  ],
  [
    'on statevector-sim',
    on('statevector-sim', {
      ...VALUES,
      shots: 20,
      return: ['counts', 'expectation', 'probabilities'],
    }),
  ],
  ['on gpu-fleet', on('gpu-fleet', { ...VALUES, shots: 20, return: ['counts', 'expectation'] })],
  [
    'on gpu-fleet, wide',
    on('gpu-fleet', {
      ...SWEEP,
      qubits: 13,
      circuit: [...ROTATED, { gate: 'M', qubits: [0, 1] }],
      shots: 20,
    }),
  ],
  [
    'many points',
    one({
      ...SWEEP,
      inputs: { a: Array.from({ length: 200 }, (_, i) => i / 50), b: 1 },
      observables: [{ pauli: 'Z1' }],
    }),
  ],
  [
    'many programs',
    {
      shots: 5,
      programs: Array.from({ length: 40 }, (_, i) => ({
        circuit: [{ gate: 'RX', qubit: 0, theta: i / 10 }, ...BELL],
      })),
    },
  ],
  ['without arrays, one point', one({ ...VALUES, inputs: { a: 0.3, b: 0.4 } })],
  [
    'long programs, read elsewhere',
    {
      programs: [40, 90, 300].map((n) => ({ ...VALUES, circuit: [...longCircuit(n), ...ROTATED] })),
    },
  ],
  [
    'wide, with values and gradients',
    one({ ...VALUES, qubits: 13, return: ['expectation', 'variance', 'gradient'] }),
  ],
  ['without inputs', one({ circuit: BELL, observables: [{ pauli: 'X0 X1' }] })],
];

const NOISY: Table = [
  ['counts', one({ ...SWEEP, shots: 20 }, { noise: NOISE })],
  [
    'values and gradients of a density matrix',
    one(
      { ...VALUES, return: ['expectation', 'variance', 'probabilities', 'gradient'] },
      { noise: NOISE, method: 'density_matrix' },
    ),
  ],
  [
    'means over trajectories',
    one(
      { ...VALUES, return: ['counts', 'expectation', 'variance', 'probabilities'], shots: 50 },
      { noise: NOISE, method: 'statevector' },
    ),
  ],
  [
    'of the programs, of the batch, and none',
    {
      noise: NOISE,
      shots: 20,
      programs: [
        { circuit: BELL },
        { circuit: BELL, noise: { model: 'iqm-garnet' } },
        { circuit: BELL, noise: {} },
      ],
    },
  ],
  [
    'idle qubits and readout',
    one(
      { ...SWEEP, shots: 20, return: ['counts', 'probabilities'] },
      {
        noise: {
          idle: [{ t1_us: 20, t2_us: 15, durations_ns: { '*1': 350, CX: 3000 } }],
          readout: [{ p1_given_0: 0.1, p0_given_1: 0.2 }],
        },
      },
    ),
  ],
];

const METHODS: Table = [
  [
    'stabilizers',
    one(
      {
        circuit: ghz(30),
        observables: [{ pauli: 'Z0 Z29' }],
        shots: 10,
        return: ['counts', 'expectation'],
      },
      { method: 'stabilizer' },
    ),
  ],
  [
    'sums over stabilizer states',
    one(
      {
        circuit: [...ghz(3), { gate: 'T', qubit: 0 }, { gate: 'H', qubit: 0 }],
        observables: [{ pauli: 'X0' }],
        return: ['expectation', 'variance'],
      },
      { method: 'stabilizer' },
    ),
  ],
  [
    'a chain that is cut at some points',
    one(
      {
        circuit: CHAIN,
        inputs: { a: [0, 0.3] },
        observables: [{ pauli: 'Z3 Z6' }],
        method: 'matrix_product_state',
      },
      { max_bond_dimension: 3 },
    ),
  ],
  [
    'a chain with gradients',
    one(
      { ...VALUES, return: ['expectation', 'gradient', 'statevector'] },
      { method: 'matrix_product_state', truncation_threshold: 1e-6 },
    ),
  ],
  [
    'automatic on a wide chain',
    one({
      circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }, ...ghz(50).slice(1)],
      inputs: { a: [0.4, 1.1] },
      observables: [{ pauli: 'Z0 Z49' }, { pauli: 'Z3' }],
    }),
  ],
  [
    'a noisy chain',
    one(
      { ...VALUES, return: ['counts', 'expectation'], shots: 20 },
      { method: 'matrix_product_state', noise: NOISE },
    ),
  ],
  [
    'one for each program',
    {
      programs: ['statevector', 'density_matrix', 'matrix_product_state'].map((method) => ({
        ...VALUES,
        method,
      })),
    },
  ],
];

const UNFIT = [
  { gate: 'RY', qubit: 0, theta: { input: 'a' } },
  { gate: 'CX', control: 0, target: 2 },
  { gate: 'CX', control: 2, target: 1 },
  { gate: 'CX', control: 0, target: 1 },
];
const NATIVE = [
  { gate: 'PRX', qubit: 9, theta: { input: 'a' }, phi: 0.2 },
  { gate: 'CZ', control: 9, target: 4 },
  { gate: 'M', qubits: [4, 9] },
];
const ANGLES = { a: [0.2, 1.3] };
const GARNET = 'emulator-iqm-garnet';
const DEVICES: Table = [
  ['fitted, with counts', on(GARNET, { circuit: UNFIT, inputs: ANGLES, shots: 20 })],
  [
    'fitted, with values',
    on(GARNET, {
      circuit: UNFIT,
      inputs: ANGLES,
      observables: [{ pauli: 'Y0' }, { pauli: 'Z0 Z2' }],
    }),
  ],
  [
    'in native gates, with gradients',
    on(GARNET, {
      circuit: NATIVE,
      inputs: ANGLES,
      observables: [{ pauli: 'Z9' }, { pauli: 'Z19' }],
      return: ['expectation', 'gradient', 'probabilities'],
    }),
  ],
  [
    'on a large device without noise',
    on('emulator-ibm-fez', {
      qasm: `${HEADER}input float x;\nbit[2] c;\nsx $150;\nrz(x) $150;\nsx $150;\ncz $150, $151;\nc[0] = measure $150;\nc[1] = measure $151;\n`,
      inputs: { x: [3, 0] },
      shots: 20,
      noise: {},
    }),
  ],
  [
    'on a device of the caller',
    on(
      'emulator',
      { circuit: UNFIT, inputs: ANGLES, shots: 20 },
      {
        device: {
          coupling_map: [
            [0, 1],
            [1, 2],
          ],
          noise: {
            gates: [{ gates: ['CZ'], channel: { type: 'depolarizing', probability: 0.1 } }],
          },
        },
      },
    ),
  ],
  [
    'on hardware, with counts',
    on('superconducting-1', { circuit: UNFIT, inputs: ANGLES, shots: 20 }),
  ],
  [
    'on hardware, with estimates',
    on('superconducting-1', {
      circuit: UNFIT,
      inputs: ANGLES,
      observables: [{ pauli: 'X0 Z2' }, { pauli: 'Z1' }],
      return: ['expectation', 'gradient'],
      shots: 40,
    }),
  ],
];

const JOBS: Table = [
  [
    'answered at once, read, followed and deleted',
    one({ ...SWEEP, shots: 5 }, { name: 'a golden batch', tags: ['t'] }),
    {
      headers: { prefer: 'respond-async' },
      reads: ['GET', 'GET /events', 'POST /cancel', 'POST /retry', 'DELETE', 'GET'],
    },
  ],
  [
    'with an Idempotency-Key',
    one({ ...SWEEP, shots: 5 }),
    { headers: { 'idempotency-key': 'golden-batch' } },
  ],
  [
    'the same with that Idempotency-Key again',
    one({ ...SWEEP, shots: 5 }),
    { headers: { 'idempotency-key': 'golden-batch' } },
  ],
  [
    'a program that fails',
    {
      shots: 2,
      programs: [
        { circuit: BELL },
        { qasm: `${HEADER}qubit q;\nbit c;\nc = measure q;\nwhile (!c) { c = measure q; }\n` },
      ],
    },
    { reads: ['GET'] },
  ],
];

/** The requests. */
export const BATCH_RUNS: readonly GoldenRequest[] = [
  ...batchRequests('batch', RUN),
  ...batchRequests('batch with noise', NOISY),
  ...batchRequests('batch by method', METHODS),
  ...batchRequests('batch on a device', DEVICES),
  ...batchRequests('batch as a job', JOBS),
];
