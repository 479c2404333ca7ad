/**
 * A simulator as a processor: identity and limits, availability, maintenance, and the way to the
 * backend that runs its circuits.
 *
 * Nothing starts unless the last self-tests passed and no maintenance is on: what waits then keeps
 * waiting, in its place, and starts when all is well again. What runs is finished.
 *
 * Small and wide circuits have engines of their own, so each width has a self-test of its own: one
 * that has to wait behind a long wide circuit does not keep the other from being repeated. A
 * processor is available while both are passed, for it says so of every circuit that it takes.
 */
import { CodedError } from '../errors/coded-error.ts';
import type { CpuBackend } from './cpu-backend.ts';
import type { BackendOutcome } from './engine-lane.ts';
import {
  CircuitTooLargeError,
  EngineFailure,
  EngineLostError,
  OutOfMemoryError,
  ProcessorUnavailableError,
} from './errors.ts';
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
import { faultOfSelfTest, SELF_TEST_CIRCUITS, SELF_TEST_REQUEST } from './self-test.ts';
import { WIDTHS, type Width } from './width.ts';

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
  readonly #monitors: Readonly<Record<Width, HealthMonitor>>;
  #maintenance: { readonly reason: string } | undefined;
  #numSelfTests = 0;

  constructor(options: SimulatorProcessorOptions) {
    this.spec = options.spec;
    this.#runsOn = options.runsOn;
    this.#backend = options.backend;
    const monitor = (width: Width) =>
      new HealthMonitor({
        selfTest: (onStarted, signal) => this.#runSelfTest(width, onStarted, signal),
        lastSignOfLife: () => this.#backend.lastSignOfLife(width),
        onChange: () => this.#pauseOrGo(),
        now: options.now,
        ...options.selfTestTimes,
      });
    this.#monitors = { small: monitor('small'), wide: monitor('wide') };
    this.#pauseOrGo();
  }

  /** Runs the self-tests now, or joins those under way; afterwards they repeat by themselves. */
  async check(): Promise<void> {
    await Promise.all(WIDTHS.map((width) => this.#monitors[width].check()));
  }

  /** Ends the repeated self-tests. */
  close(): void {
    for (const width of WIDTHS) this.#monitors[width].close();
  }

  availability(): Availability {
    const health = this.#health();
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
    const { id: group } = this.spec;
    const { precision } = this.#runsOn;
    this.#checkWidth(task.circuit.numQubits);
    if (hooks.readmitted !== true) this.admit();
    try {
      return this.#resultOf(
        await this.#backend.submit({ ...task, group, precision }, hooks, signal),
      );
    } catch (error) {
      if (!signal.aborted && isSignOfTrouble(error)) {
        void this.#monitors[this.#backend.widthOf(task.circuit)].check();
      }
      throw error;
    }
  }

  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.#maintenance = maintenance;
    this.#pauseOrGo();
  }

  /** @throws {CircuitTooLargeError} */
  #checkWidth(numQubits: number): void {
    if (numQubits > this.spec.maxQubits) throw new CircuitTooLargeError(numQubits, this.spec);
  }

  #pauseOrGo(): void {
    this.#backend.setPaused(this.spec.id, !this.availability().available);
  }

  /** Both outcomes as one: the older of two good ones, or the first bad one. */
  #health(): Availability {
    const { small, wide } = this.#monitors;
    const [first, second] = [small.availability, wide.availability];
    if (!first.available) return first;
    if (!second.available) {
      return { ...second, reason: `Circuits that need all threads: ${second.reason}` };
    }
    return first.checkedAt <= second.checkedAt ? first : second;
  }

  async #runSelfTest(
    width: Width,
    onStarted: () => void,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { precision } = this.#runsOn;
    const task = {
      id: `self-test:${this.spec.id}:${this.#numSelfTests++}`,
      group: this.spec.id,
      priority: 'high',
      precision,
      circuit: SELF_TEST_CIRCUITS[width],
      request: SELF_TEST_REQUEST,
      selfTestOf: width,
    } as const;
    const { run } = await this.#backend.submit(task, { onStarted }, signal);
    return faultOfSelfTest(run, precision, width);
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
    (error instanceof EngineFailure && error.code === 'ENGINE_STATE_MEMORY') ||
    !(error instanceof CodedError)
  );
}
