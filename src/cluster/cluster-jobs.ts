/**
 * Jobs shared by the nodes of a cluster, from the side of one node: jobs that it starts at once, jobs that it claims in
 * the database, and the messages between nodes.
 *
 * A job that comes in starts at once if this node has room for it and nothing waits in its line. Everything else waits
 * in the database. A node claims as much as it would start soon, whenever there is room, so that jobs are placed late
 * and in the order of all keys.
 */

import { JobDamagedError } from '../jobs/errors.ts';
import type { Job, JobId, JobStatus, NewJob } from '../jobs/job.ts';
import { StorageUnwritableError } from '../storage/errors.ts';
import { PostgresBus } from '../storage/postgres/bus.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { type ClusterNode, readableJob } from './cluster-node.ts';
import type { ClusterRunner, JobSharing, QueuedJob } from './cluster-runner.ts';
import {
  type Charge,
  type ClaimOutcome,
  fitsWidths,
  JobLines,
  type Room,
  type WaitingJobs,
  type WidthRange,
} from './job-lines.ts';
import { LineOrders } from './line-orders.ts';
import { type Recovered, recoverLost } from './lost-jobs.ts';
import { addPlaces, countJobs, type JobCount } from './places-in-flight.ts';
import type { NodeMessage, StoredState } from './remote-jobs.ts';
import type { JobClaim, JobQueueing, SharedJob } from './shared-job.ts';

/** Claims are tried this often, and jobs of other nodes looked up, even if no message says that there is work. */
const LOOK_EVERY_MS = 1000;
/** A circuit that has not begun so long after its claim waits for another node again. */
const OVERDUE_MS = 2000;
/** A node that let jobs go claims from their line again after so long. */
const AFTER_OTHERS_MS = 250;
/** A claim that met another node's claim of the same line is tried again after so long. */
const BUSY_AGAIN_MS = 3;

const STATES = {
  name: 'cluster-states',
  text: 'SELECT id, status, origin FROM jobs WHERE id = ANY ($1::text[])',
};
/** Jobs that this node holds by its claims. */
const HELD = {
  name: 'cluster-held',
  text: `SELECT id FROM jobs WHERE owner = $1 AND epoch = $2 AND status IN ('queued', 'running')`,
};
/** Gives up claims of this node, as after its restart. */
const LET_GO = {
  name: 'cluster-let-go',
  text: `UPDATE jobs SET status = 'queued', started_at = NULL, owner = NULL
    WHERE id = ANY ($1::text[]) AND owner = $2 AND epoch = $3 AND status IN ('queued', 'running')`,
};
/** Jobs that wait for no line, as those copied from another database. */
const WITHOUT_LINE = {
  name: 'cluster-without-line',
  text: `SELECT id, kind, priority, target, request FROM jobs
    WHERE status = 'queued' AND owner IS NULL AND line IS NULL ORDER BY place LIMIT 200`,
};
const FAIL_DAMAGED = {
  name: 'cluster-fail-damaged',
  text: `UPDATE jobs SET status = 'failed', finished_at = $4, error_code = given.code, error_message = given.message
    FROM unnest($1::text[], $2::text[], $3::text[]) AS given (id, code, message)
    WHERE jobs.id = given.id AND status = 'queued' AND owner IS NULL`,
};
const SET_LINES = {
  name: 'cluster-set-lines',
  text: `UPDATE jobs SET line = given.line, level = given.level, cost_ms = given.cost_ms, width = given.width,
      origin = coalesce(jobs.origin, $6)
    FROM unnest($1::text[], $2::text[], $3::smallint[], $4::float8[], $5::smallint[])
      AS given (id, line, level, cost_ms, width)
    WHERE jobs.id = given.id AND jobs.line IS NULL RETURNING jobs.*`,
};

