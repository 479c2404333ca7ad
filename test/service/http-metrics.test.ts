/** Metrics of answers that are long, or that nobody waited for. */
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { ServiceMetrics } from '../../src/service/metrics/service-metrics.ts';
import { Workloads } from '../../src/workloads/workloads.ts';
import { parseScrape } from '../support/prometheus-text.ts';
import { FakeDevices } from './support/fake-devices.ts';
import { InProcessPool } from './support/in-process-pool.ts';
import { settled } from './support/test-service.ts';

/** An application that is counted, and closed with the test. */
function countedApp() {
  const metrics = new ServiceMetrics(() => 0);
  const app: FastifyInstance = Fastify();
  metrics.http.watch(app);
  const nothing = {
    fleet: { processors: [], get: () => undefined },
    devices: new FakeDevices(),
    models: { models: [] },
    readers: { load: () => ({ waiting: 0, running: 0, bytes: 0 }) },
    jobs: { inHand: () => [] },
    settings: { version: '0.1.0' },
    ...new Workloads({ processors: [], pool: new InProcessPool(), queueLimit: 1, now: () => 0 }),
  };
  return {
    app,
    scrape: async () => parseScrape(await metrics.scrape(nothing)),
    async [Symbol.asyncDispose]() {
      await app.close();
      metrics.close();
    },
  };
}

/** Sends a request and hangs up once `when` has come; resolves when the server has counted it. */
async function hangUp(
  { app, scrape }: ReturnType<typeof countedApp>,
  route: string,
  when: Promise<void>,
): Promise<readonly (readonly [string | undefined, number])[]> {
  const origin = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(origin.port), origin.hostname);
  socket.write(`GET ${route} HTTP/1.1\r\nHost: test\r\n\r\n`);
  await when;
  socket.destroy();
  for (;;) {
    const counted = (await scrape()).all('qcs_http_requests_total', { route });
    if (counted.length > 0) return counted.map(({ labels, value }) => [labels['status'], value]);
    // One that is never counted runs into the test's time limit.
    await setTimeout(1);
  }
}

test('an event stream is counted as a request, and its time is not', async () => {
  await using counted = countedApp();
  counted.app.get('/events', async (_request, reply) =>
    reply.type('text/event-stream; charset=utf-8').send('data: 1\n\n'),
  );
  counted.app.get('/other', async () => 'text');
  await counted.app.inject({ url: '/events' });
  await counted.app.inject({ url: '/other' });
  const { all, value } = await counted.scrape();
  expect(value('qcs_http_requests_total', { route: '/events', status: '200' })).toBe(1);
  expect(value('qcs_http_request_duration_seconds_count', { route: '/other' })).toBe(1);
  expect(all('qcs_http_request_duration_seconds_count', { route: '/events' })).toEqual([]);
});

test('a request whose caller hangs up before the answer is aborted, whatever it would have been', async () => {
  await using counted = countedApp();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: end, resolve: finish } = Promise.withResolvers<void>();
  counted.app.get('/slow', async () => {
    begin();
    await end;
    return 'late';
  });
  expect(await hangUp(counted, '/slow', begun)).toEqual([['aborted', 1]]);
  finish();
  await settled();
  const { all } = await counted.scrape();
  expect(all('qcs_http_requests_total', { route: '/slow' })).toHaveLength(1);
});

test('an event stream that its reader leaves has the status that it began with', async () => {
  await using counted = countedApp();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  counted.app.get('/events', async (_request, reply) => {
    const events = Readable.from(endless(begin));
    return reply.type('text/event-stream').send(events);
  });
  expect(await hangUp(counted, '/events', begun)).toEqual([['200', 1]]);
});

/** Text without end; says when its reader has had the first of it. */
async function* endless(onRead: () => void): AsyncGenerator<string> {
  yield 'data: 1\n\n';
  onRead();
  for (;;) {
    await setTimeout(1);
    yield 'data: 2\n\n';
  }
}
