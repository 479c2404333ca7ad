/** The keys of a service whose database is PostgreSQL, for `qcs keys`. */
import type { KeyStore } from '../service/keys/key-store.ts';
import { createPostgresKeyStore } from '../service/keys/postgres-key-store.ts';
import type { OnDamaged } from '../storage/damaged-records.ts';
import { PostgresDatabase } from '../storage/postgres/postgres-database.ts';

/**
 * Uses the keys beside a service, running or not.
 *
 * @throws as `PostgresDatabase.open`.
 */
export async function withPostgresKeys(
  url: string,
  onDamaged: OnDamaged,
  use: (store: KeyStore) => Promise<void>,
): Promise<void> {
  const database = await PostgresDatabase.open({ url, role: 'command' });
  try {
    await use(createPostgresKeyStore(database, onDamaged));
  } finally {
    await database.close();
  }
}
