// @needs facilities
/** Rate windows that several nodes share: exact at one node, and never above the limit over all. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { blockSize } from '../../../src/cluster/blocks.ts';
import { RateWindows } from '../../../src/cluster/rate-windows.ts';
import { FixedWindows } from '../../../src/service/http/limits.ts';
import { StorageUnwritableError } from '../../../src/storage/errors.ts';
import type { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import type { PostgresWriter } from '../../../src/storage/postgres/writer.ts';
import { type ClusterDatabase, openClusterDatabase } from '../../support/cluster-database.ts';
import { describeWith, facilityPath } from '../../support/facilities/describe-with.ts';
import { turn } from '../../support/jobs.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres-server.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

const MAX_NODES = 6;
const LENGTH_MS = 60_000;
const KEY = 'key-1';

/** Clock of the test's database, and the table that keeps what was drawn of each window. */
const TEST_TABLES = `
  CREATE TABLE test_clock (id int PRIMARY KEY, instant timestamptz);
  INSERT INTO test_clock VALUES (1, '2026-01-02');
  CREATE TABLE history (subject text, opened_at timestamptz, drawn bigint);
  CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO history VALUES (NEW.subject, NEW.opened_at, NEW.drawn); RETURN NULL; END $$;
  CREATE TRIGGER keep AFTER INSERT OR UPDATE ON rate_windows FOR EACH ROW EXECUTE FUNCTION keep();`;

