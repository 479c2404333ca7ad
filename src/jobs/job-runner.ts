/**
 * Runs jobs: stores them, has the handler of their kind run them, answers waiters, and recovers jobs after a
 * crash. The steps of a single job are in active-job.ts.
 */
import { ActiveJob, type ActiveJobContext, type JobOrigin } from './active-job.ts';
import {
  DuplicateJobError,
  JobLostError,
  JobNotFoundError,
  JobTransitionError,
  NoHandlerError,
  RunnerClosedError,
} from './errors.ts';
import {
  isFinal,
  isJobId,
  type Job,
  type JobClaim,
  type JobId,
  type JobKind,
  type JobPart,
  type JobPartPlace,
  type JobQuery,
  type JobQueueing,
  type NewJob,
} from './job.ts';
import type { JobHandler, WaitingJob } from './job-handler.ts';
import type { JobSharing, QueuedJob } from './job-sharing.ts';
import type { JobStore } from './job-store.ts';
import { type JobState, type JobWatch, JobWatches, stateOf } from './job-watch.ts';
import { leftoverJobs, requeueInterrupted } from './recovery.ts';
import { RemoteJobs } from './remote-jobs.ts';

/** Default suspicion at which a job is given up: it ran alone in this many processes that died. */
const DEFAULT_MAX_SUSPICION = 10;

/** Time for which a node announces the progress of a job after it was asked to. */
const ANNOUNCE_MS = 30_000;

/** Options of a JobRunner. */
interface JobRunnerOptions {
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
  /** Present if the jobs are shared with the other nodes of a cluster. */
  readonly sharing?: JobSharing;
}

/** Counts of jobs at a shutdown. */
export interface ShutdownCounts {
  /** Jobs that became final during the shutdown. */
  readonly finished: number;
  /** Jobs stored as queued, put back or never started; they run after the next start. */
  readonly requeued: number;
}

export class JobRunner {
  readonly #store: JobStore;
  readonly #handlers: JobRunnerOptions['handlers'];
  readonly #context: ActiveJobContext;
  readonly #refusal: () => Error | undefined;
  readonly #maxSuspicion: number;
  readonly #active = new Map<JobId, ActiveJob>();
  readonly #inFlight = new InFlightCounts();
  readonly #watches = new JobWatches();
  readonly #sharing: JobSharing | undefined;
  /** Present in a cluster. */
  readonly #remote: RemoteJobs | undefined;
  /** Jobs whose progress other nodes want to know, and until when, on the monotonic clock. */
  readonly #announced = new Map<JobId, number>();
  /** Jobs of a cluster that were released while their work had not ended. */
  readonly #stopping = new Set<JobId>();
  #shutdown: Promise<ShutdownCounts> | undefined;

  constructor(options: JobRunnerOptions) {
    const { store, handlers, now, onUnexpectedError } = options;
    this.#store = store;
    this.#handlers = handlers;
    this.#refusal = options.refusal ?? (() => undefined);
    this.#maxSuspicion = options.maxSuspicion ?? DEFAULT_MAX_SUSPICION;
    this.#sharing = options.sharing;
    this.#remote =
      options.sharing &&
      new RemoteJobs({
        store,
        sharing: options.sharing,
        watches: this.#watches,
        isHeld: (id) => this.#active.has(id),
        onLeft: (job) => this.#inFlight.leave(job),
      });
    const onReleased = (active: ActiveJob) => this.#released(active);
    const onChanged = (active: ActiveJob) => {
      this.#watches.tell(active.record.id, () => stateOfActive(active));
      if (this.#announced.size > 0) this.#announce(active);
    };
    const hasSuspects = () => this.#inFlight.numSuspects > 0;
    const isWatched = (id: JobId) => this.#watches.has(id) || this.#announced.has(id);
    this.#context = {
      store,
      now,
      onUnexpectedError,
      onReleased,
      onStopped: (id) => this.#stopping.delete(id),
      onChanged,
      isWatched,
      hasSuspects,
    };
  }

  /**
   * Stores a job and starts its handler in the background.
   *
   * @param onQueued - Called if the job waits in the database of a cluster: what was kept here for its run is of no use.
   * @returns The stored record. If a shutdown began meanwhile, the job waits for the next start.
   * @throws {RunnerClosedError} once a shutdown has begun.
   * @throws the refusal, while there is one.
   * @throws {NoHandlerError} if no handler runs its kind.
   * @throws {DuplicateJobError} if its id is taken.
   */
  async submit(newJob: NewJob, onQueued?: () => void): Promise<Job> {
    const accepted = this.#accept(newJob);
    if (accepted instanceof ActiveJob) return accepted.create();
    onQueued?.();
    return this.#queue(accepted);
  }

