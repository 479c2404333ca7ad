import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../src/circuit/circuit.ts';
import { absorbKnownStates } from '../../../../src/compiler/passes/absorb-known-states.ts';
import { barrier, measure, onlyIf, reset, rewritten } from '../../../support/pass-runs.ts';
import { gate } from '../../../support/random-circuits.ts';

const absorbed = (operations: readonly Operation[]) => rewritten(absorbKnownStates, operations);
const H0 = gate('H', [0]);
const H1 = gate('H', [1]);
const CCX = gate('CCX', [2], [0, 1]);
const maybeMeasure: Operation = {
  kind: 'measure',
  qubits: [0],
  bits: [0],
  condition: { bits: [1], value: 1 },
};
/** CX as an explicit 4×4 matrix, control first. */
const CX_MATRIX = Float64Array.from(
  [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0].flatMap((entry) => [entry, 0]),
);

type Case = readonly [string, readonly Operation[], readonly Operation[]];

describe('a qubit known to be |0⟩', () => {
  test.each<Case>([
    ['drops what it controls', [gate('CX', [1], [0]), gate('H', [2], [0, 1])], []],
    ['drops a phase', [gate('T', [0]), gate('CP', [0], [1], [0.5])], []],
    ['makes RZ a global phase', [gate('RZ', [0], [], [0.5])], [gate('GPHASE', [], [], [-0.25])]],
    [
      'makes RZZ an RZ on the other qubit',
      [H0, gate('RZZ', [0, 1], [], [0.5])],
      [H0, gate('RZ', [0], [], [0.5])],
    ],
    [
      'makes CRZ a phase on its control',
      [H0, gate('CRZ', [1], [0], [0.5])],
      [H0, gate('P', [0], [], [-0.25])],
    ],
    ['needs no reset', [reset([0, 1])], []],
    ['is not measured away', [measure([0], [0])], [measure([0], [0])]],
    ['gives up what superposes it', [H0, gate('CX', [1], [0])], [H0, gate('CX', [1], [0])]],
    ['is one again after a reset', [H0, reset([0]), gate('CX', [1], [0])], [H0, reset([0])]],
    [
      'as the first of an explicit matrix, drops out of it',
      [gate('X', [0]), gate('H', [1]), unitary([0, 1])],
      [gate('H', [1]), { ...unitary([1]), matrix: X_MATRIX() }, gate('X', [0])],
    ],
  ])('%s', (_, operations, expected) => {
    expect(absorbed(operations)).toEqual(expected);
  });

  function unitary(targets: readonly number[]) {
    return { kind: 'unitary', controls: [], targets, matrix: CX_MATRIX } as const;
  }

  function X_MATRIX() {
    return Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0);
  }
});

describe('a qubit known to be |1⟩', () => {
  test.each<Case>([
    ['drops out of the controls', [X(0), H1, CCX], [H1, gate('CX', [2], [1]), X(0)]],
    [
      'is carried along by permutations',
      [X(0), gate('SWAP', [0, 1]), gate('CX', [2], [1])],
      [X(1), X(2)],
    ],
    ['is an X before what superposes it', [X(0), H0], [X(0), H0]],
    ['is an X before a measurement', [X(0), measure([0], [0])], [X(0), measure([0], [0])]],
    ['is an X before a barrier', [X(0), barrier([0]), X(0)], [X(0), barrier([0]), X(0)]],
    ['is an X at most', [X(0), X(0), X(0)], [X(0)]],
    ['needs no reset', [X(0), reset([0])], []],
    ['is |0⟩ after one all the same', [X(0), H0, reset([0])], [X(0), H0, reset([0])]],
    [
      'is flipped by what cannot be undone for less',
      [X(0), barrier([0]), reset([0])],
      [X(0), barrier([0]), X(0)],
    ],
    [
      'makes a controlled phase a phase',
      [X(0), H1, gate('CZ', [0], [1])],
      [H1, gate('Z', [1]), X(0)],
    ],
  ])('%s', (_, operations, expected) => {
    expect(absorbed(operations)).toEqual(expected);
  });

  test('is not produced by an operation that would need more operations instead', () => {
    expect(absorbed([both(0, 1)])).toEqual([both(0, 1)]);
    expect(absorbed([gate('Y', [0])])).toEqual([gate('Y', [0])]);
  });

  test('is produced if enough was saved before', () => {
    expect(absorbed([X(2), X(2), both(0, 1)])).toEqual([X(0), X(1)]);
    expect(absorbed([X(0), both(0, 1), both(2, 3)])).toEqual([X(1), X(2), X(3)]);
    expect(absorbed([gate('Y', [0]), gate('T', [1])])).toEqual([gate('Y', [0])]);
    const [phase, flip] = absorbed([gate('T', [1]), gate('Y', [0])]);
    expect([phase, flip]).toEqual([gate('GPHASE', [], [], [Math.PI / 2]), X(0)]);
  });

  /** X on two qubits at once. */
  function both(...targets: readonly number[]): Operation {
    const matrix = new Float64Array(32);
    for (const column of [0, 1, 2, 3]) matrix[2 * ((3 - column) * 4 + column)] = 1;
    return { kind: 'unitary', controls: [], targets, matrix };
  }

  test('is not changed by a matrix that is unitary only within the tolerance', () => {
    const matrix = Float64Array.of(0, 0, 1 - 1e-7, 0, 1, 0, 0, 0);
    const operation: Operation = { kind: 'unitary', controls: [], targets: [0], matrix };
    expect(absorbed([X(0), operation])).toEqual([X(0), operation]);
  });
});

