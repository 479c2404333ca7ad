// @needs facilities
/** Places in flight that several nodes share: never above the limit, whichever node dies. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  countJobs,
  inheritPlaces,
  PlacesInFlight,
  restorePlaces,
} from '../../../src/cluster/places-in-flight.ts';
import type { JobKind } from '../../../src/jobs/job.ts';
import { StorageUnwritableError } from '../../../src/storage/errors.ts';
import type { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { type ClusterDatabase, openClusterDatabase } from '../../support/cluster-database.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWith, facilityPath } from '../../support/facilities/describe-with.ts';
import { turn } from '../../support/jobs.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres-server.ts';
import { RandomStream } from '../../support/random-stream.ts';
import { seeds, testSeeds } from '../../support/seeds.ts';

const MAX_NODES = 5;
const KEY = 'key-1';
/** Rounds after which an unused key holds nothing. */
const QUIET_ROUNDS = 60;
const NEVER_MS = 2 ** 30;

interface Job {
  readonly kind: JobKind;
  readonly keyId: string;
}

/** A node that takes jobs in, and whose process the test ends. */
class TestNode {
  readonly name: string;
  readonly database: PostgresDatabase;
  readonly places: PlacesInFlight;
  jobs: Job[] = [];
  /** Undefined while the lease of the node is over. */
  epoch: number | undefined = 1;
  isAlive = true;
  numWrites = 0;
  isAway = false;

  constructor(name: string, database: PostgresDatabase, numNodes: number) {
    this.name = name;
    this.database = database;
    const write: PostgresDatabase['writer']['write'] = (work, isAlone) => {
      this.numWrites += 1;
      if (this.isAway) return Promise.reject(new StorageUnwritableError('gone'));
      return database.writer.write(work, isAlone);
    };
    this.places = new PlacesInFlight({
      database: {
        writer: { write },
        read: (...asked) => database.read(...asked),
      },
      node: name,
      epoch: () => this.epoch,
      numNodes: () => numNodes,
      inFlight: (kind, keyId) => this.numJobs(kind, keyId),
      giveBackEveryMs: NEVER_MS,
    });
  }

  numJobs(kind: JobKind, keyId: string): number {
    return this.jobs.filter((job) => job.kind === kind && job.keyId === keyId).length;
  }

  /** Takes jobs in; false if the key has too few places. */
  async submit(limit: number, numJobs = 1, job: Job = { kind: 'circuit', keyId: KEY }) {
    const reserved = await this.places.reserve(job.kind, job.keyId, numJobs, limit);
    if (reserved === undefined) return false;
    using _places = reserved;
    if (this.isAlive) for (let i = 0; i < numJobs; i++) this.jobs.push(job);
    return true;
  }

  /** Number of jobs that it takes in before it refuses one. */
  async submitAll(limit: number): Promise<number> {
    let numTaken = 0;
    while (await this.submit(limit)) numTaken += 1;
    return numTaken;
  }

  async giveBack(numRounds = 1): Promise<void> {
    for (let i = 0; i < numRounds; i++) await this.places.giveBack();
  }
}

