/**
 * Backends of IonQ's interface: the simulator, and a QPU that the clients know by name. Both run on this service's simulators. The QPU
 * says so, and has the noise that IonQ publishes for it.
 */

import { didYouMean } from '../../errors/nearest-names.ts';
import type { Processor } from '../../fleet/processor.ts';
import type { Target } from '../circuits/check-circuit.ts';
import type { ProcessorDirectory } from '../directories.ts';
import { isoTime } from '../envelope.ts';
import { IonqBackendNotFoundError } from '../errors.ts';
import { infidelitiesOf, ionqNoise, QPU_NOISE } from './ionq-noise.ts';
import { gateNames } from './read-gates.ts';

/** Names of the backends. */
export const IONQ_BACKENDS = ['simulator', 'qpu.forte-1'] as const;
export type IonqBackend = (typeof IONQ_BACKENDS)[number];

/** Older clients name the QPU so. */
const ALIASES: ReadonlyMap<string, IonqBackend> = new Map([['qpu', 'qpu.forte-1']]);

/** Processors that run the jobs, the preferred one first: double precision on the CPU, then what takes more qubits. */
const PROCESSORS = ['statevector-sim', 'gpu-fleet'];

/** Processor of jobs with noise, which chooses a method for each. */
export const NOISY_PROCESSOR = 'qvm';

/** The backend of a name; undefined if there is none. */
export function backendOf(name: string): IonqBackend | undefined {
  return IONQ_BACKENDS.find((known) => known === name) ?? ALIASES.get(name);
}

/**
 * The backend of a name in a path.
 *
 * @throws {IonqBackendNotFoundError}
 */
export function findBackend(name: string): IonqBackend {
  const backend = backendOf(name);
  if (backend === undefined) throw new IonqBackendNotFoundError(unknownBackend(name));
  return backend;
}

/** Message about a backend that does not exist. */
export function unknownBackend(name: string): string {
  const known = `there are ${IONQ_BACKENDS.join(' and ')}`;
  return `There is no backend ${JSON.stringify(name.slice(0, 100))}; ${known}.${didYouMean(name, IONQ_BACKENDS)}`;
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
export function runningProcessors(
  name: IonqBackend,
  fleet: ProcessorDirectory,
): readonly Processor[] {
  const ids = name === 'simulator' ? PROCESSORS : [NOISY_PROCESSOR];
  return ids
    .flatMap((id) => fleet.get(id) ?? [])
    .filter((processor) => processor.availability().available);
}

/** A backend as IonQ's interface shows it. */
export function viewBackend(name: IonqBackend, fleet: ProcessorDirectory, now: number) {
  const processors = runningProcessors(name, fleet);
  const waits = processors.map((processor) => processor.load().expectedWaitMs ?? 0);
  const isSimulator = name === 'simulator';
  const { numQubits: most = Number.POSITIVE_INFINITY } = isSimulator ? {} : QPU;
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
    ...(isSimulator ? {} : { simulated: true, characterization_id: CHARACTERIZATION_ID }),
  };
}

/** Noise of the QPU. */
const QPU = ionqNoise(QPU_NOISE)!;

/** Id of the only characterization; it never changes, because the noise model does not. */
const CHARACTERIZATION_ID = '00000000-0000-8000-8000-000000000001';

/** Characterizations of a backend: that of the QPU's noise model, and none for the simulator. */
export function characterizationsOf(name: IonqBackend, fleet: ProcessorDirectory, now: number) {
  const { qubits } = viewBackend(name, fleet, now);
  if (name === 'simulator' || qubits === 0) return [];
  const [oneQubit, twoQubit] = infidelitiesOf(QPU);
  const pairs = Array.from({ length: qubits }, (_, a) =>
    Array.from({ length: qubits - a - 1 }, (__, b) => [a, a + 1 + b]),
  );
  return [
    {
      id: CHARACTERIZATION_ID,
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
