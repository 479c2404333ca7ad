/** Trajectories on engines against the exact distributions of the oracle of noise. */
import { afterAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation, Operation } from '../../src/circuit/circuit.ts';
import type { ClassicalExpression } from '../../src/circuit/classical-expression.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type { Engine, RunResult } from '../../src/engine/engine.ts';
import { openReferenceEngine } from '../../src/engine/reference/reference-engine.ts';
import { chiSquared } from '../support/chi-squared.ts';
import { densityExpectation, densityVariance } from '../support/density-matrix.ts';
import { countsByLabel, worstAmplitude } from '../support/engine-runs.ts';
import { densityBeforeReadout, exactRun } from '../support/noise-oracle.ts';
import { preparedTrajectories, runDensity, runTrajectories } from '../support/noise-runs.ts';
import { CHANNELS, noisyCircuit } from '../support/noisy-circuits.ts';
import { gate } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import {
  amplitudeDamping,
  bitFlip,
  channelOf,
  depolarizing,
  generalizedAmplitudeDamping,
  randomKraus,
  resetTo,
  type TextbookChannel,
  thermalRelaxation,
} from '../support/textbook-channels.ts';

const engines: readonly [string, Engine][] = [
  ['reference', openReferenceEngine({ maxQubits: 12 })],
  ['cpu f64', openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 20 })],
  ['cpu f32', openCpuEngine({ precision: 'f32', numThreads: 2, maxQubits: 20, tileQubits: 8 })],
];
afterAll(async () => {
  for (const [, engine] of engines) await engine.close();
});

const measure = (qubits: readonly number[], bits: readonly number[]): Operation => ({
  kind: 'measure',
  qubits,
  bits,
});
const noise = (
  channel: TextbookChannel,
  qubits: readonly number[],
  condition = {},
): DynamicOperation => ({ kind: 'noise', channel: channelOf(channel), qubits, ...condition });
const misread = (
  bits: readonly number[],
  p1Given0: number,
  p0Given1: number,
): DynamicOperation => ({
  kind: 'misread',
  bits,
  p1Given0,
  p0Given1,
});
const if1 = (bit: number) => ({ condition: { bits: [bit], value: 1 } });

function expectDistribution(result: RunResult, circuit: DynamicCircuit): void {
  const { statistic, bound } = chiSquared(countsByLabel(result.counts), exactRun(circuit).outcomes);
  expect(statistic).toBeLessThan(bound);
}

const READ_2: ClassicalExpression = { kind: 'read', bits: [2], encoding: 'uint', type: 'uint' };

/** Circuits whose noise meets measurements, conditions, loops and misread bits. */
const DYNAMIC: readonly [string, DynamicCircuit][] = [
  [
    'noise after a measurement, and under its outcome',
    {
      numQubits: 2,
      numBits: 3,
      operations: [
        gate('RY', [0], [], [1.1]),
        noise(amplitudeDamping(0.2), [0]),
        measure([0], [0]),
        gate('CX', [1], [0]),
        noise(depolarizing(0.2, 2), [1, 0]),
        noise(generalizedAmplitudeDamping(0.3, 0.2), [1], if1(0)),
        noise(bitFlip(1), [0], if1(0)),
        noise(amplitudeDamping(1), [1], if1(0)),
        gate('RX', [0], [], [0.7]),
        gate('RY', [1], [], [0.4]),
        measure([0, 1], [1, 2]),
      ],
    },
  ],
  [
    'bits misread in the middle, which conditions see',
    {
      numQubits: 2,
      numBits: 2,
      operations: [
        gate('RY', [0], [], [0.9]),
        measure([0], [0]),
        misread([0], 0.1, 0.3),
        { ...gate('X', [1]), ...if1(0) },
        noise(thermalRelaxation(40, 70, 15_000, 0), [1]),
        measure([1], [1]),
        misread([1], 0.02, 0.2),
      ],
    },
  ],
  [
    'bits misread at the end, one of them twice',
    {
      numQubits: 3,
      numBits: 3,
      operations: [
        gate('RY', [0], [], [0.9]),
        gate('CX', [1], [0]),
        gate('CX', [2], [0]),
        noise(bitFlip(0.03), [1]),
        measure([0, 1, 2], [2, 0, 1]),
        misread([0, 1], 0.2, 0.3),
        misread([2], 1, 0.5),
        misread([1], 0.05, 0),
      ],
    },
  ],
  [
    'a bit that is computed from a misread one',
    {
      numQubits: 2,
      numBits: 2,
      control: { numScratchBits: 1, maxRounds: 10 },
      operations: [
        gate('RY', [0], [], [0.9]),
        noise(amplitudeDamping(0.2), [0]),
        measure([0], [2]),
        misread([2], 0.1, 0.2),
        { kind: 'assign', bits: [0], value: READ_2 },
        gate('H', [1]),
        measure([1], [1]),
      ],
    },
  ],
  [
    'a loop with noise in its rounds',
    {
      numQubits: 2,
      numBits: 2,
      control: { numScratchBits: 0, maxRounds: 1000 },
      operations: [
        gate('RY', [0], [], [1.9]),
        measure([0], [0]),
        misread([0], 0.1, 0),
        {
          kind: 'while',
          condition: { bits: [0], value: 1 },
          body: [
            gate('RY', [0], [], [0.8]),
            noise(amplitudeDamping(0.2), [0]),
            gate('CX', [1], [0]),
            noise(depolarizing(0.2, 2), [0, 1]),
            measure([0], [0]),
          ],
        },
        noise(resetTo(0.3, 1), [1]),
        measure([1], [1]),
      ],
    },
  ],
];

