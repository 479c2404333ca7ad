/**
 * With measurements, resets and conditions anywhere, passes keep the exact joint distribution of
 * the classical bits.
 */
import { describe, expect } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import type { Pass, Requested } from '../../src/compiler/passes/pass.ts';
import { optimize, PIPELINE } from '../../src/compiler/passes/pipeline.ts';
import { randomDynamicCircuit } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { redundantGates } from '../support/redundant-circuits.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { exactOutcomes } from '../support/state-oracle.ts';

const SEEDS = seeds(15);
const NUM_QUBITS = 3;
const NUM_BITS = 3;

/** Half of them start in |0…0⟩, so that passes know qubits; all have measurements in between. */
function dynamicCircuit(seed: number): Circuit {
  const stream = new RandomStream(3200 + seed);
  const circuit = randomDynamicCircuit(stream, NUM_QUBITS, NUM_BITS, 14);
  const operations = circuit.operations.slice(seed % 2 === 0 ? 0 : NUM_QUBITS);
  const collapses = operations.filter(({ kind }) => kind === 'measure' || kind === 'reset');
  const gates = redundantGates(stream, NUM_QUBITS, 24);
  // Something redundant around each collapse.
  const mixed = collapses.flatMap((collapse, i) => [
    ...gates.slice(3 * i, 3 * i + 3).map((operation) => maybeConditioned(stream, operation)),
    collapse,
  ]);
  const last: Operation = { kind: 'measure', qubits: [0, 1], bits: [1, 2] };
  const both = seed % 3 === 0 ? operations : mixed;
  return { ...circuit, operations: seed % 4 < 2 ? [...both, last] : both };
}

function maybeConditioned(stream: RandomStream, operation: Operation): Operation {
  if (operation.kind === 'barrier' || stream.below(4) > 0) return operation;
  return { ...operation, condition: { bits: [stream.below(NUM_BITS)], value: stream.below(2) } };
}

function furthestOutcome(a: Circuit, b: Circuit): number {
  const [of, other] = [exactOutcomes(a), exactOutcomes(b)];
  const labels = new Set([...of.keys(), ...other.keys()]);
  return Math.max(...[...labels].map((l) => Math.abs((of.get(l) ?? 0) - (other.get(l) ?? 0))));
}

const REQUESTS: readonly [string, Requested][] = [
  ['when only counts are wanted', { keepState: false }],
  ['when the state may be wanted', { keepState: true }],
];

describe.each(REQUESTS)('%s', (_, requested) => {
  describe.each(PIPELINE.map((pass): [string, Pass] => [pass.name, pass]))('%s', (_name, pass) => {
    testSeeds('keeps the outcomes of random circuits and adds nothing', SEEDS, (seed) => {
      const circuit = dynamicCircuit(seed);
      const rewritten = pass.run(circuit, requested);
      expect(rewritten.operations.length).toBeLessThanOrEqual(circuit.operations.length);
      expect(furthestOutcome(rewritten, circuit)).toBeLessThan(1e-12);
    });
  });

  testSeeds('the whole pipeline keeps the outcomes of random circuits', SEEDS, (seed) => {
    const circuit = dynamicCircuit(seed);
    const { circuit: rewritten } = optimize(circuit, requested);
    expect(furthestOutcome(rewritten, circuit)).toBeLessThan(1e-12);
  });

  testSeeds('the gates of verbatim boxes stay as they are, in order', SEEDS, (seed) => {
    const stream = new RandomStream(6400 + seed);
    const plain = dynamicCircuit(seed);
    const operations = plain.operations.map((operation): Operation => {
      const isMarked = operation.kind === 'gate' && stream.below(2) === 0;
      return isMarked ? { ...operation, isVerbatim: true } : operation;
    });
    const circuit = { ...plain, operations };
    const { circuit: rewritten } = optimize(circuit, { ...requested, keepVerbatim: true });
    const verbatim = (all: readonly Operation[]) =>
      all.filter((operation) => operation.kind === 'gate' && operation.isVerbatim === true);
    expect(verbatim(rewritten.operations)).toEqual(verbatim(operations));
    expect(furthestOutcome(rewritten, circuit)).toBeLessThan(1e-12);
  });
});
