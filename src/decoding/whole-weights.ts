/**
 * Weights of edges as whole numbers, so that sums and comparisons are exact. They are even: two regions that grow
 * towards each other along an edge then always meet at a whole time.
 *
 * The heaviest edge gets 2 (2^24 − 1), as in PyMatching, or less in a graph with long paths: the distance from every
 * detector to the boundary has to be below 2^29, so that times and their differences fit into 32 bits.
 */
import { adjacency, BOUNDARY } from './adjacency.ts';

const HEAVIEST = 2 ** 24 - 1;
const LONGEST = 2 ** 28;

/** Rounds weights to even numbers of one scale. */
export function wholeWeights(
  numDetectors: number,
  ends: Int32Array,
  weights: readonly number[],
): Int32Array {
  const heaviest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  const longest = longestPath(numDetectors, ends, weights);
  const scale = heaviest === 0 ? 1 : Math.min(HEAVIEST / heaviest, LONGEST / longest);
  return Int32Array.from(weights, (weight) => 2 * Math.round(weight * scale));
}

/**
 * Length of a path from the farthest detector to the boundary, or where there is none, to another detector: at least the
 * distance. No region grows farther before it meets the boundary or another one that it can be matched to.
 */
function longestPath(numDetectors: number, ends: Int32Array, weights: readonly number[]): number {
  const { starts, edges } = adjacency(numDetectors, ends);
  const lengths = new Float64Array(numDetectors).fill(-1);
  let longest = 0;
  /** Walks outwards over detectors without a length, fewest edges first. */
  const walk = (queue: number[]) => {
    for (const detector of queue) {
      const length = lengths[detector]!;
      longest = Math.max(longest, length);
      for (const edge of edges.subarray(starts[detector]!, starts[detector + 1]!)) {
        const to = ends[2 * edge + 1]!;
        const other = to === detector ? ends[2 * edge]! : to;
        if (other === BOUNDARY || lengths[other]! >= 0) continue;
        lengths[other] = length + weights[edge]!;
        queue.push(other);
      }
    }
  };
  const atBoundary: number[] = [];
  for (const [edge, weight] of weights.entries()) {
    if (ends[2 * edge + 1] !== BOUNDARY) continue;
    lengths[ends[2 * edge]!] = weight;
    atBoundary.push(ends[2 * edge]!);
  }
  walk(atBoundary);
  for (let detector = 0; detector < numDetectors; detector++) {
    if (lengths[detector]! >= 0) continue;
    lengths[detector] = 0;
    walk([detector]);
  }
  return longest;
}
