/**
 * Noise, by both methods, against the oracle of noise: density matrices exactly, trajectories by what chance allows.
 */
import { describe, expect, test } from 'vitest';
import {
  allOperations,
  type DynamicCircuit,
  type DynamicOperation,
} from '../../src/circuit/circuit.ts';
import type { Channel } from '../../src/circuit/noise/channel.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import type { Engine, RunResult } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { chiSquared, chiSquaredBound } from '../support/chi-squared.ts';
import { densityExpectation, densityVariance, purityOf } from '../support/density-matrix.ts';
import { type Ask, countsByLabel, worstAmplitude } from '../support/engine-runs.ts';
import { densityBeforeReadout, exactRun, withoutReadout } from '../support/noise-oracle.ts';
import { runDensity, runTrajectories } from '../support/noise-runs.ts';
import {
  atEveryPlace,
  CHANNELS,
  NOISY_CIRCUITS,
  randomNoisyCircuit,
  randomNoisyLoops,
  withRandomNoise,
} from '../support/noisy-circuits.ts';
import { randomGates } from '../support/random-circuits.ts';
import { randomSum } from '../support/random-observables.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import type { EngineUnderTest } from './engine-suite.ts';

type RunNoisy = (engine: Engine, circuit: DynamicCircuit, ask: Ask) => Promise<RunResult>;

/** Observables with several terms each, and one that is a single Pauli. */
function observablesFor(seed: number, numQubits: number): readonly PauliSum[] {
  const stream = new RandomStream(seed);
  const single: PauliSum = [{ coefficient: -2, factors: [{ pauli: 'Y', qubit: numQubits - 1 }] }];
  return [single, randomSum(stream, numQubits, 3), randomSum(stream, numQubits, 6)];
}

/** Largest absolute value that an observable can have, or more. */
function sizeOf(observable: PauliSum): number {
  return observable.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 0);
}

/** Expects counts that the exact distribution gives. */
function expectDrawn({ counts }: RunResult, circuit: DynamicCircuit): void {
  const exact = impossibleLeftOut(exactRun(circuit).outcomes);
  const { statistic, bound } = chiSquared(countsByLabel(counts), exact);
  expect(statistic).toBeLessThan(bound);
}

/** Outcomes that rounding alone gives a probability do not occur. */
function impossibleLeftOut(outcomes: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...outcomes].filter(([, probability]) => probability > 1e-12));
}

/** Probability of each value of the register. */
function exactProbabilities(circuit: DynamicCircuit): Float64Array {
  const exact = new Float64Array(2 ** circuit.numBits);
  for (const [label, probability] of exactRun(circuit).outcomes) {
    exact[Number.parseInt(label, 2)] = probability;
  }
  return exact;
}

/** Whether nothing but noise happens before the measurements that end a circuit. */
function measuresLast(circuit: DynamicCircuit): boolean {
  const { operations } = withoutReadout(circuit);
  return allOperations(operations).every(({ kind }) => kind !== 'measure');
}

/** A register that no small tile holds, with noise on all of its qubits. */
function wideCircuit(seed: number, numQubits: number): DynamicCircuit {
  const stream = new RandomStream(seed);
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  return {
    numQubits,
    numBits: numQubits,
    operations: [
      ...withRandomNoise(randomGates(stream, numQubits, 20, 2), stream, numQubits),
      { kind: 'measure', qubits: all, bits: all },
    ],
  };
}

/** Random circuits with noise that an engine takes; loops come last. */
function randomCircuit(seed: number, underTest: EngineUnderTest): DynamicCircuit {
  const stream = new RandomStream(4000 + seed);
  const circuit =
    seed % 3 === 2 ? randomNoisyLoops(stream, 3) : randomNoisyCircuit(stream, 2 + (seed % 3));
  return { ...circuit, operations: taken(circuit.operations, underTest) };
}

/** The operations without noise that an engine does not take. */
function taken(
  operations: readonly DynamicOperation[],
  underTest: EngineUnderTest,
): readonly DynamicOperation[] {
  return operations.flatMap((operation): readonly DynamicOperation[] => {
    if (operation.kind === 'while')
      return [{ ...operation, body: taken(operation.body, underTest) }];
    return operation.kind === 'noise' && !takes(operation.channel, underTest) ? [] : [operation];
  });
}

const takes = (
  { kind, numQubits }: Channel,
  { widestChannel = Number.POSITIVE_INFINITY }: EngineUnderTest,
): boolean => kind === 'pauli' || numQubits <= widestChannel;

const takesAll = ({ operations }: DynamicCircuit, underTest: EngineUnderTest): boolean =>
  allOperations(operations).every(
    (operation) => operation.kind !== 'noise' || takes(operation.channel, underTest),
  );

