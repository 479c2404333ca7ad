/**
 * Scheduler of the modelled TPU fleet: jobs take slices of a zone's chips, wait if there are too few, and
 * return them.
 *
 * The jobs that wait for chips of one type in one zone form a queue, ordered as circuits are: by
 * priority, with keys in fair turns, first come, first served within a key, and with ageing. Only the
 * first job of a queue is given chips. Later jobs wait even if they would fit, so that small jobs cannot
 * delay a large one for ever: chips that become free stay reserved for it. Back-filling would use them,
 * but needs a bound on the jobs' run times, which is not known here.
 *
 * A queue is examined when a job arrives, leaves or returns chips. In between, ageing may change its
 * first job; that takes effect at the next such event. One is certain, because a first job that does not
 * fit means that chips are in use.
 */
import type { Fault } from '../../errors/coded-error.ts';
import { AGEING_MS, FairQueue } from '../../fleet/schedule/fair-queue.ts';
import { levelOf, type Priority, type Tier } from '../../fleet/schedule/scheduled-run.ts';
import { ProcedureQueueFullError } from '../procedures/errors.ts';
import { type SliceRequest, type SliceShape, sliceFaults } from './slice-request.ts';
import { TPU_POOLS, type TpuPool, type TpuType } from './tpu-zones.ts';

/** Most waiting jobs over all zones. */
const MAX_WAITING_JOBS = 1000;

/** Weight of the latest slice in the average holding time. */
const LAST_HELD_PART = 0.1;

/** A job that needs a slice. */
export interface PlacementRequest extends SliceShape {
  /** Id of the job, unique among those that wait. */
  readonly id: string;
  /** The slice request, with defaults filled in. */
  readonly priority: Priority;
  readonly tier: Tier;
  readonly keyId: string;
  /** Whether the job was accepted earlier; a full queue then does not refuse it. */
  readonly readmitted?: boolean;
}

/** Chips assigned to a job. Disposing of it returns them, once. */
export interface Slice extends SliceShape, Disposable {}

/** State of the chips of one type in one zone. */
export interface PoolState extends TpuPool {
  readonly availableChips: number;
  readonly inUseChips: number;
  readonly jobsPlaced: number;
  readonly jobsWaiting: number;
}

/** State of the fleet. */
export interface TpuFleetState {
  readonly chips: number;
  readonly availableChips: number;
  readonly inUseChips: number;
  readonly jobsPlaced: number;
  readonly jobsWaiting: number;
  /** One entry per zone and type, in the order of `TPU_POOLS`. */
  readonly pools: readonly PoolState[];
}

/** Options of the fleet; each has a default. */
export interface TpuFleetOptions {
  /** Monotonic clock, milliseconds; `performance.now()` unless given. */
  readonly now?: () => number;
  /** Most waiting jobs; `MAX_WAITING_JOBS` unless given. */
  readonly queueLimit?: number;
}

/** A waiting job. */
interface WaitingJob {
  readonly id: string;
  readonly key: string;
  readonly level: number;
  readonly chips: number;
  readonly onPlaced: () => void;
}

/** A pool of chips and its queue. */
interface Pool {
  readonly spec: TpuPool;
  readonly queue: FairQueue<WaitingJob>;
  availableChips: number;
  jobsPlaced: number;
}

/** Assigns slices to jobs. */
export class TpuFleet {
  readonly #now: () => number;
  readonly #queueLimit: number;
  readonly #pools: readonly Pool[];
  /** Ids of admitted jobs that have not been placed or queued yet. */
  readonly #admitted = new Set<string>();
  /** Ids of the jobs that hold a slice. */
  readonly #placed = new Set<string>();
  /** Average holding time of returned slices, milliseconds; undefined before the first. */
  #meanHeldMs: number | undefined;

