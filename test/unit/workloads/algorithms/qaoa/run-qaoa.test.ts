/** QAOA on Ising problems against known angles, brute force and its own repeats. */
import { describe, expect, test } from 'vitest';
import type { DynamicCircuit } from '../../../../../src/circuit/circuit.ts';
import {
  type QaoaOptions,
  qaoaReport,
  runQaoa,
  topOutcomes,
} from '../../../../../src/workloads/algorithms/qaoa/run-qaoa.ts';
import {
  type IsingProblem,
  isingProblem,
  maxCutProblem,
} from '../../../../../src/workloads/algorithms/qaoa/z-polynomial.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';
import { RandomStream } from '../../../../support/random-stream.ts';

async function solve(problem: IsingProblem, options: Partial<QaoaOptions> = {}) {
  await using test = openTestContext();
  return await runQaoa(problem, { layers: 1, shots: 500, seed: 3, ...options }, test.context);
}

const ring = (size: number) =>
  Array.from({ length: size }, (_, i) => ({ from: i, to: (i + 1) % size }));

/** The energy of a basis index, from the definition. */
function energyByDefinition(problem: IsingProblem, index: number): number {
  const s = problem.fields.map((_, i) => ((index >> i) & 1 ? -1 : 1));
  let energy = problem.offset;
  for (const [i, h] of problem.fields.entries()) energy += h * s[i]!;
  for (const { i, j, value } of problem.couplings) energy += value * s[i]! * s[j]!;
  return energy;
}

/** The mean energy after layers of e^{−iγE} and e^{iβX} on each qubit, from the even superposition. */
function meanEnergy(
  problem: IsingProblem,
  gammas: readonly number[],
  betas: readonly number[],
): number {
  const size = 2 ** problem.numQubits;
  const energies = Array.from({ length: size }, (_, index) => energyByDefinition(problem, index));
  let re = Array<number>(size).fill(1 / Math.sqrt(size));
  let im = Array<number>(size).fill(0);
  for (const [layer, gamma] of gammas.entries()) {
    const turned = energies.map((energy, i) => {
      const [c, s] = [Math.cos(gamma * energy), -Math.sin(gamma * energy)];
      return [re[i]! * c - im[i]! * s, re[i]! * s + im[i]! * c] as const;
    });
    [re, im] = [turned.map(([x]) => x), turned.map(([, y]) => y)];
    const [c, s] = [Math.cos(betas[layer]!), Math.sin(betas[layer]!)];
    for (let bit = 1; bit < size; bit *= 2) {
      // cos β + i·sin β·X: the other amplitude comes in a quarter turn ahead.
      const [oldRe, oldIm] = [re, im];
      re = oldRe.map((x, i) => c * x - s * oldIm[i ^ bit]!);
      im = oldIm.map((y, i) => c * y + s * oldRe[i ^ bit]!);
    }
  }
  return energies.reduce((sum, energy, i) => sum + energy * (re[i]! ** 2 + im[i]! ** 2), 0);
}

function randomIsing(numQubits: number, stream: RandomStream): IsingProblem {
  const couplings = [];
  for (let j = 1; j < numQubits; j++) {
    for (let i = 0; i < j; i++) couplings.push({ i, j, value: stream.normal() });
  }
  const fields = Array.from({ length: numQubits }, () => stream.normal());
  return isingProblem({ numQubits, offset: stream.normal(), fields, couplings });
}