describeWith(['PostgreSQL'], 'rate windows of a cluster', () => {
  let server: PostgresServer;
  let database: ClusterDatabase;
  let elapsed: number;
  let numWrites: number;
  let writes: Promise<unknown>[];

  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
    database = await openClusterDatabase(await server.createDatabase(), MAX_NODES);
    await query(database.url, TEST_TABLES);
  });
  beforeEach(() => {
    elapsed = 5000;
    numWrites = 0;
    writes = [];
  });
  afterEach(async () => {
    await tell('TRUNCATE rate_windows, history');
  });
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Runs a statement over the connection of the first node. */
  const tell = async (statement: string) => {
    await database.nodes[0]?.writer.write((ask) => ask(statement));
  };
  /** Writer of a node; the test counts what it writes. */
  const counted = ({ writer }: PostgresDatabase): Pick<PostgresWriter, 'write'> => ({
    write: (work, isAlone) => {
      numWrites += 1;
      const writing = writer.write(work, isAlone);
      writes.push(writing);
      return writing;
    },
  });
  const writerOf = (node: number) => {
    const connections = database.nodes[node];
    if (connections === undefined) throw new Error('unreachable: more nodes than were opened');
    return counted(connections);
  };
  const open = (node: number, numNodes: number, changes: object = {}): RateWindows =>
    new RateWindows({
      writer: writerOf(node),
      lengthMs: LENGTH_MS,
      numNodes: () => numNodes,
      elapsedMs: () => elapsed,
      time: '(SELECT instant FROM test_clock WHERE id = 1)',
      ...changes,
    });
  const openAll = (numNodes: number) =>
    Array.from({ length: numNodes }, (_, i) => open(i, numNodes));
  /** Lets time pass. No draw may be under way. */
  const pass = async (ms: number) => {
    await tell(`UPDATE test_clock SET instant = instant + interval '${ms} ms'`);
    elapsed += ms;
  };
  const hit = async (node: RateWindows, limit: number) => node.hit(KEY, limit, elapsed);
  /** Number of requests that a node allows before it refuses one. */
  const allowedBy = async (node: RateWindows, limit: number) => {
    let numAllowed = 0;
    while ((await hit(node, limit)).allowed) numAllowed += 1;
    return numAllowed;
  };
  /** Waits for draws that nobody waits for. */
  const settle = async () => {
    await Promise.allSettled(writes.splice(0));
    await turn();
  };

  test.each([
    { free: 1200, needed: 1, wanted: 4, numNodes: 3, block: 4 },
    { free: 1200, needed: 1, wanted: 1000, numNodes: 3, block: 100 },
    { free: 1200, needed: 250, wanted: 1000, numNodes: 3, block: 250 },
    { free: 11, needed: 1, wanted: 8, numNodes: 3, block: 1 },
    { free: 11, needed: 0, wanted: 8, numNodes: 3, block: 0 },
    { free: 5, needed: 9, wanted: 18, numNodes: 3, block: 5 },
    { free: 0, needed: 9, wanted: 18, numNodes: 3, block: 0 },
    { free: 100, needed: 1, wanted: 64, numNodes: 0, block: 25 },
  ])(
    'of $free, a node of $numNodes that needs $needed and wants $wanted draws $block',
    async ({ free, needed, wanted, numNodes, block }) => {
      const text = `SELECT ${blockSize('$1')} AS block
      FROM (VALUES ($2::bigint, $3::bigint, $4::bigint)) AS asked (free, needed, wanted)`;
      const rows = await database.nodes[0]?.read({ text }, [numNodes, free, needed, wanted]);
      expect(Number(rows?.[0]?.['block'])).toBe(block);
    },
  );

  describe('one node', () => {
    testSeeds('counts as a service without a cluster does', seeds(3), async (seed) => {
      const random = new RandomStream(seed);
      const limit = 1 + random.below(40);
      const shared = open(0, 1);
      const alone = new FixedWindows(LENGTH_MS);
      for (let i = 0; i < 120; i++) {
        const subject = `seed ${seed}, key ${random.below(2)}`;
        expect(await shared.hit(subject, limit, elapsed)).toEqual(
          alone.hit(subject, limit, elapsed),
        );
        if (random.below(4) === 0) {
          await settle();
          await pass(random.below(LENGTH_MS / 4));
        }
      }
    });

    test('answers at once while it has a block', async () => {
      const node = open(0, 3);
      await node.hit(KEY, 1000, elapsed);
      expect(node.hit(KEY, 1000, elapsed)).not.toBeInstanceOf(Promise);
    });

    test('draws the next block before the present one is used up', async () => {
      const node = open(0, 1);
      let numWaits = 0;
      for (let i = 0; i < 700; i++) {
        const outcome = node.hit(KEY, 1000, elapsed);
        if (outcome instanceof Promise) numWaits += 1;
        expect((await outcome).allowed).toBe(true);
        await settle();
      }
      expect(numWaits).toBe(1);
      expect(numWrites).toBeLessThan(20);
    });

    test('draws once for requests that come together', async () => {
      const node = open(0, 3);
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => hit(node, 60)));
      expect(outcomes.every(({ allowed }) => allowed)).toBe(true);
      expect(numWrites).toBe(1);
      expect(outcomes.at(-1)).toMatchObject({ used: 50 });
    });

    test('draws blocks of several keys together', async () => {
      const node = open(0, 3);
      await Promise.all(Array.from({ length: 300 }, (_, i) => node.hit(`key-${i}`, 60, elapsed)));
      expect(numWrites).toBeLessThanOrEqual(5);
    });

    test('refuses above the limit without the database', async () => {
      const node = open(0, 3);
      expect(await allowedBy(node, 7)).toBe(7);
      await settle();
      numWrites = 0;
      for (let i = 0; i < 20; i++) {
        expect(node.hit(KEY, 7, elapsed)).toMatchObject({ allowed: false, used: 7 });
      }
      expect(numWrites).toBe(0);
    });

    test('allows more if the limit of the key is raised', async () => {
      const node = open(0, 3);
      expect(await allowedBy(node, 7)).toBe(7);
      expect(await allowedBy(node, 10)).toBe(3);
    });

    test('spends its block while the database cannot be written, and then says so', async () => {
      let isAway = false;
      const writer: Pick<PostgresWriter, 'write'> = {
        write: (work, isAlone) =>
          isAway
            ? Promise.reject(new StorageUnwritableError('gone'))
            : writerOf(0).write(work, isAlone),
      };
      const node = open(0, 1, { writer });
      await hit(node, 100);
      isAway = true;
      for (let i = 0; i < 3; i++) expect((await hit(node, 100)).allowed).toBe(true);
      await expect(hit(node, 100)).rejects.toMatchObject({ code: 'STORAGE_UNWRITABLE' });
      isAway = false;
      expect(await hit(node, 100)).toMatchObject({ allowed: true, used: 5 });
    });

    test('forgets keys whose windows have ended', async () => {
      const node = open(0, 1);
      await Promise.all(Array.from({ length: 50 }, (_, i) => node.hit(`key-${i}`, 9, elapsed)));
      await pass(LENGTH_MS);
      await hit(node, 9);
      expect(node.size).toBe(1);
    });

    test('opens a window though the clock of the database was set back', async () => {
      const node = open(0, 1);
      expect(await allowedBy(node, 5)).toBe(5);
      await tell(`UPDATE test_clock SET instant = instant - interval '1 hour'`);
      elapsed += LENGTH_MS;
      expect(await allowedBy(node, 5)).toBe(5);
    });
  });

  describe('several nodes', () => {
    testSeeds('never allow more than the limit in a window', seeds(6), async (seed) => {
      const random = new RandomStream(seed);
      const numNodes = 2 + random.below(MAX_NODES - 1);
      const limit = 1 + random.below(200);
      const nodes = openAll(numNodes);
      const allowed = new Map<number, number>();
      let hits: Promise<unknown>[] = [];
      for (let step = 0; step < 60; step++) {
        const which = random.below(numNodes);
        switch (random.below(8)) {
          case 0:
            // A crash: its block is lost.
            nodes[which] = open(which, numNodes);
            break;
          case 1:
            await Promise.all(hits);
            await settle();
            hits = [];
            await pass(random.below(LENGTH_MS / 2));
            break;
          default:
            for (let i = random.below(30); i >= 0; i--) {
              const counted = hit(nodes[which] ?? open(which, numNodes), limit).then((outcome) => {
                expect(outcome.used).toBeLessThanOrEqual(limit);
                if (!outcome.allowed) return;
                allowed.set(outcome.openedAt, (allowed.get(outcome.openedAt) ?? 0) + 1);
              });
              hits.push(counted);
            }
        }
      }
      await Promise.all(hits);
      expect(allowed.size).toBeGreaterThan(0);
      for (const count of allowed.values()) expect(count).toBeLessThanOrEqual(limit);
      const openings = [...allowed.keys()].sort((a, b) => a - b);
      for (const [i, openedAt] of openings.slice(1).entries()) {
        expect(openedAt - (openings[i] ?? 0)).toBeGreaterThanOrEqual(LENGTH_MS);
      }
      await settle();
      await tell('TRUNCATE rate_windows');
    });

    test('leave little to each other that is not used', async () => {
      const nodes = openAll(MAX_NODES);
      for (const node of nodes) await hit(node, 100);
      const [first] = nodes;
      // Five other nodes hold blocks of at most four requests.
      expect(first && (await allowedBy(first, 100))).toBeGreaterThanOrEqual(100 - 1 - 5 * 4);
    });

    test('leave all of the next window to the one that asks', async () => {
      const nodes = openAll(MAX_NODES);
      await Promise.all(nodes.map((node) => allowedBy(node, 100)));
      await settle();
      await pass(LENGTH_MS);
      expect(await allowedBy(nodes[3] ?? open(3, MAX_NODES), 100)).toBe(100);
    });

    test('use all of the limit between them', async () => {
      const nodes = openAll(3);
      const counts = await Promise.all(nodes.map((node) => allowedBy(node, 500)));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(500);
    });

    test('tell how much remains, as of the last draw', async () => {
      const [first, second] = openAll(2);
      if (first === undefined || second === undefined) throw new Error('unreachable: two nodes');
      expect(await hit(first, 100)).toMatchObject({ used: 1 });
      // The first node has drawn four.
      expect(await hit(second, 100)).toMatchObject({ used: 5 });
      expect(await hit(first, 100)).toMatchObject({ used: 2 });
    });

    test('keep to the limit by the clocks of the machine and the database', async () => {
      const limit = 50;
      // Connections of their own: a statement has one text on each.
      await using real = await openClusterDatabase(database.url, 4);
      const nodes = real.nodes.map(
        (connections) =>
          new RateWindows({
            writer: counted(connections),
            lengthMs: 200,
            numNodes: () => 4,
            elapsedMs: () => performance.now(),
          }),
      );
      let numAllowed = 0;
      await Promise.all(
        nodes.map(async (node) => {
          for (let i = 0; i < 400; i++) {
            const { allowed } = await node.hit(KEY, limit, performance.now());
            if (allowed) numAllowed += 1;
            if (!allowed || i % 10 === 0) await settle();
          }
        }),
      );
      await settle();
      const windows = await query(
        database.url,
        `SELECT max(drawn) AS drawn,
            min(opened_at) - lag(min(opened_at)) OVER (ORDER BY opened_at) < interval '200 ms' AS overlaps
          FROM history GROUP BY opened_at`,
      );
      const drawn = windows.map((window) => Number(window['drawn']));
      expect(Math.max(...drawn)).toBeLessThanOrEqual(limit);
      expect(windows.filter(({ overlaps }) => overlaps)).toEqual([]);
      expect(numAllowed).toBeLessThanOrEqual(drawn.reduce((sum, count) => sum + count, 0));
    });

    test('delete windows that ended long ago, and no others', async () => {
      const node = open(0, 1);
      await node.hit('old', 9, elapsed);
      await pass(2 * LENGTH_MS);
      await node.hit('late', 9, elapsed);
      await pass(1);
      await node.prune();
      const rows = await query(database.url, 'SELECT subject FROM rate_windows');
      expect(rows).toEqual([{ subject: 'late' }]);
    });
  });
});
