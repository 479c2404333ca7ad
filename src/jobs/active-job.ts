/**
 * A job held by this process, from its submission or recovery until it is final or put back.
 *
 * Starting, finishing, cancelling and shutting down race with each other. Each is a step; steps run one at a
 * time, and each sees the record that the previous one left. To cancel or put back a job, the record is
 * written first and the work aborted second. Once the job is released, later steps do nothing: a late answer
 * of the handler is dropped, the job has exactly one outcome, and waiters see the stored one. The store's
 * compare-and-set decides against other processes: a status that another process wrote is adopted.
 *
 * A job whose caller waits for the outcome starts before it is stored. Until then its record exists only
 * here, and its steps change nothing else.
 */
import { CodedError } from '../errors/coded-error.ts';
import { StorageUnwritableError } from '../storage/errors.ts';
import {
  JobCancelledError,
  JobLostError,
  JobNotFoundError,
  JobTransitionError,
  RunnerClosedError,
} from './errors.ts';
import {
  isFinal,
  type Job,
  type JobError,
  type JobId,
  type JobPart,
  type JobPatch,
  type JobStatus,
  movedJob,
} from './job.ts';
import type { JobHandler, JobHooks } from './job-handler.ts';
import type { JobStore } from './job-store.ts';
import { Settlement } from './settlement.ts';

/** Context that all jobs of a runner share. */
export interface ActiveJobContext {
  readonly store: JobStore;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly onUnexpectedError: (error: unknown, job: Job) => void;
  /** Called when the process no longer holds the job. */
  readonly onReleased: (job: ActiveJob) => void;
  /** True if changes of a job are shown to somebody as they happen. */
  readonly isWatched: (id: JobId) => boolean;
  /** True if another process holds a stored job now that this one held; never if it has the store to itself. */
  readonly isTaken: (stored: Job, held: Job) => boolean;
  /** True while the process holds a job that may crash it. */
  readonly hasSuspects: () => boolean;
  /** Called when the stored record, the progress or the message changed. */
  readonly onChanged: (job: ActiveJob) => void;
}

/** Facts on a job that a process begins to hold. */
export interface Arrival {
  /** True if the job is in the store. */
  readonly isStored: boolean;
  /** True if the job was accepted before, so that a full queue accepts it too. */
  readonly readmitted: boolean;
  /** True if the start of the work may be stored later, or with the outcome: recovery does not need to know it. */
  readonly mayBeginUnmarked: boolean;
}

type Outcome = ({ readonly result: string } | { readonly error: unknown }) & {
  /** Milliseconds since 1970 UTC. */
  readonly finishedAt: number;
};

const INTERNAL_ERROR: JobError = {
  code: 'INTERNAL_ERROR',
  message: 'The job failed because of an unexpected error in the service.',
};

/**
 * A job that takes longer than this is stored while it runs; a shorter one costs a single write. The time is
 * long compared with a short circuit in a busy, queueing service, where extra writes would come at the worst
 * moment.
 */
const STORE_AFTER_MS = 250;

/** First delay before an outcome that could not be written is written again; it doubles each time. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 15_000;

/** Job that this process runs. */
export class ActiveJob {
  readonly handler: JobHandler;
  /** Start of being held, on the monotonic clock, milliseconds. */
  readonly heldSince = performance.now();
  readonly #context: ActiveJobContext;
  readonly #arrival: Arrival;
  readonly #controller = new AbortController();
  readonly #settlement = new Settlement();
  #record: Job;
  #isStored: boolean;
  /** True if others may know of the job: it was stored before it was final. */
  #isKnown: boolean;
  #storeTimer: NodeJS.Timeout | undefined;
  /** Outcome of the work that could not be written yet. */
  #unwritten: Outcome | undefined;
  #lastStep: Promise<unknown> = Promise.resolve();
  #isWorking = false;
  #hasBegun = false;
  /** Start of the work that is stored later, or with the outcome. */
  #begunAt: number | undefined;
  /** Stores that start; present while it is not stored. */
  #unmarked: (() => Promise<void>) | undefined;
  #isLeaving = false;
  #progress = 0;
  #message: string | undefined;
  /** Parts that are not stored yet. */
  #parts: JobPart[] = [];
  /** Settles when the writes of parts have ended. */
  #partsWritten: Promise<unknown> = Promise.resolve();

