import { describe, expect, test } from 'vitest';
import { GATES } from '../../../../src/circuit/gates.ts';
import { parseOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';

const limits = { maxQubits: 30, maxGates: 1000 };
const parse = (body: string) =>
  parseOpenQasm(`OPENQASM 3.0;\ninclude "stdgates.inc";\n${body}`, limits);
const x = { kind: 'gate', gate: 'X', controls: [], targets: [0], angles: [] };

describe('an OpenQASM 3 program', () => {
  test('as Qiskit exports a Bell circuit is that circuit', () => {
    const circuit = parse(`bit[2] c;\nqubit[2] q;\nh q[0];\ncx q[0], q[1];
      c[0] = measure q[0];\nc[1] = measure q[1];`);
    expect(circuit).toEqual({
      numQubits: 2,
      numBits: 2,
      operations: [
        { ...x, gate: 'H' },
        { ...x, gate: 'CX', controls: [0], targets: [1] },
        { kind: 'measure', qubits: [0], bits: [0] },
        { kind: 'measure', qubits: [1], bits: [1] },
      ],
    });
  });

  test('declares registers and single qubits and bits in both styles', () => {
    const circuit = parse('qubit a; bit m; qubit[2] b; qreg d[1]; creg e[2]; x a; x b; x d;');
    expect(circuit).toMatchObject({ numQubits: 4, numBits: 3 });
    expect(circuit.operations.map((o) => (o.kind === 'gate' ? o.targets : []))).toEqual([
      [0],
      [1],
      [2],
      [3],
    ]);
  });

  test.each([
    ['c = measure q;', [0, 1], [0, 1]],
    ['c[1] = measure q[0];', [0], [1]],
    ['measure q -> c;', [0, 1], [0, 1]],
    ['bit[2] d = measure q;', [0, 1], [2, 3]],
    ['bit d; d = measure q[1];', [1], [2]],
  ])('measures by %s', (statement, qubits, bits) => {
    const { operations } = parse(`qubit[2] q; bit[2] c; ${statement}`);
    expect(operations).toEqual([{ kind: 'measure', qubits, bits }]);
  });

  test.each([
    ['if (c == 2) x q[0];', [0, 1], 2],
    ['if (c == 2) { x q[0]; }', [0, 1], 2],
    ['if (c[1]) x q[0];', [1], 1],
    ['if (!c[1]) x q[0];', [1], 0],
    ['if (c[1] == true) x q[0];', [1], 1],
    ['if (c[1] == 0) x q[0];', [1], 0],
    ['if (c[1] != 0) x q[0];', [1], 1],
    ['if (!c[1] == 1) x q[0];', [1], 0],
    ['if (!c[1] != 1) x q[0];', [1], 1],
  ])('reads the condition of %s', (statement, bits, value) => {
    const { operations } = parse(`qubit[2] q; bit[2] c; ${statement}`);
    expect(operations).toEqual([{ ...x, condition: { bits, value } }]);
  });

  test('puts every statement of a block under its condition, barriers apart', () => {
    const condition = { bits: [0], value: 1 };
    const { operations } = parse(`qubit q; bit c; bit d;
      if (c) { x q; reset q; barrier q; d = measure q; c = measure q; }`);
    expect(operations).toEqual([
      { ...x, condition },
      { kind: 'reset', qubits: [0], condition },
      { kind: 'barrier', qubits: [0] },
      { kind: 'measure', qubits: [0], bits: [1], condition },
      { kind: 'measure', qubits: [0], bits: [0], condition },
    ]);
  });

  test('may turn the phase of the whole state, in a gate definition too', () => {
    const { operations } = parse(
      'gate g(θ) a { gphase(-θ / 2); x a; } qubit q; gphase(pi); g(1) q;',
    );
    const phase = { ...x, gate: 'GPHASE', targets: [] };
    expect(operations).toEqual([{ ...phase, angles: [Math.PI] }, { ...phase, angles: [-0.5] }, x]);
  });

  test('bars all qubits by a bare barrier', () => {
    expect(parse('qubit[3] q; barrier;').operations).toEqual([
      { kind: 'barrier', qubits: [0, 1, 2] },
    ]);
  });

  test.each([
    ...GATES.filter(({ openqasm }) => openqasm.library.includes('stdgates')).map(
      ({ openqasm, name }) => [openqasm.name, name] as const,
    ),
    ...([
      ['phase', 'P'],
      ['cphase', 'CP'],
      ['u1', 'P'],
      ['u3', 'U'],
      ['CX', 'CX'],
    ] as const),
  ])('knows %s of stdgates.inc as %s', (called, name) => {
    const { numControls, numTargets, parameters } = GATES.find((gate) => gate.name === name)!;
    const angles = parameters.length > 0 ? `(${parameters.map(() => '1').join()})` : '';
    const qubits = Array.from({ length: numControls + numTargets }, (_, i) => `q[${i}]`).join();
    const [operation] = parse(`qubit[3] q; ${called}${angles} ${qubits};`).operations;
    expect(operation).toMatchObject({ gate: name });
  });
});
