import { expect, test } from 'vitest';
import type { PauliFactor, PauliSum } from '../../../../src/circuit/observable.ts';
import { observableSquare } from '../../../../src/engine/pauli-groups.ts';

function term(coefficient: number, text: string) {
  const factors = text.split(' ').filter((word) => word !== '');
  return {
    coefficient,
    factors: factors.map((word): PauliFactor => {
      const pauli = word[0];
      if (pauli !== 'X' && pauli !== 'Y' && pauli !== 'Z') throw new Error(word);
      return { pauli, qubit: Number(word.slice(1)) };
    }),
  };
}

const sorted = (sum: PauliSum) =>
  sum
    .map(({ coefficient, factors }) => {
      return `${coefficient} ${factors.map(({ pauli, qubit }) => pauli + qubit).join(' ')}`;
    })
    .toSorted();

test.each([
  ['of one string is the identity', [term(3, 'X0 Y2')], [term(9, '')]],
  ['has no products of strings that anticommute', [term(2, 'X0'), term(1, 'Z0')], [term(5, '')]],
  [
    'has products of strings on other qubits',
    [term(2, 'X3'), term(5, 'Z1')],
    [term(29, ''), term(20, 'Z1 X3')],
  ],
  [
    'has the sign of products',
    [term(1, 'X0 X1'), term(1, 'Y0 Y1')],
    [term(2, ''), term(-2, 'Z0 Z1')],
  ],
  [
    'adds up equal strings',
    [term(1, 'X0'), term(2, 'X0'), term(1, '')],
    [term(10, ''), term(6, 'X0')],
  ],
])('the square %s', (_, observable, square) => {
  expect(sorted(observableSquare(observable))).toEqual(sorted(square));
});
