/**
 * The procedures of one owner (an agent or the TPU fleet) in service: availability by a self-test,
 * measured speed, and statistics of runs.
 *
 * The self-test runs the same way as a request: a task with a known answer, once for its result and then
 * several times at once for the rate. It repeats on a schedule, so that the rate reflects the current
 * load. The first rate is measured separately, once the service listens.
 */
import { CodedError } from '../errors/coded-error.ts';
import { HealthMonitor } from '../fleet/health-monitor.ts';
import type { Availability } from '../fleet/processor.ts';
import type { SelfTestTask } from './agents/agent.ts';
import { WorkUnavailableError } from './errors.ts';
import { ProcedureLostError } from './procedures/errors.ts';
import type { JsonObject } from './procedures/json.ts';
import type { Procedure } from './procedures/procedure.ts';
import type {
  ExecutedOn,
  ProcedureCall,
  ProcedureHooks,
  ProcedureOutcome,
} from './procedures/procedure-call.ts';
import type { ProcedurePool } from './procedures/procedure-pool.ts';
import { RunStatistics, type RunStatisticsSnapshot } from './run-statistics.ts';

/** Number of self-test tasks that run at once for the rate. */
const BURST = 16;
/** Interval between self-tests. */
const INTERVAL_MS = 60_000;
/** Deadline of a self-test; includes the start of a process. */
const LIMIT_MS = 20_000;
/**
 * Longest wait of a self-test for a process, milliseconds. Every call ends by its deadline, so a wait as
 * long as the longest deadline is no sign of a fault.
 */
export const SELF_TEST_WAIT_MS = 660_000;
const SELF_TEST_SEED = 1;

/** An owner of procedures. */
export interface ProcedureOwner {
  /** Id in procedure addresses: `research`, `tpu`. */
  readonly id: string;
  /** Title for people, at the beginning of a sentence: `The research agent`. */
  readonly title: string;
  readonly procedures: readonly Procedure[];
  readonly selfTest: SelfTestTask;
}

/** Rate at which the self-test's task ran, several at once. */
export interface Benchmark {
  readonly task: string;
  readonly tasksPerSec: number;
  /** Number of tasks measured. */
  readonly tasks: number;
  readonly durationMs: number;
  /** Measured at this time, milliseconds since 1970 UTC. */
  readonly measuredAt: number;
  /** The processors and backends that ran its circuits; empty without any. */
  readonly executedOn: readonly ExecutedOn[];
}

/** Pool and clocks of monitored procedures. */
export interface MonitoredProceduresOptions {
  readonly pool: Pick<ProcedurePool, 'run'>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Monotonic clock, milliseconds; `performance.now()` unless given. */
  readonly elapsedMs?: (() => number) | undefined;
  /** Interval between self-tests, milliseconds; 60,000 unless given. */
  readonly intervalMs?: number;
}

/** A call of one of the owner's procedures. */
export type OwnedCall = Omit<ProcedureCall, 'address' | 'deadlineMs'> & { readonly task: string };

/** One owner's procedures in service. */
export class MonitoredProcedures<Owner extends ProcedureOwner = ProcedureOwner> {
  readonly owner: Owner;
  readonly #pool: Pick<ProcedurePool, 'run'>;
  readonly #now: () => number;
  readonly #statistics: RunStatistics;
  readonly #monitor: HealthMonitor;
  #benchmark: Benchmark | undefined;
  readonly #closing = new AbortController();
  #isStarting = true;
  #isMeasuring = false;
  #numSelfTests = 0;
  #numQueued = 0;
  #numRunning = 0;

