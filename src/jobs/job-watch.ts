/**
 * Watches of jobs.
 *
 * Watches are kept by job id and not by ActiveJob, because a job that this process does not hold changes too:
 * one that was put back, cancelled in the store, or left unchanged by a store that could not be written.
 */
import type { Job, JobId } from './job.ts';

/** Record without its large parts, so that a watch does not keep them in memory. */
export type WatchedRecord = Omit<Job, 'request' | 'result'>;

/** State of a job. */
export interface JobState {
  readonly record: WatchedRecord;
  /** Fraction done in [0, 1]; present only while this process holds the job and its work has begun. */
  readonly progress?: number;
  /** Progress message of the work. */
  readonly message?: string;
}

/** Watch of one job, until it is disposed of. */
export class JobWatch implements Disposable {
  /** Called after changes of `state`; one call may cover several. */
  onChange: (() => void) | undefined;
  /** Called if the job was deleted before its end was seen; nothing more is reported. */
  onGone: (() => void) | undefined;
  #state: JobState;
  readonly #leave: () => void;

  constructor(state: JobState, leave: () => void) {
    this.#state = state;
    this.#leave = leave;
  }

  /** Latest state. */
  get state(): JobState {
    return this.#state;
  }

  /** Replaces the state. */
  tell(state: JobState): void {
    this.#state = state;
    this.onChange?.();
  }

  /** Ends the watch; nothing is called any more. */
  [Symbol.dispose](): void {
    this.onChange = undefined;
    this.onGone = undefined;
    this.#leave();
  }
}

/** Converts a job to the state that watches see. */
export function stateOf(job: Job, progress?: number, message?: string): JobState {
  const { request: _, result: __, ...record } = job;
  return {
    record,
    ...(progress === undefined ? {} : { progress }),
    ...(message === undefined ? {} : { message }),
  };
}

/** Gets each state; undefined once the job is gone. */
type Listener = (state: JobState | undefined) => void;

/** Watches of all jobs; a job without watches takes no memory. */
export class JobWatches {
  readonly #listeners = new Map<JobId, Set<Listener>>();

  /** Number of watched jobs. */
  get size(): number {
    return this.#listeners.size;
  }

  /** True if the job is watched. */
  has(id: JobId): boolean {
    return this.#listeners.has(id);
  }

  /** Reports a state to the job's watches; `state` is called only if there are any. */
  tell(id: JobId, state: () => JobState): void {
    const listeners = this.#listeners.get(id);
    if (listeners === undefined) return;
    const present = state();
    for (const listener of [...listeners]) listener(present);
  }

  /** Reports that the job was deleted, and nobody here has seen its end. */
  tellGone(id: JobId): void {
    for (const listener of [...(this.#listeners.get(id) ?? [])]) listener(undefined);
  }

  /**
   * Opens a watch with the job's present state. Changes reported during the look-up are not missed.
   *
   * @param look - Looks the state up; undefined if there is no such job.
   */
  async open(id: JobId, look: () => Promise<JobState | undefined>): Promise<JobWatch | undefined> {
    let watch: JobWatch | undefined;
    let told: JobState | undefined;
    const listener: Listener = (state) => {
      if (state === undefined) {
        watch?.onGone?.();
        return;
      }
      told = state;
      watch?.tell(state);
    };
    this.#add(id, listener);
    const leave = () => this.#remove(id, listener);
    try {
      const found = await look();
      const state = told ?? found;
      if (found !== undefined && state !== undefined) watch = new JobWatch(state, leave);
      return watch;
    } finally {
      if (watch === undefined) leave();
    }
  }

  #add(id: JobId, listener: Listener): void {
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(listener));
  }

  #remove(id: JobId, listener: Listener): void {
    const listeners = this.#listeners.get(id);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#listeners.delete(id);
  }
}
