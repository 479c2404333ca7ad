// @needs facilities
/** Jobs that several nodes share through a PostgreSQL server: claims, messages, and nodes that are gone. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Job, newJobId } from '../../../src/jobs/job.ts';
import { openTestNode, type TestNode } from '../../support/cluster-node.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWith, facilityPath } from '../../support/facilities/describe-with.ts';
import { newJob } from '../../support/jobs.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres-server.ts';

/**
 * Of nodes that are to be given up. The others keep their leases however busy the machine is. A machine that stands still
 * for half of it keeps nodes from giving up others.
 */
const SHORT = { leaseMs: 4000 };

describeWith(['PostgreSQL'], 'jobs of a cluster', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(facilityPath('PostgreSQL'));
  });
  afterAll(async () => server?.[Symbol.asyncDispose]());

  const open: TestNode[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((node) => node[Symbol.asyncDispose]()));
  });
  const openNode = async (url: string, options: Parameters<typeof openTestNode>[2]) => {
    const node = await openTestNode(server, url, options);
    open.push(node);
    return node;
  };
  const calls = (node: TestNode, id: string) =>
    node.handler.calls.filter(({ job }) => job.id === id);
  const isRunning = (node: TestNode, id: string) =>
    eventually(async () => {
      expect(calls(node, id)).toHaveLength(1);
      calls(node, id)[0]?.hooks.started();
      expect((await node.store.get(id))?.status).toBe('running');
    });

  test('start at once where they came in, if the node has room, and are stored with their outcome', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a' });
    const job = newJob();
    const ran = a.runner.run(job);
    await eventually(() => expect(calls(a, job.id)).toHaveLength(1));
    expect(await a.store.get(job.id)).toBeUndefined();
    a.handler.of(job.id).resolve('{"x":1}');
    expect(await ran).toMatchObject({ status: 'completed', origin: 'a', result: '{"x":1}' });
  });

  test('run on another node, and their caller gets the outcome', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const b = await openNode(url, { name: 'b', role: 'worker' });
    const job = newJob();
    const ran = a.runner.run(job);
    await isRunning(b, job.id);
    expect(await b.store.get(job.id)).toMatchObject({ origin: 'a', claim: { node: 'b' } });
    b.handler.of(job.id).resolve('{"x":1}');
    expect(await ran).toMatchObject({ status: 'completed', result: '{"x":1}' });
    expect(a.runner.inFlight('circuit', job.keyId)).toBe(0);
  });

  test('are cancelled from any node, and their work stops', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const b = await openNode(url, { name: 'b', role: 'worker' });
    const c = await openNode(url, { name: 'c', role: 'api' });
    const job = newJob();
    const ran = a.runner.run(job);
    await isRunning(b, job.id);
    const { signal } = b.handler.of(job.id);
    expect(await c.runner.cancel(job.id)).toMatchObject({ status: 'cancelled' });
    expect(await ran).toMatchObject({ status: 'cancelled' });
    await eventually(() => expect(signal.aborted).toBe(true));
  });

  test('show their progress and events to watches at other nodes', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const b = await openNode(url, { name: 'b', role: 'worker' });
    const { id } = await a.runner.submit(newJob());
    using watch = await a.runner.watch(id);
    await isRunning(b, id);
    b.handler.of(id).hooks.progress(0.25, 'a quarter');
    await eventually(() =>
      expect(watch?.state).toMatchObject({ progress: 0.25, message: 'a quarter' }),
    );
    await eventually(() => expect(a.runner.progress(id)).toBe(0.25));
    b.handler.of(id).resolve('{}');
    await eventually(() => expect(watch?.state.record.status).toBe('completed'));
  });

  test('are run again elsewhere when their node is gone, which writes nothing any more', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { ...SHORT, name: 'a', role: 'api' });
    const b = await openNode(url, { ...SHORT, name: 'b', role: 'worker' });
    const job = newJob();
    const ran = a.runner.run(job);
    await isRunning(b, job.id);
    // Its work goes on, as on a machine that the network has lost.
    b.handler.obeysSignal = false;
    b.proxy.cut();
    const c = await openNode(url, { ...SHORT, name: 'c', role: 'worker' });
    await isRunning(c, job.id);
    expect(await c.store.get(job.id)).toMatchObject({ attempts: 2, claim: { node: 'c' } });
    b.proxy.open();
    b.handler.of(job.id).resolve('{"from":"b"}');
    await eventually(() => expect(b.node.holdsLease).toBe(true));
    await eventually(() => expect([...b.runner.inHand()]).toEqual([]));
    expect(await c.store.get(job.id)).toMatchObject({ status: 'running', claim: { node: 'c' } });
    c.handler.of(job.id).resolve('{"from":"c"}');
    expect(await ran).toMatchObject({ status: 'completed', result: '{"from":"c"}' });
    expect(b.node.epoch).toBeGreaterThan(1);
  });

  test('are not ended by a node that has not heard yet that another one holds them', async () => {
    const url = await server.createDatabase();
    await openNode(url, { name: 'a', role: 'api' });
    const b = await openNode(url, { name: 'b' });
    const job = newJob();
    await b.runner.submit(job);
    await isRunning(b, job.id);
    const taken = "UPDATE jobs SET owner = 'a', epoch = 1, claim = 1";
    await query(url, `${taken} WHERE id = '${job.id}'`);
    b.handler.of(job.id).resolve('{"from":"b"}');
    await eventually(() => expect([...b.runner.inHand()]).toEqual([]));
    const stored = await b.store.get(job.id);
    expect(stored).toMatchObject({ status: 'running', claim: { node: 'a' } });
  });

  test('keep their callers waiting for the true outcome at a node that was given up', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { ...SHORT, name: 'a' });
    const job = newJob();
    const ran = a.runner.run(job, 600_000);
    await isRunning(a, job.id);
    a.proxy.cut();
    const b = await openNode(url, { ...SHORT, name: 'b' });
    await isRunning(b, job.id);
    a.proxy.open();
    await eventually(() => expect([...a.runner.inHand()]).toEqual([]));
    // The other node counts it, so the key may use the place of this one.
    await eventually(() => expect(a.runner.inFlight('circuit', job.keyId)).toBe(0));
    expect(b.runner.inFlight('circuit', job.keyId)).toBe(1);
    b.handler.of(job.id).resolve('{"from":"b"}');
    expect(await ran).toMatchObject({ status: 'completed', result: '{"from":"b"}' });
    expect(b.runner.inFlight('circuit', job.keyId)).toBe(0);
  });

  test('are not taken from anybody when the database was away for longer than a lease', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { ...SHORT, name: 'a' });
    const b = await openNode(url, { ...SHORT, name: 'b' });
    const ran = [a, b].map(async (node) => {
      const job = newJob();
      const ended = node.runner.run(job);
      await isRunning(node, job.id);
      return { node, job, ended };
    });
    const jobs = await Promise.all(ran);
    await server.crash();
    const leaseMs = a.node.leaseMs;
    await eventually(() => a.node.leaseAgeMs > 2 * leaseMs && b.node.leaseAgeMs > 2 * leaseMs);
    await server.start();
    // Both have looked for silent nodes since.
    const start = performance.now();
    await eventually(() => a.node.holdsLease && b.node.holdsLease);
    await eventually(() => performance.now() - start > 2 * leaseMs && a.node.holdsLease);
    for (const { node, job, ended } of jobs) {
      node.handler.of(job.id).resolve('{}');
      expect(await ended).toMatchObject({ status: 'completed', attempts: 1 });
    }
    expect([...a.recovered, ...b.recovered]).toEqual([]);
  });

  test('are not taken from anybody when the database stood still for longer than a lease', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', leaseMs: 6000 });
    const b = await openNode(url, { name: 'b', leaseMs: 6000 });
    const openedAt = performance.now();
    const job = newJob();
    const ran = b.runner.run(job);
    await isRunning(b, job.id);
    // From now on a gives up nodes that are silent.
    await eventually(() => performance.now() - openedAt > a.node.leaseMs && a.node.isSteady);
    for (const { proxy } of [a, b]) proxy.hold();
    // Its look began when nothing was wrong, and reaches the database when everybody seems silent.
    void a.jobs.look();
    await eventually(() => b.node.leaseAgeMs > 1.2 * b.node.leaseMs);
    // The first node that hears of the database again sees only itself.
    a.proxy.open();
    await eventually(() => a.node.holdsLease);
    await a.jobs.look();
    await a.jobs.look();
    b.proxy.open();
    await eventually(() => a.node.isSteady);
    b.handler.of(job.id).resolve('{}');
    expect(await ran).toMatchObject({ status: 'completed', attempts: 1 });
    expect([...a.recovered, ...b.recovered]).toEqual([]);
  });

  test('fail after three attempts whose nodes were lost', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { ...SHORT, name: 'a', role: 'api' });
    const job = newJob();
    const ran = a.runner.run(job);
    for (const name of ['b', 'c', 'd']) {
      const worker = await openNode(url, { ...SHORT, name, role: 'worker' });
      await isRunning(worker, job.id);
      worker.proxy.cut();
    }
    expect(await ran).toMatchObject({
      status: 'failed',
      attempts: 3,
      error: { code: 'JOBS_INTERRUPTED' },
    });
  });

  test('wait for another node after an orderly stop, and their attempt does not count', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const b = await openNode(url, { name: 'b', role: 'worker' });
    const job = newJob();
    const ran = a.runner.run(job);
    await isRunning(b, job.id);
    b.jobs.stopClaiming();
    await b.runner.shutdown(0);
    await b.jobs.close();
    expect(await a.store.get(job.id)).toMatchObject({ status: 'queued', attempts: 0 });
    const c = await openNode(url, { name: 'c', role: 'worker' });
    await isRunning(c, job.id);
    c.handler.of(job.id).resolve('{}');
    expect(await ran).toMatchObject({ status: 'completed', attempts: 1 });
  });

  test('are claimed by nodes in turns of their keys', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const flood: Job[] = [];
    for (let i = 0; i < 40; i++) flood.push(await a.runner.submit(newJob({ keyId: 'flood' })));
    const other = await a.runner.submit(newJob({ keyId: 'other' }));
    const workers = await Promise.all(
      ['b', 'c', 'd'].map((name) => openNode(url, { name, role: 'worker', maxHeld: 1 })),
    );
    const begun: string[] = [];
    await eventually(() => {
      for (const { handler } of workers) {
        for (const call of handler.calls.splice(0)) {
          begun.push(call.job.id);
          call.resolve('{}');
        }
      }
      return begun.length === 41;
    });
    // One job of the flood was charged before the other key waited; each node had one place.
    expect(begun.indexOf(other.id)).toBeLessThan(6);
    expect(new Set(begun).size).toBe(41);
    expect(new Set(flood.map(({ id }) => id)).size).toBe(40);
  });

  test('are charged to their key by a later claim if one fails', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a' });
    await query(
      url,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    const job = newJob();
    const ran = a.runner.run(job);
    await eventually(() => expect(calls(a, job.id)).toHaveLength(1));
    a.handler.of(job.id).resolve('{}');
    await ran;
    // The charge goes with the claim of the next look.
    await eventually(() => expect(String(a.unexpected[0])).toMatch('refused'));
    await query(url, 'DROP TRIGGER refuse ON lines');
    await eventually(async () => {
      const [line] = await query(url, 'SELECT tags FROM lines');
      expect(line?.['tags']).toMatch(job.keyId);
    });
  });

  test('are each run once by many nodes that claim at the same time', async () => {
    const url = await server.createDatabase();
    const nodes = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => openNode(url, { name, maxHeld: 2 })),
    );
    const ended: Promise<Job>[] = [];
    for (let i = 0; i < 200; i++) {
      const node = nodes[i % nodes.length]!;
      const job = newJob({ keyId: `key-${i % 3}`, id: newJobId('circuit') });
      ended.push(i % 2 === 0 ? node.runner.run(job) : waitFor(node, job));
    }
    const runs = new Map<string, number>();
    let isOver = false;
    void Promise.all(ended).then(() => {
      isOver = true;
    });
    await eventually(() => {
      for (const { handler } of nodes) {
        for (const call of handler.calls.splice(0)) {
          runs.set(call.job.id, (runs.get(call.job.id) ?? 0) + 1);
          call.resolve('{}');
        }
      }
      return isOver;
    });
    expect([...runs.values()].filter((count) => count !== 1)).toEqual([]);
    expect(runs.size).toBe(200);
    const [left] = await query(url, "SELECT count(*) AS n FROM jobs WHERE status <> 'completed'");
    expect(Number(left?.['n'])).toBe(0);
    for (const { unexpected } of nodes) expect(unexpected).toEqual([]);
  });

  test('go to another node if they do not begin soon after they were claimed', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api', line: 'small' });
    const b = await openNode(url, { name: 'b', role: 'worker', line: 'small' });
    const job = newJob();
    const ran = a.runner.run(job);
    await eventually(() => expect(calls(b, job.id)).toHaveLength(1));
    // It waits there, behind a run that takes longer than expected.
    const c = await openNode(url, { name: 'c', role: 'worker', line: 'small' });
    await eventually(() => {
      for (const call of calls(c, job.id)) call.resolve('{"from":"c"}');
      expect(calls(c, job.id).length).toBeGreaterThan(0);
    });
    expect(await ran).toMatchObject({ status: 'completed', result: '{"from":"c"}' });
    expect(b.handler.of(job.id).signal.aborted).toBe(true);
  });

  test('that no node can run say so, and no others are placed behind them', async () => {
    const url = await server.createDatabase();
    const why = 'No node has gpu-fleet.';
    const widths = [{ target: 'statevector-sim', least: 0, most: 0 }];
    const room = {
      widths: () => widths,
      whyNone: ({ target }: { readonly target: string }) =>
        target === 'gpu-fleet' ? why : undefined,
    };
    const a = await openNode(url, { name: 'a', role: 'api', room });
    const b = await openNode(url, { name: 'b', role: 'worker', maxHeld: 1 });
    const busy = await a.runner.submit(newJob());
    await isRunning(b, busy.id);
    const stuck = await a.runner.submit(newJob({ target: 'gpu-fleet' }));
    const first = await a.runner.submit(newJob());
    const second = await a.runner.submit(newJob());
    expect(a.runner.waitingFor(stuck)).toBe(why);
    expect(a.runner.waitingFor(first)).toBeUndefined();
    await eventually(() => {
      expect(a.runner.queuePosition(second.id)).toBe(1);
      expect(a.runner.queuePosition(first.id)).toBe(0);
      expect(a.runner.expectedStart(stuck.id)).toBeUndefined();
    });
    // Once a node holds it, it waits for nothing else.
    b.handler.of(busy.id).resolve('{}');
    await eventually(async () => {
      const stored = await a.store.get(stuck.id);
      expect(stored?.claim?.node).toBe('b');
      expect(stored && a.runner.waitingFor(stored)).toBeUndefined();
    });
    expect(b.unexpected).toEqual([]);
  });

  test('are not stored once their idempotency key stands for the job of another node', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a' });
    const b = await openNode(url, { name: 'b' });
    const [first, second] = [newJob(), newJob()];
    const claim = { keyId: first.keyId, idempotencyKey: 'once', bodyHash: 'x', now: 2000 };
    await a.keys.claim({ ...claim, jobId: first.id });
    // The others have given the first node up before it stored its job, and it has joined again.
    await query(url, "UPDATE nodes SET is_up = false, epoch = epoch + 1 WHERE name = 'a'");
    expect(await b.keys.claim({ ...claim, jobId: second.id })).toEqual({ kind: 'claimed' });
    await eventually(() => expect(a.node.epoch).toBeGreaterThan(2));
    await expect(a.runner.submit({ ...first, idempotencyKey: 'once' })).rejects.toMatchObject({
      code: 'STORAGE_UNWRITABLE',
    });
    const { id } = await b.runner.submit({ ...second, idempotencyKey: 'once' });
    expect(id).toBe(second.id);
    expect(await a.store.get(first.id)).toBeUndefined();
  });

  test('belong to the next node of the name after a kill, at once', async () => {
    const url = await server.createDatabase();
    const b = await openNode(url, { name: 'b', role: 'worker', leaseMs: 60_000 });
    const a = await openNode(url, { name: 'a', role: 'api', leaseMs: 60_000 });
    const job = newJob();
    const ran = a.runner.run(job);
    await isRunning(b, job.id);
    b.proxy.cut();
    const again = await openNode(url, { name: 'b', role: 'worker', leaseMs: 60_000 });
    await isRunning(again, job.id);
    again.handler.of(job.id).resolve('{}');
    expect(await ran).toMatchObject({ status: 'completed', attempts: 2 });
  });
});

async function waitFor({ runner }: TestNode, job: Parameters<TestNode['runner']['submit']>[0]) {
  const { id } = await runner.submit(job);
  return await runner.waitFor(id);
}
