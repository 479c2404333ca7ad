/** The interface of a model: name, card and availability. */
import type { Availability } from '../../fleet/processor.ts';

/** A model that the service serves; what it takes depends on its task. */
export interface Model {
  readonly id: string;
  readonly name: string;
  readonly task: 'classification' | 'text-generation';
  /** One sentence. */
  readonly description: string;
  /** The outcome of the last self-test, which is an inference by the way that requests take. */
  availability(): Availability;
  /** Runs the first self-test; afterwards it repeats by itself. */
  start(): Promise<void>;
  /**
   * Ends self-tests and takes nothing new; what waits or runs may finish within `graceMs` and is then
   * ended with ModelUnavailableError.
   *
   * @param graceMs - 0 unless given.
   */
  close(graceMs?: number): Promise<void>;
}
