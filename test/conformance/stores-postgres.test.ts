// @needs facilities
/** The stores of jobs and idempotency keys on a PostgreSQL server. */
import { afterAll, beforeAll } from 'vitest';
import { PostgresIdempotencyStore } from '../../src/cluster/postgres-idempotency-store.ts';
import { PostgresJobStore } from '../../src/cluster/postgres-job-store.ts';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { describeWith, facilityPath } from '../support/facilities/describe-with.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { describeIdempotencyStore } from './idempotency-store-suite.ts';
import { describeJobStore } from './job-store-suite.ts';

describeWith(['PostgreSQL'], 'the stores on PostgreSQL', () => {
  let server: PostgresServer;
  let database: PostgresDatabase;
  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
    database = await PostgresDatabase.open({ url: await server.createDatabase(), role: 'service' });
  });
  afterAll(async () => {
    await database?.close();
    await server?.[Symbol.asyncDispose]();
  });

  const empty = async () => {
    await database.writer.write((query) => query('DELETE FROM jobs; DELETE FROM idempotency'));
  };

  describeJobStore('PostgreSQL', () => ({ store: new PostgresJobStore(database), close: empty }));
  describeIdempotencyStore('PostgreSQL', () => ({
    store: new PostgresIdempotencyStore(database),
    close: empty,
  }));
});
