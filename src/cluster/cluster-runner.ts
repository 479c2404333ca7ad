/**
 * Job runner of a node of a cluster.
 *
 * A job that comes in starts here at once if there is room; otherwise it is stored, and waits for a node. Jobs that
 * this node claims are run as its own are. The node that took a job in counts it and answers its callers.
 */
import { ActiveJob, type Arrival } from '../jobs/active-job.ts';
import { JobLostError, JobTransitionError } from '../jobs/errors.ts';
import { isFinal, type Job, type JobId, type NewJob } from '../jobs/job.ts';
import { JobRunner, type JobRunnerOptions, type ShutdownCounts } from '../jobs/job-runner.ts';
import type { JobState } from '../jobs/job-watch.ts';
import { type OtherNodes, RemoteJobs } from './remote-jobs.ts';
import {
  isSameClaim,
  type JobClaim,
  type JobQueueing,
  type SharedJob,
  type SharedJobHandler,
  type WaitingJob,
} from './shared-job.ts';

/** Time for which a node announces the progress of a job after it was asked to. */
const ANNOUNCE_MS = 30_000;
/** Characters of the text that other nodes show with the progress of a job. */
const MAX_TEXT = 1000;

/** A new job that starts here. The cluster has accepted it, so that a full queue of this node accepts it, too. */
const NEW: Arrival = { isStored: false, readmitted: true, mayBeginUnmarked: true };
const CLAIMED: Arrival = { ...NEW, isStored: true };

/** A job that waits, with the facts that decide where it may run. */
export type QueuedJob = Pick<SharedJob, 'id' | 'target' | 'queueing' | 'claim'>;

/** Connection of a runner to the other nodes, with which it shares its jobs. */
export interface JobSharing extends OtherNodes {
  /**
   * Claim with which this node starts a new job at once, which is charged to its key; undefined if the job has to wait
   * in the database, where any node may claim it.
   */
  claimNew(job: Pick<NewJob, 'target' | 'keyId'>, queueing: JobQueueing): JobClaim | undefined;
  /** A further claim of this node, for a job that is not stored yet. */
  newClaim(): JobClaim;
  /**
   * Number of jobs that start before a job that waits in the database; undefined if it is not known to wait there.
   *
   * @param line - Line of a job that came so recently that its place is not known yet: it is taken to be the last.
   */
  queuePosition(id: JobId, line?: string): number | undefined;
  /** Expected start of a job that waits in the database, milliseconds since 1970 UTC. */
  expectedStart(id: JobId): number | undefined;
  /**
   * Why no node that is up can run a job that waits in the database, in a sentence; undefined if one can, or it does
   * not wait there.
   */
  waitingFor(job: QueuedJob): string | undefined;
  /** Progress of a job that runs on another node, in [0, 1], as of a second ago. */
  progressOf(id: JobId): number | undefined;
  /** Called after a job that was held here was released: there may be room for others. */
  released(): void;
}

export class ClusterRunner extends JobRunner {
  readonly #sharing: JobSharing;
  /** Jobs that this node took in, or that somebody here waits for or watches, while they are not held here. */
  readonly remote: RemoteJobs;
  /** Jobs whose progress other nodes want to know, and until when, on the monotonic clock. */
  readonly #announced = new Map<JobId, number>();
  /** Jobs that were released while their work had not ended. */
  readonly #stopping = new Map<JobId, ActiveJob>();

  constructor(options: JobRunnerOptions, sharing: JobSharing) {
    super(options);
    this.#sharing = sharing;
    this.remote = new RemoteJobs({
      store: options.store,
      nodes: sharing,
      watches: this.watches,
      isHeld: (id) => this.isHeld(id),
      counts: this.counts,
    });
  }

