/** Errors of the fleet. */
import { type CircuitLimits, tooManyQubits } from '../circuit/circuit-limits.ts';
import { counted } from '../circuit/errors.ts';
import { coded, RelayedError } from '../errors/coded-error.ts';

/** The processor is offline, in maintenance, or failed its last self-test. */
export class ProcessorUnavailableError extends coded(
  'FLEET_PROCESSOR_UNAVAILABLE',
  (processorId: string, reason: string, retryAfterS?: number) => ({
    message: `Processor ${processorId} is not available: ${reason}`,
    retryAfterS,
  }),
) {}

/** The processor's queue is at its `limit`: "1000 circuits", "512 MiB of circuits". */
export class QueueFullError extends coded(
  'FLEET_QUEUE_FULL',
  (processorId: string, limit: string, retryAfterS: number) => ({
    message: `The queue of ${processorId} is full: ${limit} are waiting.`,
    retryAfterS,
  }),
) {}

/** The engine died under the circuit, and again when it was retried. */
export class EngineLostError extends coded(
  'FLEET_ENGINE_LOST',
  (attempts: number, options?: ErrorOptions) => ({
    message: `The engine stopped while it ran the circuit (${counted(attempts, 'attempt')}).`,
    ...options,
  }),
) {}

/** The driver opened another adapter than requested. Seen only as the reason why a process did not start. */
export class WrongAdapterError extends coded(
  'FLEET_WRONG_ADAPTER',
  (wanted: string, opened: string) =>
    `The driver was to open the adapter "${wanted}" and opened "${opened}".`,
) {}

/**
 * A worker ended under its circuit. Callers see it only as the cause of EngineLostError or CircuitMemoryError.
 *
 * `wasAlone`: the worker had no other unanswered circuit, so it may have ended for this one. `isOutOfMemory`: its heap
 * was full.
 */
export class WorkerLostError extends coded(
  'FLEET_WORKER_LOST',
  (
    how: string,
    wasAlone: boolean,
    { isOutOfMemory = false, cause }: ErrorOptions & { readonly isOutOfMemory?: boolean } = {},
  ) => ({
    message: `A worker ended while it ran a circuit: ${how}.`,
    cause,
    wasAlone,
    isOutOfMemory,
  }),
) {}

/** The circuit filled the heaps of two workers, which had nothing else to run. */
export class CircuitMemoryError extends coded('FLEET_CIRCUIT_MEMORY', (options?: ErrorOptions) => ({
  message:
    'Compiling and running the circuit takes more memory than a worker may use beside its states. Fewer operations take less.',
  ...options,
})) {}

/** No worker can be started: each of the last ones ended before it was ready. */
export class NoWorkerError extends coded(
  'FLEET_NO_WORKER',
  (numFailedStarts: number, how: string) =>
    `No engine can be started: ${counted(numFailedStarts, 'attempt')} failed, the last with: ${how}.`,
) {}

/** An expected failure inside a worker thread: the compiler's and the engines' errors reach callers as this class. */
export class EngineFailure extends RelayedError {}

/** The circuit has more qubits than the processor takes. */
export class CircuitTooLargeError extends coded(
  'FLEET_CIRCUIT_TOO_LARGE',
  (numQubits: number, limits: Pick<CircuitLimits, 'maxQubits' | 'stateMemory'>) =>
    tooManyQubits(`The circuit has ${numQubits} qubits`, numQubits, limits),
) {}

/**
 * The circuit is expected to run for longer than any may. `methodReason` says why it would run by its method, with the
 * figures of each.
 */
export class CircuitTooLongError extends coded(
  'FLEET_CIRCUIT_TOO_LONG',
  (processorId: string, expectedMs: number, maxRunMs: number, methodReason: string) =>
    `The circuit is expected to run for about ${duration(expectedMs)} on ${processorId}; the limit is ${duration(maxRunMs)}, which QCS_MAX_RUN_MINUTES sets. ${methodReason} Fewer gates, qubits, observables or shots take less.`,
) {}

/** In the unit that a person would say it in. */
function duration(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 120) return `${Math.round(minutes)} minutes`;
  const hours = minutes / 60;
  return hours < 48 ? `${Math.round(hours)} hours` : `${Math.round(hours / 24)} days`;
}

/** The engine that a run was given to does not have its method. */
export class MethodMissingError extends coded(
  'FLEET_METHOD_MISSING',
  (method: string, engine: string) => `The ${engine} engine does not have the method ${method}.`,
) {}

/** The machine would not give the memory for the circuit's state vector. */
export class OutOfMemoryError extends coded(
  'FLEET_OUT_OF_MEMORY',
  (numQubits: number) => `The machine has no memory left for the state of ${numQubits} qubits.`,
) {}

/** The fleet was closed while the circuit waited or ran. */
export class FleetClosedError extends coded(
  'FLEET_CLOSED',
  () => 'The service is stopping; the circuit was not finished.',
) {}
