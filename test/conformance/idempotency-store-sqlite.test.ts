import { SqliteIdempotencyStore } from '../../src/jobs/sqlite-idempotency-store.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { describeIdempotencyStore } from './idempotency-store-suite.ts';

describeIdempotencyStore('sqlite', () => {
  const database = openDatabase(':memory:');
  return { store: new SqliteIdempotencyStore(database), close: () => database.close() };
});
