/**
 * The lanes of one machine, an engine pool each, and the runs on them. They report to the scheduler the limits,
 * speed and free engines of each lane, and the outcome of each run.
 */
import { extname } from 'node:path';
import { childThread } from '../processes/supervised-child.ts';
import { WorkerLostError } from './errors.ts';
import type { FleetRun } from './fleet-run.ts';
import { qubitsWithin } from './memory-shares.ts';
import { type Lane, type LaneId, SIZE_CLASSES, type SizeClass } from './schedule/lane.ts';
import { MODEL_THREADS } from './schedule/run-estimates.ts';
import type { Dispatch, Scheduler } from './schedule/scheduler.ts';
import { AdapterPool, type AdapterPoolOptions, EnginePool } from './workers/engine-pool.ts';
import type { EngineOptions, RunOutcome, WorkerSetup } from './workers/worker-messages.ts';

const WORKER_ENTRY = new URL(`./workers/engine-worker${extname(import.meta.url)}`, import.meta.url);
const HEAP_LIMIT_MB = 2048;
/** Bytes a second that a pass over a state moved on the machine on which the estimates' model was measured, read plus written. */
const MODEL_BYTES_PER_SECOND = (2 * 8 * 2 ** 26) / 0.028;
/** Assumed speed of an adapter that has not been benchmarked. Low, so that benchmarked ones win. */
const UNMEASURED_SPEED = 0.01;
/** From here to an adapter's process and through its queue, milliseconds, as measured on software drivers. */
const ADAPTER_FIXED_MS = 1.5;

/** Threads with an engine each. */
interface ThreadPoolOptions {
  readonly numWorkers: number;
  readonly engine: EngineOptions;
}

/** Options of the CPU's lanes. */
export interface ThreadOptions {
  /** A circuit that fits these engines is small. */
  readonly small: ThreadPoolOptions;
  readonly wide: ThreadPoolOptions;
  /** The threads' module; the product's own unless a test brings another. */
  readonly workerEntry?: URL;
  /** Milliseconds in which a cancelled circuit must stop; then its thread is ended. */
  readonly cancelGraceMs?: number;
  /** JavaScript heap of one thread; state vectors live outside it. */
  readonly heapLimitMb?: number;
  /** Whether an idle thread runs circuits of its own after its start; false by default. */
  readonly warmsUp?: boolean;
}

/** Events of the lanes. */
interface EngineLanesEvents {
  /** An engine is free. */
  readonly onIdle: () => void;
  /** No engine of the lane can be started. */
  readonly onFault: (pool: EnginePool) => void;
  readonly onOutcome: (run: FleetRun, outcome: RunOutcome) => void;
  readonly onFailure: (run: FleetRun, error: unknown) => void;
}

/** How long the engines of a lane have had runs. */
export interface EngineTime {
  readonly id: LaneId;
  readonly kind: Lane['kind'];
  /** Engines of the lane. */
  readonly slots: number;
  /** Those that have runs now. */
  readonly busy: number;
  /** Milliseconds since the start, all engines together. */
  readonly busyMs: number;
}

/** Busy engines, their milliseconds up to a time of `performance.now()`, and that time. */
const NEVER_BUSY: { readonly busy: number; readonly busyMs: number; readonly at: number } = {
  busy: 0,
  busyMs: 0,
  at: 0,
};

/** The lanes of a machine. */
export class EngineLanes {
  readonly #scheduler: Scheduler<FleetRun>;
  readonly #events: EngineLanesEvents;
  readonly #pools = new Map<LaneId, EnginePool>();
  /** Runs over several adapters, by the adapter that each keeps from running anything else. */
  readonly #held = new Map<LaneId, number>();
  readonly #openBytes = new Map<LaneId, number>();
  readonly #busy = new Map<LaneId, typeof NEVER_BUSY>();

  constructor(scheduler: Scheduler<FleetRun>, options: ThreadOptions, events: EngineLanesEvents) {
    this.#scheduler = scheduler;
    this.#events = events;
    for (const sizeClass of SIZE_CLASSES) this.#addThreads(sizeClass, options[sizeClass], options);
  }

  get all(): readonly EnginePool[] {
    return [...this.#pools.values()];
  }

  /** Time that the engines of each lane had runs, self-tests left out. */
  get engineTimes(): readonly EngineTime[] {
    return this.all.map((pool) => {
      const { busy, busyMs, at } = this.#busy.get(pool.id) ?? NEVER_BUSY;
      return {
        id: pool.id,
        kind: this.#kindOf(pool),
        slots: pool.numWorkers,
        busy,
        busyMs: busyMs + busy * (performance.now() - at),
      };
    });
  }

  #count({ id }: EnginePool, by: 1 | -1): void {
    const { busy, busyMs, at } = this.#busy.get(id) ?? NEVER_BUSY;
    const now = performance.now();
    this.#busy.set(id, { busy: busy + by, busyMs: busyMs + busy * (now - at), at: now });
  }

