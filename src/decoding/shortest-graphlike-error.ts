/**
 * The fewest errors that together flip a logical observable and no detector, among errors that flip one or two detectors
 * (graphlike ones). Their number is at least the distance of the circuit, and is it where no other error helps.
 *
 * Detectors are vertices, with one more for the boundary, and errors are edges. Such errors are a closed walk with an odd
 * number of edges that flip the observable. Every such walk passes one of a set of vertices that covers these edges; a
 * breadth-first search from each, in which a vertex has a place for either parity, finds the shortest.
 *
 * @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021, `shortest_graphlike_error` in its documentation.
 */
import {
  compareSymptoms,
  detectorsIn,
  type IndependentErrors,
  SEPARATOR,
  type Symptoms,
} from '../compiler/clifford/symptoms.ts';

/** An error between two vertices. */
interface Edge {
  readonly from: number;
  readonly to: number;
  readonly symptoms: Symptoms;
}

/** The errors, each once, in Stim's order; undefined if there are none. Errors of more detectors are left out. */
export function shortestGraphlikeError(model: IndependentErrors): readonly Symptoms[] | undefined {
  const { numDetectors, numObservables } = model;
  const edges = edgesOf(model);
  const alone = edges.find(({ from, to }) => from === to);
  if (alone !== undefined) return [alone.symptoms];
  const graph = new ErrorGraph(edges, numDetectors + 1);
  let best: readonly Edge[] | undefined;
  for (let index = 0; index < numObservables; index++) {
    best = graph.shortestWalk(numDetectors + index, best?.length) ?? best;
  }
  return best?.map(({ symptoms }) => symptoms).toSorted(compareSymptoms);
}

/** Errors that flip at most two detectors. As in Stim, those that are split into several parts are none. */
function edgesOf({ numDetectors, errors }: IndependentErrors): readonly Edge[] {
  const edges = new Map<string, Edge>();
  for (const { symptoms, probability } of errors) {
    const count = detectorsIn(symptoms, numDetectors);
    if (probability === 0 || count > 2 || symptoms.length === 0) continue;
    if (symptoms.includes(SEPARATOR)) continue;
    const [from = numDetectors, to = numDetectors] = symptoms.slice(0, count);
    edges.set(symptoms.join(), { from, to, symptoms });
  }
  return [...edges.values()];
}

class ErrorGraph {
  readonly #edges: readonly Edge[];
  readonly #numVertices: number;
  /** Numbers of the edges of each vertex: those of v are between `#starts[v]` and `#starts[v + 1]`. */
  readonly #starts: Int32Array;
  readonly #incident: Int32Array;

  constructor(edges: readonly Edge[], numVertices: number) {
    this.#edges = edges;
    this.#numVertices = numVertices;
    this.#starts = new Int32Array(numVertices + 1);
    for (const { from, to } of edges) {
      this.#starts[from + 1]!++;
      this.#starts[to + 1]!++;
    }
    for (let v = 0; v < numVertices; v++) this.#starts[v + 1]! += this.#starts[v]!;
    this.#incident = new Int32Array(2 * edges.length);
    const next = this.#starts.slice();
    for (const [number, { from, to }] of edges.entries()) {
      this.#incident[next[from]!++] = number;
      this.#incident[next[to]!++] = number;
    }
  }

  /**
   * The shortest closed walk that flips an observable.
   *
   * @param bound - Walks of so many errors are too long; no limit unless given.
   */
  shortestWalk(observable: number, bound = Number.POSITIVE_INFINITY): readonly Edge[] | undefined {
    const isOdd = Uint8Array.from(this.#edges, ({ symptoms }) =>
      symptoms.includes(observable) ? 1 : 0,
    );
    const search = new WalkSearch(this.#numVertices, (vertex) => this.#edgesAt(vertex), isOdd);
    let found: readonly number[] | undefined;
    for (const vertex of this.#covering(isOdd)) {
      found = search.from(vertex, this.#edges, found?.length ?? bound) ?? found;
      // Walks through it are done with.
      search.remove(vertex);
    }
    return found?.map((number) => this.#edges[number]!);
  }

  #edgesAt(vertex: number): Int32Array {
    return this.#incident.subarray(this.#starts[vertex]!, this.#starts[vertex + 1]!);
  }

  /** Vertices of which each odd edge has one: those with most of these edges first. */
  #covering(isOdd: Uint8Array): readonly number[] {
    const numOdd = new Int32Array(this.#numVertices);
    const odd = this.#edges.filter((_, number) => isOdd[number] === 1);
    for (const { from, to } of odd) {
      numOdd[from]!++;
      numOdd[to]!++;
    }
    const chosen = new Set<number>();
    for (const { from, to } of odd) {
      if (!chosen.has(from) && !chosen.has(to))
        chosen.add(numOdd[from]! >= numOdd[to]! ? from : to);
    }
    return [...chosen];
  }
}

/** Breadth-first searches; a state is twice a vertex, plus the parity of the walk to it. */
class WalkSearch {
  readonly #edgesAt: (vertex: number) => Int32Array;
  readonly #isOdd: Uint8Array;
  readonly #isRemoved: Uint8Array;
  /** By state: the search that last reached it, and the edge by which. */
  readonly #reachedIn: Int32Array;
  readonly #byEdge: Int32Array;
  #search = 0;

  constructor(numVertices: number, edgesAt: (vertex: number) => Int32Array, isOdd: Uint8Array) {
    this.#edgesAt = edgesAt;
    this.#isOdd = isOdd;
    this.#isRemoved = new Uint8Array(numVertices);
    this.#reachedIn = new Int32Array(2 * numVertices);
    this.#byEdge = new Int32Array(2 * numVertices);
  }

  remove(vertex: number): void {
    this.#isRemoved[vertex] = 1;
  }

  /** The edges of the shortest odd walk from a vertex to itself, if it has fewer than `bound`. */
  from(start: number, edges: readonly Edge[], bound: number): readonly number[] | undefined {
    this.#search++;
    this.#reachedIn[2 * start] = this.#search;
    let states = [2 * start];
    for (let length = 1; length < bound && states.length > 0; length++) {
      const next: number[] = [];
      for (const state of states) {
        const vertex = state >> 1;
        for (const number of this.#edgesAt(vertex)) {
          const { from, to } = edges[number]!;
          const other = from === vertex ? to : from;
          const reached = (2 * other) | ((state & 1) ^ this.#isOdd[number]!);
          if (this.#isRemoved[other] === 1 || this.#reachedIn[reached] === this.#search) continue;
          this.#reachedIn[reached] = this.#search;
          this.#byEdge[reached] = number;
          if (reached === 2 * start + 1) return this.#walkTo(reached, start, edges);
          next.push(reached);
        }
      }
      states = next;
    }
    return undefined;
  }

  #walkTo(end: number, start: number, edges: readonly Edge[]): readonly number[] {
    const walk: number[] = [];
    for (let state = end; state !== 2 * start; ) {
      const number = this.#byEdge[state]!;
      walk.push(number);
      const { from, to } = edges[number]!;
      const vertex = state >> 1;
      state = (2 * (from === vertex ? to : from)) | ((state & 1) ^ this.#isOdd[number]!);
    }
    return walk;
  }
}
