import { describe, expect, test } from 'vitest';
import type { PauliSum } from '../../../src/circuit/observable.ts';
import { groupPaulis, weightedSums } from '../../../src/engine/pauli-groups.ts';
import { openReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';
import { shapeOf } from '../../../src/engine/run-program.ts';
import { runCircuit } from '../../support/engine-runs.ts';
import { gate } from '../../support/random-circuits.ts';

const X0: PauliSum[number] = { coefficient: 2, factors: [{ pauli: 'X', qubit: 0 }] };
const Z1: PauliSum[number] = { coefficient: 3, factors: [{ pauli: 'Z', qubit: 1 }] };
const ONE: PauliSum[number] = { coefficient: 5, factors: [] };

test('a variance needs memory for a second state only if it is that of several strings', async () => {
  const engine = openReferenceEngine({ maxQubits: 2, memoryBytes: 16 * 2 ** 2 });
  const circuit = { numQubits: 2, numBits: 0, operations: [gate('RY', [0], [], [0.4])] };
  const ask = (observable: PauliSum) => ({ observables: [observable], variances: true });

  const { variances } = await runCircuit(engine, circuit, ask([X0, ONE, X0]));

  expect(variances![0]).toBeCloseTo(16 * Math.cos(0.4) ** 2, 12);
  await expect(runCircuit(engine, circuit, ask([X0, Z1]))).rejects.toMatchObject({
    code: 'ENGINE_NO_ROOM_FOR_VARIANCE',
  });
});

test('an observable is one string if all others cancel', () => {
  const cancelled = [Z1, { ...Z1, coefficient: -3 }];
  expect(shapeOf([X0, ...cancelled])).toEqual({ kind: 'string', offset: 0, factor: 2 });
  expect(shapeOf([ONE, ONE])).toEqual({ kind: 'string', offset: 10, factor: 0 });
  expect(shapeOf([X0, Z1])).toEqual({ kind: 'sum' });
});

describe('the groups of strings', () => {
  const imageOf = (qubit: number) => 2 ** qubit;
  const y = (qubit: number) => ({ pauli: 'Y' as const, qubit });
  const x = (qubit: number) => ({ pauli: 'X' as const, qubit });

  test('hold each string once, by flips and part', () => {
    const yy = { coefficient: 1, factors: [y(0), y(1)] };
    const xy = { coefficient: 4, factors: [x(0), y(1)] };
    const xx = { coefficient: 7, factors: [x(1), x(0)] };
    const grouped = groupPaulis(
      [
        [yy, xy, Z1],
        [xx, yy, yy],
      ],
      imageOf,
    );

    expect(grouped.numStrings).toBe(4);
    expect(grouped.groups).toEqual([
      { flips: 0, isImaginary: false, signs: [2], firstString: 0 },
      { flips: 3, isImaginary: false, signs: [3, 0], firstString: 1 },
      { flips: 3, isImaginary: true, signs: [2], firstString: 3 },
    ]);
    // YY is −XX with signs; XY takes the imaginary part, negated.
    expect(weightedSums(grouped, [1, 10, 100, 1000])).toEqual([
      3 * 1 - 1 * 10 - 4 * 1000,
      7 * 100 - 2 * 10,
    ]);
  });
});
