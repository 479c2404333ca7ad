/** Errors of the fleet. */
import { CodedError } from '../errors/coded-error.ts';

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

  constructor(processorId: string, limit: number, retryAfterS: number) {
    super(`The queue of ${processorId} is full: ${limit} circuits are waiting.`);
    this.retryAfterS = retryAfterS;
  }
}

/** What ran the circuit died under it, and again when it was retried. */
export class EngineLostError extends CodedError {
  readonly code = 'FLEET_ENGINE_LOST';

  constructor(attempts: number, options?: ErrorOptions) {
    super(`The engine stopped while it ran the circuit (${attempts} attempts).`, [], options);
  }
}
