/** Requester of the public demo's inferences, shared by all visitors. */
import type { Requester } from '../../workloads/models/qnn-hybrid/qnn-hybrid.ts';

/** Low priority, behind all callers with a key. All visitors share one place in the queue. */
export const VISITORS: Requester = {
  keyId: 'demo',
  tier: 'standard',
  priority: 'low',
  maxWaitMs: 15_000,
};