describeWith(['PostgreSQL'], 'places in flight of a cluster', () => {
  let server: PostgresServer;
  let database: ClusterDatabase;
  const opened: TestNode[] = [];

  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
    database = await openClusterDatabase(await server.createDatabase(), MAX_NODES);
  });
  afterEach(async () => {
    for (const node of opened.splice(0)) node.places.close();
    await query(database.url, 'TRUNCATE nodes, places_in_flight, jobs CASCADE');
  });
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Starts a node over the connections of that index. */
  const start = async (name: string, index: number, numNodes: number): Promise<TestNode> => {
    const connections = database.nodes[index];
    if (connections === undefined) throw new Error('unreachable: more nodes than were opened');
    const node = new TestNode(name, connections, numNodes);
    opened.push(node);
    const restored = await connections.writer.write(async (ask) => {
      const { rows } = await ask(
        `INSERT INTO nodes (name, epoch, process, role, version, is_up)
          VALUES ($1, 1, $1, 'all', '0', true)
          ON CONFLICT (name) DO UPDATE SET epoch = nodes.epoch + 1, is_up = true
          RETURNING epoch`,
        [name],
      );
      return { epoch: Number(rows[0]?.['epoch']), counts: await restorePlaces(ask, name) };
    }, true);
    node.epoch = restored.epoch;
    node.places.restored(restored.counts);
    return node;
  };
  const startAll = (numNodes: number) =>
    Promise.all(Array.from({ length: numNodes }, (_, i) => start(`node-${i}`, i, numNodes)));
  /** One node gives another up, and takes over its jobs. */
  const giveUp = async (heir: TestNode, dead: TestNode): Promise<void> => {
    await heir.database.writer.write(async (ask) => {
      await ask('SELECT FROM nodes WHERE name IN ($1, $2) ORDER BY name FOR UPDATE', [
        heir.name,
        dead.name,
      ]);
      await ask('UPDATE nodes SET epoch = epoch + 1, is_up = false WHERE name = $1', [dead.name]);
      await inheritPlaces(ask, dead.name, heir.name, countJobs(dead.jobs));
    }, true);
    const moved = countJobs(dead.jobs);
    heir.jobs.push(...dead.jobs.splice(0));
    heir.places.inherited(moved);
  };
  /** Held places by kind and key, over all nodes. */
  const held = async (): Promise<readonly number[]> => {
    const text = 'SELECT sum(held)::int AS held FROM places_in_flight GROUP BY key_id, kind';
    const rows = await database.nodes[0]?.read({ text });
    return (rows ?? []).map((row) => Number(row['held']));
  };

  describe('one node', () => {
    test('takes as many jobs as the limit, and another once one has ended', async () => {
      const node = await start('a', 0, 1);
      expect(await node.submitAll(7)).toBe(7);
      node.jobs.pop();
      expect(await node.submitAll(7)).toBe(1);
    });

    test('answers at once while it holds places', async () => {
      const node = await start('a', 0, 1);
      await node.submit(200);
      expect(node.places.reserve('circuit', KEY, 1, 200)).not.toBeInstanceOf(Promise);
    });

    test('refuses what its own jobs exceed without the database', async () => {
      const node = await start('a', 0, 1);
      await node.submitAll(5);
      node.numWrites = 0;
      expect(node.places.reserve('circuit', KEY, 1, 5)).toBeUndefined();
      expect(node.numWrites).toBe(0);
    });

    test('draws once for requests that come together', async () => {
      const node = await start('a', 0, 3);
      const taken = await Promise.all(Array.from({ length: 40 }, () => node.submit(30)));
      expect(taken.filter(Boolean)).toHaveLength(30);
      expect(node.numWrites).toBeLessThanOrEqual(2);
    });

    test('takes several jobs together or none of them', async () => {
      const node = await start('a', 0, 3);
      expect(await node.submit(10, 8)).toBe(true);
      expect(await node.submit(10, 3)).toBe(false);
      expect(await node.submit(10, 2)).toBe(true);
    });

    test('needs few draws for jobs that come and go', async () => {
      const node = await start('a', 0, 3);
      for (let i = 0; i < 300; i++) {
        expect(await node.submit(200)).toBe(true);
        if (i % 3 === 2) node.jobs = [];
        if (i % 50 === 49) await node.giveBack();
      }
      expect(node.numWrites).toBeLessThan(12);
    });

    test('takes no jobs while the database cannot be written, beyond the places that it holds', async () => {
      const node = await start('a', 0, 1);
      await node.submit(20);
      node.isAway = true;
      const taken: boolean[] = [];
      await expect(
        (async () => {
          for (;;) taken.push(await node.submit(20));
        })(),
      ).rejects.toMatchObject({ code: 'STORAGE_UNWRITABLE' });
      expect(taken.length).toBeLessThan(19);
    });

    test('holds what it could not give back', async () => {
      const node = await start('a', 0, 1);
      await node.submitAll(20);
      node.jobs = [];
      node.isAway = true;
      await node.giveBack(2);
      node.isAway = false;
      expect(await node.submitAll(20)).toBe(20);
      expect(await held()).toEqual([20]);
    });

    test('keeps the places that it needed since the last round', async () => {
      const node = await start('a', 0, 3);
      for (let i = 0; i < 20; i++) await node.submit(200);
      node.jobs = [];
      await node.giveBack();
      node.numWrites = 0;
      for (let i = 0; i < 20; i++) await node.submit(200);
      expect(node.numWrites).toBe(0);
    });

    test('draws again for a request that came while a draw was under way', async () => {
      const node = await start('a', 0, 3);
      const first = node.submit(50);
      await turn();
      await turn();
      expect(await node.submit(50, 10)).toBe(true);
      expect(await first).toBe(true);
    });

    test('takes no jobs while its lease is over', async () => {
      const node = await start('a', 0, 1);
      await node.submit(20);
      node.epoch = undefined;
      await expect(node.submit(20)).rejects.toMatchObject({ code: 'STORAGE_UNWRITABLE' });
    });

    test('holds a place for each unfinished job after a restart', async () => {
      await query(
        database.url,
        `INSERT INTO jobs (id, kind, key_id, status, priority, target, request, created_at, attempts, origin)
          SELECT 'circ_' || i, 'circuit', '${KEY}', status, 'normal', '', '', 0, 0, origin
            FROM (VALUES (1, 'queued', 'a'), (2, 'running', 'a'), (3, 'completed', 'a'), (4, 'queued', 'b'))
              AS jobs (i, status, origin)`,
      );
      await (await start('a', 0, 2)).submitAll(9);
      expect(await held()).toEqual([9]);
      const restarted = await start('a', 0, 2);
      expect(await held()).toEqual([2]);
      const job: Job = { kind: 'circuit', keyId: KEY };
      restarted.jobs = [job, job];
      expect(await restarted.submitAll(9)).toBe(7);
    });
  });

  describe('several nodes', () => {
    test('share the limit between them', async () => {
      const nodes = await startAll(3);
      const taken = await Promise.all(nodes.map((node) => node.submitAll(50)));
      expect(taken.reduce((sum, count) => sum + count, 0)).toBe(50);
    });

    test('leave nearly all places to one that asks, a round after they needed theirs', async () => {
      const nodes = await startAll(4);
      await Promise.all(nodes.map((node) => node.submitAll(200)));
      for (const node of nodes) {
        node.jobs = [];
        // The first round still counts what was used before.
        await node.giveBack(2);
      }
      const [first] = nodes;
      expect(await first?.submitAll(200)).toBeGreaterThanOrEqual(200 - 3 * 3);
    });

    test('leave all places to one that asks in the end', async () => {
      const nodes = await startAll(4);
      await Promise.all(nodes.map((node) => node.submitAll(200)));
      for (const node of nodes) {
        node.jobs = [];
        await node.giveBack(QUIET_ROUNDS + 2);
      }
      expect(await held()).toEqual([]);
      expect(await nodes[2]?.submitAll(200)).toBe(200);
    });

    test('tell how many places are taken at all of them', async () => {
      const [first, second] = await startAll(2);
      for (let i = 0; i < 3; i++) await first?.submit(200);
      for (let i = 0; i < 2; i++) await second?.submit(200);
      await first?.giveBack(2);
      await second?.giveBack(2);
      const told = Number(await first?.places.inFlight('circuit', KEY));
      expect(told).toBeGreaterThanOrEqual(5);
      // The second node may keep a few places.
      expect(told).toBeLessThanOrEqual(5 + 4);
    });

    test('count jobs that were taken in without a reservation', async () => {
      const [first, second] = await startAll(2);
      const job: Job = { kind: 'circuit', keyId: KEY };
      await first?.submit(10);
      first?.jobs.push(job, job, job, job);
      await first?.giveBack();
      await turn();
      await first?.database.writer.write((ask) => ask('SELECT 1'));
      expect(await second?.submitAll(10)).toBe(5);
    });

    test('inherit the places of a dead node for its jobs, and free the others', async () => {
      const [first, second] = await startAll(2);
      if (first === undefined || second === undefined) throw new Error('unreachable: two nodes');
      expect(await first.submitAll(20)).toBe(20);
      first.isAlive = false;
      first.jobs.splice(5);
      await giveUp(second, first);
      expect(await held()).toEqual([5]);
      expect(await second.submitAll(20)).toBe(15);
    });

    test('give nothing to a node that was given up and does not know it', async () => {
      const [first, second] = await startAll(2);
      if (first === undefined || second === undefined) throw new Error('unreachable: two nodes');
      await first.submit(200);
      await giveUp(second, first);
      await second.giveBack(2);
      const before = await held();
      for (let i = 0; i < 20; i++) first.jobs.push({ kind: 'circuit', keyId: KEY });
      await expect(first.submit(200)).rejects.toMatchObject({ code: 'STORAGE_UNWRITABLE' });
      first.jobs = [];
      await first.giveBack(2);
      expect(await held()).toEqual(before);
    });

    test('give nothing to a node that is being given up', async () => {
      const [first, second] = await startAll(2);
      if (first === undefined || second === undefined) throw new Error('unreachable: two nodes');
      const isWaiting = async () => {
        const text = `SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return (await database.nodes[2]?.read({ text }))?.length === 1;
      };
      let submitting: Promise<unknown> = Promise.resolve();
      await second.database.writer.write(async (ask) => {
        await ask('UPDATE nodes SET epoch = epoch + 1, is_up = false WHERE name = $1', [
          first.name,
        ]);
        await inheritPlaces(ask, first.name, second.name, []);
        submitting = first.submit(20).catch((error: unknown) => error);
        await Promise.race([submitting, eventually(isWaiting)]);
      }, true);
      expect(await submitting).toMatchObject({ code: 'STORAGE_UNWRITABLE' });
      expect(await held()).toEqual([]);
    });

    test('leave the places of a restarted node to its new process', async () => {
      const before = await start('a', 0, 1);
      await before.submit(20);
      const after = await start('a', 1, 1);
      await after.submitAll(5);
      before.jobs = [];
      await before.giveBack(2);
      expect(await held()).toEqual([5]);
    });

    testSeeds('never exceed the limit, whichever of them dies', seeds(8), async (seed) => {
      const random = new RandomStream(seed);
      const numNodes = 2 + random.below(MAX_NODES - 1);
      const limit = 1 + random.below(60);
      const kinds: readonly JobKind[] = ['circuit', 'task'];
      const keys = ['key-1', 'key-2'];
      const nodes = await startAll(numNodes);
      const dead = new Set<TestNode>();
      const check = () => {
        const all = [...nodes, ...dead];
        for (const kind of kinds) {
          for (const key of keys) {
            const numJobs = all.reduce((sum, node) => sum + node.numJobs(kind, key), 0);
            expect(numJobs).toBeLessThanOrEqual(limit);
          }
        }
      };
      const work: Promise<unknown>[] = [];
      const failures: unknown[] = [];
      const begin = (what: Promise<unknown>) =>
        work.push(
          what.then(check).catch((error: unknown) => {
            failures.push(error);
          }),
        );
      for (let step = 0; step < 150; step++) {
        const which = random.below(numNodes);
        const node = nodes[which];
        if (node === undefined) continue;
        switch (random.below(12)) {
          case 0:
            begin(node.giveBack());
            break;
          case 1:
          case 2:
          case 3:
            node.jobs = node.jobs.filter(() => random.below(3) > 0);
            break;
          case 4: {
            const others = nodes.filter((other) => other !== node);
            if (random.below(2) === 0 || others.length === 0) break;
            // The process ends in the middle of its draws, and another node notices.
            node.isAlive = false;
            dead.add(node);
            nodes.splice(which, 1);
            const heir = random.pick(others);
            await giveUp(heir, node);
            dead.delete(node);
            check();
            nodes.splice(which, 0, await start(node.name, which, numNodes));
            break;
          }
          case 5: {
            await turn();
            expect(Math.max(0, ...(await held()))).toBeLessThanOrEqual(limit);
            break;
          }
          default: {
            const numJobs = random.below(6) === 0 ? 3 : 1;
            const job: Job = { kind: random.pick(kinds), keyId: random.pick(keys) };
            for (let i = random.below(8); i >= 0; i--) {
              begin(
                node.submit(limit, numJobs, job).catch((error: unknown) => {
                  // A node that was given up takes no jobs.
                  if (node.isAlive) throw error;
                }),
              );
            }
          }
        }
      }
      await Promise.all(work);
      expect(failures).toEqual([]);
      check();
      for (const node of nodes) node.jobs = [];
      for (const node of nodes) await node.giveBack(QUIET_ROUNDS + 2);
      expect(await held()).toEqual([]);
      expect(await random.pick(nodes).submitAll(limit)).toBe(limit);
      await query(database.url, 'TRUNCATE nodes, places_in_flight');
    });
  });
});
