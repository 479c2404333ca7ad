/** Deletion of old finished jobs. */
import type { DatabaseSync } from 'node:sqlite';
import { GroupCommit } from '../storage/group-commit.ts';

const PRUNE = `
  DELETE FROM jobs WHERE rowid IN (
    SELECT rowid FROM jobs WHERE finished_at < ? ORDER BY finished_at LIMIT ?)`;

/**
 * Deletes all jobs that finished before a time, oldest first. Unfinished jobs are never deleted.
 *
 * @param before - Milliseconds since 1970 UTC.
 * @param batch - Number of jobs deleted at once; the event loop runs between batches.
 * @returns The number of deleted jobs.
 */
export async function pruneFinishedJobs(
  database: DatabaseSync,
  before: number,
  batch = 200,
): Promise<number> {
  const statement = database.prepare(PRUNE);
  const writer = GroupCommit.of(database);
  for (let total = 0; ; ) {
    const deleted = await writer.write(() => Number(statement.run(before, batch).changes));
    total += deleted;
    if (deleted < batch) return total;
  }
}
