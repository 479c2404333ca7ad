/**
 * Workers, each with an engine of its own, kept at their number: one that ends is replaced.
 *
 * A replacement starts at once the first time and then after growing delays, so that a crash loop
 * does not spin; a circuit that comes through resets them. When several workers in a row end before
 * their engine is open, the pool says so (`fault`) and keeps trying at the longest delay.
 *
 * The pool does not queue: whoever calls `run` has seen that a worker is idle.
 */

import type { ChildEnd } from '../../processes/supervised-child.ts';
import { NoWorkerError } from '../errors.ts';
import { EngineRunner, type WorkerItem, type WorkerTask } from './engine-runner.ts';
import type { EngineReport, ItemOutcome, StartWorker, WorkerOutcome } from './worker-messages.ts';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;
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
  readonly #options: EnginePoolOptions;
  readonly #events: EnginePoolEvents;
  readonly #runners = new Set<EngineRunner>();
  /** Last in, first out: the worker that ran last has the warmest caches. */
  readonly #idle: EngineRunner[] = [];
  readonly #restarts = new Set<NodeJS.Timeout>();
  #numFailures = 0;
  #numFailedStarts = 0;
  #fault: NoWorkerError | undefined;
  #isClosed = false;

  /** Starts the workers; they become idle as their engines open. */
  constructor(options: EnginePoolOptions, events: EnginePoolEvents) {
    this.numWorkers = options.numWorkers;
    this.#options = options;
    this.#events = events;
    for (let i = 0; i < options.numWorkers; i++) this.#start();
  }

  get numIdle(): number {
    return this.#idle.length;
  }

  /** Why no engine can be started, while that is so. */
  get fault(): NoWorkerError | undefined {
    return this.#fault;
  }

  /** What the open workers said of their engines. */
  get reports(): readonly EngineReport[] {
    return [...this.#runners].flatMap(({ report }) => report ?? []);
  }

  /** The workers' processes, where they have their own. */
  get pids(): readonly number[] {
    return [...this.#runners].flatMap(({ pid }) => pid ?? []);
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
    const worker = this.#idle.pop();
    if (worker === undefined) throw new Error('unreachable: no worker is idle');
    return worker.run(tasks);
  }

  /** Ends all workers; circuits under way are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle.length = 0;
    for (const timer of this.#restarts) clearTimeout(timer);
    this.#restarts.clear();
    await Promise.all([...this.#runners].map((worker) => worker.end()));
  }

  #start(): void {
    const { start, cancelGraceMs = CANCEL_GRACE_MS, silenceLimitMs, startLimitMs } = this.#options;
    const worker = new EngineRunner(
      {
        start,
        cancelGraceMs,
        ...(silenceLimitMs !== undefined && { silenceLimitMs }),
        ...(startLimitMs !== undefined && { startLimitMs }),
      },
      {
        onIdle: () => this.#onIdle(worker),
        onOutcomes: () => {
          this.#numFailures = 0;
        },
        onExit: (_, end) => this.#onExit(worker, end),
      },
    );
    this.#runners.add(worker);
  }

  #onIdle(worker: EngineRunner): void {
    if (this.#isClosed) return;
    this.#numFailedStarts = 0;
    this.#fault = undefined;
    this.#idle.push(worker);
    this.#events.onIdle();
  }

  #onExit(worker: EngineRunner, end: ChildEnd): void {
    this.#runners.delete(worker);
    const place = this.#idle.indexOf(worker);
    if (place >= 0) this.#idle.splice(place, 1);
    if (this.#isClosed) return;
    if (end.wasIntended) {
      this.#start();
      return;
    }
    this.#events.onLost?.(end.inFull);
    const delayMs = delayAfter(this.#numFailures++);
    if (!end.wasReady) this.#onFailedStart(end.inFull);
    // Unref'ed: whoever has work waiting keeps the process alive.
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#start();
    }, delayMs).unref();
    this.#restarts.add(timer);
  }

  #onFailedStart(how: string): void {
    this.#numFailedStarts++;
    const isAnyOpen = [...this.#runners].some((worker) => worker.isReady);
    if (this.#numFailedStarts < (this.#options.maxFailedStarts ?? MAX_FAILED_STARTS) || isAnyOpen)
      return;
    this.#fault = new NoWorkerError(this.#numFailedStarts, how);
    this.#events.onFault(this.#fault);
  }
}

/** Milliseconds before a worker is replaced, by the failures since the last success. */
function delayAfter(numFailures: number): number {
  if (numFailures === 0) return 0;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (numFailures - 1));
}
