/**
 * Workers, each with an engine of its own, kept at their number: a worker that ends is replaced
 * (`ChildPool`). When several in a row end before their engine is open, the pool has a `fault` and keeps
 * trying at the longest delay.
 *
 * The pool does not queue: whoever calls `run` has seen that a worker is idle.
 */
import { ChildPool } from '../../processes/child-pool.ts';
import { NoWorkerError } from '../errors.ts';
import { EngineRunner, type WorkerItem, type WorkerTask } from './engine-runner.ts';
import type { EngineReport, ItemOutcome, StartWorker, WorkerOutcome } from './worker-messages.ts';

const MAX_FAILED_STARTS = 3;
const CANCEL_GRACE_MS = 250;

/** What the pool's owner wants to hear. */
export interface EnginePoolEvents {
  /** A worker became idle. */
  readonly onIdle: () => void;
  /** No engine can be started. */
  readonly onFault: (fault: NoWorkerError) => void;
  /** A worker ended that nobody meant to end. */
  readonly onLost?: (how: string) => void;
}

/** How a pool is made. */
export interface EnginePoolOptions {
  readonly numWorkers: number;
  readonly start: StartWorker;
  /** How long a cancelled circuit may take to stop by itself before its worker is ended. */
  readonly cancelGraceMs?: number;
  /** How long a worker with a circuit may send nothing before it is ended; no limit by default. */
  readonly silenceLimitMs?: number;
  /** How long a worker may take to open its engine; 30 s by default. */
  readonly startLimitMs?: number;
  /** Failed starts in a row after which no engine can be had; 3 by default. */
  readonly maxFailedStarts?: number;
}

/** A fixed number of engines, a worker each. */
export class EnginePool {
  readonly numWorkers: number;
  readonly #pool: ChildPool<EngineRunner>;
  readonly #events: EnginePoolEvents;
  #fault: NoWorkerError | undefined;

  /** Starts the workers; they become idle as their engines open. */
  constructor(options: EnginePoolOptions, events: EnginePoolEvents) {
    const { numWorkers, maxFailedStarts = MAX_FAILED_STARTS } = options;
    const { cancelGraceMs = CANCEL_GRACE_MS, ...rest } = options;
    this.numWorkers = numWorkers;
    this.#events = events;
    this.#pool = new ChildPool<EngineRunner>(
      {
        size: numWorkers,
        maxFailedStarts,
        // Whoever waits for an engine is told at once, whatever its worker ended of.
        maxKilledStarts: 1,
        start: ({ onReady, onEnd }) =>
          new EngineRunner(
            { ...rest, cancelGraceMs },
            {
              onReady,
              onIdle: (worker) => {
                this.#pool.release(worker);
                events.onIdle();
              },
              onOutcomes: () => this.#pool.noteSuccess(),
              onEnd,
            },
          ),
      },
      {
        onReady: () => {
          this.#fault = undefined;
          events.onIdle();
        },
        onEnd: (_, { wasIntended, inFull }) => {
          if (!wasIntended) events.onLost?.(inFull);
        },
        onFailedStart: ({ inFull }) => this.#onFailedStart(inFull),
      },
    );
  }

  get numIdle(): number {
    return this.#pool.free.length;
  }

  /** Why no engine can be started, while that is so. */
  get fault(): NoWorkerError | undefined {
    return this.#fault;
  }

  /** What the open workers said of their engines. */
  get reports(): readonly EngineReport[] {
    return [...this.#pool.children].flatMap(({ report }) => report ?? []);
  }

  /** The workers' processes, where they have their own. */
  get pids(): readonly number[] {
    return [...this.#pool.children].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Runs circuits and batch tasks one after the other on an idle worker; there is one.
   *
   * @returns A promise for each, as EngineRunner.run. They reject with EngineFailure, which has the
   *   code of what the compiler or the engine threw; OutOfMemoryError; WorkerLostError if the worker
   *   ends before the circuit is answered; the signal's reason once the work has stopped.
   */
  run(tasks: readonly WorkerTask[]): readonly Promise<WorkerOutcome>[];
  run(tasks: readonly WorkerItem[]): readonly Promise<ItemOutcome>[];
  run(tasks: readonly WorkerItem[]): readonly Promise<ItemOutcome>[] {
    const worker = this.#pool.take();
    if (worker === undefined) throw new Error('unreachable: no worker is idle');
    return worker.run(tasks);
  }

  /** Ends all workers; circuits under way are rejected. */
  async close(): Promise<void> {
    const workers = [...this.#pool.children];
    this.#pool.close();
    await Promise.all(workers.map((worker) => worker.end()));
  }

  #onFailedStart(how: string): void {
    const isAnyOpen = [...this.#pool.children].some((worker) => worker.isReady);
    if (!this.#pool.isBroken || isAnyOpen) return;
    this.#fault = new NoWorkerError(this.#pool.numFailedStarts, how);
    this.#events.onFault(this.#fault);
  }
}