  /**
   * Runs a job for a caller that waits for its outcome, or for its record after `timeoutMs`. A short job is
   * stored once, with its outcome, instead of at every step: until the caller is answered, a crash can break
   * no promise. A longer job is stored soon after its submission. In a cluster, a job that cannot start here at once
   * is stored first, and waits for a node.
   *
   * @param timeoutMs - No time limit if undefined.
   * @param onQueued - As for `submit`.
   * @returns The stored record; `queued` also if a shutdown put the job back.
   * @throws as `submit`, and the store's error if the job or its outcome could not be written.
   */
  async run(newJob: NewJob, timeoutMs?: number, onQueued?: () => void): Promise<Job> {
    const accepted = this.#accept(newJob);
    if (accepted instanceof ActiveJob) {
      const endsAt = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
      return await this.#orElsewhere(accepted.run(timeoutMs), newJob.id, endsAt);
    }
    onQueued?.();
    await this.#queue(accepted);
    return await this.waitFor(newJob.id, timeoutMs);
  }

  /** True if the work of a job is held here: it runs, or waits for an executor of this node. */
  isHeld(id: JobId): boolean {
    return this.#active.has(id);
  }

  /** True for an unfinished job that this node of a cluster took in, wherever it runs. */
  isOwn(id: JobId): boolean {
    return this.#remote?.has(id) ?? false;
  }

  /** Accepts a job: to be started here, or, in a cluster, to wait in the database. */
  #accept(newJob: NewJob): ActiveJob | Job {
    if (this.#shutdown !== undefined) throw new RunnerClosedError();
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    const handler = this.#handlers[newJob.kind];
    if (handler === undefined) throw new NoHandlerError(newJob.kind);
    if (this.#active.has(newJob.id)) throw new DuplicateJobError(newJob.id);

    // The job is known here before it is stored: a shutdown must wait for the write, and so must callers that
    // ask for the job by id.
    const record: Job = { ...newJob, status: 'queued', attempts: 0 };
    if (this.#sharing === undefined) return this.#adopt(record, handler, 'new');
    const queueing = queueingOf(handler, newJob);
    const claim = this.#sharing.claimNew(newJob, queueing);
    const shared = { ...record, queueing, origin: this.#sharing.node };
    this.#remote?.take(shared);
    this.#inFlight.enter(shared);
    if (claim === undefined) return shared;
    this.#sharing.charge(newJob, queueing);
    return this.#adopt({ ...shared, claim }, handler, 'new');
  }

  /** Stores a job that waits for a node. */
  async #queue(job: Job): Promise<Job> {
    try {
      const stored = await this.#store.create(job);
      if (job.queueing !== undefined) this.#sharing?.announceQueued(job.queueing.line);
      return stored;
    } catch (error) {
      this.#forget(job.id);
      throw error;
    }
  }

  /** Forgets a job of a cluster that was not stored. */
  #forget(id: JobId): void {
    const job = this.#remote?.drop(id);
    if (job !== undefined) this.#inFlight.leave(job);
  }

  /** Waits for a job that is held here, and if other nodes take it over, for its outcome there. */
  async #orElsewhere(
    waiting: Promise<Job>,
    id: JobId,
    endsAt?: number,
    signal?: AbortSignal,
  ): Promise<Job> {
    try {
      return await waiting;
    } catch (error) {
      if (!(error instanceof JobLostError)) throw error;
      return await this.waitFor(id, endsAt && Math.max(0, endsAt - performance.now()), signal);
    }
  }

  /** Takes note that this process no longer holds a job. */
  #released(active: ActiveJob): void {
    const { record: job, isStored } = active;
    if (!this.#active.delete(job.id)) return;
    const sharing = this.#sharing;
    if (sharing === undefined) {
      this.#inFlight.leave(job);
      return;
    }
    if (active.isWorking) this.#stopping.add(job.id);
    if (!isStored) this.#forget(job.id);
    else if (isFinal(job.status)) {
      this.#remote?.tell(job);
      // Nobody else knows of a job that was stored with its outcome.
      if (active.isKnown) sharing.announceChanged(job.id);
    } else if (this.#watches.has(job.id)) this.#remote?.follow(job);
    sharing.released();
  }

  /** Tells other nodes the state of a job that they asked for. */
  #announce({ record, progress, message }: ActiveJob): void {
    const until = this.#announced.get(record.id);
    if (until === undefined || until < performance.now()) return;
    if (progress === undefined || record.status !== 'running') {
      this.#sharing?.announceChanged(record.id);
    } else {
      this.#sharing?.announceProgress(record.id, progress, message);
    }
  }

