/** Runs the task `route`. */
import {
  type Circuit,
  hasMidCircuitMeasurement,
  type Operation,
  operationQubits,
} from '../../../circuit/circuit.ts';
import { noErrorProbability } from '../../../circuit/noise/noise-facts.ts';
import { misfits } from '../../../compiler/device/device.ts';
import {
  countPairs,
  MAX_TRIED_PAIRS,
  pairsOnly,
  routedWhole,
} from '../../../compiler/device/fit-circuit.ts';
import { nativeNoiseOf } from '../../../compiler/device/noise-models.ts';
import { type PublicDevice, pauliErrorOf } from '../../../compiler/device/public-devices.ts';
import { nativeCircuit } from '../../../compiler/native/native-circuit.ts';
import type { Layout } from '../../../compiler/routing/coupling-map.ts';
import { onPlaces, type RoutedCircuit, swapGate } from '../../../compiler/routing/route-circuit.ts';
import { Chance } from '../../algorithms/chance.ts';
import { verifyCircuits } from '../../algorithms/equivalence/verify-circuits.ts';
import { EquivalenceError } from '../../algorithms/equivalence/whole-unitary.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import { circuitOf } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { noiseModelOf, withNoise } from '../../procedures/noise-fields.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { circuitSize, circuitView } from './circuit-report.ts';
import { ROUTE_LIMITS, type RouteInput, type RoutingTarget, routingTarget } from './route-input.ts';

/** Numbers of the run's random streams. */
const ROUTING_STREAM = 100;

/** Routes the input's circuit to the input's device. */
export async function runRoute(input: RouteInput, context: ProcedureContext): Promise<JsonObject> {
  const given = circuitOf(input, ROUTE_LIMITS);
  const target = routingTarget(input);
  const seed = input.seed ?? context.seed;
  const pairs = pairsOnly(given, target.gates, 'unitary');
  const numPairs = countPairs(pairs);
  if (numPairs > ROUTE_LIMITS.maxPairs) {
    const message = `Written in gates on two qubits it has ${numPairs} of them; at most ${ROUTE_LIMITS.maxPairs} are routed.`;
    throw new ProcedureInputError([{ path: 'circuit', message }]);
  }
  const trials = Math.min(input.trials, Math.floor(MAX_TRIED_PAIRS / Math.max(1, numPairs)));
  const chance = new Chance(seed, ROUTING_STREAM);
  const routed = routedWhole(pairs, target.map, {
    layout: input.layout,
    trials,
    uniform: () => chance.uniform(),
    onProgress: (fraction) => context.progress(0.6 * fraction, 'Routing'),
  });
  context.progress(0.6, 'Writing native gates');
  const circuit = nativeCircuit(routed.circuit, target.gates);
  const wrong = misfits(circuit, {
    couplers: target.map.couplers,
    isSymmetric: true,
    nativeGates: [...target.gates.names],
  });
  if (wrong.length > 0) throw new EquivalenceError('number of misfits', wrong.length, 0);
  context.progress(0.7, 'Verifying');
  const logical = asLogical(circuit, routed);
  const verification = await verifyCircuits(
    { ...given, numQubits: logical.numQubits },
    logical,
    { preserve: 'unitary', seed },
    context,
  );
  return {
    ...circuitView(circuit),
    initial_layout: placesOf(routed.initialLayout, given.numQubits),
    final_layout: placesOf(routed.finalLayout, given.numQubits),
    layout_found_by: routed.foundBy,
    layouts_tried: routed.foundBy === 'search' ? trials + 1 : 1,
    swaps_inserted: routed.numSwaps,
    ...targetView(target, circuit),
    before: circuitSize(given),
    after: circuitSize(circuit),
    verification: {
      fits_device: true,
      fits_device_method:
        'Every gate was looked up in the list of native gates, and every two-qubit gate in the list of couplers.',
      ...verification,
    },
    seed,
  };
}

/** Position of each of the circuit's own qubits. */
function placesOf(layout: Layout, numQubits: number): readonly number[] {
  return [...layout.physical.subarray(0, numQubits)];
}

function targetView({ device, map, gates }: RoutingTarget, circuit: Circuit): JsonObject {
  const shape = { device_qubits: map.numQubits, couplers: map.couplers.length };
  const native = { native_gates: [...gates.names] };
  if (device === undefined) return { ...shape, ...native };
  return {
    device: device.name,
    device_topology: device.topology,
    ...shape,
    ...native,
    success_estimate: successEstimate(circuit, device),
  };
}

/** The routed circuit on logical qubits, spare ones included; each qubit ends at its initial position. */
function asLogical(
  circuit: Circuit,
  { initialLayout, finalLayout }: Pick<RoutedCircuit, 'initialLayout' | 'finalLayout'>,
): Circuit {
  const operations = circuit.operations.map((operation) =>
    onPlaces(
      operation,
      operationQubits(operation).map((place) => initialLayout.logical[place]!),
    ),
  );
  // Entry q is the qubit that ends on the place where logical qubit q began; it is then swapped home.
  const held = [...initialLayout.physical].map((place) => finalLayout.logical[place]!);
  const home = swapsHome(held);
  if (hasMidCircuitMeasurement(circuit)) {
    return { ...circuit, operations: [...operations, ...home] };
  }
  const measures = operations.filter(({ kind }) => kind === 'measure');
  return {
    ...circuit,
    operations: [
      ...operations.filter(({ kind }) => kind !== 'measure'),
      ...home,
      ...measures.map((operation) =>
        onPlaces(
          operation,
          operationQubits(operation).map((q) => held[q]!),
        ),
      ),
    ],
  };
}

/** SWAPs that move the content of position q to position held[q]. */
function swapsHome(held: readonly number[]): readonly Operation[] {
  const left = [...held];
  const swaps: Operation[] = [];
  for (let q = 0; q < left.length; q++) {
    while (left[q] !== q) {
      const to = left[q]!;
      swaps.push(swapGate([q, to]));
      [left[q], left[to]] = [left[to]!, to];
    }
  }
  return swaps;
}

/**
 * Estimates the probability that a circuit in native gates runs without error on a device, by the device's noise model;
 * lists the effects that the estimate omits.
 */
function successEstimate(circuit: Circuit, device: PublicDevice): JsonObject {
  const { errors, virtualGates } = device;
  const noisy = withNoise(circuit, noiseModelOf(nativeNoiseOf(device)));
  let probability = noErrorProbability(noisy);
  for (const operation of noisy.operations) {
    if (operation.kind !== 'misread') continue;
    probability *= (1 - (operation.p1Given0 + operation.p0Given1) / 2) ** operation.bits.length;
  }
  let [one, two, read] = [0, 0, 0];
  for (const operation of circuit.operations) {
    if (operation.kind === 'measure') read += operation.qubits.length;
    if (operation.kind !== 'gate' || virtualGates.includes(operation.gate)) continue;
    if (operationQubits(operation).length === 1) one++;
    else two++;
  }
  return {
    probability,
    basis: 'modelled',
    description:
      "Probability that no channel of the device's noise model errs and no bit is misread, as if these were independent: Pauli errors after gates, readout errors, and relaxation where the device publishes times. The model has published medians; errors between gates that run side by side are left out.",
    one_qubit_gates: one,
    two_qubit_gates: two,
    measurements: read,
    one_qubit_error: pauliErrorOf(errors.oneQubit, 1, errors.measure),
    two_qubit_error: pauliErrorOf(errors.twoQubit, 2, errors.measure),
    readout_error: errors.readout.reduce((sum, each) => sum + each, 0) / errors.readout.length,
  };
}
