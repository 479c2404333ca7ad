/**
 * Who looks at jobs while they change.
 *
 * Watches are kept by the job's id and not by the ActiveJob: a job that was put back, that a store which
 * cannot be written left as it was, or that is cancelled as it lies there, changes too.
 */
import type { Job, JobId } from './job.ts';

/** A record without its large parts, so that a watch holds on to neither. */
export type WatchedRecord = Omit<Job, 'request' | 'result'>;

/** A job as it stands. */
export interface JobState {
  readonly record: WatchedRecord;
  /** Fraction done in [0, 1]; only while this process has the job and its work has begun. */
  readonly progress?: number;
  /** Message of the work about its progress. */
  readonly message?: string;
}

/** One look at one job, until it is disposed. */
export class JobWatch implements Disposable {
  /** Called after every change of `state`; many changes may have come together. */
  onChange: (() => void) | undefined;
  #state: JobState;
  readonly #leave: () => void;

  constructor(state: JobState, leave: () => void) {
    this.#state = state;
    this.#leave = leave;
  }

  /** The latest. */
  get state(): JobState {
    return this.#state;
  }

  /** Replaces the state. */
  tell(state: JobState): void {
    this.#state = state;
    this.onChange?.();
  }

  /** Ends the watch; `onChange` is not called any more. */
  [Symbol.dispose](): void {
    this.onChange = undefined;
    this.#leave();
  }
}

/** State of a job as a watch sees it. */
export function stateOf(job: Job, progress?: number, message?: string): JobState {
  const { request: _, result: __, ...record } = job;
  return {
    record,
    ...(progress === undefined ? {} : { progress }),
    ...(message === undefined ? {} : { message }),
  };
}

type Listener = (state: JobState) => void;

/** The watches of all jobs; a job that nobody watches takes nothing. */
export class JobWatches {
  readonly #listeners = new Map<JobId, Set<Listener>>();

  /** Jobs that somebody watches. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Tells whoever watches the job; `state` is not made where nobody does. */
  tell(id: JobId, state: () => JobState): void {
    const listeners = this.#listeners.get(id);
    if (listeners === undefined) return;
    const present = state();
    for (const listener of [...listeners]) listener(present);
  }

  /**
   * Begins a watch with the job's present state, or with what was told while that was looked up: a change
   * between looking and listening is not missed.
   *
   * @param look - Undefined where there is no such job.
   */
  async open(id: JobId, look: () => Promise<JobState | undefined>): Promise<JobWatch | undefined> {
    let watch: JobWatch | undefined;
    let told: JobState | undefined;
    const listener: Listener = (state) => {
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
