/**
 * Idempotency keys in SQLite. A claim is one upsert: it inserts the key, or takes over an expired or orphaned
 * one.
 *
 * A claim is orphaned if it has no answer and no job and was made by another process, which therefore died
 * between claim and job. A claim of this process without a job is about to get one.
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { OnDamaged } from '../storage/damaged-records.ts';
import { GroupCommit } from '../storage/group-commit.ts';
import { IdempotencyConflictError } from './errors.ts';
import {
  type Claim,
  type ClaimRequest,
  IDEMPOTENCY_LIFETIME_MS,
  type IdempotencyStore,
  storedAnswer,
} from './idempotency.ts';

const CLAIM = `
  INSERT INTO idempotency (key_id, idempotency_key, body_hash, job_id, claimed_by, created_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (key_id, idempotency_key) DO UPDATE SET
    body_hash = excluded.body_hash,
    job_id = excluded.job_id,
    claimed_by = excluded.claimed_by,
    response = NULL,
    created_at = excluded.created_at
  WHERE idempotency.created_at <= ?7
    OR (idempotency.response IS NULL AND idempotency.claimed_by <> ?5
      AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.id = idempotency.job_id))`;

const PRUNE = `
  DELETE FROM idempotency WHERE rowid IN (
    SELECT rowid FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)`;
/** A key claimed far in the future is damaged and would never expire. */
const PRUNE_LATE = 'DELETE FROM idempotency WHERE created_at > ?';

/** IdempotencyStore over the `idempotency` table. Create one per process. */
export class SqliteIdempotencyStore implements IdempotencyStore {
  readonly #writer: GroupCommit;
  /** Identifies this process among those that wrote to the table. */
  readonly #claimedBy = randomUUID();
  readonly #claim: StatementSync;
  readonly #select: StatementSync;
  readonly #settle: StatementSync;
  readonly #release: StatementSync;
  readonly #prune: StatementSync;
  readonly #pruneLate: StatementSync;

  readonly #onDamaged: OnDamaged;

  /** @param onDamaged - Called each time a stored answer cannot be read. */
  constructor(database: DatabaseSync, onDamaged: OnDamaged = () => {}) {
    this.#onDamaged = onDamaged;
    const ofKey = 'key_id = ? AND idempotency_key = ?';
    this.#writer = GroupCommit.of(database);
    this.#claim = database.prepare(CLAIM);
    this.#select = database.prepare(
      `SELECT body_hash, job_id, response FROM idempotency WHERE ${ofKey}`,
    );
    this.#settle = database.prepare(
      `UPDATE idempotency SET response = ? WHERE ${ofKey} AND response IS NULL`,
    );
    this.#release = database.prepare(`DELETE FROM idempotency WHERE ${ofKey} AND response IS NULL`);
    this.#prune = database.prepare(PRUNE);
    this.#pruneLate = database.prepare(PRUNE_LATE);
  }

  claim(request: ClaimRequest): Promise<Claim> {
    const { keyId, idempotencyKey, bodyHash, jobId, now } = request;
    const expiry = now - IDEMPOTENCY_LIFETIME_MS;
    return this.#writer.write((): Claim => {
      const { changes } = this.#claim.run(
        keyId,
        idempotencyKey,
        bodyHash,
        jobId,
        this.#claimedBy,
        now,
        expiry,
      );
      if (changes === 1) return { kind: 'claimed' };
      const entry = this.#select.get(keyId, idempotencyKey);
      if (entry?.['body_hash'] !== bodyHash) throw new IdempotencyConflictError(idempotencyKey);
      const response = storedAnswer(entry['response'], request, this.#onDamaged);
      return {
        kind: 'replay',
        jobId: String(entry['job_id']),
        ...(response === undefined ? {} : { response }),
      };
    });
  }

  settle(keyId: string, idempotencyKey: string, response: string): Promise<void> {
    return this.#writer.write(() => void this.#settle.run(response, keyId, idempotencyKey));
  }

  release(keyId: string, idempotencyKey: string): Promise<void> {
    return this.#writer.write(() => void this.#release.run(keyId, idempotencyKey));
  }

  async prune(now: number, batch = 200): Promise<number> {
    const expiry = now - IDEMPOTENCY_LIFETIME_MS;
    const late = now + IDEMPOTENCY_LIFETIME_MS;
    const numLate = await this.#writer.write(() => Number(this.#pruneLate.run(late).changes));
    for (let total = numLate; ; ) {
      const deleted = await this.#writer.write(() =>
        Number(this.#prune.run(expiry, batch).changes),
      );
      total += deleted;
      if (deleted < batch) return total;
    }
  }
}
