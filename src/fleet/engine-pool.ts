/**
 * Worker threads, each with an engine of its own, kept at their number: one that ends is replaced.
 *
 * A replacement starts at once the first time and then after growing delays, so that a crash loop
 * does not spin; a circuit that comes through resets them. When several threads in a row end before
 * their engine is open, the pool says so (`fault`) and keeps trying at the longest delay.
 *
 * The pool does not queue: whoever calls `run` has seen that a thread is idle.
 */
import { extname } from 'node:path';
import { EngineThread, type ThreadExit, type WorkerTask } from './engine-thread.ts';
import { NoWorkerError } from './errors.ts';
import type { EngineOptions, WorkerOutcome } from './worker-messages.ts';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;
/** Failed starts in a row after which no engine can be had. */
const MAX_FAILED_STARTS = 3;

/** What the pool's owner wants to hear. */
export interface EnginePoolEvents {
  /** A thread became idle. */
  readonly onIdle: () => void;
  /** No engine can be started. */
  readonly onFault: (fault: NoWorkerError) => void;
}

/** How a pool is made. */
export interface EnginePoolOptions {
  readonly numWorkers: number;
  /** The engines of each worker. */
  readonly engine: EngineOptions;
  /** The threads' module; the product's own unless a test brings another. */
  readonly workerEntry?: URL;
  /** How long a cancelled circuit may take to stop by itself before its thread is ended. */
  readonly cancelGraceMs?: number;
  /** JavaScript heap of one thread; state vectors live outside it. */
  readonly heapLimitMb?: number;
}

const WORKER_ENTRY = new URL(`./engine-worker${extname(import.meta.url)}`, import.meta.url);

/** A fixed number of engines, a thread each. */
export class EnginePool {
  readonly numWorkers: number;
  readonly #options: EnginePoolOptions;
  readonly #events: EnginePoolEvents;
  readonly #threads = new Set<EngineThread>();
  /** Last in, first out: the thread that ran last has the warmest caches. */
  readonly #idle: EngineThread[] = [];
  readonly #restarts = new Set<NodeJS.Timeout>();
  #numFailures = 0;
  #numFailedStarts = 0;
  #fault: NoWorkerError | undefined;
  #isClosed = false;

  /** Starts the threads; they become idle as their engines open. */
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

  /**
   * Runs a circuit on an idle thread; there is one.
   *
   * @throws {EngineFailure} with the code of what the compiler or the engine threw.
   * @throws {OutOfMemoryError}
   * @throws {WorkerLostError} if the thread ends under the circuit.
   * @throws the signal's reason once the work has stopped.
   */
  async run(task: WorkerTask): Promise<WorkerOutcome> {
    const thread = this.#idle.pop();
    if (thread === undefined) throw new Error('unreachable: no thread is idle');
    const outcome = await thread.run(task);
    this.#numFailures = 0;
    return outcome;
  }

  /** Ends all threads; circuits under way are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle.length = 0;
    for (const timer of this.#restarts) clearTimeout(timer);
    this.#restarts.clear();
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  #start(): void {
    const thread = new EngineThread(
      {
        entry: this.#options.workerEntry ?? WORKER_ENTRY,
        setup: { engine: this.#options.engine },
        heapLimitMb: this.#options.heapLimitMb ?? 2048,
        cancelGraceMs: this.#options.cancelGraceMs ?? 250,
      },
      {
        onIdle: () => this.#onIdle(thread),
        onExit: (_, exit) => this.#onExit(thread, exit),
      },
    );
    this.#threads.add(thread);
  }

  #onIdle(thread: EngineThread): void {
    if (this.#isClosed) return;
    this.#numFailedStarts = 0;
    this.#fault = undefined;
    this.#idle.push(thread);
    this.#events.onIdle();
  }

  #onExit(thread: EngineThread, exit: ThreadExit): void {
    this.#threads.delete(thread);
    const place = this.#idle.indexOf(thread);
    if (place >= 0) this.#idle.splice(place, 1);
    if (this.#isClosed) return;
    if (exit.wasIntended) {
      this.#start();
      return;
    }
    const delayMs = delayAfter(this.#numFailures++);
    if (!exit.wasReady) this.#onFailedStart(exit.how);
    // Unref'ed: whoever has work waiting keeps the process alive.
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#start();
    }, delayMs).unref();
    this.#restarts.add(timer);
  }

  #onFailedStart(how: string): void {
    this.#numFailedStarts++;
    const isAnyOpen = [...this.#threads].some((thread) => thread.isReady);
    if (this.#numFailedStarts < MAX_FAILED_STARTS || isAnyOpen) return;
    this.#fault = new NoWorkerError(this.#numFailedStarts, how);
    this.#events.onFault(this.#fault);
  }
}

/** Milliseconds before a thread is replaced, by the failures since the last success. */
function delayAfter(numFailures: number): number {
  if (numFailures === 0) return 0;
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (numFailures - 1));
}
