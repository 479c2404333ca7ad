/**
 * Fits a circuit to a device: gates on at most two qubits, a layout with SWAPs where none is without, and native gates.
 */
import {
  type Circuit,
  type GateOperation,
  hasMidCircuitMeasurement,
  type Operation,
  operationQubits,
  withAngles,
} from '../../circuit/circuit.ts';
import { ALL_GATES, findGateSet, type GateSet } from '../../circuit/synthesis/gate-set.ts';
import { nativeCircuit } from '../native/native-circuit.ts';
import { shortenCircuit } from '../native/shorten-circuit.ts';
import { twoQubitForm } from '../native/two-qubit-form.ts';
import { CONSTANT, type ParametricGate } from '../parametric.ts';
import { type Coupler, CouplingMap } from '../routing/coupling-map.ts';
import {
  onPlaces,
  type RoutedCircuit,
  type RouteOptions,
  routeCircuit,
} from '../routing/route-circuit.ts';
import { pairOf } from '../routing/sabre.ts';
import { withParameters } from '../shape.ts';
import { type Device, misfits } from './device.ts';

/** Random layouts that routing starts from. */
const TRIALS = 8;
/** Most two-qubit gates times trials: more would take minutes on the largest device. */
export const MAX_TRIED_PAIRS = 2400;
/** A circuit of n qubits is first routed on a part of 2n and this many. */
const SPARE_QUBITS = 4;

/** A circuit that a device executes without changes. */
export interface FittedCircuit {
  /** On the device's qubits, in its native gates. */
  readonly circuit: Circuit;
  /** Qubit of the device on which each qubit of the given circuit starts. */
  readonly initialLayout: readonly number[];
  /** Qubit of the device on which each qubit of the given circuit ends. */
  readonly finalLayout: readonly number[];
  readonly numSwaps: number;
}

/**
 * Fits a circuit to a device. The distribution of the classical bits stays the same, nothing else does.
 *
 * @param circuit - At most as wide as the largest connected part of the device.
 * @param device - With native gates that every circuit can be written in.
 * @param uniform - Random source: numbers in [0, 1).
 */
export function fitCircuit(circuit: Circuit, device: Device, uniform: () => number): FittedCircuit {
  const pairs = pairsOnly(circuit, nativeSet(device), 'outcomes');
  return inNativeGates(placed(pairs, device, uniform), device);
}

/**
 * Fits a circuit to a device so that the state before the measurements that end it stays the same as well, each qubit
 * on its final place.
 */
export function fitState(circuit: Circuit, device: Device, uniform: () => number): FittedCircuit {
  const { body, readout } = beforeReadout(circuit);
  const pairs = pairsOnly(body, nativeSet(device), 'state');
  const found = inNativeGates(placed(pairs, device, uniform), device);
  const measures = readout
    .map((operation) =>
      onPlaces(
        operation,
        operationQubits(operation).map((qubit) => found.finalLayout[qubit]!),
      ),
    )
    .flatMap(oneByOne);
  const operations = [...found.circuit.operations, ...measures];
  return { ...found, circuit: { ...found.circuit, operations } };
}

/** A circuit without the measurements that end it, and these. */
export function beforeReadout(circuit: Circuit): {
  readonly body: Circuit;
  readonly readout: readonly Operation[];
} {
  const { operations } = circuit;
  const isMeasure = ({ kind }: Operation) => kind === 'measure';
  if (!hasMidCircuitMeasurement(circuit)) {
    const body = { ...circuit, operations: operations.filter((each) => !isMeasure(each)) };
    return { body, readout: operations.filter(isMeasure) };
  }
  const last = operations.findLastIndex(
    (each) => each.kind !== 'measure' || each.condition !== undefined,
  );
  const body = { ...circuit, operations: operations.slice(0, last + 1) };
  return { body, readout: operations.slice(last + 1) };
}

/**
 * Places a circuit of gates on at most two qubits on a device, with SWAPs where it needs them.
 *
 * @returns The circuit on the device's qubits, in its own gates.
 */
function placed(pairs: Circuit, device: Device, uniform: () => number): FittedCircuit {
  const map = new CouplingMap(device.numQubits, device.couplers);
  const trials = Math.min(TRIALS, Math.floor(MAX_TRIED_PAIRS / Math.max(1, countPairs(pairs))));
  const room = map.largestPart().length;
  const options = { layout: 'auto', trials, uniform } as const;
  const size = Math.min(room, 2 * pairs.numQubits + SPARE_QUBITS);
  const found = routedOnPart(pairs, device, goodPart(map, device, size), options);
  if (found.numSwaps === 0 || size >= room) return found;
  const elsewhere = routedOnPart(pairs, device, map.largestPart(), options);
  return elsewhere.numSwaps < found.numSwaps ? elsewhere : found;
}

