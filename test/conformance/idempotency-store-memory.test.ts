import { MemoryIdempotencyStore } from '../../src/jobs/memory-idempotency-store.ts';
import { describeIdempotencyStore } from './idempotency-store-suite.ts';

describeIdempotencyStore('memory', () => ({
  store: new MemoryIdempotencyStore(),
  close: () => {},
}));
