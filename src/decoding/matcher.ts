/**
 * Minimum-weight perfect matching of detection events by sparse blossom, which runs in WebAssembly: assembly/matching.ts
 * says how. Columns of numbers in JavaScript, with the same steps, took twice as long or more.
 */
import { adjacency, BOUNDARY } from './adjacency.ts';
import type { MatchingGraph } from './matching-graph.ts';
import { instantiate, PAGE_BYTES } from './wasm-modules.ts';

/** Words of a detector, a region and a node of a tree, and of an edge at one end. */
const RECORD = 16;
const EDGE = 3;
/** No time. */
const NEVER = 2 ** 31 - 1;

/** Functions of the module; addresses are in bytes. */
interface Functions {
  readonly open: (
    numDetectors: number,
    regions: number,
    nodes: number,
    lists: number,
    queue: number,
  ) => void;
  readonly match: (events: number, numEvents: number) => number;
}

/** Matches the detection events of one shot after the other. */
export class Matcher {
  readonly #memory: WebAssembly.Memory;
  readonly #functions: Functions;
  /** Word where the events of a shot are written. */
  readonly #eventsAt: number;
  #words: Int32Array;

  /** @param masks - Observables that each edge flips, 32 at most. */
  constructor(graph: MatchingGraph, masks: Int32Array) {
    const { numDetectors, ends } = graph;
    const edges = RECORD * (1 + numDetectors);
    const regions = RECORD * Math.ceil((edges + EDGE * ends.length) / RECORD);
    // Blossoms within each other are half as many as the events, at most.
    const nodes = regions + RECORD * Math.ceil(1.5 * numDetectors);
    const lists = nodes + RECORD * numDetectors;
    this.#eventsAt = lists + 7 * numDetectors + 14;
    const queue = this.#eventsAt + numDetectors;
    // The queue begins with some room, and takes more.
    this.#memory = new WebAssembly.Memory({ initial: 1 + Math.ceil((4 * queue) / PAGE_BYTES) });
    this.#functions = instantiate<Functions>('matching', this.#memory);
    this.#words = new Int32Array(this.#memory.buffer);
    writeGraph(this.#words, edges, graph, masks);
    for (let at = regions; at < nodes; at += RECORD) this.#words[at + 8] = NEVER;
    this.#functions.open(numDetectors, 4 * regions, 4 * nodes, 4 * lists, 4 * queue);
  }

  /**
   * Matches all events, each to another one or to the boundary, with the least sum of weights.
   *
   * @param events - Distinct detectors. There has to be a matching: an even number of events in each part of the graph
   *   that has no edge to the boundary.
   * @returns Observables that the edges of the matching flip.
   */
  match(events: Int32Array, numEvents: number): number {
    // A memory that has grown has another buffer.
    if (this.#words.length === 0) this.#words = new Int32Array(this.#memory.buffer);
    const [words, at] = [this.#words, this.#eventsAt];
    for (let i = 0; i < numEvents; i++) words[at + i] = 4 * RECORD * (1 + events[i]!);
    return this.#functions.match(4 * at, numEvents);
  }
}

/** Writes the records of detectors and edges; keep the fields those of assembly/matching.ts. */
function writeGraph(
  words: Int32Array,
  edgesAt: number,
  { numDetectors, ends, weights }: MatchingGraph,
  masks: Int32Array,
): void {
  const { starts, edges } = adjacency(numDetectors, ends);
  let last = edgesAt;
  for (let detector = 0; detector < numDetectors; detector++) {
    const at = RECORD * (1 + detector);
    words[at + 7] = NEVER;
    words[at + 8] = NEVER;
    words[at + 9] = 4 * last;
    words[at + 11] = NEVER;
    for (const edge of edges.subarray(starts[detector]!, starts[detector + 1]!)) {
      const [from, to] = [ends[2 * edge]!, ends[2 * edge + 1]!];
      if (to === BOUNDARY) {
        words[at + 11] = weights[edge]!;
        words[at + 12] = masks[edge]!;
        continue;
      }
      words[last] = 4 * RECORD * (1 + (to === detector ? from : to));
      words[last + 1] = weights[edge]!;
      words[last + 2] = masks[edge]!;
      last += EDGE;
    }
    words[at + 10] = 4 * last;
  }
}
