import { describe, expect, test } from 'vitest';
import { gateNamed } from '../../../src/circuit/gates.ts';
import { formOf } from '../../../src/compiler/block.ts';
import { costOf } from '../../../src/compiler/cost-model.ts';
import type { KernelCosts } from '../../../src/compiler/program.ts';

const COSTS: KernelCosts = { dense: [0, 10, 25], diagonal: 8, permutation: 4, kernel: 1 };

function costOfGate(name: string, numControls: number, angles: readonly number[] = []): number {
  const form = formOf(gateNamed(name).matrix(angles));
  if (form === undefined) throw new Error(`${name} is the identity`);
  return costOf(form, numControls, COSTS);
}

describe('a kernel costs its part of the state', () => {
  test.each<[string, number, number]>([
    ['a dense block all of it', costOfGate('H', 0), 11],
    ['under a control half of it', costOfGate('H', 1), 6],
    ['a dense block on two targets what the list says', costOfGate('RXX', 0, [1]), 26],
    ['a phase what it multiplies', costOfGate('T', 0), 5],
    ['a controlled phase half of that', costOfGate('T', 1), 3],
    ['a rotation all of it', costOfGate('RZ', 0, [1]), 9],
    ['X all of it', costOfGate('X', 0), 5],
    ['SWAP the half that moves', costOfGate('SWAP', 0), 3],
    ['ISWAP the half that moves', costOfGate('ISWAP', 0), 3],
  ])('%s', (_, cost, expected) => {
    expect(cost).toBe(expected);
  });

  test('and a dense block on two targets that keeps parity what an engine with pair rotations says', () => {
    const costs = { ...COSTS, pair: 12 };
    const costOfMatrix = (name: string, angles: readonly number[] = []) =>
      costOf(formOf(gateNamed(name).matrix(angles))!, 0, costs);
    expect(costOfMatrix('RXX', [1])).toBe(13);
    expect(costOfMatrix('FSIM', [1, 2])).toBe(13);
    expect(costOfMatrix('RZX', [1])).toBe(26);
    expect(costOfMatrix('H')).toBe(11);
  });

  test('and a dense block wider than the list twice as much for each target', () => {
    const entries = new Float64Array(2 * 4 ** 4);
    const wide = { kind: 'dense', entries, actions: [2, 2, 2, 2] } as const;
    expect(costOf(wide, 0, COSTS)).toBe(101);
  });
});