/** Work that this node can take, by line. */
export interface NodeCapacity {
  /** Lines that this node claims from. */
  lines(): readonly string[];
  /**
   * Room in a line; undefined if there is none. It must be cheap: each submission asks for it.
   *
   * @param held - Jobs of the line that this node holds and that have not begun.
   */
  room(line: string, held: HeldJobs): Room | undefined;
  /**
   * Time to wait before claiming from the line, milliseconds, so that nodes with less to do come first; 0 if there is
   * nothing to compare.
   */
  patienceMs(line: string, held: HeldJobs): number;
}

/** Jobs that the live nodes of a cluster can run. */
export interface ClusterRoom {
  /** Jobs of a line that some node takes, by their width; undefined if any node takes all. */
  widths(line: string): readonly WidthRange[] | undefined;
  /** Why no node takes a job, in a sentence; undefined if one does. */
  whyNone(job: Pick<Job, 'target'>, queueing: JobQueueing): string | undefined;
}

/** Jobs of a line that a node holds. */
export interface HeldJobs {
  readonly count: number;
  /** Those that have not begun. */
  readonly waiting: number;
  /** Expected time of those that have not begun, milliseconds. */
  readonly waitingMs: number;
}

const NONE_HELD: HeldJobs = { count: 0, waiting: 0, waitingMs: 0 };

/** Options of ClusterJobs. */
export interface ClusterJobsOptions {
  readonly database: PostgresDatabase;
  readonly node: () => ClusterNode;
  readonly capacity: () => NodeCapacity;
  readonly runner: () => ClusterRunner;
  /** Jobs that the live nodes can run. */
  readonly fleet: () => ClusterRoom;
  readonly maxSuspicion: number;
  /** Called with the places in flight of jobs that this node has taken over, once the runner counts them. */
  readonly onInherited: (places: readonly JobCount[]) => void;
  /** Called if a processor or device went into maintenance or came back. */
  readonly onOrders: () => void;
  /** Called with the jobs recovered from nodes that are gone, if there are any. */
  readonly onRecovered: (recovered: Recovered) => void;
  /** Called with errors that reach no caller. */
  readonly onError: (error: unknown, what: string) => void;
}

export class ClusterJobs implements JobSharing {
  readonly #options: ClusterJobsOptions;
  readonly #lines: JobLines;
  readonly #orders: LineOrders;
  readonly #bus: PostgresBus;
  #numClaims = 0;
  /** Lines in which jobs may wait. */
  readonly #nonEmpty = new Set<string>();
  /** Charges that go with the next claim, by line. */
  readonly #charges = new Map<string, Map<string, Charge>>();
  readonly #claimLater = new Map<string, NodeJS.Timeout>();
  readonly #claiming = new Set<string>();
  #connectedSince = Number.POSITIVE_INFINITY;
  /** Jobs that were held in the database and not by the runner when last looked. */
  #unheld: ReadonlySet<JobId> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;
  /** Errors of the last look. */
  #reported = '';
  readonly #counters = { claimed: 0, givenUp: 0 };

