import { expect, test } from 'vitest';
import { unitarityDefect } from '../../../../src/math/complex-matrix.ts';
import { exponential } from '../../../../src/workloads/algorithms/hamiltonians/observable-action.ts';

test.each([0.1, 0.7, -3, 250])('exp(−iXt) is cos t − iX·sin t at %d', (time) => {
  const matrix = exponential([{ coefficient: 1, factors: [{ pauli: 'X', qubit: 0 }] }], 1, time);
  const [c, s] = [Math.cos(time), Math.sin(time)];
  for (const [i, value] of [c, 0, 0, -s, 0, -s, c, 0].entries()) {
    expect(Math.abs(matrix[i]! - value)).toBeLessThan(1e-11);
  }
  expect(unitarityDefect(matrix)).toBeLessThan(1e-14);
});

test('qubit 0 is the least significant, and Y keeps its sign', () => {
  // exp(−iπ/2·Y₁) = −iY on qubit 1: |00⟩ → |10⟩, |10⟩ → −|00⟩.
  const sum = [{ coefficient: 1, factors: [{ pauli: 'Y', qubit: 1 } as const] }];
  const matrix = exponential(sum, 2, Math.PI / 2);
  const entry = (row: number, column: number) => matrix[2 * (row * 4 + column)]!;
  expect(entry(2, 0)).toBeCloseTo(1, 12);
  expect(entry(0, 2)).toBeCloseTo(-1, 12);
  expect(entry(1, 0)).toBeCloseTo(0, 12);
});

test('the identity turns the phase alone, and nothing gives nothing', () => {
  const phase = exponential([{ coefficient: 2, factors: [] }], 1, 0.3);
  expect([phase[0], phase[1]]).toEqual([
    expect.closeTo(Math.cos(0.6), 13),
    expect.closeTo(-Math.sin(0.6), 13),
  ]);
  const nothing = exponential([{ coefficient: 0, factors: [] }], 1, 1);
  expect([...nothing].map(Math.abs)).toEqual([1, 0, 0, 0, 0, 0, 1, 0]);
});