/** Other engines have the distributions of the reference engine, because they have its counts. */
describe('trajectories on the reference engine', () => {
  const [, reference] = engines[0]!;

  test.each(CHANNELS)('have the distribution of $written', async (channel) => {
    const circuit = noisyCircuit(channelOf(channel), 3, 8, 2);
    expectDistribution(await runTrajectories(reference, circuit, { shots: 3000 }), circuit);
  });

  test.each(DYNAMIC)('have the distribution of %s', async (_name, circuit) => {
    expectDistribution(await runTrajectories(reference, circuit, { shots: 6000 }), circuit);
  });
});

test('trajectories on the CPU give the same counts for the same seed as the reference engine', async () => {
  const circuits = [
    ...CHANNELS.map(
      (channel) => [channel.written, noisyCircuit(channelOf(channel), 4, 10, 7)] as const,
    ),
    ...DYNAMIC,
  ];
  for (const [written, circuit] of circuits) {
    const [reference, ...others] = await Promise.all(
      engines.map(async ([name, engine]) => {
        const { counts } = await runTrajectories(engine, circuit, { shots: 100, seed: 11 });
        return [name, countsByLabel(counts)] as const;
      }),
    );
    for (const [name, counts] of others) {
      expect(counts, `${name}, ${JSON.stringify(written)}`).toEqual(reference![1]);
    }
  }
});

