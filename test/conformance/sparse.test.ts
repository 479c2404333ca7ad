/** Sparse states: held to the whole suite of engines, then to what they alone do. */
import { describe, expect, test } from 'vitest';
import type { DynamicCircuit, Operation } from '../../src/circuit/circuit.ts';
import { compileTrajectories } from '../../src/compiler/noise/compile-trajectories.ts';
import type { SparseProgram } from '../../src/compiler/program.ts';
import { compileSparse } from '../../src/compiler/sparse/compile-sparse.ts';
import { supportBound } from '../../src/compiler/sparse/support-bound.ts';
import type { Engine, RunResult } from '../../src/engine/engine.ts';
import { ProgramTooWideError } from '../../src/engine/errors.ts';
import { Mutex } from '../../src/engine/mutex.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { sparseExecutable } from '../../src/engine/sparse/run-sparse.ts';
import { bytesOfAmplitude } from '../../src/engine/sparse/sparse-state.ts';
import {
  type Ask,
  countsByLabel,
  NEVER,
  runCircuit,
  worstAmplitude,
} from '../support/engine-runs.ts';
import { NOISY_CIRCUITS, withRandomNoise } from '../support/noisy-circuits.ts';
import {
  gate,
  randomDynamicCircuit,
  randomLoopCircuit,
  randomMonomial,
  randomUnitary,
} from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { describeEngine } from './engine-suite.ts';

const MAX_QUBITS = 12;
const reference = openReferenceEngine({ maxQubits: MAX_QUBITS });

/** The method as an engine of programs that were compiled for the reference engine. */
function openSparse(): Engine {
  const mutex = new Mutex();
  const prepare = async (program: SparseProgram) => {
    const { numQubits } = program;
    if (numQubits > MAX_QUBITS) throw new ProgramTooWideError(numQubits, MAX_QUBITS, 'sparse');
    return sparseExecutable(program, mutex);
  };
  return {
    name: 'reference',
    target: reference.target,
    prepare: { statevector: prepare, trajectories: prepare },
    close: () => mutex.close(async () => {}),
  };
}

describeEngine('sparse', openSparse, {
  tolerance: 1e-12,
  maxQubits: MAX_QUBITS,
  hasTrajectories: true,
});

async function run(circuit: DynamicCircuit, ask: Ask, memoryBytes?: number): Promise<RunResult> {
  await using executable = sparseExecutable(compileSparse(circuit), new Mutex(), memoryBytes);
  return await executable.run({ shots: 0, seed: 1, ...ask }, NEVER);
}

const qubitsOf = (count: number) => Array.from({ length: count }, (_, q) => q);

function measured(numQubits: number, operations: readonly Operation[]) {
  const all = qubitsOf(numQubits);
  const last: Operation = { kind: 'measure', qubits: all, bits: all };
  return { numQubits, numBits: numQubits, operations: [...operations, last] };
}

/** Mostly permutations of basis states, with phases, and few gates that mix amplitudes. */
function randomSparse(stream: RandomStream, numQubits: number): readonly Operation[] {
  return qubitsOf(40).map((): Operation => {
    const [a = 0, b = 0, c = 0, d = 0] = stream.distinct(4, numQubits);
    switch (stream.below(9)) {
      case 0:
        return gate('H', [a]);
      case 1:
        return gate('X', [a], [b, c, d]);
      case 2:
        return gate('SWAP', [a, b], [c]);
      case 3:
        return gate('P', [a], [b], [1 + stream.below(5)]);
      case 4:
        return gate('X', [a]);
      case 5:
        return gate('RXX', [a, b], [], [0.3]);
      case 6: {
        const matrix = randomMonomial(stream, 3);
        return { kind: 'unitary', controls: [d], targets: [c, a, b], matrix };
      }
      case 7:
        return stream.below(4) === 0
          ? { kind: 'unitary', controls: [], targets: [d, b], matrix: randomUnitary(stream, 2) }
          : gate('X', [b], [a]);
      default:
        return gate('H', [d], [c]);
    }
  });
}

/** Amplitudes that are not 0. */
const supportOf = (statevector: Float64Array) =>
  statevector.filter((_, i) => Math.hypot(statevector[i]!, statevector[i ^ 1]!) > 1e-13).length / 2;

