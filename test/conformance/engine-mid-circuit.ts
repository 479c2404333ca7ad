/**
 * Measurements in mid-circuit, resets and conditions, three ways: against what physics demands,
 * against the exact distribution, and shot by shot against a replay of the same draws.
 */
import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { countsByLabel, runCircuit, worstAmplitude } from '../support/engine-runs.ts';
import { gate, randomDynamicCircuit } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { exactOutcomes, replayCounts } from '../support/state-oracle.ts';
import type { EngineUnderTest } from './engine-suite.ts';

const measure = (qubits: readonly number[], bits: readonly number[]): Operation => ({
  kind: 'measure',
  qubits,
  bits,
});
const where = <T extends Operation>(operation: T, bits: readonly number[], value: number): T => ({
  ...operation,
  condition: { bits, value },
});

/** Sends a state from qubit 0 to qubit 2 and undoes it there, so that bit 2 always reads 0. */
const TELEPORTATION: Circuit = {
  numQubits: 3,
  numBits: 3,
  operations: [
    gate('U', [0], [], [1.1, 0.4, -0.7]),
    gate('H', [1]),
    gate('CX', [2], [1]),
    gate('CX', [1], [0]),
    gate('H', [0]),
    measure([0, 1], [0, 1]),
    where(gate('X', [2]), [1], 1),
    where(gate('Z', [2]), [0], 1),
    gate('U', [2], [], [-1.1, 0.7, -0.4]),
    measure([2], [2]),
  ],
};

/** Circuits whose exact distributions are known to the oracle, by what they show. */
const CIRCUITS: readonly [string, Circuit][] = [
  ['teleportation', TELEPORTATION],
  [
    'a coin flipped again and again',
    {
      numQubits: 1,
      numBits: 4,
      operations: [0, 1, 2, 3].flatMap((bit) => [
        gate('RY', [0], [], [1 + bit]),
        measure([0], [bit]),
      ]),
    },
  ],
  [
    'the reset of half a Bell pair',
    {
      numQubits: 2,
      numBits: 2,
      operations: [
        gate('RY', [0], [], [1.2]),
        gate('CX', [1], [0]),
        { kind: 'reset', qubits: [0] },
        gate('H', [0]),
        measure([0, 1], [0, 1]),
      ],
    },
  ],
  [
    'a bit read by value, least significant first',
    {
      numQubits: 3,
      numBits: 3,
      operations: [
        gate('H', [0]),
        gate('RY', [1], [], [2]),
        measure([0, 1], [0, 1]),
        where(gate('RY', [2], [], [0.9]), [1, 0], 1),
        where(gate('X', [2]), [0, 1], 3),
        measure([2], [2]),
      ],
    },
  ],
  [
    'conditioned measurements and resets',
    {
      numQubits: 2,
      numBits: 3,
      operations: [
        gate('H', [0]),
        gate('H', [1]),
        measure([0], [0]),
        where(measure([1], [1]), [0], 1),
        where({ kind: 'reset', qubits: [1] }, [0, 1], 3),
        gate('H', [1]),
        measure([1], [2]),
      ],
    },
  ],
  [
    'a measurement that writes the bit its own condition reads',
    {
      numQubits: 2,
      numBits: 2,
      operations: [
        gate('RY', [0], [], [2.2]),
        gate('RY', [1], [], [1]),
        where(measure([0, 1], [0, 1]), [0], 0),
        gate('H', [0]),
        measure([0], [0]),
      ],
    },
  ],
  [
    'a SWAP that is relabelled between measurements',
    {
      numQubits: 3,
      numBits: 3,
      operations: [
        gate('RY', [0], [], [1]),
        gate('SWAP', [0, 2]),
        measure([2], [0]),
        gate('RX', [2], [], [0.8]),
        { kind: 'reset', qubits: [0] },
        gate('CX', [1], [2]),
        gate('SWAP', [1, 0]),
        measure([0, 2], [1, 2]),
      ],
    },
  ],
];

