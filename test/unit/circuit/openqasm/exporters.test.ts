/**
 * Programs as exporters and specifications write them: no version line, other names of gates, phases
 * with operands, declarations that change nothing.
 */
import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../src/circuit/circuit.ts';
import { parseOpenQasm, readOpenQasm } from '../../../../src/circuit/openqasm/parse-openqasm.ts';
import { matrixOfOperations } from '../../../../src/circuit/operation-matrix.ts';
import { type ComplexMatrix, maxAbsDifference } from '../../../../src/math/complex-matrix.ts';
import { exactOutcomes } from '../../../support/state-oracle.ts';

const limits = { maxQubits: 30, maxGates: 1000 };
const parse = (source: string) => parseOpenQasm(source, limits);

const HEADERS = [
  ['OpenQASM 2.0', 'OPENQASM 2.0; include "qelib1.inc"; qreg q[5]; creg c[2];'],
  ['OpenQASM 3', 'OPENQASM 3.0; include "stdgates.inc"; qubit[5] q; bit[2] c;'],
] as const;

/** Unitary of a program of gates; the first qubit is the least significant bit. */
function matrixOf(source: string, numQubits: number): ComplexMatrix {
  const isGate = (o: Operation) => o.kind === 'gate' || o.kind === 'unitary';
  return matrixOfOperations(parse(source).operations.filter(isGate), numQubits);
}

const operands = (count: number) => Array.from({ length: count }, (_, i) => `q[${i}]`).join(', ');

type Complex = readonly [re: number, im: number];
const turned = (angle: number): Complex => [Math.cos(angle), Math.sin(angle)];
const times = (factor: number, [re, im]: Complex): Complex => [factor * re, factor * im];

/** A matrix of so many qubits by its nonzero entries; where none is given, 1 on the diagonal. */
function matrix(numQubits: number, entries: readonly (readonly [number, number, Complex])[]) {
  const size = 2 ** numQubits;
  const out = new Float64Array(2 * size * size);
  const given = new Set(entries.map(([, column]) => column));
  for (let i = 0; i < size; i++) if (!given.has(i)) out[2 * (i * size + i)] = 1;
  for (const [row, column, [re, im]] of entries) {
    out[2 * (row * size + column)] = re;
    out[2 * (row * size + column) + 1] = im;
  }
  return out;
}

