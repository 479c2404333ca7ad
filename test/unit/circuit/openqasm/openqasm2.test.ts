import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../src/circuit/circuit.ts';
import { findGate, GATES } from '../../../../src/circuit/gates.ts';
import { parseOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import { maxAbsDifference } from '../../../../src/math/complex-matrix.ts';
import { expectLinearTime } from '../../../support/linear-time.ts';
import { differenceUpToPhase, unitaryOf } from '../../../support/small-unitary.ts';

const limits = { maxQubits: 30, maxGates: 500_000 };
const HEADER = 'OPENQASM 2.0;\ninclude "qelib1.inc";\n';
const parse = (body: string) => parseOpenQasm(HEADER + body, limits);
const gate = (name: string, qubits: readonly number[], ...angles: readonly number[]): Operation => {
  const numControls = findGate(name)?.numControls ?? 0;
  const [controls, targets] = [qubits.slice(0, numControls), qubits.slice(numControls)];
  return { kind: 'gate', gate: name, controls, targets, angles };
};

describe('an OpenQASM 2.0 program', () => {
  test('numbers registers in the order of their declaration', () => {
    const circuit = parse(`qreg a[2]; creg m[1]; qreg b[3]; creg n[2];
      h b[0]; cx a[1], b[2]; measure b[1] -> n[1];`);
    expect(circuit).toEqual({
      numQubits: 5,
      numBits: 3,
      operations: [gate('H', [2]), gate('CX', [1, 4]), { kind: 'measure', qubits: [3], bits: [2] }],
    });
  });

  test('applies a gate over whole registers, and repeats a single qubit against them', () => {
    const { operations } = parse('qreg a[2]; qreg b[2]; h a; cx a, b; cx a[0], b;');
    expect(operations).toEqual([
      gate('H', [0]),
      gate('H', [1]),
      gate('CX', [0, 2]),
      gate('CX', [1, 3]),
      gate('CX', [0, 2]),
      gate('CX', [0, 3]),
    ]);
  });

  test('measures, resets and bars whole registers at once', () => {
    const { operations } = parse(
      'qreg a[2]; qreg b[1]; creg c[2]; x a; reset a; barrier b, a[1]; barrier a, a[0]; measure a -> c;',
    );
    expect(operations).toEqual([
      gate('X', [0]),
      gate('X', [1]),
      { kind: 'reset', qubits: [0, 1] },
      { kind: 'barrier', qubits: [2, 1] },
      { kind: 'barrier', qubits: [0, 1] },
      { kind: 'measure', qubits: [0, 1], bits: [0, 1] },
    ]);
  });

  test('puts gates, measurements and resets under a condition on a register', () => {
    const condition = { bits: [1, 2], value: 2 };
    const { operations } = parse(`qreg q[2]; creg b[1]; creg c[2];
      if (c == 2) h q; if(c==2) measure q[0] -> c[0]; if (c == 2) reset q[1];`);
    expect(operations).toEqual([
      { ...gate('H', [0]), condition },
      { ...gate('H', [1]), condition },
      { kind: 'measure', qubits: [0], bits: [1], condition },
      { kind: 'reset', qubits: [1], condition },
    ]);
  });

  test('expands gate definitions, inside one another, with their parameters and barriers', () => {
    const { operations } = parse(`
      gate turn(a, b) x { rx(a - b) x; rz(b / 2) x; }
      gate pair(a) x, y { turn(a, 2) y; barrier y, x; cx y, x; turn(-a, 0) x; }
      gate nothing x { }
      qreg q[2]; creg c[1];
      pair(5) q[0], q[1]; nothing q; if (c == 1) turn(1, 2) q[0];`);
    const condition = { bits: [0], value: 1 };
    expect(operations).toEqual([
      gate('RX', [1], 3),
      gate('RZ', [1], 1),
      { kind: 'barrier', qubits: [1, 0] },
      gate('CX', [1, 0]),
      gate('RX', [0], -5),
      gate('RZ', [0], 0),
      { ...gate('RX', [0], -1), condition },
      { ...gate('RZ', [0], 1), condition },
    ]);
  });

  test('lets its own definition hide a gate of the library, from there on', () => {
    const { operations } = parse('qreg q[1]; gate a x { h x; } gate h x { z x; } h q; a q;');
    expect(operations).toEqual([gate('Z', [0]), gate('H', [0])]);
  });

  test('knows U and CX without any library', () => {
    const { operations } = parseOpenQasm(
      'OPENQASM 2.0; qreg q[2]; U(1,2,3) q[0]; CX q[1],q[0];',
      limits,
    );
    expect(operations).toEqual([gate('U', [0], 1, 2, 3), gate('CX', [1, 0])]);
  });

  test('may hold comments, any line ends, and no blanks', () => {
    const source = `// a\r\nOPENQASM 2.0;/* b\n*/include"qelib1.inc";qreg q[1];\r\n\th q[0];//c`;
    expect(parseOpenQasm(source, limits).operations).toEqual([gate('H', [0])]);
  });

  test.each([
    ['pi', Math.PI],
    ['-pi/2', -Math.PI / 2],
    ['1.5e-1', 0.15],
    ['.5', 0.5],
    ['2.', 2],
    ['1 - 2 - 3', -4],
    ['8 / 2 / 2', 2],
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['-2^2', -4],
    ['2^-1', 0.5],
    ['2^3^2', 512],
    ['2**3', 8],
    ['2 * -3', -6],
    ['--1', 1],
    ['sin(1) + cos(2) * tan(3)', Math.sin(1) + Math.cos(2) * Math.tan(3)],
    ['exp(ln(2)) - sqrt(2)', Math.exp(Math.log(2)) - Math.sqrt(2)],
  ])('reads the angle %s as %d', (text, value) => {
    const [literal, inBody] = parse(
      `gate g(a) x { rz(${text} + a) x; } qreg q[1]; rz(${text}) q[0]; g(0) q[0];`,
    ).operations;
    expect(literal).toEqual(gate('RZ', [0], value));
    expect(inBody).toEqual(gate('RZ', [0], value + 0));
  });
});

describe('a definition', () => {
  const SX_FORM = 'sxdg a; sxdg b; cx a,b; rz(t) b; cx a,b; sx a; sx b;';
  const RX_FORM = 'rx(pi/2) a; rx(pi/2) b; cx a,b; rz(t) b; cx a,b; rx(-pi/2) a; rx(-pi/2) b;';

  // As Qiskit and this service print them.
  test.each([
    [`gate ryy(t) a,b { ${SX_FORM} }`, 'ryy(0.7)', gate('RYY', [2, 1], 0.7)],
    [`gate ryy(t) a,b { ${RX_FORM} }`, 'ryy(0.7)', gate('RYY', [2, 1], 0.7)],
    ['gate iswap a,b { s a; s b; h a; cx a,b; cx b,a; h b; }', 'iswap', gate('ISWAP', [2, 1])],
    [
      `gate rzx(t) a,b { h b; cx a,b; rz(t) b; cx a,b; h b; }
      gate ecr a,b { rzx(pi/4) a,b; x a; rzx(-pi/4) a,b; }`,
      'ecr',
      gate('ECR', [2, 1]),
    ],
  ])('of a gate of the table is that gate: %s', (definition, call, operation) => {
    expect(parse(`${definition} qreg q[3]; ${call} q[2],q[1];`).operations).toEqual([operation]);
  });

  test.each([
    ['another gate', RX_FORM.replace('cx a,b; rz', 'cz a,b; rz'), 7],
    ['a rounded π', RX_FORM.replace('pi', '3.14159265'), 7],
    ['a global phase', `${RX_FORM} u1(0.1) a; x a; u1(0.1) a; x a;`, 11],
    ['an angle that is not analytic', RX_FORM.replace('(t)', '(ln(exp(t)))'), 7],
    ['an angle that is never finite', RX_FORM.replace('(t)', '(t/0)'), undefined],
  ])('with %s under the name of a gate of the table is expanded', (_, body, numOperations) => {
    const read = () => parse(`gate ryy(t) a,b { ${body} } qreg q[2]; ryy(0.7) q[0],q[1];`);
    if (numOperations === undefined) expect(read).toThrow('line 3, column');
    else expect(read().operations).toHaveLength(numOperations);
  });
});

describe('qelib1.inc', () => {
  const inLibrary = GATES.filter(({ openqasm }) => openqasm.library.includes('qelib1'));
  test.each(inLibrary.map((gate) => [gate.openqasm.name, gate] as const))(
    'has %s',
    (name, found) => {
      const { numControls, numTargets, parameters } = found;
      const qubits = Array.from({ length: numControls + numTargets }, (_, i) => i);
      const angles = parameters.map((_, i) => i + 0.5);
      const call = `${name}(${angles.join()}) ${qubits.map((qubit) => `q[${qubit}]`).join()}`;
      const { operations } = parse(`qreg q[3]; ${call.replace('()', '')};`);
      expect(operations).toEqual([gate(found.name, qubits, ...angles)]);
      expect(findGate(name)).toBe(found);
    },
  );

  test.each([
    ['u0(3) q[0]', gate('ID', [0])],
    ['u(1,2,3) q[0]', gate('U', [0], 1, 2, 3)],
    ['u3(1,2,3) q[0]', gate('U', [0], 1, 2, 3)],
    ['u1(1) q[0]', gate('P', [0], 1)],
    ['cu1(1) q[1],q[0]', gate('CP', [1, 0], 1)],
    ['c3x q[0],q[1],q[2],q[3]', { ...gate('X', [3]), controls: [0, 1, 2] }],
    ['c4x q[0],q[1],q[2],q[3],q[4]', { ...gate('X', [4]), controls: [0, 1, 2, 3] }],
    ['c3sqrtx q[0],q[1],q[2],q[3]', { ...gate('SX', [3]), controls: [0, 1, 2] }],
    ['ecr q[0],q[1]', gate('ECR', [0, 1])],
    ['iswap q[0],q[1]', gate('ISWAP', [0, 1])],
  ])('reads %s', (call, operation) => {
    expect(parse(`qreg q[5]; ${call};`).operations).toEqual([operation]);
  });

  // Decompositions as the OpenQASM 2 paper and Qiskit's qelib1.inc print them.
  test.each([
    ['crz(0.7) q[0],q[1]', 'rz(0.7/2) q[1]; cx q[0],q[1]; rz(-0.7/2) q[1]; cx q[0],q[1];'],
    [
      'cu1(0.7) q[0],q[1]',
      'u1(0.7/2) q[0]; cx q[0],q[1]; u1(-0.7/2) q[1]; cx q[0],q[1]; u1(0.7/2) q[1];',
    ],
    [
      'cu3(0.7,0.4,0.2) q[0],q[1]',
      `u1((0.2+0.4)/2) q[0]; u1((0.2-0.4)/2) q[1]; cx q[0],q[1]; u3(-0.7/2,0,-(0.4+0.2)/2) q[1];
       cx q[0],q[1]; u3(0.7/2,0.4,0) q[1];`,
    ],
    ['rzz(0.7) q[0],q[1]', 'cx q[0],q[1]; u1(0.7) q[1]; cx q[0],q[1];'],
    [
      'rxx(0.7) q[0],q[1]',
      `u3(pi/2,0.7,0) q[0]; h q[1]; cx q[0],q[1]; u1(-0.7) q[1]; cx q[0],q[1]; h q[1];
       u2(-pi,pi-0.7) q[0];`,
    ],
    ['csx q[0],q[1]', 'h q[1]; cu1(pi/2) q[0],q[1]; h q[1];'],
    ['sxdg q[0]', 's q[0]; h q[0]; s q[0];'],
    ['u2(0.4,0.2) q[0]', 'U(pi/2,0.4,0.2) q[0];'],
    ['cy q[0],q[1]', 'sdg q[1]; cx q[0],q[1]; s q[1];'],
  ])('means by %s what its text defines', (call, definition) => {
    const [found, expected] = [`${call};`, definition].map((body) =>
      unitaryOf(parse(`qreg q[2]; ${body}`)),
    );
    expect(differenceUpToPhase(found!, expected!)).toBeLessThan(1e-14);
  });

  test.each([
    ['rccx q[0],q[1],q[2]', 'ccx q[0],q[1],q[2]', 3],
    ['rc3x q[0],q[1],q[2],q[3]', 'c3x q[0],q[1],q[2],q[3]', 4],
  ])('means by %s the permutation of %s, up to phases of basis states', (relative, exact, n) => {
    const [found, expected] = [relative, exact].map((call) =>
      unitaryOf(parse(`qreg q[${n}]; ${call};`)),
    );
    const magnitudes = (matrix: Float64Array) =>
      Float64Array.from(matrix, (_, i) => (i % 2 ? 0 : Math.hypot(matrix[i]!, matrix[i + 1]!)));
    expect(maxAbsDifference(magnitudes(found!), magnitudes(expected!))).toBeLessThan(1e-14);
    expect(differenceUpToPhase(found!, expected!)).toBeGreaterThan(0.5);
  });
});

test('a program of tens of thousands of lines is read in time that is linear in their number', () => {
  // A reader in quadratic time took 12 s for 100,000.
  expectLinearTime(50_000, (numLines) => {
    const line = (_: unknown, i: number) => `u3(pi/${i + 1},-0.5*2,.1) q[${i % 20}];`;
    const lines = Array.from({ length: numLines }, line);
    expect(parse(`qreg q[20];\n${lines.join('\n')}`).operations).toHaveLength(numLines);
  });
});
