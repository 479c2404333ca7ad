import { describe, expect, test } from 'vitest';
import type { Operation } from '../../../src/circuit/circuit.ts';
import { Progress, WorkGraph } from '../../../src/compiler/work-graph.ts';
import { workOf } from '../../../src/compiler/work-list.ts';
import { gate, randomGates } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

const NUM_QUBITS = 4;

function progressOf(operations: readonly Operation[]): Progress {
  const { items, numResources } = workOf({ numQubits: NUM_QUBITS, numBits: 2, operations }, 6);
  return new Progress(new WorkGraph(items, numResources));
}

const readyAtStart = (...operations: readonly Operation[]) =>
  Progress.readyAtStart(progressOf(operations));

describe('an item waits for those before it that it does not commute with', () => {
  test.each<[string, readonly [Operation, Operation], boolean]>([
    ['gates on different qubits', [gate('H', [0]), gate('H', [1])], false],
    ['gates on one qubit', [gate('H', [0]), gate('RY', [0], [], [1])], true],
    ['diagonals', [gate('RZ', [0], [], [1]), gate('CP', [1], [0], [2])], false],
    ['controls, on their common qubit', [gate('CX', [1], [0]), gate('CX', [2], [0])], false],
    ['a control and a diagonal', [gate('CX', [1], [0]), gate('T', [0])], false],
    ['two CX on one target', [gate('CX', [2], [0]), gate('CX', [2], [1])], false],
    ['an RX on the target of a CX', [gate('RX', [2], [], [1]), gate('CX', [2], [1])], false],
    ['an RXX and an X', [gate('RXX', [0, 2], [], [1]), gate('X', [2])], false],
    ['a target and a control', [gate('CX', [1], [0]), gate('CX', [2], [1])], true],
    ['a diagonal and an X', [gate('Z', [1]), gate('X', [1])], true],
    ['a RY and an X', [gate('RY', [1], [], [1]), gate('X', [1])], true],
    [
      'a measurement and a diagonal',
      [{ kind: 'measure', qubits: [0], bits: [0] }, gate('CX', [1], [0])],
      true,
    ],
    [
      'two conditions on one bit',
      [
        { ...gate('X', [0]), condition: { bits: [0], value: 1 } },
        { ...gate('X', [1]), condition: { bits: [0], value: 0 } },
      ],
      false,
    ],
  ])('%s', (_, operations, waits) => {
    // The gate at the end makes the measured circuit one with measurements in the middle.
    const ready = readyAtStart(...operations, gate('H', [0]), gate('H', [0]));
    expect(ready.includes(1)).toBe(!waits);
  });
});

test('undone items are ready again', () => {
  const operations = randomGates(new RandomStream(7), NUM_QUBITS, 60, 2);
  const progress = progressOf(operations);
  const orderFrom = (start: readonly number[]) => {
    const pending = [...start];
    for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
      progress.finish(item, pending);
    }
    return [...progress.done];
  };
  const start = Progress.readyAtStart(progress);
  const first = orderFrom(start);
  expect(first).toHaveLength(progress.graph.items.length);
  progress.undoTo(0);
  expect(Progress.readyAtStart(progress)).toEqual(start);
  expect(orderFrom(start)).toEqual(first);
});

test('a copy is independent', () => {
  const progress = progressOf([gate('H', [0]), gate('H', [0])]);
  progress.copy().finish(0, []);
  expect(progress.done).toEqual([]);
  expect(Progress.readyAtStart(progress)).toEqual([0]);
});
