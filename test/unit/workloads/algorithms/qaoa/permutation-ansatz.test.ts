/** The permutation ansatz: its states, its energies and what its mixer keeps. */
import { describe, expect, test } from 'vitest';
import {
  type PermutationAnsatz,
  permutationAnsatz,
  permutations,
} from '../../../../../src/workloads/algorithms/qaoa/permutation-ansatz.ts';
import { qaoaCircuit } from '../../../../../src/workloads/algorithms/qaoa/qaoa-ansatz.ts';
import { energiesOf } from '../../../../../src/workloads/algorithms/qaoa/z-polynomial.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';
import { RandomStream } from '../../../../support/random-stream.ts';

function randomAnsatz(numPlaces: number, seed: number) {
  const stream = new RandomStream(seed);
  const table = () =>
    Array.from({ length: numPlaces }, () =>
      Array.from({ length: numPlaces }, () => stream.normal()),
    );
  const [single, pair] = [table(), table()];
  const pairs = Array.from({ length: numPlaces - 1 }, (_, i): [number, number] => [i, i + 1]);
  const ansatz = permutationAnsatz({
    numPlaces,
    single: (place, item) => single[place]![item]!,
    pairs,
    pair: (item, other) => pair[item]![other]!,
  });
  const costOf = (items: readonly number[]) =>
    items.reduce((sum, item, place) => sum + single[place]![item]!, 0) +
    pairs.reduce((sum, [a, b]) => sum + pair[items[a]!]![items[b]!]!, 0);
  return { ansatz, costOf };
}

async function stateOf(ansatz: PermutationAnsatz, gammas: number[], betas: number[]) {
  await using test = openTestContext();
  const circuit = qaoaCircuit(ansatz, { gammas, betas });
  const { statevectors: statevector } = await test.context.circuits.run(circuit, {
    statevector: true,
  });
  if (statevector === undefined) throw new Error('unreachable: a state was asked for');
  return statevector;
}

describe.each([2, 3, 4, 5])('with %i places', (numPlaces) => {
  const { ansatz, costOf } = randomAnsatz(numPlaces, 40 + numPlaces);

  test('starts in the even superposition of all permutations, phases and all', async () => {
    const state = await stateOf(ansatz, [], []);
    const count = ansatz.candidates.length;
    let [re, im] = [0, 0];
    for (const index of ansatz.candidates) {
      re += state[2 * index]! / Math.sqrt(count);
      im += state[2 * index + 1]! / Math.sqrt(count);
    }
    // The overlap with that superposition: 1 only where all phases agree.
    expect(Math.hypot(re, im)).toBeCloseTo(1, 10);
  });

  test('stays among permutations at any angles, and moves', async () => {
    const state = await stateOf(ansatz, [0.7], [0.4]);
    const masses = ansatz.candidates.map(
      (index) => state[2 * index]! ** 2 + state[2 * index + 1]! ** 2,
    );
    expect(masses.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(1, 10);
    expect(Math.max(...masses) / Math.min(...masses)).toBeGreaterThan(1.5);
  });

  test('has the cost of every permutation as its energy', () => {
    const energies = energiesOf(ansatz.cost);
    const all = permutations(numPlaces);
    expect(ansatz.candidates).toHaveLength(all.length);
    for (const [i, index] of ansatz.candidates.entries()) {
      expect(ansatz.decode(index)).toEqual(all[i]);
      expect(energies[index]).toBeCloseTo(costOf(all[i]!), 10);
    }
  });
});

test('the mixer of two places is e^{iβ·SWAP}', async () => {
  const { ansatz } = randomAnsatz(2, 50);
  // Without phases between them, two layers are one of both angles.
  const [one, two] = [
    await stateOf(ansatz, [1.1, 0], [0.3, 0.5]),
    await stateOf(ansatz, [1.1], [0.8]),
  ];
  for (const index of ansatz.candidates) {
    const mass = (state: Float64Array) => state[2 * index]! ** 2 + state[2 * index + 1]! ** 2;
    expect(mass(one)).toBeCloseTo(mass(two), 12);
  }
  // From the even superposition, phases ±φ and a swap by π/4: the masses are (1 ± sin 2φ)/2.
  const state = await stateOf(ansatz, [1], [Math.PI / 4]);
  const masses = ansatz.candidates.map(
    (index) => state[2 * index]! ** 2 + state[2 * index + 1]! ** 2,
  );
  // One energy scale is half of the difference of two costs, so φ = γ = 1.
  expect(Math.max(...masses)).toBeCloseTo((1 + Math.sin(2)) / 2, 10);
});

test('what is no permutation is not decoded', () => {
  const { ansatz } = randomAnsatz(3, 51);
  expect(ansatz.decode(0b10_01_00)).toEqual([0, 1, 2]);
  expect(ansatz.decode(0b10_01_01)).toBeUndefined();
  expect(ansatz.decode(0b11_01_00)).toBeUndefined();
});

test('there are n! permutations, all different', () => {
  expect([1, 2, 3, 4, 5].map((n) => permutations(n).length)).toEqual([1, 2, 6, 24, 120]);
  expect(new Set(permutations(5).map(String)).size).toBe(120);
});

test.each([1, 6, 2.5, Number.NaN])('refuses %f places', (numPlaces) => {
  expect(() => permutationAnsatz({ numPlaces, single: () => 0 })).toThrow(RangeError);
});