describe.each(HEADERS)('in %s', (_, header) => {
  test.each([
    ['sxdg', 'SXDG', 0],
    ['v', 'SX', 0],
    ['vi', 'SXDG', 0],
    ['si', 'SDG', 0],
    ['ti', 'TDG', 0],
    ['i', 'ID', 0],
    ['u1(1)', 'P', 0],
    ['u2(1, 2)', 'U2', 0],
    ['u3(1, 2, 3)', 'U', 0],
    ['u(1, 2, 3)', 'U', 0],
    ['phase(1)', 'P', 0],
    ['phaseshift(1)', 'P', 0],
    ['r(1, 2)', 'PRX', 0],
    ['prx(1, 2)', 'PRX', 0],
    ['gpi2(1)', 'PRX', 0],
    ['U1q(1, 2)', 'PRX', 0],
    ['Rz(1)', 'RZ', 0],
    ['cnot', 'CX', 1],
    ['CX', 'CX', 1],
    ['cv', 'CSX', 1],
    ['csx', 'CSX', 1],
    ['cs', 'CS', 1],
    ['csdg', 'SDG', 1],
    ['cu1(1)', 'CP', 1],
    ['cphase(1)', 'CP', 1],
    ['cphaseshift(1)', 'CP', 1],
    ['cu3(1, 2, 3)', 'CU3', 1],
    ['cu(1, 2, 3, 4)', 'CU', 1],
    ['ccnot', 'CCX', 2],
    ['ccz', 'CCZ', 2],
    ['c3x', 'X', 3],
    ['c4x', 'X', 4],
    ['c3sqrtx', 'SX', 3],
  ])('%s is %s', (call, gate, numControls) => {
    const { operations } = parse(`${header} ${call} ${operands(numControls + 1)};`);
    expect(operations).toMatchObject([{ kind: 'gate', gate, targets: [numControls] }]);
    expect(operations[0]).toMatchObject({ controls: [0, 1, 2, 3].slice(0, numControls) });
  });

  test.each([
    ['rxx(1)', 'RXX'],
    ['xx(1)', 'RXX'],
    ['yy(1)', 'RYY'],
    ['zz(1)', 'RZZ'],
    ['RZZ(1)', 'RZZ'],
    ['ZZ', 'RZZ'],
    ['rzx(1)', 'RZX'],
    ['xy(1)', 'XX+YY'],
    ['xx_plus_yy(1, 2)', 'XX+YY'],
    ['xx_minus_yy(1, 2)', 'XX-YY'],
    ['iswap', 'ISWAP'],
    ['ecr', 'ECR'],
    ['dcx', 'DCX'],
    ['fsim(1, 2)', 'FSIM'],
  ])('%s is %s', (call, gate) => {
    const { operations } = parse(`${header} ${call} q[0], q[1];`);
    expect(operations).toMatchObject([{ kind: 'gate', gate, controls: [], targets: [0, 1] }]);
  });

  const half = Math.SQRT1_2;
  const angle = 0.7;
  const [c, s] = [Math.cos(angle / 2), Math.sin(angle / 2)];
  const through = turned(angle);
  // From the matrices in the documentation of Braket, whose first operand is the most significant.
  test.each([
    ['cphaseshift00(0.7)', 2, matrix(2, [[0, 0, through]])],
    ['cphaseshift01(0.7)', 2, matrix(2, [[2, 2, through]])],
    ['cphaseshift10(0.7)', 2, matrix(2, [[1, 1, through]])],
    [
      'pswap(0.7)',
      2,
      matrix(2, [
        [2, 1, through],
        [1, 2, through],
      ]),
    ],
    [
      'xy(0.7)',
      2,
      matrix(2, [
        [1, 1, [c, 0]],
        [2, 1, [0, s]],
        [1, 2, [0, s]],
        [2, 2, [c, 0]],
      ]),
    ],
    [
      'gpi(0.7)',
      1,
      matrix(1, [
        [1, 0, turned(0.7)],
        [0, 1, turned(-0.7)],
      ]),
    ],
    [
      'gpi2(0.7)',
      1,
      matrix(1, [
        [0, 0, [half, 0]],
        [1, 0, times(half, turned(0.7 - Math.PI / 2))],
        [0, 1, times(half, turned(-0.7 - Math.PI / 2))],
        [1, 1, [half, 0]],
      ]),
    ],
    [
      // The first angle is of q[0], so its sign tells the two middle phases apart.
      'ms(0.3, 0.5, 0.7)',
      2,
      matrix(2, [
        [0, 0, [c, 0]],
        [1, 1, [c, 0]],
        [2, 2, [c, 0]],
        [3, 3, [c, 0]],
        [3, 0, times(s, turned(0.8 - Math.PI / 2))],
        [0, 3, times(s, turned(-0.8 - Math.PI / 2))],
        [2, 1, times(s, turned(0.2 - Math.PI / 2))],
        [1, 2, times(s, turned(-0.2 - Math.PI / 2))],
      ]),
    ],
  ])('%s is the gate of Braket', (call, numQubits, expected) => {
    const found = matrixOf(`${header} ${call} ${operands(numQubits)};`, numQubits);
    expect(maxAbsDifference(found, expected)).toBeLessThan(1e-15);
  });

  test.each([
    ['rc3x', 'rcccx'],
    ['c3x', 'cccx'],
    ['c3sqrtx', 'c3sx'],
    ['rxx(1) q[0], q[1]; ryy(2) q[0], q[1]; rzz(3)', 'Rxxyyzz(1, 2, 3)'],
  ])('%s is also called %s', (one, other) => {
    const count = one.includes('yy') ? 2 : 4;
    const [first, second] = [one, other].map((call) =>
      parse(`${header} ${call} ${operands(count)};`),
    );
    expect(first).toEqual(second);
  });

  test.each(['rccx', 'rc3x'])('%s permutes the basis as a Toffoli gate does', (name) => {
    const numQubits = name === 'rccx' ? 3 : 4;
    const found = matrixOf(`${header} ${name} ${operands(numQubits)};`, numQubits);
    const size = 2 ** numQubits;
    for (let column = 0; column < size; column++) {
      const controls = size / 2 - 1;
      const row = (column & controls) === controls ? column ^ (size / 2) : column;
      const i = 2 * (row * size + column);
      expect(Math.hypot(found[i]!, found[i + 1]!)).toBeCloseTo(1, 12);
    }
  });

  test.each([
    ['mcx q[0], q[1];', 'X', 1],
    ['mcx q[0], q[1], q[2], q[3], q[4];', 'X', 4],
    ['mcz q[0], q[1], q[2];', 'Z', 2],
    ['mcp(1) q[0], q[1], q[2], q[3];', 'P', 3],
    ['mcphase(1) q[0], q[1], q[2];', 'P', 2],
    ['gate g a, b, c { mcu1(1) a, b, c; } g q[0], q[1], q[2];', 'P', 2],
  ])('%s has as many controls as it names', (text, gate, numControls) => {
    const { operations } = parse(`${header} ${text}`);
    const controls = [0, 1, 2, 3].slice(0, numControls);
    expect(operations).toMatchObject([{ gate, controls, targets: [numControls] }]);
  });

  test('a gate with any number of controls needs at least one', () => {
    expect(() => parse(`${header} mcx q[0];`)).toThrow('mcx acts on at least 2 qubits, not 1.');
  });

  test('a global phase acts on no qubit, whatever it names', () => {
    const phase = { kind: 'gate', gate: 'GPHASE', controls: [], targets: [], angles: [0.5] };
    for (const named of ['', 'q', 'q[0], q[1]']) {
      expect(parse(`${header} gphase(0.5) ${named};`).operations).toEqual([phase]);
    }
    const inGate = `${header} gate g a, b { gphase(0.5) a, b; } g q[0], q[1];`;
    expect(parse(inGate).operations).toEqual([phase]);
  });

  test('a gate that the program defines wins over the library', () => {
    const { operations } = parse(`${header} gate cnot a, b { h a; } cnot q[0], q[1];`);
    expect(operations).toMatchObject([{ gate: 'H', targets: [0] }]);
    const before = header.replace('include', 'gate v a { } include');
    expect(parse(`${before} v q[0];`).operations).toEqual([]);
  });

  test('an opaque gate that is not applied changes nothing', () => {
    const text = `${header} opaque magic(a, b) x, y; opaque other z; gate g a { other a; } h q[0];`;
    expect(parse(text).operations).toMatchObject([{ gate: 'H' }]);
  });

  test('a condition that its register cannot meet runs nothing', () => {
    const { operations } = parse(`${header} if (c == 5) x q[0]; if (c == 4) measure q[0] -> c[0];`);
    expect(operations).toEqual([]);
  });

  test('a barrier ignores its condition', () => {
    const { operations } = parse(`${header} if (c == 1) barrier q[0], q[1];`);
    expect(operations).toEqual([{ kind: 'barrier', qubits: [0, 1] }]);
  });

  test('a gate may reset its qubits, as Qiskit exports initialize', () => {
    const { operations } = parse(
      `${header} gate init(p) a, b { reset a; reset b; ry(p) a; } x q; init(1) q[1], q[2];
       if (c == 1) init(1) q[0], q[1];`,
    );
    const condition = { bits: [0, 1], value: 1 };
    expect(operations.slice(5)).toEqual([
      { kind: 'reset', qubits: [1] },
      { kind: 'reset', qubits: [2] },
      { kind: 'gate', gate: 'RY', controls: [], targets: [1], angles: [1] },
      { kind: 'reset', qubits: [0], condition },
      { kind: 'reset', qubits: [1], condition },
      { kind: 'gate', gate: 'RY', controls: [], targets: [0], angles: [1], condition },
    ]);
  });
});

