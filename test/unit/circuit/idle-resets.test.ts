import { describe, expect, test } from 'vitest';
import type { Circuit, DynamicOperation, Operation } from '../../../src/circuit/circuit.ts';
import { GATES } from '../../../src/circuit/gates.ts';
import { withoutIdleResets } from '../../../src/circuit/idle-resets.ts';
import { barrier, measure, onlyIf, reset } from '../../support/pass-runs.ts';
import { gate, randomUse } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { exactOutcomes } from '../../support/state-oracle.ts';

/** Of operations on three qubits and three bits. */
function kept(operations: readonly Operation[]): readonly Operation[] {
  return withoutIdleResets({ numQubits: 3, numBits: 3, operations }).operations;
}

const H = gate('H', [0]);
const X = gate('X', [0]);

describe('a reset is left out', () => {
  test.each<[string, readonly Operation[]]>([
    ['at the start', []],
    ['of a qubit beside those that were turned', [gate('H', [1])]],
    ['after a barrier', [barrier([0, 1])]],
    ['after a measurement of |0⟩', [measure([0], [0])]],
    ['of a control of a gate', [H, gate('SWAP', [0, 1]), gate('X', [1], [0])]],
    ['of the target of a gate whose control is |0⟩', [gate('X', [0], [1])]],
    ['after diagonal gates', [gate('T', [0]), gate('RZZ', [0, 1], [], [0.3])]],
    ['after a SWAP with |0⟩', [H, gate('SWAP', [0, 1])]],
  ])('%s', (_, before) => {
    expect(kept([...before, reset([0])])).toEqual(before);
    expect(kept([...before, onlyIf(reset([0])), H])).toEqual([...before, H]);
  });

  test('directly after another one', () => {
    expect(kept([H, reset([0]), reset([0]), H])).toEqual([H, reset([0]), H]);
  });

  test('as far as it is idle', () => {
    expect(kept([H, reset([2, 0, 1])])).toEqual([H, reset([0])]);
  });
});

describe('a reset is kept', () => {
  test.each<[string, readonly Operation[]]>([
    ['after a gate', [X]],
    ['after a gate under a condition', [onlyIf(X)]],
    ['after a gate whose control was turned', [gate('H', [1]), gate('X', [0], [1])]],
    ['after a SWAP with a qubit that was turned', [gate('H', [1]), gate('SWAP', [0, 1])]],
    ['after a SWAP that may not happen', [H, onlyIf(gate('SWAP', [0, 1]))]],
    ['after a reset that may not happen', [H, onlyIf(reset([0]))]],
  ])('%s', (_, before) => {
    expect(kept([...before, reset([0])])).toEqual([...before, reset([0])]);
  });
});

test('a qubit that a loop acts on may not be |0⟩, and loops are not changed', () => {
  const loop: DynamicOperation = {
    kind: 'while',
    condition: { bits: [0], value: 0 },
    body: [reset([1]), H, measure([0], [0])],
  };
  const operations = [reset([0, 1, 2]), loop, reset([0, 2])];
  const without = withoutIdleResets({ numQubits: 3, numBits: 1, operations });
  expect(without.operations).toEqual([loop, reset([0])]);
});

test('removal keeps the outcomes, with any gates between resets', () => {
  let numDropped = 0;
  for (let seed = 0; seed < 200; seed++) {
    const stream = new RandomStream(9100 + seed);
    const operations = Array.from({ length: 12 }, () => randomOperation(stream));
    const circuit: Circuit = {
      numQubits: 5,
      numBits: 7,
      operations: [...operations, measure([0, 1, 2, 3, 4], [2, 3, 4, 5, 6])],
    };
    const without = withoutIdleResets(circuit);
    numDropped += circuit.operations.length - without.operations.length;
    const [of, other] = [exactOutcomes(circuit), exactOutcomes(without)];
    for (const label of new Set([...of.keys(), ...other.keys()])) {
      expect(Math.abs((of.get(label) ?? 0) - (other.get(label) ?? 0))).toBeLessThan(1e-12);
    }
  }
  expect(numDropped).toBeGreaterThan(100);
});

function randomOperation(stream: RandomStream): Operation {
  const qubits = stream.distinct(1 + stream.below(2), 5);
  const condition = stream.below(4) === 0 ? { condition: { bits: [0], value: 1 } } : {};
  switch (stream.below(5)) {
    case 0:
    case 1:
      return { kind: 'reset', qubits, ...condition };
    case 2:
      return { kind: 'measure', qubits: [qubits[0]!], bits: [stream.below(2)], ...condition };
    default:
      return { ...randomUse(stream, GATES[stream.below(GATES.length)]!, 5), ...condition };
  }
}
