/** Caller of the public demo's inferences: one for all visitors without a key. */
import type { Requester } from '../../workloads/models/qnn-hybrid/qnn-hybrid.ts';

/** Low priority: behind all callers with a key. Visitors share one turn. */
export const VISITORS: Requester = {
  keyId: 'demo',
  tier: 'standard',
  priority: 'low',
  maxWaitMs: 15_000,
};