/** Mid-circuit tests of an engine. */
export function describeMidCircuit({ engine, tolerance }: EngineUnderTest): void {
  describe('draws from the exact distribution of', () => {
    test.each(CIRCUITS)('%s', async (_, circuit) => {
      const { counts } = await runCircuit(engine(), circuit, { shots: 20_000, seed: 11 });
      const { statistic, bound } = chiSquared(countsByLabel(counts), exactOutcomes(circuit));
      expect(statistic).toBeLessThan(bound);
    });
  });

  test('gives the state of a single shot: that of the outcome', async () => {
    const operations = [
      gate('H', [0]),
      gate('CX', [1], [0]),
      measure([0], [0]),
      // Makes the measurement one in mid-circuit.
      where(gate('X', [2]), [0], 1),
    ];
    const circuit: Circuit = { numQubits: 3, numBits: 1, operations };
    const seen = new Set<number>();
    for (let seed = 0; seed < 10; seed++) {
      const ask = { shots: 1, seed, statevector: true, amplitudes: [7n] };
      const { counts, statevector, amplitudes } = await runCircuit(engine(), circuit, ask);
      const outcome = counts.outcomes[0]!;
      seen.add(outcome);
      const expected = new Float64Array(16);
      expected[2 * 7 * outcome] = 1;
      expect(worstAmplitude(statevector!, expected)).toBeLessThan(tolerance);
      expect(worstAmplitude(amplitudes!, expected.slice(14))).toBeLessThan(tolerance);
    }
    expect([...seen].sort()).toEqual([0, 1]);
  });

  describe('gives every shot the outcome that its own draws say, for', () => {
    test.each(CIRCUITS)('%s', async (_, circuit) => {
      const { counts } = await runCircuit(engine(), circuit, { shots: 300, seed: 12 });
      expect(countsByLabel(counts)).toEqual(sorted(replayCounts(circuit, 12, 300)));
    });

    testSeeds('random circuits', seeds(3), async (seed) => {
      const circuit = randomDynamicCircuit(new RandomStream(1100 + seed), 3, 4, 25);
      const { counts } = await runCircuit(engine(), circuit, { shots: 100, seed });
      expect(countsByLabel(counts)).toEqual(sorted(replayCounts(circuit, seed, 100)));
    });
  });

  test('teleports a state: the receiver’s bit always reads 0', async () => {
    const { counts } = await runCircuit(engine(), TELEPORTATION, { shots: 1000 });
    const labels = [...countsByLabel(counts).keys()];
    expect(labels).toEqual(['000', '001', '010', '011']);
  });

  test('repeats the outcome when a qubit is measured again', async () => {
    const operations = [gate('H', [0]), measure([0], [0]), gate('Z', [0]), measure([0], [1])];
    const circuit: Circuit = { numQubits: 1, numBits: 2, operations };
    const { counts } = await runCircuit(engine(), circuit, { shots: 1000 });
    expect([...countsByLabel(counts).keys()]).toEqual(['00', '11']);
  });

  test('leaves a reset qubit in |0⟩', async () => {
    const operations: readonly Operation[] = [
      gate('H', [0]),
      gate('CX', [1], [0]),
      { kind: 'reset', qubits: [0] },
      measure([0], [0]),
    ];
    const circuit: Circuit = { numQubits: 2, numBits: 1, operations };
    const { counts } = await runCircuit(engine(), circuit, { shots: 1000 });
    expect(countsByLabel(counts)).toEqual(new Map([['0', 1000]]));
  });

  test('keeps bits that a trailing measurement does not write', async () => {
    const operations = [
      gate('X', [0]),
      measure([0, 0], [0, 40]),
      gate('X', [0]),
      measure([0], [1]),
    ];
    const circuit: Circuit = { numQubits: 1, numBits: 41, operations };
    const { counts } = await runCircuit(engine(), circuit, { shots: 3 });
    expect(countsByLabel(counts)).toEqual(new Map([[`1${'0'.repeat(38)}01`, 3]]));
  });

  test('lets the last of two trailing measurements of a bit count', async () => {
    const operations: readonly Operation[] = [
      { kind: 'reset', qubits: [1] },
      gate('X', [0]),
      measure([0], [0]),
      measure([1], [0]),
    ];
    const circuit: Circuit = { numQubits: 2, numBits: 1, operations };
    const { counts } = await runCircuit(engine(), circuit, { shots: 3 });
    expect(countsByLabel(counts)).toEqual(new Map([['0', 3]]));
  });

  test('renormalises: 1,200 even outcomes in a row do not run out of exponents', async () => {
    const halvings = Array.from({ length: 1200 }, () => [gate('H', [0]), measure([0], [0])]);
    const operations = [gate('X', [1]), ...halvings.flat(), gate('H', [0]), measure([1], [1])];
    const circuit: Circuit = { numQubits: 2, numBits: 2, operations };
    const { counts } = await runCircuit(engine(), circuit, { shots: 1 });
    // Bit 1 is qubit 1, which is |1⟩ throughout; a vanished state would read 0.
    for (const label of countsByLabel(counts).keys()) expect(label[0]).toBe('1');
  });

  test('gives the same counts for the same seed, and others for another', async () => {
    const circuit = randomDynamicCircuit(new RandomStream(1200), 3, 4, 25);
    const countsFor = async (seed: number) =>
      (await runCircuit(engine(), circuit, { shots: 500, seed })).counts;
    expect(await countsFor(5)).toEqual(await countsFor(5));
    expect(await countsFor(6)).not.toEqual(await countsFor(5));
  });
}

function sorted(counts: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
