import { expect, test } from 'vitest';
import { nodeStateOf } from '../../../src/cluster/node-status.ts';

const SEEN_AT = 1_000_000;
const LEASE_MS = 5000;

test.each([
  [{ isUp: true, isDraining: false }, 0, 'up'],
  [{ isUp: true, isDraining: false }, 5000, 'up'],
  [{ isUp: true, isDraining: false }, 5001, 'silent'],
  [{ isUp: true, isDraining: true }, 5000, 'draining'],
  [{ isUp: true, isDraining: true }, 5001, 'silent'],
  [{ isUp: false, isDraining: false }, 0, 'stopped'],
  [{ isUp: false, isDraining: true }, 9999, 'stopped'],
] as const)('a node with %o that was heard of %i ms ago is %s', (node, silentMs, state) => {
  expect(nodeStateOf({ ...node, seenAt: SEEN_AT }, SEEN_AT + silentMs, LEASE_MS)).toBe(state);
});
