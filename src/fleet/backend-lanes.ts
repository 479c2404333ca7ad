/**
 * The lanes of one machine as the scheduler knows them: it is told what each takes, how fast it is and
 * how much of it is free.
 */
import { extname } from 'node:path';
import { childThread } from '../processes/child-thread.ts';
import { AdapterLane, type AdapterLaneOptions } from './adapter-lane.ts';
import type { SubmittedTask } from './backend-task.ts';
import { EngineLane } from './engine-lane.ts';
import { qubitsWithin } from './memory-shares.ts';
import { type LaneId, SIZE_CLASSES, type SizeClass } from './schedule/lane.ts';
import type { Scheduler } from './schedule/scheduler.ts';
import type { EngineOptions } from './workers/worker-messages.ts';

const WORKER_ENTRY = new URL(`./workers/engine-worker${extname(import.meta.url)}`, import.meta.url);
const HEAP_LIMIT_MB = 2048;
/** Threads of the machine on which the estimates' model was measured. */
const MODEL_THREADS = 2;
/** Bytes a second that a pass over a state moved on that machine, read plus written. */
const MODEL_BYTES_PER_SECOND = (2 * 8 * 2 ** 26) / 0.028;
/** Of an adapter on which nothing was measured: one that was comes first, until runs say better. */
const UNMEASURED_SPEED = 0.01;
/** The way to an adapter's process and through its queue, as measured on software drivers. */
const ADAPTER_FIXED_MS = 1.5;

/** Threads, each with engines. */
export interface ThreadLane {
  readonly numWorkers: number;
  readonly engine: EngineOptions;
}

/** How the lanes of the CPU are made. */
export interface ThreadOptions {
  /** What fits these engines is a small circuit. */
  readonly small: ThreadLane;
  readonly wide: ThreadLane;
  /** The threads' module; the product's own unless a test brings another. */
  readonly workerEntry?: URL;
  /** How long a cancelled circuit may take to stop by itself before its thread is ended. */
  readonly cancelGraceMs?: number;
  /** JavaScript heap of one thread; state vectors live outside it. */
  readonly heapLimitMb?: number;
}

/** What the owner of the lanes wants to hear. */
export interface BackendLanesEvents {
  /** An engine is free. */
  readonly onIdle: () => void;
  /** No engine of the lane can be started. */
  readonly onFault: (lane: EngineLane) => void;
}

/** The lanes of a machine. */
export class BackendLanes {
  readonly #scheduler: Scheduler<SubmittedTask>;
  readonly #events: BackendLanesEvents;
  readonly #lanes = new Map<LaneId, EngineLane>();
  /** Runs of spread lanes, by the adapter that each keeps from running anything else. */
  readonly #held = new Map<LaneId, number>();
  readonly #openBytes = new Map<LaneId, number>();

  constructor(
    scheduler: Scheduler<SubmittedTask>,
    options: ThreadOptions,
    events: BackendLanesEvents,
  ) {
    this.#scheduler = scheduler;
    this.#events = events;
    for (const width of SIZE_CLASSES) this.#addThreads(width, options[width], options);
  }

