/** Assignment and routing against optima found another way, and against wrong inputs. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { roboticsAgent } from '../../../../../src/workloads/agents/agents.ts';
import {
  assignment,
  routing,
} from '../../../../../src/workloads/agents/robotics/permutation-tasks.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';
import { RandomStream } from '../../../../support/random-stream.ts';

const common = {
  optimum_found: z.boolean(),
  approximation_ratio: z.number(),
  valid_share: z.number(),
  candidates: z.number(),
  seed: z.number(),
  qaoa: z.object({
    qubits: z.number(),
    layers: z.number(),
    gammas_rad_per_energy: z.array(z.number()),
    betas_rad: z.array(z.number()),
    energy_history: z.array(z.number()),
    expectation_exact: z.number(),
    mean_sampled: z.number(),
    optimum_probability: z.number(),
    optimum_share_sampled: z.number(),
    gain_over_guessing: z.number(),
    random_guessing: z.object({ mean: z.number(), optimum_probability: z.number() }),
  }),
};
const assigned = z.object({
  assignment: z.array(z.object({ robot: z.number(), task: z.number(), cost: z.number() })),
  total_cost: z.number(),
  optimum_cost: z.number(),
  ...common,
});
const routed = z.object({
  route: z.array(z.number()),
  length: z.number(),
  optimum_length: z.number(),
  ...common,
});

async function assign(input: JsonObject) {
  await using test = openTestContext();
  return assigned.parse(await test.run(assignment, input));
}

async function route(input: JsonObject) {
  await using test = openTestContext();
  return routed.parse(await test.run(routing, input));
}

/** The least cost by dynamic programming over sets of tasks, which knows nothing of permutations. */
function leastCost(costs: readonly (readonly number[])[]): number {
  let least = new Map([[0, 0]]);
  for (const row of costs) {
    const next = new Map<number, number>();
    for (const [done, sum] of least) {
      for (const [task, cost] of row.entries()) {
        if ((done >> task) & 1) continue;
        const after = done | (1 << task);
        next.set(after, Math.min(next.get(after) ?? Number.POSITIVE_INFINITY, sum + cost));
      }
    }
    least = next;
  }
  return least.get(2 ** costs.length - 1)!;
}

/** The shortest round trip by Held and Karp's recursion. */
function shortestTour(distances: readonly (readonly number[])[]): number {
  const last = 2 ** distances.length - 1;
  const visit = (at: number, seen: number): number => {
    if (seen === last) return distances[at]![0]!;
    const left = [...distances.keys()].filter((site) => !((seen >> site) & 1));
    return Math.min(...left.map((site) => distances[at]![site]! + visit(site, seen | (1 << site))));
  };
  return visit(0, 1);
}

