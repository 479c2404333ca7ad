/**
 * Runs jobs: stores them, has the handler of their kind run them, answers waiters, and recovers jobs after a
 * crash. The steps of a single job are in active-job.ts.
 */
import { ActiveJob, type ActiveJobContext, type Arrival } from './active-job.ts';
import {
  DuplicateJobError,
  JobNotFoundError,
  JobTransitionError,
  NoHandlerError,
  RunnerClosedError,
} from './errors.ts';
import {
  isFinal,
  isJobId,
  type Job,
  type JobId,
  type JobKind,
  type JobList,
  type JobPart,
  type JobPartPlace,
  type JobQuery,
  type NewJob,
} from './job.ts';
import type { JobHandler } from './job-handler.ts';
import type { JobStore } from './job-store.ts';
import { type JobState, type JobWatch, JobWatches, stateOf } from './job-watch.ts';
import { leftoverJobs, requeueInterrupted } from './recovery.ts';

/** Default suspicion at which a job is given up: it ran alone in this many processes that died. */
const DEFAULT_MAX_SUSPICION = 10;

/** A job that was just submitted. */
const NEW: Arrival = { isStored: false, readmitted: false, mayBeginUnmarked: false };
/** A job that an earlier process left. */
const LEFT: Arrival = { isStored: true, readmitted: true, mayBeginUnmarked: false };

/** Options of a JobRunner. */
export interface JobRunnerOptions {
  readonly store: JobStore;
  readonly handlers: Readonly<Partial<Record<JobKind, JobHandler>>>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Suspicion at which an interrupted job is given up; see recovery.ts. */
  readonly maxSuspicion?: number;
  /** Reason for refusing new jobs; undefined, as by default, while jobs are accepted. */
  readonly refusal?: () => Error | undefined;
  /** Called for every error that is a bug or a fault of the machine rather than of the job. */
  readonly onUnexpectedError: (error: unknown, job: Job) => void;
}

/** Counts of jobs at a shutdown. */
export interface ShutdownCounts {
  /** Jobs that became final during the shutdown. */
  readonly finished: number;
  /** Jobs stored as queued, put back or never started; they run after the next start. */
  readonly requeued: number;
}

/** Job runner of a process that has its store to itself. With a shared store, protected methods are overridden. */
export class JobRunner {
  protected readonly store: JobStore;
  protected readonly handlers: JobRunnerOptions['handlers'];
  protected readonly now: () => number;
  protected readonly counts = new InFlightCounts();
  protected readonly watches = new JobWatches();
  /** Jobs that this process holds. */
  protected readonly active = new Map<JobId, ActiveJob>();
  readonly #context: ActiveJobContext;
  readonly #refusal: () => Error | undefined;
  readonly #maxSuspicion: number;
  #shutdown: Promise<ShutdownCounts> | undefined;

