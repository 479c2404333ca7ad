import { describe, expect, test } from 'vitest';
import { adder } from '../../../../bench/circuits.ts';
import type { Operation } from '../../../../src/circuit/circuit.ts';
import { recoverControlledGates } from '../../../../src/compiler/passes/recover-controlled-gates.ts';
import { maxAbsDifference } from '../../../../src/math/complex-matrix.ts';
import { barrier, measure, onlyIf, reset, rewritten } from '../../../support/pass-runs.ts';
import { gate } from '../../../support/random-circuits.ts';
import { unitaryOf } from '../../../support/small-unitary.ts';
import {
  inverse,
  relativePhaseToffoli,
  toffoli,
  toffoliInNativeGates,
  toffoliOfRoots,
} from '../../../support/written-out-gates.ts';

const recovered = (operations: readonly Operation[]) =>
  rewritten(recoverControlledGates, operations);

const H2 = gate('H', [2]);
const CCX = gate('CCX', [2], [0, 1]);
const TOFFOLI: readonly Operation[] = toffoli(0, 1, 2);
const UNDONE: readonly Operation[] = inverse(toffoli(0, 1, 2));
const FLIPS = [gate('H', [0]), ...[1, 2, 3].map((q) => gate('CX', [0], [q]))];
const HALF = Math.PI / 2;

/** Without the order of controls, and of the two qubits of a phase or SWAP. */
function inAnyOrder(operation: Operation): Operation {
  if (operation.kind !== 'gate') return operation;
  const { controls, targets } = operation;
  if (!['CZ', 'CCZ', 'CS', 'CSDG', 'CP'].includes(operation.gate)) {
    return { ...operation, controls: [...controls].sort() };
  }
  const [first = 0, ...others] = [...targets, ...controls].sort();
  return { ...operation, targets: [first], controls: others };
}

describe('recovers', () => {
  test.each<[string, readonly Operation[], readonly Operation[]]>([
    ['a Toffoli in 15 gates', TOFFOLI, [CCX]],
    ['a Toffoli written backwards', UNDONE, [CCX]],
    ['a Toffoli from controlled roots of X', toffoliOfRoots(0, 1, 2), [CCX]],
    [
      'a Toffoli in native gates, its global phase kept',
      toffoliInNativeGates(0, 1, 2),
      [gate('GPHASE', [], [], [-(HALF + Math.PI / 8)]), CCX],
    ],
    ['CCZ from a Toffoli between H', [H2, ...TOFFOLI, H2], [gate('CCZ', [0], [1, 2])]],
    [
      'a relative-phase Toffoli as a Toffoli and two phases',
      relativePhaseToffoli(0, 1, 2),
      [gate('CZ', [0], [2]), gate('CS', [0], [1]), CCX],
    ],
    ['CZ from CX between H', [H2, gate('CX', [2], [0]), H2], [gate('CZ', [0], [2])]],
    ['CX from CZ between H', [H2, gate('CZ', [2], [0]), H2], [gate('CX', [2], [0])]],
    [
      'a flip where a control is 0',
      [gate('X', [0]), ...TOFFOLI, gate('X', [0])],
      [gate('X', [0]), CCX, gate('X', [0])],
    ],
    [
      'two neighbouring Toffolis, each on its qubits',
      [...TOFFOLI, ...toffoli(1, 2, 3)],
      [CCX, gate('CCX', [3], [1, 2])],
    ],
    ['a Toffoli after an H that undoes its first one', [H2, ...TOFFOLI], [H2, CCX]],
    [
      'a Toffoli alone where it could take parts of the next ones',
      [...toffoli(3, 0, 2), ...toffoli(2, 1, 0), ...toffoli(2, 1, 3)],
      [gate('CCX', [2], [0, 3]), gate('CCX', [0], [1, 2]), gate('CCX', [3], [1, 2])],
    ],
    [
      'CZ with an H on its other qubit before it is complete',
      [H2, gate('CX', [2], [0]), gate('H', [0]), H2],
      [gate('CZ', [0], [2]), gate('H', [0])],
    ],
    [
      'a Toffoli after a window that came to nothing',
      [...FLIPS, ...toffoli(0, 3, 2).toSpliced(11, 0, gate('CCX', [1], [0, 2]))],
      [...FLIPS, gate('CCX', [2], [0, 3]), gate('CCX', [1], [0, 2])],
    ],
    ['nothing from a Toffoli and its inverse', [...TOFFOLI, ...UNDONE], []],
  ])('%s', (_, operations, expected) => {
    expect(recovered(operations).map(inAnyOrder)).toEqual(expected.map(inAnyOrder));
  });

  test.each<[string, readonly Operation[]]>([
    [
      'a controlled rotation',
      [
        gate('RY', [1], [], [0.35]),
        gate('CX', [1], [0]),
        gate('RY', [1], [], [-0.35]),
        gate('CX', [1], [0]),
      ],
    ],
    ['a controlled root of X', [H2, gate('CP', [2], [0], [HALF]), H2]],
    [
      'a controlled H',
      [
        gate('RY', [1], [], [-Math.PI / 4]),
        gate('CZ', [1], [0]),
        gate('RY', [1], [], [Math.PI / 4]),
      ],
    ],
  ])('%s as one gate under a control', (_, operations) => {
    const [only, ...others] = recovered(operations);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ kind: 'unitary', controls: [0] });
    const circuit = { numQubits: 3, numBits: 0 };
    const difference = maxAbsDifference(
      unitaryOf({ ...circuit, operations: only === undefined ? [] : [only] }),
      unitaryOf({ ...circuit, operations }),
    );
    expect(difference).toBeLessThan(1e-14);
  });
});