describe('runQaoa', () => {
  // Farhi, Goldstone, Gutmann (2014): (2p + 1)/(2p + 2) of a ring longer than 2p + 2.
  test.each([
    [8, 1, 3 / 4],
    [8, 2, 5 / 6],
    [10, 3, 7 / 8],
  ])('cuts a ring of %i with %i layers in a share %f of its edges', async (size, layers, share) => {
    const result = await solve(maxCutProblem(size, ring(size)), { layers });
    expect(-result.expectation / size).toBeCloseTo(share, 5);
    expect(result.expectationRatio).toBeCloseTo(share, 5);
    expect(result.optimum.energy).toBe(-size);
    expect(result.optimum.numOptima).toBe(2);
    expect(result.best.energy).toBe(-size);
    expect(result.approximationRatio).toBe(1);
  });

  test('finds the optimum of random problems with fields, as enumeration by definition does', async () => {
    const stream = new RandomStream(21);
    for (const numQubits of [1, 2, 5, 7]) {
      const problem = randomIsing(numQubits, stream);
      const energies = Array.from({ length: 2 ** numQubits }, (_, index) =>
        energyByDefinition(problem, index),
      );
      const { optimum, best, outcomes, ...result } = await solve(problem, { layers: 2 });
      const least = Math.min(...energies);
      expect(optimum.energy).toBeCloseTo(least, 10);
      expect(optimum.basisIndex).toBe(energies.indexOf(least));
      expect(optimum.worstEnergy).toBeCloseTo(Math.max(...energies), 10);
      expect(best.basisIndex).toBe(optimum.basisIndex);
      for (const { basisIndex, energy } of outcomes) {
        expect(energy).toBeCloseTo(energies[basisIndex]!, 10);
      }
      expect(result.optimumProbability).toBeGreaterThan(1.5 * result.randomOptimumProbability);
    }
  });

  test('never gets worse by a step or a layer, and ends below the mean of all states', async () => {
    const problem = randomIsing(6, new RandomStream(22));
    const result = await solve(problem, { layers: 3 });
    const { energyHistory, energyByLayers, expectation, optimum } = result;
    expect(energyHistory).toEqual(energyHistory.toSorted((a, b) => b - a));
    expect(energyByLayers).toHaveLength(3);
    expect(energyByLayers).toEqual(energyByLayers.toSorted((a, b) => b - a));
    expect(energyByLayers.at(-1)).toBe(expectation);
    expect(expectation).toBeLessThan(optimum.meanEnergy);
    expect(expectation).toBeGreaterThanOrEqual(optimum.energy);
  });

  test('tells angles that give the mean energy it tells, by phases and turns written out', async () => {
    const problem = randomIsing(4, new RandomStream(24));
    const { gammas, betas, expectation } = await solve(problem, { layers: 2 });
    expect(expectation).toBeCloseTo(meanEnergy(problem, gammas, betas), 9);
  });

  test('runs one shape of circuit for each number of layers', async () => {
    await using test = openTestContext();
    const shapes = new Set<DynamicCircuit>();
    const { circuits } = test.context;
    const run: typeof circuits.run = (shape, request) => {
      if (request.angles !== undefined) shapes.add(shape);
      return circuits.run(shape, request);
    };
    const context = { ...test.context, circuits: { ...circuits, run } };
    await runQaoa(maxCutProblem(4, ring(4)), { layers: 3, shots: 10, seed: 1 }, context);
    expect(shapes.size).toBe(3);
  });

  test('samples what the exact state says', async () => {
    const result = await solve(maxCutProblem(6, ring(6)), { shots: 20_000 });
    const { optimumProbability = null, optimumShare, sampledMean, expectation } = result;
    if (optimumProbability === null) throw new Error('unreachable: six qubits');
    const error = Math.sqrt((optimumProbability * (1 - optimumProbability)) / 20_000);
    expect(Math.abs(optimumShare - optimumProbability)).toBeLessThan(4 * error);
    expect(Math.abs(sampledMean - expectation)).toBeLessThan(4 * (6 / Math.sqrt(20_000)));
    expect(result.outcomes.reduce((sum, { count }) => sum + count, 0)).toBe(20_000);
    const counts = topOutcomes(result).map(({ count }) => count);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  });

  test('gives the same answer above twelve qubits, in batches too', async () => {
    const edges = ring(13);
    const result = await solve(maxCutProblem(13, edges), { maxSteps: 6, shots: 2_000 });
    expect(-result.expectation / 13).toBeCloseTo(3 / 4, 4);
    expect(result.optimum.energy).toBe(-12);
  });

  test('gives the same for the same seed, other samples for another', async () => {
    const problem = randomIsing(5, new RandomStream(23));
    const first = await solve(problem);
    expect(await solve(problem)).toEqual(first);
    const other = await solve(problem, { seed: 4 });
    expect(other.outcomes).not.toEqual(first.outcomes);
    expect(other.betas).toEqual(first.betas);
  });

  test('does not mind in which units energy is counted', async () => {
    const small = await solve(
      maxCutProblem(
        6,
        ring(6).map((edge) => ({ ...edge, weight: 1e-6 })),
      ),
    );
    const large = await solve(
      maxCutProblem(
        6,
        ring(6).map((edge) => ({ ...edge, weight: 1e6 })),
      ),
    );
    expect(small.expectationRatio).toBeCloseTo(3 / 4, 5);
    expect(large.expectationRatio).toBeCloseTo(3 / 4, 5);
  });

  test('takes a problem in which all states are alike', async () => {
    const result = await solve(isingProblem({ numQubits: 3, offset: 2 }), { layers: 2 });
    expect(result.expectation).toBe(2);
    expect(result.approximationRatio).toBe(1);
    expect(result.optimumProbability).toBeCloseTo(1, 12);
    expect(JSON.stringify(qaoaReport(result))).not.toMatch(/null/);
  });

  test('ends with the signal', async () => {
    const ended = new AbortController();
    ended.abort(new Error('cancelled'));
    await using test = openTestContext({ signal: ended.signal });
    const options = { layers: 1, shots: 10, seed: 1 };
    const run = runQaoa(maxCutProblem(4, ring(4)), options, test.context);
    await expect(run).rejects.toThrow('cancelled');
  });

  test.each([{ layers: 0 }, { layers: 1.5 }, { shots: 0 }, { layers: Number.NaN }])(
    'refuses %j',
    async (options) => {
      await expect(solve(maxCutProblem(4, ring(4)), options)).rejects.toThrow(RangeError);
    },
  );
});

describe('problems', () => {
  test('the energy of a cut is minus its weight', () => {
    const edges = [
      { from: 0, to: 1, weight: 2 },
      { from: 1, to: 2, weight: -1.5 },
      { from: 2, to: 0 },
    ];
    const problem = maxCutProblem(3, edges);
    for (let index = 0; index < 8; index++) {
      const cut = edges.filter(({ from, to }) => ((index >> from) ^ (index >> to)) & 1);
      const weight = cut.reduce((sum, { weight: w = 1 }) => sum + w, 0);
      expect(energyByDefinition(problem, index)).toBeCloseTo(-weight, 12);
    }
  });

  test.each([
    { numQubits: 2, fields: [1] },
    { numQubits: 2, couplings: [{ i: 0, j: 2, value: 1 }] },
    { numQubits: 2, couplings: [{ i: 1, j: 1, value: 1 }] },
    { numQubits: 2, couplings: [{ i: 0, j: 1, value: Number.NaN }] },
    { numQubits: 1, offset: Number.POSITIVE_INFINITY },
  ])('an Ising problem refuses %j', (parts) => {
    expect(() => isingProblem(parts)).toThrow(RangeError);
  });
});
