/** Pragmas: executed, refused by name, or ignored with a warning. */
import { describe, expect, test } from 'vitest';
import { parseOpenQasm, readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import { CodedError } from '../../../../src/errors/coded-error.ts';

const limits = { maxQubits: 30, maxGates: 1000 };
const HEADER = 'OPENQASM 3.0;\nqubit[3] q;\nbit[2] c;\n';
const read = (body: string) => readOpenQasm(`${HEADER}${body}`, limits);

function refusal(source: string): CodedError {
  try {
    readOpenQasm(source, limits);
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
  throw new Error('the program was accepted');
}

describe('braket unitary', () => {
  const FLIP = Float64Array.from([0, 0, 1, 0, 1, 0, 0, 0]);

  test.each(['#pragma', 'pragma', '# pragma'])('is a unitary, written %s', (word) => {
    const { circuit, warnings } = read(`${word} braket unitary([[0, 1], [1, 0]]) q[1]\nh q[0];`);
    expect(circuit.operations).toMatchObject([
      { kind: 'unitary', controls: [], targets: [1], matrix: FLIP },
      { kind: 'gate', gate: 'H' },
    ]);
    expect(warnings).toEqual([]);
  });

  test.each([
    ['1', 1, 0],
    ['1.0', 1, 0],
    ['-1.0', -1, 0],
    ['1im', 0, 1],
    ['-1.0im', 0, -1],
    ['0.6 + 0.8im', 0.6, 0.8],
    ['0.6 - 0.8im', 0.6, -0.8],
    ['-0.6 + -0.8im', -0.6, -0.8],
    ['6e-1+8.0e-1im', 0.6, 0.8],
  ])('reads %s', (text, re, im) => {
    const { operations } = read(`#pragma braket unitary([[${text}, 0], [0, 1]]) q[0]`).circuit;
    const expected = Float64Array.from([re, im, 0, 0, 0, 0, 1, 0]);
    expect(operations).toMatchObject([{ kind: 'unitary', matrix: expected }]);
  });

  test('counts its first qubit as the most significant bit of an index', () => {
    // CNOT with its control first: |10⟩ ↔ |11⟩ in the order in which Braket writes them.
    const cnot = '[[1,0,0,0],[0,1,0,0],[0,0,0,1],[0,0,1,0]]';
    const [operation] = read(`#pragma braket unitary(${cnot}) q[0], q[1]\n`).circuit.operations;
    expect(operation).toMatchObject({ targets: [1, 0] });
  });

  test('acts on whole registers, aliases and qubits of the machine', () => {
    const identity = `[${[0, 1, 2, 3].map((i) => `[${[0, 1, 2, 3].map((j) => (i === j ? 1 : 0))}]`)}]`;
    const { operations } = read(`let a = q[1:2];\n#pragma braket unitary(${identity}) a\n`).circuit;
    expect(operations).toMatchObject([{ targets: [2, 1] }]);
    const text = `OPENQASM 3.0;\n#pragma braket unitary(${identity}) $0, $1\n`;
    expect(readOpenQasm(text, limits).circuit.operations).toMatchObject([{ targets: [1, 0] }]);
  });

  test('runs in loops and under conditions', () => {
    const { operations } = read(`for int i in [0:1] {
      #pragma braket unitary([[0, 1], [1, 0]]) q[i]
    }
    if (c[0]) {
      pragma braket unitary([[0, 1], [1, 0]]) q[2]
    }`).circuit;
    expect(operations).toMatchObject([
      { targets: [0] },
      { targets: [1] },
      { targets: [2], condition: { bits: [0], value: 1 } },
    ]);
  });

  test.each([
    ['([[1, 0], [0, 2]]) q[0]', 1, 'Not unitary: U†U differs from 1 by 3.0'],
    ['([[1, 0], [0, 1]]) q[0], q[1]', 1, '2 rows; 2 qubits need 4 rows of 4 entries'],
    ['([[1, 0], [0]]) q[0]', 1, '1 entry; each row has 2'],
    ['([[1, 0], [0, 1]]) q[3]', 44, 'q[3] is out of range'],
    ['([[1, 0], [0, 1]]) q[0] q[1]', 47, 'expected the end of the line, found "q"'],
    ['([[1, a], [0, 1]]) q[0]', 29, 'expected a complex number, such as 0.5 - 0.5im, found "a"'],
    ['([[1, 0], [0, 1]])', 41, 'expected a quantum register, found the end of the text'],
    ['[[1, 0], [0, 1]] q[0]', 23, 'expected "(", found "["'],
  ])('%s is refused with its place', (text, column, problem) => {
    const error = refusal(`${HEADER}#pragma braket unitary${text}\nx q[0];`);
    expect(error).toMatchObject({ line: 4, column });
    expect(error.message).toContain(problem);
  });

  test('of the same qubit twice is refused', () => {
    const text = `${HEADER}#pragma braket unitary([[1]]) q[0], q[0]\n`;
    expect(refusal(text).message).toContain('A unitary acts on distinct qubits.');
  });
});

describe('braket verbatim', () => {
  test('marks the gates of the box that follows, and of boxes in it', () => {
    const { circuit, warnings } = read(`h q[0];
#pragma braket verbatim
box {
  x q[0];
  for int i in [0:1] { box { cz q[i], q[2]; } }
  #pragma braket unitary([[0, 1], [1, 0]]) q[1]
}
box { y q[0]; }`);
    const marked = { isVerbatim: true };
    expect(circuit.operations).toMatchObject([
      { gate: 'H' },
      { gate: 'X', ...marked },
      { gate: 'CZ', ...marked },
      { gate: 'CZ', ...marked },
      { kind: 'unitary', ...marked },
      { gate: 'Y' },
    ]);
    expect(circuit.operations[0]).not.toHaveProperty('isVerbatim');
    expect(circuit.operations[5]).not.toHaveProperty('isVerbatim');
    expect(warnings).toEqual([]);
  });

  test('must precede a box', () => {
    const error = refusal(`${HEADER}#pragma braket verbatim\nx q[0];`);
    expect(error).toMatchObject({ code: 'CIRCUIT_OPENQASM_SYNTAX', line: 5, column: 1 });
    expect(error.message).toContain('"box" after the pragma "braket verbatim"');
  });
});

describe('braket result', () => {
  const half = Math.SQRT1_2;
  const resultsOf = (...pragmas: readonly string[]) =>
    read(`h q;\n${pragmas.map((text) => `#pragma braket result ${text}\n`).join('')}`).results;
  const Z_ALL = ['Z0', 'Z1', 'Z2'].map((pauli) => [{ pauli, coefficient: 1 }]);

  test.each([
    ['state_vector', { type: 'state_vector' }],
    ['probability', { type: 'probability', qubits: undefined }],
    ['probability all', { type: 'probability', qubits: undefined }],
    ['probability q[0], q[2]', { type: 'probability', qubits: [0, 2] }],
    [
      'amplitude "100", \'011\'',
      {
        type: 'amplitude',
        states: [
          { label: '100', index: 1n },
          { label: '011', index: 6n },
        ],
      },
    ],
    [
      'sample x(q[0]) @ z(q[2])',
      {
        type: 'sample',
        isList: false,
        observables: [
          {
            coefficient: 1,
            factors: [
              { letter: 'x', qubits: [0] },
              { letter: 'z', qubits: [2] },
            ],
          },
        ],
      },
    ],
  ])('%s needs no observable', (text, result) => {
    expect(resultsOf(text)).toEqual({ results: [{ line: 5, ...result }], observables: [] });
  });

  test.each([
    ['z(q[1])', [{ pauli: 'Z1', coefficient: 1 }]],
    ['i(q[1])', [{ pauli: 'I', coefficient: 1 }]],
    ['x(q[0]) @ i(q[1]) @ y(q[2])', [{ pauli: 'X0 Y2', coefficient: 1 }]],
    [
      'h(q[0]) @ z(q[1])',
      [
        { pauli: 'X0 Z1', coefficient: half },
        { pauli: 'Z0 Z1', coefficient: half },
      ],
    ],
    ['-2 * x(q[0])', [{ pauli: 'X0', coefficient: -2 }]],
    [
      '0.5 * z(q[0]) @ x(q[1]) - y(q[0]) + 1e-1 * i(q[2])',
      [
        { pauli: 'Z0 X1', coefficient: 0.5 },
        { pauli: 'Y0', coefficient: -1 },
        { pauli: 'I', coefficient: 0.1 },
      ],
    ],
    // 0.5·1 + X − Y + 1.5·Z
    [
      'hermitian([[2, 1+1im], [1-1im, -1]]) q[1]',
      [
        { pauli: 'I', coefficient: 0.5 },
        { pauli: 'Z1', coefficient: 1.5 },
        { pauli: 'X1', coefficient: 1 },
        { pauli: 'Y1', coefficient: -1 },
      ],
    ],
    // The first operand is the most significant bit: diag(0, 0, 1, 1) is the projector on |1⟩ of q[2].
    [
      'hermitian([[0,0,0,0],[0,0,0,0],[0,0,1,0],[0,0,0,1]]) q[2], q[0]',
      [
        { pauli: 'I', coefficient: 0.5 },
        { pauli: 'Z2', coefficient: -0.5 },
      ],
    ],
    ['x(q[0]) @ hermitian([[0, -2im], [2im, 0]]) q[1]', [{ pauli: 'X0 Y1', coefficient: 2 }]],
    ['hermitian([[0, 0], [0, 0]]) q[0]', [{ pauli: 'I', coefficient: 0 }]],
  ])('expectation %s is a sum of Pauli strings', (text, terms) => {
    for (const type of ['expectation', 'variance']) {
      const { results, observables } = resultsOf(`${type} ${text}`);
      expect(results).toEqual([{ line: 5, type, first: 0, count: 1, isList: false }]);
      expect(observables).toEqual([terms]);
    }
  });

  test.each(['z all', 'z(q)', 'hermitian([[1, 0], [0, -1]]) all'])(
    'expectation %s is one observable for each qubit',
    (text) => {
      const { results, observables } = resultsOf(`expectation ${text}`);
      expect(results).toMatchObject([{ first: 0, count: 3, isList: true }]);
      expect(observables).toEqual(Z_ALL);
    },
  );

  test('several are listed in order, and so are their observables', () => {
    const { results, observables } = resultsOf(
      'state_vector',
      'expectation x(q[0])',
      'variance z all',
      'state_vector',
      'expectation z(q[2])',
    );
    expect(results).toMatchObject([
      { type: 'state_vector', line: 5 },
      { type: 'expectation', first: 0, count: 1 },
      { type: 'variance', first: 1, count: 3 },
      { type: 'state_vector', line: 8 },
      { type: 'expectation', first: 4, count: 1 },
    ]);
    expect(observables).toEqual([
      [{ pauli: 'X0', coefficient: 1 }],
      ...Z_ALL,
      [{ pauli: 'Z2', coefficient: 1 }],
    ]);
  });

  test.each([
    ['all', undefined],
    ['', undefined],
    ['a, b', ['a', 'b']],
  ])('adjoint_gradient by %j', (names, inputs) => {
    const text = `adjoint_gradient expectation(2 * x(q[0]) @ z(q[1]) - y(q[2])) ${names}`;
    expect(resultsOf(text)).toEqual({
      results: [{ line: 5, type: 'adjoint_gradient', observable: 0, inputs }],
      observables: [
        [
          { pauli: 'X0 Z1', coefficient: 2 },
          { pauli: 'Y2', coefficient: -1 },
        ],
      ],
    });
  });

  test('a density matrix is of all qubits, or of those named', () => {
    const pragmas = ['density_matrix', 'density_matrix q[2], q[0]'];
    const { results } = read(pragmas.map((text) => `#pragma braket result ${text}`).join('\n'));
    expect(results.results).toMatchObject([
      { type: 'density_matrix', qubits: undefined },
      { type: 'density_matrix', qubits: [2, 0] },
    ]);
    const text = `${HEADER}c[0] = measure q[0];\n#pragma braket result density_matrix\n`;
    expect(refusal(text).message).toContain(
      'The result "density_matrix" of a program that measures',
    );
  });

  test('names qubits of the machine by their numbers', () => {
    const text = 'OPENQASM 3.0;\nh $0;\ncz $0, $3;\n#pragma braket result variance x($3)\n';
    const { circuit, results } = readOpenQasm(text, limits);
    expect(circuit.numQubits).toBe(4);
    expect(results.observables).toEqual([[{ pauli: 'X3', coefficient: 1 }]]);
  });

  test.each([
    ['fidelity', 'The result "fidelity"'],
    ['expectation s(q[0])', 'The observable "s"'],
    ['sample x(q[0]) + z(q[0])', 'A sample of a sum'],
  ])('%s is refused by name', (text, problem) => {
    const error = refusal(`${HEADER}#pragma braket result ${text}\n`);
    expect(error).toMatchObject({ code: 'CIRCUIT_OPENQASM_UNSUPPORTED', line: 4 });
    expect(error.message).toContain(problem);
  });

  test('a result without a name is refused with what is expected', () => {
    const error = refusal(`${HEADER}#pragma braket result\n`);
    expect(error).toMatchObject({ code: 'CIRCUIT_OPENQASM_SYNTAX', line: 4 });
    expect(error.message).toContain('expected a result, such as "probability"');
  });

  test.each([
    ['expectation x(q[0]) @ z(q[0])', 'The factors of a product act on distinct qubits.'],
    ['expectation x(q) @ z(q[0])', 'A factor of a product acts on one qubit; "x" acts on several.'],
    ['expectation x(c)', '"c" is a classical register'],
    ['expectation 1e999 * x(q[0])', 'The coefficient is too large for a number'],
    ['probability q[0], q[0]', 'The qubits of an outcome are distinct.'],
    ['amplitude "01"', 'The basis state "01" has 2 bits; the program has 3 qubits.'],
    ['variance hermitian([[1, 1im], [1im, 1]]) q[0]', 'Not Hermitian: it differs'],
    ['variance hermitian([[1, 0], [0, 1]]) q[0], q[1], q[2]', '2 rows; 3 qubits need 8 rows'],
    ['adjoint_gradient expectation(z all) all', 'The gradient is that of one observable'],
    [
      'adjoint_gradient expectation(z(q[0]))\n#pragma braket result adjoint_gradient expectation(z(q[0]))',
      'A program has one "adjoint_gradient".',
    ],
  ])('%s means nothing', (text, problem) => {
    const error = refusal(`${HEADER}#pragma braket result ${text}\n`);
    expect(error.code).toBe('CIRCUIT_OPENQASM_INVALID');
    expect(error.message).toContain(problem);
  });

  test.each([
    ['amplitude 00', 33, 'expected a basis state, such as "01", found "00"'],
    ['amplitude "02"', 33, 'expected a basis state, such as "01", found "02"'],
    ['expectation 2 x(q[0])', 37, 'expected "*", found "x"'],
    ['expectation x(q[0]) z(q[1])', 43, 'expected the end of the line, found "z"'],
    ['adjoint_gradient x(q[0])', 40, 'expected "expectation", found "x"'],
  ])('%s breaks the grammar', (text, column, problem) => {
    const error = refusal(`${HEADER}#pragma braket result ${text}\n`);
    expect(error).toMatchObject({ code: 'CIRCUIT_OPENQASM_SYNTAX', line: 4, column });
    expect(error.message).toContain(problem);
  });

  test('an observable has a limited number of Pauli strings', () => {
    const qubits = Array.from({ length: 13 }, (_, i) => `h(q[${i}])`);
    const text = `qubit[13] q;\n#pragma braket result expectation ${qubits.join(' @ ')}\n`;
    const error = refusal(text);
    expect(error.code).toBe('CIRCUIT_LIMIT_EXCEEDED');
    expect(error.message).toContain('up to 8192 Pauli strings; the limit is 4096');
  });

  test('probability of a program that measures is refused', () => {
    const text = `${HEADER}c[0] = measure q[0];\n#pragma braket result probability\n`;
    expect(refusal(text).message).toContain('The result "probability" of a program that measures');
  });

  test('is refused if the request lists the results', () => {
    const text = `${HEADER}#pragma braket result state_vector\n`;
    expect(() => parseOpenQasm(text, limits)).toThrow(
      'line 4, column 1: "#pragma braket result" where the request itself lists the results',
    );
  });
});

describe('a pragma that would change the program is refused by name:', () => {
  test.each(['braket something(1)', 'qiskit.simulator noise model "qpu1.noise"'])('%s', (text) => {
    const error = refusal(`${HEADER}#pragma ${text}\n`);
    expect(error).toMatchObject({ code: 'CIRCUIT_OPENQASM_UNSUPPORTED', line: 4, column: 1 });
    expect(error.message).toContain(`The pragma ${JSON.stringify(text).slice(0, 20)}`);
  });

  test('braket, in OpenQASM 2.0, which has no such pragmas', () => {
    const error = refusal(
      'OPENQASM 2.0;\n#pragma braket unitary([[0, 1], [1, 0]]) q[0]\nqreg q[1];',
    );
    expect(error).toMatchObject({ code: 'CIRCUIT_OPENQASM_UNSUPPORTED', line: 2 });
  });
});

describe('ignored constructs give a warning:', () => {
  test.each([
    ['pragma user alice', 'CIRCUIT_PRAGMA_IGNORED', 'The pragma "user alice" is ignored.'],
    ['#pragma max_temp qpu 0.4', 'CIRCUIT_PRAGMA_IGNORED', 'The pragma "max_temp qpu 0.4" is'],
    ['#pragma "unclosed €', 'CIRCUIT_PRAGMA_IGNORED', 'is ignored.'],
    ['@reversible', 'CIRCUIT_ANNOTATION_IGNORED', 'The annotation "@reversible" is ignored.'],
    ['@bind(0, 1) x', 'CIRCUIT_ANNOTATION_IGNORED', 'The annotation "@bind" is ignored.'],
    ['#dim 3', 'CIRCUIT_PRAGMA_IGNORED', 'The "#dim 3" is ignored.'],
  ])('%s', (line, code, message) => {
    const { circuit, warnings } = read(`h q[0];\n  ${line}\nx q[1];`);
    expect(circuit.operations).toHaveLength(2);
    expect(warnings).toEqual([{ code, message: expect.any(String), line: 5 }]);
    expect(warnings[0]!.message).toContain('OpenQASM line 5: ');
    expect(warnings[0]!.message).toContain(message);
  });

  test('a pragma inside a block, and in OpenQASM 2.0', () => {
    expect(read('if (c[0]) {\n#pragma a b\nx q[0];\n}').warnings).toMatchObject([{ line: 5 }]);
    const text = 'OPENQASM 2.0;\n#pragma a b\nqreg q[1];\npragma c d\nU(0,0,0) q[0];\n#pragma e f';
    const { warnings } = readOpenQasm(text, limits);
    expect(warnings.map(({ line }) => line)).toEqual([2, 4, 6]);
  });

  test('delays, once', () => {
    const { warnings } = read('delay[10ns] q[0];\ndelay[20ns] q[1];');
    expect(warnings).toEqual([
      {
        code: 'CIRCUIT_DURATION_IGNORED',
        message:
          'OpenQASM line 4: Delays have an effect only under a noise model with idle qubits.',
        line: 4,
      },
    ]);
  });

  test.each([
    ['delay[100dt] q[0];', 'depends on the device'],
    ['stretch s; delay[s] q[0];', 'depends on the device'],
    ['delay[durationof({ x q[0]; })] q[0];', 'depends on the device'],
    ['c[0] = measure q[0];\nif (c[0]) { delay[10ns] q[0]; }', 'under a condition'],
    ['gate g a { delay[10ns] a; } g q[0];', 'in the body of a gate'],
  ])('delays that nothing gives an effect: %s', (text, message) => {
    const { warnings } = read(text);
    expect(warnings).toMatchObject([
      { code: 'CIRCUIT_DELAY_IGNORED', message: expect.stringContaining(message) },
    ]);
  });

  test('many lines, of which the first 20 are listed', () => {
    const { warnings } = read('@a\n'.repeat(50));
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toEqual({
      code: 'CIRCUIT_MORE_IGNORED',
      message: '30 further warnings are not listed.',
    });
  });

  test('a line of any length, however it is spaced', () => {
    const spaces = ' '.repeat(500_000);
    const { warnings } = read(`#${spaces}pragma a${spaces}b\n@${spaces}c`);
    expect(warnings.map(({ line }) => line)).toEqual([4, 5]);
  });

  test('no other construct', () => {
    expect(read('h q; c[0] = measure q[0];').warnings).toEqual([]);
  });
});
