/** A processor that nothing backs: it says why, and takes no work. */
import { ProcessorUnavailableError } from './errors.ts';
import type {
  Availability,
  BatchRunResult,
  CircuitResult,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
} from './processor.ts';

/** Always unavailable, for one reason. */
export class OfflineProcessor implements Processor {
  readonly spec: ProcessorSpec;
  readonly #reason: string;
  readonly #now: () => number;

  /** @param now - Milliseconds since 1970 UTC: the reason is true whenever it is asked for. */
  constructor(spec: ProcessorSpec, reason: string, now: () => number) {
    this.spec = spec;
    this.#reason = reason;
    this.#now = now;
  }

  availability(): Availability {
    return { available: false, reason: this.#reason, checkedAt: this.#now() };
  }

  load(): ProcessorLoad {
    return { queueDepth: 0, running: 0, expectedWaitMs: 0, expectedWideWaitMs: 0 };
  }

  queuePosition(): undefined {
    return undefined;
  }

  expectedStart(): undefined {
    return undefined;
  }

  admit(): void {
    throw new ProcessorUnavailableError(this.spec.id, this.#reason);
  }

  withdraw(): void {}

  async run(): Promise<CircuitResult> {
    throw new ProcessorUnavailableError(this.spec.id, this.#reason);
  }

  async runBatch(): Promise<BatchRunResult> {
    throw new ProcessorUnavailableError(this.spec.id, this.#reason);
  }

  /** Changes nothing: there is no service to take it out of. */
  setMaintenance(): void {}
}