  constructor(
    owner: Owner,
    { pool, now, elapsedMs, intervalMs = INTERVAL_MS }: MonitoredProceduresOptions,
  ) {
    this.owner = owner;
    this.#pool = pool;
    this.#now = now;
    this.#statistics = new RunStatistics({ now, ...(elapsedMs && { elapsedMs }) });
    this.#monitor = new HealthMonitor({
      selfTest: (onStarted, signal) => this.#selfTest(onStarted, signal),
      lastSignOfLife: () => -Infinity,
      onChange: () => {},
      now,
      intervalMs,
      limitMs: LIMIT_MS,
      stallMs: SELF_TEST_WAIT_MS,
      work: 'task',
    });
  }

  /** The procedure with this name. */
  find(task: string): Procedure | undefined {
    return this.owner.procedures.find(({ name }) => name === task);
  }

  /** Outcome of the last self-test. */
  availability(): Availability {
    return this.#monitor.availability;
  }

  /** The last measurement; undefined before the first self-test has passed. */
  get benchmark(): Benchmark | undefined {
    return this.#benchmark;
  }

  /** Calls that wait and calls that run now. */
  get load(): { readonly queued: number; readonly running: number } {
    return { queued: this.#numQueued, running: this.#numRunning };
  }

  /** Statistics of callers' runs; self-tests are not counted. */
  statistics(): RunStatisticsSnapshot {
    return this.#statistics.snapshot();
  }

  /** Runs the first self-test, which measures no rate; further ones follow at intervals. */
  start(): Promise<void> {
    return this.#monitor.check();
  }

  /** Measures the rate, unless a measurement is in progress. */
  async measure(): Promise<void> {
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    try {
      // A first round warms up: starting processes and loading code must not be measured.
      if (this.#benchmark === undefined) await this.#runBurst();
      const begun = performance.now();
      const [first] = await this.#runBurst();
      const durationMs = performance.now() - begun;
      this.#benchmark = {
        task: this.owner.selfTest.task,
        tasksPerSec: (1000 * BURST) / durationMs,
        tasks: BURST,
        durationMs,
        measuredAt: this.#now(),
        executedOn: first?.executedOn ?? [],
      };
    } finally {
      this.#isMeasuring = false;
    }
  }

  /** Stops self-tests. */
  close(): void {
    this.#closing.abort();
    this.#monitor.close();
  }

  /** @throws {WorkUnavailableError} if the owner is unavailable. */
  admit(): void {
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new WorkUnavailableError(this.owner.title, reason, retryAfterS);
  }

  /**
   * Runs a procedure for a caller.
   *
   * @throws as `ProcedurePool.run`.
   */
  async run(
    { task, ...call }: OwnedCall,
    hooks: ProcedureHooks,
    signal: AbortSignal,
  ): Promise<ProcedureOutcome> {
    let startedAt: number | undefined;
    const followed: ProcedureHooks = {
      ...hooks,
      onStarted: () => {
        if (startedAt === undefined) {
          this.#numQueued--;
          this.#numRunning++;
        }
        startedAt = performance.now();
        hooks.onStarted?.();
      },
    };
    const durationMs = () => (startedAt === undefined ? 0 : performance.now() - startedAt);
    this.#numQueued++;
    try {
      const outcome = await this.#call(task, call, followed, signal);
      this.#statistics.finished('completed', durationMs(), outcome.units);
      return outcome;
    } catch (error) {
      this.#statistics.finished(signal.aborted ? 'cancelled' : 'failed', durationMs(), 0);
      // An error that blames no input may be the owner's fault: run the self-test now.
      if (!signal.aborted && isSuspicious(error)) void this.#monitor.check();
      throw error;
    } finally {
      if (startedAt === undefined) this.#numQueued--;
      else this.#numRunning--;
    }
  }

  #call(
    task: string,
    call: Omit<OwnedCall, 'task'>,
    hooks: ProcedureHooks,
    signal: AbortSignal,
  ): Promise<ProcedureOutcome> {
    const procedure = this.find(task);
    if (procedure === undefined) {
      throw new Error(`unreachable: ${this.owner.id} has no procedure ${task}`);
    }
    const address = { owner: this.owner.id, name: task };
    const { deadline_ms: deadlineMs } = procedure.limits;
    return this.#pool.run({ ...call, address, deadlineMs }, hooks, signal);
  }

  async #selfTest(onStarted: () => void, signal: AbortSignal): Promise<string | undefined> {
    const { task, faultOf } = this.owner.selfTest;
    const first = await this.#runSelfTestTask({ onStarted }, signal);
    const result: JsonObject = JSON.parse(first.resultJson);
    const fault = faultOf(result);
    if (fault !== undefined) return `The task ${task} answered wrongly: ${fault}`;
    // Separate from the self-test: several tasks that wait long for processes are no fault of the owner.
    if (this.#isStarting) this.#isStarting = false;
    else void this.measure().catch(() => undefined);
    return undefined;
  }

  #runBurst(): Promise<readonly ProcedureOutcome[]> {
    const { signal } = this.#closing;
    const burst = Array.from({ length: BURST }, () => this.#runSelfTestTask({}, signal));
    return Promise.all(burst);
  }

  #runSelfTestTask(hooks: ProcedureHooks, signal: AbortSignal): Promise<ProcedureOutcome> {
    const { task, input } = this.owner.selfTest;
    return this.runSelfTest(String(this.#numSelfTests++), task, input, hooks, signal);
  }

  /**
   * Runs a procedure as part of a self-test: ahead of other calls, and not counted in the statistics.
   *
   * @param name - Unique among this owner's running self-tests.
   */
  runSelfTest(
    name: string,
    task: string,
    input: JsonObject,
    hooks: ProcedureHooks,
    signal: AbortSignal,
  ): Promise<ProcedureOutcome> {
    const call = {
      id: `self-test-${this.owner.id}-${name}`,
      input,
      seed: SELF_TEST_SEED,
      priority: 'high',
      keyId: 'self-test',
      tier: 'enterprise',
    } as const;
    return this.#call(task, call, { ...hooks, readmitted: true }, signal);
  }
}

/** Whether an error may be the owner's fault rather than that of the input, its size or the processor. */
function isSuspicious(error: unknown): boolean {
  return !(error instanceof CodedError) || error instanceof ProcedureLostError;
}