describe('circuits compiled for sparse states', () => {
  testSeeds('agree with the state vector, and stay within the bound', seeds(12), async (seed) => {
    const stream = new RandomStream(seed);
    const circuit = measured(8, randomSparse(stream, 8));
    const observables = [[{ coefficient: 1, factors: [{ pauli: 'Y', qubit: 3 } as const] }]];
    const ask = { shots: 500, seed, statevector: true, probabilities: true, observables };
    const [own, exact] = [await run(circuit, ask), await runCircuit(reference, circuit, ask)];
    expect(worstAmplitude(own.statevector!, exact.statevector!)).toBeLessThan(1e-12);
    expect(own.expectations![0]).toBeCloseTo(exact.expectations![0]!, 12);
    expect(own.counts).toEqual(exact.counts);
    // The bound holds after each gate.
    for (let count = 0; count < circuit.operations.length; count++) {
      const begun = { ...circuit, operations: circuit.operations.slice(0, count) };
      const { statevector } = await runCircuit(reference, begun, { statevector: true });
      expect(supportOf(statevector!)).toBeLessThanOrEqual(2 ** supportBound(begun).log2Most);
    }
  });

  testSeeds(
    'keep to the memory that the bound says, also in loops and under noise',
    seeds(20),
    async (seed) => {
      const stream = new RandomStream(seed);
      const dynamic =
        seed % 2 === 0 ? randomLoopCircuit(stream, 3) : randomDynamicCircuit(stream, 5, 4, 25);
      const operations =
        seed % 3 === 0
          ? withRandomNoise(dynamic.operations, stream, dynamic.numQubits)
          : dynamic.operations;
      const circuit = { ...dynamic, operations };
      // One shot has one state, and under noise a trial of it: more amplitudes than those would be refused.
      const numStates = seed % 3 === 0 ? 2 : 1;
      const bytes =
        numStates * 2 ** supportBound(circuit).log2Most * bytesOfAmplitude(circuit.numQubits);
      for (let shot = 0; shot < 20; shot++) await run(circuit, { shots: 1, seed: shot }, bytes);
    },
  );

  test.each(NOISY_CIRCUITS)('have the counts of trajectories: %s', async (_, circuit) => {
    const ask = { shots: 200, seed: 5 };
    const { program } = compileTrajectories(circuit, reference.target);
    await using executable = await reference.prepare.trajectories!(program);
    const { counts } = await executable.run(ask, NEVER);
    expect((await run(circuit, ask)).counts).toEqual(counts);
  });
});

test('sums of a quantum adder in superposition, on 300 qubits, are those of the numbers', async () => {
  const width = 100;
  const [a, b, carry] = [0, width, 2 * width];
  const operations: Operation[] = [0, 40, 70].flatMap((bit) => [
    gate('H', [a + bit]),
    gate('X', [b + bit]),
  ]);
  // Ripple of carries, then the sums into the second register.
  for (let i = 0; i + 1 < width; i++) {
    operations.push(
      gate('X', [carry + i + 1], [a + i, b + i]),
      gate('X', [carry + i + 1], [a + i, carry + i]),
      gate('X', [carry + i + 1], [b + i, carry + i]),
    );
  }
  for (let i = 0; i < width; i++) {
    operations.push(gate('X', [b + i], [a + i]), gate('X', [b + i], [carry + i]));
  }
  const { counts } = await run(measured(3 * width, operations), { shots: 4000, seed: 3 });
  const added = 2n ** 0n + 2n ** 40n + 2n ** 70n;
  for (const label of countsByLabel(counts).keys()) {
    const all = BigInt(`0b${label}`);
    const part = (from: number) => (all >> BigInt(from)) & (2n ** BigInt(width) - 1n);
    expect(part(b)).toBe(part(a) + added);
  }
  expect(counts.occurrences.length).toBe(8);
});

test('amplitudes that cancel are no longer kept', async () => {
  const turns = qubitsOf(200).flatMap((q) => [
    gate('H', [q]),
    gate('T', [q]),
    gate('TDG', [q]),
    gate('H', [q]),
  ]);
  // One amplitude, and two while a gate acts.
  const { amplitudes } = await run(measured(200, turns), { amplitudes: [0n, 1n] }, 2 * 3 * 44);
  expect(amplitudes![0]).toBeCloseTo(1, 12);
  expect(amplitudes![2]).toBe(0);
});

test('more amplitudes than there is memory for are refused, with their number', async () => {
  const spread = measured(
    40,
    qubitsOf(40).map((q) => gate('H', [q])),
  );
  await expect(run(spread, { shots: 1 }, 2 ** 20)).rejects.toMatchObject({
    code: 'ENGINE_TOO_MANY_AMPLITUDES',
    message: expect.stringContaining('14563 amplitudes'),
  });
});