  constructor(options: ClusterJobsOptions) {
    this.#options = options;
    this.#lines = new JobLines(options.database);
    this.#orders = new LineOrders(this.#lines, (line) => options.fleet().widths(line));
    this.#bus = new PostgresBus({
      database: options.database,
      onMessage: (message) => this.#receive(message),
      onConnected: () => void this.look(),
    });
  }

  get node(): string {
    return this.#options.node().name;
  }

  /** Jobs that waited in the database a moment ago. */
  get waiting(): readonly WaitingJobs[] {
    return this.#orders.waiting;
  }

  /** Numbers since the start. */
  get counters() {
    return { ...this.#counters, ...this.#bus.counts };
  }

  /** Starts claiming and receiving messages. Call it once the node has joined and its executors are ready. */
  async start(): Promise<void> {
    await this.#bus.open();
    this.#connectedSince = performance.now();
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
    await this.look();
  }

  /** Stops claiming. */
  stopClaiming(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const timer of this.#claimLater.values()) clearTimeout(timer);
  }

  /** Ends the node's part: jobs that it still holds wait for other nodes. */
  async close(): Promise<void> {
    this.stopClaiming();
    await this.#looking;
    const node = this.#options.node();
    await node.leave().catch(() => {});
    await this.#recover(() => false).catch(() => {});
    for (const line of this.#options.capacity().lines()) this.send('queued', line);
    await this.#bus.close();
  }

  /** Takes note that the database was lost or can be used again. */
  connectionChanged(isConnected: boolean): void {
    this.#connectedSince = isConnected ? performance.now() : Number.POSITIVE_INFINITY;
  }

  claimNew(job: Pick<NewJob, 'target' | 'keyId'>, queueing: JobQueueing): JobClaim | undefined {
    const { node, capacity } = this.#options;
    const { line, width } = queueing;
    const own = node();
    if (this.#isClosed || own.role !== 'all' || own.isDraining || !own.holdsLease) return undefined;
    if (this.#nonEmpty.has(line)) return undefined;
    const room = capacity().room(line, this.#held(line));
    if (room === undefined || room.maxJobs < 1) return undefined;
    if (!fitsWidths(room.widths, job.target, width)) return undefined;
    this.#charge(job, queueing);
    return this.newClaim();
  }

  newClaim(): JobClaim {
    const { name, epoch } = this.#options.node();
    this.#numClaims += 1;
    return { node: name, epoch, number: this.#numClaims };
  }

  /** Notes that a job began here that did not wait in the database, so that its key is charged for it. */
  #charge({ keyId }: Pick<Job, 'keyId'>, { line, level, costMs }: JobQueueing): void {
    let ofLine = this.#charges.get(line);
    if (ofLine === undefined) {
      ofLine = new Map();
      this.#charges.set(line, ofLine);
    }
    const name = `${level} ${keyId}`;
    const ms = (ofLine.get(name)?.ms ?? 0) + costMs;
    ofLine.set(name, { key: keyId, level, ms });
  }

  send(...message: NodeMessage): void {
    this.#bus.send(JSON.stringify(message.filter((part) => part !== undefined)));
    if (message[0] === 'queued') this.#mayClaim(message[1]);
  }

  async statesOf(ids: readonly JobId[]): Promise<ReadonlyMap<JobId, StoredState>> {
    const rows = await this.#options.database.read(STATES, [ids]);
    return new Map(
      rows.map(({ id, status, origin }) => [
        String(id),
        // The cast is safe: the column has a check of the statuses.
        { status: status as JobStatus, ...(origin !== null && { origin: String(origin) }) },
      ]),
    );
  }

  queuePosition(id: JobId, line?: string): number | undefined {
    const place = this.#orders.placeOf(id);
    return place?.position ?? (line === undefined ? undefined : this.#orders.lengthOf(line));
  }

  expectedStart(id: JobId): number | undefined {
    const place = this.#orders.placeOf(id);
    return place && this.#options.node().now() + place.costMs / this.#numRunners();
  }

  waitingFor(job: QueuedJob): string | undefined {
    const { queueing, claim } = job;
    if (queueing === undefined || claim !== undefined) return undefined;
    return this.#options.fleet().whyNone(job, queueing);
  }

  progressOf(id: JobId): number | undefined {
    for (const { report } of this.#options.node().peers()) {
      const progress = report?.progress[id];
      if (progress !== undefined) return progress;
    }
    return undefined;
  }

  released(): void {
    if (this.#isClosed) return;
    for (const line of this.#nonEmpty) this.#mayClaim(line);
  }

  /** Looks in the database for work, for jobs of nodes that are gone, and for changes whose messages were lost. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { node, runner, database } = this.#options;
    if (!database.writer.isConnected || node().epoch === 0 || this.#isClosed) return;
    const mayGiveUp = () =>
      performance.now() - this.#connectedSince > node().leaseMs && node().isSteady;
    let isRead = false;
    const steps = [
      () => this.#recover(mayGiveUp),
      () => this.#compareHeld(),
      () => this.#letGoOverdue(),
      () => this.#giveLines(),
      async () => {
        isRead = await this.#orders.read();
      },
      async () => this.#claimAll(isRead),
      () => runner().lookElsewhere(),
    ];
    const faults: unknown[] = [];
    // A step that fails, as for a damaged record, keeps none of the others from being taken.
    for (const step of steps) await step().catch((error) => void faults.push(error));
    this.#reportFaults(faults);
  }

  /** Reports the errors of a look, but not again and again, nor while the database is away. */
  #reportFaults(faults: readonly unknown[]): void {
    const bugs = faults.filter((error) => !(error instanceof StorageUnwritableError));
    const said = bugs.join('\n');
    const isNew = said !== this.#reported;
    this.#reported = said;
    if (!isNew || this.#isClosed) return;
    for (const error of bugs) this.#options.onError(error, 'a look for work and changes failed');
  }

  /** @param isRead - Jobs that wait were counted just now, so that empty lines are known. */
  #claimAll(isRead: boolean): void {
    const { node, capacity } = this.#options;
    for (const { line } of this.waiting) this.#nonEmpty.add(line);
    if (node().role === 'api') {
      this.#forgetEmpty();
      return;
    }
    for (const line of capacity().lines()) {
      if (!isRead || this.#nonEmpty.has(line) || this.#charges.has(line)) this.#mayClaim(line);
    }
  }

  /** Recovers the jobs of nodes that are gone, in transactions that leave time for renewals of the lease. */
  async #recover(mayGiveUp: () => boolean): Promise<void> {
    while (await this.#recoverSome(mayGiveUp));
  }

  /** @returns True if there may be more. */
  async #recoverSome(mayGiveUp: () => boolean): Promise<boolean> {
    const { database, node, maxSuspicion, onInherited, onRecovered, runner } = this.#options;
    const { name, epoch, leaseMs } = node();
    const options = {
      node: name,
      epoch,
      leaseMs,
      mayGiveUp,
      mayInherit: !this.#isClosed,
      maxSuspicion,
      parentOf: (job: SharedJob) => runner().parentOf(job),
      now: node().now(),
    };
    const recovered = await database.writer.write((query) => recoverLost(query, options), true);
    const { givenUp, queuedAgain, failed, inherited, places } = recovered;
    if (givenUp.length + queuedAgain.length + failed.length + inherited.length === 0) return false;
    this.#counters.givenUp += givenUp.length;
    runner().inherit(inherited);
    onInherited(places);
    for (const id of [...failed, ...queuedAgain.map(({ id }) => id)]) this.send('changed', id);
    for (const line of new Set(queuedAgain.map(({ queueing }) => queueing?.line))) {
      if (line !== undefined) this.send('queued', line);
    }
    if (givenUp.length + queuedAgain.length + failed.length > 0) onRecovered(recovered);
    return recovered.isPartial;
  }

  /**
   * Compares this node's jobs with its jobs in the database. Jobs that only the runner holds were cancelled or taken
   * over, and the message was lost. Jobs that only the database shows as held are let go: their write was lost.
   */
  async #compareHeld(): Promise<void> {
    const { database, node, runner } = this.#options;
    const { name, epoch } = node();
    const rows = await database.read(HELD, [name, epoch]);
    const held = new Set(rows.map((row) => String(row['id'])));
    await runner().recheckHeld((id) => held.has(id));
    const unheld = [...held].filter((id) => !runner().isHeld(id));
    // A claim may be on its way from the database to the runner.
    const again = unheld.filter((id) => this.#unheld.has(id));
    this.#unheld = new Set(unheld);
    if (again.length === 0) return;
    await database.writer.write((query) => query(LET_GO, [again, name, epoch]));
  }

  /**
   * Lets go of circuits that were to begin at once and did not: the runs before them take longer than expected, and
   * another node may have room.
   */
  async #letGoOverdue(): Promise<void> {
    const { database, node, runner } = this.#options;
    const { name, epoch } = node();
    if (this.#numRunners() < 2) return;
    const overdue = runner().loseUnbegun(
      ({ queueing }) => queueing?.line === 'small' || queueing?.line === 'wide',
      OVERDUE_MS,
    );
    if (overdue.length === 0) return;
    const ids = overdue.map(({ id }) => id);
    await database.writer.write((query) => query(LET_GO, [ids, name, epoch]));
    for (const line of new Set(overdue.map(({ queueing }) => queueing?.line ?? ''))) {
      // Other nodes come first: this one claims later.
      this.#nonEmpty.add(line);
      this.#claimAfter(line, AFTER_OTHERS_MS);
      this.send('queued', line);
    }
  }

  /** Gives lines to jobs that have none. Those that no node took in are this node's from then on. */
  async #giveLines(): Promise<void> {
    const { database, runner, onInherited } = this.#options;
    const rows = await database.read(WITHOUT_LINE);
    if (rows.length === 0) return;
    const damaged: { readonly id: JobId; readonly error: JobDamagedError }[] = [];
    const found = rows.flatMap((row) => {
      const id = String(row['id']);
      // The casts are safe: kinds and priorities are checked when they are written.
      const { kind, priority } = row as unknown as Pick<NewJob, 'kind' | 'priority'>;
      const job = {
        id,
        kind,
        priority,
        target: String(row['target']),
        request: String(row['request']),
      };
      try {
        return { id, ...runner().queueingOf(job) };
      } catch (error) {
        if (!(error instanceof JobDamagedError)) throw error;
        damaged.push({ id, error });
        return [];
      }
    });
    const { jobs, places } = await database.writer.write(async (query) => {
      const { rows } = await query(SET_LINES, [
        found.map(({ id }) => id),
        found.map(({ line }) => line),
        found.map(({ level }) => level),
        found.map(({ costMs }) => costMs),
        found.map(({ width }) => width),
        this.node,
      ]);
      const jobs = rows
        .flatMap((row) => readableJob(row))
        .filter(({ status, origin }) => status === 'queued' && origin === this.node)
        .filter(({ id }) => !runner().remote.has(id));
      const places = countJobs(jobs);
      await addPlaces(query, this.node, places);
      return { jobs, places };
    }, true);
    runner().inherit(jobs);
    onInherited(places);
    if (damaged.length === 0) return;
    await database.writer.write((query) =>
      query(FAIL_DAMAGED, [
        damaged.map(({ id }) => id),
        damaged.map(({ error }) => error.code),
        damaged.map(({ error }) => error.message),
        this.#options.node().now(),
      ]),
    );
    for (const { id } of damaged) this.send('changed', id);
  }

  /** Nodes that claim jobs. */
  #numRunners(): number {
    const own = this.#options.node();
    const others = own
      .peers()
      .filter(({ role, isUp, isDraining }) => role !== 'api' && isUp && !isDraining);
    return Math.max(1, others.length + (own.role === 'api' || own.isDraining ? 0 : 1));
  }

  /** An api node does not claim, so it learns only by looking that a line is empty. */
  #forgetEmpty(): void {
    const waiting = new Set(this.waiting.map(({ line }) => line));
    for (const line of this.#nonEmpty) if (!waiting.has(line)) this.#nonEmpty.delete(line);
  }

  #held(line: string): HeldJobs {
    let held = NONE_HELD;
    for (const { job, hasBegun } of this.#options.runner().inHand()) {
      const { queueing }: SharedJob = job;
      if (queueing?.line !== line) continue;
      held = {
        count: held.count + 1,
        waiting: held.waiting + (hasBegun ? 0 : 1),
        waitingMs: held.waitingMs + (hasBegun ? 0 : queueing.costMs),
      };
    }
    return held;
  }

  /** Claims from a line soon, if there is room. */
  #mayClaim(line: string): void {
    const own = this.#options.node();
    if (this.#isClosed || own.role === 'api' || own.isDraining || own.epoch === 0) return;
    this.#nonEmpty.add(line);
    if (this.#claiming.has(line) || this.#claimLater.has(line)) return;
    const held = this.#held(line);
    if (this.#options.capacity().room(line, held) === undefined) return;
    const patienceMs = this.#options.capacity().patienceMs(line, held);
    if (patienceMs > 0) this.#claimAfter(line, patienceMs);
    else void this.#claim(line);
  }

  #claimAfter(line: string, ms: number): void {
    if (this.#isClosed || this.#claimLater.has(line)) return;
    const timer = setTimeout(() => {
      this.#claimLater.delete(line);
      void this.#claim(line);
    }, ms);
    this.#claimLater.set(line, timer);
  }

  async #claim(line: string): Promise<void> {
    const { capacity, runner, node, onError } = this.#options;
    if (this.#claiming.has(line) || !node().holdsLease) return;
    const room = capacity().room(line, this.#held(line));
    if (room === undefined || this.#isClosed) return;
    this.#claiming.add(line);
    let again: 'now' | 'busy' | undefined;
    try {
      const outcome = await this.#claimWithCharges(room);
      if (outcome === 'busy') {
        this.#nonEmpty.add(line);
        again = 'busy';
      } else {
        if (!outcome.isEmpty) this.#nonEmpty.add(line);
        this.#counters.claimed += outcome.jobs.length;
        runner().adoptClaimed(outcome.jobs);
        if (outcome.numDamaged > 0) await runner().recover();
        if (this.#nonEmpty.has(line)) again = 'now';
      }
    } catch (error) {
      // The next look tries again.
      this.#nonEmpty.add(line);
      if (!this.#isClosed) onError(error, 'jobs could not be claimed');
    } finally {
      this.#claiming.delete(line);
    }
    if (again === 'now') this.#mayClaim(line);
    if (again === 'busy') this.#claimAfter(line, BUSY_AGAIN_MS);
  }

  /** Claims, and charges jobs started here; the charges go with the next claim if this one stores nothing. */
  async #claimWithCharges(room: Room): Promise<ClaimOutcome> {
    const { line } = room;
    const charges = [...(this.#charges.get(line)?.values() ?? [])];
    this.#charges.delete(line);
    // Until the claim has looked, further jobs may come.
    this.#nonEmpty.delete(line);
    let outcome: ClaimOutcome = 'busy';
    try {
      outcome = await this.#lines.claim(room, () => this.newClaim(), charges);
      return outcome;
    } finally {
      if (outcome === 'busy') {
        for (const { key, level, ms } of charges)
          this.#charge({ keyId: key }, { line, level, costMs: ms, width: 0 });
      }
    }
  }

  /** Takes in a message. Others, of a later version of the software or of an operator, are ignored. */
  #receive(text: string): void {
    const { runner, node, onOrders } = this.#options;
    const [kind, subject = '', ...rest] = messageOf(text);
    if (kind === 'queued') this.#mayClaim(subject);
    else if (kind === 'changed') void runner().changedElsewhere(subject);
    else if (kind === 'watched') runner().announceProgressOf(subject);
    else if (kind === 'orders') void node().renew().then(onOrders);
    else if (kind === 'progress') {
      const [progress, said] = rest;
      const text = said === undefined ? said : String(said);
      runner().remote.tellProgress(subject, Number(progress), text);
    }
  }
}

/** The parts of a message; none for a text that is no message. */
function messageOf(text: string): readonly [kind?: string, subject?: string, ...rest: unknown[]] {
  try {
    const parts: unknown = JSON.parse(text);
    // The kind is checked where it is used; subjects of these kinds are text.
    return Array.isArray(parts) ? (parts as [string, string]) : [];
  } catch {
    return [];
  }
}
