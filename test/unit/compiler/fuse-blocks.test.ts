import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../src/circuit/circuit.ts';
import { DEFAULT_COSTS } from '../../../src/compiler/cost-model.ts';
import type { Kernel, TargetProfile } from '../../../src/compiler/program.ts';
import { schedule } from '../../../src/compiler/schedule.ts';
import { ALWAYS_FUSES, profile } from '../../support/profiles.ts';
import { gate } from '../../support/random-circuits.ts';

const NUM_QUBITS = 8;

function scheduled(operations: readonly Operation[], target: TargetProfile = profile()) {
  const circuit: Circuit = { numQubits: NUM_QUBITS, numBits: 0, operations };
  return schedule(circuit, target);
}

/** Kind and number of targets of each kernel. */
function kernelsOf(operations: readonly Operation[], target?: TargetProfile) {
  const kernels = scheduled(operations, target).program.steps.flatMap((step): readonly Kernel[] =>
    step.kind === 'sweep' ? step.kernels : [],
  );
  return kernels.map(({ kind, targets }) => `${kind} ${targets.length}`);
}

const h = (qubit: number) => gate('H', [qubit]);
const cx = (control: number, target: number) => gate('CX', [target], [control]);
const t = (qubit: number) => gate('T', [qubit]);
const cz = (a: number, b: number) => gate('CZ', [b], [a]);

describe('inside a sweep', () => {
  test.each<[string, readonly Operation[], readonly string[]]>([
    ['a run on one qubit is one block', [h(0), t(0), h(0), gate('RY', [0], [], [1])], ['dense 1']],
    [
      'also with others in between',
      [h(0), h(1), t(0), h(1), h(0), t(1)],
      ['dense 1', 'diagonal 1'],
    ],
    ['what undoes itself vanishes', [cx(0, 1), t(2), cx(0, 1)], ['diagonal 1']],
    [
      'diagonals join a table that has their qubits',
      [t(0), cz(0, 1), t(1), gate('RZZ', [0, 1], [], [0.4])],
      ['diagonal 2'],
    ],
    [
      'diagonals on other qubits stay apart',
      [t(0), cz(0, 1), gate('RZZ', [1, 3], [], [0.4])],
      ['diagonal 2', 'diagonal 2'],
    ],
    [
      'X and CX and phases become a permutation',
      [cx(0, 1), t(1), cx(0, 1), gate('X', [0])],
      ['permutation 2'],
    ],
    ['under a common control it stays one', [cx(0, 1), cx(0, 2), cx(0, 1)], ['permutation 1']],
    [
      'dense blocks on two qubits stay apart where that is cheaper',
      [h(0), h(1), cz(0, 1)],
      ['dense 1', 'dense 1', 'diagonal 1'],
    ],
    ['and are one where it pays', [h(0), h(1), cz(0, 1), h(0), h(1), cz(1, 0)], ['dense 2']],
  ])('%s', (_, operations, kernels) => {
    expect(kernelsOf(operations)).toEqual(kernels);
  });

  test('the engine’s costs decide what is fused', () => {
    const operations = [h(0), h(1), cz(0, 1), h(0), h(1)];
    const costs = { ...DEFAULT_COSTS, dense: [0, 3.3, 20, 50] };
    expect(kernelsOf(operations)).toEqual(['dense 2']);
    expect(kernelsOf(operations, profile({ costs }))).toHaveLength(5);
  });

  test('a phase is not fused into a permutation if moving amplitudes is expensive', () => {
    const costs = { ...DEFAULT_COSTS, permutation: 100 };
    expect(kernelsOf([cx(0, 1), t(1)])).toEqual(['permutation 2']);
    expect(kernelsOf([cx(0, 1), t(1)], profile({ costs }))).toHaveLength(2);
  });

  test('no block is wider than the target takes', () => {
    const operations = [h(0), cx(0, 1), h(1), cx(1, 2), h(2), cx(0, 2), h(0)];
    const narrow = profile({ maxDenseQubits: 2, costs: ALWAYS_FUSES });
    expect(kernelsOf(operations, profile({ costs: ALWAYS_FUSES }))).toEqual(['dense 3']);
    for (const kernel of kernelsOf(operations, narrow)) expect(kernel).toMatch(/ [12]$/);
  });

  test('nothing is fused across a barrier on any qubit', () => {
    const barrier: Operation = { kind: 'barrier', qubits: [0] };
    expect(kernelsOf([h(0), barrier, h(0)])).toEqual(['dense 1', 'dense 1']);
    expect(kernelsOf([h(0), h(0)])).toEqual([]);
  });

  test('a qubit outside the tile does not become a target', () => {
    const target = profile({ tileQubits: 3, maxDenseQubits: 3, costs: ALWAYS_FUSES });
    const operations = [h(0), h(1), h(2), cz(0, 7), cx(7, 1), h(2), cx(6, 1), h(0)];
    expect(() => kernelsOf(operations, target)).not.toThrow();
    const { steps } = scheduled(operations, target).program;
    for (const step of steps) {
      if (step.kind !== 'sweep') continue;
      for (const { kind, targets } of step.kernels) {
        if (kind !== 'diagonal')
          expect(step.resident).toEqual(expect.arrayContaining([...targets]));
      }
    }
  });
});

test('counts kernels that hold more than one operation', () => {
  expect(scheduled([h(0), t(0), h(1), cx(3, 4)]).fusedBlocks).toBe(1);
  expect(scheduled([h(0), h(1)]).fusedBlocks).toBe(0);
});

test('rotations of one pair are one block where the engine rotates pairs', () => {
  const target = profile({ costs: { ...DEFAULT_COSTS, pair: 4 } });
  const heisenberg = ['RXX', 'RYY', 'RZZ'].map((name) => gate(name, [0, 1], [], [0.3]));
  expect(kernelsOf(heisenberg, target)).toEqual(['dense 2']);
  expect(kernelsOf([...heisenberg, t(0), h(0)], target)).toEqual(['dense 2', 'dense 1']);
  const apart = [...heisenberg, gate('RXX', [1, 2], [], [0.3])];
  expect(kernelsOf(apart, target)).toEqual(['dense 2', 'dense 2']);
});
