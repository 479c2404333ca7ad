/**
 * Noise models of IonQ's simulator: a depolarizing channel after each gate on one qubit and on two, with the parameters that IonQ
 * publishes. Its page has no date. Readout errors and gates on more qubits have no noise there.
 *
 * @see https://docs.ionq.com/guides/simulation-with-noise-models
 */
import type { GateObject } from '../../circuit/gate-object.ts';
import type { NoiseModelObject } from '../../circuit/noise/noise-model-schema.ts';
import { pauliErrorOf } from '../../compiler/device/public-devices.ts';
import { didYouMean } from '../../errors/nearest-names.ts';

/** A noise model of IonQ. */
interface IonqNoise {
  /** Weights r of the fully mixed state after gates on one qubit and on two: a Pauli string has the probability r/4^k. */
  readonly weights: readonly [number, number];
  /** Qubits of the device. */
  readonly numQubits: number;
}

const MODELS: ReadonlyMap<string, IonqNoise> = new Map<string, IonqNoise>([
  ['aria-1', { weights: [0.0005, 0.0133], numQubits: 25 }],
  ['aria-2', { weights: [0.000657333333333333, 0.01856], numQubits: 25 }],
  ['forte-1', { weights: [0.000266666666666667, 0.00494933333333333], numQubits: 36 }],
]);

/** Name of the model without noise. */
export const IDEAL = 'ideal';
/** Model of the QPU. */
export const QPU_NOISE = 'forte-1';

/** The noise of a model; undefined for the ideal one and for names that there are not. */
export function ionqNoise(name: string): IonqNoise | undefined {
  return MODELS.get(name);
}

/** Message about a model that is not there; undefined for one that is. */
export function unknownModel(name: string): string | undefined {
  const known = [IDEAL, ...MODELS.keys()];
  if (known.includes(name)) return undefined;
  const shown = JSON.stringify(name.slice(0, 40));
  const list = `there are ${known.slice(0, -1).join(', ')} and ${known.at(-1)}.`;
  if (name === 'harmony') {
    return `The noise model "harmony" is not available, because IonQ does not publish its parameters; ${list}`;
  }
  return `The noise model ${shown} is not available; ${list}${didYouMean(name, known)}`;
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
