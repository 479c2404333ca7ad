/** Base of processors whose circuits another simulator runs: they share its engines, queue and self-tests. */
import { ProcessorUnavailableError } from './errors.ts';
import type {
  Availability,
  CircuitResult,
  CircuitRun,
  ComingRun,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
  RunHooks,
} from './processor.ts';
import type { RunWork } from './schedule/scheduled-run.ts';

/** A processor on a simulator. It has its own maintenance, and is down while its simulator is. */
export abstract class SimulatedProcessor implements Processor {
  readonly #simulator: Processor;
  #maintenance: { readonly reason: string } | undefined;

  constructor(simulator: Processor) {
    this.#simulator = simulator;
  }

  abstract get spec(): ProcessorSpec;

  /** The simulator as it is now. */
  protected get simulatorSpec(): ProcessorSpec {
    return this.#simulator.spec;
  }

  availability(): Availability {
    const health = this.#simulator.availability();
    if (this.#maintenance === undefined) return health;
    const reason = `In maintenance: ${this.#maintenance.reason}`;
    return { available: false, reason, checkedAt: health.checkedAt };
  }

  load(): ProcessorLoad {
    return this.#simulator.load();
  }

  expectedRunMs(work: RunWork): number | undefined {
    return this.#simulator.expectedRunMs(work);
  }

  queuePosition(runId: string): number | undefined {
    return this.#simulator.queuePosition(runId);
  }

  expectedStart(runId: string): number | undefined {
    return this.#simulator.expectedStart(runId);
  }

  admit(run?: ComingRun): void {
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new ProcessorUnavailableError(this.spec.id, reason, retryAfterS);
    this.#simulator.admit(run);
  }

  withdraw(runId: string): void {
    this.#simulator.withdraw(runId);
  }

  async run(run: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult> {
    return await this.#simulator.run(run, hooks, signal);
  }

  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.#maintenance = maintenance;
  }
}
