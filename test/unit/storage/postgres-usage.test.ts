// @needs facilities
/** Bytes stored by key in PostgreSQL: exact, and nobody waits for them, with several nodes on one database. */
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { PostgresIdempotencyStore } from '../../../src/cluster/postgres-idempotency-store.ts';
import { PostgresJobStore } from '../../../src/cluster/postgres-job-store.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { PostgresUsage } from '../../../src/storage/postgres/usage.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWith, facilityPath } from '../../support/facilities/describe-with.ts';
import { newJob } from '../../support/jobs.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres-server.ts';

/** What the rows of each key take, counted anew. */
const RECOUNT = `
  SELECT key_id, sum(bytes)::bigint AS bytes FROM (
    SELECT key_id, 512 + octet_length(request) + coalesce(octet_length(large_request), 0)
      + coalesce(octet_length(result), 0) + coalesce(octet_length(large_result), 0)
      + CASE WHEN name IS NULL THEN 0 ELSE 96 + 2 * octet_length(name) END FROM jobs
    UNION ALL SELECT key_id, 96 + 2 * octet_length(tag) FROM job_tags
    UNION ALL SELECT key_id, 64 + octet_length(data) FROM job_parts
    UNION ALL SELECT key_id, 512 + coalesce(octet_length(response), 0) FROM idempotency
  ) AS stored (key_id, bytes) GROUP BY key_id`;
const KEYS = ['a', 'b', 'c'];
const TEXT = 'x'.repeat(100);

describeWith(['PostgreSQL'], 'bytes stored by key', () => {
  let server: PostgresServer;
  let url: string;
  let nodes: readonly PostgresDatabase[];

  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
  });
  beforeEach(async () => {
    url = await server.createDatabase();
    nodes = await Promise.all([1, 2].map(() => PostgresDatabase.open({ url, role: 'service' })));
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()));
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());

  const recounted = async () => {
    const rows = await query(url, RECOUNT);
    return new Map(rows.map((row) => [String(row['key_id']), Number(row['bytes'])]));
  };
  const expectExact = async (usage: PostgresUsage) => {
    const recount = await recounted();
    await usage.read();
    for (const key of KEYS) expect(usage.bytesOf(key)).toBe(recount.get(key) ?? 0);
    expect(usage.totalBytes).toBe([...recount.values()].reduce((sum, bytes) => sum + bytes, 0));
  };

  test('two nodes that write to the same keys in opposite orders do not wait for each other', async () => {
    let numHalfway = 0;
    const both = Promise.withResolvers<void>();
    const insert = `INSERT INTO jobs (id, kind, key_id, status, priority, target, request, created_at, attempts)
      VALUES ($1, 'circuit', $2, 'queued', 'normal', 't', 'r', 1, 0)`;
    await Promise.all(
      nodes.map(({ writer }, i) =>
        writer.write(async (run) => {
          const [first, second] = i === 0 ? ['a', 'b'] : ['b', 'a'];
          await run(insert, [`${i}-1`, first]);
          numHalfway += 1;
          if (numHalfway === 2) both.resolve();
          await both.promise;
          await run(insert, [`${i}-2`, second]);
        }),
      ),
    );
    // None was ended by the server to be tried again.
    expect(numHalfway).toBe(2);
    const [node] = nodes;
    const usage = new PostgresUsage(node as PostgresDatabase);
    await expectExact(usage);
    usage.close();
  });

  test('of nodes that fold at once each change is counted once, and without a call soon', async () => {
    const [node] = nodes as [PostgresDatabase, PostgresDatabase];
    const store = new PostgresJobStore(node);
    const usages = nodes.map((each) => new PostgresUsage(each));
    for (let i = 0; i < 10; i += 1) {
      await Promise.all([
        ...KEYS.map((keyId) => store.create(newJob({ keyId }))),
        ...usages.map((usage) => usage.fold()),
      ]);
      for (const usage of usages) await expectExact(usage);
    }
    await store.create(newJob({ keyId: 'a' }));
    await eventually(async () => (await query(url, 'SELECT 1 FROM storage_changes')).length === 0);
    for (const usage of usages) {
      await expectExact(usage);
      usage.close();
    }
  });

  test('the sums are those of a recount after any writes of two nodes', async () => {
    const write = fc.record({
      node: fc.nat(1),
      key: fc.constantFrom(...KEYS),
      what: fc.constantFrom('create', 'start', 'finish', 'fail', 'part', 'remove', 'claim', 'fold'),
      job: fc.nat(9),
      size: fc.integer({ min: 0, max: 9000 }),
    });
    const stores = nodes.map((node) => new PostgresJobStore(node));
    const idempotency = nodes.map((node) => new PostgresIdempotencyStore(node));
    const usages = nodes.map((node) => new PostgresUsage(node));
    const jobs: string[] = [];
    let numClaims = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 5, maxLength: 40 }), async (writes) => {
        await Promise.allSettled(
          writes.map(async ({ node, key, what, job, size }) => {
            // The casts are safe: there are two nodes, and `node` is 0 or 1.
            const store = stores[node] as PostgresJobStore;
            const id = jobs.at(-1 - job) ?? '';
            if (what === 'create') {
              const made = newJob({ keyId: key, name: `${TEXT}-${size}`, tags: ['t', `${size}`] });
              jobs.push(made.id);
              await store.create({ ...made, request: 'r'.repeat(size) });
            } else if (what === 'start') await store.transition(id, 'queued', 'running');
            else if (what === 'finish') {
              await store.transition(id, 'running', 'completed', { result: 'y'.repeat(size) });
            } else if (what === 'fail') await store.transition(id, 'running', 'failed');
            else if (what === 'part') {
              const bytes = new Uint8Array(size);
              await store.addParts(id, [{ series: 0, from: job, to: job + 1, bytes }]);
            } else if (what === 'remove') await store.remove(id);
            else if (what === 'fold') await usages[node]?.fold();
            else {
              numClaims += 1;
              const claimKey = `claim-${numClaims}`;
              await idempotency[node]?.claim({
                keyId: key,
                idempotencyKey: claimKey,
                bodyHash: 'h',
                jobId: `circ_${numClaims}`,
                now: 1,
              });
              await idempotency[node]?.settle(key, claimKey, TEXT);
            }
          }),
        );
        for (const usage of usages) await expectExact(usage);
      }),
      { numRuns: 25 },
    );
    for (const usage of usages) usage.close();
  });
});
