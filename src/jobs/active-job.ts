/**
 * A job in the hands of this process, from its submission or recovery until it is final or put back.
 *
 * All races between starting, finishing, cancelling and shutting down are decided by order: each is a
 * step, steps come one at a time, and each sees the record that the one before it left. To cancel or
 * put back a job its record is written first and the work aborted second. Once the job is released,
 * later steps do nothing, so what the handler still answers is dropped, the job has exactly one
 * outcome, and waiters see the one that is stored. The store's compare-and-set has the last word: a
 * status that another process wrote is taken over.
 *
 * A job whose caller waits for the outcome begins before it is stored. Until it is, its record is
 * here alone, and its steps change nothing else.
 */
import { CodedError } from '../errors/coded-error.ts';
import { StorageUnwritableError } from '../storage/errors.ts';
import { JobCancelledError, JobTransitionError, RunnerClosedError } from './errors.ts';
import {
  isFinal,
  type Job,
  type JobError,
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
  /** The job left the hands of this process. */
  readonly onReleased: (job: Job) => void;
  /** Whether a job is in hand that may bring this process down. */
  readonly hasSuspects: () => boolean;
  /** The stored record, the progress or the message changed. */
  readonly onChanged: (job: ActiveJob) => void;
}

/** A job that is not stored yet, or one that an earlier process left. */
export type JobOrigin = 'new' | 'recovered';

type Outcome = ({ readonly result: string } | { readonly error: unknown }) & {
  /** Milliseconds since 1970 UTC. */
  readonly finishedAt: number;
};

const INTERNAL_ERROR: JobError = {
  code: 'INTERNAL_ERROR',
  message: 'The job failed because of an unexpected error in the service.',
};

/**
 * A job that lasts longer than this is stored while it runs; what is shorter costs one write. It is
 * long against a short circuit's way through a busy service, also where many wait: a write more for
 * each would come when there is the least time for it.
 */
const STORE_AFTER_MS = 250;

/** An outcome that cannot be written is tried again after this time, then after twice as long each time. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 15_000;

/** A job that this process runs. */
export class ActiveJob {
  readonly handler: JobHandler;
  readonly #context: ActiveJobContext;
  readonly #readmitted: boolean;
  readonly #controller = new AbortController();
  readonly #settlement = new Settlement();
  #record: Job;
  #isStored: boolean;
  #storeTimer: NodeJS.Timeout | undefined;
  /** Outcome of the work, kept while the store cannot be written. */
  #unwritten: Outcome | undefined;
  #lastStep: Promise<unknown> = Promise.resolve();
  #hasBegun = false;
  #isLeaving = false;
  #progress = 0;
  #message: string | undefined;

  constructor(record: Job, handler: JobHandler, origin: JobOrigin, context: ActiveJobContext) {
    this.#record = record;
    this.handler = handler;
    this.#readmitted = origin === 'recovered';
    this.#isStored = origin === 'recovered';
    this.#context = context;
  }

  /** As last written to the store, or, until the job is stored, as it is to be written. */
  get record(): Job {
    return this.#record;
  }

  /** The handler said that the work has begun; the store learns of it a step later. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Fraction done in [0, 1]; undefined before the work has begun. */
  get progress(): number | undefined {
    return this.#hasBegun ? this.#progress : undefined;
  }

  /** Last progress message of the work. */
  get message(): string | undefined {
    return this.#message;
  }

  /** The record once released, or as it stands after `timeoutMs`; see JobRunner.waitFor. */
  wait(timeoutMs?: number, signal?: AbortSignal): Promise<Job> {
    return this.#settlement.wait(() => this.#record, timeoutMs, signal);
  }

