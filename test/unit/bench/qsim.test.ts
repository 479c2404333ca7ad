/** Circuits in qsim's text format, read back with qsim's own matrices; qsim itself is not needed. */
import { describe, expect, test } from 'vitest';
import { parseQsimOutput, phaseFreeError, qsimText } from '../../../bench/peers/qsim.ts';
import type { Circuit, Operation, UnitaryOperation } from '../../../src/circuit/circuit.ts';
import { GATES } from '../../../src/circuit/gates.ts';
import { gate, randomUnitary, randomUnitaryUse } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { unitaryOf } from '../../support/small-unitary.ts';

const circuitOf = (numQubits: number, ...operations: readonly Operation[]): Circuit => ({
  numQubits,
  numBits: 1,
  operations,
});

const HALF = Math.SQRT1_2;
const diagonal = (...angles: readonly number[]) => {
  const d = angles.length;
  const out = new Array<number>(2 * d * d).fill(0);
  for (const [i, angle] of angles.entries()) {
    out.splice(2 * i * (d + 1), 2, Math.cos(angle), Math.sin(angle));
  }
  return out;
};
const rxy = (axis: number, angle: number) => {
  const [c, s] = [Math.cos(angle / 2), Math.sin(angle / 2)];
  const [re, im] = [s * Math.sin(axis), s * Math.cos(axis)];
  return [c, 0, -re, -im, re, -im, c, 0];
};
const fs = (theta: number, phi: number) => {
  const out = diagonal(0, 0, 0, -phi);
  for (const at of [5, 10]) out[2 * at] = Math.cos(theta);
  for (const at of [6, 9]) out[2 * at + 1] = -Math.sin(theta);
  return out;
};

/** Rows as lib/gates_qsim.h has them, but for the first qubit, which is least significant here. */
const MATRICES: Readonly<Record<string, (a: number, b: number) => readonly number[]>> = {
  p: (a) => [Math.cos(a), Math.sin(a)],
  h: () => [HALF, 0, HALF, 0, HALF, 0, -HALF, 0],
  t: () => diagonal(0, Math.PI / 4),
  s: () => diagonal(0, Math.PI / 2),
  x: () => [0, 0, 1, 0, 1, 0, 0, 0],
  y: () => [0, 0, 0, -1, 0, 1, 0, 0],
  z: () => diagonal(0, Math.PI),
  x_1_2: () => [0.5, 0.5, 0.5, -0.5, 0.5, -0.5, 0.5, 0.5],
  y_1_2: () => [0.5, 0.5, -0.5, -0.5, 0.5, 0.5, 0.5, 0.5],
  hz_1_2: () => [0.5, 0.5, 0, -HALF, HALF, 0, 0.5, 0.5],
  rx: (a) => rxy(0, a),
  ry: (a) => rxy(Math.PI / 2, a),
  rz: (a) => diagonal(-a / 2, a / 2),
  rxy,
  cz: () => diagonal(0, 0, 0, Math.PI),
  cp: (a) => diagonal(0, 0, 0, -a),
  cnot: () => [1, 0, 0, 0, 0, 0, 0, 0, ...cnotRow(3), ...cnotRow(2), ...cnotRow(1)],
  sw: () => [1, 0, 0, 0, 0, 0, 0, 0, ...cnotRow(2), ...cnotRow(1), ...cnotRow(3)],
  is: () => fs(-Math.PI / 2, 0),
  fs,
};
const cnotRow = (one: number) => [0, 1, 2, 3].flatMap((col) => [col === one ? 1 : 0, 0]);
const NUM_TARGETS: Readonly<Record<string, number>> = {
  p: 0,
  cz: 2,
  cp: 2,
  cnot: 2,
  sw: 2,
  is: 2,
  fs: 2,
};

/** Reads the text as qsim does: times of a qubit must grow, a `c` comes before controls. */
function readQsimText(text: string): Circuit {
  const [head, ...lines] = text.trimEnd().split('\n');
  const numQubits = Number(head);
  const times: number[] = new Array(numQubits).fill(-1);
  const operations = lines.map((line): UnitaryOperation => {
    const [time, ...words] = line.split(' ');
    const at = words.findIndex((word) => word in MATRICES);
    const name = words[at] ?? '';
    const controls = at === 0 ? [] : words.slice(1, at).map(Number);
    expect(at === 0 || words[0] === 'c', line).toBe(true);
    const numTargets = NUM_TARGETS[name] ?? 1;
    const numbers = words.slice(at + 1).map(Number);
    const targets = numbers.slice(0, numTargets);
    for (const q of [...controls, ...targets]) {
      expect(Number(time), line).toBeGreaterThan(times[q] ?? Number.POSITIVE_INFINITY);
      times[q] = Number(time);
    }
    const [a = Number.NaN, b = Number.NaN] = numbers.slice(numTargets);
    const matrix = Float64Array.from(MATRICES[name]!(a, b));
    return { kind: 'unitary', controls, targets, matrix };
  });
  return circuitOf(numQubits, ...operations);
}

