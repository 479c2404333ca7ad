import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../src/circuit/circuit.ts';
import { mergeRotations } from '../../../../src/compiler/passes/merge-rotations.ts';
import { barrier, measure, onlyIf, rewritten } from '../../../support/pass-runs.ts';
import { gate } from '../../../support/random-circuits.ts';

const merged = (operations: readonly Operation[]) => rewritten(mergeRotations, operations);
const PI = Math.PI;

test('keeps a small angle when adding a huge one', () => {
  const huge = 3e18;
  const [together] = merged([gate('RX', [0], [], [huge]), gate('RX', [0], [], [0.3])]);
  const angle = together?.kind === 'gate' ? together.angles[0]! : Number.NaN;
  expect(Math.sin(angle / 2)).toBeCloseTo(
    Math.sin(huge / 2) * Math.cos(0.15) + Math.cos(huge / 2) * Math.sin(0.15),
    12,
  );
});

describe('merges', () => {
  test.each<[string, readonly Operation[], readonly Operation[]]>([
    ['two T into S', [gate('T', [0]), gate('T', [0])], [gate('S', [0])]],
    ['S and Z into SDG', [gate('S', [0]), gate('Z', [0])], [gate('SDG', [0])]],
    ['S and T into P', [gate('S', [0]), gate('T', [0])], [gate('P', [0], [], [0.75 * PI])]],
    ['four S into nothing', ['S', 'S', 'S', 'S'].map((name) => gate(name, [0])), []],
    ['RX over the target of CX', rxOverCx(), [gate('RX', [1], [], [0.75]), gate('CX', [1], [0])]],
    [
      'RZ over a control',
      [gate('RZ', [0], [], [0.5]), gate('CX', [1], [0]), gate('RZ', [0], [], [0.25])],
      [gate('RZ', [0], [], [0.75]), gate('CX', [1], [0])],
    ],
    [
      'RZ and P into P and a global phase',
      [gate('RZ', [0], [], [0.5]), gate('P', [0], [], [0.25])],
      [gate('GPHASE', [], [], [-0.25]), gate('P', [0], [], [0.75])],
    ],
    [
      'P and RZ into P and a global phase',
      [gate('P', [0], [], [0.25]), gate('RZ', [0], [], [0.5])],
      [gate('GPHASE', [], [], [-0.25]), gate('P', [0], [], [0.75])],
    ],
    [
      'controlled phases whichever qubit is the control',
      [gate('CP', [0], [1], [0.5]), gate('P', [1], [0], [0.25])],
      [gate('CP', [1], [0], [0.75])],
    ],
    [
      'a phase of nothing under a control with P',
      [gate('GPHASE', [], [2], [0.5]), gate('P', [2], [], [0.5])],
      [gate('P', [2], [], [1])],
    ],
    [
      'RZZ with its qubits exchanged',
      [gate('RZZ', [0, 1], [], [0.5]), gate('RZZ', [1, 0], [], [0.25])],
      [gate('RZZ', [1, 0], [], [0.75])],
    ],
    [
      'PRX about one axis',
      [gate('PRX', [0], [], [0.5, 0.1]), gate('PRX', [0], [], [0.25, 0.1])],
      [gate('PRX', [0], [], [0.75, 0.1])],
    ],
    [
      'both angles of FSIM',
      [gate('FSIM', [0, 1], [], [0.5, 0.1]), gate('FSIM', [0, 1], [], [0.25, 0.2])],
      [gate('FSIM', [0, 1], [], [0.75, 0.1 + 0.2])],
    ],
    [
      'rotations under one condition',
      [onlyIf(gate('RX', [1], [], [0.5])), onlyIf(gate('RX', [1], [], [0.25]))],
      [onlyIf(gate('RX', [1], [], [0.75]))],
    ],
    [
      'phases over a measurement',
      [gate('S', [0]), measure([0], [0]), gate('S', [0])],
      [gate('Z', [0]), measure([0], [0])],
    ],
    [
      'and then cancels what stood around',
      [gate('CX', [1], [0]), gate('T', [1]), gate('TDG', [1]), gate('CX', [1], [0])],
      [],
    ],
  ])('%s', (_, operations, expected) => {
    expect(merged(operations)).toEqual(expected);
  });
});

function rxOverCx(): readonly Operation[] {
  return [gate('RX', [1], [], [0.5]), gate('CX', [1], [0]), gate('RX', [1], [], [0.25])];
}

describe('drops', () => {
  test.each<[string, readonly Operation[], readonly Operation[]]>([
    ['a rotation by nothing', [gate('RY', [0], [], [0])], []],
    ['ID, under controls too', [gate('ID', [0]), gate('ID', [0], [1])], []],
    ['a phase of a whole turn', [gate('CP', [0], [1], [2 * PI])], []],
    ['a rotation by two turns', [gate('CRX', [0], [1], [4 * PI])], []],
    ['a unitary that is the identity', [identity()], []],
    [
      'a rotation by one turn, but for its sign',
      [gate('RZZ', [0, 1], [], [2 * PI])],
      [gate('GPHASE', [], [], [PI])],
    ],
    [
      'a controlled rotation by one turn, but for the sign of its control',
      [gate('CRY', [0], [1], [-2 * PI])],
      [gate('Z', [1])],
    ],
    [
      'global phases that add up to nothing',
      [1, 2, -3].map((g) => gate('GPHASE', [], [], [g])),
      [],
    ],
  ])('%s', (_, operations, expected) => {
    expect(merged(operations)).toEqual(expected);
  });

  function identity(): Operation {
    const matrix = Float64Array.of(1, 0, 0, 0, 0, 0, 1, 0);
    return { kind: 'unitary', targets: [0], controls: [], matrix };
  }
});

describe('leaves alone', () => {
  test.each<[string, readonly Operation[]]>([
    ['rotations apart by a barrier', [rz(0), barrier([0]), rz(0)]],
    ['rotations on other qubits', [rz(0), rz(1)]],
    ['rotations about other axes', [rz(0), gate('RX', [0], [], [0.5])]],
    ['PRX about other axes', [0.1, 0.2].map((phi) => gate('PRX', [0], [], [0.5, phi]))],
    ['XX+YY the other way round', [0, 1].map((q) => gate('XX+YY', [q, 1 - q], [], [0.5, 0.3]))],
    ['CRZ whose control is the target', [gate('CRZ', [0], [1], [1]), gate('CRZ', [1], [0], [1])]],
    ['CRZ and CP', [gate('CRZ', [0], [1], [1]), gate('CP', [0], [1], [1])]],
    ['RZ and P under a condition', [onlyIf(rz(1)), onlyIf(gate('P', [1], [], [1]))]],
    ['a rotation and one under a condition', [rz(1), onlyIf(rz(1))]],
    ['a single gate, as it was written', [gate('P', [0], [], [PI]), gate('RX', [1], [], [9])]],
  ])('%s', (_, operations) => {
    expect(merged(operations)).toEqual(operations);
  });

  function rz(qubit: number) {
    return gate('RZ', [qubit], [], [0.5]);
  }
});
