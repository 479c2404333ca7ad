import { describe, expect, test } from 'vitest';
import { uniformDraw } from '../../../../src/math/philox.ts';
import type { JsonObject } from '../../../../src/workloads/procedures/json.ts';
import { optimization } from '../../../../src/workloads/tpu/optimization.ts';
import { openTestContext } from '../../../support/procedure-context.ts';

async function solve(input: JsonObject) {
  await using service = openTestContext();
  return await service.run(optimization, input);
}

function faultsOf(input: unknown): readonly string[] {
  return optimization.faultsOf(input).map(({ path }) => path);
}

const ring = (size: number) => Array.from({ length: size }, (_, i) => [i, (i + 1) % size]);
const complete = (size: number) =>
  Array.from({ length: size }, (_, i) => Array.from({ length: i }, (_, k) => [k, i])).flat();

describe('MaxCut', () => {
  test('without an input cuts 12 of the 15 edges of the Petersen graph', async () => {
    const result = await solve({});
    expect(result).toMatchObject({
      problem: 'maxcut',
      best: { cut_weight: 12 },
      optimum: { cut_weight: 12 },
      approximation_ratio: 1,
      seed: 7,
    });
  });

  test.each([
    ['an even ring', ring(6), 6],
    ['an odd ring', ring(7), 6],
    ['a triangle', ring(3), 2],
    ['a complete graph', complete(6), 9],
    ['a single edge', [[0, 1]], 1],
    [
      'a graph in two parts',
      [...ring(3), ...ring(3).map((edge) => edge.map((node) => node + 3))],
      4,
    ],
  ])('of %s has its known size', async (_, edges, weight) => {
    const { optimum, best } = await solve({ edges });
    expect(optimum).toMatchObject({ cut_weight: weight });
    expect(best).toMatchObject({ cut_weight: weight });
  });

  test('tells groups whose cut edges weigh what it says', async () => {
    const edges = complete(5);
    const weights = edges.map((_, i) => Math.round(20 * uniformDraw(3, i, 0, 0)) - 5);
    const { best, optimum } = await solve({ edges, weights });
    for (const found of [best, optimum]) {
      const { groups, cut_weight, cut_edges } = JSON.parse(JSON.stringify(found));
      const cut = edges.filter(([a, b]) => groups[a ?? 0] !== groups[b ?? 0]);
      expect(cut_edges).toEqual(cut);
      expect(cut_weight).toBe(
        edges.reduce((sum, edge, i) => sum + (cut.includes(edge) ? Number(weights[i]) : 0), 0),
      );
    }
    // Tried one after the other, independently of what the job does.
    let largest = 0;
    for (let group = 0; group < 32; group++) {
      const isCut = ([a = 0, b = 0]: readonly number[]) =>
        ((group >> a) & 1) !== ((group >> b) & 1);
      const cut = edges.reduce((sum, e, i) => sum + (isCut(e) ? Number(weights[i]) : 0), 0);
      largest = Math.max(largest, cut);
    }
    expect(optimum).toMatchObject({ cut_weight: largest });
  });

  test('cuts nothing where every weight is negative', async () => {
    const { optimum, best } = await solve({ edges: ring(4), weights: [-1, -2, -3, -4] });
    expect(optimum).toMatchObject({ cut_weight: 0, cut_edges: [], number_of_optima: 2 });
    expect(best).toMatchObject({ cut_weight: 0 });
  });

  test('bears weights that are all 0', async () => {
    const result = await solve({ edges: [[0, 1]], weights: [0] });
    expect(result).toMatchObject({ approximation_ratio: 1, optimum: { cut_weight: 0 } });
  });

  test('knows nodes without edges', async () => {
    const { optimum } = await solve({ edges: [[0, 1]], nodes: 4 });
    const { groups } = JSON.parse(JSON.stringify(optimum));
    expect(groups).toHaveLength(4);
    // Either side for each of the two that are free, times two for the names of the groups.
    expect(optimum).toMatchObject({ cut_weight: 1, number_of_optima: 8 });
  });

  test('tells the optimum apart from the best of too few samples', async () => {
    const result = await solve({ edges: complete(8), layers: 1, shots: 1, seed: 3 });
    const { best, optimum } = JSON.parse(JSON.stringify(result));
    expect(optimum.cut_weight).toBe(16);
    expect(best.cut_weight).toBeLessThan(16);
    expect(result['approximation_ratio']).toBeCloseTo(best.cut_weight / 16, 12);
  });

  test('is likelier to sample an optimum than guessing is', async () => {
    const { qaoa } = await solve({ edges: ring(8), layers: 3 });
    expect(JSON.parse(JSON.stringify(qaoa)).gain_over_guessing).toBeGreaterThan(3);
  });

  test('runs 14 nodes, above what batches take', async () => {
    const result = await solve({ edges: ring(14), layers: 1, shots: 4_096 });
    // One layer on a ring gives three quarters of the edges in the mean.
    const { optimum, qaoa } = JSON.parse(JSON.stringify(result));
    expect(optimum.cut_weight).toBe(14);
    expect(-qaoa.expectation_exact / 14).toBeCloseTo(0.75, 4);
    expect(result['flops']).toBeGreaterThan(0);
  });
});

