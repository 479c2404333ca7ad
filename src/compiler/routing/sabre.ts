/**
 * SABRE: inserts SWAPs until every two-qubit gate is on a coupler.
 *
 * The front is the set of gates without unfinished predecessors. Gates of the front on couplers are executed;
 * if there is none, the SWAP is chosen that most reduces the distances of the front and of the gates after
 * it. Recently moved qubits count as farther apart, so that SWAPs spread and run in parallel.
 *
 * @see Li, Ding, Xie, "Tackling the qubit mapping problem for NISQ-era quantum devices", ASPLOS 2019.
 */
import { type Circuit, type Operation, operationQubits } from '../../circuit/circuit.ts';
import type { CouplingMap, Layout } from './coupling-map.ts';

/** Number of gates after the front that are considered, and their weight. */
const LOOKAHEAD = 20;
const LOOKAHEAD_WEIGHT = 0.5;
/** Weight that a SWAP adds to its qubits, and the number of SWAPs after which it is reset. */
const DECAY = 0.001;
const DECAY_RESET = 5;

/** One step of a routed circuit, on places of the device. */
export type RoutedStep =
  | { readonly kind: 'operation'; readonly index: number; readonly places: readonly number[] }
  | { readonly kind: 'swap'; readonly places: readonly [number, number] };

/** A routed circuit. */
export interface Routed {
  readonly steps: readonly RoutedStep[];
  readonly numSwaps: number;
}

/**
 * Routes a circuit, changing the layout to the final one.
 *
 * @param graph - Dependencies of a circuit with gates on at most two qubits; barriers and measurements may
 *   have more.
 * @param layout - Logical qubits that share gates must be on one connected part of the map.
 * @param uniform - Random source: numbers in [0, 1), to choose among equally good SWAPs.
 */
export function routeBySabre(
  graph: Dependencies,
  map: CouplingMap,
  layout: Layout,
  uniform: () => number,
): Routed {
  return new Router(graph, map, layout, uniform).run();
}

class Router {
  readonly #graph: Dependencies;
  readonly #map: CouplingMap;
  readonly #layout: Layout;
  readonly #uniform: () => number;
  readonly #waitsFor: Uint32Array;
  readonly #decay: Float64Array;
  readonly #steps: RoutedStep[] = [];
  #front: number[] = [];
  #numSwaps = 0;
  #swapsSinceGate = 0;

  constructor(graph: Dependencies, map: CouplingMap, layout: Layout, uniform: () => number) {
    this.#graph = graph;
    this.#map = map;
    this.#layout = layout;
    this.#uniform = uniform;
    this.#waitsFor = graph.numBefore.slice();
    this.#decay = new Float64Array(map.numQubits).fill(1);
  }