  /** True once a shutdown has begun; then no job is accepted. */
  get isShuttingDown(): boolean {
    return this.#shutdown !== undefined;
  }

  /** Returns the stored job; a job that has begun is stored first. */
  async get(id: JobId): Promise<Job | undefined> {
    await this.#active.get(id)?.store();
    return this.#store.get(id);
  }

  /** Reads a page of the stored parts of a job's result, as `JobStore.parts` does. */
  parts(id: JobId, after?: JobPartPlace): Promise<readonly JobPart[]> {
    return this.#store.parts(id, after);
  }

  /** Lists stored jobs; jobs that have begun are stored first. */
  async list(query: JobQuery): Promise<readonly Job[]> {
    const isAskedFor = ({ record }: ActiveJob) =>
      query.keyId === undefined || record.keyId === query.keyId;
    const active = [...this.#active.values()].filter(isAskedFor);
    await Promise.all(active.map((job) => job.store()));
    return this.#store.list(query);
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
    const active = this.#active.get(id);
    if (active !== undefined) {
      const endsAt = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
      return await this.#orElsewhere(active.wait(timeoutMs, signal), id, endsAt, signal);
    }
    return await (this.#remote?.wait(id, timeoutMs, signal) ?? this.#stored(id));
  }

  /**
   * Watches a job: its present state, and every change of its stored record or progress. An unstored job is
   * stored first, as by `get`.
   *
   * @returns Undefined if there is no such job; otherwise the caller disposes of the watch.
   */
  watch(id: JobId): Promise<JobWatch | undefined> {
    return this.#watches.open(id, async () => {
      await this.#active.get(id)?.store();
      // The store may already show a change that watches are told of only once it is durable. A watch opened
      // with that state would then be told of an older one.
      const active = this.#active.get(id);
      if (active !== undefined) return stateOfActive(active);
      const record = await this.#store.get(id);
      if (record !== undefined) this.#remote?.follow(record);
      return record && stateOf(record, this.progress(id));
    });
  }

  /** Number of watched jobs. */
  get numWatched(): number {
    return this.#watches.size;
  }

