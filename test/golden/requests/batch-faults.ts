/** Batches that are refused. */
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
  { gate: 'RX', qubit: 1, theta: { input: 'b' } },
];
const PROGRAM = { circuit: ROTATED, inputs: { a: 0.1, b: 0.2 }, shots: 5 };
const Z0 = { observables: [{ pauli: 'Z0' }] };
/** A good program, and one with changes. */
const within = (changes: Body, more: Body = {}): Body => ({
  programs: [PROGRAM, { ...PROGRAM, ...changes }],
  ...more,
});
const packed = (fields: Body) =>
  within({ inputs: { a: { dtype: '<f8', shape: [1], data: 'AAAAAAAA8D8=', ...fields }, b: 1 } });
const text = (qasm: string, more: Body): Body =>
  within({ circuit: undefined, qasm: `${HEADER}${qasm}`, ...more });
const WIDE = { circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'a' } }], qubits: 16 };

const REFUSED: Table = [
  ['without programs', { programs: [] }],
  ['whose programs are no list', { programs: 3 }],
  [
    'for an unknown processor, with an unknown field',
    { ...within({}), target_processor: 'x', shot: 3 },
  ],
  [
    'with a program that is none, and one with an unknown field',
    { programs: [null, { ...PROGRAM, shot: 3 }] },
  ],
  [
    'with what only circuits have',
    within({ detectors: [[0]], basis_states: ['00'], return: ['memory'] }),
  ],
  ['with a bad gate', within({ circuit: [{ gate: 'RQ', qubit: 0 }] })],
  [
    'with neither circuit nor text, and with both',
    { programs: [{ shots: 1 }, { ...PROGRAM, qasm: 'qubit q;' }] },
  ],
  ['with arrays of two lengths', within({ inputs: { a: [1, 2], b: [1, 2, 3] } })],
  [
    'with an empty array, and text in an array',
    {
      programs: [
        { ...PROGRAM, inputs: { a: [], b: 1 } },
        { ...PROGRAM, inputs: { a: [1, 'x'], b: 1 } },
      ],
    },
  ],
  ['with a packed array of another length', packed({ shape: [3] })],
  ['with a packed array of another type', packed({ dtype: '<f4' })],
  ['with a packed array that is not base64', packed({ data: 'AAAAAA$AAAAA=' })],
  ['with inputs that are missing and not used', within({ inputs: { a: 1, c: 3 } })],
  [
    'with long programs, read elsewhere',
    within({ circuit: [...longCircuit(300), { gate: 'H', qubit: -1 }, ...ROTATED] }),
  ],
  ['that asks for counts without shots', within({ shots: undefined })],
  ['that asks for values without observables', within({ return: ['expectation'] })],
  [
    'with observables that nothing asks for, of a missing qubit',
    {
      programs: [
        { ...PROGRAM, ...Z0, return: ['counts'] },
        { ...PROGRAM, observables: [{ pauli: 'Z7' }] },
      ],
    },
  ],
  ['that estimates from one shot', within({ shots: 1, ...Z0 })],
  [
    'that asks for a gradient by no numbers',
    within({ circuit: BELL, inputs: undefined, ...Z0, return: ['gradient'] }),
  ],
  [
    'that asks for a gradient by the bound of a loop',
    text('input int n;\ninput float a;\nqubit[2] q;\nfor int i in [0:n] { rx(a) q[0]; }\n', {
      inputs: { n: 2, a: 1 },
      ...Z0,
      return: ['gradient'],
    }),
  ],
  [
    'with bad names of inputs of a gradient',
    within({ ...Z0, return: ['gradient'], gradient_inputs: ['a', 'c', 'a'] }),
  ],
  ['with inputs of a gradient that nothing asks for', within({ gradient_inputs: ['a'] })],
  [
    'that asks for a gradient and measures in the middle',
    within(
      {
        circuit: [...ROTATED, { gate: 'M', qubits: [0] }, ...ROTATED],
        ...Z0,
        return: ['gradient'],
      },
      { target_processor: 'statevector-sim' },
    ),
  ],
  [
    'that asks for a gradient of the widest state',
    within({ qubits: 18, ...Z0, return: ['gradient'], shots: undefined }),
  ],
  [
    'with a state of a circuit that branches',
    within({
      circuit: BRANCHING,
      inputs: undefined,
      return: ['statevector'],
      method: 'statevector',
    }),
  ],
  [
    'with too many shots and qubits',
    within({ shots: 200_000, qubits: 40 }, { target_processor: 'statevector-sim' }),
  ],
  [
    'with too long an answer of counts',
    within({ ...WIDE, inputs: { a: Array(2000).fill(0) }, shots: 60_000 }),
  ],
  [
    'with too many numbers',
    within({
      ...WIDE,
      inputs: { a: Array(5000).fill(0) },
      shots: undefined,
      return: ['probabilities'],
    }),
  ],
  [
    'with a name that is too long, and bad defaults',
    within(
      { name: 'x'.repeat(101) },
      { shots: 0, seed: -1, array_format: 'hex', method: 'magic', return: ['memory'] },
    ),
  ],
  [
    'with registers of two widths',
    text('input int n;\nqubit[n] q;\nh q;\n', { inputs: { n: [1, 2] } }),
  ],
  [
    'with faults in several programs',
    {
      programs: [
        { ...PROGRAM, shots: 0 },
        { ...PROGRAM, qubits: 1 },
        { ...PROGRAM, seed: -1 },
      ],
    },
  ],
  ['with a text that has faults', text('qubit q;\nhh q;\n', { inputs: undefined })],
  [
    'with results that a circuit has',
    text('qubit[2] q;\nh q;\n#pragma braket result sample z(q[0])\n', { inputs: undefined }),
  ],
  [
    'by a method that has none of what it asks for',
    {
      programs: [
        { ...PROGRAM, return: ['statevector'], method: 'density_matrix' },
        { ...PROGRAM, method: 'stabilizer' },
        { ...PROGRAM, ...Z0, noise: NOISE, method: 'statevector', return: ['gradient'] },
      ],
    },
  ],
  ['with noise and a pure state', within({ return: ['statevector'] }, { noise: NOISE })],
  [
    'with means over trajectories without shots',
    within(
      { ...Z0, return: ['expectation'], shots: undefined },
      { noise: NOISE, method: 'statevector' },
    ),
  ],
  [
    'with bad noise of the batch and of a program',
    within(
      { noise: { model: 'ibm-fes' } },
      { noise: { readout: [{ p1_given_0: 2, p0_given_1: 0 }] } },
    ),
  ],
  [
    'with a method that its processor does not have',
    within(
      { circuit: ghz(3), inputs: undefined, method: 'density_matrix' },
      { target_processor: 'gpu-fleet' },
    ),
  ],
  [
    'with a state vector of a device',
    within({ return: ['statevector'] }, { target_processor: 'emulator-iqm-garnet' }),
  ],
  [
    'with a gradient of a program that is fitted',
    within({ ...Z0, return: ['gradient'] }, { target_processor: 'emulator-iqm-garnet' }),
  ],
  [
    'with exact values of hardware',
    within({ return: ['counts', 'probabilities'] }, { target_processor: 'superconducting-1' }),
  ],
  [
    'with values of hardware without shots',
    within({ ...Z0, shots: undefined }, { target_processor: 'superconducting-1' }),
  ],
  [
    'with too much for hardware',
    within(
      { inputs: { a: Array(501).fill(1), b: 1 }, shots: 500 },
      {
        target_processor: 'superconducting-1',
        programs: Array(25).fill({
          ...PROGRAM,
          inputs: { a: Array(501).fill(1), b: 1 },
          shots: 500,
        }),
      },
    ),
  ],
  ['for the processor emulator without a device', within({}, { target_processor: 'emulator' })],
];

/** The requests. */
export const BATCH_FAULTS: readonly GoldenRequest[] = [
  ...batchRequests('refused batch', REFUSED),
  {
    name: 'read: an unknown batch',
    method: 'GET',
    path: '/api/v1/quantum/batches/batch_0199f3a2c5d87c3e9b1f2a4d6c8e0b35',
  },
];
