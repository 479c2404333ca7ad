import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../src/circuit/circuit.ts';
import { compile } from '../../../src/compiler/compile.ts';
import { NEVER_FUSES, profile, TINY_TILE } from '../../support/profiles.ts';
import { gate } from '../../support/random-circuits.ts';

function reportOf(operations: readonly Operation[], target = profile()) {
  const circuit: Circuit = { numQubits: 4, numBits: 4, operations };
  return compile(circuit, target, { optimize: false }).report;
}

const measure = (qubits: readonly number[], bits: readonly number[]): Operation => ({
  kind: 'measure',
  qubits,
  bits,
});

describe('the compilation report', () => {
  test('counts gates and kernels apart', () => {
    const operations = [
      gate('H', [0]),
      gate('ID', [0]),
      gate('SWAP', [0, 1]),
      gate('X', [1]),
      measure([0, 1], [0, 1]),
      { kind: 'barrier', qubits: [0] } as const,
    ];
    const kept = profile({ costs: NEVER_FUSES });
    const counts = { gatesBefore: 4, gatesAfter: 4 };
    expect(reportOf(operations, kept)).toMatchObject({ ...counts, kernels: 2, fusedBlocks: 0 });
    expect(reportOf(operations)).toMatchObject({ ...counts, kernels: 1, fusedBlocks: 1 });
  });

  test('counts gates on two qubits and on more, controls included', () => {
    const operations = [gate('X', [0], [1]), gate('SWAP', [0, 1]), gate('X', [0], [1, 2])];
    expect(reportOf(operations)).toMatchObject({
      twoQubitGates: { before: 2, after: 2 },
      widerGates: { before: 1, after: 1 },
    });
  });

  test('counts one read and write of the state for each sweep', () => {
    const operations = [3, 2, 1, 0].map((qubit) => gate('H', [qubit]));
    expect(reportOf(operations, TINY_TILE).sweeps).toBe(2);
    expect(reportOf(operations).sweeps).toBe(1);
    // Sixteen amplitudes of two doubles, read and written.
    expect(reportOf(operations).bytesMoved).toBe(512);
    expect(reportOf(operations, TINY_TILE).bytesMoved).toBe(1024);
  });
});

describe('depth is the longest path', () => {
  test.each<[string, readonly Operation[], number]>([
    ['of nothing is 0', [], 0],
    ['of gates side by side is 1', [gate('H', [0]), gate('H', [1])], 1],
    ['goes through controls', [gate('H', [0]), gate('X', [1], [0]), gate('H', [2])], 2],
    ['counts measurements, each qubit by itself', [gate('H', [0]), measure([0, 1], [0, 1])], 2],
    ['counts resets', [gate('H', [0]), { kind: 'reset', qubits: [0, 1] }], 2],
    ['does not count a global phase', [gate('GPHASE', [], [], [0.3])], 0],
    [
      'waits for the bits of a condition',
      [
        gate('H', [0]),
        measure([0], [0]),
        { ...gate('X', [1]), condition: { bits: [0], value: 1 } },
      ],
      3,
    ],
  ])('%s', (_, operations, depth) => {
    expect(reportOf(operations)).toMatchObject({ depthBefore: depth, depthAfter: depth });
  });

  test('waits at a barrier, which adds nothing', () => {
    const operations: readonly Operation[] = [
      gate('H', [0]),
      gate('T', [0]),
      { kind: 'barrier', qubits: [0, 1] },
      gate('H', [1]),
    ];
    expect(reportOf(operations).depthBefore).toBe(3);
  });
});