  /**
   * Cancels a queued or running job and stops its work; a final job does not change.
   *
   * @returns The record: `cancelled`, unless another outcome came first.
   * @throws {JobNotFoundError} if there is no such job.
   */
  async cancel(id: JobId): Promise<Job> {
    return (await this.#active.get(id)?.cancel()) ?? (await this.#cancelStored(id));
  }

  /** True if jobs that this node took in or holds have not begun. */
  get hasWaiting(): boolean {
    const isWaiting = ({ hasBegun }: ActiveJob) => !hasBegun;
    return (
      [...this.#active.values()].some(isWaiting) || this.#remote?.waiting().next().done === false
    );
  }

  /** Cancels jobs that this node took in or holds and that have not begun. */
  async cancelWaiting(isChosen: (job: Job) => boolean): Promise<void> {
    const held = [...this.#active.values()].filter(
      ({ record, hasBegun }) => !hasBegun && isChosen(record),
    );
    const stored = [...(this.#remote?.waiting() ?? [])].filter(isChosen);
    await Promise.all([
      ...held.map(({ record }) => this.cancel(record.id)),
      ...stored.map(({ id }) => this.#cancelQueued(id)),
    ]);
  }

  /** Cancels a job in the store, unless it has begun. */
  async #cancelQueued(id: JobId): Promise<void> {
    try {
      const finishedAt = this.#context.now();
      const job = await this.#store.transition(id, 'queued', 'cancelled', { finishedAt });
      this.#cancelledInStore(job);
    } catch (error) {
      if (!(error instanceof JobTransitionError)) throw error;
    }
  }

  /**
   * Deletes a final job and its result.
   *
   * @throws {JobNotFoundError} if there is no such job, or it is not final.
   */
  async remove(id: JobId): Promise<void> {
    if (!(await this.#store.remove(id))) throw new JobNotFoundError(id);
  }

  /**
   * Number of jobs that start before this queued one; 0 if it was handed over to its executor. A job that was
   * put back or left by an earlier process comes after all waiting jobs of its kind.
   */
  queuePosition(id: JobId): number {
    const own = this.#active.get(id);
    if (own !== undefined) return own.handler.queuePosition(id) ?? 0;
    const shared = this.#sharing?.queuePosition(id, this.#remote?.lineOf(id));
    if (shared !== undefined) return shared;
    const isAhead = ({ record, hasBegun }: ActiveJob) => !hasBegun && isJobId(id, record.kind);
    return [...this.#active.values()].filter(isAhead).length;
  }

  /** Expected start of a queued job, milliseconds since 1970 UTC; undefined if unknown. */
  expectedStart(id: JobId): number | undefined {
    const own = this.#active.get(id);
    const expected =
      own === undefined ? this.#sharing?.expectedStart(id) : own.handler.expectedStart?.(id);
    // An overdue job may start at any moment, but not before now.
    return expected === undefined ? undefined : Math.max(expected, this.#context.now());
  }

  /**
   * Why a queued job waits for another node than those of the cluster that are up; undefined if one of these can run
   * it, or it waits here.
   */
  waitingFor(job: QueuedJob): string | undefined {
    return this.#active.has(job.id) ? undefined : this.#sharing?.waitingFor(job);
  }

  /**
   * Number of jobs of a kind and key that wait or run in this process, from submission or recovery until they
   * are final or put back.
   */
  inFlight(kind: JobKind, keyId: string): number {
    return this.#inFlight.of(kind, keyId);
  }

  /** Total length of the requests of a kind that this process holds, characters. */
  inFlightCharacters(kind: JobKind): number {
    return this.#inFlight.charactersOf(kind);
  }

  /** Yields every job that this process holds, and whether its work has begun. */
  *inHand(): Iterable<{ readonly job: Job; readonly hasBegun: boolean }> {
    for (const { record, hasBegun } of this.#active.values()) yield { job: record, hasBegun };
  }

  /** Fraction done of a running job, in [0, 1]; undefined if it is not known here. */
  progress(id: JobId): number | undefined {
    return this.#active.get(id)?.progress ?? this.#sharing?.progressOf(id);
  }

  /**
   * Runs jobs that this node has claimed in the database of its cluster. A job whose earlier work here has not ended is
   * not held: its claim is let go.
   */
  adoptClaimed(jobs: readonly Job[]): void {
    for (const job of jobs) {
      const handler = this.#handlers[job.kind];
      if (handler === undefined) throw new Error(`unreachable: a claimed job of kind ${job.kind}`);
      if (this.#shutdown !== undefined) continue;
      this.#active.get(job.id)?.lose();
      if (!this.#stopping.has(job.id)) this.#adopt(job, handler, 'claimed').start();
    }
  }

  /** Counts jobs that an earlier process of this node took in, or nodes that are gone, as jobs of this node. */
  inherit(jobs: readonly Job[]): void {
    for (const job of jobs) {
      if (this.#remote?.has(job.id)) continue;
      this.#remote?.take(job);
      this.#inFlight.enter(job);
    }
  }

  /**
   * Gives up claims on stored jobs that have not begun.
   *
   * @param heldMs - Only those that are held for longer.
   * @returns The jobs, which other nodes may claim once the store says so.
   */
  loseUnbegun(isChosen: (job: Job) => boolean, heldMs: number): readonly Job[] {
    const before = performance.now() - heldMs;
    const lost = [...this.#active.values()].filter(
      ({ record, hasBegun, isStored, heldSince }) =>
        isStored && !hasBegun && heldSince < before && isChosen(record),
    );
    for (const active of lost) active.lose();
    return lost.map(({ record }) => record);
  }

  /** Gives up the claims of an earlier epoch of this node, which other nodes no longer respect. */
  loseClaims(isLost: (claim: JobClaim) => boolean): void {
    const sharing = this.#sharing;
    if (sharing === undefined) return;
    for (const active of [...this.#active.values()]) {
      const { claim } = active.record;
      if (claim !== undefined && isLost(claim)) active.loseClaim(() => sharing.newClaim());
    }
  }

  /** Takes note that another node has changed the record of a job. */
  async changedElsewhere(id: JobId): Promise<void> {
    const active = this.#active.get(id);
    if (active !== undefined) await active.recheck().catch(() => {});
    await this.#remote?.changed(id);
  }

  /**
   * Looks which stored jobs this node still holds, where a message may have been lost.
   *
   * @param isHeld - False for jobs that the database did not show as held by this node.
   */
  async recheckHeld(isHeld: (id: JobId) => boolean): Promise<void> {
    const doubtful = [...this.#active.values()].filter(
      ({ record, isStored }) => isStored && !isHeld(record.id),
    );
    await Promise.all(doubtful.map((active) => active.recheck().catch(() => {})));
  }

  /** Takes note of the progress of a job that another node runs. */
  progressElsewhere(id: JobId, progress: number, message: string | undefined): void {
    this.#remote?.tellProgress(id, progress, message);
  }

  /** Announces the progress of a job to the other nodes for some time, while it runs here or once it does. */
  announceProgressOf(id: JobId): void {
    this.#announced.set(id, performance.now() + ANNOUNCE_MS);
    const active = this.#active.get(id);
    if (active === undefined) return;
    void active.store();
    this.#announce(active);
  }

  /** Looks up the jobs of other nodes whose changes may have been missed. */
  async lookElsewhere(): Promise<void> {
    const now = performance.now();
    for (const [id, until] of this.#announced) if (until < now) this.#announced.delete(id);
    await this.#remote?.look();
  }

  /**
   * Recovers the jobs of an earlier process: queued jobs run, running ones run again, oldest first within a
   * kind. A job that may have crashed processes fails with JOBS_INTERRUPTED, an unreadable one with
   * JOBS_DAMAGED.
   *
   * @returns The numbers of jobs that will run again and that failed.
   */
  async recover(): Promise<{ requeued: number; failed: number }> {
    const counts = { requeued: 0, failed: await this.#store.failDamaged(this.#context.now()) };
    // In a cluster, the nodes claim what waits, and queue again what a lost node held.
    if (this.#sharing !== undefined) return counts;
    const runs = (kind: JobKind) => this.#handlers[kind] !== undefined;
    const isOurs = (id: JobId) => this.#active.has(id);
    const { now } = this.#context;
    const interrupted = await requeueInterrupted({
      store: this.#store,
      parentOf: (job) => this.#handlers[job.kind]?.parentOf?.(job),
      isOurs,
      maxSuspicion: this.#maxSuspicion,
      now,
    });
    for (const job of interrupted.filter(({ status }) => status === 'failed')) {
      this.#watches.tell(job.id, () => stateOf(job));
      counts.failed += 1;
    }
    for await (const job of leftoverJobs(this.#store, runs, isOurs, now)) {
      this.#watches.tell(job.id, () => stateOf(job));
      const handler = this.#handlers[job.kind];
      if (job.status !== 'queued' || handler === undefined) {
        counts.failed += 1;
        continue;
      }
      counts.requeued += 1;
      if (this.#shutdown === undefined) this.#adopt(job, handler, 'recovered').start();
    }
    return counts;
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
    const jobs = [...this.#active.values()];
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
    this.#remote?.answerAll();
    return {
      finished: jobs.filter((active) => isFinal(active.record.status)).length,
      requeued: [...leftQueued, ...putBack].filter((isQueued) => isQueued).length,
    };
  }

  #adopt(record: Job, handler: JobHandler, origin: JobOrigin): ActiveJob {
    const active = new ActiveJob(record, handler, origin, this.#context);
    this.#active.set(record.id, active);
    // Jobs of a cluster are counted by the node that took them in.
    if (this.#sharing === undefined) this.#inFlight.enter(record);
    return active;
  }

  async #stored(id: JobId): Promise<Job> {
    const job = await this.#store.get(id);
    if (job === undefined) throw new JobNotFoundError(id);
    return job;
  }

  /** Tells everybody of a job that was cancelled where it was stored. */
  #cancelledInStore(job: Job): void {
    this.#watches.tell(job.id, () => stateOf(job));
    this.#remote?.tell(job);
    this.#sharing?.announceChanged(job.id);
  }

  /** Cancels a job that this process does not run: one left by a crash, or put back. */
  async #cancelStored(id: JobId): Promise<Job> {
    for (;;) {
      const job = await this.#stored(id);
      if (isFinal(job.status)) return job;
      try {
        const finishedAt = this.#context.now();
        const cancelled = await this.#store.transition(id, job.status, 'cancelled', { finishedAt });
        this.#cancelledInStore(cancelled);
        return cancelled;
      } catch (error) {
        // The job moved between the two steps, so read it again.
        if (!(error instanceof JobTransitionError)) throw error;
      }
    }
  }
}

/** How a job waits for a node of a cluster. */
export function queueingOf(handler: JobHandler, job: WaitingJob): JobQueueing {
  return handler.queueing?.(job) ?? { line: job.kind, level: 0, costMs: 1, width: 0 };
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