/** Counts by either method. */
function describeCounts(method: string, run: RunNoisy, underTest: EngineUnderTest): void {
  const { engine, mostStates = Number.POSITIVE_INFINITY } = underTest;
  const atMost = (shots: number) => Math.min(shots, mostStates);

  describe(`${method} draw from the exact distribution`, () => {
    test.each(NOISY_CIRCUITS)('of %s', async (_, circuit) => {
      const hasLoops = circuit.operations.some(({ kind }) => kind === 'while');
      const shots = hasLoops ? atMost(20_000) : 20_000;
      expectDrawn(await run(engine(), circuit, { shots, seed: 21 }), circuit);
    });

    test.each(CHANNELS)('after $name, on any operands in any order', async (channel) => {
      for (const circuit of atEveryPlace(channel)) {
        if (!takesAll(circuit, underTest)) return;
        expectDrawn(await run(engine(), circuit, { shots: 5_000, seed: 22 }), circuit);
      }
    });

    testSeeds('of random circuits', seeds(3), async (seed) => {
      const circuit = randomCircuit(seed, underTest);
      expectDrawn(await run(engine(), circuit, { shots: atMost(2_000), seed }), circuit);
    });
  });

  test(`${method} give the same counts for the same seed, and others for another`, async () => {
    const circuit = randomCircuit(1, underTest);
    const countsFor = async (seed: number) =>
      countsByLabel((await run(engine(), circuit, { shots: atMost(500), seed })).counts);
    expect(await countsFor(5)).toEqual(await countsFor(5));
    expect(await countsFor(6)).not.toEqual(await countsFor(5));
  });
}

/** Trajectories of an engine. */
export function describeTrajectories(underTest: EngineUnderTest): void {
  const { engine, maxQubits, mostStates = Number.POSITIVE_INFINITY } = underTest;
  describeCounts('trajectories', runTrajectories, underTest);

  testSeeds('trajectories are those of the reference engine', seeds(3), async (seed) => {
    await expectReference(randomCircuit(10 + seed, underTest), seed, 0);
  });

  test('trajectories are those of the reference engine where no tile holds all qubits', async () => {
    // Draws within rounding of a boundary may fall on the other side in single precision.
    const circuit = wideCircuit(51, Math.min(maxQubits, 12));
    await expectReference({ ...circuit, operations: taken(circuit.operations, underTest) }, 1, 2);
  });

  const expectReference = async (circuit: DynamicCircuit, seed: number, mostApart: number) => {
    await using reference = openReference();
    const ask = {
      shots: Math.min(1000, mostStates),
      seed,
      observables: observablesFor(seed, circuit.numQubits),
    };
    const [own, other] = await Promise.all(
      [engine(), reference.engine].map((each) => runTrajectories(each, circuit, ask)),
    );
    // An engine that moves qubits has sections of its own at the ends of loops, and other draws after them.
    const hasLoops = circuit.operations.some(({ kind }) => kind === 'while');
    if (mostApart === 0 && !(hasLoops && underTest.hasOwnOrder === true)) {
      expect(own!.trajectories).toBe(other!.trajectories);
      const rounding = Math.max(1e-9, 100 * underTest.tolerance);
      for (const values of ['expectations', 'standardErrors'] as const) {
        for (const [i, value] of other![values]!.entries())
          expect(Math.abs(own![values]![i]! - value)).toBeLessThan(rounding);
      }
    }
    if (underTest.hasOwnOrder === true) return;
    const [ownCounts, otherCounts] = [countsByLabel(own!.counts), countsByLabel(other!.counts)];
    const labels = new Set([...ownCounts.keys(), ...otherCounts.keys()]);
    const apart = [...labels].filter((label) => ownCounts.get(label) !== otherCounts.get(label));
    expect(apart.length).toBeLessThanOrEqual(mostApart);
  };

  describe('means over trajectories', () => {
    test.each(CHANNELS)('after $name are within their standard errors', async (channel) => {
      const circuit = withoutReadout(atEveryPlace(channel)[1]!);
      if (!takesAll(circuit, underTest)) return;
      const observables = observablesFor(31, circuit.numQubits);
      const { expectations, standardErrors } = await runTrajectories(engine(), circuit, {
        shots: 2_000,
        seed: 31,
        observables,
      });
      const rho = densityBeforeReadout(circuit);
      for (const [i, observable] of observables.entries()) {
        const error = Math.abs(expectations![i]! - densityExpectation(rho, observable));
        const rounding = 10 * underTest.tolerance * sizeOf(observable);
        expect(error).toBeLessThan(5 * standardErrors![i]! + rounding);
      }
    });

    test('scatter as their standard errors say', async () => {
      const circuit = withoutReadout(NOISY_CIRCUITS.find(([name]) => name.includes('rare'))![1]);
      const [, , observable = []] = observablesFor(32, circuit.numQubits);
      const exact = densityExpectation(densityBeforeReadout(circuit), observable);
      let squares = 0;
      // A run takes some 30 trajectories.
      const numRuns = Math.min(60, mostStates / 2);
      for (let seed = 0; seed < numRuns; seed++) {
        const { expectations, standardErrors } = await runTrajectories(engine(), circuit, {
          shots: 400,
          seed,
          observables: [observable],
        });
        squares += ((expectations![0]! - exact) / standardErrors![0]!) ** 2;
      }
      expect(squares).toBeLessThan(chiSquaredBound(numRuns));
      // Errors half as large as stated would come to a quarter of the runs.
      expect(squares).toBeGreaterThan(numRuns / 3);
    });

    test.each(NOISY_CIRCUITS.filter(([, circuit]) => measuresLast(circuit)))(
      'of probabilities fit %s',
      async (_, circuit) => {
        const shots = 4_000;
        const { probabilities } = await runTrajectories(engine(), circuit, {
          shots,
          seed: 33,
          probabilities: true,
        });
        for (const [value, exact] of exactProbabilities(circuit).entries()) {
          const spread = Math.sqrt((exact * (1 - Math.min(1, exact))) / shots);
          expect(Math.abs(probabilities![value]! - exact)).toBeLessThan(5 * spread + 1e-5);
        }
      },
    );
  });

  test('trajectories that drew the same errors are computed once', async () => {
    const [, circuit] = NOISY_CIRCUITS.find(([name]) => name.includes('rare'))!;
    const { trajectories } = await runTrajectories(engine(), circuit, { shots: 1000, seed: 3 });
    // Twelve channels of 1 % leave 88.6 % of the shots without any error.
    expect(trajectories).toBeGreaterThan(20);
    expect(trajectories).toBeLessThan(180);
  });

  test.each(NOISY_CIRCUITS)('the state of a single shot has length 1: %s', async (_, circuit) => {
    const all = Array.from({ length: 2 ** circuit.numQubits }, (_, index) => BigInt(index));
    const ask = { shots: 1, seed: 5, statevector: true, amplitudes: all };
    const { statevector, amplitudes } = await runTrajectories(engine(), circuit, ask);
    expect(amplitudes!.reduce((sum, part) => sum + part ** 2, 0)).toBeCloseTo(1, 5);
    expect(amplitudes).toEqual(statevector);
  });
}

