/** Which answers are compressed, for whom, and how streams are. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify, { type FastifyReply, type RouteShorthandOptions } from 'fastify';
import { describe, expect, test } from 'vitest';
import {
  acceptedEncoding,
  fixedBody,
  registerCompression,
  sendFixed,
} from '../../../src/service/http/compression.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['GZIP;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
])('Accept-Encoding %s is answered with %s', (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});

const LONG = JSON.stringify({ text: 'counts of a Bell pair '.repeat(2000) });
const JSON_TYPE = 'application/json; charset=utf-8';

/** What one route answers. */
async function answered(
  send: (reply: FastifyReply) => FastifyReply | Promise<FastifyReply>,
  {
    method = 'GET',
    route = {},
    accept = 'br',
  }: {
    readonly method?: 'GET' | 'HEAD' | 'POST';
    readonly route?: RouteShorthandOptions;
    readonly accept?: string;
  } = {},
) {
  await using app = Fastify();
  registerCompression(app);
  app.route({
    ...route,
    method: method === 'HEAD' ? 'GET' : method,
    url: '/',
    handler: async (_, reply) => send(reply),
  });
  const { headers, rawPayload, statusCode } = await app.inject({
    method,
    url: '/',
    headers: { 'accept-encoding': accept, range: 'bytes=0-9' },
  });
  return { headers, rawPayload, statusCode, encoding: headers['content-encoding'] };
}

describe('an answer', () => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)(
    'of JSON is compressed by %s, whole though a part of it is asked for',
    async (accept, inflated) => {
      const answer = await answered((reply) => reply.type(JSON_TYPE).send(LONG), { accept });
      expect(answer).toMatchObject({
        encoding: accept,
        statusCode: 200,
        headers: { vary: 'Accept-Encoding' },
      });
      expect(inflated(answer.rawPayload).toString()).toBe(LONG);
      expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length));
    },
  );

  test('to HEAD has the headers of that to GET', async () => {
    const send = (reply: FastifyReply) => reply.type(JSON_TYPE).send(LONG);
    const [get, head] = [await answered(send), await answered(send, { method: 'HEAD' })];
    for (const name of ['content-encoding', 'content-length', 'vary']) {
      expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    }
    expect(head.rawPayload.length).toBe(0);
  });

  test.each<[string, Parameters<typeof answered>[0], Parameters<typeof answered>[1]]>([
    ['of less than a KiB', (reply) => reply.type(JSON_TYPE).send(LONG.slice(0, 1000)), {}],
    [
      'to a submission of one packet',
      (reply) => reply.type(JSON_TYPE).send(LONG.slice(0, 1500)),
      { method: 'POST' },
    ],
    ['of a picture', (reply) => reply.type('image/png').send(Buffer.from(LONG)), {}],
    [
      'with a secret',
      (reply) => reply.type(JSON_TYPE).send(LONG),
      { route: { config: { holdsSecret: true } } },
    ],
    ['of events', (reply) => reply.type('text/event-stream').send(Readable.from([LONG])), {}],
    [
      'in a short stream',
      (reply) => reply.type(JSON_TYPE).send(Readable.from(['{', '}'], { objectMode: false })),
      {},
    ],
    ['to who accepts none', (reply) => reply.type(JSON_TYPE).send(LONG), { accept: 'identity' }],
  ])('%s is not', async (_, send, options) => {
    const { encoding, rawPayload } = await answered(send, options);
    expect(encoding).toBeUndefined();
    expect(rawPayload.length).toBeGreaterThan(0);
  });

  test('that stays the same is sent compressed, and plain to others, as answers that vary', async () => {
    const body = fixedBody(Buffer.from(LONG));
    await using app = Fastify();
    registerCompression(app);
    app.get('/', (request, reply) => sendFixed(request, reply, body, JSON_TYPE));
    const packed = await app.inject({ url: '/', headers: { 'accept-encoding': 'gzip' } });
    expect(gunzipSync(packed.rawPayload).toString()).toBe(LONG);
    const plain = await app.inject({ url: '/' });
    expect(plain.body).toBe(LONG);
    for (const { headers } of [packed, plain]) expect(headers['vary']).toBe('Accept-Encoding');
  });
});

describe('a long stream', () => {
  const chunk = Buffer.from(LONG);

  test('is compressed, and is whole', async () => {
    const chunks = Array.from({ length: 50 }, () => chunk);
    const answer = await answered((reply) => reply.type(JSON_TYPE).send(Readable.from(chunks)), {
      method: 'POST',
    });
    expect(answer.encoding).toBe('br');
    expect(brotliDecompressSync(answer.rawPayload).equals(Buffer.concat(chunks))).toBe(true);
  });

  test('that fails before it is sent is answered as an error', async () => {
    const failing = async function* () {
      yield chunk.subarray(0, 10);
      throw new Error('a part is missing');
    };
    const answer = await answered((reply) =>
      reply.type(JSON_TYPE).send(Readable.from(failing(), { objectMode: false })),
    );
    expect(answer.statusCode).toBe(500);
  });

  test('is read no faster than its reader takes it, and ends with its reader', async () => {
    let numRead = 0;
    let hasEnded = false;
    // What cannot be compressed, so that the reader's share of it is as large.
    const noise = async function* () {
      try {
        for (let seed = 1; ; numRead++) {
          const bytes = Buffer.alloc(65_536);
          for (let i = 0; i < bytes.length; i++) {
            seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
            bytes[i] = seed >>> 24;
          }
          yield bytes;
        }
      } finally {
        hasEnded = true;
      }
    };
    await using app = Fastify();
    registerCompression(app);
    app.get('/', (_, reply) =>
      reply.type(JSON_TYPE).send(Readable.from(noise(), { objectMode: false })),
    );
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const asked = get({ host: '127.0.0.1', port, headers: { 'accept-encoding': 'gzip' } });
    const [answer]: IncomingMessage[] = await once(asked, 'response');
    expect(answer?.headers['content-encoding']).toBe('gzip');
    let before = -1;
    // It comes to rest.
    while (before !== numRead) {
      before = numRead;
      for (let i = 0; i < 200; i++) await setImmediate();
    }
    // 65 MB: what the connection holds is less.
    expect(numRead).toBeLessThan(1000);
    asked.destroy();
    while (!hasEnded) await setImmediate();
  });
});
