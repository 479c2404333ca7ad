/**
 * Backends of IonQ's interface: the simulator, and the QPUs that the clients know by name. All run on this service's
 * simulators. The QPUs say so, and have the noise models of IonQ's devices: a depolarizing channel after each gate on
 * one qubit and on two. Readout errors and gates on more qubits have no noise there. IonQ publishes the parameters of
 * some models; those of the others are derived here, and name their source.
 *
 * @see https://docs.ionq.com/guides/simulation-with-noise-models (no date)
 */

import type { GateObject } from '../../circuit/gate-object.ts';
import type { NoiseModelObject } from '../../circuit/noise/noise-model-schema.ts';
import { pauliErrorOf } from '../../compiler/device/public-devices.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import type { Processor } from '../../fleet/processor.ts';
import type { Target } from '../circuits/targets.ts';
import type { ProcessorDirectory } from '../directories.ts';
import { isoTime } from '../http/envelope.ts';
import { IonqBackendNotFoundError } from '../http/errors.ts';
import { gateNames } from './read-gates.ts';

/** A noise model of IonQ. */
export interface IonqNoise {
  /** Weights r of the fully mixed state after one- and two-qubit gates: a Pauli string has probability r/4^k. */
  readonly weights: readonly [number, number];
  /** Qubits of the device. */
  readonly numQubits: number;
  /** Source of the weights. */
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
const DEVICES: readonly string[] = [...MODELS.keys()];

/** The noise of a model; undefined for the ideal one and for names that there are not. */
export function ionqNoise(name: string): IonqNoise | undefined {
  return MODELS.get(name);
}

/** Basis of results with the noise of a model; empty for the ideal one, whose results are exact. */
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
function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Average infidelity of gates on one qubit and on two. */
function infidelitiesOf({ weights }: IonqNoise): readonly [number, number] {
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
 * The gate objects of one of IonQ's gates with its noise: one channel for the whole gate, on one qubit or on two. A
 * gate that acts on each of several targets has a channel for each.
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

/** Names of the backends. */
export const IONQ_BACKENDS: readonly string[] = [
  'simulator',
  ...DEVICES.map((device) => `qpu.${device}`),
];

/** Older clients name the QPU so. */
const ALIASES: ReadonlyMap<string, string> = new Map([['qpu', 'qpu.forte-1']]);

/** Processors that run the jobs, the preferred one first: double precision on the CPU, then that with more qubits. */
const PROCESSORS = ['statevector-sim', 'gpu-fleet'];

/** Processor of jobs with noise, which chooses a method for each. */
export const NOISY_PROCESSOR = 'qvm';

/** The backend of a name; undefined if there is none. */
export function backendOf(name: string): string | undefined {
  return IONQ_BACKENDS.find((known) => known === name) ?? ALIASES.get(name);
}

/**
 * The backend of a name in a path.
 *
 * @throws {IonqBackendNotFoundError}
 */
export function findBackend(name: string): string {
  const backend = backendOf(name);
  if (backend === undefined) throw new IonqBackendNotFoundError(unknownBackend(name));
  return backend;
}

/** Message about a backend that does not exist. */
export function unknownBackend(name: string): string {
  const known = `there are ${listed(IONQ_BACKENDS)}`;
  return `There is no backend ${JSON.stringify(name.slice(0, 100))}; ${known}.${didYouMean(name, IONQ_BACKENDS)}`;
}

/** Name of the noise model that a backend has unless a job says otherwise. */
export function noiseModelOfBackend(name: string): string {
  return name === 'simulator' ? IDEAL : name.slice('qpu.'.length);
}

/** The target that runs circuits with such noise, or the widest one without; undefined if none is available. */
export function targetFor(
  noise: IonqNoise | undefined,
  targets: readonly Target[],
): Target | undefined {
  const ids = noise === undefined ? PROCESSORS : [NOISY_PROCESSOR];
  return targets
    .filter(({ spec, available }) => ids.includes(spec.id) && available)
    .toSorted((a, b) => b.spec.maxQubits - a.spec.maxQubits)[0];
}

/** Id of the processor that runs circuits of `numQubits` qubits. */
export function processorFor(numQubits: number, targets: readonly Target[]): string {
  const takes = (id: string) =>
    targets.some(
      ({ spec, available }) => spec.id === id && available && spec.maxQubits >= numQubits,
    );
  return PROCESSORS.find(takes) ?? PROCESSORS[0]!;
}

/** Processors that may run the jobs of a backend and are available. */
export function runningProcessors(name: string, fleet: ProcessorDirectory): readonly Processor[] {
  const ids = name === 'simulator' ? PROCESSORS : [NOISY_PROCESSOR];
  return ids
    .flatMap((id) => fleet.get(id) ?? [])
    .filter((processor) => processor.availability().available);
}

/** A backend as IonQ's interface shows it. */
export function viewBackend(name: string, fleet: ProcessorDirectory, now: number) {
  const processors = runningProcessors(name, fleet);
  const waits = processors.map((processor) => processor.load().expectedWaitMs ?? 0);
  const noise = ionqNoise(noiseModelOfBackend(name));
  const most = noise?.numQubits ?? Number.POSITIVE_INFINITY;
  return {
    backend: name,
    status: processors.length > 0 ? 'available' : 'unavailable',
    qubits: Math.min(most, Math.max(0, ...processors.map(({ spec }) => spec.maxQubits))),
    average_queue_time: waits.length === 0 ? 0 : Math.round(Math.min(...waits)),
    last_updated: isoTime(now),
    degraded: false,
    location: 'simulated by quantum-compute-service',
    supported_gates: gateNames('qis'),
    supported_native_gates: gateNames('native'),
    supported_error_mitigations: [],
    ...(noise && {
      simulated: true,
      ...basisOf(noiseModelOfBackend(name)),
      characterization_id: characterizationId(name),
    }),
  };
}

/** Id of the only characterization of a QPU; it never changes, because the noise model does not. */
function characterizationId(name: string): string {
  return `00000000-0000-8000-8000-${String(IONQ_BACKENDS.indexOf(name)).padStart(12, '0')}`;
}

/** Characterizations of a backend: that of the QPU's noise model, and none for the simulator. */
export function characterizationsOf(name: string, fleet: ProcessorDirectory, now: number) {
  const { qubits } = viewBackend(name, fleet, now);
  const noise = ionqNoise(noiseModelOfBackend(name));
  if (noise === undefined || qubits === 0) return [];
  const [oneQubit, twoQubit] = infidelitiesOf(noise);
  const pairs = Array.from({ length: qubits }, (_, a) =>
    Array.from({ length: qubits - a - 1 }, (__, b) => [a, a + 1 + b]),
  );
  return [
    {
      id: characterizationId(name),
      backend: name,
      date: isoTime(now),
      qubits,
      connectivity: pairs.flat(),
      fidelity: {
        spam: { median: 1 },
        '1q': { median: 1 - oneQubit },
        '2q': { median: 1 - twoQubit },
      },
      timing: { readout: 0, reset: 0, '1q': 0, '2q': 0 },
    },
  ];
}