const expectSameUpToPhase = (circuit: Circuit) => {
  const read = unitaryOf(readQsimText(qsimText(circuit)));
  expect(phaseFreeError(unitaryOf(circuit), read)).toBeLessThan(1e-12);
};

describe('a circuit in the text format of qsim', () => {
  test('has the number of qubits, then gates at the earliest time', () => {
    const text = qsimText(
      circuitOf(
        3,
        gate('H', [0]),
        gate('CX', [1], [0]),
        gate('H', [2]),
        { kind: 'barrier', qubits: [0, 2] },
        gate('CP', [2], [1], [0.25]),
        gate('CCX', [0], [2, 1]),
      ),
    );
    expect(text).toBe('3\n0 h 0\n1 cnot 0 1\n0 h 2\n2 cp 1 2 -0.25\n3 c 1 2 x 0\n');
  });

  test.each([
    ['√X', gate('U', [0], [], [Math.PI / 2, -Math.PI / 2, Math.PI / 2]), 'x_1_2 0'],
    ['√Y', gate('RY', [0], [], [Math.PI / 2]), 'y_1_2 0'],
    ['√W', gate('U', [0], [], [Math.PI / 2, -Math.PI / 4, Math.PI / 4]), 'hz_1_2 0'],
    ['T', gate('P', [0], [], [Math.PI / 4]), 't 0'],
    ['S†', gate('SDG', [0]), `rz 0 ${-Math.PI / 2}`],
    ['CZ', gate('CP', [1], [0], [Math.PI]), 'cz 0 1'],
    ['RX', gate('RX', [0], [], [0.5]), 'rxy 0 0 0.5'],
  ])('takes for %s the one gate that qsim has', (_, operation, line) => {
    expect(qsimText(circuitOf(2, operation))).toBe(`2\n0 ${line}\n`);
  });

  // A rotation of two excitations has no form there.
  const known = GATES.filter(({ name }) => name !== 'XX-YY');
  test.each(known.map((definition) => [definition.name, definition] as const))(
    'means %s, under any number of controls',
    (_, { name, numControls, numTargets, parameters }) => {
      const stream = new RandomStream(31);
      for (const further of [0, 0, 1, 1, 2]) {
        const qubits = stream.distinct(numTargets + numControls + further, 5);
        const angles = parameters.map(() => stream.angle());
        const use = gate(name, qubits.slice(0, numTargets), qubits.slice(numTargets), angles);
        expectSameUpToPhase(circuitOf(5, use));
      }
    },
  );

  test('means unitaries on one target, under any number of controls', () => {
    const stream = new RandomStream(32);
    for (let i = 0; i < 20; i++) {
      expectSameUpToPhase(circuitOf(3, randomUnitaryUse(stream, randomUnitary(stream, 1), 3)));
    }
  });

  test.each<readonly [string, Operation]>([
    ['a measurement', { kind: 'measure', qubits: [0], bits: [0] }],
    ['a reset', { kind: 'reset', qubits: [0] }],
    ['a condition', { ...gate('X', [0]), condition: { bits: [0], value: 1 } }],
    [
      'a wide unitary',
      randomUnitaryUse(new RandomStream(33), randomUnitary(new RandomStream(34), 2), 2),
    ],
  ])('has no place for %s', (_, operation) => {
    expect(() => qsimText(circuitOf(2, gate('H', [0]), operation))).toThrow(
      /no form for operation 1: /,
    );
  });
});

describe('what qsim prints', () => {
  const output = [
    'init time is 1.2e-06 seconds.',
    'fuse time is 4.5e-05 seconds.',
    'simu time is 0.0345 seconds.',
    '0:      0.70710677               0      0.49999997',
    '1:  -1.2345678e-05     -0.33900505      0.49999997',
    '',
  ].join('\n');

  test('gives times in seconds and amplitudes', () => {
    expect(parseQsimOutput(output, 1)).toEqual({
      seconds: 0.0345,
      fuseSeconds: 4.5e-5,
      amplitudes: Float64Array.of(0.70710677, 0, -1.2345678e-5, -0.33900505),
    });
  });

  test('is refused when a time or an amplitude is missing', () => {
    expect(() => parseQsimOutput(output, 2)).toThrow(/not all amplitudes/);
    expect(() => parseQsimOutput(output.replace('simu', 'other'), 1)).toThrow(/printed no times/);
  });
});

describe('the error of amplitudes', () => {
  const expected = Float64Array.of(0.6, 0, 0, 0.8);

  test('leaves a global phase out, but not a phase between amplitudes', () => {
    expect(phaseFreeError(expected, Float64Array.of(0, 0.6, -0.8, 0))).toBeLessThan(1e-15);
    expect(phaseFreeError(expected, Float64Array.of(0.6, 0, 0, -0.8))).toBeGreaterThan(0.5);
  });

  test('is not a number where nothing is compared', () => {
    expect(phaseFreeError(new Float64Array(4), new Float64Array(4))).toBeNaN();
    expect(phaseFreeError(expected, expected.subarray(2))).toBeNaN();
  });
});
