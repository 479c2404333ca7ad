/**
 * Engine pools: workers with an engine each, kept at their number. A worker that ends is replaced
 * (`ChildPool`). When several in a row end before their engine is open, the pool has a `fault` and keeps
 * trying at the longest delay.
 *
 * The pool does not queue: call `run` only if a worker is idle.
 */
import { ChildPool } from '../../processes/child-pool.ts';
import { NoWorkerError } from '../errors.ts';
import type { FleetRun } from '../fleet-run.ts';
import type { LaneId } from '../schedule/lane.ts';
import { EngineRunner, type WorkerRun } from './engine-runner.ts';
import type { EngineReport, RunOutcome, StartWorker } from './worker-messages.ts';

const MAX_FAILED_STARTS = 3;
/** Engines look for a cancel every 10 ms or so, so that only workers that compile a long circuit are ended. */
const CANCEL_GRACE_MS = 80;

/** A sweep of a wide state stops within some tens of milliseconds, but software drivers take longer. */
const ADAPTER_CANCEL_GRACE_MS = 5000;
/** A process is silent for longest while it compiles a long circuit. */
const ADAPTER_SILENCE_LIMIT_MS = 30_000;
/** Drivers of many cards start slowly, and compile kernels slowly the first time. */
const ADAPTER_START_LIMIT_MS = 60_000;
/**
 * Factor of the silence and start limits for an adapter that computes on the CPU: it compiles and
 * computes on the cores that everything else uses, so its times tell more about the machine's load than
 * about its health.
 */
const SOFTWARE_PATIENCE = 10;

/** Events of a pool. */
interface EnginePoolEvents {
  /** A worker became idle. */
  readonly onIdle: () => void;
  /** No engine can be started. */
  readonly onFault: (fault: NoWorkerError) => void;
  /** A worker ended that nobody meant to end. */
  readonly onLost?: (how: string) => void;
}

/** Options of a pool. */
export interface EnginePoolOptions {
  readonly numWorkers: number;
  readonly start: StartWorker;
  /** Milliseconds in which a cancelled circuit must stop; then its worker is ended. */
  readonly cancelGraceMs?: number;
  /** Milliseconds for which a worker with a circuit may send nothing before it is ended; no limit by default. */
  readonly silenceLimitMs?: number;
  /** Milliseconds in which a worker must open its engine; 30 s by default. */
  readonly startLimitMs?: number;
  /** Failed starts in a row after which the pool has a fault; 3 by default. */
  readonly maxFailedStarts?: number;
}

/** A fixed number of workers with engines of one kind, for a lane. */
export class EnginePool<Run extends WorkerRun = FleetRun> {
  readonly id: LaneId;
  readonly numWorkers: number;
  readonly #options: EnginePoolOptions;
  #workers: ChildPool<EngineRunner<Run>> | undefined;
  #fault: NoWorkerError | undefined;
  #lastSignOfLife = performance.now();

  constructor(id: LaneId, options: EnginePoolOptions) {
    this.id = id;
    this.numWorkers = options.numWorkers;
    this.#options = options;
  }

