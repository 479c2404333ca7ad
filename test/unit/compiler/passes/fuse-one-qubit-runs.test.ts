import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../../src/circuit/circuit.ts';
import { gateNamed } from '../../../../src/circuit/gates.ts';
import { fuseOneQubitRuns } from '../../../../src/compiler/passes/fuse-one-qubit-runs.ts';
import { multiply } from '../../../../src/math/complex-matrix.ts';
import { barrier, measure, onlyIf, reset, rewritten } from '../../../support/pass-runs.ts';
import { gate } from '../../../support/random-circuits.ts';

const fused = (operations: readonly Operation[]) => rewritten(fuseOneQubitRuns, operations);

const H0 = gate('H', [0]);
const T0 = gate('T', [0]);
const CZ = gate('CZ', [0], [1]);
const CX = gate('CX', [0], [1]);

/** The product of fixed gates on qubit 0, the last leftmost. */
function product(...names: readonly string[]): Operation {
  const matrices = names.map((name) => gateNamed(name).matrix([]));
  const matrix = matrices.reduce((done, next) => multiply(next, done));
  return { kind: 'unitary', controls: [], targets: [0], matrix };
}

function ryBetweenH(): Operation {
  const [h, ry] = [gateNamed('H').matrix([]), gateNamed('RY').matrix([1])];
  return { kind: 'unitary', controls: [], targets: [0], matrix: multiply(h, multiply(ry, h)) };
}

describe('fuses', () => {
  test.each<[string, readonly Operation[], readonly Operation[]]>([
    ['a run into one matrix', [H0, T0, gate('SX', [0])], [product('H', 'T', 'SX')]],
    ['a later gate back over what commutes with it', [H0, CZ, T0], [product('H', 'T'), CZ]],
    ['no further over it for that', [H0, CZ, T0, H0], [product('H', 'T'), CZ, H0]],
    ['an earlier gate on over what commutes with it', [T0, CZ, H0], [CZ, product('T', 'H')]],
    [
      'over a measurement, what is diagonal',
      [H0, measure([0], [0]), T0],
      [product('H', 'T'), measure([0], [0])],
    ],
    [
      'over the target of CX, what is a function of X',
      [H0, CX, gate('X', [0])],
      [product('H', 'X'), CX],
    ],
    [
      'gates of which neither commutes with anything',
      [H0, gate('RY', [0], [], [1]), H0],
      [ryBetweenH()],
    ],
    ['past gates on other qubits', [H0, gate('H', [1]), T0], [product('H', 'T'), gate('H', [1])]],
    [
      'a permutation with a diagonal into exact zeros',
      [gate('X', [0]), gate('Z', [0])],
      [product('X', 'Z')],
    ],
    ['what comes to nothing into nothing', [H0, gate('SX', [0]), gate('SXDG', [0]), H0], []],
    [
      'what only turns everything into a global phase',
      ['X', 'Y', 'Z'].map((name) => gate(name, [0])),
      [gate('GPHASE', [], [], [-Math.PI / 2])],
    ],
    ['what is diagonal after all into a phase', [H0, gate('X', [0]), H0], [gate('Z', [0])]],
    [
      'diagonals into a diagonal',
      [T0, CZ, gate('S', [0])],
      [gate('P', [0], [], [0.75 * Math.PI]), CZ],
    ],
    [
      'rotations about Z into one',
      [1, 2].map((angle) => gate('RZ', [0], [], [angle])),
      [gate('RZ', [0], [], [3])],
    ],
  ])('%s', (_, operations, expected) => {
    expect(fused(operations)).toEqual(expected);
  });
});

describe('leaves alone', () => {
  test.each<[string, readonly Operation[]]>([
    ['single gates, as they were written', [H0, CX, T0]],
    ['what is under a control', [H0, gate('H', [0], [1])]],
    ['what is under a condition', [H0, onlyIf(gate('X', [0])), T0]],
    ['gates on two qubits', [gate('SWAP', [0, 1]), gate('SWAP', [0, 1])]],
    ['gates apart by a barrier', [H0, barrier([0]), T0]],
    ['gates apart by a reset', [H0, reset([0]), T0]],
    ['gates neither of which passes what is between', [H0, CX, H0]],
    ['a gate that passes only some of what is between', [H0, CZ, CX, T0]],
  ])('%s', (_, operations) => {
    const unchanged = operations.filter((operation, i) => fused(operations)[i] === operation);
    expect(unchanged).toHaveLength(operations.length);
  });
});
