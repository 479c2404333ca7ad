/**
 * The tasks `assignment` (robots to tasks) and `routing` (a short route through sites), by QAOA over permutations.
 *
 * Place i of an assignment is robot i, its item the robot's task. Place i of a route is the i-th stop after the start,
 * its item the site. The start is left out: rotating a round trip does not change it.
 */
import { z } from 'zod';
import type { Fault } from '../../../errors/coded-error.ts';
import { Chance } from '../../algorithms/chance.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import {
  MAX_COST,
  MAX_LAYERS,
  MAX_SHOTS,
  matrixFaults,
  qaoaFields,
  solvePermutation,
} from './solve-permutation.ts';

const MAX_ROBOTS = 5;
const ASSIGNMENT_QUBITS = 15;

const assignmentInput = z.strictObject({
  costs: z
    .array(z.array(z.number().min(-MAX_COST).max(MAX_COST)).min(1).max(MAX_ROBOTS))
    .min(2)
    .max(MAX_ROBOTS)
    .describe(
      'costs[robot][task], a square matrix: each robot gets one task, and each task one robot',
    ),
  ...qaoaFields,
});

type AssignmentInput = z.output<typeof assignmentInput>;

/** The task `assignment`. */
export const assignment = procedure({
  name: 'assignment',
  description:
    'Assigns each robot one task at the least total cost by QAOA over permutations. The result has the best assignment sampled, the optimum by brute force, approximation_ratio = (worst − found)/(worst − optimum), and how the circuit compares with guessing. `gain_over_guessing` is the probability of an optimum in one shot, divided by that of one uniform guess among all candidates.',
  input: assignmentInput,
  check: ({ costs }) => matrixFaults(costs, 'costs'),
  limits: {
    deadline_ms: 120_000,
    robots: MAX_ROBOTS,
    qubits: ASSIGNMENT_QUBITS,
    layers: MAX_LAYERS,
    shots: MAX_SHOTS,
  },
  example: {
    costs: [
      [4, 1, 3],
      [2, 0, 5],
      [3, 2, 2],
    ],
    layers: 2,
    shots: 500,
    seed: 7,
  },
  run: runAssignment,
});

async function runAssignment(
  input: AssignmentInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const { costs, layers, shots, seed = context.seed } = input;
  const costOf = (tasks: readonly number[]) =>
    tasks.reduce((sum, task, robot) => sum + costs[robot]![task]!, 0);
  const problem = {
    numPlaces: costs.length,
    single: (robot: number, task: number) => costs[robot]![task]!,
  };
  const options = { layers, shots, seed: new Chance(seed, 0).seed() };
  const solved = await solvePermutation(problem, costOf, options, context);
  const { found, optimum, frequent, report } = solved;
  return {
    assignment: found.items.map((task, robot) => ({ robot, task, cost: costs[robot]![task]! })),
    total_cost: found.cost,
    optimum_cost: optimum.cost,
    optimum_assignment: optimum.items,
    ...report,
    most_frequent: frequent.map(({ items, cost, count }) => ({ tasks: items, cost, count })),
    seed,
  };
}

const MIN_SITES = 3;
const MAX_SITES = 5;
const ROUTING_QUBITS = 8;

const coordinate = z.number().min(-MAX_COST).max(MAX_COST);

const routingInput = z.strictObject({
  coordinates: z
    .array(z.tuple([coordinate, coordinate]))
    .min(MIN_SITES)
    .max(MAX_SITES)
    .optional()
    .describe('Coordinates [x, y] of each site; distances are Euclidean'),
  distances: z
    .array(z.array(z.number().min(0).max(MAX_COST)).min(1).max(MAX_SITES))
    .min(MIN_SITES)
    .max(MAX_SITES)
    .optional()
    .describe('distances[from][to], a square matrix with 0 on the diagonal; replaces coordinates'),
  one_way: z
    .boolean()
    .default(false)
    .describe('Whether distances may differ by direction; default false'),
  start: z
    .int()
    .min(0)
    .max(MAX_SITES - 1)
    .default(0)
    .describe('The site that the route starts from; default 0'),
  return_to_start: z
    .boolean()
    .default(true)
    .describe('Whether the route ends where it started; default true'),
  ...qaoaFields,
});

