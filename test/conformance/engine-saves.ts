/** Snapshots, against the oracles of states and of noise for the circuit that comes before each of them. */
import { describe, expect } from 'vitest';
import { type DynamicCircuit, type DynamicOperation, savesOf } from '../../src/circuit/circuit.ts';
import { compile } from '../../src/compiler/compile.ts';
import type { RunResult } from '../../src/engine/engine.ts';
import { joinedShots } from '../../src/engine/run-trajectories.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { countsByLabel, NEVER, runProgram, worstAmplitude } from '../support/engine-runs.ts';
import { exactRun } from '../support/noise-oracle.ts';
import { runDensity, runTrajectories } from '../support/noise-runs.ts';
import { withRandomNoise } from '../support/noisy-circuits.ts';
import { gate, randomDynamicCircuit, randomGates } from '../support/random-circuits.ts';
import { randomSum } from '../support/random-observables.ts';
import { densityOfPure, prefixesOf, withSaves, worstOfSave } from '../support/random-saves.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { exactOutcomes, finalAmplitudes } from '../support/state-oracle.ts';
import type { EngineUnderTest } from './engine-suite.ts';

const PURE = ['expectation', 'probabilities', 'statevector', 'amplitudes'] as const;
const MEANS = ['expectation', 'probabilities'] as const;
const MIXED = [...MEANS, 'density_matrix'] as const;

/** Gates that a compiler likes to move: swaps, global phases and wide unitaries. */
const movable = (stream: RandomStream, numQubits: number): readonly DynamicOperation[] => [
  ...randomGates(stream, numQubits, 12, Math.min(3, numQubits)),
  gate('SWAP', [0, numQubits - 1]),
  gate('GPHASE', [], [], [0.7]),
  ...randomGates(stream, numQubits, 8, 2),
];

function expectPure(circuit: DynamicCircuit, { saved }: RunResult, tolerance: number): void {
  const prefixes = prefixesOf(circuit);
  expect(saved).toHaveLength(prefixes.length);
  for (const [i, save] of savesOf(circuit).entries()) {
    const amplitudes = finalAmplitudes(prefixes[i]!);
    const worst = worstOfSave(save, saved![i]!, densityOfPure(amplitudes), amplitudes);
    expect(worst, `snapshot ${i} of ${save.output.what}`).toBeLessThan(8 * tolerance);
  }
}

