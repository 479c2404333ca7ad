/**
 * Passes keep what a circuit does to every input, its global phase included: n Bell pairs in front
 * of a circuit on half of 2n qubits make one state carry the whole unitary.
 */
import { describe, expect } from 'vitest';
import type { Circuit, Operation } from '../../src/circuit/circuit.ts';
import { gateNamed } from '../../src/circuit/gates.ts';
import { fuseOneQubitRuns } from '../../src/compiler/passes/fuse-one-qubit-runs.ts';
import { cancelInverses, mergeRotations } from '../../src/compiler/passes/merge-rotations.ts';
import type { Requested } from '../../src/compiler/passes/pass.ts';
import { optimize, PIPELINE } from '../../src/compiler/passes/pipeline.ts';
import { recoverControlledGates } from '../../src/compiler/passes/recover-controlled-gates.ts';
import { worstAmplitude } from '../support/engine-runs.ts';
import {
  gate,
  randomGates,
  randomMonomial,
  randomUnitaryUse,
  randomUse,
} from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { redundantGates } from '../support/redundant-circuits.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { finalAmplitudes } from '../support/state-oracle.ts';

const NUM_QUBITS = 4;
const SEEDS = seeds(15);

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
  if (seed % 3 === 0) return randomGates(stream, NUM_QUBITS, 40, 3);
  if (seed % 3 === 1) return redundantGates(stream, NUM_QUBITS, 40);
  // Few kinds on two qubits: here everything meets everything.
  const names = ['H', 'T', 'SX', 'X', 'RZ', 'RX', 'CX', 'CZ'];
  return Array.from({ length: 40 }, () => randomUse(stream, gateNamed(stream.pick(names)), 2));
}

const length = ({ operations }: Circuit) => operations.length;

describe.each([recoverControlledGates, cancelInverses, mergeRotations, fuseOneQubitRuns])(
  '$name',
  (pass) => {
    testSeeds('keeps the unitaries of random circuits and adds nothing', SEEDS, (seed) => {
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
  },
);

describe.each([...PIPELINE, { name: 'the whole pipeline', run: optimizeCircuit }])(
  '$name',
  ({ run }) => {
    testSeeds('moves nothing across a barrier in random circuits', SEEDS, (seed) => {
      const operations = operationsOf(seed).filter(({ kind }) => kind !== 'barrier');
      const qubits = Array.from({ length: 2 * NUM_QUBITS }, (_, q) => q);
      const half = operations.length / 2;
      const circuit = onBellPairs(operations.toSpliced(half, 0, { kind: 'barrier', qubits }));
      const rewritten = run(circuit, { keepState: true });
      const before = finalAmplitudes(onBellPairs(operations.slice(0, half)));
      const overlap = overlapOf(before, finalAmplitudes(upToBarrier(rewritten)));
      expect(Math.abs(overlap - 1)).toBeLessThan(1e-12);
    });
  },
);

function upToBarrier({ operations, ...rest }: Circuit): Circuit {
  const end = operations.findIndex(({ kind }) => kind === 'barrier');
  return { ...rest, operations: operations.slice(0, end) };
}

/** |⟨a|b⟩|: a global phase may stand on either side of a barrier. */
function overlapOf(a: Float64Array, b: Float64Array): number {
  let [re, im] = [0, 0];
  for (let i = 0; i < a.length; i += 2) {
    re += a[i]! * b[i]! + a[i + 1]! * b[i + 1]!;
    im += a[i]! * b[i + 1]! - a[i + 1]! * b[i]!;
  }
  return Math.hypot(re, im);
}

describe.each([cancelInverses, mergeRotations])('$name', (pass) => {
  testSeeds('finds nothing more in a second run on random circuits', SEEDS, (seed) => {
    const circuit: Circuit = {
      numQubits: NUM_QUBITS,
      numBits: 0,
      operations: operationsOf(seed),
    };
    const once = pass.run(circuit, { keepState: true });
    expect(length(pass.run(once, { keepState: true }))).toBe(length(once));
  });
});

describe.each([...PIPELINE, { name: 'the whole pipeline', run: optimizeCircuit }])(
  'from |0…0⟩, $name',
  ({ run }) => {
    testSeeds('keeps the states of random circuits and adds nothing', SEEDS, (seed) => {
      const operations = seed % 3 === 0 ? classicalGates(seed) : operationsOf(seed);
      const circuit: Circuit = { numQubits: NUM_QUBITS, numBits: 0, operations };
      const rewritten = run(circuit, { keepState: true });
      expect(length(rewritten)).toBeLessThanOrEqual(operations.length);
      const difference = worstAmplitude(finalAmplitudes(rewritten), finalAmplitudes(circuit));
      expect(difference).toBeLessThan(1e-12);
    });
  },
);

function optimizeCircuit(circuit: Circuit, requested: Requested): Circuit {
  return optimize(circuit, requested).circuit;
}

/** Mostly permutations and diagonals: qubits stay known for long. */
function classicalGates(seed: number): readonly Operation[] {
  const stream = new RandomStream(3100 + seed);
  const names = ['X', 'Y', 'CX', 'CCX', 'SWAP', 'CSWAP', 'ISWAP', 'DCX', 'RZ', 'RZZ', 'CP', 'CRZ'];
  return Array.from({ length: 30 }, (_, i): Operation => {
    if (i % 15 === 14) return gate('H', [stream.below(NUM_QUBITS)]);
    if (i % 7 === 6) {
      const matrix = randomMonomial(stream, 1 + stream.below(3));
      return randomUnitaryUse(stream, matrix, NUM_QUBITS);
    }
    if (i % 11 === 10) return { kind: 'barrier', qubits: stream.distinct(2, NUM_QUBITS) };
    return randomUse(stream, gateNamed(stream.pick(names)), NUM_QUBITS);
  });
}

describe('the whole pipeline', () => {
  testSeeds('keeps the unitaries of random circuits and adds nothing', SEEDS, (seed) => {
    const circuit = onBellPairs(operationsOf(seed));
    const rewritten = optimize(circuit, { keepState: true }).circuit;
    expect(length(rewritten)).toBeLessThanOrEqual(length(circuit));
    const difference = worstAmplitude(finalAmplitudes(rewritten), finalAmplitudes(circuit));
    expect(difference).toBeLessThan(1e-12);
  });

  testSeeds('no pass adds operations to random circuits', SEEDS, (seed) => {
    const { passes } = optimize(onBellPairs(operationsOf(seed)), { keepState: true });
    expect(passes).toHaveLength(PIPELINE.length);
    for (const { operationsBefore, operationsAfter } of passes) {
      expect(operationsAfter).toBeLessThanOrEqual(operationsBefore);
    }
  });
});
