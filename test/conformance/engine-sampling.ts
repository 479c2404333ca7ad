/** Counts of measurements that come last. */
import { describe, expect, test } from 'vitest';
import { type Circuit, type Operation, withFinalMeasurement } from '../../src/circuit/circuit.ts';
import { uniformDraw } from '../../src/math/philox.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { countsByLabel, runCircuit } from '../support/engine-runs.ts';
import { circuitAmplitudes } from '../support/kronecker-oracle.ts';
import { gate, randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { exactOutcomes, probabilitiesOf } from '../support/state-oracle.ts';
import type { EngineUnderTest } from './engine-suite.ts';

/** The counts that engine.ts defines: each shot's own draw against the cumulative probabilities. */
function inverseCdfCounts(probabilities: readonly number[], seed: number, shots: number) {
  const counts = new Array<number>(probabilities.length).fill(0);
  const norm = probabilities.reduce((sum, part) => sum + part, 0);
  for (let shot = 0; shot < shots; shot++) {
    const threshold = uniformDraw(seed, shot, 0, 0) * norm;
    let cumulative = 0;
    const index = probabilities.findIndex((part) => {
      cumulative += part;
      return cumulative > threshold;
    });
    counts[index]!++;
  }
  return counts;
}

function randomMeasuredCircuit(seed: number, numQubits: number): Circuit {
  const operations = randomGates(new RandomStream(seed), numQubits, 20, 2);
  return withFinalMeasurement({ numQubits, numBits: 0, operations });
}

/** Sampling tests of an engine. */
export function describeSampling({ engine, tolerance }: EngineUnderTest): void {
  test('draws a Bell pair’s two outcomes about equally, and no other', async () => {
    const operations = [gate('H', [0]), gate('CX', [1], [0])];
    const bell = withFinalMeasurement({ numQubits: 2, numBits: 0, operations });
    const { counts } = await runCircuit(engine(), bell, { shots: 10_000, seed: 3 });
    const exact = new Map([
      ['00', 0.5],
      ['11', 0.5],
    ]);
    const { statistic, bound } = chiSquared(countsByLabel(counts), exact);
    expect(statistic).toBeLessThan(bound);
  });

  test.each([1, 2, 2 ** 40 + 5])(
    'takes each shot’s draw through the inverse CDF (seed %i)',
    async (seed) => {
      const shots = 4096;
      const circuit = randomMeasuredCircuit(800 + (seed % 7), 5);
      const { counts } = await runCircuit(engine(), circuit, { shots, seed });
      const byLabel = countsByLabel(counts);
      const expected = inverseCdfCounts(probabilitiesOf(circuitAmplitudes(circuit)), seed, shots);
      const moved = expected.reduce(
        (sum, count, i) =>
          sum + Math.abs(count - (byLabel.get(i.toString(2).padStart(5, '0')) ?? 0)),
        0,
      );
      // A draw within the tolerance of one of 32 boundaries may fall on its other side: none do in
      // double precision, about one does in single.
      expect(moved / 2).toBeLessThanOrEqual(shots * 32 * tolerance);
      expect([...byLabel.values()].reduce((sum, count) => sum + count, 0)).toBe(shots);
    },
  );

  test('draws from the exact distribution of part of the register', async () => {
    const gates = randomGates(new RandomStream(900), 5, 20, 2);
    const measure: Operation = { kind: 'measure', qubits: [3, 1, 4], bits: [2, 0, 1] };
    const circuit: Circuit = { numQubits: 5, numBits: 3, operations: [...gates, measure] };
    const { counts } = await runCircuit(engine(), circuit, { shots: 20_000, seed: 4 });
    const { statistic, bound } = chiSquared(countsByLabel(counts), exactOutcomes(circuit));
    expect(statistic).toBeLessThan(bound);
  });

  test('gives the same counts for the same seed, and others for another', async () => {
    const circuit = randomMeasuredCircuit(1000, 6);
    const countsFor = async (seed: number) =>
      (await runCircuit(engine(), circuit, { shots: 2000, seed })).counts;
    expect(await countsFor(5)).toEqual(await countsFor(5));
    expect(await countsFor(6)).not.toEqual(await countsFor(5));
  });

  test('lists distinct outcomes in ascending order', async () => {
    const gates = Array.from({ length: 6 }, (_, q) => gate('H', [q]));
    const measure: Operation = { kind: 'measure', qubits: [5, 0, 3, 1], bits: [0, 1, 2, 3] };
    const circuit: Circuit = { numQubits: 6, numBits: 4, operations: [...gates, measure] };
    const { counts } = await runCircuit(engine(), circuit, { shots: 3000 });
    expect([...counts.outcomes]).toEqual(Array.from({ length: 16 }, (_, i) => i));
  });

  test('draws nothing for zero shots', async () => {
    const { counts } = await runCircuit(engine(), randomMeasuredCircuit(1, 3), { shots: 0 });
    expect(counts).toEqual({
      numBits: 3,
      wordsPerOutcome: 1,
      outcomes: new Uint32Array(0),
      occurrences: new Uint32Array(0),
    });
  });

  test('gives every shot the empty outcome where there are no bits', async () => {
    const circuit: Circuit = { numQubits: 1, numBits: 0, operations: [gate('H', [0])] };
    const { counts } = await runCircuit(engine(), circuit, { shots: 7 });
    expect([...counts.outcomes]).toEqual([0]);
    expect([...counts.occurrences]).toEqual([7]);
  });

  describe('reads measured qubits into the bits named', () => {
    const cases: readonly [string, number, readonly Operation[], string][] = [
      ['in any order', 3, [{ kind: 'measure', qubits: [2, 0], bits: [0, 2] }], '100'],
      [
        'the last of two writes to a bit counting',
        1,
        [
          { kind: 'measure', qubits: [0], bits: [0] },
          { kind: 'measure', qubits: [1], bits: [0] },
        ],
        '0',
      ],
      ['one qubit into several', 3, [{ kind: 'measure', qubits: [0, 0], bits: [0, 2] }], '101'],
      [
        'more than 32 of them',
        70,
        [{ kind: 'measure', qubits: [0, 0, 1, 0], bits: [31, 64, 33, 69] }],
        `1${'0'.repeat(4)}1${'0'.repeat(32)}1${'0'.repeat(31)}`,
      ],
    ];
    test.each(cases)('%s', async (_, numBits, measures, label) => {
      const operations = [gate('X', [0]), ...measures];
      const circuit: Circuit = { numQubits: 3, numBits, operations };
      const { counts } = await runCircuit(engine(), circuit, { shots: 5 });
      expect(countsByLabel(counts)).toEqual(new Map([[label, 5]]));
    });
  });
}
