// @needs facilities
/** Jobs of a cluster whose changes a node was not told of, and nodes that stop. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { JobDamagedError } from '../../../src/jobs/errors.ts';
import { openTestNode, type TestNode } from '../../support/cluster-node.ts';
import { eventually } from '../../support/eventually.ts';
import { describeWith, facilityPath } from '../../support/facilities/describe-with.ts';
import { newJob } from '../../support/jobs.ts';
import { type PostgresServer, query, startPostgres } from '../../support/postgres-server.ts';

describeWith(['PostgreSQL'], 'jobs of a cluster without messages', () => {
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

  test.each([
    ['cancelled', `UPDATE jobs SET status = 'cancelled', finished_at = 5`],
    ['cancelled and deleted', 'DELETE FROM jobs'],
  ])('that were %s elsewhere stop', async (_what, change) => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a' });
    const { id } = await a.runner.submit(newJob());
    const waits = a.runner.waitFor(id).catch((error) => error);
    await isRunning(a, id);
    await query(url, change);
    await eventually(() => expect(a.handler.of(id).signal.aborted).toBe(true));
    expect([...a.runner.inHand()]).toEqual([]);
    expect([await waits]).toMatchObject(
      change.startsWith('DELETE') ? [{ code: 'JOBS_NOT_FOUND' }] : [{ status: 'cancelled' }],
    );
  });

  test('are not waited for any more by a caller that left while the record was read', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const c = await openNode(url, { name: 'c', role: 'api' });
    const { id } = await a.runner.submit(newJob());
    const controller = new AbortController();
    const waits = c.runner.waitFor(id, undefined, controller.signal);
    controller.abort(new Error('the caller left'));
    await expect(waits).rejects.toThrow('the caller left');
  });

  test('have their callers answered by a node that stops while it stores them', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const ran = a.runner.run(newJob());
    a.jobs.stopClaiming();
    await a.runner.shutdown(0);
    expect(await ran).toMatchObject({ status: 'queued' });
  });

  test('show their progress elsewhere although its text is long', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const b = await openNode(url, { name: 'b', role: 'worker' });
    const { id } = await a.runner.submit(newJob());
    using watch = await a.runner.watch(id);
    await isRunning(b, id);
    // JSON takes six bytes for each of these characters, and the server takes messages of 8000 bytes.
    b.handler.of(id).hooks.progress(0.5, '\u0001'.repeat(9000));
    await eventually(() => expect(watch?.state.progress).toBe(0.5));
  });

  test('are answered at once to callers at nodes that neither took them in nor run them', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a' });
    const c = await openNode(url, { name: 'c', role: 'api' });
    const { id } = await a.runner.submit(newJob());
    await isRunning(a, id);
    c.jobs.look = async () => {};
    const waits = c.runner.waitFor(id);
    // The first wait has read the record by then.
    expect(await c.runner.waitFor(id, 1)).toMatchObject({ status: 'running' });
    a.handler.of(id).resolve('{}');
    expect(await waits).toMatchObject({ status: 'completed' });
  });

  test('are looked up although a stored job is damaged, which fails', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const waiting = await a.runner.submit(newJob());
    const damaged = newJob();
    a.handler.queueing = ({ id }) => {
      if (id === damaged.id) throw new JobDamagedError('it has no request', damaged);
      return { line: 'circuit', level: 2, costMs: 1, width: 0 };
    };
    const ran = a.runner.waitFor(waiting.id);
    await query(
      url,
      `INSERT INTO jobs (id, kind, key_id, status, priority, target, request, created_at, attempts)
        VALUES ('${damaged.id}', 'circuit', 'key-1', 'queued', 'normal', 'x', '{', 5, 0);
      UPDATE jobs SET status = 'cancelled', finished_at = 5 WHERE id = '${waiting.id}'`,
    );
    expect(await ran).toMatchObject({ status: 'cancelled' });
    await eventually(async () =>
      expect(await a.store.get(damaged.id)).toMatchObject({
        status: 'failed',
        error: { code: 'JOBS_DAMAGED' },
      }),
    );
  });

  test('of a node that is gone are taken over, many thousands, in short transactions', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    await query(
      url,
      `INSERT INTO jobs (id, kind, key_id, status, priority, target, request, created_at, attempts, line, origin)
        SELECT 'circ_' || lpad(to_hex(i), 12, '0') || '7' || '000' || '8' || lpad('', 15, '0'), 'circuit',
          'key-' || i % 2, 'queued', 'normal', 'x', '{}', 5, 0, 'circuit', 'gone'
        FROM generate_series(1, 1200) AS i;
      INSERT INTO places_in_flight SELECT 'key-' || i, 'circuit', 'gone', 600 FROM generate_series(0, 1) AS i;
      INSERT INTO nodes (name, epoch, process, role, version, is_up)
        VALUES ('gone', 2, 'gone', 'api', '1.0.0', false)`,
    );
    await eventually(() => expect(a.runner.inFlight('circuit', 'key-0')).toBe(600));
    expect(await query(url, 'SELECT key_id, node, held FROM places_in_flight ORDER BY 1')).toEqual([
      { key_id: 'key-0', node: 'a', held: '600' },
      { key_id: 'key-1', node: 'a', held: '600' },
    ]);
    const [left] = await query(url, "SELECT count(*) AS n FROM jobs WHERE origin <> 'a'");
    expect(Number(left?.['n'])).toBe(0);
  });

  test('are shared although others send notifications that are no messages', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const b = await openNode(url, { name: 'b', role: 'worker' });
    for (const text of ['nonsense', '5', '{}', '[]', '["unknown","x"]', '']) {
      await query(url, `SELECT pg_notify('qcs_cluster', '${text}')`);
    }
    const job = newJob();
    const ran = a.runner.run(job);
    await eventually(() => b.handler.of(job.id).resolve('{}'));
    expect(await ran).toMatchObject({ status: 'completed' });
    expect(a.unexpected).toEqual([]);
  });

  test('that were copied from another database count as in flight once they have a line', async () => {
    const url = await server.createDatabase();
    const a = await openNode(url, { name: 'a', role: 'api' });
    const ids = Array.from({ length: 3 }, () => newJob().id);
    await query(
      url,
      ids
        .map(
          (
            id,
          ) => `INSERT INTO jobs (id, kind, key_id, status, priority, target, request, created_at, attempts)
            VALUES ('${id}', 'circuit', 'key-1', 'queued', 'normal', 'x', '{}', 5, 0);`,
        )
        .join('\n'),
    );
    await eventually(() => expect(a.runner.inFlight('circuit', 'key-1')).toBe(3));
    expect(await query(url, 'SELECT key_id, node, held FROM places_in_flight')).toEqual([
      { key_id: 'key-1', node: 'a', held: '3' },
    ]);
    for (const id of ids) await a.runner.cancel(id);
    expect(a.runner.inFlight('circuit', 'key-1')).toBe(0);
  });

  test('that are claimed again while their work still ends run once it has ended', async () => {
    const url = await server.createDatabase();
    const b = await openNode(url, { name: 'b', role: 'worker' });
    const a = await openNode(url, { name: 'a', role: 'api' });
    const job = newJob();
    const ran = a.runner.run(job);
    await isRunning(b, job.id);
    b.handler.obeysSignal = false;
    await query(url, `UPDATE jobs SET status = 'queued', owner = NULL WHERE id = '${job.id}'`);
    const [first] = calls(b, job.id);
    await eventually(() => expect(first?.signal.aborted).toBe(true));
    expect(calls(b, job.id)).toHaveLength(1);
    first?.resolve('{"n":1}');
    await eventually(() => expect(calls(b, job.id)).toHaveLength(2));
    const second = calls(b, job.id)[1];
    expect([...b.runner.inHand()]).toHaveLength(1);
    second?.resolve('{"n":2}');
    expect(await ran).toMatchObject({ status: 'completed', result: '{"n":2}' });
    expect(calls(b, job.id)).toHaveLength(2);
  });
});