  get all(): readonly EngineLane[] {
    return [...this.#lanes.values()];
  }

  get(id: LaneId): EngineLane {
    const lane = this.#lanes.get(id);
    if (lane === undefined) throw new Error(`unreachable: there is no lane ${id}`);
    return lane;
  }

  /** Single adapters that are given circuits now. */
  get healthyAdapters(): readonly AdapterLane[] {
    return this.all.filter(
      (lane): lane is AdapterLane =>
        lane instanceof AdapterLane && lane.isHealthy && lane.members === undefined,
    );
  }

  /** Starts the threads. */
  openThreads(): void {
    for (const width of SIZE_CLASSES) this.#open(this.get(width));
  }

  /** Starts the process of an adapter, or of several. */
  addAdapter(options: AdapterLaneOptions, onLost: (how: string) => void): AdapterLane {
    const kind = options.members === undefined ? 'adapter' : 'spread';
    const number = [...this.#lanes.keys()].filter((id) => id.startsWith(kind)).length;
    const lane = new AdapterLane(`${kind}-${number}`, options);
    this.#lanes.set(lane.id, lane);
    this.#tell(lane);
    this.#open(lane, onLost);
    return lane;
  }

  /** Gives an adapter circuits, or none. */
  setHealthy(lane: AdapterLane, isHealthy: boolean): void {
    lane.isHealthy = isHealthy;
    this.#tell(lane);
  }

  /** Says how much memory for states the open devices of an adapter have; without it, no limit. */
  setOpenBytes(lane: AdapterLane, bytes: number): void {
    if (this.#openBytes.get(lane.id) === bytes) return;
    this.#openBytes.set(lane.id, bytes);
    this.#tell(lane);
  }

  /** Whether a run of several adapters keeps this one for itself. */
  isHeld(id: LaneId): boolean {
    return (this.#held.get(id) ?? 0) > 0;
  }

  /** Keeps the adapters of a spread lane from running anything else, or lets them go. */
  hold(lane: EngineLane, by: 1 | -1): void {
    if (!(lane instanceof AdapterLane)) return;
    for (const member of lane.members ?? []) {
      this.#held.set(member, (this.#held.get(member) ?? 0) + by);
    }
  }

  /** Of a lane, or of a run of several adapters that holds it; on the clock of `performance.now()`. */
  lastSignOfLife(id: LaneId): number {
    const own = this.get(id).lastSignOfLife;
    if (!this.isHeld(id)) return own;
    const holders = this.all.filter(
      (lane) => lane instanceof AdapterLane && lane.members?.includes(id) === true,
    );
    return Math.max(own, ...holders.map(({ lastSignOfLife }) => lastSignOfLife));
  }

  /** Tells the scheduler what is free. */
  tellFreeSlots(): void {
    for (const lane of this.#lanes.values()) {
      const free = lane.numIdle - (this.#held.get(lane.id) ?? 0);
      this.#scheduler.setFreeSlots(lane.id, Math.max(0, free));
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((lane) => lane.close()));
  }

  #addThreads(
    id: SizeClass,
    { numWorkers, engine }: ThreadLane,
    { workerEntry = WORKER_ENTRY, cancelGraceMs, heapLimitMb = HEAP_LIMIT_MB }: ThreadOptions,
  ): void {
    const lane = new EngineLane(id, {
      numWorkers,
      start: childThread({ entry: workerEntry, setup: { engine }, heapLimitMb }),
      ...(cancelGraceMs !== undefined && { cancelGraceMs }),
    });
    this.#lanes.set(id, lane);
    const { maxQubits, numThreads } = engine;
    this.#scheduler.estimates.setSpeed(id, numThreads / MODEL_THREADS);
    this.#scheduler.setLane({
      id,
      kind: id,
      pools: [id],
      maxQubits,
      isOpen: true,
      isSoftware: true,
    });
  }

  #tell(lane: AdapterLane): void {
    const { id, members, isHealthy, isSoftware, model, report, sweepBytesPerSecond } = lane;
    const speed = sweepBytesPerSecond / MODEL_BYTES_PER_SECOND;
    const { estimates } = this.#scheduler;
    if (model !== undefined) estimates.setModel(id, model);
    estimates.setSpeed(id, speed > 0 ? speed : UNMEASURED_SPEED, ADAPTER_FIXED_MS);
    const openBytes = this.#openBytes.get(id) ?? Number.POSITIVE_INFINITY;
    const addressable = report?.target.maxQubits ?? 0;
    this.#scheduler.setLane({
      id,
      kind: members === undefined ? 'adapter' : 'spread',
      // A run of several takes each of them, and the one process that runs it.
      pools: [...(members ?? []), id],
      ...(members && { parts: members }),
      maxQubits: { f32: Math.min(addressable, qubitsWithin(openBytes)), f64: 0 },
      isOpen: isHealthy && report !== undefined && openBytes > 0,
      isSoftware,
    });
  }

  #open(lane: EngineLane, onLost?: (how: string) => void): void {
    lane.open({
      onIdle: this.#events.onIdle,
      onFault: () => this.#events.onFault(lane),
      ...(onLost && { onLost }),
    });
  }
}
