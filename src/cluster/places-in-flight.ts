/**
 * Places in flight over a cluster.
 *
 * Each node holds some of the places of a key; the database has the numbers, and their sum never exceeds the limit. A
 * node draws places when its own jobs would exceed what it holds, and once a second gives back what it does not need.
 * A node's own jobs are those that it took in, wherever they run.
 *
 * Draws of one key lock it, because each reads the sum of all nodes. To give back only lowers the sum, so it locks
 * nothing. Both change nothing for a node that was given up meanwhile: they hold a lock on the row of the node and
 * compare its epoch.
 */
import type { JobKind } from '../jobs/job.ts';
import type { Places } from '../jobs/places.ts';
import { StorageUnwritableError } from '../storage/errors.ts';
import type { Query } from '../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { WriteBatches } from '../storage/postgres/write-batches.ts';
import type { PostgresWriter } from '../storage/postgres/writer.ts';
import { blockSize, lockSubjects, MAX_DRAWS_AT_ONCE } from './blocks.ts';

/** Number of the advisory locks of places: "qcu". */
const LOCKS = 0x716375;

const GIVE_BACK_EVERY_MS = 1000;
/** A node draws at least this number of places beyond its need, if there are enough. */
const MIN_EXTRA = 2;
/** A node keeps at most this number of places beyond its need in the last second. */
const MAX_SPARE = 4;
/** All nodes together keep at most this part of the limit. */
const PART_OF_SPARES = 16;
/** Rounds of giving back after which a node without jobs of a key gives all places back. */
const QUIET_ROUNDS = 60;

/** Options of PlacesInFlight. */
interface PlacesOptions {
  readonly database: Pick<PostgresDatabase, 'read'> & {
    readonly writer: Pick<PostgresWriter, 'write'>;
  };
  /** Name of this node. */
  readonly node: string;
  /** Epoch of this node while its lease is certainly valid by the clock of the machine; undefined otherwise. */
  readonly epoch: () => number | undefined;
  /** Number of nodes that take requests, with this one. */
  readonly numNodes: () => number;
  /** Number of this node's own jobs of a kind and key that are not final, wherever they run. */
  readonly inFlight: (kind: JobKind, keyId: string) => number;
  /** Time between rounds of giving back, milliseconds; only tests change it. */
  readonly giveBackEveryMs?: number;
}

/** Number of jobs of a kind and key. */
export interface JobCount {
  readonly kind: JobKind;
  readonly keyId: string;
  readonly numJobs: number;
}

/** Places of a kind and key, as this node has them. */
interface Holding {
  readonly kind: JobKind;
  readonly keyId: string;
  /** Limit of the last reservation. */
  limit: number;
  /** Places that this node holds; the database has at least this number. */
  held: number;
  /** Held places of jobs that are about to be created. */
  reserved: number;
  /** Places that callers wait for. */
  numWanted: number;
  /** Greatest number of places in use since the last round of giving back. */
  peak: number;
  /** Rounds of giving back since the last use. */
  quietRounds: number;
  /** Number of draws that have begun. */
  numDraws: number;
  drawing: Promise<void> | undefined;
}