  /** Starts the workers, once; they become idle as their engines open. */
  open(events: EnginePoolEvents): void {
    if (this.#workers !== undefined) return;
    const { numWorkers, maxFailedStarts = MAX_FAILED_STARTS } = this.#options;
    const { cancelGraceMs = CANCEL_GRACE_MS, ...rest } = this.#options;
    const onIdle = () => {
      this.#lastSignOfLife = performance.now();
      events.onIdle();
    };
    const workers = new ChildPool<EngineRunner<Run>>(
      {
        size: numWorkers,
        maxFailedStarts,
        // A killed worker counts as a failed start, so that waiting runs learn of the fault at once.
        maxKilledStarts: 1,
        start: ({ onReady, onEnd }) =>
          new EngineRunner<Run>(
            { ...rest, cancelGraceMs },
            {
              onReady,
              onIdle: (worker) => {
                workers.release(worker);
                onIdle();
              },
              onOutcomes: () => workers.noteSuccess(),
              onProgress: () => {
                this.#lastSignOfLife = performance.now();
              },
              onEnd,
            },
          ),
      },
      {
        onReady: () => {
          this.#fault = undefined;
          onIdle();
        },
        onEnd: (_, { wasIntended, inFull }) => {
          if (!wasIntended) events.onLost?.(inFull);
        },
        onFailedStart: ({ inFull }) => {
          const isAnyOpen = [...workers.children].some((worker) => worker.isReady);
          if (!workers.isBroken || isAnyOpen) return;
          this.#fault = new NoWorkerError(workers.numFailedStarts, inFull);
          events.onFault(this.#fault);
        },
      },
    );
    this.#workers = workers;
  }

  /** Workers that could start something now. */
  get numIdle(): number {
    return this.#workers?.free.length ?? 0;
  }

  /** Why no engine can be started, while that is so. */
  get fault(): NoWorkerError | undefined {
    return this.#fault;
  }

  /** Reports of the open workers on their engines. */
  get reports(): readonly EngineReport[] {
    return this.#children.flatMap(({ report }) => report ?? []);
  }

  /** Report of an open engine of the pool. */
  get report(): EngineReport | undefined {
    return this.reports[0];
  }

  /** Process ids of the workers that are processes. */
  get pids(): readonly number[] {
    return this.#children.flatMap(({ pid }) => pid ?? []);
  }

  /** The lists of its workers; see `EngineRunner.list`. */
  get lists(): readonly EngineRunner<Run>['list'][] {
    return this.#children.map(({ list }) => list);
  }

  /** When a worker last finished, progressed or was opened, on the clock of `performance.now()`. */
  get lastSignOfLife(): number {
    return this.#lastSignOfLife;
  }

  /**
   * Runs a list, one run after the other, on an idle worker; there is one.
   *
   * @returns A promise for each, as EngineRunner.run. They reject with EngineFailure, which has the
   *   code of what the compiler or the engine threw; OutOfMemoryError; WorkerLostError if the worker
   *   ends before the circuit is answered; the signal's reason once the work has stopped.
   */
  run(runs: readonly Run[]): readonly Promise<RunOutcome>[] {
    const worker = this.#workers?.take();
    if (worker === undefined) throw new Error('unreachable: no worker is idle');
    return worker.run(runs);
  }

  /** Ends all workers; circuits under way are rejected. */
  async close(): Promise<void> {
    const workers = this.#children;
    this.#workers?.close();
    await Promise.all(workers.map((worker) => worker.end()));
  }

  get #children(): readonly EngineRunner<Run>[] {
    return [...(this.#workers?.children ?? [])];
  }
}

/** Options of the process of an adapter. */
export interface AdapterPoolOptions {
  readonly start: StartWorker;
  readonly cancelGraceMs?: number;
  readonly silenceLimitMs?: number;
  /** Whether the driver computes on the CPU. */
  readonly isSoftware?: boolean;
  /** Name that adapters have in common which are expected to be equally fast. */
  readonly model?: string;
  /** Adapters that hold a state together, where the process has several. */
  readonly members?: readonly LaneId[];
}

/** The pool of one adapter, or of several that hold a state together: one process. */
export class AdapterPool extends EnginePool {
  /** Whether its last self-test passed and nothing happened since. */
  isHealthy = false;
  readonly isSoftware: boolean;
  readonly model: string | undefined;
  /** Set for several adapters: those that it takes for itself while it runs a circuit. */
  readonly members: readonly LaneId[] | undefined;

  constructor(id: LaneId, options: AdapterPoolOptions) {
    const { start, cancelGraceMs, silenceLimitMs, isSoftware = false, model, members } = options;
    const patience = isSoftware ? SOFTWARE_PATIENCE : 1;
    super(id, {
      numWorkers: 1,
      start,
      cancelGraceMs: cancelGraceMs ?? ADAPTER_CANCEL_GRACE_MS,
      silenceLimitMs: silenceLimitMs ?? patience * ADAPTER_SILENCE_LIMIT_MS,
      startLimitMs: patience * ADAPTER_START_LIMIT_MS,
      // Waiting runs learn of the fault at once, while the pool keeps trying.
      maxFailedStarts: 1,
    });
    this.isSoftware = isSoftware;
    this.model = model;
    this.members = members;
  }

  /** Process id of the adapter's engine. */
  get pid(): number | undefined {
    return this.pids[0];
  }

  /** Measured speed of its sweeps, bytes a second; 0 where nothing was measured. */
  get sweepBytesPerSecond(): number {
    return this.report?.tuning?.sweepBytesPerSecond ?? 0;
  }
}