  /** Stores the job and starts its work; resolves once it is stored. */
  create(): Promise<Job> {
    return this.#inTurn(async () => {
      const created = await this.#storeNow();
      this.start();
      return created;
    });
  }

  /**
   * Starts the job's work and stores the job with its outcome, or as it stands when the work takes
   * long. Beside a suspect it is stored first: what ran together is to be known if the process dies.
   *
   * @returns The record once released, or as it stands after `timeoutMs`; stored either way.
   */
  async run(timeoutMs?: number): Promise<Job> {
    const end = this.wait(timeoutMs);
    if (this.#context.hasSuspects()) {
      // Who waits hears of an error.
      this.create().catch(() => {});
    } else {
      this.start();
      this.#storeTimer = setTimeout(() => void this.store(), STORE_AFTER_MS);
    }
    const record = await end;
    return this.#isStored ? record : this.#inTurn(() => this.#storeNow());
  }

  /** Stores the job as it stands, unless it is stored. Its submitter hears of an error. */
  async store(): Promise<void> {
    if (this.#isStored) return;
    await this.#inTurn(() => this.#storeNow()).catch(() => {});
  }

  /** Has the handler do the work, in the background, unless the job is about to be put back. */
  start(): void {
    if (!this.#isLeaving) void this.#drive();
  }

  /** Cancels the job and stops its work; undefined if it had left the hands of this process. */
  cancel(): Promise<Job | undefined> {
    return this.#inTurn(async () => {
      if (this.#settlement.isSettled) return undefined;
      await this.#move('cancelled', { finishedAt: this.#context.now() });
      this.#release();
      this.#controller.abort(new JobCancelledError(this.#record.id));
      return this.#record;
    });
  }

  /**
   * Leaves the job to the next process, the attempt not counted, and stops its work.
   *
   * @returns Whether it is stored as queued.
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

  /** Runs `step` after all steps before it are over, whether they succeeded or not. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.#lastStep.then(step);
    this.#lastStep = turn.catch(() => {});
    return turn;
  }

  async #drive(): Promise<void> {
    const hooks: JobHooks = {
      readmitted: this.#readmitted,
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
    };
    let outcome: Outcome;
    try {
      const result = await this.handler.run(this.#record, hooks, this.#controller.signal);
      outcome = { result, finishedAt: this.#context.now() };
    } catch (error) {
      outcome = { error, finishedAt: this.#context.now() };
    }
    await this.#inTurn(() => this.#finish(outcome));
  }

  #begin(): void {
    if (this.#hasBegun || this.#settlement.isSettled) return;
    this.#hasBegun = true;
    const startedAt = this.#context.now();
    void this.#inTurn(async () => {
      if (this.#settlement.isSettled) return;
      try {
        await this.#markRunning(startedAt);
      } catch (error) {
        // The work goes on: its outcome is another chance to write that it began.
        this.#context.onUnexpectedError(error, this.#record);
      }
      if (!isFinal(this.#record.status)) return;
      // Another process cancelled it.
      this.#release();
      this.#controller.abort(new JobCancelledError(this.#record.id));
    });
  }

  async #finish(outcome: Outcome, retryMs = FIRST_RETRY_MS): Promise<void> {
    if (this.#settlement.isSettled) return;
    const { finishedAt } = outcome;
    let unexpected: unknown;
    try {
      if ('result' in outcome) {
        if (this.#record.status === 'queued') await this.#markRunning(finishedAt);
        await this.#move('completed', { finishedAt, result: outcome.result });
      } else {
        if (!(outcome.error instanceof CodedError)) unexpected = outcome.error;
        await this.#move('failed', { finishedAt, error: failureOf(outcome.error) });
      }
    } catch (error) {
      if (error instanceof StorageUnwritableError) {
        // A job that is not stored was promised to nobody, and one that is left runs again.
        if (!this.#isStored || this.#isLeaving) this.#giveUp(error);
        else this.#finishLater(outcome, retryMs, error);
        return;
      }
      unexpected = error;
      try {
        // A failure is short: it may fit where a large result did not.
        await this.#move('failed', { finishedAt, error: INTERNAL_ERROR });
      } catch {
        return this.#giveUp(error);
      }
    }
    this.#release();
    if (unexpected !== undefined) this.#context.onUnexpectedError(unexpected, this.#record);
  }

  /** Keeps the outcome until it can be written; who waits for it goes on waiting. */
  #finishLater(outcome: Outcome, retryMs: number, error: StorageUnwritableError): void {
    if (this.#unwritten === undefined) this.#context.onUnexpectedError(error, this.#record);
    this.#unwritten = outcome;
    const nextMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
    const retry = () => void this.#inTurn(() => this.#finish(outcome, nextMs));
    this.#storeTimer = setTimeout(retry, retryMs);
  }

  /** The store cannot be written: the record stays as it is until a restart recovers the job. */
  #giveUp(error: unknown): void {
    this.#release(error);
    this.#context.onUnexpectedError(error, this.#record);
  }

  /** @param error - Why the job could not be written: who waits is told so, and its work ends. */
  #release(error?: unknown): void {
    clearTimeout(this.#storeTimer);
    this.#context.onReleased(this.#record);
    if (error === undefined) this.#settlement.resolve(this.#record);
    else {
      this.#settlement.reject(error);
      this.#controller.abort(error);
    }
  }

  #markRunning(startedAt: number): Promise<void> {
    return this.#move('running', { startedAt, attempts: this.#record.attempts + 1 });
  }

  /** Stores the job as it stands, unless it is stored; one that cannot be stored is dropped. */
  async #storeNow(): Promise<Job> {
    if (this.#isStored) return this.#record;
    // What is not stored has a signal that aborted only where it was dropped.
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
    this.#record = await this.#context.store.create(record);
    this.#isStored = true;
    this.#tellChange();
  }

  /** Who watches has had the job stored. What a handler says of a job it no longer has is not told. */
  #tellChange(): void {
    if (!this.#settlement.isSettled) this.#context.onChanged(this);
  }

  /** Moves the job on; when somebody else has brought it to an end, takes over what they wrote. */
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
      this.#record = await store.transition(id, status, to, patch);
    } catch (error) {
      const stored = error instanceof JobTransitionError ? await store.get(id) : undefined;
      if (stored === undefined || !isFinal(stored.status)) throw error;
      this.#record = stored;
    }
    this.#tellChange();
  }
}

/** Error of a job's record; a bug shows no detail. */
function failureOf(error: unknown): JobError {
  return error instanceof CodedError
    ? { code: error.code, message: error.message }
    : INTERNAL_ERROR;
}