/** Places that several nodes share. */
export class PlacesInFlight implements Places {
  readonly #options: PlacesOptions;
  readonly #holdings = new Map<string, Holding>();
  readonly #draws: WriteBatches<Holding, number>;
  readonly #timer: NodeJS.Timeout;
  /** Number of times that the holdings were restored. */
  #numRestored = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#draws = new WriteBatches<Holding, number>(options.database.writer, {
      subjectOf: nameOf,
      isAlone: true,
      maxItems: MAX_DRAWS_AT_ONCE,
      run: (query, holdings) => this.#drawAll(query, holdings),
    });
    const everyMs = options.giveBackEveryMs ?? GIVE_BACK_EVERY_MS;
    this.#timer = setInterval(() => void this.giveBack(), everyMs).unref();
  }

  reserve(
    kind: JobKind,
    keyId: string,
    numJobs: number,
    limit: number,
  ): Disposable | undefined | Promise<Disposable | undefined> {
    if (this.#options.epoch() === undefined) throw leaseLost();
    const holding = this.#holdingOf(kind, keyId);
    holding.limit = limit;
    if (this.#used(holding) + numJobs > limit) return undefined;
    return this.#take(holding, numJobs) ?? this.#drawAndTake(holding, numJobs);
  }

  /**
   * Number of places that are taken: by own jobs, and by other nodes as of their last draw.
   *
   * @throws {StorageUnwritableError} if the database cannot be read now.
   */
  async inFlight(kind: JobKind, keyId: string): Promise<number> {
    const { database, node, inFlight } = this.#options;
    const rows = await database.read(HELD_BY_OTHERS, [keyId, kind, node]);
    return inFlight(kind, keyId) + Number(rows[0]?.['held'] ?? 0);
  }

  /** Gives back the places that this node did not need since the last call. Nothing is lost if that fails. */
  async giveBack(): Promise<void> {
    const epoch = this.#options.epoch();
    if (epoch === undefined) return;
    const given: { readonly holding: Holding; readonly surplus: number }[] = [];
    for (const [name, holding] of this.#holdings) {
      if (holding.drawing !== undefined || holding.numWanted > 0) continue;
      const surplus = this.#surplusOf(holding);
      if (surplus > 0) given.push({ holding, surplus });
      // Jobs that were accepted without a reservation, such as the tasks of a plan, are counted as far as possible.
      else if (this.#used(holding) > holding.held) this.#draw(holding).catch(() => {});
      else if (holding.held === 0 && holding.quietRounds > 0) this.#holdings.delete(name);
    }
    if (given.length === 0) return;
    for (const { holding, surplus } of given) holding.held -= surplus;
    const numRestored = this.#numRestored;
    try {
      await this.#options.database.writer.write(
        (query) => this.#writeGiven(query, epoch, given),
        true,
      );
    } catch {
      // None of it was stored.
      if (numRestored !== this.#numRestored) return;
      for (const { holding, surplus } of given) holding.held += surplus;
    }
  }

  /**
   * Takes note of places that `inheritPlaces` gave this node. Call it once that is committed, and `inFlight` counts
   * the jobs.
   */
  inherited(counts: readonly JobCount[]): void {
    for (const { kind, keyId, numJobs } of counts) this.#holdingOf(kind, keyId).held += numJobs;
  }

  /**
   * Takes note of what `restorePlaces` gave this node; it holds nothing else. Call it once that is committed, in the
   * turn in which `epoch` changes, and `inFlight` counts the jobs.
   */
  restored(counts: readonly JobCount[]): void {
    this.#numRestored += 1;
    for (const holding of this.#holdings.values()) holding.held = 0;
    this.inherited(counts);
  }

  /** Gives nothing back any more. Call it before jobs are put back, which leaves them unfinished. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Places in use, or about to be. */
  #used({ kind, keyId, reserved }: Holding): number {
    return this.#options.inFlight(kind, keyId) + reserved;
  }

  /** Reserves held places; undefined if there are too few. */
  #take(holding: Holding, numJobs: number): Disposable | undefined {
    const used = this.#used(holding) + numJobs;
    if (used > Math.min(holding.held, holding.limit)) return undefined;
    holding.reserved += numJobs;
    holding.peak = Math.max(holding.peak, used);
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (!isOver) holding.reserved -= numJobs;
        isOver = true;
      },
    };
  }

  async #drawAndTake(holding: Holding, numJobs: number): Promise<Disposable | undefined> {
    holding.numWanted += numJobs;
    const numDraws = holding.numDraws;
    try {
      for (;;) {
        await this.#draw(holding);
        if (this.#options.epoch() === undefined) throw leaseLost();
        const reservation = this.#take(holding, numJobs);
        // A draw that had begun before did not count these places.
        if (reservation !== undefined || holding.numDraws > numDraws) return reservation;
      }
    } finally {
      holding.numWanted -= numJobs;
    }
  }

  /** Draws places, unless a draw is under way; waits for it in both cases. */
  #draw(holding: Holding): Promise<void> {
    holding.drawing ??= this.#draws
      .add(holding)
      .then((block) => {
        holding.held += block;
      })
      .finally(() => {
        holding.drawing = undefined;
      });
    return holding.drawing;
  }

  async #drawAll(query: Query, holdings: readonly Holding[]): Promise<readonly (number | Error)[]> {
    const { node, epoch: epochOf, numNodes } = this.#options;
    const epoch = epochOf();
    if (epoch === undefined) return holdings.map(leaseLost);
    const needed = holdings.map((holding) => {
      holding.numDraws += 1;
      return Math.max(0, this.#used(holding) + holding.numWanted - holding.held);
    });
    const asked = [
      holdings.map(({ keyId }) => keyId),
      holdings.map(({ kind }) => kind),
      needed,
      holdings.map((holding, i) => (needed[i] ?? 0) + Math.max(MIN_EXTRA, this.#used(holding))),
      holdings.map(({ limit }) => limit),
    ];
    const [own, , { rows }] = await Promise.all([
      query(LOCK_NODE, [node, epoch]),
      lockSubjects(query, LOCKS, holdings.map(nameOf)),
      query(DRAW, [...asked, node, epoch, numNodes()]),
    ]);
    if (own.count === 0) return holdings.map(leaseLost);
    const blocks = new Map(
      rows.map((row) => [`${row['kind']} ${row['key_id']}`, Number(row['block'])]),
    );
    return holdings.map((holding) => blocks.get(nameOf(holding)) ?? 0);
  }

  async #writeGiven(
    query: Query,
    epoch: number,
    given: readonly { readonly holding: Holding; readonly surplus: number }[],
  ): Promise<void> {
    const { node } = this.#options;
    await Promise.all([
      query(LOCK_NODE, [node, epoch]),
      query(GIVE_BACK, [
        given.map(({ holding }) => holding.keyId),
        given.map(({ holding }) => holding.kind),
        given.map(({ surplus }) => surplus),
        node,
        epoch,
      ]),
      query(DELETE_EMPTY, [node, epoch]),
    ]);
  }

  /** Held places beyond those that the node keeps. Begins to measure the next round. */
  #surplusOf(holding: Holding): number {
    const { held, limit, peak } = holding;
    const used = this.#used(holding);
    const needed = Math.max(peak, used);
    holding.peak = used;
    holding.quietRounds = needed > 0 ? 0 : holding.quietRounds + 1;
    if (holding.quietRounds >= QUIET_ROUNDS) return held;
    const spare = Math.floor(limit / (PART_OF_SPARES * Math.max(1, this.#options.numNodes())));
    return held - needed - Math.min(MAX_SPARE, spare);
  }

  #holdingOf(kind: JobKind, keyId: string): Holding {
    const name = nameOf({ kind, keyId });
    let holding = this.#holdings.get(name);
    if (holding === undefined) {
      holding = {
        kind,
        keyId,
        limit: 0,
        held: 0,
        reserved: 0,
        numWanted: 0,
        peak: 0,
        quietRounds: 0,
        numDraws: 0,
        drawing: undefined,
      };
      this.#holdings.set(name, holding);
    }
    return holding;
  }
}

/** Counts jobs by kind and key. */
export function countJobs(
  jobs: Iterable<{ readonly kind: JobKind; readonly keyId: string }>,
): readonly JobCount[] {
  const counts = new Map<string, JobCount>();
  for (const { kind, keyId } of jobs) {
    const name = nameOf({ kind, keyId });
    counts.set(name, { kind, keyId, numJobs: (counts.get(name)?.numJobs ?? 0) + 1 });
  }
  return [...counts.values()];
}

/**
 * Gives the places of a dead node to one that takes over its jobs; places without a job are free. Run it in the
 * transaction that does so: it holds a lock on the rows of both nodes, and has raised the epoch of the dead one.
 *
 * @param moved - Unfinished jobs whose origin was the dead node, and is the new one now.
 * @param isPartial - True if the dead node has further jobs, which keep their places.
 */
export async function inheritPlaces(
  query: Query,
  deadNode: string,
  newNode: string,
  moved: readonly JobCount[],
  isPartial = false,
): Promise<void> {
  const counts = [
    moved.map(({ keyId }) => keyId),
    moved.map(({ kind }) => kind),
    moved.map(({ numJobs }) => numJobs),
  ];
  await Promise.all([
    isPartial
      ? query(
          `UPDATE places_in_flight AS own SET held = greatest(0, own.held - moved.held)
            FROM unnest($1::text[], $2::text[], $3::bigint[]) AS moved (key_id, kind, held)
            WHERE own.key_id = moved.key_id AND own.kind = moved.kind AND own.node = $4`,
          [...counts, deadNode],
        )
      : query('DELETE FROM places_in_flight WHERE node = $1', [deadNode]),
    addPlaces(query, newNode, moved),
  ]);
}

/**
 * Gives a node places for jobs that were accepted without one. Run it in the transaction that makes them the node's
 * jobs.
 */
export async function addPlaces(
  query: Query,
  node: string,
  added: readonly JobCount[],
): Promise<void> {
  await query(
    `INSERT INTO places_in_flight AS own (key_id, kind, node, held)
      SELECT key_id, kind, $4, held FROM unnest($1::text[], $2::text[], $3::bigint[])
        AS added (key_id, kind, held)
      ON CONFLICT (key_id, kind, node) DO UPDATE SET held = own.held + excluded.held`,
    [
      added.map(({ keyId }) => keyId),
      added.map(({ kind }) => kind),
      added.map(({ numJobs }) => numJobs),
      node,
    ],
  );
}

/**
 * Makes a node that starts hold a place for each of its unfinished jobs, and no others. Run it in the transaction
 * that raises the epoch of the node.
 *
 * @returns The numbers of those jobs.
 */
export async function restorePlaces(query: Query, node: string): Promise<readonly JobCount[]> {
  const [, { rows }] = await Promise.all([
    query('DELETE FROM places_in_flight WHERE node = $1', [node]),
    query(
      `INSERT INTO places_in_flight (key_id, kind, node, held)
        SELECT key_id, kind, origin, count(*) FROM jobs
          WHERE origin = $1 AND status IN ('queued', 'running')
          GROUP BY key_id, kind, origin
        RETURNING key_id, kind, held`,
      [node],
    ),
  ]);
  return rows.map((row) => ({
    // The cast is safe: the kind was that of a job.
    kind: row['kind'] as JobKind,
    keyId: String(row['key_id']),
    numJobs: Number(row['held']),
  }));
}

/** Kinds contain no space. */
function nameOf({ kind, keyId }: { readonly kind: JobKind; readonly keyId: string }): string {
  return `${kind} ${keyId}`;
}

function leaseLost(): StorageUnwritableError {
  return new StorageUnwritableError('other nodes may have given this one up');
}

const HELD_BY_OTHERS = {
  name: 'places_of_others',
  text: `SELECT sum(held)::bigint AS held FROM places_in_flight
    WHERE key_id = $1 AND kind = $2 AND node <> $3`,
};

/** Locks the row of the node, so that nobody gives the node up before the end of the transaction. */
const LOCK_NODE = {
  name: 'lock_own_node',
  text: 'SELECT FROM nodes WHERE name = $1 AND epoch = $2 AND is_up FOR SHARE',
};

/** Draws places: keys, kinds, needed and wanted numbers, limits; node, epoch, number of nodes. */
const DRAW = {
  name: 'draw_places',
  text: `
    WITH left_over AS MATERIALIZED (
      SELECT key_id, kind, needed, wanted,
        greatest(0, quota - coalesce(sum(held), 0))::bigint AS free
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
          AS asked (key_id, kind, needed, wanted, quota)
        LEFT JOIN places_in_flight USING (key_id, kind)
      GROUP BY key_id, kind, needed, wanted, quota
    ), granted AS MATERIALIZED (
      SELECT key_id, kind, ${blockSize('$8')} AS block FROM left_over
    ), written AS (
      INSERT INTO places_in_flight AS own (key_id, kind, node, held)
        SELECT key_id, kind, $6, block FROM granted
          WHERE block > 0
            AND EXISTS (SELECT FROM nodes WHERE name = $6 AND epoch = $7 AND is_up)
        ON CONFLICT (key_id, kind, node) DO UPDATE SET held = own.held + excluded.held
    )
    SELECT key_id, kind, block FROM granted`,
};

/** Gives places back: keys, kinds, numbers; node, epoch. */
const GIVE_BACK = {
  name: 'give_back_places',
  text: `
    UPDATE places_in_flight AS own SET held = own.held - given.surplus
      FROM unnest($1::text[], $2::text[], $3::bigint[]) AS given (key_id, kind, surplus)
      WHERE own.key_id = given.key_id AND own.kind = given.kind AND own.node = $4
        AND EXISTS (SELECT FROM nodes WHERE name = $4 AND epoch = $5 AND is_up)`,
};

const DELETE_EMPTY = {
  name: 'delete_empty_places',
  text: `
    DELETE FROM places_in_flight WHERE node = $1 AND held = 0
      AND EXISTS (SELECT FROM nodes WHERE name = $1 AND epoch = $2 AND is_up)`,
};
