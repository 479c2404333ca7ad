/** Jobs in IonQ's form: their inputs, their noise, their results in every format, and what is refused. */
import { type Body, type GoldenRequest, HEADER, requestsOf, type Table } from './golden-request.ts';

const BELL = [
  { gate: 'h', target: 0 },
  { gate: 'cnot', control: 0, target: 1 },
];
const circuit = (gates: readonly unknown[], more: Body = {}, input: Body = {}): Body => ({
  type: 'ionq.circuit.v1',
  backend: 'simulator',
  input: { gateset: 'qis', qubits: 2, circuit: gates, ...input },
  ...more,
});
const native = (gates: readonly unknown[], more: Body = {}): Body =>
  circuit(gates, more, { gateset: 'native', qubits: 3 });
const text = (data: string, more: Body = {}): Body => ({
  type: 'ionq.qasm3.v1',
  backend: 'simulator',
  input: { data },
  ...more,
});
const many = (circuits: readonly unknown[], more: Body = {}): Body => ({
  type: 'ionq.multi-circuit.v1',
  backend: 'simulator',
  input: { gateset: 'native', circuits },
  ...more,
});
const drawn = (model = 'ideal') => ({ shots: 20, noise: { model, seed: 77 } });

const EVERY_GATE = [
  ...BELL,
  ...['x', 'y', 'z', 'h', 's', 'si', 't', 'ti', 'v', 'vi', 'not'].map((gate, i) => ({
    gate,
    target: i % 2,
  })),
  ...['rx', 'ry', 'rz'].map((gate, i) => ({ gate, target: i % 2, rotation: 0.3 + i })),
  { gate: 'z', target: 0, rotation: 0.4 },
  { gate: 'rx', target: 2, rotation: 0.7, controls: [0, 1] },
  { gate: 'swap', targets: [0, 2] },
  ...['xx', 'yy', 'zz'].map((gate, i) => ({
    gate,
    targets: [i % 3, (i + 1) % 3],
    rotation: 0.2 + i,
  })),
  { gate: 'pauliexp', targets: [0, 1], terms: ['XX', 'ZZ'], coefficients: [0.3, 0.4], time: 0.5 },
  {
    gate: 'pauliexp',
    targets: [0, 1, 2],
    terms: ['XIZ', 'ZYI'],
    coefficients: [0.3, 0.4],
    time: 0.5,
  },
];
const EVERY_NATIVE = [
  { gate: 'gpi2', target: 0, phase: 0.1 },
  { gate: 'gpi', target: 1, phase: 0.3 },
  { gate: 'ms', targets: [0, 1], phases: [0.1, 0.2] },
  { gate: 'ms', targets: [1, 2], phases: [0, 0.5], angle: 0.1 },
  { gate: 'zz', targets: [0, 2], angle: 0.1 },
  { gate: 'nop', target: 0, time: 1 },
];
const REGISTERS = `${HEADER}qubit[2] q;\nbit[2] data;\nbit flag;\nh q[1];\nflag = measure q[1];\nreset q[1];\nx q[0];\ndata = measure q;\n`;

const RECORD = ['GET'];
const EXACT = [
  'GET',
  'GET /results/probabilities',
  'GET /artifacts/ionq.result.probabilities.json.v2',
  'GET /results/histogram',
];
const COUNTED = [
  'GET',
  'GET /results/probabilities',
  'GET /results/histogram',
  'GET /results/shots',
  'GET /artifacts/ionq.result.histogram.json.v2',
  'GET /artifacts/ionq.result.shots.json.v2',
  'GET /cost',
];