  override async submit(newJob: NewJob): Promise<Job> {
    const accepted = this.#accept(newJob);
    return await (accepted instanceof ActiveJob ? accepted.create() : this.#queue(accepted));
  }

  override async run(newJob: NewJob, timeoutMs?: number): Promise<Job> {
    const accepted = this.#accept(newJob);
    if (accepted instanceof ActiveJob) {
      return await this.#orElsewhere(accepted.run(timeoutMs), newJob.id, timeoutMs);
    }
    await this.#queue(accepted);
    return await this.waitFor(newJob.id, timeoutMs);
  }

  /** Accepts a job: to be started here, or to wait in the database. */
  #accept(newJob: NewJob): ActiveJob | SharedJob {
    const record = this.accepted(newJob);
    const queueing = this.queueingOf(newJob);
    const claim = this.#sharing.claimNew(newJob, queueing);
    const shared = { ...record, queueing, origin: this.#sharing.node };
    const claimed: SharedJob | undefined = claim && { ...shared, claim };
    this.remote.take(shared);
    return claimed === undefined ? shared : this.hold(claimed, NEW);
  }

  /** Stores a job that waits for a node. */
  async #queue(job: SharedJob): Promise<Job> {
    try {
      const stored = await this.store.create(job);
      if (job.queueing !== undefined) this.#sharing.send('queued', job.queueing.line);
      return stored;
    } catch (error) {
      this.remote.drop(job.id);
      throw error;
    }
  }