test('a delay that Qiskit declares as opaque in OpenQASM 2.0 changes nothing', () => {
  const text = `${HEADERS[0][1]} opaque delay(t) a; delay(100.0) q[0];`;
  expect(parse(text).operations).toEqual([]);
});

test.each([
  'delay[100ns] q;',
  'delay[100.0ns] q[0], q[1]; delay[100dt] q[2]; delay[1.5us] q[2];',
  'delay[0.5µs];',
  'duration a = 10ns; const duration b = 2 * a; stretch s; delay[s - (a + b) / 2] q;',
  'stretch s; delay[s - .5 * durationof({ x q[0]; cx q[0], q[1]; })] q[0];',
  'duration step = 1us; for uint i in [0:3] { delay[i * step] q[0]; }',
  'box { } box[100ns] { delay[5ns] q[0]; barrier q; nop q[0], q[1]; }',
  'gate g a { delay[10ns] a; } g q;',
])('waiting changes nothing: %s', (text) => {
  const { operations } = parse(`${HEADERS[1][1]} ${text}`);
  expect(operations.filter(({ kind }) => kind !== 'barrier')).toEqual([]);
});

test('a box contains statements, and a gate may have a duration', () => {
  const { operations } = parse(`${HEADERS[1][1]} box[1us] { rx(1)[20ns] q[0]; x q[1]; } h q[2];`);
  expect(operations.map((o) => (o.kind === 'gate' ? o.gate : o.kind))).toEqual(['RX', 'X', 'H']);
});

