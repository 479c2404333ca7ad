/**
 * Backends of IonQ's interface: the simulator, and the QPUs that the clients know by name. All run on this service's simulators. The
 * QPUs say so, and have the noise models of IonQ's devices.
 */

import { didYouMean } from '../../errors/nearest-names.ts';
import type { Processor } from '../../fleet/processor.ts';
import type { Target } from '../circuits/targets.ts';
import type { ProcessorDirectory } from '../directories.ts';
import { isoTime } from '../http/envelope.ts';
import { IonqBackendNotFoundError } from '../http/errors.ts';
import {
  basisOf,
  DEVICES,
  IDEAL,
  type IonqNoise,
  infidelitiesOf,
  ionqNoise,
  listed,
} from './ionq-noise.ts';
import { gateNames } from './read-gates.ts';

/** Names of the backends. */
export const IONQ_BACKENDS: readonly string[] = [
  'simulator',
  ...DEVICES.map((device) => `qpu.${device}`),
];

/** Older clients name the QPU so. */
const ALIASES: ReadonlyMap<string, string> = new Map([['qpu', 'qpu.forte-1']]);

/** Processors that run the jobs, the preferred one first: double precision on the CPU, then what takes more qubits. */
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

/** Id of the processor that runs circuits of so many qubits. */
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