describe('between the parts of a Toffoli, passes', () => {
  const inside = (at: number, ...others: readonly Operation[]) =>
    TOFFOLI.toSpliced(at, 0, ...others);
  test.each<[string, readonly Operation[], readonly Operation[]]>([
    ['what another qubit does', inside(7, gate('H', [3])), [gate('H', [3]), CCX]],
    [
      'a flip by a control, which goes before',
      inside(7, gate('CX', [3], [1])),
      [gate('CX', [3], [1]), CCX],
    ],
    [
      'how a control is computed, which goes before',
      inside(2, gate('H', [0]), gate('CX', [0], [3])),
      [gate('H', [0]), gate('CX', [0], [3]), CCX],
    ],
    [
      'what follows on the target, which goes behind',
      inside(11, gate('CX', [3], [2]), gate('H', [3])),
      [CCX, gate('CX', [3], [2]), gate('H', [3])],
    ],
    ['a measurement of another qubit', inside(7, measure([3], [0])), [measure([3], [0]), CCX]],
  ])('%s', (_, operations, expected) => {
    expect(recovered(operations).map(inAnyOrder)).toEqual(expected.map(inAnyOrder));
  });

  test('gates that must follow a gate behind the window, together with it', () => {
    const [flip, turn, other] = [gate('CX', [3], [2]), gate('H', [3]), gate('CX', [0], [3])];
    const operations = inside(11, flip, turn);
    expect(recovered([...operations, other]).map(inAnyOrder)).toEqual(
      [CCX, flip, turn, other].map(inAnyOrder),
    );
  });
});

describe('leaves', () => {
  const half = (middle: Operation) => [...TOFFOLI.slice(0, 7), middle, ...TOFFOLI.slice(7)];
  test.each<[string, readonly Operation[]]>([
    ['a Toffoli with a barrier inside', half(barrier([0, 1, 2]))],
    ['a Toffoli with a measurement inside', half(measure([2], [0]))],
    ['a Toffoli with a reset inside', half(reset([1]))],
    ['a Toffoli with a conditioned gate inside', half(onlyIf(gate('X', [2])))],
    ['a Toffoli with a gate inside that does not commute', half(gate('CX', [2], [3]))],
    ['a Toffoli of which one part is conditioned', TOFFOLI.with(0, onlyIf(H2))],
    ['two gates that are not one under a control', [H2, gate('CX', [2], [0]), gate('T', [2]), H2]],
    ['runs on one qubit to a later pass', [H2, gate('T', [2]), H2, gate('X', [2])]],
    [
      'four gates that come to three',
      [gate('SX', [2]), gate('CZ', [2], [0]), gate('Z', [2]), gate('SX', [2])],
    ],
    ['permutations and diagonals', [gate('CX', [1], [0]), gate('T', [1]), gate('CX', [1], [0])]],
    ['what is one gate already', [CCX, gate('CX', [1], [0]), gate('SWAP', [0, 1])]],
  ])('%s', (_, operations) => {
    expect(recovered(operations)).toEqual(operations);
  });
});

test('finds Toffolis on qubits whose numbers are equal modulo 32', () => {
  const operations = [...toffoli(0, 32, 64), ...toffoli(32, 1, 33)];
  const circuit = { numQubits: 70, numBits: 0, operations };
  const { operations: found } = recoverControlledGates.run(circuit, { keepState: true });
  expect(found.map(inAnyOrder)).toEqual([gate('CCX', [64], [0, 32]), gate('CCX', [33], [1, 32])]);
});

test('of an adder leaves only the H that put a number in superposition', () => {
  const { operations } = recoverControlledGates.run(adder(24), { keepState: true });
  const names = operations.map((operation) => operation.kind === 'gate' && operation.gate);
  expect(names.filter((name) => name === 'H')).toHaveLength(11);
  expect(names.filter((name) => name === 'CCX')).toHaveLength(22);
  expect(new Set(names)).toEqual(new Set(['H', 'X', 'CX', 'CCX']));
});
