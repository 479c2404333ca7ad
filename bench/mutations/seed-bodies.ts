/** Valid bodies beside the published examples, so that mutations reach every part of a reader. */
const HEADER = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n';

/** Programs of few qubits that use much of the language. */
export const OPENQASM_PROGRAMS: readonly string[] = [
  'OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[2];\ncreg c[2];\nh q[0];\ncx q[0],q[1];\nmeasure q -> c;\n',
  'OPENQASM 2.0;\ninclude "qelib1.inc";\ngate g(a,b) x,y { u3(a/2,-b,pi*sin(b)) x; cx x,y; barrier x,y; }\nqreg q[3];\ncreg c[3];\ng(0.5,pi/4) q[0],q[2];\nmeasure q[0] -> c[0];\nif(c==1) x q[1];\nreset q[2];\nopaque magic a;\nmeasure q -> c;\n',
  `${HEADER}qubit[2] q;\nbit[2] c;\nh q[0];\ncx q[0], q[1];\nc = measure q;\n`,
  `${HEADER}qubit[4] q;\nfor int i in [0:3] { if (i == 1) continue; rx(pi / (i + 1)) q[i]; }\nint n = 0;\nwhile (n < 2) { x q[n]; n += 1; }\nswitch (n) { case 0, 1 { x q[0]; } case 2 { y q[0]; } default { z q[0]; } }\n`,
  `${HEADER}gate g(a) b, c { ctrl @ rz(a) b, c; inv @ t b; pow(0.5) @ x c; negctrl(1) @ U(a, 0, pi) b, c; gphase(a); }\nqubit[3] q;\nlet z = q[{0, 2}];\nlet y = q[0:1] ++ q[2];\ng(0.3) z[0], z[1];\nctrl(2) @ x y[0], y[1], y[2];\n`,
  `${HEADER}const int n = 3;\nconst float f = 2 ** -1 + arcsin(1) - sqrt(4) + mod(7, 4);\nuint[3] u = 7; u += 2; u <<= 1;\nbit[4] b = "0101";\nangle a = pi;\nbool t = 3 > 2 && !(1 >= 2) || false;\nqubit[n] q;\nif (t) rx(f) q[0]; else y q[1];\nrx(int("0101") + uint[4](b) + 0x1F + 1_000) q[2];\n`,
  `${HEADER}qubit[3] q;\nbit[3] c;\nh q;\nc[0] = measure q[0];\nif (c[0]) { x q[1]; } else { h q[2]; }\nif (c == 3) z q[1];\nreset q[0];\nbarrier q;\nc = measure q;\n`,
  `${HEADER}input float phase;\ninput bool flip;\nqubit q;\nbit c;\nh q;\nrz(phase) q;\nif (flip) x q;\n#pragma keep this\n@note that\nc = measure q;\n`,
];

const CIRCUIT = {
  circuit: [
    { gate: 'H', qubit: 0 },
    { gate: 'CX', control: 0, target: 1 },
    { gate: 'RZ', qubit: 1, theta: 0.25, controls: [2] },
    { gate: 'U', qubit: 2, theta: 0.1, phi: 0.2, lambda: 0.3 },
    { gate: 'CCX', controls: [0, 1], target: 2 },
    { gate: 'SWAP', qubits: [0, 2] },
    {
      gate: 'UNITARY',
      qubits: [1],
      matrix: [
        [
          [0, 0],
          [1, 0],
        ],
        [
          [1, 0],
          [0, 0],
        ],
      ],
    },
    { gate: 'BARRIER', qubits: [0, 1, 2] },
    { gate: 'M', qubits: [0], bits: [1] },
    { gate: 'X', qubit: 1, condition: { bits: [1], value: 1 } },
    { gate: 'RESET', qubit: 0 },
    { gate: 'M', qubits: [1, 2], bits: [0, 2] },
  ],
  target_processor: 'statevector-sim',
  qubits: 4,
};
const QASM = { qasm: OPENQASM_PROGRAMS[0], target_processor: 'statevector-sim' };

/**
 * Bodies by operation id in the OpenAPI document. The text of `qasm` is drawn from the programs.
 */
export const JSON_BODIES: Readonly<Record<string, readonly object[]>> = {
  submitCircuit: [
    { ...CIRCUIT, shots: 20, seed: 7, priority: 'high', return: ['counts'] },
    { ...QASM, shots: 10 },
    { ...QASM, shots: 10, target_processor: 'gpu-fleet', seed: 2 ** 53 - 1 },
    { ...QASM, shots: 3, inputs: { phase: 0.8, flip: true } },
    {
      circuit: [
        { gate: 'RY', qubit: 0, theta: 0.5 },
        { gate: 'CZ', control: 0, target: 3 },
      ],
      target_processor: 'gpu-fleet',
      shots: 1,
      return: ['statevector', 'probabilities', 'expectation'],
      observables: [{ pauli: 'Z0 Y3', coefficient: -0.5 }, [{ pauli: 'X0' }, { pauli: 'I' }]],
    },
  ],
  compileCircuit: [
    { ...CIRCUIT, format: 'qasm3' },
    { ...CIRCUIT, format: 'qasm2', target_processor: 'superconducting-1' },
    { ...QASM, format: 'json' },
    { ...QASM, format: 'qasm3', inputs: { phase: 0.8, flip: false } },
  ],
  estimateRun: [CIRCUIT, { ...QASM, shots: 10 }],
  runDemo: [{ input: [6.8, 3, 5.5, 2.1] }],
  submitTpuJob: [
    { job_type: 'optimization', tpu_type: 'v4', zone: 'us-central2-b', chips: 4, priority: 'low' },
  ],
  setProcessorMaintenance: [{ enabled: false }],
  setDeviceMaintenance: [{ enabled: false }],
  createKey: [
    { name: 'a key', tier: 'enterprise', scopes: ['tpu'], expires_at: '2099-01-01T00:00:00+02:00' },
  ],
  updateKey: [
    { name: 'another name', tier: 'standard', expires_at: null },
    { scopes: ['agents', 'models'], expires_at: '2099-12-31T23:59:59.999Z' },
  ],
};
