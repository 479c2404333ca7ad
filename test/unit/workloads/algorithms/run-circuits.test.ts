/** Circuits run together give the same results as alone. */
import { describe, expect, test } from 'vitest';
import type { Circuit, GateOperation, Operation } from '../../../../src/circuit/circuit.ts';
import {
  type CircuitOutcome,
  type CircuitOutputs,
  circuitSeed,
  runCircuits,
} from '../../../../src/workloads/algorithms/run-circuits.ts';
import { openTestContext } from '../../../support/procedure-context.ts';

const gate = (name: string, targets: number[], angles: number[] = []): GateOperation => ({
  kind: 'gate',
  gate: name,
  controls: [],
  targets,
  angles,
});
const phase = (re: number, im: number): Operation => ({
  kind: 'unitary',
  controls: [],
  targets: [0],
  matrix: Float64Array.of(0, 0, 1, 0, re, im, 0, 0),
});
const measured = (bits: number[], ...operations: Operation[]): Circuit => ({
  numQubits: 2,
  numBits: 2,
  operations: [...operations, { kind: 'measure', qubits: [0, 1], bits }],
});

/** Pairs that differ in one thing each. */
const ALIKE: readonly Circuit[] = [
  measured([0, 1], gate('RX', [0], [0.4])),
  measured([0, 1], gate('RY', [0], [0.4])),
  measured([0, 1], gate('RY', [1], [0.4])),
  measured([1, 0], gate('RY', [1], [0.4])),
  measured([0, 1], gate('RX', [0], [1.9])),
  measured([0, 1], gate('H', [0]), phase(1, 0)),
  measured([0, 1], gate('H', [0]), phase(0, 1)),
  measured([0, 1], gate('RX', [0], [0.4]), { kind: 'barrier', qubits: [0] }),
  measured([0, 1], gate('RX', [0], [0.4]), gate('RX', [0], [0.4])),
];

const OUTPUTS: CircuitOutputs = {
  seed: 3,
  shots: 200,
  probabilities: true,
  observables: (['X', 'Y', 'Z'] as const).map((pauli) => [
    { coefficient: 1, factors: [{ pauli, qubit: 0 }] },
  ]),
};

async function outcomesOf(circuits: readonly Circuit[], outputs: CircuitOutputs = OUTPUTS) {
  await using test = openTestContext({ maxQubits: 14 });
  const outcomes: CircuitOutcome[] = [];
  const done: number[] = [];
  const source = { numCircuits: circuits.length, circuitAt: (i: number) => circuits[i]! };
  await runCircuits(
    source,
    outputs,
    test.context,
    (i, outcome) => {
      outcomes[i] = outcome;
    },
    (numDone) => done.push(numDone),
  );
  return { outcomes, done, told: test.told };
}

describe('a list of circuits', () => {
  test('gives for each what the engine gives for it alone', async () => {
    const circuits = [...ALIKE, ...[...ALIKE].reverse()];
    const { outcomes } = await outcomesOf(circuits);
    await using alone = openTestContext();
    for (const [i, circuit] of circuits.entries()) {
      const request = { ...OUTPUTS, seed: circuitSeed(OUTPUTS.seed, i) };
      const result = await alone.context.circuits.run(circuit, request);
      const { outcomes: values, occurrences } = result.counts;
      const counts = [...values].map((value, k) => [
        value.toString(2).padStart(2, '0'),
        occurrences[k]!,
      ]);
      expect(Object.fromEntries(outcomes[i]!.counts ?? [])).toEqual(Object.fromEntries(counts));
      for (const [k, expectation] of (result.expectations ?? []).entries()) {
        expect(outcomes[i]!.expectations?.[k]).toBeCloseTo(expectation, 12);
      }
      for (const [k, probability] of (result.probabilities ?? new Float64Array()).entries()) {
        expect(outcomes[i]!.probabilities?.[k]).toBeCloseTo(probability, 12);
      }
    }
  });

  test('of more shapes than are remembered, and of more than one window, is told in order', async () => {
    const circuits = Array.from({ length: 1500 }, (_, i) =>
      measured([0, 1], ...Array.from({ length: i % 25 }, () => gate('RX', [0], [0.01 * i]))),
    );
    const observables = [[{ coefficient: 1, factors: [{ pauli: 'Z' as const, qubit: 0 }] }]];
    const { outcomes, done, told } = await outcomesOf(circuits, { seed: 1, observables });
    for (const [i, { expectations, counts, probabilities }] of outcomes.entries()) {
      expect(expectations?.[0]).toBeCloseTo(Math.cos(0.01 * i * (i % 25)), 10);
      expect([counts, probabilities]).toEqual([undefined, undefined]);
    }
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(done.at(-1)).toBe(1500);
    expect(told.units).toBe(1500);
  });

  test('that is empty runs nothing', async () => {
    const { outcomes, told } = await outcomesOf([]);
    expect([outcomes.length, told.circuits]).toEqual([0, 0]);
  });
});
