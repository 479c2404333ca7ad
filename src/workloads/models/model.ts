/** The interface of a model: name, card and availability. */
import type { Availability } from '../../fleet/processor.ts';

/** A model that the service serves; its input depends on its task. */
export interface Model {
  readonly id: string;
  readonly name: string;
  readonly task: 'classification' | 'text-generation';
  /** One sentence. */
  readonly description: string;
  /** Outcome of the last self-test, which runs an inference the same way as a request. */
  availability(): Availability;
  /** Runs the first self-test; further ones follow at intervals. */
  start(): Promise<void>;
  /**
   * Stops self-tests and refuses new requests. Waiting and running ones may finish within `graceMs` and
   * then end with ModelUnavailableError.
   *
   * @param graceMs - Milliseconds; 0 unless given.
   */
  close(graceMs?: number): Promise<void>;
}
