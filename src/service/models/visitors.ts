/** Whom the public demo runs inferences for: all who come without a key, as one. */
import type { Requester } from '../../workloads/models/qnn-hybrid/qnn-hybrid.ts';

/** Behind everyone who has a key, and in one turn with each other. */
export const VISITORS: Requester = {
  keyId: 'demo',
  tier: 'standard',
  priority: 'low',
  maxWaitMs: 15_000,
};
