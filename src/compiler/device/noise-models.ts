/** Noise models that callers may name: depolarizing gates and readout errors from the published medians of devices. */
import { GATES } from '../../circuit/gates.ts';
import type { NoiseModelObject } from '../../circuit/noise/noise-model-schema.ts';
import { DEVICE_IDS, DEVICES, type PublicDevice } from './public-devices.ts';

/** A named noise model. */
export interface NamedNoiseModel {
  readonly id: string;
  readonly description: string;
  /** Where the figures come from. */
  readonly source: string;
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
  const { name, virtualGates, errors } = device;
  const { oneQubit, twoQubit, readout } = errors;
  const [p1Given0 = 0, p0Given1 = p1Given0] = readout;
  const virtual =
    virtualGates.length === 0
      ? ''
      : ' Diagonal one-qubit gates have none: the device implements them as changes of a phase reference.';
  return {
    id,
    description: `Depolarizing noise after each gate on one or two qubits, as it is written, and readout errors, at the medians of ${name}.${virtual} Gates on more qubits have none, so decompose them first. Crosstalk and errors of waiting qubits are left out.`,
    source: `Median errors published for ${name}, one figure for all qubits and couplers; the error of a gate is taken as the probability of a Pauli error.`,
    basis: 'modelled',
    noise: {
      gates: [
        {
          gates: virtualGates.length === 0 ? ['*1'] : [...PULSED_GATES],
          channel: { type: 'depolarizing', probability: oneQubit },
        },
        { gates: ['*2'], channel: { type: 'depolarizing', probability: twoQubit } },
      ],
      readout: [{ p1_given_0: p1Given0, p0_given_1: p0Given1 }],
    },
  };
}
