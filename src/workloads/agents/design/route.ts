/** The task `route`: input, limits and example. */
import { z } from 'zod';
import { DEVICE_IDS } from '../../../compiler/device/public-devices.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import {
  circuitFaults,
  circuitFields,
  circuitOf,
  seedField,
} from '../../procedures/input-fields.ts';
import { procedure } from '../../procedures/procedure.ts';
import { routingTarget } from './devices/target.ts';
import { gateSetFaultsAt, gateSetField } from './gate-set-field.ts';

const MAX_COUPLERS = 1024;
/** Highest qubit index of a coupling map. */
const MAX_PLACE = 255;
/** Most multi-qubit gates of a circuit: on a wide device each may take dozens of native ones. */
const MAX_WIDE_GATES = 1000;
const MAX_TRIALS = 32;

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

/** The task `route`. */
export const route = procedure({
  name: 'route',
  description:
    'Fits a circuit to a device: chooses physical qubits, inserts SWAPs between distant qubits (SABRE), and writes it in native gates. The result has the circuit on physical qubits, the layouts before and after, counts and depths, an estimate of the success probability from the noise model of the device, and how fit and equivalence were verified.',
  input: routeInput,
  check: routeFaults,
  limits: {
    max_qubits: MAX_PLACE + 1,
    max_couplers: MAX_COUPLERS,
    max_wide_gates: MAX_WIDE_GATES,
    deadline_ms: 300_000,
  },
  example: {
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'CX', control: 0, target: 2 },
      { gate: 'CCX', controls: [0, 1], target: 3 },
      { gate: 'M', qubits: [0, 1, 2, 3] },
    ],
    device: 'iqm-garnet',
    seed: 1,
  },
  feeds: { circuit: 'circuit', qubits: 'qubits' },
  run: async (...call) => (await import('./run-route.ts')).runRoute(...call),
});

function routeFaults(input: RouteInput): readonly Fault[] {
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
  const limits = { maxQubits: MAX_PLACE + 1 };
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

/** Widest circuit, for the code that runs it. */
export const ROUTE_LIMITS = { maxQubits: MAX_PLACE + 1, maxPairs: 2 * MAX_WIDE_GATES } as const;