  #kindOf(pool: EnginePool): Lane['kind'] {
    if (!(pool instanceof AdapterPool)) return pool.id === 'wide' ? 'wide' : 'small';
    return pool.members === undefined ? 'adapter' : 'spread';
  }

  get(id: LaneId): EnginePool {
    const pool = this.#pools.get(id);
    if (pool === undefined) throw new Error(`unreachable: there is no lane ${id}`);
    return pool;
  }

  /** Single adapters that are given circuits now. */
  get healthyAdapters(): readonly AdapterPool[] {
    return this.all.filter(
      (pool): pool is AdapterPool =>
        pool instanceof AdapterPool && pool.isHealthy && pool.members === undefined,
    );
  }

  /** Starts the threads. */
  openThreads(): void {
    for (const sizeClass of SIZE_CLASSES) this.#open(this.get(sizeClass));
  }

  /** Starts the process of an adapter, or of several that hold a state together. */
  addAdapter(options: AdapterPoolOptions, onLost: (how: string) => void): AdapterPool {
    const kind = options.members === undefined ? 'adapter' : 'spread';
    const number = [...this.#pools.keys()].filter((id) => id.startsWith(kind)).length;
    const pool = new AdapterPool(`${kind}-${number}`, options);
    this.#pools.set(pool.id, pool);
    this.#describe(pool);
    this.#open(pool, onLost);
    return pool;
  }

  /** Gives an adapter circuits, or none. */
  setHealthy(pool: AdapterPool, isHealthy: boolean): void {
    pool.isHealthy = isHealthy;
    this.#describe(pool);
  }

  /** Sets the memory for states on the open devices of an adapter; no limit until it is set. */
  setOpenBytes(pool: AdapterPool, bytes: number): void {
    if (this.#openBytes.get(pool.id) === bytes) return;
    this.#openBytes.set(pool.id, bytes);
    this.#describe(pool);
  }

  /** Whether a run over several adapters keeps this one for itself. */
  isHeld(id: LaneId): boolean {
    return (this.#held.get(id) ?? 0) > 0;
  }

  /**
   * When a lane, or a run over several adapters that holds it, last showed that it lives; on the clock of
   * `performance.now()`.
   */
  lastSignOfLife(id: LaneId): number {
    const own = this.get(id).lastSignOfLife;
    if (!this.isHeld(id)) return own;
    const holders = this.all.filter(
      (pool) => pool instanceof AdapterPool && pool.members?.includes(id) === true,
    );
    return Math.max(own, ...holders.map(({ lastSignOfLife }) => lastSignOfLife));
  }

  /** Tells the scheduler how many engines are free. */
  updateFreeSlots(): void {
    for (const pool of this.#pools.values()) {
      const free = pool.numIdle - (this.#held.get(pool.id) ?? 0);
      this.#scheduler.setFreeSlots(pool.id, Math.max(0, free));
    }
  }

  /** Runs that were given to an engine and have not begun. */
  get numListed(): number {
    return this.#waiting.flat().length;
  }

  /** Runs of a processor that have begun. */
  numBegun(processor: string): number {
    const begun = this.#lists.flatMap((list) => list.filter(({ hasBegun }) => hasBegun));
    return begun.filter(({ run }) => run.processor === processor && !isSelfTest(run)).length;
  }

  /** Number of runs in its list that begin before a run; undefined for one that is in no list or has begun. */
  placeInList(id: string): number | undefined {
    for (const list of this.#waiting) {
      const place = list.findIndex(({ run }) => run.id === id);
      if (place >= 0) return place;
    }
    return undefined;
  }

  /** Gives a list of runs to an idle engine. */
  start(dispatch: Dispatch<FleetRun>): void {
    const { runs, devices } = dispatch;
    const pool = this.get(dispatch.lane);
    this.#hold(pool, 1);
    const givenAt = performance.now();
    this.#count(pool, 1);
    for (const run of runs) {
      run.give(pool.id, devices, {
        onStarted: (startedAt) => this.#scheduler.began(dispatch, startedAt),
        onProgress: (fraction) => this.#scheduler.progressed(dispatch, fraction, performance.now()),
      });
    }
    const outcomes: (RunOutcome | undefined)[] = [];
    const answers = pool.run(runs);
    for (const [i, answer] of answers.entries()) {
      const run = runs[i]!;
      answer.then(
        (outcome) => {
          outcomes[i] = outcome;
          this.#scheduler.ended(dispatch, run, 'completed', performance.now());
          this.#events.onOutcome(run, outcome);
        },
        (error: unknown) => {
          const ending = error instanceof WorkerLostError ? 'lost' : 'failed';
          this.#scheduler.ended(dispatch, run, ending, performance.now());
          this.#events.onFailure(run, error);
        },
      );
    }
    void Promise.allSettled(answers).then(() => {
      this.#learn(dispatch, outcomes, performance.now() - givenAt);
      this.#hold(pool, -1);
      this.#count(pool, -1);
      this.#events.onIdle();
    });
  }

  /** Gives a self-test to an idle engine of its lane. */
  startSelfTest(run: FleetRun, pool: EnginePool): void {
    run.give(pool.id, [], { onStarted: () => {}, onProgress: () => {} });
    for (const answer of pool.run([run])) {
      answer
        .then(
          (outcome) => this.#events.onOutcome(run, outcome),
          (error: unknown) => this.#events.onFailure(run, error),
        )
        .then(this.#events.onIdle);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((pool) => pool.close()));
  }

  get #lists(): readonly EnginePool['lists'][number][] {
    return this.all.flatMap(({ lists }) => lists);
  }

  /** The runs of each list that have not begun. */
  get #waiting(): readonly EnginePool['lists'][number][] {
    return this.#lists.map((list) =>
      list.filter(({ run, hasBegun }) => !hasBegun && !isSelfTest(run)),
    );
  }

  /** The runs of a list share the time that it took beside their own, for its messages. */
  #learn(
    { lane, runs }: Dispatch<FleetRun>,
    outcomes: readonly (RunOutcome | undefined)[],
    totalMs: number,
  ): void {
    let known = 0;
    for (let i = 0; i < runs.length; i++) {
      const outcome = outcomes[i];
      if (outcome === undefined) return;
      known += wallMsOf(outcome);
    }
    const share = Math.max(0, totalMs - known) / runs.length;
    for (const [i, { work }] of runs.entries()) {
      this.#scheduler.estimates.observe(lane, work, outcomes[i]!.ownMs + share);
    }
  }

  /** Keeps the adapters of a spread lane from running anything else, or lets them go. */
  #hold(pool: EnginePool, by: 1 | -1): void {
    if (!(pool instanceof AdapterPool)) return;
    for (const member of pool.members ?? []) {
      this.#held.set(member, (this.#held.get(member) ?? 0) + by);
    }
  }

  #addThreads(
    id: SizeClass,
    { numWorkers, engine }: ThreadPoolOptions,
    options: ThreadOptions,
  ): void {
    const { workerEntry = WORKER_ENTRY, cancelGraceMs, heapLimitMb = HEAP_LIMIT_MB } = options;
    const setup: WorkerSetup = { engine, warmsUp: options.warmsUp ?? false };
    const pool = new EnginePool(id, {
      numWorkers,
      start: childThread({ entry: workerEntry, setup, heapLimitMb }),
      ...(cancelGraceMs !== undefined && { cancelGraceMs }),
    });
    this.#pools.set(id, pool);
    const { maxQubits, numThreads } = engine;
    this.#scheduler.estimates.setSpeed(id, numThreads / MODEL_THREADS);
    this.#scheduler.setLane({
      id,
      kind: id,
      pools: [id],
      maxQubits,
      isOpen: true,
      isSoftware: true,
      numThreads,
    });
  }

  /** Reports the limits and speed of an adapter to the scheduler. */
  #describe(pool: AdapterPool): void {
    const { id, members, isHealthy, isSoftware, model, report, sweepBytesPerSecond } = pool;
    const speed = sweepBytesPerSecond / MODEL_BYTES_PER_SECOND;
    const { estimates } = this.#scheduler;
    if (model !== undefined) estimates.setModel(id, model);
    estimates.setSpeed(id, speed > 0 ? speed : UNMEASURED_SPEED, {
      fixedMs: ADAPTER_FIXED_MS,
      exactSpeed: 1 / MODEL_THREADS,
    });
    const openBytes = this.#openBytes.get(id) ?? Number.POSITIVE_INFINITY;
    const addressable = report?.target.maxQubits ?? 0;
    this.#scheduler.setLane({
      id,
      kind: this.#kindOf(pool),
      // A run over several adapters takes each of them, and the one process that runs it.
      pools: [...(members ?? []), id],
      ...(members && { parts: members }),
      maxQubits: { f32: Math.min(addressable, qubitsWithin(openBytes)), f64: 0 },
      isOpen: isHealthy && report !== undefined && openBytes > 0,
      isSoftware,
    });
  }

  #open(pool: EnginePool, onLost?: (how: string) => void): void {
    pool.open({
      onIdle: this.#events.onIdle,
      onFault: () => this.#events.onFault(pool),
      ...(onLost && { onLost }),
    });
  }
}

function isSelfTest({ selfTestOf }: FleetRun): boolean {
  return selfTestOf !== undefined;
}

/** Time from a run's begin to its end on its engine, milliseconds. */
function wallMsOf(outcome: RunOutcome): number {
  return outcome.compileMs + outcome.executionMs;
}
