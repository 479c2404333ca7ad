/** Errors of the fleet. */
import { type CircuitLimits, tooManyQubits } from '../circuit/circuit-limits.ts';
import { CodedError, coded, type Fault } from '../errors/coded-error.ts';

/** The processor is offline, in maintenance, or failed its last self-test. */
export class ProcessorUnavailableError extends CodedError {
  readonly code = 'FLEET_PROCESSOR_UNAVAILABLE';
  readonly retryAfterS: number | undefined;

  constructor(processorId: string, reason: string, retryAfterS?: number) {
    super(`Processor ${processorId} is not available: ${reason}`);
    this.retryAfterS = retryAfterS;
  }
}

/** The processor's queue is at its bound. */
export class QueueFullError extends CodedError {
  readonly code = 'FLEET_QUEUE_FULL';
  readonly retryAfterS: number;

  /** @param limit - What is reached: "1000 circuits", "512 MiB of circuits". */
  constructor(processorId: string, limit: string, retryAfterS: number) {
    super(`The queue of ${processorId} is full: ${limit} are waiting.`);
    this.retryAfterS = retryAfterS;
  }
}

/** The engine died under the circuit, and again when it was retried. */
export class EngineLostError extends CodedError {
  readonly code = 'FLEET_ENGINE_LOST';

  constructor(attempts: number, options?: ErrorOptions) {
    const tried = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
    super(`The engine stopped while it ran the circuit (${tried}).`, [], options);
  }
}

/** The driver opened another adapter than requested. Seen only as the reason why a process did not start. */
export class WrongAdapterError extends coded(
  'FLEET_WRONG_ADAPTER',
  (wanted: string, opened: string) =>
    `The driver was to open the adapter "${wanted}" and opened "${opened}".`,
) {}

/** A worker ended under its circuit. Callers see it only as the cause of EngineLostError or CircuitMemoryError. */
export class WorkerLostError extends CodedError {
  readonly code = 'FLEET_WORKER_LOST';
  /** Whether the worker had no other circuit that was not answered: then it may have ended for this one. */
  readonly wasAlone: boolean;
  /** Whether the worker ended because its heap was full. */
  readonly isOutOfMemory: boolean;

  constructor(
    how: string,
    wasAlone: boolean,
    { isOutOfMemory = false, ...options }: ErrorOptions & { readonly isOutOfMemory?: boolean } = {},
  ) {
    super(`A worker ended while it ran a circuit: ${how}.`, [], options);
    this.wasAlone = wasAlone;
    this.isOutOfMemory = isOutOfMemory;
  }
}

/** The circuit filled the heaps of two workers, which had nothing else to run. */
export class CircuitMemoryError extends CodedError {
  readonly code = 'FLEET_CIRCUIT_MEMORY';

  constructor(options?: ErrorOptions) {
    super(
      'Compiling and running the circuit takes more memory than a worker may use beside its states. Fewer operations take less.',
      [],
      options,
    );
  }
}

/** No worker can be started: each of the last ones ended before it was ready. */
export class NoWorkerError extends CodedError {
  readonly code = 'FLEET_NO_WORKER';

  constructor(numFailedStarts: number, how: string) {
    const failed =
      numFailedStarts === 1 ? '1 attempt failed' : `${numFailedStarts} attempts failed`;
    super(`No engine can be started: ${failed}, the last with: ${how}.`);
  }
}

/**
 * An expected failure inside a worker thread, with the code it had there: the compiler's and the
 * engines' errors reach callers as this class, because classes do not cross threads.
 */
export class EngineFailure extends CodedError {
  readonly code: string;

  constructor(code: string, message: string, faults: readonly Fault[]) {
    super(message, faults);
    this.code = code;
  }
}

/** The circuit has more qubits than the processor takes. */
export class CircuitTooLargeError extends CodedError {
  readonly code = 'FLEET_CIRCUIT_TOO_LARGE';

  constructor(numQubits: number, limits: Pick<CircuitLimits, 'maxQubits' | 'stateMemory'>) {
    super(tooManyQubits(`The circuit has ${numQubits} qubits`, numQubits, limits));
  }
}

/** The circuit is expected to run for longer than any may. */
export class CircuitTooLongError extends CodedError {
  readonly code = 'FLEET_CIRCUIT_TOO_LONG';

  /** @param methodReason - Why it would run by its method, with the figures of each. */
  constructor(processorId: string, expectedMs: number, maxRunMs: number, methodReason: string) {
    const expected = `is expected to run for about ${duration(expectedMs)} on ${processorId}`;
    const advice = 'Fewer gates, qubits, observables or shots take less.';
    super(
      `The circuit ${expected}; the limit is ${duration(maxRunMs)}, which QCS_MAX_RUN_MINUTES sets. ${methodReason} ${advice}`,
    );
  }
}

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
