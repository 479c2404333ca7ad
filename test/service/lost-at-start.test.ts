// @needs facilities
/** A node of a cluster whose connections to PostgreSQL are lost while it starts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLUSTER_SETTINGS } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { describeWith, facilityPath } from '../support/facilities/describe-with.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startServiceProcess, temporaryFolder } from '../support/service-process.ts';

/** Messages to the server after which the connections end: while tables are made, stores are read, the node joins. */
const MESSAGES = [2, 5, 9, 14, 20, 28];

describeWith(['PostgreSQL'], 'a start that loses its connections', () => {
  let server: PostgresServer;
  let proxy: PostgresProxy;
  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
    proxy = await startPostgresProxy(server.port);
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  test.each(MESSAGES)('goes on after %i messages', async (numMessages) => {
    const url = await server.createDatabase();
    using folder = temporaryFolder();
    const ended = proxy.endAfter(numMessages);
    const service = await startServiceProcess(folder.path, {
      ...CLUSTER_SETTINGS,
      QCS_DATABASE_URL: url.replace(`:${server.port}/`, `:${proxy.port}/`),
    });
    await ended;
    await eventually(async () => {
      expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
    });
    expect(await service.stop('SIGTERM')).toBe(0);
  });
});