/** Writes a circuit that was placed on a device in the device's gates. */
function inNativeGates(circuit: FittedCircuit, device: Device): FittedCircuit {
  const native = nativeCircuit(circuit.circuit, nativeSet(device), orientation(device));
  const fitted = { ...native, operations: native.operations.flatMap(oneByOne) };
  const [wrong] = misfits(fitted, device);
  if (wrong !== undefined) throw new Error(`A fitted circuit does not fit: ${wrong.message}`);
  return { ...circuit, circuit: fitted };
}

function nativeSet({ nativeGates }: Device): GateSet {
  const gates = findGateSet(nativeGates);
  if (gates === undefined) throw new Error('unreachable: native gates that are not universal');
  return gates;
}

/** Decomposes a circuit into one- and two-qubit gates, as few two-qubit gates as are found. */
export function pairsOnly(
  given: Circuit,
  gates: GateSet,
  preserve: 'unitary' | 'state' | 'outcomes',
): Circuit {
  const ways = [
    twoQubitForm(given),
    // For routing, several native gates on one pair may be one gate.
    twoQubitForm(shortenCircuit(given, ALL_GATES, preserve)),
    shortenCircuit(given, gates, preserve),
  ];
  return ways.reduce((best, way) => (countPairs(way) < countPairs(best) ? way : best));
}

/** Number of two-qubit gates. */
export function countPairs({ operations }: Circuit): number {
  return operations.filter((operation) => pairOf(operation) !== undefined).length;
}

/**
 * Routes a circuit. Final measurements are added afterwards, when the final position of each qubit is known.
 */
export function routedWhole(
  circuit: Circuit,
  map: CouplingMap,
  options: RouteOptions,
): RoutedCircuit {
  if (hasMidCircuitMeasurement(circuit)) return routeCircuit(circuit, map, options);
  const isMeasure = ({ kind }: Operation) => kind === 'measure';
  const body = circuit.operations.filter((operation) => !isMeasure(operation));
  const routed = routeCircuit({ ...circuit, operations: body }, map, options);
  const measures = circuit.operations.filter(isMeasure).map((operation) =>
    onPlaces(
      operation,
      operationQubits(operation).map((qubit) => routed.finalLayout.physical[qubit]!),
    ),
  );
  const operations = [...routed.circuit.operations, ...measures];
  return { ...routed, circuit: { ...routed.circuit, operations } };
}

/** Routes a circuit on some qubits of a device, which are connected. */
function routedOnPart(
  circuit: Circuit,
  device: Device,
  part: readonly number[],
  options: RouteOptions,
): FittedCircuit {
  const placeOf = new Map(part.map((qubit, i) => [qubit, i]));
  const couplers = device.couplers.flatMap(([a, b]): readonly Coupler[] => {
    const [i, j] = [placeOf.get(a), placeOf.get(b)];
    return i === undefined || j === undefined ? [] : [[i, j]];
  });
  const routed = routedWhole(circuit, new CouplingMap(part.length, couplers), options);
  const operations = routed.circuit.operations.map((operation) =>
    onPlaces(
      operation,
      operationQubits(operation).map((place) => part[place]!),
    ),
  );
  const placesIn = ({ physical }: RoutedCircuit['initialLayout']) =>
    Array.from(physical.subarray(0, circuit.numQubits), (place) => part[place]!);
  return {
    circuit: { numQubits: device.numQubits, numBits: circuit.numBits, operations },
    initialLayout: placesIn(routed.initialLayout),
    finalLayout: placesIn(routed.finalLayout),
    numSwaps: routed.numSwaps,
  };
}

/** Returns whether a two-qubit gate can act on qubits in that order; undefined where the order does not matter. */
function orientation({
  couplers,
  isSymmetric,
}: Device): ((first: number, second: number) => boolean) | undefined {
  if (isSymmetric) return undefined;
  const allowed = new Set(couplers.map(([a, b]) => `${a} ${b}`));
  return (first, second) => allowed.has(`${first} ${second}`);
}

/** Divides a measurement or reset of several qubits, as text with physical qubits needs it. */
function oneByOne(operation: Operation): readonly Operation[] {
  if (operation.kind === 'reset') {
    return operation.qubits.map((qubit) => ({ ...operation, qubits: [qubit] }));
  }
  if (operation.kind !== 'measure') return [operation];
  return operation.qubits.map((qubit, i) => ({
    ...operation,
    qubits: [qubit],
    bits: [operation.bits[i]!],
  }));
}

/** Cost that stands for the error of a missing coupler, so that dense parts win where no errors are known. */
const DENSITY = 1e-4;

/**
 * Chooses a connected part of a device for a small circuit: the qubits and couplers with the smallest reported errors.
 * Qubits are ascending.
 *
 * From each qubit a part is grown by the neighbour that costs least, and the cheapest part wins. A part is denser than
 * a line of the same length, which leaves the router more ways.
 *
 * @param map - The couplers of the device.
 * @param size - At most the size of the map's largest part.
 */