/** Density matrices of an engine. */
export function describeDensity(underTest: EngineUnderTest): void {
  const { engine, tolerance } = underTest;
  describeCounts('density matrices', runDensity, underTest);

  /** Expects the density matrix and all that follows from it to be exact. */
  const expectExact = async (circuit: DynamicCircuit) => {
    const rho = densityBeforeReadout(circuit);
    const observables = observablesFor(41, circuit.numQubits);
    const result = await runDensity(engine(), circuit, {
      densityMatrix: true,
      purity: true,
      probabilities: true,
      observables,
      variances: true,
    });
    expect(worstAmplitude(result.densityMatrix!, rho)).toBeLessThan(tolerance);
    expect(Math.abs(result.purity! - purityOf(rho))).toBeLessThan(4 * tolerance);
    const exact = exactProbabilities(circuit);
    expect(result.probabilities).toHaveLength(exact.length);
    for (const [value, probability] of exact.entries()) {
      expect(Math.abs(result.probabilities![value]! - probability)).toBeLessThan(tolerance);
    }
    for (const [i, observable] of observables.entries()) {
      const size = sizeOf(observable);
      const [mean, variance] = [
        densityExpectation(rho, observable),
        densityVariance(rho, observable),
      ];
      expect(Math.abs(result.expectations![i]! - mean)).toBeLessThan(4 * tolerance * size);
      expect(Math.abs(result.variances![i]! - variance)).toBeLessThan(8 * tolerance * size ** 2);
    }
  };

  describe('density matrices are exact', () => {
    test.each(CHANNELS)('after $name, on any operands in any order', async (channel) => {
      for (const circuit of atEveryPlace(channel)) await expectExact(circuit);
    });

    test.each(NOISY_CIRCUITS)('for %s', async (_, circuit) => {
      await expectExact(circuit);
    });

    testSeeds('for random circuits', seeds(6), async (seed) => {
      await expectExact(randomCircuit(20 + seed, underTest));
    });

    test.each([5, 6])('on %i qubits, where no small tile holds all rows and columns', async (n) => {
      await expectExact(wideCircuit(60 + n, n));
    });
  });
}

function openReference() {
  const engine = openReferenceEngine({ maxQubits: 12 });
  return { engine, [Symbol.asyncDispose]: () => engine.close() };
}
