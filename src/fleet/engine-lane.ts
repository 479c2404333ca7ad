/**
 * Engines of one kind: threads for circuits of one width, the process of one adapter, or that of several
 * adapters which hold a state together. The lane starts what it is given on an idle engine; what waits
 * its turn is the backend's.
 */
import { MAX_BATCH_QUBITS } from '../engine/batch-shape.ts';
import type {
  BackendAnswer,
  BackendOutcome,
  SubmittedSelfTest,
  SubmittedTask,
} from './backend-task.ts';
import type { NoWorkerError } from './errors.ts';
import type { LaneId, Precision } from './schedule/lane.ts';
import { EXACT_PRECISION } from './workers/batch-rule.ts';
import { EnginePool, type EnginePoolOptions } from './workers/engine-pool.ts';
import type { EngineReport } from './workers/worker-messages.ts';
import type { WorkerFollowing, WorkerItem } from './workers/worker-task.ts';

/** What a lane's owner wants to hear. */
export interface EngineLaneEvents {
  /** An engine is free. */
  readonly onIdle: () => void;
  /** No engine can be started. */
  readonly onFault: () => void;
  /** An engine ended that nobody meant to end. */
  readonly onLost?: (how: string) => void;
}

/** What a list of circuits tells while it runs. */
export interface ListEvents {
  /** A circuit began; times are those of `performance.now()`. */
  readonly onStarted?: (task: SubmittedTask, startedAt: number) => void;
  readonly onProgress?: (task: SubmittedTask, fraction: number) => void;
}

/** Engines of one kind. */
export class EngineLane {
  readonly id: LaneId;
  readonly #options: EnginePoolOptions;
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

  /** Engines that could start something now. */
  get numIdle(): number {
    return this.#pool?.numIdle ?? 0;
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

  /**
   * Runs circuits and batch tasks one after the other on an idle engine; there is one.
   *
   * @returns A promise for each; they reject as those of EnginePool.run.
   */
  run(
    tasks: readonly SubmittedTask[],
    devices: readonly string[],
    { onStarted, onProgress }: ListEvents,
  ): readonly Promise<BackendAnswer>[] {
    const givenAt = performance.now();
    const startedAts = tasks.map(() => givenAt);
    const answers = this.#open.run(
      tasks.map((task, i): WorkerItem => {
        task.attempts++;
        const following: WorkerFollowing = {
          precision: precisionOn(this.id, task),
          signal: task.signal,
          onStarted: (startedAt: number) => {
            startedAts[i] = startedAt;
            if (!task.hasBegun) task.hooks.onStarted?.();
            task.hasBegun = true;
            onStarted?.(task, startedAt);
          },
          onProgress: (fraction: number) => {
            this.#lastSignOfLife = performance.now();
            task.hooks.onProgress?.(fraction);
            onProgress?.(task, fraction);
          },
        };
        if ('shape' in task) return { ...following, shape: task.shape, request: task.request };
        return { ...following, circuit: task.circuit, request: task.request };
      }),
    );
    return answers.map(async (answer, i) => {
      const outcome = await answer;
      const queueMs = startedAts[i]! - tasks[i]!.submittedAt;
      const precision = precisionOn(this.id, tasks[i]!);
      return { ...outcome, ranOn: this.id, precision, devices, queueMs };
    });
  }

  /** Runs a self-test on an idle engine; there is one. */
  async runSelfTest(test: SubmittedSelfTest): Promise<BackendOutcome> {
    const { precision, circuit, request, signal, hooks } = test;
    test.attempts++;
    if (!test.hasBegun) hooks.onStarted?.();
    test.hasBegun = true;
    const onProgress = () => {
      this.#lastSignOfLife = performance.now();
    };
    const [outcome] = await Promise.all(
      this.#open.run([{ precision, circuit, request, signal, onProgress }]),
    );
    if (outcome === undefined) throw new Error('unreachable: a self-test without an outcome');
    return { ...outcome, ranOn: this.id, precision, devices: [], queueMs: 0 };
  }

  /** Ends the workers; what runs is rejected. */
  async close(): Promise<void> {
    await this.#pool?.close();
  }

  get #open(): EnginePool {
    if (this.#pool === undefined) throw new Error('unreachable: the lane is not open');
    return this.#pool;
  }
}

/**
 * What a task is computed in. On a thread, circuits of the width of batches that ask for counts alone
 * are computed as batches are: they are so small that double precision takes no longer, and a sweep of
 * them takes a tenth of the time. So counts are the same whether a circuit comes alone or in a batch task.
 */
function precisionOn(lane: LaneId, task: SubmittedTask): Precision {
  const { precision, work } = task;
  const isOfBatches = work.numQubits <= MAX_BATCH_QUBITS && work.numReadouts === 0;
  return lane === 'small' && (isOfBatches || 'shape' in task) ? EXACT_PRECISION : precision;
}
