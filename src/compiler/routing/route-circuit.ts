/**
 * Routes a circuit on a device: chooses an initial layout and inserts SWAPs.
 *
 * If a layout without SWAPs is found it is used. Otherwise each trial starts with a random layout and routes
 * the circuit forwards and backwards a few times, where each direction starts with the layout that the other
 * ended with. The trial with the fewest SWAPs wins.
 */
import type { Circuit, GateOperation, Operation } from '../../circuit/circuit.ts';
import type { Coupler, CouplingMap } from './coupling-map.ts';
import { dependenciesOf } from './dependencies.ts';
import { Layout } from './layout.ts';
import { perfectLayout } from './perfect-layout.ts';
import { pairOf, type Routed, routeBySabre } from './sabre.ts';

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
