/**
 * Jobs that this node took in, or that somebody waits for or watches here, while no work of theirs is held here: they
 * wait in the database of a cluster, or run on other nodes.
 *
 * Messages of other nodes say when a record has changed; it is then read again. Messages may be lost, so the statuses
 * are also looked up from time to time.
 */
import { JobNotFoundError } from '../jobs/errors.ts';
import { isFinal, type JobId } from '../jobs/job.ts';
import type { JobStore } from '../jobs/job-store.ts';
import { type JobWatches, stateOf } from '../jobs/job-watch.ts';
import { Settlement } from '../jobs/settlement.ts';
import type { SharedJob } from './shared-job.ts';

/** Looks ask again for the progress of watched jobs, which nodes announce for a while only. */
const ASK_EVERY_LOOKS = 10;
/** Jobs of this node that nobody waits for and that one look reads; the next look reads the next ones. */
const MAX_OF_LOOK = 500;
/** A job of this node that looks did not find for so long was deleted. */
const MISSING_MS = 30_000;

/** State of a job in the database. */
export type StoredState = Pick<SharedJob, 'status' | 'origin'>;

/**
 * Message to the other nodes: a job waits in a line, a record has changed, a job that runs here has come so far, the
 * node that runs a job is to tell its progress for some time, an operator's orders have changed.
 */
export type NodeMessage =
  | readonly ['queued', line: string]
  | readonly ['changed', id: JobId]
  | readonly ['progress', id: JobId, progress: number, text: string | undefined]
  | readonly ['watched', id: JobId]
  | readonly ['orders'];

/** Access to the other nodes and to their database. */
export interface OtherNodes {
  /** Name of this node. */
  readonly node: string;
  send(...message: NodeMessage): void;
  /** Reads the statuses of jobs, and which nodes took them in; deleted jobs are left out. */
  statesOf(ids: readonly JobId[]): Promise<ReadonlyMap<JobId, StoredState>>;
}

/** Options of RemoteJobs. */
interface RemoteJobsOptions {
  readonly store: Pick<JobStore, 'get'>;
  readonly nodes: OtherNodes;
  readonly watches: JobWatches;
  /** True for jobs whose work is held here. */
  readonly isHeld: (id: JobId) => boolean;
  /** Counts the jobs of this node, until they are final or another node counts them. */
  readonly counts: { enter(job: SharedJob): void; leave(job: SharedJob): void };
}

/** A job that somebody waits for. */
interface Awaited {
  readonly settlement: Settlement;
  record: SharedJob;
}

/** A watched job as it was last known. */
interface Watched {
  readonly record: SharedJob;
  /** Progress in [0, 1] and message of its run, which may come before the record that says that it runs. */
  readonly progress?: number;
  readonly message?: string | undefined;
}

export class RemoteJobs {
  readonly #options: RemoteJobsOptions;
  /** Unfinished jobs that this node took in. */
  readonly #own = new Map<JobId, SharedJob>();
  readonly #awaited = new Map<JobId, Awaited>();
  readonly #watched = new Map<JobId, Watched>();
  /** Jobs whose record is being read; true if it changed meanwhile. */
  readonly #reading = new Map<JobId, boolean>();
  /** Jobs of this node that looks did not find, and since when, on the monotonic clock. */
  readonly #missing = new Map<JobId, number>();
  /** Jobs of this node that the next looks read. */
  #next: Iterator<SharedJob> = [].values();
  #numLooks = 0;
  #isClosed = false;

  constructor(options: RemoteJobsOptions) {
    this.#options = options;
  }