describe('assignment', () => {
  test.each([2, 3, 4])('finds the least cost of random costs of %i robots', async (size) => {
    const stream = new RandomStream(60 + size);
    const costs = Array.from({ length: size }, () =>
      Array.from({ length: size }, () => stream.below(50) - 10),
    );
    const { assignment: pairs, total_cost, optimum_cost, qaoa, ...rest } = await assign({ costs });
    expect(optimum_cost).toBe(leastCost(costs));
    expect(total_cost).toBe(optimum_cost);
    expect(rest.optimum_found).toBe(true);
    expect(rest.approximation_ratio).toBe(1);
    expect(rest.valid_share).toBe(1);
    expect(pairs.map(({ robot }) => robot)).toEqual([...costs.keys()]);
    expect(new Set(pairs.map(({ task }) => task)).size).toBe(size);
    for (const { robot, task, cost } of pairs) expect(cost).toBe(costs[robot]![task]);
    expect(qaoa.gain_over_guessing).toBeGreaterThan(1.5);
    expect(qaoa.expectation_exact).toBeLessThan(qaoa.random_guessing.mean);
    // On average each robot gets each task alike often.
    expect(qaoa.random_guessing.mean).toBeCloseTo(costs.flat().reduce((a, b) => a + b) / size, 9);
  });

  test('two robots are assigned for sure by one layer', async () => {
    const costs = [
      [1, 4],
      [4, 2],
    ];
    const { qaoa, total_cost } = await assign({ costs, layers: 1, shots: 10 });
    expect(total_cost).toBe(3);
    expect(qaoa.optimum_probability).toBeCloseTo(1, 6);
  });

  test('says what it found even where that is not the optimum', async () => {
    const costs = Array.from({ length: 4 }, (_, i) =>
      Array.from({ length: 4 }, (_, j) => (7 * i + 5 * j + 3 * i * j) % 11),
    );
    // One shot: what is found is one permutation, the optimum rarely.
    const found = await assign({ costs, layers: 1, shots: 1, seed: 2 });
    expect(found.optimum_cost).toBe(leastCost(costs));
    expect(found.total_cost).toBeGreaterThan(found.optimum_cost);
    expect(found.optimum_found).toBe(false);
    expect(found.approximation_ratio).toBeLessThan(1);
    expect(found.qaoa.qubits).toBe(8);
    expect(found.qaoa.mean_sampled).toBeCloseTo(found.total_cost, 9);
    expect(found.candidates).toBe(24);
  });

  test('gives the same for the same seed, other samples for another', async () => {
    const input = {
      costs: [
        [5, 2, 9],
        [4, 4, 1],
        [3, 8, 6],
      ],
      seed: 5,
      shots: 50,
    };
    const first = await assign(input);
    expect(await assign(input)).toEqual(first);
    const other = await assign({ ...input, seed: 6 });
    expect(other.qaoa.mean_sampled).not.toBe(first.qaoa.mean_sampled);
    expect(other.qaoa.expectation_exact).toBe(first.qaoa.expectation_exact);
  });

  test('takes costs that are all the same', async () => {
    const { approximation_ratio, optimum_found } = await assign({
      costs: [
        [2, 2],
        [2, 2],
      ],
    });
    expect([approximation_ratio, optimum_found]).toEqual([1, true]);
  });

  test.each([
    [
      [
        [1, 2],
        [3, 4, 5],
      ],
      'costs[1]',
    ],
    [[[1], [2]], 'costs[0]'],
    [
      [
        [1, 2, 3],
        [1, 2, 3],
      ],
      'costs[0]',
    ],
  ])('refuses the costs %j, which are not square', (costs, path) => {
    const faults = assignment.faultsOf({ costs });
    expect(faults[0]?.path).toBe(path);
  });

  test.each([
    { costs: [[1]] },
    { costs: [] },
    {
      costs: [
        [1, Number.NaN],
        [1, 2],
      ],
    },
    {
      costs: [
        [1, '2'],
        [1, 2],
      ],
    },
    {
      costs: [
        [1, 1e300],
        [1, 2],
      ],
    },
    { costs: Array(6).fill([1, 2, 3, 4, 5, 6]) },
    {
      costs: [
        [1, 2],
        [3, 4],
      ],
      layers: 0,
    },
    {
      costs: [
        [1, 2],
        [3, 4],
      ],
      shots: -1,
    },
    {
      costs: [
        [1, 2],
        [3, 4],
      ],
      penalty: 1,
    },
  ])('refuses %j', (input) => {
    expect(assignment.input.safeParse(input).success).toBe(false);
  });
});

