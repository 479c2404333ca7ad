/**
 * Engines of one kind and what is under way on them: threads for circuits of one width, or the
 * process of one adapter; the urgent list that goes ahead of the queue, run times and the last sign of
 * life. What waits its turn is the backend's.
 */
import type { Circuit } from '../circuit/circuit.ts';
import type { RunRequest } from '../engine/engine.ts';
import { EnginePool, type EnginePoolOptions } from './engine-pool.ts';
import type { NoWorkerError } from './errors.ts';
import type { TaskHooks } from './processor.ts';
import { RunTimes } from './run-times.ts';
import type { SerializedCircuit } from './serialized-circuit.ts';
import type { LaneId, Line } from './width.ts';
import type { Priority } from './work-queue.ts';
import type { EngineReport, Precision, WorkerOutcome } from './worker-messages.ts';

/** Work for the backend. */
export interface BackendTask {
  /** Unique among the tasks that wait. */
  readonly id: string;
  /** The processor it was sent to. */
  readonly group: string;
  readonly priority: Priority;
  readonly precision: Precision;
  readonly circuit: Circuit | SerializedCircuit;
  readonly request: Omit<RunRequest, 'onProgress'>;
  /** What may run it: the CPU by default. */
  readonly backing?: 'cpu' | 'adapter' | 'adapter-or-cpu';
  /** A self-test of those engines: goes ahead of the queue, also while its group is paused. */
  readonly selfTestOf?: LaneId;
}

/** What the backend gives back. */
export interface BackendOutcome extends WorkerOutcome {
  /** What ran it. */
  readonly ranOn: LaneId;
  /** From submission to the last start, milliseconds. */
  readonly queueMs: number;
}

/** A task that waits or runs. */
export interface SubmittedTask extends BackendTask {
  readonly line: Line;
  /** Adapters that could not finish it. */
  readonly failedOn: Set<LaneId>;
  readonly hooks: TaskHooks;
  readonly signal: AbortSignal;
  readonly submittedAt: number;
  readonly resolve: (outcome: BackendOutcome) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  attempts: number;
  startedAt: number;
  fraction: number;
}

/** What a lane's owner wants to hear. */
export interface EngineLaneEvents {
  /** An engine is free. */
  readonly onIdle: () => void;
  /** No engine can be started. */
  readonly onFault: () => void;
  /** An engine ended that nobody meant to end. */
  readonly onLost?: (how: string) => void;
}

/** Engines of one kind. */
export class EngineLane {
  readonly id: LaneId;
  /** Self-tests and circuits whose worker was lost, the first to go first. */
  readonly urgent: SubmittedTask[] = [];
  readonly running = new Set<SubmittedTask>();
  readonly #options: EnginePoolOptions;
  readonly #runTimes = new RunTimes();
  #pool: EnginePool | undefined;
  #lastSignOfLife = performance.now();

  constructor(id: LaneId, options: EnginePoolOptions) {
    this.id = id;
    this.#options = options;
  }

  /** Starts the workers. */
  open({ onIdle, onFault, onLost }: EngineLaneEvents): void {
    this.#pool ??= new EnginePool(this.#options, {
      ...(onLost && { onLost }),
      onIdle: () => {
        this.#lastSignOfLife = performance.now();
        onIdle();
      },
      onFault,
    });
  }

  get hasIdle(): boolean {
    return this.#pool !== undefined && this.#pool.numIdle > 0;
  }

  /** What an open engine of the lane said of itself. */
  get report(): EngineReport | undefined {
    return this.#pool?.reports[0];
  }

  /** The process of the engine, where it has one of its own. */
  get pid(): number | undefined {
    return this.#pool?.pids[0];
  }

  /** Why no engine can be started, while that is so. */
  get fault(): NoWorkerError | undefined {
    return this.#pool?.fault;
  }

  /** On the clock of `performance.now()`: when a worker last finished, progressed or was opened. */
  get lastSignOfLife(): number {
    return this.#lastSignOfLife;
  }

  /** Circuits that the lane gets through in a millisecond; infinite before the first. */
  get circuitsPerMs(): number {
    return this.#options.numWorkers / this.#runTimes.meanMs;
  }

  /**
   * Runs a task on an idle worker; there is one.
   *
   * @throws as EnginePool.run.
   */
  async run(task: SubmittedTask): Promise<BackendOutcome> {
    const pool = this.#pool;
    if (pool === undefined) throw new Error('unreachable: the lane is not open');
    task.attempts++;
    task.startedAt = performance.now();
    task.fraction = 0;
    this.running.add(task);
    const onProgress = (fraction: number) => {
      this.#lastSignOfLife = performance.now();
      task.fraction = fraction;
      task.hooks.onProgress?.(fraction);
    };
    try {
      const { precision, circuit, request, signal } = task;
      if (task.attempts === 1) task.hooks.onStarted?.();
      const outcome = await pool.run({ precision, circuit, request, onProgress, signal });
      if (task.selfTestOf === undefined) this.#runTimes.add(performance.now() - task.startedAt);
      return { ...outcome, ranOn: this.id, queueMs: task.startedAt - task.submittedAt };
    } finally {
      this.running.delete(task);
    }
  }

  /** Circuits of a group under way, self-tests not counted. */
  numRunning(group: string): number {
    let count = 0;
    for (const task of this.running) {
      if (task.group === group && task.selfTestOf === undefined) count++;
    }
    return count;
  }

  /** Until a circuit that comes behind `numWaiting` others would start, milliseconds. */
  expectedWaitMs(numWaiting: number): number {
    return this.#runTimes.expectedWaitMs(
      [...this.running],
      numWaiting,
      this.#options.numWorkers,
      performance.now(),
    );
  }

  /** Ends the workers; what runs is rejected. */
  async close(): Promise<void> {
    await this.#pool?.close();
  }
}
