// @needs processes
/** Reading one caller's bodies costs other callers nothing but turns. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LARGE_BODY_BYTES } from '../../src/service/http/json-body.ts';
import { eventually } from '../support/eventually.ts';
import { openReaderProcesses } from './support/test-readers.ts';
import { openTestService, type TestService } from './support/test-service.ts';

let service: TestService;
let other: string;
let origin: string;
beforeEach(async () => {
  service = await openTestService({
    readers: openReaderProcesses(),
    settings: { bodyLimitBytes: 2 ** 24 },
  });
  other = await service.createKey();
  origin = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => service[Symbol.asyncDispose]());

/** Takes the most steps that a program may. */
const LASTING = 'OPENQASM 3; int i; while (true) { i = i + 1; }';
const QUICK = 'OPENQASM 3; qubit q; U(0, 0, 0) q;';
const bodyOf = (qasm: string) =>
  JSON.stringify({ qasm, target_processor: 'statevector-sim', shots: 1 });
/** The same, so large that it is read elsewhere. */
const large = (qasm: string) => bodyOf(qasm + ' '.repeat(LARGE_BODY_BYTES));

const submit = (key: string, body: string, headers = {}) =>
  fetch(`${origin}/api/v1/quantum/circuits`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    body,
  });

const load = () => service.deps.readers.load();

test('programs of one key that loop for long keep nobody else from being read', async () => {
  let numAnswered = 0;
  const floods = Array.from({ length: 8 }, async () => {
    const { status } = await submit(service.key, large(LASTING));
    numAnswered++;
    return status;
  });
  await eventually(() => expect(load()).toMatchObject({ running: 1 }));
  expect((await submit(other, large(QUICK))).status).toBe(201);
  expect(numAnswered).toBeLessThan(8);
  expect(new Set(await Promise.all(floods))).toEqual(new Set([400]));
});

test('what waits to be read is reported in /status, and in the waits of processors to whose it is', async () => {
  const flood = Promise.all(Array.from({ length: 4 }, () => submit(service.key, large(LASTING))));
  await eventually(() => expect(load()).toMatchObject({ running: 1, waiting: 3 }));
  const [own, others] = await Promise.all(
    [service.key, other].map(async (key) => {
      const answer = await service.get('/status', { 'x-api-key': key });
      return answer.json().data;
    }),
  );
  expect(own.status).toBe(others.status);
  expect(own.reading).toMatchObject({ waiting: 3, running: 1 });
  expect(own.reading.bytes).toBeGreaterThan(4 * LARGE_BODY_BYTES);
  expect(own.reading.expected_wait_ms).toBeGreaterThan(0);
  expect(own.processors[0].expected_wait_ms).toBeGreaterThanOrEqual(own.reading.expected_wait_ms);
  expect(others.reading.expected_wait_ms).toBe(0);
  await flood;
  expect(load()).toEqual({ waiting: 0, running: 0, bytes: 0 });
});

test('a body is not read once its caller has gone', async () => {
  const { port, hostname } = new URL(origin);
  const body = large(LASTING);
  const sockets = Array.from({ length: 3 }, () => {
    const socket = connect(Number(port), hostname);
    const head = `POST /api/v1/quantum/circuits HTTP/1.1\r\nhost: a\r\nx-api-key: ${service.key}`;
    socket.write(`${head}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`);
    socket.write(`\r\n\r\n${body}`);
    return socket;
  });
  await eventually(() => expect(load()).toMatchObject({ running: 1, waiting: 2 }));
  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map((socket) => once(socket, 'close')));
  await eventually(() => expect(load()).toEqual({ waiting: 0, running: 0, bytes: 0 }));
  const { data } = (await service.get('/quantum/circuits')).json();
  expect(data.circuits).toEqual([]);
});

describe('large bodies of one key take a quarter of the room that there is', () => {
  const most = 2 ** 26;
  const held: Disposable[] = [];
  afterEach(() => {
    for (const room of held.splice(0)) room[Symbol.dispose]();
  });

  test('one more is answered 429 before it is read, and those of others are read', async () => {
    const { id: keyId } = (await service.get('/keys/info')).json().data;
    held.push(service.deps.readers.reserve(keyId, most - 1000));
    const refused = await service.submit(large(QUICK));
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    const { error } = refused.json();
    expect(error.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(error.details[0].code).toBe('SERVICE_KEY_READING_ROOM');
    expect(error.message).toContain(`${most - 1000} bytes`);
    expect((await service.submit(large(QUICK), { 'x-api-key': other })).statusCode).toBe(201);
    expect((await service.submit(bodyOf(QUICK))).statusCode).toBe(201);
  });

  test('where all of it is taken, large bodies are answered 503', async () => {
    const { readers } = service.deps;
    for (const name of ['a', 'b', 'c', 'd']) held.push(readers.reserve(name, most));
    const refused = await service.submit(large(QUICK));
    expect(refused.statusCode).toBe(503);
    expect(refused.json().error.details[0].code).toBe('SERVICE_READING_ROOM');
    expect((await service.submit(bodyOf(QUICK))).statusCode).toBe(201);
  });
});
