/**
 * This process as a node of a cluster: its row in the table `nodes`, renewed each second, and what the rows of the
 * others say.
 *
 * The row is a lease. A node that was not heard of for the time of a lease is given up by any other node, which raises
 * the epoch of the row; the claims of an epoch that is over are worth nothing. A node that finds its own epoch over
 * joins again, under a new one. All times are those of the database's clock, so that clocks of nodes may differ.
 *
 * While the database is away or stands still, no node can renew its lease. A node gives up another one only after it
 * has itself been connected, and has renewed its lease regularly, for the time of a lease, so that everybody had the
 * time to come back.
 */
import type { StoredRow } from '../storage/damaged-records.ts';
import type { Query } from '../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { NodeNameInUseError } from './errors.ts';
import { readReport } from './node-report.ts';
import type { NodeReport, NodeRole, NodeStatus, Peers } from './node-status.ts';
import { type JobCount, restorePlaces } from './places-in-flight.ts';
import { type SharedJob, sharedJobOfRow } from './shared-job.ts';

/** Leases are renewed four times at least before they end, and once a second. */
const RENEW_EVERY_MS = 1000;
const RENEWALS_OF_LEASE = 4;
const JOIN_AGAIN_MS = 200;
/** The clock of the database is followed if it differs by more, milliseconds. */
const CLOCK_STEP_MS = 25;

/**
 * A row is taken over from a process that has stopped, was given up, or is not connected any more. (A process that was
 * killed is not connected; its lease may still run.)
 */
const JOIN = {
  name: 'node-join',
  text: `INSERT INTO nodes AS node (name, epoch, process, role, version, is_up) VALUES ($1, 1, $2, $3, $4, true)
    ON CONFLICT (name) DO UPDATE SET
      epoch = node.epoch + 1, process = excluded.process, role = excluded.role, version = excluded.version,
      is_up = true, started_at = clock_timestamp(), seen_at = clock_timestamp(), report = '{}'
    WHERE node.process = excluded.process OR NOT node.is_up
      OR node.seen_at < clock_timestamp() - make_interval(secs => $5)
      OR NOT EXISTS (SELECT 1 FROM pg_stat_activity
        WHERE application_name = node.process AND datname = current_database())
    RETURNING epoch`,
};
const OWN_JOBS = {
  name: 'node-own-jobs',
  text: `SELECT * FROM jobs WHERE origin = $1 AND status IN ('queued', 'running')`,
};
const RENEW = {
  name: 'node-renew',
  text: `UPDATE nodes SET seen_at = clock_timestamp(), report = $4
    WHERE name = $1 AND epoch = $2 AND process = $3 AND is_up
    RETURNING is_draining, extract(epoch FROM clock_timestamp()) * 1000 AS now`,
};
const HOLDER = { name: 'node-holder', text: 'SELECT process FROM nodes WHERE name = $1' };
const LEAVE = {
  name: 'node-leave',
  text: 'UPDATE nodes SET is_up = false, epoch = epoch + 1 WHERE name = $1 AND epoch = $2 AND process = $3',
};
const OTHERS = {
  name: 'node-others',
  text: `SELECT name, epoch, role, version, is_up, is_draining, report,
      extract(epoch FROM started_at) * 1000 AS started, extract(epoch FROM seen_at) * 1000 AS seen
    FROM nodes WHERE name <> $1 ORDER BY name`,
};
/** Nodes that stopped a day ago; those whose jobs no node has taken over stay. */
const PRUNE = {
  name: 'node-prune',
  text: `WITH gone AS (
      DELETE FROM nodes WHERE NOT is_up AND seen_at < clock_timestamp() - interval '1 day'
        AND NOT EXISTS (SELECT 1 FROM jobs WHERE origin = nodes.name AND status IN ('queued', 'running'))
      RETURNING name
    ) DELETE FROM holdings WHERE node IN (SELECT name FROM gone)`,
};
/** Holdings of nodes that are up, and those that a node may take: unheld, or of a node that is not up. */
const HOLDINGS = {
  name: 'node-holdings',
  text: `SELECT holdings.id, holdings.node, nodes.is_up FROM holdings JOIN nodes ON nodes.name = holdings.node
    WHERE holdings.kind = $1`,
};
const TAKE = {
  name: 'node-take',
  text: `INSERT INTO holdings (kind, id, node) SELECT $1, id, $3 FROM unnest($2::text[]) AS id
    ON CONFLICT (kind, id) DO UPDATE SET node = excluded.node`,
};
const RETURN_HOLDINGS = {
  name: 'node-return',
  text: 'DELETE FROM holdings WHERE kind = $1 AND id = ANY ($2::text[]) AND node = $3',
};

/** Jobs that a node took in before it joined under a new epoch. */
export interface OwnJobs {
  readonly jobs: readonly SharedJob[];
  /** Their places in flight. */
  readonly places: readonly JobCount[];
}

