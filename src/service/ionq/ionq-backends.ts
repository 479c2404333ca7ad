/**
 * Backends of IonQ's interface: the ideal simulator, and a QPU that the clients know by name. Both run on this service's simulators,
 * and the QPU says so.
 */

import { didYouMean } from '../../errors/nearest-names.ts';
import type { Processor } from '../../fleet/processor.ts';
import type { Target } from '../circuits/check-circuit.ts';
import type { ProcessorDirectory } from '../directories.ts';
import { isoTime } from '../envelope.ts';
import { IonqBackendNotFoundError } from '../errors.ts';
import { gateNames } from './read-gates.ts';

/** Names of the backends. */
export const IONQ_BACKENDS = ['simulator', 'qpu.forte-1'] as const;
export type IonqBackend = (typeof IONQ_BACKENDS)[number];

/** Older clients name the QPU so. */
const ALIASES: ReadonlyMap<string, IonqBackend> = new Map([['qpu', 'qpu.forte-1']]);

/** Processors that run the jobs, the preferred one first: double precision on the CPU, then what takes more qubits. */
const PROCESSORS = ['statevector-sim', 'gpu-fleet'];

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

/** Processors that may run the jobs and are available. */
export function runningProcessors(fleet: ProcessorDirectory): readonly Processor[] {
  return PROCESSORS.flatMap((id) => fleet.get(id) ?? []).filter(
    (processor) => processor.availability().available,
  );
}

/** A backend as IonQ's interface shows it. */
export function viewBackend(name: IonqBackend, fleet: ProcessorDirectory, now: number) {
  const processors = runningProcessors(fleet);
  const waits = processors.map((processor) => processor.load().expectedWaitMs ?? 0);
  const isSimulator = name === 'simulator';
  return {
    backend: name,
    status: processors.length > 0 ? 'available' : 'unavailable',
    qubits: Math.max(0, ...processors.map(({ spec }) => spec.maxQubits)),
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

/** Id of the only characterization; it never changes, because an ideal device does not. */
const CHARACTERIZATION_ID = '00000000-0000-8000-8000-000000000001';

/** Characterizations of a backend: those of an ideal QPU, and none for the simulator. */
export function characterizationsOf(name: IonqBackend, fleet: ProcessorDirectory, now: number) {
  const { qubits } = viewBackend(name, fleet, now);
  if (name === 'simulator' || qubits === 0) return [];
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
      fidelity: { spam: { median: 1 }, '1q': { median: 1 }, '2q': { median: 1 } },
      timing: { readout: 0, reset: 0, '1q': 0, '2q': 0 },
    },
  ];
}