type RoutingInput = z.output<typeof routingInput>;

/** The task `routing`. */
export const routing = procedure({
  name: 'routing',
  description:
    'Finds a short route of a robot through all sites, a travelling salesman, by QAOA over the orders of visit. The result has the best route sampled, the optimum by brute force, approximation_ratio = (longest − found)/(longest − optimum), and how the circuit compares with guessing. `gain_over_guessing` is the probability of an optimum in one shot, divided by that of one uniform guess among all candidates.',
  input: routingInput,
  check: faultsOf,
  limits: {
    deadline_ms: 60_000,
    sites: MAX_SITES,
    qubits: ROUTING_QUBITS,
    layers: MAX_LAYERS,
    shots: MAX_SHOTS,
  },
  example: {
    coordinates: [
      [0, 0],
      [3, 1],
      [0, 2],
      [3, 4],
      [1, 5],
    ],
    layers: 2,
    shots: 500,
    seed: 7,
  },
  run: runRouting,
});

function faultsOf({ coordinates, distances, one_way, start }: RoutingInput): readonly Fault[] {
  if (coordinates !== undefined && distances !== undefined) {
    return [{ path: 'distances', message: 'Give either coordinates or distances, not both.' }];
  }
  const sites = coordinates ?? distances;
  if (sites === undefined) {
    return [{ path: 'coordinates', message: 'Required: coordinates, or distances instead.' }];
  }
  const faults: Fault[] = [];
  if (start >= sites.length) {
    faults.push({ path: 'start', message: `There are ${sites.length} sites, from 0.` });
  }
  if (distances === undefined) return faults;
  const notSquare = matrixFaults(distances, 'distances');
  if (notSquare.length > 0) return [...faults, ...notSquare];
  for (const [from, row] of distances.entries()) {
    for (const [to, distance] of row.entries()) {
      const path = `distances[${from}][${to}]`;
      if (from === to && distance !== 0) {
        faults.push({ path, message: `A site is 0 from itself, not ${distance}.` });
      }
      const back = distances[to]![from]!;
      if (!one_way && from < to && distance !== back) {
        const message = `It is ${distance} there and ${back} back; with one_way they may differ.`;
        faults.push({ path, message });
      }
    }
  }
  return faults;
}

async function runRouting(input: RoutingInput, context: ProcedureContext): Promise<JsonObject> {
  const { start, return_to_start: returns, layers, shots, seed = context.seed } = input;
  const distances = distancesOf(input);
  const stops = Array.from(distances.keys()).filter((site) => site !== start);
  const last = stops.length - 1;
  const between = (from: number, to: number) => distances[from]![to]!;
  const routeOf = (items: readonly number[]) => [
    start,
    ...items.map((item) => stops[item]!),
    ...(returns ? [start] : []),
  ];
  const lengthOf = (items: readonly number[]) => {
    const route = routeOf(items);
    return route.slice(1).reduce((sum, site, i) => sum + between(route[i]!, site), 0);
  };
  const problem = {
    numPlaces: stops.length,
    single: (place: number, item: number) =>
      (place === 0 ? between(start, stops[item]!) : 0) +
      (place === last && returns ? between(stops[item]!, start) : 0),
    pairs: stops.slice(1).map((_, place): [number, number] => [place, place + 1]),
    pair: (item: number, next: number) => between(stops[item]!, stops[next]!),
  };
  const options = { layers, shots, seed: new Chance(seed, 0).seed() };
  const solved = await solvePermutation(problem, lengthOf, options, context);
  const { found, optimum, frequent, report } = solved;
  return {
    route: routeOf(found.items),
    length: found.cost,
    optimum_length: optimum.cost,
    optimum_route: routeOf(optimum.items),
    ...report,
    most_frequent: frequent.map(({ items, cost, count }) => ({
      route: routeOf(items),
      length: cost,
      count,
    })),
    seed,
  };
}

function distancesOf({ coordinates = [], distances }: RoutingInput) {
  if (distances !== undefined) return distances;
  return coordinates.map(([x, y]) => coordinates.map(([u, v]) => Math.hypot(x - u, y - v)));
}