/** State vectors, means over trajectories, and density matrices. */
export function describeSaves(underTest: EngineUnderTest): void {
  const { engine, tolerance, maxQubits, mostStates = 4000 } = underTest;

  describe('snapshots are of the state at their place', () => {
    testSeeds('among gates that are moved and fused', seeds(8), async (seed) => {
      const stream = new RandomStream(9100 + seed);
      const numQubits = 2 + stream.below(4);
      const gates = movable(stream, numQubits);
      const operations = withSaves(gates, stream, numQubits, PURE);
      const circuit = { numQubits, numBits: 0, operations };
      for (const optimize of [false, true]) {
        const { program } = compile(circuit, engine().target, { optimize });
        const result = await runProgram(engine(), program, { statevector: true });
        expectPure(circuit, result, tolerance);
        expect(worstAmplitude(result.statevector!, finalAmplitudes(circuit))).toBeLessThan(
          tolerance,
        );
      }
    });

    testSeeds('of a state that is wider than a tile', seeds(1), async (seed) => {
      const stream = new RandomStream(9200 + seed);
      const numQubits = Math.min(12, maxQubits);
      const operations = withSaves(movable(stream, numQubits), stream, numQubits, ['statevector']);
      const circuit = { numQubits, numBits: 0, operations };
      const { program } = compile(circuit, engine().target);
      const { saved } = await runProgram(engine(), program, {});
      for (const [i, prefix] of prefixesOf(circuit).entries()) {
        const worst = worstAmplitude(saved![i]!.statevector!, finalAmplitudes(prefix));
        expect(worst).toBeLessThan(tolerance);
      }
    });

    testSeeds('before measurements, whose counts they leave alone', seeds(2), async (seed) => {
      const stream = new RandomStream(9300 + seed);
      const before = withSaves(movable(stream, 3), stream, 3, PURE);
      const after = randomDynamicCircuit(stream, 3, 4, 10);
      const circuit = { ...after, operations: [...before, ...after.operations] };
      const { program } = compile(circuit, engine().target, { keepState: false });
      for (const shots of [0, 3000]) {
        const result = await runProgram(engine(), program, { shots, seed });
        expectPure(circuit, result, tolerance);
        if (shots === 0) continue;
        const { statistic, bound } = chiSquared(
          countsByLabel(result.counts),
          exactOutcomes(circuit),
        );
        expect(statistic).toBeLessThan(bound);
      }
    });

    testSeeds('after a measurement they need a density matrix', seeds(1), async (seed) => {
      const stream = new RandomStream(9350 + seed);
      const operations = [
        gate('H', [0]),
        { kind: 'measure', qubits: [0], bits: [0] },
        ...withSaves([], stream, 2, ['expectation']),
      ] as const;
      const { program } = compile({ numQubits: 2, numBits: 1, operations }, engine().target);
      const run = runProgram(engine(), program, { shots: 10 });
      await expect(run).rejects.toMatchObject({ code: 'ENGINE_OUTPUT_NEEDS_FINAL_STATE' });
    });
  });

  if (underTest.hasTrajectories === true) {
    testSeeds('snapshots of trajectories are means', seeds(3), async (seed) => {
      const stream = new RandomStream(9400 + seed);
      const noisy = withRandomNoise(randomGates(stream, 3, 8, 2), stream, 3);
      const circuit = { numQubits: 3, numBits: 0, operations: withSaves(noisy, stream, 3, MEANS) };
      const shots = Math.min(2000, mostStates);
      // Outputs of the end are apart from those of snapshots.
      const observables = [randomSum(stream, 3, 2)];
      const ask = { shots, seed, observables, probabilities: true };
      const { saved } = await runTrajectories(engine(), circuit, ask);
      for (const [i, { output }] of savesOf(circuit).entries()) {
        const isMean = output.what === 'expectation';
        const names = isMean ? ['expectations', 'standardErrors'] : ['probabilities'];
        expect(Object.keys(saved![i]!)).toEqual(names);
      }
      const third = Math.floor(shots / 3);
      const ranges = [
        { from: 0, to: third },
        { from: third, to: shots },
      ];
      const parts = [];
      for (const shotRange of ranges) {
        const result = await runTrajectories(engine(), circuit, { shots, seed, shotRange });
        parts.push({ numShots: shotRange.to - shotRange.from, result });
      }
      const joined = await joinedShots(parts, seed, NEVER);
      const exact = prefixesOf(circuit).map((prefix) => exactRun(prefix).density);
      for (const [i, save] of savesOf(circuit).entries()) {
        const { standardErrors = [] } = saved![i]!;
        const spread =
          save.output.what === 'expectation' ? Math.max(...standardErrors) : 1 / Math.sqrt(shots);
        const worst = worstOfSave(save, saved![i]!, exact[i]!);
        expect(worst, `snapshot ${i}`).toBeLessThan(5 * spread + 8 * tolerance);
        const whole = joined.saved![i]!;
        for (const name of ['expectations', 'standardErrors', 'probabilities'] as const) {
          for (const [j, value] of (saved![i]![name] ?? []).entries()) {
            expect(Math.abs(whole[name]![j]! - value)).toBeLessThan(100 * tolerance);
          }
        }
      }
    });
  }

  if (underTest.hasDensityMatrices === true) {
    testSeeds('snapshots of density matrices are exact', seeds(12), async (seed) => {
      const stream = new RandomStream(9500 + seed);
      const numQubits = 1 + stream.below(3);
      const dynamic = randomDynamicCircuit(stream, numQubits, 3, 10);
      const noisy = withRandomNoise(dynamic.operations, stream, numQubits);
      const operations = withSaves(noisy, stream, numQubits, MIXED);
      const circuit = { ...dynamic, operations };
      const asked = seed % 2 === 0 ? {} : { probabilities: true, shots: 50 };
      const { saved } = await runDensity(engine(), circuit, asked);
      for (const [i, prefix] of prefixesOf(circuit).entries()) {
        const worst = worstOfSave(savesOf(circuit)[i]!, saved![i]!, exactRun(prefix).density);
        expect(worst, `snapshot ${i}`).toBeLessThan(16 * tolerance);
      }
    });
  }
}
