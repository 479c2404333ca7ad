import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../src/circuit/circuit.ts';
import { dropUnobservable } from '../../../../src/compiler/passes/drop-unobservable.ts';
import { barrier, measure, onlyIf, reset, rewritten } from '../../../support/pass-runs.ts';
import { gate } from '../../../support/random-circuits.ts';

const seen = (operations: readonly Operation[]) =>
  rewritten(dropUnobservable, operations, { keepState: false });

const H0 = gate('H', [0]);
const H1 = gate('H', [1]);
const CX = gate('CX', [1], [0]);
const CZ = gate('CZ', [1], [0]);
const CH = gate('CH', [1], [0]);
const M0 = measure([0], [0]);
const M1 = measure([1], [1]);

type Case = readonly [string, readonly Operation[], readonly Operation[]];

describe('drops', () => {
  test.each<Case>([
    ['what touches no measured qubit', [H0, H1, gate('H', [2]), M0], [H0, M0]],
    ['what comes after the last measurement', [H0, M0, gate('X', [0])], [H0, M0]],
    ['everything where nothing is measured', [H0, CX, reset([0])], []],
    ['a global phase', [gate('GPHASE', [], [], [1]), H0, M0], [H0, M0]],
    ['diagonals before a measurement', [H0, gate('T', [0]), M0], [H0, M0]],
    ['a CZ before both its qubits are measured', [H0, H1, CZ, M0, M1], [H0, H1, M0, M1]],
    ['a CZ before one is measured and the other is not', [H0, H1, CZ, M0], [H0, M0]],
    ['a CX whose target is not measured', [H0, CX, M0], [H0, M0]],
    [
      'a diagonal on the control of what mixes values',
      [H0, gate('T', [0]), CH, M0, M1],
      [H0, CH, M0, M1],
    ],
    ['a diagonal before a permutation', [H0, H1, CZ, CX, M0, M1], [H0, H1, CX, M0, M1]],
    [
      'a phase that a measurement in the middle makes one of its branch',
      [H0, gate('S', [0]), M0, gate('H', [0]), measure([0], [1])],
      [H0, M0, gate('H', [0]), measure([0], [1])],
    ],
    ['a reset that nobody looks at', [H0, M0, reset([0])], [H0, M0]],
    ['what a reset makes nobody see', [H0, reset([0]), H0, M0], [reset([0]), H0, M0]],
    ['qubits of a reset that nobody looks at', [H0, reset([0, 1]), M0], [reset([0]), M0]],
    ['a measurement into a bit that is written again', [H0, M0, M0], [H0, M0]],
    [
      'part of a measurement',
      [H0, H1, measure([0, 1], [0, 1]), measure([0], [1])],
      [H0, measure([0], [0]), measure([0], [1])],
    ],
    [
      'what comes through a SWAP from nowhere',
      [H0, H1, gate('SWAP', [0, 1]), M0],
      [H1, gate('SWAP', [0, 1]), M0],
    ],
  ])('%s', (_, operations, expected) => {
    expect(seen(operations)).toEqual(expected);
  });
});

describe('keeps', () => {
  test.each<[string, readonly Operation[]]>([
    ['a diagonal before a gate that mixes values', [H0, gate('T', [0]), H0, M0]],
    ['a CX from an unmeasured control', [H0, CX, M1]],
    ['a diagonal on the control’s side of it', [H0, CX, H1, M1]],
    ['both diagonals that a permutation tells apart', [H0, CX, gate('T', [1]), CX, H0, M0]],
    ['a permutation of values', [H0, gate('X', [0]), M0]],
    ['barriers', [H0, M0, barrier([0, 1])]],
    ['what a condition reads', [H0, M0, onlyIf(gate('X', [1])), measure([1], [0])]],
    ['a bit that a measurement may not write', [H0, M0, H1, M1, onlyBit1(measure([1], [0]))]],
    ['what a reset may leave', [H0, H1, M1, onlyBit1(reset([0])), M0]],
    [
      'a diagonal before a measurement that may not happen',
      [H1, M1, H0, gate('T', [0]), onlyBit1(M0), H0, M0],
    ],
    [
      'what the condition of a measurement reads, though it is written again',
      [H1, M1, H0, onlyBit1(M0), gate('H', [2]), measure([2], [1])],
    ],
    ['a measurement that disturbs, read or not', [H0, M0, H0, measure([0], [0])]],
    ['a gate before a SWAP', [H0, gate('SWAP', [0, 1]), M1]],
    ['a gate before a SWAP under a condition', swapUnderCondition()],
  ])('%s', (_, operations) => {
    expect(seen(operations)).toEqual(operations);
  });

  test('everything if the state is requested', () => {
    const operations = [H0, gate('T', [0]), H1, M0];
    expect(rewritten(dropUnobservable, operations, { keepState: true })).toEqual(operations);
  });

  function swapUnderCondition(): readonly Operation[] {
    return [H0, H1, M1, { ...gate('SWAP', [0, 1]), condition: { bits: [1], value: 1 } }, M0];
  }
});

function onlyBit1<T extends Operation>(operation: T): T {
  return { ...operation, condition: { bits: [1], value: 1 } };
}