test('targets stay known if the values of the others keep them so', () => {
  // X on the first target if the third is |1⟩, and X on the second, which is in superposition.
  const matrix = new Float64Array(128);
  for (let j = 0; j < 8; j++) matrix[2 * ((j ^ (j & 4 ? 3 : 2)) * 8 + j)] = 1;
  const operation: Operation = { kind: 'unitary', controls: [], targets: [0, 1, 2], matrix };
  const [, rest, ...more] = absorbed([H1, operation, gate('CX', [3], [0])]);
  expect(rest).toMatchObject({ targets: [1] });
  expect(more).toEqual([]);
});

describe('a known classical bit', () => {
  test.each<Case>([
    ['drops what its value forbids', [measure([0], [0]), onlyIf(H0)], [measure([0], [0])]],
    ['lifts the condition it meets', [measure([0], [0]), onlyIf(H0, 0)], [measure([0], [0]), H0]],
    [
      'is unknown after a measurement that may not happen',
      [H1, measure([1], [1]), X(0), maybeMeasure, onlyIf(gate('H', [2]))],
      [H1, measure([1], [1]), X(0), maybeMeasure, onlyIf(gate('H', [2]))],
    ],
    [
      'is unknown after a measurement of anything',
      [H0, measure([0], [0]), onlyIf(X(1))],
      [H0, measure([0], [0]), onlyIf(X(1))],
    ],
  ])('%s', (_, operations, expected) => {
    expect(absorbed(operations)).toEqual(expected);
  });
});

test('a conditional global phase is unobservable and dropped', () => {
  const operations = [H0, measure([0], [0]), X(1), onlyIf(gate('T', [1]))];
  expect(absorbed(operations)).toEqual([H0, X(1), measure([0], [0])]);
});

test('a gate under a condition makes its target unknown', () => {
  const operations = [H0, measure([0], [0]), onlyIf(X(1)), gate('CX', [2], [1])];
  expect(absorbed(operations)).toEqual(operations);
});

test('a reset under a condition leaves |0⟩ alone and makes |1⟩ unknown', () => {
  const conditioned = (qubits: readonly number[]) => onlyIf(reset(qubits));
  const start = [H0, measure([0], [0])];
  expect(absorbed([...start, X(1), conditioned([1, 2]), gate('CX', [3], [1])])).toEqual([
    ...start,
    X(1),
    conditioned([1]),
    gate('CX', [3], [1]),
  ]);
});

test('states are corrected before the trailing measurements', () => {
  const operations = [X(1), H0, measure([0], [0])];
  expect(absorbed(operations)).toEqual([H0, X(1), measure([0], [0])]);
});

test('a flip after a measurement stays after it', () => {
  const operations = [X(1), measure([0, 1], [0, 1]), X(1)];
  expect(absorbed(operations)).toEqual(operations);
  expect(absorbed([X(1), measure([0, 1], [0, 1]), reset([1])])).toEqual(operations);
});

test('without the state, phases and unmeasured flips are dropped', () => {
  const operations = [X(1), gate('RZ', [1], [], [0.5]), H0, measure([0], [0])];
  const counted = rewritten(absorbKnownStates, operations, { keepState: false });
  expect(counted).toEqual([H0, measure([0], [0])]);
});

function X(qubit: number) {
  return gate('X', [qubit]);
}
