/**
 * The modelled TPU fleet as it is used: jobs take slices of a zone's chips, wait when there are not
 * enough, and give them back.
 *
 * Whoever waits for chips of one type in one zone stands in one line, ordered as circuits are: urgent
 * work first, keys in fair turns, first come, first served within a key, and what has waited long
 * rises. Only the first of a line is ever given chips. What stands behind it waits too even where it
 * would fit, so that small jobs cannot keep a large one waiting for ever: chips that come free stay
 * free for it. Back-filling would use those, but it takes a bound on how long jobs run, which is not
 * known here.
 *
 * The line is looked at when somebody comes, leaves or gives chips back. Between those the first may
 * change by ageing; that waits for the next such moment, which comes, since a first one that does not
 * fit means that chips are in use.
 */
import type { Fault } from '../../errors/coded-error.ts';
import { AGEING_MS, FairQueue } from '../../fleet/schedule/fair-queue.ts';
import { levelOf, type Priority, type Tier } from '../../fleet/schedule/scheduled-run.ts';
import { ProcedureQueueFullError } from '../procedures/errors.ts';
import { type SliceRequest, type SliceShape, sliceFaults } from './slice-request.ts';
import { TPU_POOLS, type TpuPool, type TpuType } from './tpu-zones.ts';

/** Jobs that may wait, in all zones together. */
export const MAX_WAITING_JOBS = 1000;

/** Weight of the last slice in the mean holding time. */
const LAST_HELD_PART = 0.1;

/** A job that wants a slice. */
export interface PlacementRequest extends SliceShape {
  /** Unique among the jobs that wait. */
  readonly id: string;
  /** As it took effect. */
  readonly priority: Priority;
  readonly tier: Tier;
  readonly keyId: string;
  /** It was accepted before, so a full queue does not refuse it. */
  readonly readmitted?: boolean;
}

/** Chips that a job has. Disposing of it gives them back, once. */
export interface Slice extends SliceShape, Disposable {}

/** Chips of one type in one zone, as they stand. */
export interface PoolState extends TpuPool {
  readonly availableChips: number;
  readonly inUseChips: number;
  readonly jobsPlaced: number;
  readonly jobsWaiting: number;
}

/** The whole fleet, as it stands. */
export interface TpuFleetState {
  readonly chips: number;
  readonly availableChips: number;
  readonly inUseChips: number;
  readonly jobsPlaced: number;
  readonly jobsWaiting: number;
  /** One a zone and type, in the order of `TPU_POOLS`. */
  readonly pools: readonly PoolState[];
}

/** Options of the fleet; each has a default. */
export interface TpuFleetOptions {
  /** Milliseconds of a clock that never goes back; `performance.now()` unless given. */
  readonly now?: () => number;
  /** Jobs that may wait; `MAX_WAITING_JOBS` unless given. */
  readonly queueLimit?: number;
}

/** A job in a line. */
interface WaitingJob {
  readonly id: string;
  readonly key: string;
  readonly level: number;
  readonly chips: number;
  readonly onPlaced: () => void;
}

/** A pool and its line. */
interface Pool {
  readonly spec: TpuPool;
  readonly queue: FairQueue<WaitingJob>;
  availableChips: number;
  jobsPlaced: number;
}

/** Places jobs on slices. */
export class TpuFleet {
  readonly #now: () => number;
  readonly #queueLimit: number;
  readonly #pools: readonly Pool[];
  /** Jobs that were promised a place in the queue and have not come yet. */
  readonly #admitted = new Set<string>();
  /** Jobs that have a slice. */
  readonly #placed = new Set<string>();
  /** Of slices given back, milliseconds; undefined before the first. */
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

  /** Faults of a slice request, with paths in the names of the API; empty if it can be placed. */
  faultsOf(request: SliceRequest): readonly Fault[] {
    return sliceFaults(request);
  }

  /** Whether the job has its chips now. */
  isPlaced(id: string): boolean {
    return this.#placed.has(id);
  }

  /** Jobs that wait, in all zones. */
  get queueLength(): number {
    return this.#pools.reduce((total, { queue }) => total + queue.length, 0);
  }

  /**
   * Keeps room in the queue for a job until it comes, or is withdrawn.
   *
   * @throws {ProcedureQueueFullError} if there is none.
   */
  admit(id: string): void {
    if (this.queueLength + this.#admitted.size >= this.#queueLimit) {
      const retryAfterS = Math.max(1, Math.ceil((this.#meanHeldMs ?? 0) / 1000));
      throw new ProcedureQueueFullError(this.#queueLimit, retryAfterS);
    }
    this.#admitted.add(id);
  }

  /** Keeps that room no longer. */
  withdraw(id: string): void {
    this.#admitted.delete(id);
  }

  /**
   * Resolves once the job has its chips; at once where they are free and nobody waits for them.
   *
   * @param request - Without faults.
   * @throws {ProcedureQueueFullError} if it would have to wait without room for it.
   * @throws the signal's reason if that aborts before it has chips; then it waits no more.
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
        // One that was placed just before keeps its chips; its caller sees the signal, too.
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

  /** Jobs before it in its line, from 0; undefined when it does not wait. */
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

  /** Chips and queue of the fleet now. */
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

  /** Gives chips to the first of the line as long as there are enough for it. */
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
