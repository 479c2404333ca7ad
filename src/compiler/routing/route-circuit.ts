/**
 * Routes a circuit on a device: chooses an initial layout and inserts SWAPs.
 *
 * If a layout without SWAPs is found it is used. Otherwise each trial starts with a random layout and routes
 * the circuit forwards and backwards a few times, where each direction starts with the layout that the other
 * ended with. The trial with the fewest SWAPs wins.
 */
import type { Circuit, GateOperation, Operation } from '../../circuit/circuit.ts';
import { type Coupler, type CouplingMap, Layout } from './coupling-map.ts';
import { dependenciesOf, pairOf, type Routed, routeBySabre } from './sabre.ts';

/** Options of routing. */
export interface RouteOptions {
  /** Whether qubit i starts on the i-th place of the largest connected part, or on the best place found. */
  readonly layout: 'trivial' | 'auto';
  /** Number of random initial layouts, in addition to the trivial one. */
  readonly trials: number;
  /** Random source: numbers in [0, 1). */
  readonly uniform: () => number;
  /** Callback between trials, with the fraction done, in [0, 1]. */
  readonly onProgress?: (fraction: number) => void;
}

/** A circuit on a device. */
export interface RoutedCircuit {
  /** Circuit on the device's qubits, with SWAPs by name. */
  readonly circuit: Circuit;
  /** Initial place of each qubit, spare qubits after the circuit's own. */
  readonly initialLayout: Layout;
  /** Final place of each qubit. */
  readonly finalLayout: Layout;
  readonly numSwaps: number;
  /** Origin of the layout: `perfect` needs no SWAPs. */
  readonly foundBy: 'perfect' | 'search' | 'trivial';
}

/** Runs forwards and backwards in each trial. */
const SETTLING_RUNS = 2;
/** Orders of places in which a layout without SWAPs is searched for. */
const PERFECT_TRIALS = 4;

/**
 * Routes a circuit of gates on at most two qubits.
 *
 * @param map - Coupling map with a connected part at least as large as the circuit.
 */
export function routeCircuit(
  circuit: Circuit,
  map: CouplingMap,
  options: RouteOptions,
): RoutedCircuit {
  const places = map.largestPart();
  const trivial = Layout.of(places.slice(0, circuit.numQubits), map.numQubits);
  if (options.layout === 'trivial') return routedFrom(circuit, map, trivial, 'trivial', options);
  const perfect = findPerfect(circuit, map, places, options.uniform);
  if (perfect !== undefined) return routedFrom(circuit, map, perfect, 'perfect', options);
  const forwards = dependenciesOf(circuit);
  const backwards = dependenciesOf({ ...circuit, operations: circuit.operations.toReversed() });
  let best: RoutedCircuit | undefined;
  for (let trial = 0; trial <= options.trials; trial++) {
    options.onProgress?.(trial / (options.trials + 1));
    const layout =
      trial === 0
        ? trivial.copy()
        : Layout.of(shuffled(places, options.uniform).slice(0, circuit.numQubits), map.numQubits);
    for (let run = 0; run < SETTLING_RUNS; run++) {
      routeBySabre(forwards, map, layout, options.uniform);
      routeBySabre(backwards, map, layout, options.uniform);
    }
    const routed = routedFrom(circuit, map, layout, 'search', options);
    if (best === undefined || routed.numSwaps < best.numSwaps) best = routed;
  }
  if (best === undefined) throw new Error('unreachable: there is always one trial');
  return best;
}

function findPerfect(
  circuit: Circuit,
  map: CouplingMap,
  places: readonly number[],
  uniform: () => number,
): Layout | undefined {
  const pairs = pairsOf(circuit);
  for (let trial = 0; trial < PERFECT_TRIALS; trial++) {
    const order = trial === 0 ? places : shuffled(places, uniform);
    const found = perfectLayout(circuit.numQubits, pairs, map, order);
    if (found !== undefined) return Layout.of(found, map.numQubits);
  }
  return undefined;
}

function pairsOf({ numQubits, operations }: Circuit): readonly Coupler[] {
  const pairs = new Map<number, Coupler>();
  for (const operation of operations) {
    const pair = pairOf(operation);
    if (pair === undefined) continue;
    const [low, high] = pair[0] < pair[1] ? pair : [pair[1], pair[0]];
    pairs.set(low * numQubits + high, [low, high]);
  }
  return [...pairs.values()];
}

function routedFrom(
  circuit: Circuit,
  map: CouplingMap,
  initialLayout: Layout,
  foundBy: RoutedCircuit['foundBy'],
  { uniform }: RouteOptions,
): RoutedCircuit {
  const finalLayout = initialLayout.copy();
  const routed = routeBySabre(dependenciesOf(circuit), map, finalLayout, uniform);
  const placed: Circuit = {
    numQubits: map.numQubits,
    numBits: circuit.numBits,
    operations: placedOperations(circuit, routed),
  };
  return { circuit: placed, initialLayout, finalLayout, numSwaps: routed.numSwaps, foundBy };
}

