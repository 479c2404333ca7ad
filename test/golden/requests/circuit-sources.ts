/** Circuits in all forms in which they are sent: gate objects, OpenQASM 2 and 3, inputs, Braket's pragmas. */
import { BELL, BRANCHING, circuitRequests, HEADER, longCircuit, UNEVEN } from './golden-request.ts';

const STATE = { return: ['statevector'], shots: 1 };
const ANGLES = { theta: 0.7, phi: -0.3, lambda: 1.1, gamma: 0.4 };
const QIR = `@0 = internal constant [5 x i8] c"flip\\00"
define void @main() #0 {
  call void @__quantum__qis__h__body(ptr null)
  call void @__quantum__qis__mz__body(ptr null, ptr null)
  %m = call i1 @__quantum__rt__read_result(ptr null)
  br i1 %m, label %one, label %end
one:
  call void @__quantum__qis__x__body(ptr inttoptr (i64 1 to ptr))
  br label %end
end:
  %n = phi i64 [ 0, %0 ], [ -3, %one ]
  call void @__quantum__qis__mz__body(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 1 to ptr))
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 1 to ptr), ptr @0)
  call void @__quantum__rt__int_record_output(i64 %n, ptr null)
  ret void
}
attributes #0 = { "entry_point" }`;
const NAMED = ['ID', 'H', 'X', 'Y', 'Z', 'S', 'SDG', 'T', 'TDG', 'SX', 'SXDG'];
const TURNED = ['RX', 'RY', 'RZ', 'P'];
const CONTROLLED = ['CX', 'CY', 'CZ', 'CH', 'CS', 'CSX'];
const PAIRS = ['SWAP', 'ISWAP', 'SQRTISWAP', 'ECR', 'DCX'];

/** Each gate of the table once, on a state that none leaves as it is. */
const EVERY_GATE = [
  ...UNEVEN,
  ...NAMED.map((gate, i) => ({ gate, qubit: i % 3 })),
  ...TURNED.map((gate, i) => ({ gate, qubit: i % 3, theta: 0.2 + i })),
  { gate: 'U', qubit: 1, theta: 0.3, phi: 0.4, lambda: 0.5 },
  { gate: 'U2', qubit: 2, phi: 0.4, lambda: 0.5 },
  { gate: 'PRX', qubit: 0, theta: 0.3, phi: 0.4 },
  ...CONTROLLED.map((gate, i) => ({ gate, control: i % 3, target: (i + 1) % 3 })),
  ...['CP', 'CRX', 'CRY', 'CRZ'].map((gate, i) => ({
    gate,
    control: i % 3,
    target: (i + 2) % 3,
    theta: 0.6 + i,
  })),
  { gate: 'CU', control: 0, target: 1, ...ANGLES },
  { gate: 'CU3', control: 1, target: 2, theta: 0.7, phi: -0.3, lambda: 1.1 },
  ...PAIRS.map((gate, i) => ({ gate, qubits: [i % 3, (i + 1) % 3] })),
  ...['RXX', 'RYY', 'RZZ', 'RZX'].map((gate, i) => ({
    gate,
    qubits: [i % 3, (i + 2) % 3],
    theta: 0.3 + i,
  })),
  { gate: 'XX+YY', qubits: [0, 1], theta: 0.4, beta: 0.2 },
  { gate: 'XX-YY', qubits: [1, 2], theta: 0.5, beta: -0.2 },
  { gate: 'FSIM', qubits: [0, 2], theta: 0.4, phi: 0.3 },
  { gate: 'CCX', controls: [0, 1], target: 2 },
  { gate: 'CCZ', controls: [0, 2], target: 1 },
  { gate: 'CSWAP', control: 0, targets: [1, 2] },
  { gate: 'GPHASE', gamma: 0.9 },
];

/** 1/√2 [[1, i], [i, 1]] on qubit 1, by a control. */
const R = Math.SQRT1_2;
const UNITARY = {
  gate: 'UNITARY',
  qubits: [1],
  controls: [0],
  matrix: [
    [
      [R, 0],
      [0, R],
    ],
    [
      [0, R],
      [R, 0],
    ],
  ],
};

