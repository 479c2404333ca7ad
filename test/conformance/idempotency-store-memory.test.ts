import { MemoryIdempotencyStore } from '../support/memory-idempotency-store.ts';
import { describeIdempotencyStore } from './idempotency-store-suite.ts';

describeIdempotencyStore('memory', () => ({
  store: new MemoryIdempotencyStore(),
  close: () => {},
}));
