import { expect, test } from 'vitest';
import { type ChainOperation, GateFront } from '../../../../src/compiler/chain/gate-front.ts';
import { gate } from '../../../support/random-circuits.ts';

/** The order of gates on qubits whose sites are their numbers and stay so. */
function orderOf(gates: readonly ChainOperation[], numQubits: number) {
  const siteOf = Array.from({ length: numQubits }, (_, q) => q);
  const order: ChainOperation[] = [];
  new GateFront(gates, { siteOf, qubitAt: siteOf }).take((next) => order.push(next));
  return order.map((taken) => gates.indexOf(taken));
}

test('takes gates on neighbours before distant ones, and near ones before far ones', () => {
  const gates = [
    gate('CX', [0], [9]),
    gate('CX', [1], [4]),
    gate('CX', [2], [3]),
    gate('CX', [5], [7]),
  ];
  expect(orderOf(gates, 10)).toEqual([2, 3, 1, 0]);
});

test('keeps the order of gates on a qubit', () => {
  const gates = [
    gate('CX', [0], [5]),
    gate('H', [5]),
    gate('CX', [5], [4]),
    gate('CX', [4], [3]),
    gate('H', [3]),
  ];
  expect(orderOf(gates, 6)).toEqual([0, 1, 2, 3, 4]);
});

test('takes diagonal gates in any order, but not across others', () => {
  const gates = [
    gate('CZ', [0], [5]),
    gate('RZZ', [5, 4], [], [0.3]),
    gate('T', [5]),
    gate('H', [5]),
    gate('CZ', [5], [4]),
  ];
  const order = orderOf(gates, 6);
  expect(order.slice(0, 2).toSorted()).toEqual([1, 2]);
  expect(order.slice(2)).toEqual([0, 3, 4]);
});