test('arguments that a gate does not use may be anything in OpenQASM 2.0, as in Qiskit exports', () => {
  const { operations } = parse(`${HEADERS[0][1]}
    gate initialize(a, b) x { reset x; ry(0.5) x; } gate pauli(p) x, y { x x; z y; }
    gate half(a, b) x { rx(b/2) x; } h q[0];
    initialize(0.5,0.5j) q[0]; pauli(XZ) q[1],q[2]; half((1+2j)*3, 4) q[3];`);
  expect(operations.map((o) => (o.kind === 'gate' ? [o.gate, ...o.angles] : o.kind))).toEqual([
    ...[['H'], 'reset', ['RY', 0.5], ['X'], ['Z'], ['RX', 2]],
  ]);
});

test.each([
  ['g() q[0];', 'g takes 2 parameters, not 0'],
  ['g(,1) q[0];', 'expected an angle, found ","'],
  ['g((1 q[0];', 'expected ")", found ";"'],
  ['g(1j, 2j) q[0];', 'expected ")", found "j"'],
])('but there are as many as it takes: %s', (call, problem) => {
  const text = `${HEADERS[0][1]} gate g(a, b) x { rx(b) x; } ${call}`;
  expect(() => parse(text)).toThrow(problem);
});

test("Braket's gates need no include in OpenQASM 3", () => {
  const { operations } = parse(
    `OPENQASM 3; qubit[3] q; h q[0]; cnot q[0], q[1]; ccnot q[0], q[1], q[2]; xy(pi) q[0], q[1];
     inv @ gpi2(1) q[0]; v q[0]; phaseshift(1) q[0]; gphase(1);`,
  );
  expect(operations.map((o) => (o.kind === 'gate' ? o.gate : o.kind))).toEqual([
    ...['H', 'CX', 'CCX', 'XX+YY', 'PRX', 'SX', 'P', 'GPHASE'],
  ]);
});

test('a gate that Braket does not have names the include', () => {
  expect(() => parse('OPENQASM 3; qubit[2] q; cx q[0], q[1];')).toThrow(
    'There is no gate called "cx" here; include "stdgates.inc" defines it.',
  );
});

test('hqslib1.inc is known in OpenQASM 2.0', () => {
  const text = 'OPENQASM 2.0; include "hqslib1.inc"; qreg q[2]; U1q(1, 2) q[0]; ZZ q[0],q[1];';
  expect(parse(text).operations).toHaveLength(2);
});