  constructor(record: Job, handler: JobHandler, arrival: Arrival, context: ActiveJobContext) {
    this.#record = record;
    this.handler = handler;
    this.#arrival = arrival;
    this.#isStored = arrival.isStored;
    this.#isKnown = arrival.isStored;
    this.#context = context;
  }

  /** Record as last written to the store, or as it will be written if the job is not stored yet. */
  get record(): Job {
    return this.#record;
  }

  /** True once the handler reported that the work began; the store is updated one step later. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** True from the start of the work until it has ended, which may be after the release. */
  get isWorking(): boolean {
    return this.#isWorking;
  }

  /** True once the job is in the store. A released job that is not was dropped. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** True if other processes may know of the job, because it was stored before it was final. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Fraction done in [0, 1]; undefined before the work has begun. */
  get progress(): number | undefined {
    return this.#hasBegun ? this.#progress : undefined;
  }

  /** Last progress message of the work. */
  get message(): string | undefined {
    return this.#message;
  }

  /** Waits for the record: the final one, or the present one after `timeoutMs`; see JobRunner.waitFor. */
  wait(timeoutMs?: number, signal?: AbortSignal): Promise<Job> {
    return this.#settlement.wait(() => this.#record, timeoutMs, signal);
  }

  /** Stores the job and starts its work. Resolves once the job is stored. */
  create(): Promise<Job> {
    return this.#inTurn(async () => {
      const created = await this.#storeNow();
      this.start();
      return created;
    });
  }

  /**
   * Starts the job's work, and stores the job with its outcome or, if the work takes long, in its present
   * state. Beside a suspect it is stored first, so that the jobs that ran together are known if the process
   * dies.
   *
   * @returns The stored record: the final one, or the present one after `timeoutMs`.
   */
  async run(timeoutMs?: number): Promise<Job> {
    const end = this.wait(timeoutMs);
    if (this.#context.hasSuspects()) {
      // Waiters receive the error.
      this.create().catch(() => {});
    } else {
      this.start();
      this.#storeTimer = setTimeout(() => void this.store(), STORE_AFTER_MS);
    }
    const record = await end;
    return this.#isStored ? record : this.#inTurn(() => this.#storeNow());
  }

  /** Stores the job in its present state unless it is stored so. Its submitter receives an error. */
  async store(): Promise<void> {
    if (this.#isStored) await this.#unmarked?.();
    else await this.#inTurn(() => this.#storeNow()).catch(() => {});
  }

  /** Starts the work in the background, unless the job is about to be put back. */
  start(): void {
    if (!this.#isLeaving) void this.#drive();
  }

  /** Cancels the job and stops its work; undefined if the process no longer holds it. */
  cancel(): Promise<Job | undefined> {
    return this.#inTurn(async () => {
      if (this.#settlement.isSettled) return undefined;
      try {
        const soFar = await this.#resultSoFar();
        await this.#move('cancelled', { finishedAt: this.#context.now(), ...soFar });
      } catch (error) {
        if (!(error instanceof JobLostError)) throw error;
        this.#release(error);
        return undefined;
      }
      this.#release();
      this.#controller.abort(new JobCancelledError(this.#record.id));
      return this.#record;
    });
  }

  /** Looks whether another process has ended or deleted the job, or holds it now. The work is stopped then. */
  recheck(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#settlement.isSettled || !this.#isStored) return;
      const { id } = this.#record;
      const stored = await this.#context.store.get(id);
      if (this.#settlement.isSettled) return;
      if (stored === undefined) {
        // Only final jobs are deleted.
        this.#controller.abort(new JobCancelledError(id));
        this.#release(new JobNotFoundError(id));
      } else if (isFinal(stored.status)) {
        this.#record = stored;
        this.#tellChange();
        this.#release();
        this.#controller.abort(new JobCancelledError(stored.id));
      } else if (this.#context.isTaken(stored, this.#record)) {
        this.#release(new JobLostError(stored.id));
      }
    });
  }

  /** Leaves the job to another process and stops its work. Its waiters receive JobLostError. */
  lose(): void {
    if (!this.#settlement.isSettled) this.#release(new JobLostError(this.#record.id));
  }

  /** Replaces the record of a job that is not stored yet. */
  replace(record: Job): void {
    this.#record = record;
  }

  /**
   * Leaves the job to the next process without counting the attempt, and stops its work.
   *
   * @returns True if it is stored as queued.
   */
  putBack(): Promise<boolean> {
    this.#isLeaving = true;
    return this.#inTurn(async () => {
      if (this.#unwritten !== undefined) await this.#finish(this.#unwritten);
      if (this.#settlement.isSettled) return false;
      try {
        if (this.#record.status === 'running') {
          await this.#move('queued', { attempts: this.#record.attempts - 1 });
        }
        if (!this.#isStored) await this.#create(this.#record);
        this.#release();
      } catch (error) {
        this.#giveUp(error);
      }
      this.#controller.abort(new RunnerClosedError());
      return this.#isStored && this.#record.status === 'queued';
    });
  }

  /** Runs `step` once all earlier steps have ended, with or without success. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#lastStep.then(step);
    this.#lastStep = turn.catch(() => {});
    return turn;
  }

  async #drive(): Promise<void> {
    this.#isWorking = true;
    const hooks: JobHooks = {
      readmitted: this.#arrival.readmitted,
      started: () => this.#begin(),
      progress: (fraction, message) => {
        if (fraction > this.#progress) this.#progress = Math.min(fraction, 1);
        if (message !== undefined) this.#message = message;
        this.#tellChange();
      },
      startedOver: () => {
        this.#progress = 0;
        this.#tellChange();
      },
      saveParts: (parts) => {
        this.#partsWritten = Promise.all([this.#partsWritten, this.#saveParts(parts)]);
      },
      storeParts: async (parts) => {
        const { id } = await this.#inTurn(() => this.#storeNow());
        const areStored = await this.#context.store.addParts(id, parts, this.#record);
        if (!areStored && !this.#settlement.isSettled) throw new JobLostError(id);
      },
      savedParts: async () => {
        return this.#isStored ? this.#context.store.partPlaces(this.#record.id) : [];
      },
    };
    let outcome: Outcome;
    try {
      const result = await this.handler.run(this.#record, hooks, this.#controller.signal);
      outcome = { result, finishedAt: this.#context.now() };
    } catch (error) {
      outcome = { error, finishedAt: this.#context.now() };
    }
    this.#isWorking = false;
    await this.#inTurn(() => this.#finish(outcome));
  }

  #begin(): void {
    if (this.#hasBegun || this.#settlement.isSettled) return;
    this.#hasBegun = true;
    const startedAt = this.#context.now();
    const mark = () => this.#inTurn(() => this.#markBegun(startedAt));
    const { mayBeginUnmarked } = this.#arrival;
    if (!this.#isStored || !mayBeginUnmarked || this.#context.isWatched(this.#record.id)) {
      void mark();
      return;
    }
    // The job may be over before anybody asks: its start is then stored with its outcome.
    this.#begunAt = startedAt;
    this.#unmarked = mark;
    this.#storeTimer = setTimeout(() => void mark(), STORE_AFTER_MS);
  }

  /** Stores that the work began. */
  async #markBegun(startedAt: number): Promise<void> {
    this.#unmarked = undefined;
    if (this.#settlement.isSettled || this.#record.status !== 'queued') return;
    try {
      await this.#markRunning(startedAt);
    } catch (error) {
      if (error instanceof JobLostError) return this.#release(error);
      // The work continues: its outcome is another chance to write that it began.
      this.#context.onUnexpectedError(error, this.#record);
    }
    if (!isFinal(this.#record.status)) return;
    // Another process cancelled the job.
    this.#release();
    this.#controller.abort(new JobCancelledError(this.#record.id));
  }

  /** Stores parts now, or with the job. Those that cannot be written are written with the outcome. */
  async #saveParts(parts: readonly JobPart[]): Promise<void> {
    if (this.#settlement.isSettled) return;
    if (!this.#isStored) {
      this.#parts.push(...parts);
      return;
    }
    try {
      await this.#context.store.addParts(this.#record.id, parts, this.#record);
    } catch {
      this.#parts.push(...parts);
    }
  }

  async #finish(outcome: Outcome, retryMs = FIRST_RETRY_MS): Promise<void> {
    if (this.#settlement.isSettled) return;
    const { finishedAt } = outcome;
    let unexpected: unknown;
    try {
      if ('result' in outcome) {
        await this.#partsWritten;
        const { result } = outcome;
        const end = { finishedAt, result, parts: this.#parts };
        if (this.#begunAt !== undefined && this.#record.status === 'queued') {
          const attempts = this.#record.attempts + 1;
          await this.#move('completed', { ...end, startedAt: this.#begunAt, attempts });
        } else {
          if (this.#record.status === 'queued') await this.#markRunning(finishedAt);
          await this.#move('completed', end);
        }
      } else {
        if (!(outcome.error instanceof CodedError)) unexpected = outcome.error;
        const soFar = await this.#resultSoFar();
        await this.#move('failed', { finishedAt, error: failureOf(outcome.error), ...soFar });
      }
    } catch (error) {
      if (error instanceof StorageUnwritableError) {
        // An unstored job was promised to nobody, and one that is being put back runs again.
        if (!this.#isStored || this.#isLeaving) this.#giveUp(error);
        else this.#finishLater(outcome, retryMs, error);
        return;
      }
      if (error instanceof JobLostError) return this.#release(error);
      unexpected = error;
      try {
        // The failure is short and may fit where a large result did not.
        await this.#move('failed', { finishedAt, error: INTERNAL_ERROR });
      } catch {
        return this.#giveUp(error);
      }
    }
    this.#release();
    if (unexpected !== undefined) this.#context.onUnexpectedError(unexpected, this.#record);
  }

  async #resultSoFar(): Promise<Pick<JobPatch, 'result'>> {
    if (!this.#hasBegun) return {};
    await this.#partsWritten;
    const result = await this.handler.resultSoFar?.(this.#record);
    return result === undefined ? {} : { result };
  }

  /** Keeps the outcome until it can be written. Waiters continue to wait. */
  #finishLater(outcome: Outcome, retryMs: number, error: StorageUnwritableError): void {
    if (this.#unwritten === undefined) this.#context.onUnexpectedError(error, this.#record);
    this.#unwritten = outcome;
    const nextMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
    const retry = () => void this.#inTurn(() => this.#finish(outcome, nextMs));
    this.#storeTimer = setTimeout(retry, retryMs);
  }

  /** Gives up writing. The record does not change until a restart recovers the job. */
  #giveUp(error: unknown): void {
    this.#release(error);
    if (error instanceof JobLostError) return;
    this.#context.onUnexpectedError(error, this.#record);
  }

  /** @param error - Reason why the job could not be written. Waiters receive it, and the work is stopped. */
  #release(error?: unknown): void {
    clearTimeout(this.#storeTimer);
    this.#context.onReleased(this);
    if (error === undefined) this.#settlement.resolve(this.#record);
    else {
      this.#settlement.reject(error);
      this.#controller.abort(error);
    }
  }

  #markRunning(startedAt: number): Promise<void> {
    return this.#move('running', { startedAt, attempts: this.#record.attempts + 1 });
  }

  /** Stores the job in its present state unless it is stored. A job that cannot be stored is dropped. */
  async #storeNow(): Promise<Job> {
    if (this.#isStored) return this.#record;
    // The signal of an unstored job is aborted only if the job was dropped.
    this.#controller.signal.throwIfAborted();
    try {
      await this.#create(this.#record);
    } catch (error) {
      this.#release(error);
      throw error;
    }
    return this.#record;
  }

  async #create(record: Job): Promise<void> {
    const parts = this.#parts;
    this.#parts = [];
    try {
      this.#record = await this.#context.store.create(record, parts);
    } catch (error) {
      this.#parts.unshift(...parts);
      throw error;
    }
    this.#isStored = true;
    this.#isKnown = !isFinal(this.#record.status);
    this.#tellChange();
  }

  /** Reports a change. A watched job is stored; reports of a handler about a released job are ignored. */
  #tellChange(): void {
    if (!this.#settlement.isSettled) this.#context.onChanged(this);
  }

  /** Moves the job to another status. If another process has ended the job, adopts the record it wrote. */
  async #move(to: JobStatus, patch: JobPatch): Promise<void> {
    const { store } = this.#context;
    const { id, status } = this.#record;
    if (!this.#isStored) {
      const moved = movedJob(this.#record, to, patch);
      if (isFinal(to)) await this.#create(moved);
      else this.#record = moved;
      return;
    }
    try {
      this.#record = await store.transition(id, status, to, patch, this.#record);
    } catch (error) {
      const stored = error instanceof JobTransitionError ? await store.get(id) : undefined;
      if (stored === undefined) throw error;
      if (!isFinal(stored.status))
        throw this.#context.isTaken(stored, this.#record) ? new JobLostError(id) : error;
      this.#record = stored;
    }
    this.#tellChange();
  }
}

/** Error for a job's record; details of unexpected errors are hidden. */
function failureOf(error: unknown): JobError {
  return error instanceof CodedError
    ? { code: error.code, message: error.message }
    : INTERNAL_ERROR;
}