describe('routing', () => {
  test('walks the corners of a pentagon in order', async () => {
    const angle = (i: number) => (2 * Math.PI * i) / 5;
    // Corners in the order 0, 2, 4, 1, 3 of the sites.
    const coordinates = [0, 3, 1, 4, 2].map((i) => [Math.cos(angle(i)), Math.sin(angle(i))]);
    const { route: found, length, optimum_length, ...rest } = await route({ coordinates });
    const perimeter = 10 * Math.sin(Math.PI / 5);
    expect(optimum_length).toBeCloseTo(perimeter, 10);
    expect(length).toBeCloseTo(perimeter, 10);
    expect([
      [0, 2, 4, 1, 3, 0],
      [0, 3, 1, 4, 2, 0],
    ]).toContainEqual(found);
    expect(rest.optimum_found).toBe(true);
    expect(rest.valid_share).toBe(1);
    expect(rest.qaoa.gain_over_guessing).toBeGreaterThan(3);
  });

  test.each([3, 4, 5])('finds the shortest round trip of %i sites one-way', async (sites) => {
    const stream = new RandomStream(70 + sites);
    const distances = Array.from({ length: sites }, (_, i) =>
      Array.from({ length: sites }, (_, j) => (i === j ? 0 : 1 + stream.below(20))),
    );
    const found = await route({ distances, one_way: true });
    expect(found.optimum_length).toBe(shortestTour(distances));
    expect(found.length).toBe(found.optimum_length);
    expect(found.route.at(0)).toBe(0);
    expect(found.route.at(-1)).toBe(0);
    expect(new Set(found.route).size).toBe(sites);
    const length = found.route
      .slice(1)
      .reduce((sum, site, i) => sum + distances[found.route[i]!]![site]!, 0);
    expect(length).toBe(found.length);
    // In a random round trip each of the ways between two sites comes alike often.
    const ways = distances.flat().reduce((a, b) => a + b) / (sites - 1);
    expect(found.qaoa.random_guessing.mean).toBeCloseTo(ways, 9);
  });

  test('ends elsewhere when it need not return, from the start that was named', async () => {
    // On a line the shortest way from one end is straight on.
    const coordinates = [
      [2, 0],
      [0, 0],
      [3, 0],
      [1, 0],
    ];
    const found = await route({ coordinates, start: 1, return_to_start: false });
    expect(found.route).toEqual([1, 3, 0, 2]);
    expect(found.length).toBe(3);
    expect(found.candidates).toBe(6);
    // On average the first way is 2 long, and the two after it as a way between two of the others.
    const others = (1 + 1 + 2) / 3;
    expect(found.qaoa.random_guessing.mean).toBeCloseTo(2 + 2 * others, 9);
  });

  test.each([
    [{}, 'coordinates'],
    [
      {
        coordinates: [
          [0, 0],
          [1, 0],
          [0, 1],
        ],
        distances: [
          [0, 1, 1],
          [1, 0, 1],
          [1, 1, 0],
        ],
      },
      'distances',
    ],
    [
      {
        distances: [
          [0, 1, 1],
          [1, 0],
          [1, 1, 0],
        ],
      },
      'distances[1]',
    ],
    [
      {
        distances: [
          [0, 1, 2],
          [1, 0, 1],
          [1, 1, 0],
        ],
      },
      'distances[0][2]',
    ],
    [
      {
        distances: [
          [0, 1, 1],
          [1, 3, 1],
          [1, 1, 0],
        ],
      },
      'distances[1][1]',
    ],
    [
      {
        coordinates: [
          [0, 0],
          [1, 0],
          [0, 1],
        ],
        start: 3,
      },
      'start',
    ],
  ])('finds the fault of %j', (input, path) => {
    const faults = routing.faultsOf(input);
    expect(faults.map((fault) => fault.path)).toContain(path);
  });

  test.each([
    {
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    },
    {
      coordinates: [
        [0, 0],
        [1, 1],
        [1, Number.NaN],
      ],
    },
    {
      coordinates: [
        [0, 0],
        [1, 1],
        [1, 2, 3],
      ],
    },
    { coordinates: Array(6).fill([0, 0]) },
    {
      distances: [
        [0, -1, 1],
        [-1, 0, 1],
        [1, 1, 0],
      ],
    },
    {
      coordinates: [
        [0, 0],
        [1, 1],
        [1, 2],
      ],
      start: -1,
    },
  ])('refuses %j', (input) => {
    expect(routing.input.safeParse(input).success).toBe(false);
  });
});

describe('the robotics agent', () => {
  test('passes its self-test, and would say if the answer were another', async () => {
    await using test = openTestContext();
    const { selfTest, procedures } = roboticsAgent;
    const result = await test.run(procedures[0]!, selfTest.input);
    expect(selfTest.faultOf(result)).toBeUndefined();
    expect(selfTest.faultOf({ ...result, total_cost: 8 })).toMatch(/8/);
  });

  test.each(roboticsAgent.procedures.map((p) => [p.name, p] as const))(
    'runs the example of %s, telling progress and units',
    async (_, procedure) => {
      await using test = openTestContext();
      const result = await test.run(procedure, procedure.example);
      expect(result['optimum_found']).toBe(true);
      expect(test.told.units).toBe(test.told.circuits);
      const fractions = test.told.progress.map(({ fraction }) => fraction);
      expect(fractions.length).toBeGreaterThan(5);
      expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    },
  );

  test('says so where no circuit as wide would run', async () => {
    await using test = openTestContext({ maxQubits: 5 });
    const run = test.run(assignment, assignment.example);
    await expect(run).rejects.toMatchObject({ code: 'WORKLOADS_TASK_INPUT' });
  });
});
