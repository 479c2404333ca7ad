/**
 * Detection events of shots as lists of detectors, for decoders on a matching graph. Errors that are likelier than not
 * are taken to have happened; so the events of a shot are those that differ from theirs.
 */
import { adjacency, BOUNDARY } from './adjacency.ts';
import { ImpossibleEventsError } from './errors.ts';
import type { MatchingGraph } from './matching-graph.ts';

/** Reads one shot after the other. */
export class ShotEvents {
  /** Detectors of the shot that was read last, ascending; as many as `read` said. */
  readonly list: Int32Array;
  readonly #graph: MatchingGraph;
  readonly #closed: ClosedParts | undefined;

  constructor(graph: MatchingGraph) {
    this.#graph = graph;
    this.list = new Int32Array(graph.numDetectors);
    this.#closed = closedParts(graph);
  }

  /**
   * Reads the shot that begins at a byte.
   *
   * @returns Number of events.
   * @throws {ImpossibleEventsError} if no errors of the model have these events.
   */
  read(events: Uint8Array, shot: number): number {
    const { likelyEvents, numDetectors } = this.#graph;
    const { list } = this;
    const numBytes = likelyEvents.length;
    let count = 0;
    for (let i = 0; i < numBytes; i++) {
      let byte = events[shot * numBytes + i]! ^ likelyEvents[i]!;
      for (; byte !== 0; byte &= byte - 1) {
        list[count++] = 8 * i + 31 - Math.clz32(byte & -byte);
      }
    }
    // Bits past the last detector fill the last byte.
    while (count > 0 && list[count - 1]! >= numDetectors) count--;
    if (this.#closed !== undefined) checkClosed(this.#closed, list, count, shot);
    return count;
  }
}

/** Parts of a graph without an edge to the boundary: an error flips two detectors of one of them, or none. */
interface ClosedParts {
  /** Number of the part of each detector; 0 if its part has an edge to the boundary. */
  readonly partOf: Int32Array;
  /** By part: whether an odd number of events was counted. */
  readonly isOdd: Uint8Array;
}

/** The closed parts, or undefined if there are none. */
function closedParts({ numDetectors, ends }: MatchingGraph): ClosedParts | undefined {
  const { starts, edges } = adjacency(numDetectors, ends);
  const partOf = new Int32Array(numDetectors).fill(-1);
  const spread = (queue: number[], part: number) => {
    for (const detector of queue) {
      partOf[detector] = part;
      for (const edge of edges.subarray(starts[detector]!, starts[detector + 1]!)) {
        for (const end of ends.subarray(2 * edge, 2 * edge + 2)) {
          if (end === BOUNDARY || partOf[end]! >= 0) continue;
          partOf[end] = part;
          queue.push(end);
        }
      }
    }
  };
  spread([...ends.filter((_, i) => i % 2 === 0 && ends[i + 1] === BOUNDARY)], 0);
  let numParts = 0;
  for (let detector = 0; detector < numDetectors; detector++) {
    if (partOf[detector]! < 0) spread([detector], ++numParts);
  }
  return numParts === 0 ? undefined : { partOf, isOdd: new Uint8Array(numParts + 1) };
}

function checkClosed(
  { partOf, isOdd }: ClosedParts,
  list: Int32Array,
  count: number,
  shot: number,
): void {
  isOdd.fill(0);
  for (let i = 0; i < count; i++) isOdd[partOf[list[i]!]!]! ^= 1;
  for (let i = 0; i < count; i++) {
    const part = partOf[list[i]!]!;
    if (part !== 0 && isOdd[part] === 1) throw new ImpossibleEventsError(shot);
  }
}
