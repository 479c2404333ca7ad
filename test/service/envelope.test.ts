/** All answers have one envelope, and headers in common. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BELL, openTestService, type TestService } from './support/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService({ settings: { bodyLimitBytes: 4096 } });
});
afterAll(() => service[Symbol.asyncDispose]());

const META = {
  version: '0.1.0',
  timestamp: '2026-01-02T03:04:05.678Z',
  request_id: expect.any(String),
};

describe('the envelope', () => {
  test('of a success holds data and meta, and nothing else', async () => {
    const answer = await service.get('/status');
    expect(answer.json()).toEqual({ success: true, data: expect.any(Object), meta: META });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('of an error holds code, message, status and details, and nothing else', async () => {
    const answer = await service.get('/quantum/processors/nowhere');
    expect(answer.json()).toEqual({
      success: false,
      error: {
        code: 'NOT_FOUND',
        message: expect.stringContaining('nowhere'),
        status: 404,
        details: [{ path: '', message: expect.any(String), code: 'SERVICE_PROCESSOR_NOT_FOUND' }],
      },
      meta: META,
    });
  });

  const json = { 'content-type': 'application/json' };
  test.each([
    ['an unknown path', 'GET', '/nowhere', {}, undefined, 404],
    [
      'an unknown path with a body of an unknown type',
      'POST',
      '/nowhere',
      { 'content-type': 'a/b' },
      'x',
      404,
    ],
    ['an unknown path with a body that is no JSON', 'POST', '/nowhere', json, '{', 404],
    ['a path that is wrongly percent-encoded', 'GET', '/quantum/circuits/%', {}, undefined, 400],
    [
      'a path with a very long part',
      'GET',
      `/quantum/circuits/${'a'.repeat(500)}`,
      {},
      undefined,
      404,
    ],
    ['a body that is no JSON', 'POST', '/quantum/circuits', json, '{', 400],
    ['an empty body', 'POST', '/quantum/circuits', json, '', 400],
    ['no body at all', 'POST', '/quantum/circuits', {}, undefined, 400],
    [
      'a body larger than the limit',
      'POST',
      '/quantum/circuits',
      json,
      `"${'a'.repeat(5000)}"`,
      400,
    ],
    [
      'a body of another type',
      'POST',
      '/quantum/circuits',
      { 'content-type': 'text/plain' },
      'x',
      400,
    ],
    ['a body without a type', 'POST', '/quantum/circuits', { 'content-type': '' }, '{}', 400],
    [
      'a body of form fields',
      'POST',
      '/quantum/circuits',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'a=1',
      400,
    ],
    ['a body with a byte order mark', 'POST', '/quantum/circuits', json, '\ufeff{}', 400],
    ['a deeply nested body', 'POST', '/quantum/circuits', json, '['.repeat(4000), 400],
    [
      'a body that names a prototype',
      'POST',
      '/quantum/circuits',
      json,
      '{"__proto__":{"a":1}}',
      400,
    ],
    [
      'a body that is UTF-8 of nothing',
      'POST',
      '/quantum/circuits',
      json,
      Buffer.from([0x22, 0xff, 0x22]),
      400,
    ],
    ['a query field that does not exist', 'GET', '/quantum/circuits?page=2', {}, undefined, 400],
    [
      'an idempotency key with a line break',
      'POST',
      '/quantum/circuits',
      { ...json, 'idempotency-key': 'a\tb' },
      JSON.stringify(BELL),
      400,
    ],
  ] as const)(
    'surrounds the answer to %s',
    async (_what, method, url, headers, payload, status) => {
      const answer = await service.request({
        method,
        url,
        headers,
        ...(payload === undefined ? {} : { payload }),
      });
      expect(answer.statusCode).toBe(status);
      const body = answer.json();
      expect(Object.keys(body)).toEqual(['success', 'error', 'meta']);
      expect(body.error).toMatchObject({
        code: status === 400 ? 'BAD_REQUEST' : 'NOT_FOUND',
        status,
        message: expect.stringMatching(/./),
      });
      expect(body.error.details.length).toBeGreaterThan(0);
      for (const detail of body.error.details) {
        expect(detail).toEqual({
          path: expect.any(String),
          message: expect.stringMatching(/./),
          code: expect.stringMatching(/^[A-Z]+_[A-Z_]+$/),
        });
      }
      expect(body.meta).toEqual(META);
      expect(answer.headers['x-request-id']).toBe(body.meta.request_id);
    },
  );

  test('surrounds an error that nobody foresaw, which tells nothing of itself', async () => {
    await using broken = await openTestService({
      keys: {
        ...service.deps.keys,
        find: async () => {
          throw new Error('secret detail');
        },
      },
    });
    const answer = await broken.get('/status');
    expect(answer.statusCode).toBe(500);
    expect(answer.json().error).toEqual({
      code: 'INTERNAL_ERROR',
      status: 500,
      message: 'The service met an unexpected error; it has been logged.',
    });
    expect(answer.body).not.toContain('secret detail');
  });

  test.each([
    ['bytes that are no HTTP', 'GET / HTTP/9.9\r\nbroken\r\n\r\n', 'not well-formed'],
    ['headers of 20 KiB', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, '16 KiB'],
  ])('surrounds the answer to %s', async (_what, sent, problem) => {
    await using listening = await openTestService();
    const origin = await listening.app.listen({ port: 0, host: '127.0.0.1' });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.setEncoding('utf8');
    let received = '';
    socket.on('data', (text: string) => {
      received += text;
    });
    socket.write(sent);
    await once(socket, 'end');
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(body)).toMatchObject({
      success: false,
      error: { code: 'BAD_REQUEST', status: 400, message: expect.stringContaining(problem) },
      meta: META,
    });
    expect(head).toContain(`X-Request-Id: ${JSON.parse(body).meta.request_id}`);
  });
});

describe('X-Request-Id', () => {
  test.each(['a', 'A-z_0.9', 'x'.repeat(64)])('is kept when it is %j', async (id) => {
    const answer = await service.get('/status', { 'x-request-id': id });
    expect(answer.headers['x-request-id']).toBe(id);
    expect(answer.json().meta.request_id).toBe(id);
  });

  test.each(['', 'x'.repeat(65), 'a b', 'a/b', 'é'])('is replaced when it is %j', async (id) => {
    const answer = await service.get('/status', { 'x-request-id': id });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.json().meta.request_id).toBe(answer.headers['x-request-id']);
  });

  test('is another one for each request', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await service.get('/')).headers['x-request-id']),
    );
    expect(new Set(ids).size).toBe(3);
  });
});

describe('a known path with another method', () => {
  test.each([
    ['PUT', '/status', 'GET, HEAD'],
    ['DELETE', '/quantum/circuits', 'GET, HEAD, POST'],
    ['OPTIONS', '/keys/info', 'GET, HEAD'],
    ['GET', '/quantum/circuits/circ_1/cancel', 'POST'],
    ['HEAD', '/admin/processors/x/maintenance', 'POST'],
    ['POST', '/', 'GET, HEAD'],
    ['PATCH', '/quantum/circuits/', 'GET, HEAD, POST'],
  ] as const)('%s %s answers 404 and names %s', async (method, url, allowed) => {
    const answer = await service.request({ method, url });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['allow']).toBe(allowed);
    if (method === 'HEAD') return;
    expect(answer.json().error).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining(`it takes ${allowed}`),
      details: [{ code: 'SERVICE_METHOD_NOT_FOUND' }],
    });
  });

  test('HEAD answers what GET does, without the body', async () => {
    const head = await service.request({ method: 'HEAD', url: '/quantum/processors' });
    const get = await service.get('/quantum/processors');
    expect(head.statusCode).toBe(200);
    expect(head.body).toBe('');
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
});

describe('Accept: application/problem+json', () => {
  const accept = 'application/problem+json';

  test('turns an error into RFC 9457 problem details with the same facts', async () => {
    const answer = await service.get('/quantum/processors/x?y=1', { accept });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.json()).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: expect.stringContaining('There is no processor "x"'),
      instance: '/api/v1/quantum/processors/x',
      code: 'NOT_FOUND',
      details: [{ path: '', message: expect.any(String), code: 'SERVICE_PROCESSOR_NOT_FOUND' }],
      ...META,
    });
  });

  test('leaves a success as it is', async () => {
    const answer = await service.get('/status', { accept });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json()).toMatchObject({ success: true });
  });

  test.each([
    ['*/*', false],
    ['application/json', false],
    ['application/json, application/problem+json;q=0.5', false],
    ['application/problem+json;q=0', false],
    ['application/problem+json, application/json;q=0.5', true],
    ['application/json, application/problem+json', true],
  ])('an Accept of %j gives problem details: %j', async (value, expected) => {
    const answer = await service.get('/nowhere', { accept: value });
    const type = String(answer.headers['content-type']);
    expect(type.startsWith('application/problem+json')).toBe(expected);
  });
});

describe('GET /', () => {
  test('below /api/v1 needs no key and lists services that exist', async () => {
    for (const url of ['/api/v1/', '/api/v1']) {
      const answer = await service.app.inject({ url });
      expect(answer.statusCode).toBe(200);
      const { data } = answer.json();
      expect(data).toMatchObject({ version: '0.1.0', documentation: '/docs' });
      for (const { path, methods } of data.services) {
        for (const method of methods) {
          const found = await service.app.inject({ method, url: path });
          // Without a key all but the demo want one, and the demo wants a body.
          const wanted = path === '/api/v1/demo/qnn-hybrid' ? 400 : 401;
          expect([path, method, found.statusCode]).toEqual([path, method, wanted]);
        }
      }
    }
  });

  test('/docs is a page that loads nothing from elsewhere', async () => {
    const page = await service.app.inject({ url: '/docs' });
    expect(page.statusCode).toBe(200);
    const links = [...page.body.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) {
      expect(link).toMatch(/^\/(?!\/)/);
      expect((await service.app.inject({ url: link })).statusCode).toBe(200);
    }
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  });
});
