/** How long finished jobs are kept. */
import type { DatabaseSync } from 'node:sqlite';
import { GroupCommit } from '../storage/group-commit.ts';

const PRUNE = `
  DELETE FROM jobs WHERE rowid IN (
    SELECT rowid FROM jobs WHERE finished_at < ? ORDER BY finished_at LIMIT ?)`;

/**
 * Deletes all jobs that finished before a time, the first finished first. Unfinished ones are never
 * deleted, however old.
 *
 * @param before - Milliseconds since 1970 UTC.
 * @param batch - Deleted in one go; between two batches the event loop goes on.
 * @returns How many.
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
