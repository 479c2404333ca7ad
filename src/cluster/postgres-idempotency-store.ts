/**
 * Idempotency keys in PostgreSQL. Claims are one upsert, as in SQLite: it inserts the keys, or takes over expired and
 * orphaned ones. A claim is orphaned if its job was not created and its node is not up.
 */

import { IdempotencyConflictError } from '../jobs/errors.ts';
import {
  type Claim,
  type ClaimRequest,
  IDEMPOTENCY_LIFETIME_MS,
  type IdempotencyStore,
  storedAnswer,
} from '../jobs/idempotency.ts';
import type { OnDamaged } from '../storage/damaged-records.ts';
import type { Query } from '../storage/postgres/connection.ts';
import type { PostgresDatabase } from '../storage/postgres/postgres-database.ts';
import { WriteBatches } from '../storage/postgres/write-batches.ts';

const CLAIM = {
  name: 'idempotency-claim',
  text: `INSERT INTO idempotency (key_id, idempotency_key, body_hash, job_id, created_at, claimed_by)
    SELECT *, $6 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
    ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
      body_hash = excluded.body_hash,
      job_id = excluded.job_id,
      claimed_by = excluded.claimed_by,
      response = NULL,
      created_at = excluded.created_at
    WHERE idempotency.created_at <= excluded.created_at - ${IDEMPOTENCY_LIFETIME_MS}
      OR (idempotency.response IS NULL AND idempotency.claimed_by <> $6
        AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = idempotency.job_id)
        AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.process = idempotency.claimed_by AND nodes.is_up))
    RETURNING key_id, idempotency_key`,
};
const OF_KEYS = `(key_id, idempotency_key) IN (SELECT * FROM unnest($1::text[], $2::text[]))`;
const SELECT = { name: 'idempotency-select', text: `SELECT * FROM idempotency WHERE ${OF_KEYS}` };
const SETTLE = {
  name: 'idempotency-settle',
  text: `UPDATE idempotency SET response = given.response
    FROM unnest($1::text[], $2::text[], $3::text[]) AS given (key_id, idempotency_key, response)
    WHERE idempotency.key_id = given.key_id AND idempotency.idempotency_key = given.idempotency_key
      AND idempotency.response IS NULL`,
};
/** A key that another node has claimed is released only if its job has failed. */
const RELEASE = {
  name: 'idempotency-release',
  text: `DELETE FROM idempotency WHERE ${OF_KEYS} AND response IS NULL AND (claimed_by = $3
    OR EXISTS (SELECT 1 FROM jobs WHERE jobs.id = idempotency.job_id AND jobs.status = 'failed'))`,
};
const PRUNE = {
  name: 'idempotency-prune',
  text: `DELETE FROM idempotency WHERE (key_id, idempotency_key) IN (
    SELECT key_id, idempotency_key FROM idempotency WHERE created_at <= $1 ORDER BY created_at LIMIT $2)`,
};
/** A key claimed far in the future is damaged and would never expire. */
const PRUNE_LATE = {
  name: 'idempotency-prune-late',
  text: 'DELETE FROM idempotency WHERE created_at > $1',
};

interface KeyName {
  readonly keyId: string;
  readonly idempotencyKey: string;
}

interface Settlement extends KeyName {
  readonly response: string;
}

/** IdempotencyStore over the table `idempotency` in PostgreSQL. Create one per process. */
export class PostgresIdempotencyStore implements IdempotencyStore {
  readonly #writer: PostgresDatabase['writer'];
  readonly #onDamaged: OnDamaged;
  /** Identifies this process among those that wrote to the table. */
  readonly #claimedBy: string;
  readonly #claims: WriteBatches<ClaimRequest, Claim>;
  readonly #settlements: WriteBatches<Settlement, void>;
  readonly #releases: WriteBatches<KeyName, void>;

  /** @param onDamaged - Called each time a stored answer cannot be read. */
  constructor(
    { writer, name }: Pick<PostgresDatabase, 'writer' | 'name'>,
    onDamaged: OnDamaged = () => {},
  ) {
    this.#claimedBy = name;
    this.#writer = writer;
    this.#onDamaged = onDamaged;
    this.#claims = new WriteBatches<ClaimRequest, Claim>(writer, {
      subjectOf: nameOf,
      run: (query, requests) => this.#claim(query, requests),
    });
    this.#settlements = new WriteBatches<Settlement, void>(writer, {
      subjectOf: nameOf,
      run: async (query, keys) => {
        await query(SETTLE, [...columnsOf(keys), keys.map(({ response }) => response)]);
        return keys.map(() => undefined);
      },
    });
    this.#releases = new WriteBatches<KeyName, void>(writer, {
      subjectOf: nameOf,
      run: async (query, keys) => {
        await query(RELEASE, [...columnsOf(keys), this.#claimedBy]);
        return keys.map(() => undefined);
      },
    });
  }

  claim(request: ClaimRequest): Promise<Claim> {
    return this.#claims.add(request);
  }

  settle(keyId: string, idempotencyKey: string, response: string): Promise<void> {
    return this.#settlements.add({ keyId, idempotencyKey, response });
  }

  release(keyId: string, idempotencyKey: string): Promise<void> {
    return this.#releases.add({ keyId, idempotencyKey });
  }

  async prune(now: number, batch = 200): Promise<number> {
    const expiry = now - IDEMPOTENCY_LIFETIME_MS;
    const late = now + IDEMPOTENCY_LIFETIME_MS;
    let total = (await this.#writer.write((query) => query(PRUNE_LATE, [late]))).count;
    for (;;) {
      const { count } = await this.#writer.write((query) => query(PRUNE, [expiry, batch]));
      total += count;
      if (count < batch) return total;
    }
  }

  async #claim(
    query: Query,
    requests: readonly ClaimRequest[],
  ): Promise<readonly (Claim | IdempotencyConflictError)[]> {
    const { rows } = await query(CLAIM, [
      ...columnsOf(requests),
      requests.map(({ bodyHash }) => bodyHash),
      requests.map(({ jobId }) => jobId),
      requests.map(({ now }) => now),
      this.#claimedBy,
    ]);
    const claimed = new Set(rows.map(nameOfRow));
    const others = requests.filter((request) => !claimed.has(nameOf(request)));
    const found = others.length === 0 ? undefined : await query(SELECT, columnsOf(others));
    const entries = new Map(found?.rows.map((row) => [nameOfRow(row), row]));
    return requests.map((request): Claim | IdempotencyConflictError => {
      if (claimed.has(nameOf(request))) return { kind: 'claimed' };
      const entry = entries.get(nameOf(request));
      if (entry?.['body_hash'] !== request.bodyHash) {
        return new IdempotencyConflictError(request.idempotencyKey);
      }
      const response = storedAnswer(entry['response'], request, this.#onDamaged);
      return {
        kind: 'replay',
        jobId: String(entry['job_id']),
        ...(response === undefined ? {} : { response }),
      };
    });
  }
}

function columnsOf(keys: readonly KeyName[]): readonly [readonly string[], readonly string[]] {
  return [keys.map(({ keyId }) => keyId), keys.map(({ idempotencyKey }) => idempotencyKey)];
}

/** Ids of keys contain no space. */
function nameOf({ keyId, idempotencyKey }: KeyName): string {
  return `${keyId} ${idempotencyKey}`;
}

function nameOfRow(row: Readonly<Record<string, unknown>>): string {
  return `${row['key_id']} ${row['idempotency_key']}`;
}
