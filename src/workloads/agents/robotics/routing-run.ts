/**
 * Routes as permutations: place i is the i-th stop after the start, its item the site, the start
 * itself left out, since rotating a round trip does not change it.
 */
import { Chance } from '../../algorithms/chance.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import type { RoutingInput } from './routing.ts';
import { solvePermutation } from './solve-permutation.ts';

/** Runs the search of a route. */
export const runRouting: RunProcedure<RoutingInput> = async (input, context) => {
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
};

function distancesOf({ coordinates = [], distances }: RoutingInput) {
  if (distances !== undefined) return distances;
  return coordinates.map(([x, y]) => coordinates.map(([u, v]) => Math.hypot(x - u, y - v)));
}
