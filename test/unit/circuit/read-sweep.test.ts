import { describe, expect, test, vi } from 'vitest';
import {
  AngleDerivatives,
  dependentAngles,
  evaluateAngles,
} from '../../../src/circuit/angle-formulas.ts';
import { StepsSpentError } from '../../../src/circuit/circuit-limits.ts';
import { GATES } from '../../../src/circuit/gates.ts';
import { inputColumns, inputRows } from '../../../src/circuit/input-columns.ts';
import { areFiniteWithin, MAX_COMBINATIONS, readSweep } from '../../../src/circuit/read-sweep.ts';

// A million operations are read, some seconds on a quiet machine.
vi.setConfig({ testTimeout: 200_000 });

const limits = { maxQubits: 8, maxGates: 10_000 };
const HEAD = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n';

const sweepOf = (body: string, inputs: Record<string, unknown>) =>
  readSweep({ qasm: HEAD + body }, inputColumns(inputs), limits);

/** Angles of the only group, one list for each point. */
function anglesAt(sweep: ReturnType<typeof readSweep>): readonly (readonly number[])[] {
  const [{ formulas, points } = { formulas: undefined, points: undefined }, ...others] =
    sweep.groups;
  expect(others).toEqual([]);
  if (formulas === undefined) throw new Error('unreachable: no group');
  const { numPoints } = sweep.inputs;
  const rows = inputRows(sweep.inputs, points, 0, numPoints);
  const angles = evaluateAngles(formulas, rows, numPoints);
  return Array.from({ length: numPoints }, (_, i) => [
    ...angles.subarray(i * formulas.numAngles, (i + 1) * formulas.numAngles),
  ]);
}

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('gate objects with inputs', () => {
  const circuit = [
    { gate: 'RX', qubit: 0, theta: { input: 'a', scale: 2, offset: 0.1 } },
    { gate: 'U', qubit: 1, theta: 1.5, phi: { input: 'b' }, lambda: { input: 'a', offset: -1 } },
  ];
  const read = (inputs: Record<string, unknown>) =>
    readSweep({ circuit }, inputColumns(inputs), limits);

  test('have the angles of each point', () => {
    expect(anglesAt(read({ a: [0.5, 1], b: 3 }))).toEqual([
      [0.5 * 2 + 0.1, 1.5, 3, -0.5],
      [1 * 2 + 0.1, 1.5, 3, 0],
    ]);
  });

  test('tell which angles depend on which input', () => {
    const { formulas } = read({ a: [0.5, 1], b: 3 }).groups[0]!;
    expect([...dependentAngles(formulas)]).toEqual([1, 0, 1, 1]);
    expect([...dependentAngles(formulas, [0])]).toEqual([1, 0, 0, 1]);
    expect([...dependentAngles(formulas, [1])]).toEqual([0, 0, 1, 0]);
  });

  test('have derivatives with respect to the inputs, for several functions at one row', () => {
    const derivatives = new AngleDerivatives(read({ a: [0.5, 1], b: 3 }).groups[0]!.formulas);
    derivatives.setRow(Float64Array.of(9, 9, 0.5, 3), 2);
    expect([...derivatives.toInputs(Float64Array.of(1, 10, 100, 1000))]).toEqual([1002, 100]);
    expect([...derivatives.toInputs(Float64Array.of(-1, 0, 0, 0))]).toEqual([-2, 0]);
  });

  test.each([
    ['an input that is not given', { a: 1 }, 'inputs.b'],
    ['an input that no angle uses', { a: 1, b: 2, c: 3 }, 'inputs.c'],
    ['a boolean', { a: 1, b: true }, 'inputs.b'],
  ])('have faults with a path: %s', (_, inputs, path) => {
    const faults = [expect.objectContaining({ path })];
    expect(() => read(inputs)).toThrow(
      expect.objectContaining({ code: 'CIRCUIT_INVALID', faults }),
    );
  });

  test('name an input that is not given once', () => {
    const twice = [...circuit, ...circuit];
    const given = inputColumns({ a: 1 });
    expect(() => readSweep({ circuit: twice }, given, limits)).toThrow(
      expect.objectContaining({ numFaults: 1 }),
    );
  });

  test.each([
    ['scale', { input: 'a', scale: Number.NaN }],
    ['offset', { input: 'a', offset: Number.POSITIVE_INFINITY }],
  ])('have a finite %s', (field, theta) => {
    const read = () =>
      readSweep({ circuit: [{ gate: 'RX', qubit: 0, theta }] }, inputColumns({ a: 1 }), limits);
    const fault = expect.objectContaining({ path: `circuit[0].theta.${field}` });
    expect(read).toThrow(expect.objectContaining({ faults: expect.arrayContaining([fault]) }));
  });

  test('have finite angles at all points', () => {
    const big = [{ gate: 'RX', qubit: 0, theta: { input: 'a', scale: 1e300 } }];
    const inputs = inputColumns({ a: [1, 2, 1e10] });
    const fault = {
      path: 'circuit[0].theta',
      message: expect.stringContaining('At point 2'),
      code: 'CIRCUIT_INVALID',
    };
    expect(() => readSweep({ circuit: big }, inputs, limits)).toThrow(
      expect.objectContaining({ code: 'CIRCUIT_INPUTS_INVALID', faults: [fault] }),
    );
  });

  test('are one group without inputs', () => {
    const { groups } = readSweep({ circuit: [{ gate: 'H', qubit: 0 }] }, inputColumns({}), limits);
    expect(groups).toMatchObject([{ points: undefined, formulas: { numAngles: 0 } }]);
  });
});

