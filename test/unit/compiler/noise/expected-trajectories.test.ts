/** Expected numbers of trajectories against sums over all of them, and against runs. */
import { afterAll, describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../../src/circuit/circuit.ts';
import type { Channel } from '../../../../src/circuit/noise/channel.ts';
import {
  type AlikeSites,
  expectedEvolutions,
  expectedTrajectories,
  noiseOdds,
} from '../../../../src/compiler/noise/expected-trajectories.ts';
import { openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import { runTrajectories } from '../../../support/noise-runs.ts';
import { noisyCircuit } from '../../../support/noisy-circuits.ts';
import {
  amplitudeDamping,
  channelOf,
  depolarizing,
  pauli,
} from '../../../support/textbook-channels.ts';

const engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 20 });
afterAll(() => engine.close());

/** Σ 1 − (1 − q)^shots over all trajectories. */
function summed(sites: readonly AlikeSites[], shots: number): number {
  let probabilities = [1];
  for (const { numSites, numErrors, odds } of sites) {
    const none = 1 / (1 + numErrors * odds);
    for (let site = 0; site < numSites; site++) {
      probabilities = probabilities.flatMap((before) => [
        before * none,
        ...Array.from({ length: numErrors }, () => before * none * odds),
      ]);
    }
  }
  return probabilities.reduce((sum, each) => sum + 1 - (1 - each) ** shots, 0);
}

const weak = (numSites: number) => ({ numSites, numErrors: 3, odds: 0.003 });

describe('the expected number of trajectories', () => {
  test.each([
    ['of weak noise', [weak(10)], 1000],
    ['of strong noise', [{ numSites: 8, numErrors: 3, odds: 0.3 }], 1000],
    ['of two kinds of sites', [weak(4), { numSites: 3, numErrors: 15, odds: 0.01 }], 100_000],
    ['of one site that is drawn often', [{ numSites: 1, numErrors: 3, odds: 1 }], 1000],
    ['of coins', [{ numSites: 12, numErrors: 1, odds: 1 }], 1000],
    ['of one shot', [weak(10)], 1],
    ['without noise', [], 1000],
  ])('%s is that of all trajectories', (_, sites, shots) => {
    const found = expectedTrajectories(sites, shots);
    const exact = summed(sites, shots);
    expect(found / exact).toBeGreaterThan(0.99);
    expect(found / exact).toBeLessThan(1.01);
  });

  test('is the number of shots where hardly any two agree', () => {
    expect(expectedTrajectories([{ numSites: 1e6, numErrors: 15, odds: 0.01 }], 1000)).toBe(1000);
  });

  test.each([
    ['depolarizing 1 %', channelOf(depolarizing(0.01, 2))],
    ['depolarizing 20 %', channelOf(depolarizing(0.2, 1))],
    ['unequal errors', channelOf(pauli({ X: 0.02, Z: 0.001 }))],
    ['amplitude damping', channelOf(amplitudeDamping(0.02))],
  ])('is near the number in a run with %s', async (_, channel) => {
    const circuit = noisyCircuit(channel, 4, 12, 3);
    const { trajectories = 0 } = await runTrajectories(engine, circuit, { shots: 2000, seed: 1 });
    const expected = expectedTrajectories(noiseOdds(circuit).sites, 2000);
    expect(Math.abs(trajectories - expected)).toBeLessThan(5 * Math.sqrt(expected));
  });
});

test('trajectories that begin alike share their evolution', () => {
  expect(expectedEvolutions([], 1000)).toBeCloseTo(1, 12);
  const sites = [weak(10)];
  const all = expectedTrajectories(sites, 1000);
  // Rare errors are spread evenly, so half of the circuit is left at one on average.
  expect(expectedEvolutions(sites, 1000)).toBeGreaterThan(1 + 0.45 * (all - 1));
  expect(expectedEvolutions(sites, 1000)).toBeLessThan(1 + 0.55 * (all - 1));
});

describe('the odds of errors', () => {
  const FLIP: Channel = {
    kind: 'pauli',
    numQubits: 1,
    errors: [{ flips: 1, signs: 0, probability: 0.25 }],
  };
  const noise = (channel: Channel): DynamicOperation => ({ kind: 'noise', qubits: [0], channel });
  const misread: DynamicOperation = { kind: 'misread', bits: [0], p1Given0: 0.1, p0Given1: 0.3 };
  const circuit = (...operations: DynamicOperation[]): DynamicCircuit => ({
    numQubits: 1,
    numBits: 1,
    operations,
  });
  const measure: DynamicOperation = { kind: 'measure', qubits: [0], bits: [0] };

  test('of alike channels are kept once', () => {
    const { sites, needsNorms } = noiseOdds(circuit(noise(FLIP), noise({ ...FLIP })));
    expect(sites).toEqual([{ numSites: 2, numErrors: 1, odds: expect.closeTo(1 / 3, 12) }]);
    expect(needsNorms).toBe(false);
  });

  test('of damping are those on the mixed state, and need norms', () => {
    const { sites, needsNorms } = noiseOdds(circuit(noise(channelOf(amplitudeDamping(0.2)))));
    expect(sites).toEqual([
      { numSites: 1, numErrors: expect.closeTo(1, 12), odds: expect.closeTo(1 / 9, 2) },
    ]);
    expect(needsNorms).toBe(true);
  });

  test('count bits that are misread before the end, and not those at the end', () => {
    const reset: DynamicOperation = {
      kind: 'reset',
      qubits: [0],
      condition: { bits: [0], value: 1 },
    };
    expect(noiseOdds(circuit(measure, misread)).sites).toEqual([]);
    expect(noiseOdds(circuit(measure, misread, reset)).sites).toEqual([
      { numSites: 1, numErrors: 1, odds: expect.closeTo(0.25, 12) },
    ]);
  });
});
