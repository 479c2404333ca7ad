/** Counts of strata: that they depend on the tallies alone, and that the interval has the rate in it. */
import { expect, test } from 'vitest';
import type { Tally } from '../../../src/fleet/error-counting.ts';
import { StratifiedCounts } from '../../../src/service/experiments/stratified-counts.ts';
import { RandomStream } from '../../support/random-stream.ts';

const [NUM_FAULTS, P] = [300, 0.003];

/** Of independent faults with one probability: that so many happen. */
const PROBABILITIES = Array.from({ length: 15 }, (_, k) => {
  let probability = (1 - P) ** NUM_FAULTS;
  for (let i = 0; i < k; i++) probability *= ((NUM_FAULTS - i) / (i + 1)) * (P / (1 - P));
  return probability;
});
/** Error rates of the strata. */
const RATES = PROBABILITIES.map((_, k) => (k < 2 ? 0 : 0.5 * (1 - Math.exp(-((k / 9) ** 3)))));
const RATE = PROBABILITIES.reduce((sum, probability, k) => sum + probability * RATES[k]!, 0);

const NUMBERS = {
  numFaults: NUM_FAULTS,
  mean: NUM_FAULTS * P,
  probabilities: PROBABILITIES,
  minFaults: 0,
};
const RULE = { maxShots: 200_000 };

/** The tally of a chunk, which follows from its number. */
function tallyOf(counts: StratifiedCounts, chunk: number, seed: number): Tally {
  const { faults, shots, first } = counts.strataOf(chunk, chunk + 1)[0]!;
  const stream = new RandomStream(1e6 * seed + chunk);
  let errors = 0;
  for (let shot = 0; shot < shots; shot++) if (stream.uniform() < RATES[faults]!) errors++;
  // Half the sets of a stratum that is looked at one by one are not half of its errors.
  const { enumerated } = counts.stored.strata.find((each) => each.faults === faults) ?? {};
  const errorProbability = first === undefined ? 0 : (RATES[faults]! * shots) / enumerated!.sets;
  return { shots, errors, discards: 0, errorProbability, ms: 1 };
}

/** Counts until the end, with chunks of a round from the last to the first. */
function counted(seed: number, restartAt = -1): StratifiedCounts {
  let counts = new StratifiedCounts(RULE, NUMBERS);
  while (!counts.isDone) {
    const { numChunks } = counts.counted;
    if (numChunks > restartAt && restartAt >= 0) {
      // What is stored is JSON.
      const stored = JSON.parse(JSON.stringify([counts.counted, counts.stored]));
      counts = new StratifiedCounts(RULE, NUMBERS, ...(stored as [never, never]));
      return continued(counts, seed);
    }
    const half = Math.ceil((counts.mostChunks - numChunks) / 2);
    for (let chunk = numChunks + half - 1; chunk >= numChunks; chunk--) {
      counts.add(chunk, tallyOf(counts, chunk, seed));
    }
  }
  return counts;
}

function continued(counts: StratifiedCounts, seed: number): StratifiedCounts {
  while (!counts.isDone) {
    const { numChunks } = counts.counted;
    counts.add(numChunks, tallyOf(counts, numChunks, seed));
  }
  return counts;
}

test('counts do not depend on the order of chunks, nor on restarts', () => {
  const once = counted(1);
  const { shots, numChunks } = once.counted;
  expect(shots).toBeLessThanOrEqual(RULE.maxShots);
  expect(shots).toBeGreaterThan(RULE.maxShots - 1024);
  for (const restartAt of [0, 3, Math.floor(numChunks / 2)]) {
    const again = counted(1, restartAt);
    expect(again.counted).toEqual(once.counted);
    expect(again.stored).toEqual(once.stored);
  }
});

test('19 of 20 intervals have the rate in them, about', () => {
  let inside = 0;
  for (let seed = 0; seed < 100; seed++) {
    const { rate, low, high } = counted(seed).stored.rate;
    expect(low).toBeLessThanOrEqual(rate);
    expect(rate).toBeLessThanOrEqual(high);
    if (low <= RATE && RATE <= high) inside++;
  }
  // By a binomial distribution of 0.95, fewer than 86 come once in 10,000 times.
  expect(inside).toBeGreaterThanOrEqual(86);
});

test('strata that were not looked at may err always', () => {
  const counts = new StratifiedCounts(RULE, NUMBERS);
  const { rate, omitted } = counts.stored;
  expect([rate.rate, rate.low]).toEqual([0, 0]);
  expect(rate.high).toBeCloseTo(1, 9);
  expect(omitted).toBeCloseTo(1, 9);
});

test('fewer faults than are said to be corrected have no shots', () => {
  const counts = new StratifiedCounts(RULE, { ...NUMBERS, minFaults: 3 });
  const first = counts.strataOf(0, counts.mostChunks);
  expect(Math.min(...first.map(({ faults }) => faults))).toBe(3);
});