describe('an OpenQASM program with inputs', () => {
  test('is read once where inputs decide on angles alone', () => {
    const body = `input float a; input angle b; input int n; input bool f; qubit[2] q;
gate g(x, y) p { rz(x * y) p; inv @ u2(x, y) p; }
def twice(float x) -> float { return 2 * x; }
float c = a * b;
for int i in [1:2] { rx(c + i) q[0]; c = c / 2; }
g(a, pi) q[1]; ctrl @ pow(3) @ ry(twice(a)) q[0], q[1]; rz(n * pi / 4) q[0]; rz(f * a) q[0];`;
    const sweep = sweepOf(body, { a: [0.5, 1], b: 3, n: [1, 2], f: [true, false] });
    const at = (a: number, n: number, f: number) => [
      a * 3 + 1,
      (a * 3) / 2 + 2,
      a * Math.PI,
      ...[-Math.PI / 2, -Math.PI, -a],
      3 * 2 * a,
      (n * Math.PI) / 4,
      f * a,
    ];
    expect(anglesAt(sweep)).toEqual([at(0.5, 1, 1), at(1, 2, 0)]);
    expect(sweep.derivativeFaults).toEqual([]);
  });

  test('is read once for each combination of values that decide on more', () => {
    const body = `input int n; input float a; input bool f; qubit[3] q;
for int i in [1:n] { rx(a * i) q[0]; }
if (f) { x q[n]; }`;
    const { groups } = sweepOf(body, {
      n: [1, 2, 1, 2, 1],
      a: [0.1, 0.2, 0.3, 0.4, 0.5],
      f: [true, true, false, true, true],
    });
    expect(groups.map(({ points }) => [...points!])).toEqual([[0, 4], [1, 3], [2]]);
    expect(groups.map(({ circuit }) => circuit.operations.length)).toEqual([2, 3, 1]);
  });

  test('has fewer groups where an input is not used', () => {
    const body = `input int n; input float a; qubit q;
if (n > 0) { if (a > 0) { x q; } } else { rx(a) q; }`;
    const a = [1, 2, 3, -1, -2, -3];
    const { groups } = sweepOf(body, { n: [0, 0, 0, 0, 0, 1], a });
    expect(groups.map(({ points }) => [...points!])).toEqual([[0, 1, 2, 3, 4], [5]]);
  });

  test('has one group where inputs that decide have one value for all points', () => {
    const body = 'input int n; input float a; qubit[9] q; for int i in [1:n] { rx(a) q[0]; }';
    const wide = { ...limits, maxQubits: 9 };
    const inputs = inputColumns({ n: 2, a: range(100) });
    const { groups } = readSweep({ qasm: HEAD + body }, inputs, wide);
    expect(groups).toMatchObject([{ points: undefined }]);
  });

  test.each([
    ['decides which gates run (line 4)', 'input float a; qubit q;\nif (a > 1) { x q; }'],
    ['decides which gates run (line 4)', 'input int a; qubit[3] q;\nx q[a];'],
    ['decides which gates run (line 4)', 'input float a; qubit q;\npow(a) @ x q;'],
    ['decides on a matrix (line 4)', 'input float a; qubit q;\npow(0.5) @ rx(a) q;'],
    ['goes through floor (line 4)', 'input float a; qubit q;\nrx(floor(a)) q;'],
    [
      'goes through abs, which has no derivative (line 4)',
      'input float a; qubit q;\nrx(abs(a)) q;',
    ],
    ['goes through %, which has no derivative (line 4)', 'input float a; qubit q;\nrx(a % 2) q;'],
    ['decides which gates run (line 4)', 'input float a; qubit q;\nangle[4] b = a; rx(b) q;'],
    [
      'decides which gates run (line 5)',
      'input float a; qubit q; bit c;\nc = measure q;\nrx(a * c) q;',
    ],
  ])('says that an input %s', (reason, body) => {
    const { derivativeFaults } = sweepOf(body, { a: [2, 1] });
    expect(derivativeFaults).toEqual([{ input: 0, message: `The input "a" ${reason}.` }]);
  });

  test('has derivatives where a function without one is in no angle', () => {
    const { derivativeFaults } = sweepOf('input float a; qubit q; float b = abs(a); rx(a) q;', {
      a: [1, 2],
    });
    expect(derivativeFaults).toEqual([]);
  });

  test.each([
    [
      'a definition that is a gate of the table for some of them',
      'gate p(x) r { U(0, a, x) r; } p(0.5) q;',
    ],
    ['a root of a definition', 'gate g r { rx(a) r; } pow(0.5) @ g q;'],
    ['the sign of zero', 'if (1 / a > 0) { x q; }'],
  ])('is read for each value where it decides on %s', (_, body) => {
    const sweep = sweepOf(`input float a; qubit q; ${body}`, { a: [0, -0, 1, 0] });
    const groups = sweep.groups.map(({ points }) => [...points!]);
    expect(groups).toEqual([[0, 3], [1], [2]]);
    for (const [i, value] of [0, -0, 1].entries()) {
      const [one] = sweepOf(`input float a; qubit q; ${body}`, { a: value }).groups;
      expect(sweep.groups[i]!.circuit).toEqual(one!.circuit);
    }
  });

  test('is refused where too many values decide', () => {
    const body = 'input float a; qubit q; if (a > 1) { x q; }';
    const many = { a: range(MAX_COMBINATIONS + 1) };
    const fault = {
      path: 'inputs.a',
      message: expect.stringMatching(/decides which gates run \(line 3\).*1000/),
      code: 'CIRCUIT_LIMIT_EXCEEDED',
    };
    expect(() => sweepOf(body, many)).toThrow(expect.objectContaining({ faults: [fault] }));
    expect(sweepOf(body, { a: range(MAX_COMBINATIONS) }).groups).toHaveLength(MAX_COMBINATIONS);
  });

  test('is refused where too many combinations decide', () => {
    const body = 'input int n; input int m; qubit q; if (n > m) { x q; }';
    const all = range(1089);
    const inputs = { n: all.map((i) => i % 33), m: all.map((i) => Math.floor(i / 33)) };
    const faults = ['inputs.n', 'inputs.m'].map((path) => expect.objectContaining({ path }));
    expect(() => sweepOf(body, inputs)).toThrow(expect.objectContaining({ faults }));
  });

  test('is refused where the circuits of all combinations have too many operations', () => {
    // Each round of the loop has a gate on each qubit.
    const body = `input int n; qubit[8] q; for int i in [1:n] { x q; }`;
    const inputs = inputColumns({ n: range(900).map((i) => 1100 + (i % 150)) });
    const read = () => readSweep({ qasm: HEAD + body }, inputs, limits);
    expect(read).toThrow(/more than 1000000 operations together/);
  });

  test('takes the steps of all its readings together', () => {
    const body = 'input int n; qubit q; for int i in [1:100] { if (n > i) { x q; } }';
    const read = (count: number) =>
      readSweep({ qasm: HEAD + body }, inputColumns({ n: range(count) }), {
        ...limits,
        maxSteps: 5000,
      });
    expect(read(1).groups).toHaveLength(1);
    expect(() => read(20)).toThrow(StepsSpentError);
  });

  test('is refused where all readings together take too many steps for their gates', () => {
    const body = 'input int n; qubit q; int k = 0; while (k < n) { k += 1; } rx(k) q;';
    const read = (most: number, maxGates: number) => () =>
      readSweep({ qasm: HEAD + body }, inputColumns({ n: range(most) }), { ...limits, maxGates });
    expect(read(50, 100)().groups).toHaveLength(50);
    expect(read(100, 100)).toThrow(/the limit is 12928 and 128 more for each gate/);
    // Each gate allows for further steps.
    const rotating = 'input int n; qubit q; for int k in [1:n] { rx(k) q; }';
    const inputs = inputColumns({ n: range(100) });
    expect(readSweep({ qasm: HEAD + rotating }, inputs, limits).groups).toHaveLength(100);
  });

  test.each([
    ['is missing', {}, 'inputs.a'],
    ['is no whole number', { a: [1, 1, 1.5] }, 'inputs.a[2]'],
    ['is out of range', { a: [1, 99, 2] }, 'inputs.a[1]'],
    ['is a boolean', { a: [true, false] }, 'inputs.a[0]'],
    ['is no whole number at any point', { a: 1.5 }, 'inputs.a'],
  ])('has a fault where an input %s', (_, inputs, path) => {
    const body = 'input int[4] a; qubit q; rz(a * pi) q;';
    const faults = [expect.objectContaining({ path, code: 'CIRCUIT_OPENQASM_INPUT' })];
    expect(() => sweepOf(body, inputs)).toThrow(expect.objectContaining({ faults }));
  });

  test('names the point where it is invalid', () => {
    const body = 'input int n; qubit[2] q; x q[n];';
    const fault = {
      path: 'qasm',
      message: expect.stringMatching(/line 3.*q\[2\] is out of range.*At point 2/),
      code: 'CIRCUIT_OPENQASM_INVALID',
    };
    expect(() => sweepOf(body, { n: [0, 1, 2, 3] })).toThrow(
      expect.objectContaining({ code: 'CIRCUIT_INPUTS_INVALID', faults: [fault] }),
    );
  });

  test.each([
    ['an angle', 'rx(1 / a) q;'],
    ['an angle of its own gate', 'gate g(x) p { rx(arctan(x)) p; } g(1 / a) q;'],
  ])('names the point where %s is not finite', (_, body) => {
    const message = expect.stringMatching(/must be finite\. \(At point 3/);
    expect(() => sweepOf(`input float a; qubit q; ${body}`, { a: [1, 2, 3, 0, 0] })).toThrow(
      expect.objectContaining({ faults: [expect.objectContaining({ path: 'qasm', message })] }),
    );
  });

  test.each([128, 1024, 1999])('names point %i of 2000 where an angle is not finite', (point) => {
    const a = range(2000).map((i) => (i === point ? 0 : 1));
    expect(() => sweepOf('input float a; qubit q; rx(1 / a) q;', { a })).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`(At point ${point} `) }),
    );
  });

  test('has the same angles at many points together as at each alone', () => {
    const body = `input float a; input float b; qubit q;
U(2 * a + 0.1, sin(a) * b, 0.5) q; U(a - 3, a / b, -b) q; rx(a) q;`;
    const inputs = { a: range(1000).map((i) => Math.sqrt(i)), b: range(1000).map((i) => i - 0.5) };
    const { groups, inputs: columns } = sweepOf(body, inputs);
    const { formulas } = groups[0]!;
    const all = evaluateAngles(formulas, inputRows(columns, undefined, 0, 1000), 1000);
    for (const i of range(1000)) {
      const row = inputRows(columns, undefined, i, i + 1);
      const [a, b] = [inputs.a[i]!, inputs.b[i]!];
      const alone = evaluateAngles(formulas, row, 1);
      expect([...alone]).toEqual([2 * a + 0.1, Math.sin(a) * b, 0.5, a - 3, a / b, -b, a]);
      expect(all.subarray(7 * i, 7 * i + 7)).toEqual(alone);
    }
  });

  test('that is OpenQASM 2 has one group', () => {
    const qasm = 'OPENQASM 2.0; include "qelib1.inc"; qreg q[1]; rx(0.5) q[0];';
    const sweep = readSweep({ qasm }, inputColumns({}), limits);
    expect(anglesAt(sweep)).toEqual([[0.5]]);
  });

  test('has the results that it requests, and its warnings once', () => {
    const body = `input int n; qubit[2] q;
#pragma vendor thing
if (n == 1) { x q[0]; }
#pragma braket result expectation z(q[0])`;
    const { groups, warnings } = sweepOf(body, { n: [0, 1] });
    expect(groups).toHaveLength(2);
    for (const { results } of groups) {
      expect(results).toMatchObject({
        results: [{ type: 'expectation', first: 0, count: 1 }],
        observables: [[{ pauli: 'Z0', coefficient: 1 }]],
      });
    }
    expect(warnings).toHaveLength(1);
  });

  test('of which parts are computed while it runs keeps its values', () => {
    const body = `input float a; qubit q; bit c; output float b;
c = measure q; b = a; if (c) { b = 2 * a; rx(a) q; } while (c) { rz(a) q; c = measure q; }`;
    const { groups } = sweepOf(body, { a: [0.5, 0.5, 1] });
    expect(groups.map(({ points }) => [...points!])).toEqual([[0, 1], [2]]);
    // A value that became part of the circuit is a number, for threads and for JSON.
    for (const { circuit } of groups) expect(structuredClone(circuit)).toEqual(circuit);
  });

  test('has formulas that cross threads', () => {
    const { formulas } = sweepOf('input float a; qubit q; rx(sin(a)) q;', { a: [1, 2] }).groups[0]!;
    const rows = Float64Array.of(1, 2);
    expect([...evaluateAngles(structuredClone(formulas), rows, 2)]).toEqual([
      Math.sin(1),
      Math.sin(2),
    ]);
  });

  test('whose values are too many for formulas is read for each value', () => {
    const body =
      'input float a; qubit q; float b = a; for int i in [1:60000] { b = b + a + a; } rx(b) q;';
    const few = { ...limits, maxGates: 6800 };
    const { groups } = readSweep({ qasm: HEAD + body }, inputColumns({ a: [1, 2] }), few);
    expect(groups.map(({ circuit }) => circuit.operations[0])).toMatchObject([
      { angles: [120_001] },
      { angles: [240_002] },
    ]);
  });
});