  /** Waits for a job that is held here, and if other nodes take it over, for its outcome there. */
  async #orElsewhere(
    waiting: Promise<Job>,
    id: JobId,
    timeoutMs?: number,
    signal?: AbortSignal,
  ): Promise<Job> {
    const endsAt = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    try {
      return await waiting;
    } catch (error) {
      if (!(error instanceof JobLostError)) throw error;
      return await this.waitFor(id, endsAt && Math.max(0, endsAt - performance.now()), signal);
    }
  }

  override async waitFor(id: JobId, timeoutMs?: number, signal?: AbortSignal): Promise<Job> {
    signal?.throwIfAborted();
    if (!this.isHeld(id)) return await this.remote.wait(id, timeoutMs, signal);
    return await this.#orElsewhere(super.waitFor(id, timeoutMs, signal), id, timeoutMs, signal);
  }

  protected override released(active: ActiveJob): void {
    const { record: job, isStored } = active;
    if (active.isWorking) this.#stopping.set(job.id, active);
    if (!isStored) this.remote.drop(job.id);
    else if (isFinal(job.status)) {
      this.remote.tell(job);
      // Nobody else knows of a job that was stored with its outcome.
      if (active.isKnown) this.#sharing.send('changed', job.id);
    } else if (this.watches.has(job.id)) this.remote.follow(job);
    this.#sharing.released();
  }

  protected override changed(active: ActiveJob): void {
    super.changed(active);
    if (this.#announced.size > 0) this.#announce(active);
  }

  /** Tells other nodes the state of a job that they asked for. */
  #announce({ record, progress, message }: ActiveJob): void {
    const until = this.#announced.get(record.id);
    if (until === undefined || until < performance.now()) return;
    const { id, status } = record;
    if (progress === undefined || status !== 'running') this.#sharing.send('changed', id);
    else this.#sharing.send('progress', id, progress, message?.slice(0, MAX_TEXT));
  }

  protected override cancelled(job: Job): void {
    super.cancelled(job);
    this.remote.tell(job);
    this.#sharing.send('changed', job.id);
  }

  protected override isWatched(id: JobId): boolean {
    return super.isWatched(id) || this.#announced.has(id);
  }

  protected override isTaken(stored: SharedJob, held: SharedJob): boolean {
    return !isSameClaim(stored.claim, held.claim);
  }

  protected override stateOfStored(record: Job): JobState {
    this.remote.follow(record);
    return super.stateOfStored(record);
  }

  override get hasWaiting(): boolean {
    return super.hasWaiting || this.remote.waiting().next().done === false;
  }

  override async cancelWaiting(isChosen: (job: Job) => boolean): Promise<void> {
    const elsewhere = [...this.remote.waiting()].filter(isChosen);
    await Promise.all([
      super.cancelWaiting(isChosen),
      ...elsewhere.map(({ id }) => this.#cancelQueued(id)),
    ]);
  }

  /** Cancels a job in the store, unless it has begun. */
  async #cancelQueued(id: JobId): Promise<void> {
    try {
      const finishedAt = this.now();
      this.cancelled(await this.store.transition(id, 'queued', 'cancelled', { finishedAt }));
    } catch (error) {
      if (!(error instanceof JobTransitionError)) throw error;
    }
  }

  override queuePosition(id: JobId): number {
    const elsewhere = this.isHeld(id)
      ? undefined
      : this.#sharing.queuePosition(id, this.remote.lineOf(id));
    return elsewhere ?? super.queuePosition(id);
  }

  override expectedStart(id: JobId): number | undefined {
    return this.isHeld(id) ? super.expectedStart(id) : this.#sharing.expectedStart(id);
  }

  /** Reason why a queued job waits for a node that is not up; undefined if one that is up can run it. */
  waitingFor(job: QueuedJob): string | undefined {
    return this.isHeld(job.id) ? undefined : this.#sharing.waitingFor(job);
  }

  override progress(id: JobId): number | undefined {
    return super.progress(id) ?? this.#sharing.progressOf(id);
  }

  /** The nodes claim waiting jobs, and requeue those of lost nodes, so that only damaged jobs are left to be ended. */
  override async recover(): Promise<{ requeued: number; failed: number }> {
    return { requeued: 0, failed: await this.store.failDamaged(this.now()) };
  }

  override async shutdown(graceMs: number): Promise<ShutdownCounts> {
    const counts = await super.shutdown(graceMs);
    this.remote.answerAll();
    return counts;
  }

  /** Queueing of a stored job. */
  queueingOf(job: WaitingJob): JobQueueing {
    const handler: SharedJobHandler | undefined = this.handlers[job.kind];
    return handler?.queueing?.(job) ?? { line: job.kind, level: 0, costMs: 1, width: 0 };
  }

  /**
   * Runs jobs that this node has claimed. A job whose earlier work here has not ended is not held: its claim is let go.
   */
  adoptClaimed(jobs: readonly Job[]): void {
    for (const job of jobs) {
      if (this.isShuttingDown) continue;
      this.active.get(job.id)?.lose();
      if (!this.#stopping.get(job.id)?.isWorking) this.hold(job, CLAIMED).start();
    }
  }

  /** Counts jobs that an earlier process of this node took in, or nodes that are gone, as jobs of this node. */
  inherit(jobs: readonly Job[]): void {
    for (const job of jobs) this.remote.take(job);
  }

  /**
   * Gives up claims on stored jobs that have not begun.
   *
   * @param heldMs - Only those that are held for longer.
   * @returns The jobs, which other nodes may claim once the store says so.
   */
  loseUnbegun(isChosen: (job: SharedJob) => boolean, heldMs: number): readonly SharedJob[] {
    const before = performance.now() - heldMs;
    const lost = [...this.active.values()].filter(
      ({ record, hasBegun, isStored, heldSince }) =>
        isStored && !hasBegun && heldSince < before && isChosen(record),
    );
    for (const active of lost) active.lose();
    return lost.map(({ record }) => record);
  }

  /**
   * Gives up the claims of an earlier epoch of this node, which other nodes no longer respect. Stored jobs are lost to
   * them. Jobs that are not stored yet go on with new claims.
   */
  loseClaims(isLost: (claim: JobClaim) => boolean): void {
    for (const active of [...this.active.values()]) {
      const record: SharedJob = active.record;
      if (record.claim === undefined || !isLost(record.claim)) continue;
      const claimed: SharedJob = { ...record, claim: this.#sharing.newClaim() };
      if (active.isStored) active.lose();
      else active.replace(claimed);
    }
  }

  /** Takes note that another node has changed the record of a job. */
  async changedElsewhere(id: JobId): Promise<void> {
    const active = this.active.get(id);
    if (active !== undefined) await active.recheck().catch(() => {});
    await this.remote.changed(id);
  }

  /**
   * Looks which stored jobs this node still holds, where a message may have been lost.
   *
   * @param isHeld - False for jobs that the database did not show as held by this node.
   */
  async recheckHeld(isHeld: (id: JobId) => boolean): Promise<void> {
    const doubtful = [...this.active.values()].filter(
      ({ record, isStored }) => isStored && !isHeld(record.id),
    );
    await Promise.all(doubtful.map((active) => active.recheck().catch(() => {})));
  }

  /** Announces the progress of a job to the other nodes for some time, while it runs here or once it does. */
  announceProgressOf(id: JobId): void {
    this.#announced.set(id, performance.now() + ANNOUNCE_MS);
    const active = this.active.get(id);
    if (active === undefined) return;
    void active.store();
    this.#announce(active);
  }

  /** Looks up the jobs of other nodes whose changes may have been missed. */
  async lookElsewhere(): Promise<void> {
    const now = performance.now();
    for (const [id, until] of this.#announced) if (until < now) this.#announced.delete(id);
    for (const [id, { isWorking }] of this.#stopping) if (!isWorking) this.#stopping.delete(id);
    await this.remote.look();
  }
}