describe('a program without a version line', () => {
  const x = { kind: 'gate', gate: 'X', controls: [], targets: [0], angles: [] };

  test.each([
    ['is of version 3', 'include "stdgates.inc"; qubit q; bit c; c = measure q; if (c) { x q; }'],
    ['may have the library of version 2', 'include "qelib1.inc"; qubit q; bit c; if (c) { x q; }'],
    ['may declare registers as in version 2', 'qreg q[1]; creg c[1]; if (c[0]) { x q[0]; }'],
  ])('%s', (_, text) => {
    const { operations } = parse(text);
    expect(operations.at(-1)).toEqual({ ...x, condition: { bits: [0], value: 1 } });
  });

  test.each([
    ['qelib1.inc', 0.5],
    ['hqslib1.inc', 0.5],
    // Between whole numbers, version 3 drops the fraction.
    ['stdgates.inc', 0],
  ])('with %s reads 1/2 as %d', (library, angle) => {
    const { operations } = parse(`// A comment.\ninclude "${library}"; qreg q[1]; rx(1/2) q[0];`);
    expect(operations).toMatchObject([{ gate: 'RX', angles: [angle] }]);
  });

  test('means the same in either version', () => {
    const body = `qreg q[2]; creg c[2]; gate g(a) b { rx(a/2) b; } g(pi/4) q; barrier q;
      if (c == 3) cx q[0], q[1]; reset q[1]; measure q -> c;`;
    expect(parse(`include "qelib1.inc"; ${body}`)).toEqual(
      parse(`include "stdgates.inc"; ${body}`),
    );
  });

  test('gets error messages of version 3', () => {
    expect(() => parse('include "qelib1.inc"; qubit q; hh q;')).toThrow(
      'There is no gate called "hh" here. Did you mean h or ch?',
    );
  });

  test('takes values for its inputs', () => {
    const text = 'include "qelib1.inc"; input float a; qubit q; rx(a) q;';
    const { operations } = parseOpenQasm(text, limits, { inputs: { a: 0.25 } });
    expect(operations).toMatchObject([{ gate: 'RX', angles: [0.25] }]);
  });
});

test('Stim exports measurements as subroutines, and H_YZ without a definition', () => {
  const { circuit } = readOpenQasm(
    `OPENQASM 3.0; include "stdgates.inc";
    def mr(qubit q0) -> bit { bit b; measure q0 -> b; reset q0; return b; }
    def mx(qubit q0) -> bit { bit b; h q0; measure q0 -> b; h q0; return b; }
    def mxx(qubit q0, qubit q1) -> bit { bit b; cx q0, q1; h q0; measure q0 -> b; h q0; cx q0, q1; return b; }
    qreg q[2]; creg rec[5]; creg dets[1]; creg obs[1];
    x q[0]; rec[0] = mr(q[0]); rec[1] = mr(q[1]) ^ 1; rec[2] = mxx(q[0], q[1]);
    rec[3] = mxx(q[0], q[1]) ^ 1; hyz q[0]; hyz q[0]; measure q[0] -> rec[4];rec[4] = rec[4] ^ rec[4];
    dets[0] = rec[3] ^ rec[2] ^ 1; obs[0] = obs[0] ^ rec[0] ^ 1;`,
    { maxQubits: 5, maxGates: 1000 },
  );
  const labels = [...exactOutcomes(circuit)].filter(([, chance]) => chance > 1e-9);
  expect(labels.map(([label, chance]) => [label, +chance.toFixed(9)]).sort()).toEqual(
    [
      ['0001011', 0.5],
      ['0000111', 0.5],
    ].sort(),
  );
});

test.each([
  ['box[50us] { x q; }', 'CIRCUIT_TIMING_IGNORED'],
  ['rx(1)[20 ns] q;', 'CIRCUIT_TIMING_IGNORED'],
  ['output float f; f = 0.5;', 'CIRCUIT_OUTPUT_FLOAT'],
])('%s has the warning %s', (body, code) => {
  const text = `OPENQASM 3; include "stdgates.inc"; qubit q; ${body}`;
  const { warnings } = readOpenQasm(text, { maxQubits: 5, maxGates: 1000 });
  expect(warnings.map((warning) => warning.code)).toEqual([code]);
});
