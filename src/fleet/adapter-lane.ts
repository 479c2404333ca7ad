/** An adapter as what circuits run on: the lane of its process, and whether it may be given any. */
import { EngineLane } from './engine-lane.ts';
import type { LaneId } from './schedule/lane.ts';
import type { StartWorker } from './workers/worker-messages.ts';

/** Sweeps of wide states stop within some tens of milliseconds, but software drivers take longer. */
const CANCEL_GRACE_MS = 5000;
/** Compiling a long circuit is the longest that a process says nothing. */
const SILENCE_LIMIT_MS = 30_000;
/** Drivers of many cards start slowly, and compile kernels slowly the first time. */
const START_LIMIT_MS = 60_000;
/**
 * Factor of the limits above for an adapter that computes on the CPU: it compiles and computes on the
 * cores that everything else uses, so its times say more about the machine's load than about its health.
 */
const SOFTWARE_PATIENCE = 10;

/** How the process of an adapter is started and watched. */
export interface AdapterLaneOptions {
  readonly start: StartWorker;
  readonly cancelGraceMs?: number;
  readonly silenceLimitMs?: number;
  /** Whether the driver computes on the CPU. */
  readonly isSoftware?: boolean;
  /** What adapters that are expected to be equally fast have in common: their name. */
  readonly model?: string;
  /** Adapters that hold a state together, where the lane is of several. */
  readonly members?: readonly LaneId[];
}

/** The lane of one adapter, or of several that hold a state together. */
export class AdapterLane extends EngineLane {
  /** Whether its last self-test passed and nothing happened since. */
  isHealthy = false;
  readonly isSoftware: boolean;
  readonly model: string | undefined;
  /** Set for the lane of several adapters: those that it takes for itself while it runs a circuit. */
  readonly members: readonly LaneId[] | undefined;

  constructor(id: LaneId, options: AdapterLaneOptions) {
    const { start, cancelGraceMs, silenceLimitMs, isSoftware = false, model, members } = options;
    const patience = isSoftware ? SOFTWARE_PATIENCE : 1;
    super(id, {
      numWorkers: 1,
      start,
      cancelGraceMs: cancelGraceMs ?? CANCEL_GRACE_MS,
      silenceLimitMs: silenceLimitMs ?? patience * SILENCE_LIMIT_MS,
      startLimitMs: patience * START_LIMIT_MS,
      // Whoever waits for the adapter is told at once, while the pool goes on trying.
      maxFailedStarts: 1,
    });
    this.isSoftware = isSoftware;
    this.model = model;
    this.members = members;
  }

  /** How fast its sweeps were measured to be; 0 where nothing was measured. */
  get sweepBytesPerSecond(): number {
    return this.report?.tuning?.sweepBytesPerSecond ?? 0;
  }
}