describe.each(engines)('trajectories on %s', (name, engine) => {
  test('have the means and standard errors of observables', async () => {
    const observables: PauliSum[] = [
      [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }],
      [
        { coefficient: 0.5, factors: [{ pauli: 'X', qubit: 1 }] },
        {
          coefficient: -1,
          factors: [
            { pauli: 'Z', qubit: 2 },
            { pauli: 'Y', qubit: 0 },
          ],
        },
      ],
    ];
    const circuit = noisyCircuit(channelOf(randomKraus(new RandomStream(4), 2, 4)), 3, 8, 5);
    const ask = { shots: 4000, observables, variances: true, probabilities: true };
    const result = await runTrajectories(engine, circuit, ask);
    const rho = densityBeforeReadout(circuit);
    for (const [i, observable] of observables.entries()) {
      const error = result.standardErrors![i]!;
      const deviation = result.expectations![i]! - densityExpectation(rho, observable);
      expect(error).toBeGreaterThan(0);
      expect(error).toBeLessThan(0.03);
      expect(Math.abs(deviation)).toBeLessThan(5 * error);
      expect(result.variances![i]).toBeCloseTo(densityVariance(rho, observable), 1);
    }
    for (const [label, probability] of exactRun(circuit).outcomes) {
      const mean = result.probabilities![Number.parseInt(label, 2)]!;
      expect(Math.abs(mean - probability)).toBeLessThan(0.03);
    }
  });

  test.each(DYNAMIC)('have the probabilities and means of %s', async (_name, circuit) => {
    const observables: PauliSum[] = [
      [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }],
      [
        { coefficient: 1, factors: [{ pauli: 'X', qubit: 1 }] },
        { coefficient: 0.5, factors: [{ pauli: 'Z', qubit: 0 }] },
      ],
    ];
    const shots = 6000;
    const ask = { shots, observables, variances: true, probabilities: true };
    const result = await runTrajectories(engine, circuit, ask);
    const [, reference] = engines[0]!;
    const exact = await runDensity(reference, circuit, { ...ask, shots: 0 });
    // A mean of numbers from 0 to 1 deviates no more than a mean of coins.
    for (const [outcome, probability] of exact.probabilities!.entries()) {
      const deviation = result.probabilities![outcome]! - probability;
      const error = Math.sqrt((probability * (1 - probability)) / shots);
      expect(Math.abs(deviation)).toBeLessThan(5 * error + 1e-6);
    }
    expect(result.probabilities!.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 5);
    for (const [i, mean] of exact.expectations!.entries()) {
      const deviation = result.expectations![i]! - mean;
      expect(Math.abs(deviation)).toBeLessThan(5 * result.standardErrors![i]! + 1e-6);
      expect(result.variances![i]).toBeCloseTo(exact.variances![i]!, 1);
    }
  });

  test('have variances without bias', async () => {
    const circuit = noisyCircuit(channelOf(depolarizing(0.3, 1)), 2, 4, 5);
    const observables: PauliSum[] = [[{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }]];
    const exact = densityVariance(densityBeforeReadout(circuit), observables[0]!);
    await using executable = await preparedTrajectories(engine, circuit);
    const { signal } = new AbortController();
    // Two shots each: an estimate with a bias of a part in the number of shots would be far off.
    const found: number[] = [];
    for (let seed = 0; seed < 500; seed++) {
      const ask = { shots: 2, seed, observables, variances: true };
      found.push((await executable.run(ask, signal)).variances![0]!);
    }
    const mean = found.reduce((sum, each) => sum + each, 0) / found.length;
    const spread = found.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (found.length - 1);
    expect(Math.abs(mean - exact)).toBeLessThan(5 * Math.sqrt(spread / found.length));
    expect(5 * Math.sqrt(spread / found.length)).toBeLessThan(0.2);
  });

  test('have probabilities with misread bits, exactly where no noise acts', async () => {
    const circuit: DynamicCircuit = {
      numQubits: 2,
      numBits: 2,
      operations: [
        gate('RY', [0], [], [0.9]),
        gate('CX', [1], [0]),
        measure([0, 1], [1, 0]),
        misread([0], 0.2, 0.3),
        misread([1], 0.01, 0.02),
      ],
    };
    const result = await runTrajectories(engine, circuit, { shots: 1, probabilities: true });
    for (const [label, probability] of exactRun(circuit).outcomes) {
      expect(result.probabilities![Number.parseInt(label, 2)]).toBeCloseTo(probability, 6);
    }
    expect(result.trajectories).toBe(1);
  });

  test('give the state of a single shot, normalised', async () => {
    const [, reference] = engines[0]!;
    const circuit = noisyCircuit(channelOf(amplitudeDamping(0.4)), 3, 12, 5);
    const tolerance = name === 'cpu f32' ? 1e-5 : 1e-12;
    for (let seed = 0; seed < 5; seed++) {
      const ask = { shots: 1, seed, statevector: true };
      const [own, other] = [
        await runTrajectories(engine, circuit, ask),
        await runTrajectories(reference, circuit, ask),
      ].map(({ statevector }) => statevector!);
      expect(Math.hypot(...own!)).toBeCloseTo(1, 5);
      expect(worstAmplitude(own!, other!)).toBeLessThan(tolerance);
    }
  });

  test('refuse a state vector of several shots, and means without shots', async () => {
    const circuit = noisyCircuit(channelOf(amplitudeDamping(0.2)), 2, 2, 1);
    await using executable = await preparedTrajectories(engine, circuit);
    const { signal } = new AbortController();
    await expect(
      executable.run({ shots: 2, seed: 1, statevector: true }, signal),
    ).rejects.toMatchObject({ code: 'ENGINE_OUTPUT_NEEDS_FINAL_STATE' });
    await expect(
      executable.run({ shots: 0, seed: 1, probabilities: true }, signal),
    ).rejects.toMatchObject({ code: 'ENGINE_OUTPUT_NEEDS_SHOTS' });
  });
});

describe('trajectories on the CPU', () => {
  test('agree between thread numbers and tile sizes', async () => {
    const circuit = noisyCircuit(channelOf(generalizedAmplitudeDamping(0.3, 0.2)), 11, 60, 3);
    const results: Map<string, number>[] = [];
    for (const [numThreads, tileQubits] of [
      [1, 14],
      [2, 9],
      [2, 8],
    ] as const) {
      const engine = openCpuEngine({ precision: 'f64', numThreads, maxQubits: 12, tileQubits });
      const { counts } = await runTrajectories(engine, circuit, { shots: 60 });
      results.push(countsByLabel(counts));
      await engine.close();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  test('keep to the budget of states, and say so', async () => {
    const circuit = noisyCircuit(channelOf(amplitudeDamping(0.2)), 10, 30, 3);
    const bytes = 16 * 2 ** 10;
    const open = (states: number) =>
      openCpuEngine({
        precision: 'f64',
        numThreads: 1,
        maxQubits: 14,
        memoryBytes: states * bytes,
      });
    const small = open(2);
    await expect(runTrajectories(small, circuit, { shots: 1000 })).rejects.toMatchObject({
      code: 'ENGINE_TOO_MANY_BRANCHES',
    });
    await small.close();
    // log2(1000) states wait at most; one more is at work, and one on trial.
    const large = open(12);
    expect((await runTrajectories(large, circuit, { shots: 1000 })).trajectories).toBeGreaterThan(
      1,
    );
    await large.close();
  });

  test('stop soon after the signal aborts', async () => {
    const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 16 });
    const circuit = noisyCircuit(channelOf(amplitudeDamping(0.2)), 16, 400, 3);
    await using executable = await preparedTrajectories(engine, circuit);
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    const running = executable.run({ shots: 100_000, seed: 1, onProgress }, controller.signal);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    await engine.close();
  });
});
