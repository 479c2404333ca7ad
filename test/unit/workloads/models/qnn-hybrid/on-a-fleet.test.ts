/**
 * The classifier on a fleet of real engines: answers against an independent simulation, and over a
 * thousand requests the share that shot noise predicts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openReferenceEngine } from '../../../../../src/engine/reference/reference-engine.ts';
import { Fleet } from '../../../../../src/fleet/fleet.ts';
import { MAX_SEED } from '../../../../../src/math/philox.ts';
import { irisPair } from '../../../../../src/workloads/models/qnn-hybrid/iris-pair.ts';
import { QnnHybrid } from '../../../../../src/workloads/models/qnn-hybrid/qnn-hybrid.ts';
import { chanceAbove } from '../../../../support/binomial.ts';
import { chiSquaredBound } from '../../../../support/chi-squared.ts';
import { countsByLabel, NEVER, runCircuit } from '../../../../support/engine-runs.ts';
import { ARTEFACT, CALLER, FLOWER, flowers } from '../../../../support/fake-classifier.ts';
import { RandomStream } from '../../../../support/random-stream.ts';
import { exactZ0, rangeScaler, writtenGhz } from '../../../../support/reuploading-circuits.ts';

let fleet: Fleet;
let model: QnnHybrid;

beforeAll(async () => {
  fleet = new Fleet({
    machine: { cpuModel: 'a CPU', numCores: 2, memoryBytes: 2 ** 30 },
    engine: 'cpu',
    numThreads: 2,
    memoryBytes: 2 ** 26,
    maxShots: 10_000,
    maxGates: 1000,
    queueLimit: 100,
    now: () => 1_700_000_000_000,
    discover: async () => ({ adapters: [], reason: 'No GPU driver was found.' }),
  });
  await fleet.start();
  const processors = ['gpu-fleet', 'statevector-sim'].map((id) => fleet.get(id)!);
  model = new QnnHybrid({ artefact: ARTEFACT, processors, now: () => 1_700_000_000_000 });
  await model.start();
});

afterAll(async () => {
  await model.close();
  await fleet.close();
});

const { parameters } = ARTEFACT;
const { rows: data } = irisPair();
const scaled = rangeScaler(data);
const circuitFor = (row: readonly number[]) => writtenGhz(4, 1, parameters.theta, scaled(row));

describe('an inference', () => {
  test('has the counts that the reference engine draws for the same circuit and seed', async () => {
    const reference = openReferenceEngine({ maxQubits: 4 });
    const rows = [data[0]!, data[70]!, FLOWER];
    const found = await model.classify(flowers({ rows, seed: 11, shots: 8192 }), CALLER, NEVER);
    for (const [k, { counts, expectation, prediction }] of found.rows.entries()) {
      const ask = { shots: 8192, seed: 11 + k };
      const { counts: own } = await runCircuit(reference, circuitFor(rows[k]!), ask);
      const dense = new Array<number>(16).fill(0);
      for (const [label, times] of countsByLabel(own)) dense[Number.parseInt(label, 2)] = times;
      expect([...counts]).toEqual(dense);
      const clear = dense.reduce((sum, times, outcome) => (outcome % 2 === 0 ? sum + times : sum));
      expect(expectation).toBeCloseTo(2 * (clear / 8192) - 1, 14);
      expect(prediction).toBe(expectation > parameters.threshold ? 1 : 0);
      // Five standard deviations.
      const exact = exactZ0(circuitFor(rows[k]!));
      expect(Math.abs(expectation - exact)).toBeLessThan(5 * Math.sqrt((1 - exact ** 2) / 8192));
    }
    await reference.close();
  });

  test('says what ran it', async () => {
    const { processor, backend, timing } = await model.classify(flowers(), CALLER, NEVER);
    expect(processor).toBe('gpu-fleet');
    expect(backend).toMatchObject({ engine: 'cpu', precision: 'f64', hardware: 'a CPU' });
    expect(timing.executionMs).toBeGreaterThan(0);
  });

  test('is the same again with the same seed, and another with another', async () => {
    const ask = (seed: number) => model.classify(flowers({ seed }), CALLER, NEVER);
    const [first, again, other] = [await ask(5), await ask(5), await ask(6)];
    expect(again.rows).toEqual(first.rows);
    expect(other.rows).not.toEqual(first.rows);
  });

  test.each([
    ['counting up', 100],
    ['beginning again at 0', MAX_SEED - 1],
  ])('of many rows has in row k what row k has alone with the seed + k: %s', async (_, seed) => {
    const rows = [data[10]!, data[60]!, FLOWER, data[99]!];
    const together = await model.classify(flowers({ rows, seed }), CALLER, NEVER);
    for (const [k, row] of rows.entries()) {
      const own = (BigInt(seed) + BigInt(k)) % (BigInt(MAX_SEED) + 1n);
      const alone = await model.classify(
        flowers({ rows: [row], seed: Number(own) }),
        CALLER,
        NEVER,
      );
      expect(together.rows[k]).toEqual(alone.rows[0]);
    }
  });

  test('in custom mode with the deployed parameters and scaled inputs is the trained one', async () => {
    const rows = [data[3]!, data[77]!];
    const { theta, threshold } = parameters;
    const trained = await model.classify(flowers({ rows }), CALLER, NEVER);
    const asked = flowers({ rows: rows.map(scaled), own: { theta, threshold } });
    const custom = await model.classify(asked, CALLER, NEVER);
    expect(custom.rows).toEqual(trained.rows);
    expect(custom).toMatchObject({ mode: 'custom', threshold, numLayers: 1, numParameters: 12 });
  });

  test('runs the widest and deepest circuit of a caller’s own', async () => {
    const stream = new RandomStream(3);
    const theta = Array.from({ length: 288 }, () => stream.angle());
    const row = [0.1, -0.7, 0.4, 1];
    const asked = flowers({ rows: [row], own: { theta, numQubits: 12 }, shots: 8192 });
    const found = await model.classify(asked, CALLER, NEVER);
    const exact = exactZ0(writtenGhz(12, 8, theta, row));
    const [one] = found.rows;
    expect(found).toMatchObject({ numQubits: 12, numLayers: 8, numParameters: 288 });
    expect(one!.counts).toHaveLength(4096);
    expect(Math.abs(one!.expectation - exact)).toBeLessThan(5 * Math.sqrt((1 - exact ** 2) / 8192));
  });

  test('takes angles as large as the limits let through', async () => {
    const own = { theta: new Array<number>(12).fill(8e307) };
    const { rows } = await model.classify(flowers({ rows: [[1, 1, 1, 1]], own }), CALLER, NEVER);
    expect(rows[0]!.counts.reduce((sum, times) => sum + times)).toBe(1024);
  });

  test('ends with its caller’s reason, and the model stays well', async () => {
    const leaving = new AbortController();
    const rows = new Array<readonly number[]>(256).fill(FLOWER);
    const answer = model.classify(flowers({ rows, shots: 8192 }), CALLER, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(answer).rejects.toThrow('gone');
    expect(model.availability().available).toBe(true);
  });

  test('runs on the simulator while the fleet is in maintenance, with the same counts', async () => {
    const before = await model.classify(flowers(), CALLER, NEVER);
    fleet.get('gpu-fleet')!.setMaintenance({ reason: 'New drivers.' });
    const during = await model.classify(flowers(), CALLER, NEVER);
    fleet.get('gpu-fleet')!.setMaintenance(undefined);
    expect([before.processor, during.processor]).toEqual(['gpu-fleet', 'statevector-sim']);
    expect(during.rows).toEqual(before.rows);
  });
});

describe('over a thousand requests', () => {
  /** Each request's row and seed: flowers of the data, and as many blends of two near the threshold. */
  const requests = Array.from({ length: 1000 }, (_, seed) => ({ row: rowOf(seed), seed }));
  let agreements: readonly boolean[] = [];

  function rowOf(seed: number): readonly number[] {
    const stream = new RandomStream(seed);
    if (seed % 2 === 0) return data[stream.below(100)]!;
    // Between a flower on each side there is a point at the threshold; a little beside it.
    const [low, high] = [data[stream.below(50)]!, data[50 + stream.below(50)]!];
    const blend = (share: number) => low.map((value, f) => value + share * (high[f]! - value));
    let [from, to] = [0, 1];
    for (let step = 0; step < 30; step++) {
      const middle = (from + to) / 2;
      if (exactZ0(circuitFor(blend(middle))) > parameters.threshold) to = middle;
      else from = middle;
    }
    return blend(Math.min(1, Math.max(0, from + 0.03 * stream.normal())));
  }

  const exact = requests.map(({ row }) => exactZ0(circuitFor(row)));

  /** Each request's chance that its prediction is that of the exact expectation value. */
  function chances(shots: number): readonly number[] {
    return exact.map((value) => {
      const above = chanceAbove(parameters.threshold, value, shots);
      return value > parameters.threshold ? above : 1 - above;
    });
  }

  /**
   * Agreements against their chances: χ² over groups of rows that are about as doubtful, and the total.
   * Deviates of sums of draws with chances of their own; groups are large enough to be near normal.
   */
  function compare(found: readonly boolean[], expected: readonly number[]) {
    const deviates: number[] = [];
    let [excess, variance, allExcess, allVariance] = [0, 0, 0, 0];
    for (const i of [...expected.keys()].sort((a, b) => expected[b]! - expected[a]!)) {
      const chance = expected[i]!;
      excess += (found[i] ? 1 : 0) - chance;
      variance += chance * (1 - chance);
      allExcess += (found[i] ? 1 : 0) - chance;
      allVariance += chance * (1 - chance);
      if (variance < 3) continue;
      deviates.push(excess / Math.sqrt(variance));
      [excess, variance] = [0, 0];
    }
    const statistic = deviates.reduce((sum, deviate) => sum + deviate ** 2, 0);
    const bound = chiSquaredBound(deviates.length);
    return { statistic, bound, groups: deviates.length, total: allExcess / Math.sqrt(allVariance) };
  }

  beforeAll(async () => {
    const found: boolean[] = [];
    // As many rows as a batch takes; row k has the seed + k, so that seeds are 0 … 999.
    for (let first = 0; first < 1000; first += 256) {
      const rows = requests.slice(first, first + 256).map(({ row }) => row);
      const answer = await model.classify(flowers({ rows, seed: first }), CALLER, NEVER);
      for (const [k, { prediction }] of answer.rows.entries()) {
        found.push((prediction === 1) === exact[first + k]! > parameters.threshold);
      }
    }
    agreements = found;
  });

  test('predictions agree with the exact model as often as shot noise predicts', () => {
    const expected = chances(1024);
    const { statistic, bound, groups, total } = compare(agreements, expected);
    expect(groups).toBeGreaterThanOrEqual(10);
    expect(statistic).toBeLessThan(bound);
    // Two-sided; further off once in a million seeds.
    expect(Math.abs(total)).toBeLessThan(4.9);
    // There is something to agree on: doubtful rows, and rows beyond doubt.
    expect(expected.filter((chance) => chance < 0.9).length).toBeGreaterThan(200);
    expect(expected.filter((chance) => chance > 0.9999).length).toBeGreaterThan(300);
  });

  test('rows beyond doubt agree, every one', () => {
    const certain = chances(1024).map((chance) => chance > 1 - 1e-10);
    expect(agreements.filter((agrees, i) => certain[i] && !agrees)).toEqual([]);
  });

  test.each([100, 5000])('it would be seen if %i shots were drawn', (shots) => {
    const { statistic, bound, total } = compare(agreements, chances(shots));
    expect(statistic).toBeGreaterThan(bound);
    expect(Math.abs(total)).toBeGreaterThan(4.9);
  });

  test('it would be seen if the threshold were another', () => {
    const { threshold } = parameters;
    const moved = exact.map((value) => {
      const above = chanceAbove(threshold + 0.05, value, 1024);
      return value > threshold ? above : 1 - above;
    });
    const { statistic, bound } = compare(agreements, moved);
    expect(statistic).toBeGreaterThan(bound);
  });
});
