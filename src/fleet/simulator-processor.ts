/**
 * A simulator as a processor: identity and limits, availability, maintenance, and the way to the
 * backend that runs its circuits.
 *
 * Nothing starts unless the last self-test passed and no maintenance is on: what waits then keeps
 * waiting, in its place, and starts when both are well again. What runs is finished.
 */
import { CodedError } from '../errors/coded-error.ts';
import type { BackendOutcome, CpuBackend } from './cpu-backend.ts';
import { EngineLostError, OutOfMemoryError, ProcessorUnavailableError } from './errors.ts';
import { HealthMonitor } from './health-monitor.ts';
import type {
  Availability,
  Backend,
  CircuitResult,
  CircuitTask,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
  TaskHooks,
} from './processor.ts';
import { faultOfSelfTest, SELF_TEST_CIRCUIT, SELF_TEST_REQUEST } from './self-test.ts';

/** How the self-tests of a processor go; see HealthMonitor. Milliseconds. */
export interface SelfTestTimes {
  readonly intervalMs?: number;
  readonly limitMs?: number;
  readonly stallMs?: number;
}

/** How a simulator is made. */
export interface SimulatorProcessorOptions {
  readonly spec: ProcessorSpec;
  /** What results say ran them. */
  readonly runsOn: Backend;
  readonly backend: CpuBackend;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly selfTestTimes?: SelfTestTimes;
}

/** A simulator. */
export class SimulatorProcessor implements Processor {
  readonly spec: ProcessorSpec;
  readonly #runsOn: Backend;
  readonly #backend: CpuBackend;
  readonly #monitor: HealthMonitor;
  #maintenance: { readonly reason: string } | undefined;
  #numSelfTests = 0;

  constructor(options: SimulatorProcessorOptions) {
    this.spec = options.spec;
    this.#runsOn = options.runsOn;
    this.#backend = options.backend;
    this.#monitor = new HealthMonitor({
      selfTest: (onStarted, signal) => this.#runSelfTest(onStarted, signal),
      lastSignOfLife: () => this.#backend.lastSignOfLife,
      onChange: () => this.#pauseOrGo(),
      now: options.now,
      ...options.selfTestTimes,
    });
    this.#pauseOrGo();
  }

  /** Runs the self-test now, or joins the one under way; afterwards it repeats by itself. */
  check(): Promise<void> {
    return this.#monitor.check();
  }

  /** Ends the repeated self-tests. */
  close(): void {
    this.#monitor.close();
  }

  availability(): Availability {
    const health = this.#monitor.availability;
    if (this.#maintenance === undefined) return health;
    return {
      available: false,
      reason: `In maintenance: ${this.#maintenance.reason}`,
      checkedAt: health.checkedAt,
    };
  }

  load(): ProcessorLoad {
    return this.#backend.load(this.spec.id);
  }

  queuePosition(taskId: string): number | undefined {
    return this.#backend.position(taskId);
  }

  admit(): void {
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new ProcessorUnavailableError(this.spec.id, reason, retryAfterS);
    this.#backend.admit(this.spec.id);
  }

  async run(task: CircuitTask, hooks: TaskHooks, signal: AbortSignal): Promise<CircuitResult> {
    if (hooks.readmitted !== true) this.admit();
    try {
      return this.#resultOf(
        await this.#backend.submit({ ...task, group: this.spec.id }, hooks, signal),
      );
    } catch (error) {
      if (!signal.aborted && isSignOfTrouble(error)) void this.#monitor.check();
      throw error;
    }
  }

  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.#maintenance = maintenance;
    this.#pauseOrGo();
  }

  #pauseOrGo(): void {
    this.#backend.setPaused(this.spec.id, !this.availability().available);
  }

  async #runSelfTest(onStarted: () => void, signal: AbortSignal): Promise<string | undefined> {
    const task = {
      id: `self-test:${this.spec.id}:${this.#numSelfTests++}`,
      group: this.spec.id,
      priority: 'high',
      circuit: SELF_TEST_CIRCUIT,
      request: SELF_TEST_REQUEST,
      isSelfTest: true,
    } as const;
    const { run } = await this.#backend.submit(task, { onStarted }, signal);
    return faultOfSelfTest(run, this.#runsOn.precision);
  }

  #resultOf({ run, compilation, compileMs, queueMs }: BackendOutcome): CircuitResult {
    const executionMs = run.timing.evolutionMs + run.timing.samplingMs;
    return {
      run,
      compilation,
      backend: this.#runsOn,
      timing: { queueMs, compileMs, executionMs },
    };
  }
}

/** Whether a failed circuit says something about the engine rather than about the circuit. */
function isSignOfTrouble(error: unknown): boolean {
  return (
    error instanceof EngineLostError ||
    error instanceof OutOfMemoryError ||
    !(error instanceof CodedError)
  );
}
