/** Sets of faults by their number, against all sets of a few errors. */
import { expect, test } from 'vitest';
import { FaultStrata } from '../../../src/decoding/fault-strata.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

const [DETECTORS, OBSERVABLES] = [9, 2];

/** Errors that flip distinct parities, so that a shot tells which have happened. */
function randomModel(stream: RandomStream) {
  const symptoms = [[0], [1, 9], [2, 3], [4], [5, 6, 7], [8], [10]];
  return {
    numDetectors: DETECTORS,
    numObservables: OBSERVABLES,
    errors: symptoms.map((each) => ({ symptoms: each, probability: stream.uniform() })),
  };
}

type Model = ReturnType<typeof randomModel>;

/** By number of faults: the probability of what shots flip, as text. An unlikely error that happens is a fault. */
function byFaults({ errors }: Model): readonly ReadonlyMap<string, number>[] {
  const all = Array.from({ length: errors.length + 1 }, () => new Map<string, number>());
  for (let set = 0; set < 2 ** errors.length; set++) {
    let [probability, faults] = [1, 0];
    const flipped = new Set<number>();
    for (const [i, error] of errors.entries()) {
      const happens = ((set >> i) & 1) === 1;
      probability *= happens ? error.probability : 1 - error.probability;
      if (happens !== error.probability > 1 / 2) faults++;
      if (happens) for (const each of error.symptoms) flipped.add(each);
    }
    const key = [...flipped].toSorted((a, b) => a - b).join();
    if (probability > 0) all[faults]!.set(key, (all[faults]!.get(key) ?? 0) + probability);
  }
  return all;
}

/** What each shot flips. */
function flippedIn({ numShots, events, flips }: ReturnType<FaultStrata['shots']>): string[] {
  const bits = (row: Uint8Array, count: number, first: number) =>
    Array.from({ length: count }, (_, i) => i)
      .filter((i) => ((row[i >> 3]! >> (i & 7)) & 1) === 1)
      .map((i) => first + i);
  return Array.from({ length: numShots }, (_, shot) =>
    [
      ...bits(events.subarray(2 * shot, 2 * shot + 2), DETECTORS, 0),
      ...bits(flips.subarray(shot, shot + 1), OBSERVABLES, DETECTORS),
    ].join(),
  );
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);

testSeeds('numbers of faults have the probabilities of all sets together', seeds(20), (seed) => {
  const model = randomModel(new RandomStream(seed));
  const found = new FaultStrata(model).distribution();
  const expected = byFaults(model).map((sets) => sum(sets.values()));
  expect(found).toHaveLength(expected.length);
  for (const [k, probability] of expected.entries()) expect(found[k]).toBeCloseTo(probability, 12);
});

testSeeds('sets that are looked at one by one are all sets, each once', seeds(20), (seed) => {
  const model = randomModel(new RandomStream(seed));
  const strata = new FaultStrata(model);
  for (const [faults, sets] of byFaults(model).entries()) {
    const all = sum(sets.values());
    // In two parts, as chunks come.
    const cut = Math.floor(sets.size / 2);
    const parts = [
      strata.shots({ faults, first: 0, shots: cut }, 1),
      strata.shots({ faults, first: cut, shots: sets.size - cut }, 2),
    ];
    const found = parts.flatMap((part) =>
      flippedIn(part).map((key, i) => [key, part.probabilities![i]!] as const),
    );
    expect(new Set(found.map(([key]) => key))).toEqual(new Set(sets.keys()));
    expect(found).toHaveLength(sets.size);
    for (const [key, probability] of found)
      expect(probability).toBeCloseTo(sets.get(key)! / all, 12);
  }
});

testSeeds(
  'drawn sets have the probabilities that they have among those of their number',
  seeds(10),
  (seed) => {
    const model = randomModel(new RandomStream(seed));
    const strata = new FaultStrata(model);
    const shots = 4000;
    for (const [faults, sets] of byFaults(model).entries()) {
      const all = sum(sets.values());
      const found = new Map<string, number>();
      for (const key of flippedIn(strata.shots({ faults, shots }, seed))) {
        found.set(key, (found.get(key) ?? 0) + 1);
      }
      expect([...found.keys()].filter((key) => !sets.has(key))).toEqual([]);
      for (const [key, probability] of sets) {
        const p = probability / all;
        const deviation = Math.sqrt(shots * p * (1 - p)) + 1;
        expect(Math.abs((found.get(key) ?? 0) - shots * p)).toBeLessThan(6 * deviation);
      }
    }
  },
);

test('errors that always or never happen are no faults', () => {
  const errors = [0, 1, 0.25].map((probability, i) => ({ symptoms: [i], probability }));
  const strata = new FaultStrata({ numDetectors: DETECTORS, numObservables: OBSERVABLES, errors });
  expect(strata.numFaults).toBe(1);
  expect(strata.distribution()).toEqual([0.75, 0.25]);
  expect(flippedIn(strata.shots({ faults: 0, shots: 1 }, 1))).toEqual(['1']);
  expect(flippedIn(strata.shots({ faults: 1, shots: 1 }, 1))).toEqual(['1,2']);
});

test('shots of too many faults on average are refused', () => {
  const errors = Array.from({ length: 300 }, (_, i) => ({ symptoms: [i], probability: 0.25 }));
  const strata = new FaultStrata({ numDetectors: 300, numObservables: 0, errors });
  expect(strata.distribution()).toMatch(/^its shots have 75\.0 faults on average/);
});
