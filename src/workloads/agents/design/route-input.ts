/** Input of the task `route`, its limits and faults, and its target: a device, or the caller's couplers and gates. */
import { z } from 'zod';
import type { GateSet } from '../../../circuit/synthesis/gate-set.ts';
import {
  DEVICE_IDS,
  DEVICES,
  type DeviceId,
  type PublicDevice,
} from '../../../compiler/device/public-devices.ts';
import { CouplingMap } from '../../../compiler/routing/coupling-map.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import {
  circuitFaults,
  circuitFields,
  circuitOf,
  seedField,
} from '../../procedures/input-fields.ts';
import { gateSetFaultsAt, gateSetField, gateSetOf } from './design-input.ts';

export const MAX_COUPLERS = 1024;
/** Highest qubit index of a coupling map. */
const MAX_PLACE = 255;
/** Most multi-qubit gates of a circuit: on a wide device each may take dozens of native ones. */
export const MAX_WIDE_GATES = 1000;
const MAX_TRIALS = 32;

/** Widest circuit, in qubits, and most pairs of qubits that its gates become. */
export const ROUTE_LIMITS = { maxQubits: MAX_PLACE + 1, maxPairs: 2 * MAX_WIDE_GATES } as const;

const place = z.int().min(0).max(MAX_PLACE);

/** Limits of the input. */
export const routeInput = z.strictObject({
  ...circuitFields,
  device: z
    .enum(DEVICE_IDS)
    .optional()
    .describe('Name of a public device; give either this or `coupling_map`'),
  coupling_map: z
    .array(z.tuple([place, place]))
    .min(1)
    .max(MAX_COUPLERS)
    .optional()
    .describe('Pairs of physical qubits that a two-qubit gate can act on, in any order'),
  native_gates: gateSetField.describe(
    'Names of the native gates; by default those of the device, otherwise cz, rz, sx and x',
  ),
  layout: z
    .enum(['auto', 'trivial'])
    .default('auto')
    .describe(
      'Initial layout. `auto` (default): the one found with the fewest SWAPs. `trivial`: qubit i on physical qubit i, or on the i-th of the largest connected part',
    ),
  trials: z
    .int()
    .min(0)
    .max(MAX_TRIALS)
    .default(8)
    .describe(
      'Number of random layouts that the search starts from; fewer for long circuits. Default 8',
    ),
  seed: seedField,
});

/** Parsed input. */
export type RouteInput = z.output<typeof routeInput>;

/** Faults of an input. */
export function routeFaults(input: RouteInput): readonly Fault[] {
  const faults: Fault[] = [...gateSetFaultsAt('native_gates', input.native_gates)];
  const { device, coupling_map: couplers } = input;
  if (device !== undefined && couplers !== undefined) {
    const message = 'Give either device or coupling_map, not both.';
    faults.push({ path: 'coupling_map', message });
  }
  if (device === undefined && couplers === undefined) {
    faults.push({ path: 'device', message: 'Required: device, or coupling_map instead.' });
  }
  for (const [i, [a, b]] of (couplers ?? []).entries()) {
    if (a !== b) continue;
    faults.push({ path: `coupling_map[${i}]`, message: `Couples qubit ${a} with itself.` });
  }
  const limits = { maxQubits: ROUTE_LIMITS.maxQubits };
  faults.push(...circuitFaults(input, limits));
  if (faults.length > 0) return faults;
  const { map } = routingTarget(input);
  const circuit = circuitOf(input, limits);
  const path = input.qasm === undefined ? 'circuit' : 'qasm';
  const room = map.largestPart().length;
  if (circuit.numQubits > room) {
    const message = `The circuit has ${circuit.numQubits} qubits; the largest connected part of the target has ${room}.`;
    faults.push({ path, message });
  }
  const numWide = circuit.operations.filter(
    (operation) =>
      (operation.kind === 'gate' || operation.kind === 'unitary') &&
      operation.controls.length + operation.targets.length > 1,
  ).length;
  if (numWide > MAX_WIDE_GATES) {
    const message = `The circuit has ${numWide} gates on several qubits; the limit max_wide_gates is ${MAX_WIDE_GATES}.`;
    faults.push({ path, message });
  }
  return faults;
}

/** Default native gates for a coupling map. */
export const DEFAULT_NATIVE_GATES: readonly string[] = ['cz', 'rz', 'sx', 'x'];

/** Input fields of a routing target. */
export interface TargetFields {
  readonly device?: DeviceId | undefined;
  readonly coupling_map?: readonly (readonly [number, number])[] | undefined;
  readonly native_gates?: readonly string[] | undefined;
}

/** A routing target. */
export interface RoutingTarget {
  readonly map: CouplingMap;
  readonly gates: GateSet;
  /** The named device; absent if the couplers are the caller's own. */
  readonly device?: PublicDevice;
}

/** The target of validated fields: a device or couplers. */
export function routingTarget({ device, coupling_map, native_gates }: TargetFields): RoutingTarget {
  if (device !== undefined) {
    const known = DEVICES[device];
    return {
      map: new CouplingMap(known.numQubits, known.couplers),
      gates: gateSetOf(native_gates ?? known.nativeGates),
      device: known,
    };
  }
  const couplers = coupling_map ?? [];
  const numQubits = 1 + couplers.flat().reduce((highest, qubit) => Math.max(highest, qubit), 0);
  return {
    map: new CouplingMap(numQubits, couplers),
    gates: gateSetOf(native_gates ?? DEFAULT_NATIVE_GATES),
  };
}