const RUN: Table = [
  ['exact probabilities', circuit(BELL), { reads: EXACT }],
  [
    'shots beside exact probabilities',
    circuit(BELL, { ...drawn(), name: 'bell', metadata: { course: '1' } }),
    { reads: COUNTED },
  ],
  ['every gate of the set qis', circuit(EVERY_GATE, {}, { qubits: 3 }), { reads: EXACT }],
  ['every native gate', native(EVERY_NATIVE), { reads: EXACT }],
  ['a QPU', circuit(BELL, { backend: 'qpu.aria-1', ...drawn('aria-1') }), { reads: COUNTED }],
  [
    'native gates with the noise of another device',
    native(EVERY_NATIVE, drawn('harmony')),
    { reads: COUNTED },
  ],
  [
    'several circuits',
    many(
      [
        { name: 'first', gateset: 'qis', circuit: BELL },
        { qubits: 3, circuit: EVERY_NATIVE },
      ],
      drawn(),
    ),
    {
      reads: [
        'GET',
        'GET /results/probabilities',
        'GET /results/probabilities/aggregated',
        'GET -0',
        'GET -0/results/histogram',
        'GET -1/results/shots',
        'GET -1/artifacts/ionq.result.probabilities.json.v1',
        'GET -2',
      ],
    },
  ],
  ['a text with registers', text(REGISTERS, drawn()), { reads: COUNTED }],
  [
    'a text that measures nothing',
    text(`${HEADER}qubit[2] q;\nbit[2] c;\nry(0.7) q[1];\n`),
    { reads: EXACT },
  ],
  [
    'a text with noise',
    text(
      `${HEADER}qubit[2] q;\nbit[2] c;\nh q[0];\ncx q[0], q[1];\nc = measure q;\n`,
      drawn('forte-1'),
    ),
    { reads: COUNTED },
  ],
  [
    'a text that fails while it runs',
    text(`${HEADER}qubit q;\nbit c;\nc = measure q;\nwhile (!c) { c = measure q; }\n`, drawn()),
    { reads: RECORD },
  ],
  [
    'too wide for a list of probabilities',
    circuit([{ gate: 'x', target: 16 }], drawn(), { qubits: 17 }),
    { reads: ['GET', 'GET /results/histogram'] },
  ],
  [
    'more Clifford gates than a state has qubits for',
    circuit(
      [{ gate: 'x', target: 35 }],
      { backend: 'qpu.forte-1', ...drawn('forte-1') },
      { qubits: 36 },
    ),
    { reads: ['GET', 'GET /results/histogram'] },
  ],
  [
    'a dry run',
    circuit(BELL, { dry_run: true, shots: 5 }),
    { reads: ['GET', 'GET /results/probabilities'] },
  ],
  [
    'fields that are unknown or null, and shots as a text',
    circuit(BELL, {
      lang: 'json',
      name: null,
      session_id: null,
      ...drawn(),
      shots: '30',
      settings: { compilation: { opt: 1 } },
    }),
    { reads: COUNTED },
  ],
  ['read as a batch', circuit(BELL, drawn()), { reads: ['PUT /status/cancel', 'DELETE', 'GET'] }],
];

const REFUSED: Table = [
  ['no type, and another one', { type: 'ionq.qir.v1' }],
  [
    'faults of gates',
    circuit(
      [
        { gate: 'gpi', target: 0, phase: 0.1 },
        { gate: 'cnot', target: 5 },
        { gate: 'rx', target: 0 },
        { gate: 'swap', targets: [0] },
        { gate: 'x', target: 0, controls: [0] },
        { gate: 'h', target: 0, rotation: 0.2 },
        { gate: 'hh', target: 0 },
        7,
      ],
      { backend: 'qpu.aria-9', noise: { model: 'aria-9' } },
    ),
  ],
  ['shots that are none', circuit(BELL, { shots: 'many' })],
  [
    'no set of gates, no circuit',
    { type: 'ionq.circuit.v1', backend: 'simulator', input: { qubits: 1 } },
  ],
  ['too many qubits for the backend', circuit([], {}, { qubits: 19 })],
  ['too many qubits for the device', circuit([], { noise: { model: 'harmony' } }, { qubits: 12 })],
  ['circuits with faults', many([{ circuit: BELL }, { circuit: [{ gate: 'gpi', phase: 0 }] }, 7])],
  ['no circuits', many([])],
  ['a text with a fault', text(`${REGISTERS}y r[0];\n`)],
  ['no text', { type: 'ionq.qasm3.v1', backend: 'simulator', input: {} }],
  [
    'bad evolutions',
    circuit([
      { gate: 'pauliexp', targets: [0, 1], terms: ['XXX'], coefficients: [1], time: 1 },
      { gate: 'pauliexp', targets: [0, 1], terms: ['XX', 'ZZ'], coefficients: [1], time: 1 },
    ]),
  ],
  ['a session that there is not', circuit(BELL, { session_id: 'none', ...drawn() })],
];

/** The requests. */
export const IONQ: readonly GoldenRequest[] = [
  ...requestsOf('IonQ job', '/v0.4/jobs', {}, RUN),
  ...requestsOf('refused IonQ job', '/v0.4/jobs', {}, REFUSED),
  {
    name: 'IonQ: an unknown job',
    method: 'GET',
    path: '/v0.4/jobs/batch_0199f3a2c5d87c3e9b1f2a4d6c8e0b35',
  },
  { name: 'IonQ: backends', method: 'GET', path: '/v0.4/backends' },
  { name: 'IonQ: an unknown backend', method: 'GET', path: '/v0.4/backends/simulatr' },
];
