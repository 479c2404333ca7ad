/**
 * Noise models of IonQ's simulator: a depolarizing channel after each gate on one qubit and on two. Readout errors and gates on more
 * qubits have no noise there. IonQ publishes the parameters of some models; those of the others are derived here, and say from what.
 *
 * @see https://docs.ionq.com/guides/simulation-with-noise-models (no date)
 */
import type { GateObject } from '../../circuit/gate-object.ts';
import type { NoiseModelObject } from '../../circuit/noise/noise-model-schema.ts';
import { pauliErrorOf } from '../../compiler/device/public-devices.ts';
import { didYouMean } from '../../errors/nearest-names.ts';

/** A noise model of IonQ. */
export interface IonqNoise {
  /** Weights r of the fully mixed state after gates on one qubit and on two: a Pauli string has the probability r/4^k. */
  readonly weights: readonly [number, number];
  /** Qubits of the device. */
  readonly numQubits: number;
  /** Where the weights are from. */
  readonly source: string;
}

const PUBLISHED = 'published by IonQ for its noise model';

/** IonQ takes these names. Each device is also the name of a QPU. */
const MODELS: ReadonlyMap<string, IonqNoise> = new Map<string, IonqNoise>([
  [
    'forte-1',
    { weights: [0.000266666666666667, 0.00494933333333333], numQubits: 36, source: PUBLISHED },
  ],
  [
    'forte-enterprise-1',
    {
      weights: [0.000266666666666667, 0.00494933333333333],
      numQubits: 36,
      source: 'those of forte-1, a device of the same kind; IonQ publishes none of this one',
    },
  ],
  ['aria-1', { weights: [0.0005, 0.0133], numQubits: 25, source: PUBLISHED }],
  ['aria-2', { weights: [0.000657333333333333, 0.01856], numQubits: 25, source: PUBLISHED }],
  [
    'harmony',
    {
      // Twice and 4/3 times the infidelities of 0.65 % and 3.98 %.
      weights: [0.013, 0.0530666666666667],
      numQubits: 11,
      source:
        'derived from the average fidelities of the device, 99.35 % and 96.02 %; IonQ publishes no parameters of its noise model',
    },
  ],
]);

/** Name of the model without noise. */
export const IDEAL = 'ideal';
/** Names of the devices that have a model. */
export const DEVICES: readonly string[] = [...MODELS.keys()];

/** The noise of a model; undefined for the ideal one and for names that there are not. */
export function ionqNoise(name: string): IonqNoise | undefined {
  return MODELS.get(name);
}

/** What results with the noise of a model rest on; nothing for the ideal one, whose results are exact. */
export function basisOf(name: string): object {
  const noise = ionqNoise(name);
  return noise === undefined ? {} : { basis: 'modelled', noise_parameters: noise.source };
}

/** Message about a model that is not there; undefined for one that is. */
export function unknownModel(name: string): string | undefined {
  const known = [IDEAL, ...DEVICES];
  if (known.includes(name)) return undefined;
  const shown = JSON.stringify(name.slice(0, 40));
  return `The noise model ${shown} is not available; there are ${listed(known)}.${didYouMean(name, known)}`;
}

/** Names as a sentence has them. */
export function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Average infidelity of gates on one qubit and on two. */
export function infidelitiesOf({ weights }: IonqNoise): readonly [number, number] {
  const infidelity = (weight: number, width: number) =>
    pauliErrorOf(weight, width, 'depolarizing_parameter') / (1 + 2 ** -width);
  return [infidelity(weights[0], 1), infidelity(weights[1], 2)];
}

/** The model for programs whose gates are IonQ's. */
export function noiseModelOf(noise: IonqNoise): NoiseModelObject {
  return {
    gates: [1, 2].map((width) => ({ gates: [`*${width}`], channel: channelOf(noise, width) })),
  };
}

/**
 * The gate objects of one of IonQ's gates with its noise: one channel for the whole gate, on one qubit or on two. A gate that acts on
 * each of several targets has a channel for each.
 */
export function withGateNoise(
  objects: readonly GateObject[],
  noise: IonqNoise,
): readonly GateObject[] {
  const all = new Set(objects.flatMap(qubitsOf));
  if (all.size <= 2 && objects.some((object) => qubitsOf(object).length === all.size)) {
    return [...objects, ...noiseOn([...all], noise)];
  }
  return objects.flatMap((object) => [object, ...noiseOn(qubitsOf(object), noise)]);
}

function noiseOn(qubits: readonly number[], noise: IonqNoise): readonly GateObject[] {
  if (qubits.length < 1 || qubits.length > 2) return [];
  return [{ gate: 'NOISE', qubits: [...qubits], channel: channelOf(noise, qubits.length) }];
}

function channelOf({ weights }: IonqNoise, width: number) {
  const weight = weights[width - 1] ?? 0;
  const probability = pauliErrorOf(weight, width, 'depolarizing_parameter');
  return { type: 'depolarizing' as const, probability };
}

function qubitsOf({ target, targets = [], controls = [] }: GateObject): readonly number[] {
  return [...controls, ...targets, ...(target === undefined ? [] : [target])];
}
