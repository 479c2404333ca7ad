import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../src/circuit/circuit.ts';
import { GATES } from '../../../../src/circuit/gates.ts';
import { cancelInverses } from '../../../../src/compiler/passes/merge-rotations.ts';
import { barrier, measure, onlyIf, reset, rewritten } from '../../../support/pass-runs.ts';
import { gate, randomUnitary } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { inverseOf } from '../../../support/redundant-circuits.ts';

const cancelled = (operations: readonly Operation[]) => rewritten(cancelInverses, operations);

const CX = gate('CX', [1], [0]);

describe('cancels', () => {
  test.each(GATES.map((definition) => [definition.name, definition] as const))(
    '%s with its inverse, under a further control too',
    (name, { numControls, numTargets, parameters }) => {
      const angles = parameters.map((_, i) => 0.3 + i);
      const qubits = [3, 1, 0, 2];
      const targets = qubits.slice(0, numTargets);
      const controls = qubits.slice(numTargets, numTargets + numControls + 1);
      const operation = gate(name, targets, controls, angles);
      expect(cancelled([operation, inverseOf(operation)])).toEqual([]);
    },
  );

  test.each<[string, readonly Operation[]]>([
    ['what stood around a pair', ['X', 'H', 'SX', 'SXDG', 'H', 'X'].map((name) => gate(name, [0]))],
    ['two CZ that name their qubits in another order', [gate('Z', [0], [1]), gate('Z', [1], [0])]],
    ['two SWAPs that do', [gate('SWAP', [0, 1]), gate('SWAP', [1, 0])]],
    [
      'an S with three of them by another name',
      [gate('S', [0]), gate('P', [0], [], [-Math.PI / 2])],
    ],
    ['a CCX whose controls change places', [gate('X', [0], [1, 2]), gate('CCX', [0], [2, 1])]],
    ['two under one condition', [onlyIf(gate('H', [1])), onlyIf(gate('H', [1]))]],
  ])('%s', (_, operations) => {
    expect(cancelled(operations)).toEqual([]);
  });

  test.each<[string, Operation, Operation, Operation]>([
    ['what is diagonal across a control', gate('S', [0]), CX, gate('SDG', [0])],
    ['a function of X across the target of CX', gate('SX', [1]), CX, gate('SXDG', [1])],
    ['what is diagonal across a measurement', gate('Z', [0]), measure([0], [0]), gate('Z', [0])],
    ['a CX across one with the same target', gate('X', [1], [2]), CX, gate('X', [1], [2])],
    ['a CX across one with the same control', gate('X', [2], [0]), CX, gate('X', [2], [0])],
    ['a gate across what is elsewhere', gate('H', [3]), barrier([0]), gate('H', [3])],
  ])('%s', (_, first, between, last) => {
    expect(cancelled([first, between, last])).toEqual([between]);
  });

  test('an explicit unitary with its adjoint', () => {
    const matrix = randomUnitary(new RandomStream(1), 2);
    const operation = { kind: 'unitary', targets: [2, 0], controls: [1], matrix } as const;
    expect(cancelled([operation, inverseOf(operation)])).toEqual([]);
    expect(cancelled([operation, operation])).toHaveLength(2);
    const exchanged = { ...inverseOf(operation), targets: [0, 2] };
    expect(cancelled([operation, exchanged])).toHaveLength(2);
  });

  test('over any distance that commutes', () => {
    const between = Array.from({ length: 500 }, (_, i) =>
      gate('RZZ', [0, 1 + (i % 3)], [], [i + 1]),
    );
    expect(cancelled([gate('Z', [0]), ...between, gate('Z', [0])])).toEqual(between);
  });
});

describe('leaves alone', () => {
  test.each<[string, readonly Operation[]]>([
    ['two with a barrier between them', [gate('X', [0]), barrier([0, 1]), gate('X', [0])]],
    ['two with a reset between them', [gate('X', [0]), reset([0]), gate('X', [0])]],
    ['two with a measurement between them', [gate('X', [0]), measure([0], [0]), gate('X', [0])]],
    ['two with what does not commute between them', ['X', 'H', 'X'].map((g) => gate(g, [0]))],
    [
      'two DCX, which undo each other only one way round',
      [gate('DCX', [0, 1]), gate('DCX', [0, 1])],
    ],
    [
      'XX+YY the other way round',
      [gate('XX+YY', [0, 1], [], [1, 0.5]), gate('XX+YY', [1, 0], [], [-1, 0.5])],
    ],
    ['CX one way and the other', [gate('X', [0], [1]), gate('X', [1], [0])]],
    ['a gate and itself under a condition', [gate('X', [1]), onlyIf(gate('X', [1]))]],
    [
      'two under a condition whose bit is written between them',
      [onlyIf(gate('X', [1])), measure([0], [0]), onlyIf(gate('X', [1]))],
    ],
    ['two under conditions on other values', [onlyIf(gate('X', [1])), onlyIf(gate('X', [1]), 0)]],
    [
      'a CX whose target is turned meanwhile',
      [gate('X', [1], [0]), gate('Z', [1]), gate('X', [1], [0])],
    ],
    [
      'angles that are not opposite',
      [gate('U', [0], [], [1, 2, 3]), gate('U', [0], [], [-1, -2, -3])],
    ],
  ])('%s', (_, operations) => {
    expect(cancelled(operations)).toEqual(operations);
  });
});