  run(): Routed {
    const ready = [...this.#waitsFor.keys()].filter((i) => this.#waitsFor[i] === 0);
    this.#advance(ready);
    // Longer than any useful detour: the heuristic is going in circles.
    const patience = 3 * this.#map.numQubits;
    while (this.#front.length > 0) {
      if (this.#swapsSinceGate > patience) this.#forceFirst();
      else this.#swap(this.#bestSwap());
      const done = this.#front.filter((i) => this.#isOnCoupler(i));
      if (done.length === 0) continue;
      this.#front = this.#front.filter((i) => !done.includes(i));
      this.#advance(done);
      this.#decay.fill(1);
      this.#swapsSinceGate = 0;
    }
    return { steps: this.#steps, numSwaps: this.#numSwaps };
  }

  /** Executes operations that are ready, and those that become ready. */
  #advance(ready: readonly number[]): void {
    const queue = [...ready];
    for (const i of queue) {
      if (!this.#isOnCoupler(i)) {
        this.#front.push(i);
        continue;
      }
      const qubits = operationQubits(this.#graph.operations[i]!);
      const places = qubits.map((qubit) => this.#layout.physical[qubit]!);
      this.#steps.push({ kind: 'operation', index: i, places });
      for (const next of this.#graph.next[i]!) if (--this.#waitsFor[next]! === 0) queue.push(next);
    }
  }

  #isOnCoupler(index: number): boolean {
    const pair = pairOf(this.#graph.operations[index]!);
    return pair === undefined || this.#distance(pair) === 1;
  }

  #distance([a, b]: readonly [number, number]): number {
    return this.#map.distance(this.#layout.physical[a]!, this.#layout.physical[b]!);
  }

  #bestSwap(): readonly [number, number] {
    const front = this.#front.map((i) => pairOf(this.#graph.operations[i]!)!);
    const ahead = this.#lookAhead();
    const candidates = new Map<number, readonly [number, number]>();
    for (const qubit of front.flat()) {
      const place = this.#layout.physical[qubit]!;
      for (const other of this.#map.neighbours[place]!) {
        const [low, high] = place < other ? [place, other] : [other, place];
        candidates.set(low * this.#map.numQubits + high, [low, high]);
      }
    }
    let best: (readonly [number, number])[] = [];
    let least = Number.POSITIVE_INFINITY;
    for (const swap of candidates.values()) {
      const [a, b] = swap;
      this.#layout.swap(a, b);
      const sum = (pairs: readonly (readonly [number, number])[]) =>
        pairs.reduce((total, pair) => total + this.#distance(pair), 0) / Math.max(1, pairs.length);
      const score =
        Math.max(this.#decay[a]!, this.#decay[b]!) * (sum(front) + LOOKAHEAD_WEIGHT * sum(ahead));
      this.#layout.swap(a, b);
      if (score < least - 1e-12) {
        least = score;
        best = [swap];
      } else if (score <= least + 1e-12) {
        best.push(swap);
      }
    }
    const chosen = best[Math.floor(this.#uniform() * best.length)];
    if (chosen === undefined) throw new Error('unreachable: qubits that nothing connects');
    return chosen;
  }

  /** The next two-qubit gates after the front, nearest first. */
  #lookAhead(): readonly (readonly [number, number])[] {
    const pairs: (readonly [number, number])[] = [];
    const seen = new Set(this.#front);
    const queue = [...this.#front];
    for (const i of queue) {
      for (const next of this.#graph.next[i]!) {
        if (seen.has(next)) continue;
        seen.add(next);
        const pair = pairOf(this.#graph.operations[next]!);
        if (pair !== undefined && pairs.push(pair) >= LOOKAHEAD) return pairs;
        queue.push(next);
      }
    }
    return pairs;
  }

  #swap(places: readonly [number, number]): void {
    const [a, b] = places;
    this.#layout.swap(a, b);
    this.#steps.push({ kind: 'swap', places });
    this.#numSwaps++;
    this.#swapsSinceGate++;
    if (this.#numSwaps % DECAY_RESET === 0) this.#decay.fill(1);
    this.#decay[a]! += DECAY;
    this.#decay[b]! += DECAY;
  }

  /** Brings the first gate of the front together on a shortest path. */
  #forceFirst(): void {
    const pair = pairOf(this.#graph.operations[this.#front[0]!]!)!;
    const goal = this.#layout.physical[pair[1]]!;
    while (this.#distance(pair) > 1) {
      const place = this.#layout.physical[pair[0]]!;
      const nearer = this.#map.neighbours[place]!.find(
        (other) => this.#map.distance(other, goal) < this.#map.distance(place, goal),
      );
      if (nearer === undefined) throw new Error('unreachable: qubits that nothing connects');
      this.#swap([place, nearer]);
    }
  }
}

/** Qubits of a two-qubit gate; undefined for an operation without placement constraints. */
export function pairOf(operation: Operation): readonly [number, number] | undefined {
  if (operation.kind !== 'gate' && operation.kind !== 'unitary') return undefined;
  const [a, b, ...more] = operationQubits(operation);
  if (a === undefined || b === undefined) return undefined;
  if (more.length > 0) throw new Error('unreachable: a gate on three qubits is routed');
  return [a, b];
}

// Dependency graph of a circuit: each operation depends on the last one before it on each of its qubits and
// bits.

/** Operations as a graph. */
export interface Dependencies {
  readonly operations: readonly Operation[];
  /** For each operation, those that depend on it, each once. */
  readonly next: readonly (readonly number[])[];
  /** Number of operations that each one depends on. */
  readonly numBefore: Uint32Array;
}

/** Builds the dependency graph of a circuit. */
export function dependenciesOf({ numQubits, numBits, operations }: Circuit): Dependencies {
  const last = new Array<number | undefined>(numQubits + numBits).fill(undefined);
  const next: number[][] = operations.map(() => []);
  const numBefore = new Uint32Array(operations.length);
  for (const [i, operation] of operations.entries()) {
    const places = [...operationQubits(operation), ...bitsOf(operation).map((b) => numQubits + b)];
    const before = new Set<number>();
    for (const place of places) {
      const earlier = last[place];
      if (earlier !== undefined && earlier !== i) before.add(earlier);
      last[place] = i;
    }
    for (const earlier of before) next[earlier]!.push(i);
    numBefore[i] = before.size;
  }
  return { operations, next, numBefore };
}

/** Classical bits that an operation writes or reads. Operations that read one bit keep their order too. */
function bitsOf(operation: Operation): readonly number[] {
  if (operation.kind === 'barrier') return [];
  const read = operation.condition?.bits ?? [];
  return operation.kind === 'measure' ? [...operation.bits, ...read] : read;
}
