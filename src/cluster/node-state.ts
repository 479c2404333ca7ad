/** State of a node, from what it has written to the database. */
import type { NodeStatus } from './node-status.ts';

/**
 * States of a node. `silent`: it was not heard of for a lease, and no other node has given it up yet. `stopped`: it
 * stopped in order, or was given up.
 */
export const NODE_STATES = ['up', 'draining', 'silent', 'stopped'] as const;

export type NodeState = (typeof NODE_STATES)[number];

/**
 * Derives the state of a node.
 *
 * @param now - By the clock of the database, milliseconds since 1970 UTC.
 */
export function nodeStateOf(
  { isUp, isDraining, seenAt }: Pick<NodeStatus, 'isUp' | 'isDraining' | 'seenAt'>,
  now: number,
  leaseMs: number,
): NodeState {
  if (!isUp) return 'stopped';
  if (now - seenAt > leaseMs) return 'silent';
  return isDraining ? 'draining' : 'up';
}
