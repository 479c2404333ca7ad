/**
 * Blocks of a limit that nodes share.
 *
 * A node draws a block of the rest of the limit in one transaction, and then spends it without the database. Blocks
 * become smaller as less is left, so that little of the rest is stuck at a node that does not need it.
 */
import type { Query } from '../storage/postgres/connection.ts';

/** A node that draws takes at most this part of its equal share of the rest. */
const PART_OF_SHARE = 4;

/** Greatest number of blocks that are drawn in one transaction. Each takes a lock of the server's lock table. */
export const MAX_DRAWS_AT_ONCE = 100;

/**
 * SQL expression for the size of a block, over the bigint columns `free` (what is left of the limit), `needed` (for
 * callers that wait) and `wanted` (for callers to come). `needed` is granted as far as `free` allows.
 *
 * @param numNodes - Parameter with the number of nodes that draw, such as `$3`.
 */
export function blockSize(numNodes: string): string {
  return `least(free, greatest(needed, least(wanted, free / (${PART_OF_SHARE} * greatest(1, ${numNodes}::bigint)))))`;
}

/**
 * Locks subjects until the end of the transaction. Every node locks them in the same order, so two nodes never wait
 * for each other. A statement that must see the last holder's writes comes after this one.
 *
 * @param lockClass - Number of the table's locks among all advisory locks.
 */
export async function lockSubjects(
  query: Query,
  lockClass: number,
  subjects: readonly string[],
): Promise<void> {
  await query(LOCK, [lockClass, subjects]);
}

const LOCK = {
  name: 'lock_subjects',
  text: `SELECT pg_advisory_xact_lock($1::int, key) FROM
    (SELECT DISTINCT hashtext(subject) AS key FROM unnest($2::text[]) AS subject ORDER BY key) AS keys`,
};