  constructor({
    now = () => performance.now(),
    queueLimit = MAX_WAITING_JOBS,
  }: TpuFleetOptions = {}) {
    this.#now = now;
    this.#queueLimit = queueLimit;
    this.#pools = TPU_POOLS.map((spec) => ({
      spec,
      queue: new FairQueue<WaitingJob>(AGEING_MS),
      availableChips: spec.chips,
      jobsPlaced: 0,
    }));
  }

  /** Faults of a slice request, with the API's field names as paths; empty if it can be placed. */
  faultsOf(request: SliceRequest): readonly Fault[] {
    return sliceFaults(request);
  }

  /** Whether the job holds chips now. */
  isPlaced(id: string): boolean {
    return this.#placed.has(id);
  }

  /** Number of waiting jobs over all zones. */
  get queueLength(): number {
    return this.#pools.reduce((total, { queue }) => total + queue.length, 0);
  }

  /**
   * Reserves a place in the queue for a job, until the job is placed or withdrawn.
   *
   * @throws {ProcedureQueueFullError} if the queue is full.
   */
  admit(id: string): void {
    if (this.queueLength + this.#admitted.size >= this.#queueLimit) {
      const retryAfterS = Math.max(1, Math.ceil((this.#meanHeldMs ?? 0) / 1000));
      throw new ProcedureQueueFullError(this.#queueLimit, retryAfterS);
    }
    this.#admitted.add(id);
  }

  /** Releases a reserved place. */
  withdraw(id: string): void {
    this.#admitted.delete(id);
  }

  /**
   * Resolves when the job has its chips; at once if they are free and no job waits for them.
   *
   * @param request - Valid.
   * @throws {ProcedureQueueFullError} if the job would have to wait and the queue is full.
   * @throws the signal's reason if it aborts while the job waits.
   */
  async place(request: PlacementRequest, signal: AbortSignal): Promise<Slice> {
    const { id, zone, tpuType, chips, priority, tier, keyId, readmitted = false } = request;
    const pool = this.#poolOf(zone, tpuType);
    if (chips > pool.spec.chips) throw new Error(`unreachable: ${chips} chips asked of ${zone}`);
    const isAdmitted = this.#admitted.delete(id) || readmitted;
    signal.throwIfAborted();
    const isFree = pool.queue.length === 0 && chips <= pool.availableChips;
    if (!isFree && !isAdmitted) {
      this.admit(id);
      this.#admitted.delete(id);
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        // A job that was placed just before keeps its chips; its caller sees the signal, too.
        if (pool.queue.remove(id) === undefined) return;
        reject(signal.reason);
        this.#serve(pool);
      };
      const onPlaced = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const level = levelOf(priority, tier);
      const job = { id, key: keyId, level, chips, onPlaced };
      pool.queue.add(job, chips, this.#now());
      signal.addEventListener('abort', onAbort, { once: true });
      this.#serve(pool);
    });
    return this.#sliceOf(pool, id, { zone, tpuType, chips });
  }

  /** Number of jobs ahead of it in its queue; undefined if it does not wait. */
  queuePosition(id: string): number | undefined {
    const pool = this.#pools.find(({ queue }) => queue.has(id));
    if (pool === undefined) return undefined;
    let position = 0;
    for (const { item } of pool.queue.walk(this.#now())) {
      if (item.id === id) return position;
      position++;
    }
    throw new Error(`unreachable: ${id} waits, but not in its line`);
  }

  /** State of chips and queues now. */
  snapshot(): TpuFleetState {
    const pools = this.#pools.map(({ spec, availableChips, jobsPlaced, queue }) => ({
      ...spec,
      availableChips,
      inUseChips: spec.chips - availableChips,
      jobsPlaced,
      jobsWaiting: queue.length,
    }));
    const total = (of: (pool: PoolState) => number) => pools.reduce((sum, p) => sum + of(p), 0);
    return {
      chips: total((pool) => pool.chips),
      availableChips: total((pool) => pool.availableChips),
      inUseChips: total((pool) => pool.inUseChips),
      jobsPlaced: total((pool) => pool.jobsPlaced),
      jobsWaiting: total((pool) => pool.jobsWaiting),
      pools,
    };
  }

  /** Assigns chips to the first jobs of the queue while there are enough. */
  #serve(pool: Pool): void {
    for (;;) {
      const now = this.#now();
      const first = pool.queue.walk(now).next();
      if (first.done === true || first.value.item.chips > pool.availableChips) return;
      const { item: job } = first.value;
      pool.queue.start(job.id, now);
      pool.availableChips -= job.chips;
      pool.jobsPlaced++;
      job.onPlaced();
    }
  }

  #sliceOf(pool: Pool, id: string, shape: SliceShape): Slice {
    const since = this.#now();
    this.#placed.add(id);
    let isHeld = true;
    return {
      ...shape,
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#placed.delete(id);
        pool.availableChips += shape.chips;
        pool.jobsPlaced--;
        const heldMs = this.#now() - since;
        const mean = this.#meanHeldMs ?? heldMs;
        this.#meanHeldMs = mean + LAST_HELD_PART * (heldMs - mean);
        this.#serve(pool);
      },
    };
  }

  #poolOf(zone: string, tpuType: TpuType): Pool {
    const pool = this.#pools.find(({ spec }) => spec.zone === zone && spec.tpuType === tpuType);
    if (pool === undefined) throw new Error(`unreachable: there is no ${tpuType} in ${zone}`);
    return pool;
  }
}