  /** Notes a job that this node has taken in. It is one of its own until it is final. */
  take(job: SharedJob): void {
    if (this.#own.has(job.id)) return;
    this.#own.set(job.id, job);
    this.#options.counts.enter(job);
  }

  /** Counts a job of this node no longer. */
  drop(id: JobId): void {
    const job = this.#own.get(id);
    this.#own.delete(id);
    if (job !== undefined) this.#options.counts.leave(job);
  }

  /** Unfinished jobs that this node took in and that are not held here. */
  *waiting(): Generator<SharedJob, void, undefined> {
    for (const job of this.#own.values()) if (!this.#options.isHeld(job.id)) yield job;
  }

  /** True for an unfinished job that this node took in. */
  has(id: JobId): boolean {
    return this.#own.has(id);
  }

  /** Line of a job that this node took in. */
  lineOf(id: JobId): string | undefined {
    return this.#own.get(id)?.queueing?.line;
  }

  /**
   * Waits until a job that is not held here is final; see JobRunner.waitFor. Once the service stops, gives the present
   * record.
   *
   * @throws {JobNotFoundError} if there is no such job.
   */
  async wait(id: JobId, timeoutMs?: number, signal?: AbortSignal): Promise<SharedJob> {
    let awaited = this.#awaited.get(id);
    if (awaited === undefined) {
      // Changes of its own jobs are noticed from the beginning.
      const own = this.#own.get(id);
      const record = (this.#isClosed ? undefined : own) ?? (await this.#read(id));
      if (isFinal(record.status) || this.#isClosed) return record;
      awaited = this.#awaited.get(id) ?? { settlement: new Settlement(), record };
      this.#awaited.set(id, awaited);
      // Another job may have changed before anybody was interested in it.
      if (own === undefined) void this.changed(id);
    }
    const { settlement } = awaited;
    const current = () => this.#awaited.get(id)?.record ?? awaited.record;
    try {
      const record = await settlement.wait(current, timeoutMs, signal);
      // Until it is final, only the store knows how far it has come.
      return isFinal(record.status) ? record : await this.#read(id);
    } finally {
      if (settlement.numWaiting === 0 && this.#awaited.get(id)?.settlement === settlement) {
        this.#awaited.delete(id);
      }
    }
  }

  /** Follows a watched job with the node that runs it. */
  follow(job: SharedJob): void {
    if (isFinal(job.status)) return;
    this.#watched.set(job.id, { record: job });
    this.#options.nodes.send('watched', job.id);
  }

  /** Reads the record of a job again, if anybody here is interested in it. */
  async changed(id: JobId): Promise<void> {
    if (!this.#isOfInterest(id)) return;
    if (this.#reading.has(id)) {
      this.#reading.set(id, true);
      return;
    }
    try {
      do {
        this.#reading.set(id, false);
        const job = await this.#options.store.get(id).catch(() => undefined);
        // A record that cannot be read now is read again later.
        if (job !== undefined) this.tell(job);
      } while (this.#reading.get(id) === true);
    } finally {
      this.#reading.delete(id);
    }
  }

  /** Takes note of a stored record. */
  tell(job: SharedJob): void {
    const { watches, isHeld } = this.#options;
    const { id } = job;
    this.#leaveIfMoved(id, job);
    const awaited = this.#awaited.get(id);
    if (awaited !== undefined) awaited.record = job;
    const watched = this.#watched.get(id);
    if (watched !== undefined) {
      const { progress, message } = job.status === 'running' ? watched : {};
      const isPutBack = job.status === 'queued' && watched.record.status === 'running';
      this.#watched.set(id, isPutBack ? { record: job } : { ...watched, record: job });
      // A job that is held here again is newer than its stored record.
      if (isFinal(job.status) || !isHeld(id)) {
        watches.tell(id, () => stateOf(job, progress, message));
      }
    }
    if (!isFinal(job.status)) {
      const own = this.#own.get(id);
      if (own !== undefined) this.#own.set(id, { ...own, status: job.status });
      return;
    }
    this.#awaited.delete(id);
    this.#watched.delete(id);
    awaited?.settlement.resolve(job);
    this.drop(id);
  }

  /** A job that another node took over when this one was given up is counted there. */
  #leaveIfMoved(id: JobId, { origin }: StoredState): void {
    if (origin !== undefined && origin !== this.#options.nodes.node) this.drop(id);
  }

  /** Takes note of the progress of a job that runs on another node. */
  tellProgress(id: JobId, progress: number, message: string | undefined): void {
    const watched = this.#watched.get(id);
    if (watched === undefined || this.#options.isHeld(id)) return;
    const { record } = watched;
    this.#watched.set(id, { record, progress, message });
    // The job runs, even if the record that says so was not read yet.
    if (record.status !== 'running') void this.changed(id);
    else this.#options.watches.tell(id, () => stateOf(record, progress, message));
  }

  /** Looks up all jobs whose changes may have been missed. */
  async look(): Promise<void> {
    const { nodes, watches, isHeld } = this.#options;
    for (const id of this.#watched.keys()) {
      if (!watches.has(id) || isHeld(id)) this.#watched.delete(id);
    }
    this.#numLooks += 1;
    if (this.#numLooks % ASK_EVERY_LOOKS === 0) {
      for (const id of this.#watched.keys()) nodes.send('watched', id);
    }
    const known = new Map<JobId, SharedJob>(this.#nextOwn().map((job) => [job.id, job]));
    for (const [id, { record }] of this.#watched) known.set(id, record);
    for (const [id, { record }] of this.#awaited) known.set(id, record);
    if (known.size === 0) return;
    const states = await nodes.statesOf([...known.keys()]);
    for (const [id, { status }] of known) {
      const state = states.get(id);
      if (state !== undefined) this.#leaveIfMoved(id, state);
      // A job that is held here is newer than its stored state.
      if (isHeld(id)) continue;
      if (state === undefined) this.#isMissing(id);
      else if (state.status !== status) void this.changed(id);
    }
    for (const id of this.#missing.keys()) {
      if (states.has(id) || !this.#own.has(id)) this.#missing.delete(id);
    }
  }

  /** The next jobs of this node to look up. */
  #nextOwn(): readonly SharedJob[] {
    const jobs: SharedJob[] = [];
    while (jobs.length < Math.min(MAX_OF_LOOK, this.#own.size)) {
      const { done, value } = this.#next.next();
      if (done !== true) jobs.push(value);
      else if (jobs.length > 0) break;
      else this.#next = this.#own.values();
    }
    return jobs;
  }

  /** Answers everybody who waits, now and from now on, with the present record. */
  answerAll(): void {
    this.#isClosed = true;
    for (const { settlement, record } of this.#awaited.values()) settlement.resolve(record);
    this.#awaited.clear();
  }

  #isOfInterest(id: JobId): boolean {
    return this.#own.has(id) || this.#awaited.has(id) || this.#watched.has(id);
  }

  /** Notes that a look did not find a job: it was deleted, or its creation is under way on this node. */
  #isMissing(id: JobId): void {
    const own = this.#own.get(id);
    if (own !== undefined) {
      const now = performance.now();
      const since = this.#missing.get(id) ?? now;
      this.#missing.set(id, since);
      if (now - since < MISSING_MS) return;
      this.#missing.delete(id);
      this.drop(id);
    }
    const awaited = this.#awaited.get(id);
    this.#awaited.delete(id);
    awaited?.settlement.reject(new JobNotFoundError(id));
    if (this.#watched.delete(id)) this.#options.watches.tellGone(id);
  }

  async #read(id: JobId): Promise<SharedJob> {
    const job = await this.#options.store.get(id);
    if (job === undefined) throw new JobNotFoundError(id);
    return job;
  }
}