function placedOperations({ operations }: Circuit, { steps }: Routed): readonly Operation[] {
  return steps.map((step) => {
    if (step.kind === 'swap') return swapGate(step.places);
    return onPlaces(operations[step.index]!, step.places);
  });
}

/** Moves an operation to other qubits, given in the order of `operationQubits`. */
export function onPlaces(operation: Operation, places: readonly number[]): Operation {
  switch (operation.kind) {
    case 'gate':
    case 'unitary': {
      const numControls = operation.controls.length;
      return {
        ...operation,
        controls: places.slice(0, numControls),
        targets: places.slice(numControls),
      };
    }
    case 'measure':
    case 'reset':
    case 'barrier':
      return { ...operation, qubits: places };
  }
}

/** Makes a SWAP of two qubits. */
export function swapGate(targets: readonly [number, number]): GateOperation {
  return { kind: 'gate', gate: 'SWAP', controls: [], targets, angles: [] };
}

/** Fisher–Yates shuffle. */
function shuffled(items: readonly number[], uniform: () => number): readonly number[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(uniform() * (i + 1));
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}

// Searches for a layout without SWAPs: places such that every two qubits that share a gate have a coupler. It
// backtracks with a limit, since the problem is NP-complete.

/** Places tried before the search is abandoned. */
const MAX_TRIES = 20_000;

/**
 * Returns places for qubits 0 … numQubits − 1; undefined if none exist or none were found.
 *
 * @param pairs - Qubits that share gates, each pair once.
 * @param order - All places of the device in the order in which they are tried.
 */
function perfectLayout(
  numQubits: number,
  pairs: readonly Coupler[],
  map: CouplingMap,
  order: readonly number[],
): readonly number[] | undefined {
  if (numQubits > map.numQubits || pairs.length > map.couplers.length) return undefined;
  const partners = Array.from({ length: numQubits }, () => [] as number[]);
  for (const [a, b] of pairs) {
    partners[a]!.push(b);
    partners[b]!.push(a);
  }
  const search = new Search(partners, map, order);
  return search.run();
}

class Search {
  readonly #partners: readonly (readonly number[])[];
  readonly #map: CouplingMap;
  readonly #order: readonly number[];
  /** Qubits in the order in which they are placed, each a neighbour of earlier ones where possible. */
  readonly #sequence: readonly number[];
  readonly #places: Int32Array;
  readonly #isTaken: Uint8Array;
  #tries = 0;

  constructor(
    partners: readonly (readonly number[])[],
    map: CouplingMap,
    order: readonly number[],
  ) {
    this.#partners = partners;
    this.#map = map;
    this.#order = order;
    this.#sequence = sequenceOf(partners);
    this.#places = new Int32Array(partners.length).fill(-1);
    this.#isTaken = new Uint8Array(map.numQubits);
  }

  run(): readonly number[] | undefined {
    return this.#place(0) ? [...this.#places] : undefined;
  }

  #place(step: number): boolean {
    const qubit = this.#sequence[step];
    if (qubit === undefined) return true;
    const placed = this.#partners[qubit]!.filter((other) => this.#places[other]! >= 0);
    const [first] = placed;
    const candidates =
      first === undefined ? this.#order : this.#map.neighbours[this.#places[first]!]!;
    for (const place of candidates) {
      if (this.#isTaken[place]) continue;
      if (++this.#tries > MAX_TRIES) return false;
      if (!this.#fits(qubit, place, placed)) continue;
      this.#places[qubit] = place;
      this.#isTaken[place] = 1;
      if (this.#place(step + 1)) return true;
      this.#places[qubit] = -1;
      this.#isTaken[place] = 0;
    }
    return false;
  }

  /** Whether a place has couplers to all placed partners, and enough free neighbours for the others. */
  #fits(qubit: number, place: number, placed: readonly number[]): boolean {
    if (!placed.every((other) => this.#map.isCoupled(place, this.#places[other]!))) return false;
    const room = this.#map.neighbours[place]!.filter((next) => !this.#isTaken[next]).length;
    return room >= this.#partners[qubit]!.length - placed.length;
  }
}

/** Orders the qubits depth first, component by component, from the one with most partners. */
function sequenceOf(partners: readonly (readonly number[])[]): readonly number[] {
  const sequence: number[] = [];
  const seen = new Set<number>();
  // A path starts at its end; any other component where it is densest.
  const degree = (qubit: number) => partners[qubit]!.length;
  const starts = [...partners.keys()].sort((a, b) => degree(b) - degree(a) || a - b);
  const isPath = partners.every((each) => each.length <= 2);
  const ends = isPath ? [...partners.keys()].filter((q) => degree(q) === 1) : [];
  for (const start of [...ends, ...starts]) {
    const stack = [start];
    for (let qubit = stack.pop(); qubit !== undefined; qubit = stack.pop()) {
      if (seen.has(qubit)) continue;
      seen.add(qubit);
      sequence.push(qubit);
      stack.push(...partners[qubit]!.filter((other) => !seen.has(other)));
    }
  }
  return sequence;
}