  constructor(options: JobRunnerOptions) {
    const { store, handlers, now, onUnexpectedError } = options;
    this.store = store;
    this.now = now;
    this.handlers = handlers;
    this.#refusal = options.refusal ?? (() => undefined);
    this.#maxSuspicion = options.maxSuspicion ?? DEFAULT_MAX_SUSPICION;
    this.#context = {
      store,
      now,
      onUnexpectedError,
      onReleased: (active) => {
        if (this.active.delete(active.record.id)) this.released(active);
      },
      onChanged: (active) => this.changed(active),
      isWatched: (id) => this.isWatched(id),
      isTaken: (stored, held) => this.isTaken(stored, held),
      hasSuspects: () => this.counts.numSuspects > 0,
    };
  }

  /**
   * Stores a job and starts its handler in the background.
   *
   * @returns The stored record. If a shutdown began meanwhile, the job waits for the next start.
   * @throws {RunnerClosedError} once a shutdown has begun.
   * @throws the refusal, while there is one.
   * @throws {NoHandlerError} if no handler runs its kind.
   * @throws {DuplicateJobError} if its id is taken.
   */
  async submit(newJob: NewJob): Promise<Job> {
    return await this.#accept(newJob).create();
  }

  /**
   * Runs a job for a caller that waits for its outcome, or for its record after `timeoutMs`. A short job is
   * stored once, with its outcome, instead of at every step: until the caller is answered, a crash can break
   * no promise. A longer job is stored soon after its submission.
   *
   * @param timeoutMs - No time limit if undefined.
   * @returns The stored record; `queued` also if a shutdown put the job back.
   * @throws as `submit`, and the store's error if the job or its outcome could not be written.
   */
  async run(newJob: NewJob, timeoutMs?: number): Promise<Job> {
    return await this.#accept(newJob).run(timeoutMs);
  }

  /** Holds a new job before it is stored: a shutdown and callers that ask for it by id wait for the write. */
  #accept(newJob: NewJob): ActiveJob {
    const record = this.accepted(newJob);
    this.counts.enter(record);
    return this.hold(record, NEW);
  }

  /** Record of a new job, unless it is refused; see `submit`. */
  protected accepted(newJob: NewJob): Job {
    if (this.#shutdown !== undefined) throw new RunnerClosedError();
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    if (this.handlers[newJob.kind] === undefined) throw new NoHandlerError(newJob.kind);
    if (this.active.has(newJob.id)) throw new DuplicateJobError(newJob.id);
    return { ...newJob, status: 'queued', attempts: 0 };
  }

  /** Makes this process the holder of a job, whose kind has a handler. */
  protected hold(record: Job, arrival: Arrival): ActiveJob {
    const handler = this.handlers[record.kind];
    if (handler === undefined) throw new Error(`unreachable: a held job of kind ${record.kind}`);
    const active = new ActiveJob(record, handler, arrival, this.#context);
    this.active.set(record.id, active);
    return active;
  }

  /** Job that waits for this one and is one unit of work with it, if any. */
  parentOf(job: Job): JobId | undefined {
    return this.handlers[job.kind]?.parentOf?.(job);
  }

  /** Called when this process no longer holds a job. */
  protected released({ record }: ActiveJob): void {
    this.counts.leave(record);
  }

  /** Called when a held job or its progress changed. */
  protected changed(active: ActiveJob): void {
    this.watches.tell(active.record.id, () => stateOfActive(active));
  }

  /** Called when a job was cancelled in the store, because it is not held here. */
  protected cancelled(job: Job): void {
    this.watches.tell(job.id, () => stateOf(job));
  }

  /** True if changes of a job are shown to somebody as they happen. */
  protected isWatched(id: JobId): boolean {
    return this.watches.has(id);
  }

  /** True if another process holds a stored job now that this one held. */
  protected isTaken(_stored: Job, _held: Job): boolean {
    return false;
  }

  /** State of a job that is not held here, for a new watch. */
  protected stateOfStored(record: Job): JobState {
    return stateOf(record, this.progress(record.id));
  }

  /** True if this process holds a job: it runs, or waits for an executor. */
  isHeld(id: JobId): boolean {
    return this.active.has(id);
  }

  /** True once a shutdown has begun; then no job is accepted. */
  get isShuttingDown(): boolean {
    return this.#shutdown !== undefined;
  }

  /** Returns the stored job; a job that has begun is stored first. */
  async get(id: JobId): Promise<Job | undefined> {
    await this.active.get(id)?.store();
    return this.store.get(id);
  }

  /** Reads a page of the stored parts of a job's result, as `JobStore.parts` does. */
  parts(id: JobId, after?: JobPartPlace): Promise<readonly JobPart[]> {
    return this.store.parts(id, after);
  }

  /** Lists stored jobs; jobs that have begun are stored first. */
  async list(query: JobQuery): Promise<JobList> {
    const isAskedFor = ({ record }: ActiveJob) =>
      query.keyId === undefined || record.keyId === query.keyId;
    const active = [...this.active.values()].filter(isAskedFor);
    await Promise.all(active.map((job) => job.store()));
    return this.store.list(query);
  }

  /**
   * Waits until the job is final. Returns its present record if the time is up, a shutdown put it back, or
   * this process does not run it.
   *
   * @param timeoutMs - No time limit if undefined.
   * @param signal - Ends the wait, not the job.
   * @throws {JobNotFoundError} if there is no such job.
   * @throws the store's error, if the job's outcome could not be written; the signal's reason.
   */
  async waitFor(id: JobId, timeoutMs?: number, signal?: AbortSignal): Promise<Job> {
    signal?.throwIfAborted();
    return await (this.active.get(id)?.wait(timeoutMs, signal) ?? this.#stored(id));
  }

  /**
   * Watches a job: its present state, and every change of its stored record or progress. An unstored job is
   * stored first, as by `get`.
   *
   * @returns Undefined if there is no such job; otherwise the caller disposes of the watch.
   */
  watch(id: JobId): Promise<JobWatch | undefined> {
    return this.watches.open(id, async () => {
      await this.active.get(id)?.store();
      // The store may already show a change that watches receive only once it is durable. A watch opened
      // with that state would then receive an older one.
      const active = this.active.get(id);
      if (active !== undefined) return stateOfActive(active);
      const record = await this.store.get(id);
      return record && this.stateOfStored(record);
    });
  }

  /** Number of watched jobs. */
  get numWatched(): number {
    return this.watches.size;
  }

  /**
   * Cancels a queued or running job and stops its work; a final job does not change.
   *
   * @returns The record: `cancelled`, unless another outcome came first.
   * @throws {JobNotFoundError} if there is no such job.
   */
  async cancel(id: JobId): Promise<Job> {
    return (await this.active.get(id)?.cancel()) ?? (await this.#cancelStored(id));
  }

  /** True if jobs have not begun. */
  get hasWaiting(): boolean {
    return [...this.active.values()].some(({ hasBegun }) => !hasBegun);
  }

  /** Cancels jobs that have not begun. */
  async cancelWaiting(isChosen: (job: Job) => boolean): Promise<void> {
    const chosen = [...this.active.values()].filter(
      ({ record, hasBegun }) => !hasBegun && isChosen(record),
    );
    await Promise.all(chosen.map(({ record }) => this.cancel(record.id)));
  }

  /**
   * Deletes a final job and its result.
   *
   * @throws {JobNotFoundError} if there is no such job, or it is not final.
   */
  async remove(id: JobId): Promise<void> {
    if (!(await this.store.remove(id))) throw new JobNotFoundError(id);
  }

  /**
   * Number of jobs that start before this queued one; 0 if it was handed over to its executor. A job that was
   * put back or left by an earlier process comes after all waiting jobs of its kind.
   */
  queuePosition(id: JobId): number {
    const own = this.active.get(id);
    if (own !== undefined) return own.handler.queuePosition(id) ?? 0;
    const isAhead = ({ record, hasBegun }: ActiveJob) => !hasBegun && isJobId(id, record.kind);
    return [...this.active.values()].filter(isAhead).length;
  }

  /** Expected start of a queued job, milliseconds since 1970 UTC; undefined if unknown. */
  expectedStart(id: JobId): number | undefined {
    const expected = this.active.get(id)?.handler.expectedStart?.(id);
    // An overdue job may start at any moment, but not before now.
    return expected === undefined ? undefined : Math.max(expected, this.now());
  }

  /**
   * Number of jobs of a kind and key that wait or run in this process, from submission or recovery until they
   * are final or put back.
   */
  inFlight(kind: JobKind, keyId: string): number {
    return this.counts.of(kind, keyId);
  }

  /** Total length of the requests of a kind that this process holds, characters. */
  inFlightCharacters(kind: JobKind): number {
    return this.counts.charactersOf(kind);
  }

  /** Yields every job that this process holds, and whether its work has begun. */
  *inHand(): Iterable<{ readonly job: Job; readonly hasBegun: boolean }> {
    for (const { record, hasBegun } of this.active.values()) yield { job: record, hasBegun };
  }

  /** Fraction done of a running job, in [0, 1]; undefined if it is not known here. */
  progress(id: JobId): number | undefined {
    return this.active.get(id)?.progress;
  }

  /**
   * Recovers the jobs of an earlier process: queued jobs run, running ones run again, oldest first within a
   * kind. A job that may have crashed processes fails with JOBS_INTERRUPTED, an unreadable one with
   * JOBS_DAMAGED.
   *
   * @returns The numbers of jobs that will run again and that failed.
   */
  async recover(): Promise<{ requeued: number; failed: number }> {
    const totals = { requeued: 0, failed: await this.store.failDamaged(this.now()) };
    const runs = (kind: JobKind) => this.handlers[kind] !== undefined;
    const isOurs = (id: JobId) => this.active.has(id);
    const { now } = this;
    const interrupted = await requeueInterrupted({
      store: this.store,
      parentOf: (job) => this.parentOf(job),
      isOurs,
      maxSuspicion: this.#maxSuspicion,
      now,
    });
    for (const job of interrupted.filter(({ status }) => status === 'failed')) {
      this.watches.tell(job.id, () => stateOf(job));
      totals.failed += 1;
    }
    for await (const job of leftoverJobs(this.store, runs, isOurs, now)) {
      this.watches.tell(job.id, () => stateOf(job));
      if (job.status !== 'queued') {
        totals.failed += 1;
        continue;
      }
      totals.requeued += 1;
      if (this.#shutdown !== undefined) continue;
      this.counts.enter(job);
      this.hold(job, LEFT).start();
    }
    return totals;
  }

  /**
   * Shuts down: no further job starts; running jobs get `graceMs` to finish, and are then put back into the
   * queue and aborted, without counting the attempt. Every waiter is answered. Jobs stored as queued run
   * after the next start.
   *
   * @returns The numbers of jobs that ended meanwhile and that run after the next start.
   */
  shutdown(graceMs: number): Promise<ShutdownCounts> {
    this.#shutdown ??= this.#stop(graceMs);
    return this.#shutdown;
  }

  async #stop(graceMs: number): Promise<ShutdownCounts> {
    const jobs = [...this.active.values()];
    const running = jobs.filter((active) => active.hasBegun);
    const waiting = jobs.filter((active) => !active.hasBegun);
    const finishing = Promise.allSettled(running.map((active) => active.wait()));
    const leftQueued = await Promise.all(waiting.map((active) => active.putBack()));

    // Not unref'ed: the process must live until the jobs are put back.
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([finishing, timeUp]);
    clearTimeout(timer);

    const putBack = await Promise.all(running.map((active) => active.putBack()));
    return {
      finished: jobs.filter((active) => isFinal(active.record.status)).length,
      requeued: [...leftQueued, ...putBack].filter((isQueued) => isQueued).length,
    };
  }

  async #stored(id: JobId): Promise<Job> {
    const job = await this.store.get(id);
    if (job === undefined) throw new JobNotFoundError(id);
    return job;
  }

  /** Cancels a job that this process does not run: one left by a crash, or put back. */
  async #cancelStored(id: JobId): Promise<Job> {
    for (;;) {
      const job = await this.#stored(id);
      if (isFinal(job.status)) return job;
      try {
        const finishedAt = this.now();
        const result = await this.handlers[job.kind]?.resultSoFar?.(job);
        const end = { finishedAt, ...(result !== undefined && { result }) };
        const cancelled = await this.store.transition(id, job.status, 'cancelled', end);
        this.cancelled(cancelled);
        return cancelled;
      } catch (error) {
        // The job moved between the two steps, so read it again.
        if (!(error instanceof JobTransitionError)) throw error;
      }
    }
  }
}

function stateOfActive({ record, progress, message }: ActiveJob): JobState {
  return stateOf(record, progress, message);
}

type CountedJob = Pick<Job, 'kind' | 'keyId' | 'request' | 'suspicion'>;

/** Counts of this process's jobs by kind and key; counts of zero take no memory. */
class InFlightCounts {
  readonly #counts = new Map<string, number>();
  readonly #characters = new Map<JobKind, number>();
  #numSuspects = 0;

  /** Number of jobs suspected of crashing a process. */
  get numSuspects(): number {
    return this.#numSuspects;
  }

  enter({ kind, keyId, request, suspicion }: CountedJob): void {
    if (suspicion !== undefined) this.#numSuspects += 1;
    const name = nameOf(kind, keyId);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#characters.set(kind, this.charactersOf(kind) + request.length);
  }

  leave({ kind, keyId, request, suspicion }: CountedJob): void {
    if (suspicion !== undefined) this.#numSuspects -= 1;
    const name = nameOf(kind, keyId);
    const left = (this.#counts.get(name) ?? 0) - 1;
    if (left > 0) this.#counts.set(name, left);
    else this.#counts.delete(name);
    this.#characters.set(kind, this.charactersOf(kind) - request.length);
  }

  of(kind: JobKind, keyId: string): number {
    return this.#counts.get(nameOf(kind, keyId)) ?? 0;
  }

  /** Total length of the requests of a kind over all keys, characters. */
  charactersOf(kind: JobKind): number {
    return this.#characters.get(kind) ?? 0;
  }
}

/** Kinds contain no space. */
function nameOf(kind: JobKind, keyId: string): string {
  return `${kind} ${keyId}`;
}