test('the inverse of every gate has the angles of the gate, their negatives, or constants', () => {
  for (const { name, parameters, inverse } of GATES) {
    const [first, second] = [0.3, 1.7].map(
      (start) => inverse(parameters.map((_, i) => start + 0.1 * i)).angles,
    );
    for (const [i, angle] of first!.entries()) {
      const other = second![i]!;
      const isMoved = Math.abs(Math.abs(other - angle) - 1.4) < 1e-12;
      expect(isMoved || other === angle, name).toBe(true);
      const given = parameters.map((_, k) => 0.3 + 0.1 * k);
      if (isMoved) expect(given, name).toContain(Math.abs(angle));
    }
  }
});

test('bounds of inputs tell where angles are finite', () => {
  const finite = (body: string, low: number, high: number) => {
    const { formulas } = sweepOf(`input float a; qubit q; rx(${body}) q;`, { a: [1, 2] })
      .groups[0]!;
    return areFiniteWithin(formulas, [[low, high]]);
  };
  expect(finite('2 * a + 0.1', -1, 1)).toBe(true);
  expect(finite('a * a * 1e300', -1e3, 1)).toBe(true);
  expect(finite('a * a * 1e300', -1e5, 1)).toBe(false);
  expect(finite('1 / a', 0.5, 2)).toBe(true);
  expect(finite('1 / a', -0.5, 2)).toBe(false);
  expect(finite('1 / a', 0, 2)).toBe(false);
  expect(finite('sqrt(a)', 0, 2)).toBe(true);
  expect(finite('sqrt(a)', -1e-9, 2)).toBe(false);
  expect(finite('exp(a)', 0, 700)).toBe(true);
  expect(finite('exp(a)', 0, 710)).toBe(false);
  expect(finite('sin(a) - arctan(a) * -a', -1e100, 1e100)).toBe(true);
});
