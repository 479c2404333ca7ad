/**
 * Clients that connect and say nothing, say half of it, say too much, or do not read. That the service ends for all
 * that is in process.test.ts.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { HALF_SENT, HEAD } from './support/half-sent.ts';
import { openTestService, type TestOverrides, type TestService } from './support/test-service.ts';

/** A whole request. */
function submission(key: string, more = ''): string {
  const body = JSON.stringify({
    circuit: [{ gate: 'H', qubit: 0 }],
    target_processor: 'statevector-sim',
    shots: 1,
  });
  return `${HEAD}X-API-Key: ${key}\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
}

const sockets: Socket[] = [];
const services: TestService[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const service of services.splice(0)) await service[Symbol.asyncDispose]();
});

/** A service that listens. */
async function listening(settings: NonNullable<TestOverrides['settings']>) {
  const service = await openTestService({ settings });
  services.push(service);
  const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(origin).port);
  return { service, port };
}

/** A client that never hangs up by itself. */
async function client(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** A client that reads until the service hangs up: silently, or after it has said that it waited too long. */
async function hungUp(port: number): Promise<void> {
  const socket = await client(port);
  const ended = once(socket, 'end');
  socket.resume();
  await ended;
}

function numConnections({ app }: TestService): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

test.each([1, 2, 5, 10, 40, 59, 3600])(
  'a request time-out of %i s is one that Node takes',
  async (seconds) => {
    const { port } = await listening({ requestTimeoutMs: seconds * 1000 });
    expect(port).toBeGreaterThan(0);
  },
);

describe('a client that does not hang up', () => {
  test.each(HALF_SENT)('and %s is hung up on', async (_, bytes) => {
    const { service, port } = await listening({ requestTimeoutMs: 400 });
    const socket = await client(port);
    await eventually(async () => expect(await numConnections(service)).toBe(1));
    socket.write(bytes.replace('KEY', service.key));
    await eventually(async () => expect(await numConnections(service)).toBe(0));
  });

  test('and does not read a long answer is hung up on', async () => {
    const { service, port } = await listening({ requestTimeoutMs: 400 });
    const socket = await client(port);
    socket.pause();
    const length = 64 * 2 ** 20;
    service.app.server.prependOnceListener('request', (_, answer) =>
      answer.end(Buffer.alloc(length)),
    );
    socket.write('GET /nowhere HTTP/1.1\r\nHost: here\r\n\r\n');
    await eventually(() => expect(socket.readableLength).toBeGreaterThan(0));
    await eventually(async () => expect(await numConnections(service)).toBe(0));
  });

  test('and waits for its answer is left alone', async () => {
    const { service, port } = await listening({ requestTimeoutMs: 200 });
    const { held } = service.processor;
    service.processor.isHolding = true;
    const socket = await client(port);
    socket.write(submission(service.key, 'Connection: close\r\n'));
    await eventually(() => expect(held).toHaveLength(1));
    // Another connection, which waits for nothing, ends by the same limit, twice.
    for (let i = 0; i < 2; i++) await hungUp(port);
    held[0]?.finish();
    expect(await text(socket)).toMatch(/^HTTP\/1.1 201 /);
  });
});

test('a request that expects what nobody knows is answered as if it expected nothing', async () => {
  const { port } = await listening({});
  const socket = await client(port);
  const headers = 'Host: here\r\nExpect: miracles\r\nConnection: close\r\n';
  socket.write(`GET /api/v1/ HTTP/1.1\r\n${headers}\r\n`);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(answer).toMatch(/"success":true/);
});

test('connections above the limit of an address end at once, and those of a proxy do not', async () => {
  const { service, port } = await listening({ maxConnectionsOfAddress: 2 });
  const [first] = [await client(port), await client(port)];
  await hungUp(port);
  expect(await numConnections(service)).toBe(2);
  first?.destroy();
  await eventually(async () => expect(await numConnections(service)).toBe(1));
  await client(port);
  await eventually(async () => expect(await numConnections(service)).toBe(2));

  const proxied = await listening({ maxConnectionsOfAddress: 2, trustedProxies: ['127.0.0.1'] });
  for (let i = 0; i < 5; i++) await client(proxied.port);
  await eventually(async () => expect(await numConnections(proxied.service)).toBe(5));
});

describe('requests in one connection that do not wait for answers', () => {
  const pipelined = (count: number) => 'GET /api/v1/ HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(count);

  test('are begun one after the other', async () => {
    const { service, port } = await listening({});
    const { held, tasks } = service.processor;
    service.processor.isHolding = true;
    const socket = await client(port);
    socket.write(submission(service.key).repeat(2));
    await eventually(() => expect(tasks).toHaveLength(1));
    // Had the second been begun with the first, it would be there before this answer.
    expect((await service.get('/status')).statusCode).toBe(200);
    expect(tasks).toHaveLength(1);
    held[0]?.finish();
    await eventually(() => expect(tasks).toHaveLength(2));
    held[0]?.finish();
    let read = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      read += chunk;
    });
    await eventually(() => expect(read.match(/HTTP\/1.1 201 /g)).toHaveLength(2));
  });

  test('are not begun once their client has gone', async () => {
    const { service, port } = await listening({});
    const { tasks } = service.processor;
    service.processor.isHolding = true;
    const socket = await client(port);
    socket.write(submission(service.key).repeat(3));
    await eventually(() => expect(tasks).toHaveLength(1));
    socket.destroy();
    await eventually(async () => expect(await numConnections(service)).toBe(0));
    expect((await service.get('/status')).statusCode).toBe(200);
    expect(tasks).toHaveLength(1);
  });

  test('are not begun after a last answer', async () => {
    const { service, port } = await listening({});
    const socket = await client(port);
    socket.write(`GET /api/v1/ HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`);
    socket.write(submission(service.key));
    expect((await text(socket)).match(/HTTP\/1.1 /g)).toHaveLength(1);
    expect((await service.get('/status')).statusCode).toBe(200);
    expect(service.processor.tasks).toHaveLength(0);
  });

  test('cost a request before them nothing when they come too slowly', async () => {
    const { service, port } = await listening({ requestTimeoutMs: 400 });
    const { held, tasks } = service.processor;
    service.processor.isHolding = true;
    const socket = await client(port);
    socket.write(submission(service.key));
    await eventually(() => expect(tasks).toHaveLength(1));
    socket.write('GET /api/v1/ HTTP/1.1\r\nHos');
    // The other connection ends by the same limit, and began later.
    await hungUp(port);
    held[0]?.finish();
    expect(await text(socket)).toMatch(/^HTTP\/1.1 201 /);
  });

  test('end the connection above a hundred', async () => {
    const { service, port } = await listening({});
    const socket = await client(port);
    socket.write(pipelined(1500));
    await eventually(async () => expect(await numConnections(service)).toBe(0));
  });
});
