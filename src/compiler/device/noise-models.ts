/**
 * Noise models of public devices: depolarizing gates, readout errors and relaxation, from published medians. Each
 * device has two, one for circuits as callers write them and one for circuits in its native gates.
 */
import { GATES, gateNamed } from '../../circuit/gates.ts';
import type { NoiseModelObject } from '../../circuit/noise/noise-model-schema.ts';
import { DEVICE_IDS, DEVICES, type PublicDevice, pauliErrorOf } from './public-devices.ts';

/** A named noise model. */
export interface NamedNoiseModel {
  readonly id: string;
  readonly description: string;
  /** Source of the figures. */
  readonly source: string;
  /** Day of the calibration that they come from, if known. */
  readonly date?: string;
  /** Whether the errors were measured on the device as they stand here, or follow from a model. */
  readonly basis: 'modelled';
  readonly noise: NoiseModelObject;
}

/** One-qubit gates that take a pulse where phases are virtual. */
const PULSED_GATES: readonly string[] = GATES.filter(
  ({ numControls, numTargets, traits, name }) =>
    numControls + numTargets === 1 && !traits.includes('diagonal') && name !== 'ID',
).map(({ name }) => name);

/** All named models. */
export const NAMED_NOISE_MODELS: readonly NamedNoiseModel[] = DEVICE_IDS.map((id) =>
  modelOfDevice(id, DEVICES[id]),
);

/** The models by name, as a circuit may refer to them. */
export const NOISE_MODELS: ReadonlyMap<string, NoiseModelObject> = new Map(
  NAMED_NOISE_MODELS.map(({ id, noise }) => [id, noise]),
);

function modelOfDevice(id: string, device: PublicDevice): NamedNoiseModel {
  const { name, virtualGates, date } = device;
  const isVirtual = virtualGates.length > 0;
  const virtual = isVirtual
    ? ' Diagonal one-qubit gates have none: the device implements them as changes of a phase reference.'
    : '';
  const relaxing = relaxationOf(device) ? ` The processor emulator-${id} has relaxation.` : '';
  return {
    id,
    description: `Depolarizing noise after each gate on one or two qubits, as it is written, and readout errors, at the medians of ${name}.${virtual} Gates on more qubits have none, so decompose them first. Crosstalk and relaxation are left out.${relaxing}`,
    source: sourceOfFigures(device),
    ...(date !== undefined && { date }),
    basis: 'modelled',
    noise: {
      gates: depolarizing(device, isVirtual ? PULSED_GATES : ['*1'], ['*2']),
      readout: readoutOf(device),
    },
  };
}

/**
 * The noise of a circuit in a device's native gates: depolarizing noise after each gate but virtual ones, readout
 * errors, and relaxation of waiting qubits where the device publishes T1, T2 and durations.
 */
export function nativeNoiseOf(device: PublicDevice): NoiseModelObject {
  const { nativeGates, virtualGates, times } = device;
  const { durationsNs, relaxesInGates } = times;
  const pulsed = nativeGates.filter((name) => !virtualGates.includes(name));
  const ofWidth = (width: number) => pulsed.filter((name) => widthOf(name) === width);
  const relaxation = relaxationOf(device);
  return {
    gates: [
      ...(relaxesInGates && relaxation
        ? pulsed.map((gate) => ({
            gates: [gate],
            channel: {
              type: 'thermal_relaxation' as const,
              ...relaxation,
              duration_ns: durationsNs[gate] ?? 0,
            },
          }))
        : []),
      ...depolarizing(device, ofWidth(1), ofWidth(2)),
    ],
    readout: readoutOf(device),
    ...(relaxation && { idle: [{ ...relaxation, durations_ns: { ...durationsNs } }] }),
  };
}

/** Relaxation times of a device, if it publishes both. */
function relaxationOf({ times: { t1Us, t2Us } }: PublicDevice) {
  return t1Us === undefined || t2Us === undefined ? undefined : { t1_us: t1Us, t2_us: t2Us };
}

/** A sentence on where a device's figures come from, and how noise follows from them. */
export function sourceOfFigures({ figures, date, errors }: PublicDevice): string {
  const conversions = {
    average_infidelity:
      'The rates are average infidelities r of gates on k qubits, so a Pauli error has the probability r·(1 + 2^−k).',
    pauli_error: 'The rates are probabilities of Pauli errors.',
    depolarizing_parameter:
      'The rates are depolarizing parameters λ of gates on k qubits, so a Pauli error has the probability λ·(1 − 4^−k).',
  };
  const text = `${figures[0]!.toUpperCase()}${figures.slice(1)}`;
  const day = date === undefined ? '' : ` (${date})`;
  return `${text}${day}. ${conversions[errors.measure]} One figure holds for all qubits and couplers.`;
}

function depolarizing(
  { errors }: PublicDevice,
  oneQubitGates: readonly string[],
  twoQubitGates: readonly string[],
): NonNullable<NoiseModelObject['gates']> {
  const after = (gates: readonly string[], rate: number, width: number) => ({
    gates: [...gates],
    channel: {
      type: 'depolarizing' as const,
      // Published rates have two or three digits; digits beyond six come from rounding in multiplication.
      probability: Number(pauliErrorOf(rate, width, errors.measure).toPrecision(6)),
    },
  });
  return [after(oneQubitGates, errors.oneQubit, 1), after(twoQubitGates, errors.twoQubit, 2)];
}

function readoutOf({ errors }: PublicDevice): NonNullable<NoiseModelObject['readout']> {
  const [p1Given0 = 0, p0Given1 = p1Given0] = errors.readout;
  return [{ p1_given_0: p1Given0, p0_given_1: p0Given1 }];
}

function widthOf(gate: string): number {
  const { numControls, numTargets } = gateNamed(gate);
  return numControls + numTargets;
}
