// @needs facilities
/** Jobs of a cluster whose changes a node was not told of, and nodes that stop. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
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
