/** The least weight of a matching by trying all: an oracle for decoders, which shares no code with them. */
import type { RandomEdge } from './decoding-models.ts';

/** Weight of an edge: what its error costs. */
export const weightOf = ({ probability }: RandomEdge) => Math.log((1 - probability) / probability);

/** Distances by Floyd and Warshall; the last vertex is the boundary, over which no path goes on. */
export function distances(numDetectors: number, edges: readonly RandomEdge[]): readonly number[][] {
  const size = numDetectors + 1;
  const between = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => (i === j ? 0 : Number.POSITIVE_INFINITY)),
  );
  for (const edge of edges) {
    const [from = 0, to = numDetectors] = edge.detectors;
    const weight = Math.min(between[from]![to]!, weightOf(edge));
    between[from]![to] = weight;
    between[to]![from] = weight;
  }
  for (let via = 0; via < numDetectors; via++) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        between[i]![j] = Math.min(between[i]![j]!, between[i]![via]! + between[via]![j]!);
      }
    }
  }
  return between;
}

/**
 * Least sum over all ways to match each event to another one or to the boundary. Nine events have 2,620 ways.
 *
 * @param between - Distances, from `distances`.
 */
export function leastSum(between: readonly number[][], events: readonly number[]): number {
  const [first, ...others] = events;
  if (first === undefined) return 0;
  let least = between[first]!.at(-1)! + leastSum(between, others);
  for (const mate of others) {
    const rest = others.filter((each) => each !== mate);
    least = Math.min(least, between[first]![mate]! + leastSum(between, rest));
  }
  return least;
}