const TELEPORT = `${HEADER}output bit got;
qubit[3] w;
bit[2] syn;
ry(1.2) w[0];
h w[1];
cx w[1], w[2];
cx w[0], w[1];
h w[0];
syn[0] = measure w[0];
syn[1] = measure w[1];
if (syn[1]) { x w[2]; }
if (syn[0]) { z w[2]; }
got = measure w[2];
`;

const SUBROUTINE = `${HEADER}def coin(qubit a) -> bit { reset a; h a; bit t = measure a; return t; }
qubit w;
bit[3] c;
int total = 0;
for int r in [0:2] { c[r] = coin(w); total += int(c[r]); }
if (total == 2) { x w; }
`;

/** A Bell pair, and a third qubit turned by an input. */
const BRAKET = `OPENQASM 3.0;
input float theta;
qubit[3] q;
h q[0];
cnot q[0], q[1];
rx(theta) q[2];
`;
const braket = (...pragmas: readonly string[]) => ({
  qasm: `${BRAKET}${pragmas.map((text) => `#pragma braket ${text}\n`).join('')}`,
  inputs: { theta: 0.7 },
  shots: 12,
});

/** The requests. */
export const CIRCUIT_SOURCES = [
  ...circuitRequests('circuit', [
    ['a Bell pair, measured by name', { circuit: [...BELL, { gate: 'M', qubits: [0, 1] }] }],
    ['without measurements, which are added', { circuit: UNEVEN }],
    ['every gate of the table', { circuit: EVERY_GATE, ...STATE }],
    [
      'aliases in lower case, further controls and a unitary',
      {
        circuit: [
          { gate: 'hadamard', qubit: 0 },
          { gate: 'toffoli', qubits: [0, 1, 2] },
          UNITARY,
          { gate: 'h', target: 2, controls: [0, 1] },
          { gate: 'phase', qubit: 2, theta: 0.3, control: 1 },
          { gate: 'gphase', gamma: 0.4, controls: [0] },
        ],
        ...STATE,
      },
    ],
    [
      "Stim's format, with noise and a herald",
      {
        stim: 'R 0 1\nH 0\nCX 0 1\nDEPOLARIZE2(0.1) 0 1\nHERALDED_ERASE(0.2) 1\nMPP X0*!X1\nREPEAT 2 {\n  MR(0.05) 1\n  SHIFT_COORDS(0, 1)\n}\nM 0\nCX sweep[0] 0',
        target_processor: 'qvm',
        shots: 20,
        return: ['counts', 'measurements', 'reference_sample'],
      },
    ],
    [
      "detectors of Stim's format",
      {
        stim: 'R 0 1\nX_ERROR(0.125) 0\nCX 0 1\nMR 1\nDETECTOR(1, 2) rec[-1]\nM 0\nOBSERVABLE_INCLUDE(0) rec[-1]',
        target_processor: 'qvm',
        shots: 20,
        return: ['detection_events', 'detector_error_model'],
      },
    ],
    ["a fault of Stim's format", { stim: 'H 0\nCX 0 0' }],
    ['QIR, with labels and a branch', { qir: QIR, target_processor: 'qvm', shots: 20 }],
    ['a fault of QIR', { qir: QIR.replace('h__body(ptr null)', 'h__body(ptr @0)') }],
    ['QIR beside inputs', { qir: QIR, inputs: { a: 1 } }],
    ['a register wider than its gates', { circuit: BELL, qubits: 4 }],
    [
      'measured out of order into bits that leave gaps',
      { circuit: [...UNEVEN, { gate: 'M', qubits: [2, 0], bits: [4, 1] }] },
    ],
    ['a condition on a bit measured before', { circuit: BRANCHING }],
    [
      'a reset of a qubit in use, barriers, and a bit measured twice',
      {
        circuit: [
          ...BELL,
          { gate: 'BARRIER' },
          { gate: 'M', qubits: [0], bits: [0] },
          { gate: 'RESET', qubits: [0] },
          { gate: 'H', qubit: 0 },
          { gate: 'BARRIER', qubits: [0, 1] },
          { gate: 'M', qubits: [0], bits: [0] },
          { gate: 'M', qubits: [1], bits: [1] },
        ],
      },
    ],
    ['an empty circuit of two qubits', { circuit: [], qubits: 2 }],
    [
      'angles that are inputs, scaled and moved',
      {
        circuit: [
          { gate: 'RY', qubit: 0, theta: { input: 'a' } },
          { gate: 'RX', qubit: 1, theta: { input: 'b', scale: 2, offset: 0.25 } },
          { gate: 'CX', control: 0, target: 1 },
        ],
        inputs: { a: 0.3, b: -0.4 },
        ...STATE,
      },
    ],
    [
      'with name, tags and priority',
      { circuit: BELL, name: 'Bell pair', tags: ['demo', 'lecture 3'], priority: 'low' },
    ],
    ['with the greatest seed', { circuit: UNEVEN, seed: 2 ** 53 - 1 }],
    ['a long one, read elsewhere', { circuit: longCircuit(900), ...STATE }],
    ['more than 64 bits, as hexadecimal labels', { circuit: [{ gate: 'X', qubit: 69 }], shots: 3 }],
  ]),
  ...circuitRequests('OpenQASM', [
    [
      'version 2 with a gate of its own and a condition',
      {
        qasm: 'OPENQASM 2.0;\ninclude "qelib1.inc";\ngate my(a) x, y { u3(a/2, 1/2, 0) x; cx x, y; }\nqreg q[2];\ncreg c[2];\nmy(pi/3) q[0], q[1];\nmeasure q[0] -> c[0];\nif (c == 1) h q[1];\nmeasure q[1] -> c[1];\n',
      },
    ],
    [
      'version 2 in the dialect of Quantinuum',
      {
        qasm: 'OPENQASM 2.0;\ninclude "hqslib1.inc";\nqreg q[2];\ncreg c[2];\ncreg d[2];\nh q[0];\nmeasure q -> c;\nd = c + 1;\nif (d >= 2) x q[1];\nmeasure q[1] -> c[1];\n',
      },
    ],
    [
      'inputs of every type',
      {
        qasm: `${HEADER}input float a;\ninput int[8] n;\ninput bool flip;\ninput bit[3] bits;\nqubit[2] q;\nfor int i in [1:n] { ry(a * i) q[0]; }\nif (flip) { x q[1]; }\nfor int i in [0:2] { if (bits[i]) { h q[1]; t q[1]; } }\n`,
        inputs: { a: 0.3, n: 3, flip: true, bits: '011' },
        return: ['counts', 'statevector'],
      },
    ],
    ['a teleportation with an output', { qasm: TELEPORT, return: ['counts', 'memory'] }],
    ['subroutines that measure, and a sum of bits', { qasm: SUBROUTINE }],
    [
      'a loop on a measured bit, a switch and variables of bits',
      {
        qasm: `${HEADER}qubit[2] q;\nbit[2] c;\nbit done = 0;\nint n = 0;\nwhile (!done) { h q[0]; done = measure q[0]; n += 1; if (n == 4) { break; } }\nswitch (n) { case 1 { x q[1]; } default { h q[1]; } }\nc = measure q;\n`,
      },
    ],
    [
      'an angle that depends on measured bits',
      {
        qasm: `${HEADER}qubit[3] q;\nbit[2] c;\nbit r;\nh q[0];\nh q[1];\nc = measure q[0:1];\nrx(pi * c[0] / 2 + pi * c[1] / 4) q[2];\nr = measure q[2];\n`,
      },
    ],
    [
      'modifiers, powers and a definition',
      {
        qasm: `${HEADER}gate pair(x) a, b { h a; ctrl @ rz(x) a, b; }\nqubit[3] q;\npair(0.4) q[0], q[1];\ninv @ pair(0.3) q[1], q[2];\npow(3) @ sx q[2];\nnegctrl @ y q[0], q[2];\ngphase(0.2);\n`,
        ...STATE,
      },
    ],
    [
      'what is ignored, with warnings',
      {
        qasm: `${HEADER}qubit[2] q;\n@reversible\nx q[0];\n#pragma other thing\ndelay[20ns] q[1];\nh q[1];\n`,
      },
    ],
    [
      'delays that relax under a noise model',
      {
        qasm: `${HEADER}qubit[2] q;\nbit[2] c;\nx q;\ndelay[10us] q[0];\nc[0] = measure q[0];\nc[1] = measure q[1];\n`,
        noise: { idle: [{ t1_us: 50, t2_us: 70, durations_ns: { '*': 0 } }] },
        return: ['probabilities'],
      },
    ],
    [
      'qubits of the hardware, and a verbatim box',
      {
        qasm: 'OPENQASM 3.0;\nbit[2] c;\n#pragma braket verbatim\nbox {\nrx(0.25) $0;\nrx(0.5) $0;\ncz $0, $1;\n}\nc[0] = measure $0;\nc[1] = measure $1;\n',
        target_processor: 'statevector-sim',
      },
    ],
    ['a wider register than the text declares', { qasm: `${HEADER}qubit q;\nh q;\n`, qubits: 3 }],
    [
      'many steps, read elsewhere',
      {
        qasm: `${HEADER}qubit q;\nint n = 0;\nfor int i in [0:6000] { n += i % 3; }\nrx(n / 1000) q;\n`,
        ...STATE,
      },
    ],
    [
      'an endless loop, which fails',
      {
        qasm: `${HEADER}qubit q;\nbit c;\nc = measure q;\nwhile (!c) { c = measure q; }\n`,
        shots: 2,
      },
      { reads: ['GET', 'POST /retry'] },
    ],
  ]),
  ...circuitRequests('Braket', [
    [
      'values: expectation, variance, probability and amplitudes',
      braket(
        'result expectation x(q[0]) @ x(q[1])',
        'result variance z(q[2])',
        'result probability q[2], q[0]',
        'result probability',
        'result amplitude "110", "001"',
        'result expectation z all',
      ),
    ],
    ['a state vector', braket('result state_vector')],
    ...['statevector-sim', 'gpu-fleet'].map(
      (target_processor) =>
        [
          `probabilities of one qubit of many, on ${target_processor}`,
          {
            qasm: 'OPENQASM 3.0;\nqubit[14] q;\nry(0.9) q[0];\nfor int i in [0:12] { cnot q[i], q[i + 1]; }\nry(0.4) q[13];\n#pragma braket result probability q[13]\n',
            target_processor,
            shots: 5,
          },
        ] as const,
    ),
    [
      'sums, Hermitian matrices and registers',
      braket(
        'result expectation 2 * z(q[2]) - 3 * y(q[2]) + 0.5 * i(q[0])',
        'result expectation hermitian([[1, 1-1im], [1+1im, 2]]) q[2]',
        'result variance h(q)',
      ),
    ],
    [
      'samples',
      braket(
        'result sample z(q[2])',
        'result sample y(q[1]) @ h(q[2])',
        'result sample z all',
        'result sample hermitian([[1, 1], [1, 2]]) q[0]',
      ),
    ],
    [
      'a gradient beside other results',
      braket(
        'result adjoint_gradient expectation(2 * z(q[2]) @ i(q[0]) - x(q[0]) @ x(q[1])) theta',
        'result variance y(q[2])',
      ),
    ],
    [
      'density matrices under noise',
      braket(
        'noise bit_flip(0.2) q[2]',
        'result density_matrix q[2]',
        'result density_matrix q[2], q[0]',
      ),
    ],
    [
      'noise of every kind, and a unitary',
      braket(
        'unitary([[0, -1im], [1im, 0]]) q[0]',
        'noise bit_flip(0.1) q[0]',
        'noise phase_flip(0.1) q[0]',
        'noise pauli_channel(0.1, 0.05, 0.02) q[1]',
        'noise depolarizing(0.1) q[1]',
        'noise two_qubit_depolarizing(0.1) q[0], q[1]',
        'noise two_qubit_dephasing(0.1) q[1], q[2]',
        'noise amplitude_damping(0.1) q[2]',
        'noise generalized_amplitude_damping(0.1, 0.7) q[2]',
        'noise phase_damping(0.1) q[2]',
        'noise kraus([[0.8, 0], [0, 0.8]], [[0, 0.6], [0.6, 0]]) q[0]',
        'result probability',
        'result expectation z(q[2])',
      ),
    ],
    [
      'samples under noise, by trajectories',
      {
        ...braket(
          'noise amplitude_damping(0.3) q[2]',
          'result sample z(q[2])',
          'result sample z all',
        ),
        method: 'statevector',
        return: ['counts', 'memory'],
      },
    ],
    [
      'results beside those of the body',
      {
        ...braket('result probability q[1]', 'result expectation y(q[2])'),
        return: ['counts', 'expectation', 'amplitudes'],
        observables: [{ pauli: 'X0 X1' }],
        basis_states: ['000', '0x3'],
        target_processor: 'statevector-sim',
      },
    ],
  ]),
];