describe('an Ising problem', () => {
  test('of a ferromagnetic chain in a field lines up all spins against it', async () => {
    const h = [0.5, 0.5, 0.5, 0.5];
    const j = [0, 1, 2].map((i) => [i, i + 1, -1]);
    const { best, optimum } = await solve({ problem: 'ising', h, j });
    expect(optimum).toMatchObject({ spins: [-1, -1, -1, -1], energy: -5, number_of_optima: 1 });
    expect(best).toMatchObject({ spins: [-1, -1, -1, -1], energy: -5 });
  });

  test('of a frustrated triangle has six ground states', async () => {
    const j = [
      [0, 1, 1],
      [1, 2, 1],
      [2, 0, 1],
    ];
    const { optimum } = await solve({ problem: 'ising', h: [0, 0, 0], j });
    expect(optimum).toMatchObject({ energy: -1, number_of_optima: 6 });
  });

  test('of free spins follows their fields', async () => {
    const { optimum, best } = await solve({ problem: 'ising', h: [1, -2, 3] });
    expect(optimum).toMatchObject({ spins: [-1, 1, -1], energy: -6 });
    expect(best).toMatchObject({ energy: -6 });
  });
});

test('an optimization gives the same for the same seed', async () => {
  const input = { edges: ring(5), layers: 1, shots: 50, seed: 11 };
  const first = await solve(input);
  expect(await solve(input)).toEqual(first);
  const other = await solve({ ...input, seed: 12 });
  expect(other['most_frequent']).not.toEqual(first['most_frequent']);
});

test('an optimization counts its circuits', async () => {
  await using service = openTestContext();
  const result = await service.run(optimization, { edges: [[0, 1]], layers: 1 });
  expect(result['circuits']).toBe(service.told.circuits);
  expect(service.told.units).toBe(service.told.circuits);
  // H and RX on 2 qubits, one RZZ. Each of the 3 gradients counts as three runs.
  const runs = service.told.circuits + 2 * 3;
  expect(result['flops']).toBe(runs * (4 * 4 * 14 + 4 * 30));
});

test('an optimization wider than what runs now says so', async () => {
  await using service = openTestContext({ maxQubits: 4 });
  await expect(service.run(optimization, {})).rejects.toMatchObject({
    code: 'WORKLOADS_TASK_INPUT',
  });
});

test('an optimization ends when it is cancelled', async () => {
  await using service = openTestContext({ signal: AbortSignal.abort(new Error('cancelled')) });
  await expect(service.run(optimization, {})).rejects.toThrow('cancelled');
});

describe('an optimization is refused', () => {
  test.each([
    ['an edge to a node that is not there', { edges: [[0, 3]], nodes: 3 }, ['edges[0]']],
    [
      'an edge from a node to itself',
      {
        edges: [
          [0, 1],
          [2, 2],
        ],
      },
      ['edges[1]'],
    ],
    [
      'an edge that is named twice',
      {
        edges: [
          [0, 1],
          [1, 2],
          [1, 0],
        ],
      },
      ['edges[2]'],
    ],
    ['weights of fewer edges', { edges: ring(4), weights: [1, 2] }, ['weights']],
    [
      'weights of more edges than the Petersen graph has',
      { weights: Array(16).fill(1) },
      ['weights'],
    ],
    ['more layers than there is time for', { edges: complete(16), layers: 5 }, ['layers']],
    ['fields in a cut', { h: [1], j: [] }, ['h', 'j']],
    ['a cut in an Ising problem', { problem: 'ising', edges: [[0, 1]] }, ['edges', 'h']],
    ['couplings without spins', { problem: 'ising', j: [[0, 1, 1]] }, ['h']],
    [
      'a coupling to a spin that is not there',
      { problem: 'ising', h: [1, 1], j: [[0, 2, 1]] },
      ['j[0]'],
    ],
    [
      'a pair that is coupled twice',
      {
        problem: 'ising',
        h: [1, 1],
        j: [
          [0, 1, 1],
          [1, 0, 1],
        ],
      },
      ['j[1]'],
    ],
  ])('for %s', (_, input, paths) => {
    expect(faultsOf(input)).toEqual(paths);
  });

  test('only for as many layers as there is no time for', () => {
    expect(faultsOf({ edges: complete(16), layers: 4 })).toEqual([]);
    expect(faultsOf({ edges: ring(16), layers: 6 })).toEqual([]);
    expect(faultsOf({ problem: 'ising', h: Array(16).fill(1), layers: 6 })).toEqual([]);
  });

  test.each([
    ['no edges', { edges: [] }],
    ['too many nodes', { edges: [[0, 16]] }],
    ['a negative node', { edges: [[-1, 0]] }],
    ['half a node', { edges: [[0.5, 1]] }],
    ['an edge of three nodes', { edges: [[0, 1, 2]] }],
    ['NaN', { edges: [[0, 1]], weights: [Number.NaN] }],
    ['an infinite field', { problem: 'ising', h: [Number.POSITIVE_INFINITY] }],
    ['no spins', { problem: 'ising', h: [] }],
    ['seventeen spins', { problem: 'ising', h: Array(17).fill(1) }],
    ['too many layers', { layers: 7 }],
    ['no shots', { shots: 0 }],
    ['an unknown problem', { problem: 'tsp' }],
    ['an unknown field', { graph: [] }],
  ])('for the form of %s', (_, input) => {
    expect(optimization.input.safeParse(input).success).toBe(false);
  });
});
