/** Snapshots of a result: told apart by their form, as docs/circuits.md has them, with the names that the request has. */
import { expect, test } from 'vitest';
import type { SavedOutput } from '../../../src/client/api-types.ts';
import { matrixRows, rowsOf, snapshotsOf } from '../../../src/console/jobs/state-outputs.ts';

type Pair = readonly [number, number];

const HALF = Math.SQRT1_2;
const ZERO: Pair = [0, 0];
const ONE: Pair = [1, 0];
const BELL: readonly Pair[] = [[HALF, 0], ZERO, ZERO, [HALF, 0]];
/** The basis states of two qubits: as a list of state vectors the numbers of the unit matrix. */
const BASIS: readonly (readonly Pair[])[] = [0, 1, 2, 3].map((one) =>
  [0, 1, 2, 3].map((i): Pair => (i === one ? ONE : ZERO)),
);
/** |00⟩⟨00|, whose first row has the norm of a state vector. */
const PURE = BASIS.map((row, i) => (i === 0 ? row : row.map(() => ZERO)));
const MIXED: readonly (readonly Pair[])[] = [
  [[0.5, 0], ZERO],
  [ZERO, [0.5, 0]],
];

const kindsOf = (value: SavedOutput | readonly SavedOutput[]) =>
  snapshotsOf({ a: value }, undefined).map(({ output }) => output.kind);

test.each<[string, SavedOutput | readonly SavedOutput[], readonly string[]]>([
  ['a state vector', BELL, ['statevector']],
  ['four state vectors of two qubits', BASIS, Array(4).fill('statevector')],
  ['a pure density matrix', PURE, ['matrix']],
  ['a mixed density matrix', MIXED, ['matrix']],
  ['two density matrices', [MIXED, MIXED], ['matrix', 'matrix']],
  ['probabilities', { '10': 0.5, '11': 0.5 }, ['probabilities']],
  ['amplitudes', { '0x0': ONE }, ['amplitudes']],
  ['amplitudes twice', [{ '0': ONE }, { '0': ZERO }], ['amplitudes', 'amplitudes']],
  ['expectation values', { values: [1], sum: 1 }, ['expectation']],
])('%s is known by its form', (_, value, kinds) => {
  expect(kindsOf(value)).toEqual(kinds);
});

test('snapshots have the names and qubits of the request, in its order', () => {
  const circuit = [
    { gate: 'H', qubit: 0 },
    { gate: 'save', label: 'p', what: 'probabilities', qubits: [2, 0] },
    { gate: 'SAVE', label: 'e', what: 'expectation', observables: [{ pauli: 'Z0' }] },
    {
      gate: 'SAVE',
      label: 'e',
      what: 'expectation',
      observables: [{ pauli: 'X1', coefficient: 2 }],
    },
  ];
  const saved = {
    p: { '00': 0.5, '10': 0.5 },
    e: [
      { values: [0.25], sum: 0.25 },
      { values: [2], sum: 2, standard_error: [0.5] },
    ],
  };
  const snapshots = snapshotsOf(saved, circuit);
  expect(snapshots.map(({ title }) => title)).toEqual([
    'Snapshot p: probabilities of q2, q0',
    'Snapshot e, 1 of 2: expectation values',
    'Snapshot e, 2 of 2: expectation values',
  ]);
  const rows = snapshots.map(({ output, observables }) =>
    output.kind === 'matrix' ? [] : rowsOf(output, observables),
  );
  expect(rows).toEqual([
    [
      { outcome: '00', probability: 0.5 },
      { outcome: '10', probability: 0.5 },
    ],
    [{ observable: 'Z0', value: 0.25 }],
    [{ observable: '2 X1', value: 2, standard_error: 0.5 }],
  ]);
});

test('a state vector is listed by probability, a matrix by basis states in their order', () => {
  const value: readonly Pair[] = [ZERO, [0, 0.6], ZERO, [-0.8, 0]];
  expect(rowsOf({ kind: 'statevector', value }, undefined)).toEqual([
    { basis_state: '11', real: -0.8, imaginary: 0, probability: expect.closeTo(0.64) },
    { basis_state: '01', real: 0, imaginary: 0.6, probability: expect.closeTo(0.36) },
  ]);
  const [first, second] = matrixRows([
    [
      [0.5, 0],
      [0.25, -0.25],
    ],
    [[0, 0.25], ZERO],
  ]);
  expect([first, second]).toEqual([
    ['0', '0.5', '0.25 − 0.25i'],
    ['1', '0.25i', '0'],
  ]);
});