/** Options of a ClusterNode. */
export interface ClusterNodeOptions {
  readonly name: string;
  readonly role: NodeRole;
  readonly version: string;
  /** Time after which a silent node is given up. */
  readonly leaseMs: number;
  /** Milliseconds since 1970 UTC, until the clock of the database is known. */
  readonly clock: () => number;
  /** Report to write with each renewal; undefined while there is none. */
  readonly report: () => NodeReport | undefined;
  /** Called when this node has joined under an epoch; the claims of earlier ones are worth nothing. */
  readonly onJoined: (epoch: number, own: OwnJobs) => void;
  /** Called after each look at the other nodes. */
  readonly onLooked: () => void;
  /** Called if another process has taken this node's name; this one must stop. */
  readonly onReplaced: (error: NodeNameInUseError) => void;
}

export class ClusterNode implements Peers {
  readonly name: string;
  readonly role: NodeRole;
  readonly #database: PostgresDatabase;
  readonly #options: ClusterNodeOptions;
  #epoch = 0;
  #isDraining = false;
  /** Clock of the database less the monotonic clock; undefined until it is known. */
  #clockMs: number | undefined;
  /** On the monotonic clock. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Since when renewals are regular, likewise. */
  #steadySince = Number.POSITIVE_INFINITY;
  #peers: readonly NodeStatus[] = [];
  #timer: NodeJS.Timeout | undefined;
  #joining: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: PostgresDatabase, options: ClusterNodeOptions) {
    this.#database = database;
    this.#options = options;
    this.name = options.name;
    this.role = options.role;
  }

  /** Epoch of this node; 0 before it has joined. */
  get epoch(): number {
    return this.#epoch;
  }

  /** True if an operator has ordered the node to claim no further jobs. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Time since the lease was renewed. */
  get leaseAgeMs(): number {
    return performance.now() - this.#renewedAt;
  }

  /** True while the lease is renewed in time, so that no other node gives this one up. */
  get holdsLease(): boolean {
    return this.#epoch > 0 && this.leaseAgeMs < this.#options.leaseMs / 2;
  }

  /**
   * True if this node has renewed its lease regularly for the time of a lease, until now. Otherwise the database or
   * this machine may have stood still, and other nodes had no chance to be heard.
   */
  get isSteady(): boolean {
    return this.holdsLease && performance.now() - this.#steadySince > this.#options.leaseMs;
  }

  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  now(): number {
    if (this.#clockMs === undefined) return this.#options.clock();
    return Math.round(this.#clockMs + performance.now());
  }

  peers(): readonly NodeStatus[] {
    return this.#peers;
  }

  /**
   * Joins the cluster, and renews the lease from then on. Tries until the database can be used.
   *
   * @throws {NodeNameInUseError} if another process is the node of this name.
   */
  async join(): Promise<void> {
    if (this.#timer !== undefined) return;
    this.#joining ??= this.#join().finally(() => {
      this.#joining = undefined;
    });
    await this.#joining;
    if (this.#timer !== undefined || this.#isClosed) return;
    const everyMs = Math.min(RENEW_EVERY_MS, this.leaseMs / RENEWALS_OF_LEASE);
    this.#timer = setInterval(() => void this.renew(), everyMs).unref();
    await this.renew();
  }

  /** Renews the lease and looks at the other nodes now. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew()
      .catch(() => {})
      .finally(() => {
        this.#renewing = undefined;
      });
    return this.#renewing;
  }

  /** Stops renewing; the node is still up. */
  async stopRenewing(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#renewing;
  }

  /** Ends this node's part in the cluster in order: its epoch is over, and its shares are free. */
  async leave(): Promise<void> {
    await this.stopRenewing();
    if (this.#epoch === 0) return;
    const values = [this.name, this.#epoch, this.#database.name];
    await this.#database.writer.write((query) => query(LEAVE, values));
  }

  /** Deletes the rows of nodes that stopped a day ago. */
  async prune(): Promise<void> {
    await this.#database.writer.write((query) => query(PRUNE));
  }

  /**
   * Takes things that one node at a time holds, and gives back others. Nothing is written if nothing changes.
   *
   * @param held - What this node held when last asked.
   * @param choose - Chooses from the present state what this node holds from now on. It gets the ids that others hold,
   *   and those that this node holds.
   * @returns What this node holds.
   */
  async hold(
    kind: string,
    held: readonly string[],
    choose: (ofOthers: ReadonlyMap<string, string>, own: readonly string[]) => readonly string[],
  ): Promise<readonly string[]> {
    const chosen = this.#chosen(await this.#database.read(HOLDINGS, [kind]), choose);
    if (chosen.taken.length + chosen.returned.length === 0 && isSame(chosen.all, held)) return held;
    return await this.#database.writer.write(async (query) => {
      await query('LOCK TABLE holdings IN SHARE ROW EXCLUSIVE MODE');
      const { all, taken, returned } = this.#chosen((await query(HOLDINGS, [kind])).rows, choose);
      if (taken.length > 0) await query(TAKE, [kind, taken, this.name]);
      if (returned.length > 0) await query(RETURN_HOLDINGS, [kind, returned, this.name]);
      return all;
    }, true);
  }

  #chosen(
    rows: readonly StoredRow[],
    choose: (ofOthers: ReadonlyMap<string, string>, own: readonly string[]) => readonly string[],
  ) {
    const own = rows.filter(({ node }) => node === this.name).map(({ id }) => String(id));
    const others = rows.filter(({ node, is_up: isUp }) => node !== this.name && Boolean(isUp));
    const all = choose(new Map(others.map(({ id, node }) => [String(id), String(node)])), own);
    return {
      all,
      taken: all.filter((id) => !own.includes(id)),
      returned: own.filter((id) => !all.includes(id)),
    };
  }

  async #join(): Promise<void> {
    const { name, role, version, leaseMs } = this.#options;
    const { writer, name: process } = this.#database;
    const values = [name, process, role, version, leaseMs / 1000];
    // The lease of a process that is connected and silent ends meanwhile.
    for (let endsAt = Number.POSITIVE_INFINITY; !this.#isClosed; ) {
      try {
        const sentAt = performance.now();
        const joined = await writer.write((query) => joinWith(query, name, values), true);
        if (joined !== undefined) {
          this.#epoch = joined.epoch;
          this.#renewedAt = sentAt;
          this.#options.onJoined(joined.epoch, joined.own);
          return;
        }
        endsAt = Math.min(endsAt, performance.now() + leaseMs + RENEW_EVERY_MS);
        if (performance.now() > endsAt) throw new NodeNameInUseError(name);
      } catch (error) {
        if (error instanceof NodeNameInUseError) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, JOIN_AGAIN_MS));
    }
  }

  async #renew(): Promise<void> {
    if (this.#joining !== undefined || this.#epoch === 0) return;
    const { writer, name: process } = this.#database;
    const report = JSON.stringify(this.#options.report() ?? {});
    const values = [this.name, this.#epoch, process, report];
    const sentAt = performance.now();
    const { rows } = await writer.write((query) => query(RENEW, values));
    const [row] = rows;
    if (row === undefined) {
      await this.#joinAgain();
      return;
    }
    const renewedAt = performance.now();
    const isLate = renewedAt - this.#renewedAt > this.#options.leaseMs / 2;
    if (isLate || this.#steadySince > renewedAt) this.#steadySince = renewedAt;
    this.#renewedAt = sentAt;
    this.#isDraining = Boolean(row['is_draining']);
    this.#setClock(Number(row['now']), sentAt);
    this.#peers = (await this.#database.read(OTHERS, [this.name])).map(nodeOfRow);
    this.#options.onLooked();
  }

  /** Joins again after this node was given up, unless another process has its name now. */
  async #joinAgain(): Promise<void> {
    const [row] = await this.#database.read(HOLDER, [this.name]);
    if (row !== undefined && row['process'] !== this.#database.name) {
      this.#isClosed = true;
      clearInterval(this.#timer);
      this.#options.onReplaced(new NodeNameInUseError(this.name));
      return;
    }
    this.#joining = this.#join().finally(() => {
      this.#joining = undefined;
    });
    await this.#joining;
  }

  #setClock(databaseMs: number, sentAt: number): void {
    const receivedAt = performance.now();
    const clockMs = databaseMs - (sentAt + receivedAt) / 2;
    const differs = Math.abs(clockMs - (this.#clockMs ?? Number.POSITIVE_INFINITY));
    // The time of the statement within the round trip is not known.
    if (differs > CLOCK_STEP_MS + (receivedAt - sentAt)) this.#clockMs = clockMs;
  }
}

/** Joins, and finds the unfinished jobs that the node took in earlier; undefined if its name is in use. */
async function joinWith(
  query: Query,
  name: string,
  values: readonly unknown[],
): Promise<{ readonly epoch: number; readonly own: OwnJobs } | undefined> {
  const { rows } = await query(JOIN, values);
  const [row] = rows;
  if (row === undefined) return undefined;
  const places = await restorePlaces(query, name);
  const jobs = (await query(OWN_JOBS, [name])).rows.flatMap((own) => readableJob(own));
  return { epoch: Number(row['epoch']), own: { jobs, places } };
}

/** The job of a row, with only the beginning of a large request; none if the row is damaged. */
export function readableJob(row: StoredRow): readonly SharedJob[] {
  try {
    return [sharedJobOfRow(row)];
  } catch {
    return [];
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}

type NodeRow = Readonly<Record<string, unknown>>;

function nodeOfRow(row: NodeRow): NodeStatus {
  return {
    name: String(row['name']),
    epoch: Number(row['epoch']),
    // The cast is safe: the column has a check of the roles.
    role: row['role'] as NodeRole,
    version: String(row['version']),
    isUp: Boolean(row['is_up']),
    isDraining: Boolean(row['is_draining']),
    startedAt: Number(row['started']),
    seenAt: Number(row['seen']),
    report: readReport(String(row['report'])),
  };
}

/** Condition of a row of `nodes` that its node is up and was not given up: `$node` and `$epoch` are expressions. */
export const isCurrent = (node: string, epoch: string) =>
  `EXISTS (SELECT 1 FROM nodes WHERE nodes.name = ${node} AND nodes.epoch = ${epoch} AND nodes.is_up)`;
