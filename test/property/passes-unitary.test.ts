/**
 * Passes keep what a circuit does to every input, its global phase included: n Bell pairs in front
 * of a circuit on half of 2n qubits make one state carry the whole unitary.
 */
import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { cancelInverses } from '../../src/compiler/passes/cancel-inverses.ts';
import { mergeRotations } from '../../src/compiler/passes/merge-rotations.ts';
import type { Pass } from '../../src/compiler/passes/pass.ts';
import { optimize, PIPELINE } from '../../src/compiler/passes/pipeline.ts';
import { worstAmplitude } from '../support/engine-runs.ts';
import { gate, randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { redundantGates } from '../support/redundant-circuits.ts';
import { finalAmplitudes } from '../support/state-oracle.ts';

const NUM_QUBITS = 4;
const SEEDS = Array.from({ length: 60 }, (_, i) => i);

/** n Bell pairs between qubits q and n + q, then the operations on the lower n. */
function onBellPairs(operations: readonly Operation[]): Circuit {
  const pairs = Array.from({ length: NUM_QUBITS }, (_, q) => [
    gate('H', [q + NUM_QUBITS]),
    gate('X', [q], [q + NUM_QUBITS]),
  ]).flat();
  return { numQubits: 2 * NUM_QUBITS, numBits: 0, operations: [...pairs, ...operations] };
}

function operationsOf(seed: number): readonly Operation[] {
  const stream = new RandomStream(3000 + seed);
  return seed % 2 === 0
    ? randomGates(stream, NUM_QUBITS, 40, 3)
    : redundantGates(stream, NUM_QUBITS, 40);
}

const length = ({ operations }: Circuit) => operations.length;

describe.each<[string, Pass]>([
  [cancelInverses.name, cancelInverses],
  [mergeRotations.name, mergeRotations],
])('%s', (_, pass) => {
  test.each(SEEDS)('keeps the unitary of random circuit %i and adds nothing', (seed) => {
    const operations = operationsOf(seed);
    const circuit: Circuit = { numQubits: NUM_QUBITS, numBits: 0, operations };
    const rewritten = pass.run(circuit, { keepState: true });
    expect(length(rewritten)).toBeLessThanOrEqual(operations.length);
    const difference = worstAmplitude(
      finalAmplitudes(onBellPairs(rewritten.operations)),
      finalAmplitudes(onBellPairs(operations)),
    );
    expect(difference).toBeLessThan(1e-12);
  });

  test.each(SEEDS)('finds nothing more in a second run on random circuit %i', (seed) => {
    const circuit: Circuit = {
      numQubits: NUM_QUBITS,
      numBits: 0,
      operations: operationsOf(seed),
    };
    const once = pass.run(circuit, { keepState: true });
    expect(length(pass.run(once, { keepState: true }))).toBe(length(once));
  });
});

describe('the whole pipeline', () => {
  test.each(SEEDS)('keeps the unitary of random circuit %i and adds nothing', (seed) => {
    const circuit = onBellPairs(operationsOf(seed));
    const rewritten = optimize(circuit, { keepState: true }).circuit;
    expect(length(rewritten)).toBeLessThanOrEqual(length(circuit));
    const difference = worstAmplitude(finalAmplitudes(rewritten), finalAmplitudes(circuit));
    expect(difference).toBeLessThan(1e-12);
  });

  test.each(SEEDS)('no pass adds operations to random circuit %i', (seed) => {
    const { passes } = optimize(onBellPairs(operationsOf(seed)), { keepState: true });
    expect(passes).toHaveLength(PIPELINE.length);
    for (const { operationsBefore, operationsAfter } of passes) {
      expect(operationsAfter).toBeLessThanOrEqual(operationsBefore);
    }
  });
});
