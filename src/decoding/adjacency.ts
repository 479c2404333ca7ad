/** Edges of a graph of detectors, by detector. */

/** Second end of an edge to the boundary. */
export const BOUNDARY = -1;

/** Edges by detector. */
export interface Adjacency {
  /** Where the edges of each detector begin in `edges`, and where the last ones end. */
  readonly starts: Int32Array;
  /** Numbers of edges: of each detector that to the boundary first, if there is one, then in order. */
  readonly edges: Int32Array;
}

/** The edges of each detector. */
export function adjacency(numDetectors: number, ends: Int32Array): Adjacency {
  const starts = new Int32Array(numDetectors + 1);
  for (const end of ends) if (end !== BOUNDARY) starts[end + 1]!++;
  for (let i = 0; i < numDetectors; i++) starts[i + 1]! += starts[i]!;
  const edges = new Int32Array(starts[numDetectors]!);
  const next = starts.slice(0, numDetectors);
  for (const isBoundary of [true, false]) {
    for (let edge = 0; 2 * edge < ends.length; edge++) {
      const [from, to] = [ends[2 * edge]!, ends[2 * edge + 1]!];
      if ((to === BOUNDARY) !== isBoundary) continue;
      edges[next[from]!++] = edge;
      if (!isBoundary) edges[next[to]!++] = edge;
    }
  }
  return { starts, edges };
}