export function goodPart(
  map: CouplingMap,
  { couplers, errors }: Pick<Device, 'couplers' | 'errors'>,
  size: number,
): readonly number[] {
  const ofCoupler = new Map<string, number>();
  for (const [i, [a, b]] of couplers.entries()) {
    const error = errors?.couplers[i] ?? 0;
    const name = nameOf(a, b);
    ofCoupler.set(name, Math.min(error, ofCoupler.get(name) ?? 1));
  }
  let best: { readonly part: readonly number[]; readonly cost: number } | undefined;
  for (const start of map.largestPart()) {
    const part = new Set([start]);
    let cost = errors?.qubits[start] ?? 0;
    while (part.size < size) {
      const next = cheapestNeighbour(map, part, ofCoupler, errors?.qubits);
      part.add(next.qubit);
      cost += next.cost;
    }
    if (best === undefined || cost < best.cost) best = { part: [...part], cost };
  }
  return [...(best?.part ?? [])].sort((a, b) => a - b);
}

function cheapestNeighbour(
  map: CouplingMap,
  part: ReadonlySet<number>,
  ofCoupler: ReadonlyMap<string, number>,
  ofQubit: readonly number[] | undefined,
): { readonly qubit: number; readonly cost: number } {
  let best: { readonly qubit: number; readonly cost: number } | undefined;
  for (const inside of part) {
    for (const qubit of map.neighbours[inside]!) {
      if (part.has(qubit)) continue;
      const links = map.neighbours[qubit]!.filter((other) => part.has(other));
      const error = Math.min(...links.map((other) => ofCoupler.get(nameOf(qubit, other)) ?? 0));
      const cost = error + (ofQubit?.[qubit] ?? 0) - DENSITY * links.length;
      if (best === undefined || cost < best.cost) best = { qubit, cost };
    }
  }
  if (best === undefined) throw new Error('unreachable: a part as large as the connected qubits');
  return best;
}

function nameOf(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

// Fits circuits that differ in their angles alone to a device: placed once, for all of them, and written in native
// gates for each, because a native gate may depend on its angles in any way.
//
// They are placed with angles in their gates that stand for any. Where a gate on three or more qubits has such an
// angle, its decomposition depends on the value, and each circuit is placed by itself.

/**
 * Fits the circuits of a shape to a device.
 *
 * @param rows - Angles of the circuits, row after row, in the order of the operations.
 * @param uniform - Makes the random source of a layout: the same numbers each time.
 */
export function* fitShape(
  shape: Circuit,
  rows: Float64Array,
  numCircuits: number,
  device: Device,
  uniform: () => () => number,
): Generator<FittedCircuit, void, undefined> {
  const numAngles = rows.length / numCircuits;
  const row = (k: number) => rows.subarray(k * numAngles, (k + 1) * numAngles);
  const first = withAngles(shape, row(0));
  const slots = openAngles(rows, numAngles, numCircuits);
  const pairs = slots.every((slot) => slot === CONSTANT) ? undefined : openForm(first, slots);
  const place = pairs && placed(pairs, device, uniform());
  for (let k = 0; k < numCircuits; k++) {
    yield place === undefined
      ? fitCircuit(withAngles(shape, row(k)), device, uniform())
      : inNativeGates({ ...place, circuit: atAngles(place.circuit, row(k)) }, device);
  }
}

/** The number of each angle that differs between the rows; CONSTANT for the others. */
function openAngles(rows: Float64Array, numAngles: number, numCircuits: number): Int32Array {
  const slots = new Int32Array(numAngles).fill(CONSTANT);
  for (let i = numAngles; i < numAngles * numCircuits; i++) {
    if (rows[i] !== rows[i % numAngles]) slots[i % numAngles] = i % numAngles;
  }
  return slots;
}

/** The circuit in gates on at most two qubits, with all open angles still in it; undefined if it has no such form. */
function openForm(circuit: Circuit, slots: Int32Array): Circuit | undefined {
  // The cast is safe: the operations of a static circuit keep their kinds.
  const pairs = twoQubitForm(withParameters(circuit, slots) as Circuit);
  const kept = new Set(pairs.operations.flatMap((operation) => slotsOf(operation) ?? []));
  return slots.every((slot) => slot === CONSTANT || kept.has(slot)) ? pairs : undefined;
}

function atAngles(circuit: Circuit, angles: Float64Array): Circuit {
  const operations = circuit.operations.map((operation) => {
    const slots = slotsOf(operation);
    if (slots === undefined) return operation;
    const { slots: _, ...gate } = operation as ParametricGate;
    return {
      ...gate,
      angles: gate.angles.map((angle, i) => (slots[i] === CONSTANT ? angle : angles[slots[i]!]!)),
    } satisfies GateOperation;
  });
  return { ...circuit, operations };
}

function slotsOf(operation: Operation): readonly number[] | undefined {
  // The cast is safe: `withParameters` alone adds slots, to gates.
  return 'slots' in operation ? (operation as ParametricGate).slots : undefined;
}
