/** Initial states other than |0…0⟩, against the oracles of states and of noise. */
import { describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation, PreparedState } from '../../src/circuit/circuit.ts';
import { compile } from '../../src/compiler/compile.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { densityExpectation } from '../support/density-matrix.ts';
import { countsByLabel, runProgram, worstAmplitude } from '../support/engine-runs.ts';
import { densityBeforeReadout, exactRun } from '../support/noise-oracle.ts';
import { runDensity, runTrajectories } from '../support/noise-runs.ts';
import { withRandomNoise } from '../support/noisy-circuits.ts';
import { randomDynamicCircuit, randomGates, randomUnitary } from '../support/random-circuits.ts';
import { randomSum } from '../support/random-observables.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { exactOutcomes, finalAmplitudes } from '../support/state-oracle.ts';
import type { EngineUnderTest } from './engine-suite.ts';

function randomPure(stream: RandomStream, numQubits: number): PreparedState {
  const amplitudes = Float64Array.from({ length: 2 ** (numQubits + 1) }, () => stream.normal());
  const norm = Math.sqrt(amplitudes.reduce((sum, part) => sum + part * part, 0));
  return { kind: 'pure', amplitudes: amplitudes.map((part) => part / norm) };
}

/** A mixture of three pure states. */
function randomMixed(stream: RandomStream, numQubits: number): PreparedState {
  const d = 2 ** numQubits;
  const entries = new Float64Array(2 * d * d);
  for (const weight of [0.5, 0.3, 0.2]) {
    const psi = randomPure(stream, numQubits);
    if (psi.kind !== 'pure') throw new Error('A pure state is none.');
    for (let at = 0; at < d * d; at++) {
      const [row, column] = [2 * Math.floor(at / d), 2 * (at % d)];
      const [a, b] = [psi.amplitudes[row]!, psi.amplitudes[row + 1]!];
      const [c, e] = [psi.amplitudes[column]!, psi.amplitudes[column + 1]!];
      entries[2 * at]! += weight * (a * c + b * e);
      entries[2 * at + 1]! += weight * (b * c - a * e);
    }
  }
  return { kind: 'mixed', entries };
}

function begunIn(state: PreparedState, circuit: DynamicCircuit): DynamicCircuit {
  const qubits = Array.from({ length: circuit.numQubits }, (_, qubit) => qubit);
  const first: DynamicOperation = { kind: 'initialize', qubits, state };
  return { ...circuit, operations: [first, ...circuit.operations] };
}

const plain = (operations: readonly DynamicOperation[], numQubits: number): DynamicCircuit => ({
  numQubits,
  numBits: 0,
  operations,
});

/** State vectors, counts and trajectories. */
export function describeInitialStates(underTest: EngineUnderTest): void {
  const { engine, tolerance, maxQubits } = underTest;

  describe('a run begins in any state', () => {
    test.each([1, 2, 3, 5, 8, Math.min(12, maxQubits)])('of %i qubits', async (numQubits) => {
      const stream = new RandomStream(8100 + numQubits);
      const gates = randomGates(stream, numQubits, 15, 2);
      for (const operations of [[], gates]) {
        const circuit = begunIn(randomPure(stream, numQubits), plain(operations, numQubits));
        const exact = finalAmplitudes(circuit);
        for (const optimize of [false, true]) {
          const { program } = compile(circuit, engine().target, { optimize });
          const { statevector } = await runProgram(engine(), program, { statevector: true });
          expect(worstAmplitude(statevector!, exact)).toBeLessThan(tolerance);
        }
      }
    });

    testSeeds('with measurements, resets and conditions after it', seeds(3), async (seed) => {
      const stream = new RandomStream(8200 + seed);
      const circuit = begunIn(randomPure(stream, 3), randomDynamicCircuit(stream, 3, 4, 12));
      const { program } = compile(circuit, engine().target, { keepState: false });
      const { counts } = await runProgram(engine(), program, { shots: 4000, seed });
      const { statistic, bound } = chiSquared(countsByLabel(counts), exactOutcomes(circuit));
      expect(statistic).toBeLessThan(bound);
    });

    test('twice from one program', async () => {
      const circuit = begunIn(
        randomPure(new RandomStream(8300), 4),
        plain(randomGates(new RandomStream(8301), 4, 8, 2), 4),
      );
      const { program } = compile(circuit, engine().target);
      await using executable = await engine().prepare.statevector(program);
      const signal = new AbortController().signal;
      const ask = { shots: 0, seed: 1, statevector: true };
      const [first, second] = [
        await executable.run(ask, signal),
        await executable.run(ask, signal),
      ];
      expect(second.statevector).toEqual(first.statevector);
    });
  });

  if (underTest.hasTrajectories === true) {
    testSeeds('trajectories begin in any state', seeds(2), async (seed) => {
      const stream = new RandomStream(8400 + seed);
      const noisy = [
        ...withRandomNoise(randomGates(stream, 3, 6, 2), stream, 3),
        { kind: 'measure', qubits: [0, 1, 2], bits: [0, 1, 2] },
      ] as const;
      const circuit = begunIn(randomPure(stream, 3), { ...plain(noisy, 3), numBits: 3 });
      const { counts } = await runTrajectories(engine(), circuit, { shots: 1000, seed });
      const { statistic, bound } = chiSquared(countsByLabel(counts), exactRun(circuit).outcomes);
      expect(statistic).toBeLessThan(bound);
    });
  }
}

/** Density matrices. */
export function describeInitialMixtures({ engine, tolerance }: EngineUnderTest): void {
  test.each(['pure', 'mixed'] as const)('density matrices begin in any %s state', async (kind) => {
    for (const numQubits of [1, 2, 4]) {
      const stream = new RandomStream(8500 + numQubits);
      const state =
        kind === 'pure' ? randomPure(stream, numQubits) : randomMixed(stream, numQubits);
      const unitary = { kind: 'unitary', controls: [], targets: [0] } as const;
      const operations = withRandomNoise(
        [{ ...unitary, matrix: randomUnitary(stream, 1) }, ...randomGates(stream, numQubits, 6, 2)],
        stream,
        numQubits,
      );
      for (const after of [[], operations]) {
        const circuit = begunIn(state, plain(after, numQubits));
        const observables = [randomSum(stream, numQubits, 3)];
        const ask = { densityMatrix: true, observables };
        const { densityMatrix, expectations } = await runDensity(engine(), circuit, ask);
        const exact = densityBeforeReadout(circuit);
        expect(worstAmplitude(densityMatrix!, exact)).toBeLessThan(tolerance);
        const size = 4 * tolerance * observables[0]!.length * 3;
        expect(
          Math.abs(expectations![0]! - densityExpectation(exact, observables[0]!)),
        ).toBeLessThan(size);
      }
    }
  });
}
