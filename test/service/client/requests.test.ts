/** Requests of the client to a service that fails as a test says: retries, errors, cancellation. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  BadRequestError,
  ConnectionError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  QcsClient,
  QcsError,
  RateLimitError,
  type RetryNotice,
  type RetryOptions,
  ServiceUnavailableError,
  UnauthorizedError,
} from '../../../src/client/client.ts';
import { type EventService, openEventService, sendJson } from '../../support/event-service.ts';

let service: EventService;
let slept: number[];
let notices: RetryNotice[];
let chance: number;

beforeEach(async () => {
  service = await openEventService((_, response) => sendJson(response, 200, { fine: true }));
  slept = [];
  notices = [];
  chance = 0;
});

afterEach(() => service[Symbol.asyncDispose]());

/** A client whose waits take no time. */
function client(retry: RetryOptions = {}, baseUrl = service.origin): QcsClient {
  return new QcsClient({
    ...{ baseUrl, key: 'qcs_key', retry },
    onRetry: (notice) => notices.push(notice),
    surroundings: {
      now: () => 0,
      random: () => chance,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        slept.push(ms);
      },
    },
  });
}

/** Refuses so many requests; those after them are answered. */
function refuse(
  times: number,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  let left = times;
  service.answer = (_, response) => {
    if (left-- <= 0) return sendJson(response, 200, { fine: true });
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    return sendJson(response, status, 'Not now.');
  };
}

async function errorOf(promise: Promise<unknown>): Promise<QcsError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof QcsError)) throw new Error(`no error of the client: ${error}`);
  return error;
}

test('a request has the key, and its data comes without the envelope', async () => {
  expect(await client().request('GET /status')).toEqual({ fine: true });
  expect(service.asked).toMatchObject([
    { method: 'GET', url: '/api/v1/status', headers: { 'x-api-key': 'qcs_key' } },
  ]);
});

test('the address may end in a slash and in /api/v1, and the key may be missing', async () => {
  const plain = new QcsClient({ baseUrl: `${service.origin}/api/v1/` });
  expect(plain.baseUrl).toBe(service.origin);
  await plain.request('GET /');
  expect(service.asked[0]?.url).toBe('/api/v1/');
  expect(service.asked[0]?.headers).not.toHaveProperty('x-api-key');
});

test('requests go through the fetch that was given', async () => {
  const asked: string[] = [];
  const own = new QcsClient({
    baseUrl: 'http://service.test',
    fetch: async (input) => {
      asked.push(String(input));
      return Response.json({ success: true, data: { fine: true }, meta: {} });
    },
  });
  expect(await own.request('GET /status')).toEqual({ fine: true });
  expect(asked).toEqual(['http://service.test/api/v1/status']);
});

describe('a request is sent again', () => {
  test.each([
    [429, { 'retry-after': '7' }, [7000, 7000]],
    [503, { 'retry-after': '2' }, [2000, 2000]],
    [
      503,
      { 'retry-after': 'Fri, 02 Jan 2026 03:04:15 GMT', date: 'Fri, 02 Jan 2026 03:04:05 GMT' },
      [10_000, 10_000],
    ],
    [503, {}, [250, 500]],
    [502, {}, [250, 500]],
    [504, {}, [250, 500]],
  ])('after %i with %j', async (status, headers, waits) => {
    refuse(2, status, headers);
    expect(await client().request('GET /status')).toEqual({ fine: true });
    expect(slept).toEqual(waits);
    expect(notices).toMatchObject([
      { error: { status }, retry: 1, delayMs: waits[0] },
      { error: { status }, retry: 2, delayMs: waits[1] },
    ]);
  });

  test('after a connection that breaks, before or within the answer', async () => {
    let connection = 0;
    service.answer = (_, response) => {
      connection++;
      if (connection === 1) return response.destroy();
      if (connection === 2) {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' });
        return response.write('{"success":true,', () => response.destroy());
      }
      return sendJson(response, 200, { fine: true });
    };
    expect(await client().request('GET /status')).toEqual({ fine: true });
    expect(notices.map(({ error }) => error.code)).toEqual([
      'CONNECTION_FAILED',
      'CONNECTION_FAILED',
    ]);
  });

  test('after waits that double up to a limit, each with a random part', async () => {
    refuse(8, 503);
    await client({ maxRetries: 8, baseDelayMs: 100, maxDelayMs: 2000 }).request('GET /status');
    expect(slept).toEqual([50, 100, 200, 400, 800, 1000, 1000, 1000]);
    [slept, chance] = [[], 0.5];
    refuse(3, 503);
    await client({ baseDelayMs: 100 }).request('GET /status');
    expect(slept).toEqual([75, 150, 300]);
    slept = [];
    refuse(1, 429, { 'retry-after': '10' });
    await client().request('GET /status');
    expect(slept).toEqual([10_500]);
  });

  test('a submission with the same Idempotency-Key, which is drawn anew for the next one', async () => {
    const record = {
      circuit_id: 'circ_1',
      status: 'completed',
      created_at: '2026-01-02T03:04:05.678Z',
    };
    let connection = 0;
    service.answer = (_, response) =>
      ++connection === 1 ? response.destroy() : sendJson(response, 201, record);
    const body = { circuit: [], target_processor: 'statevector-sim', shots: 1 };
    expect(await client().circuits.submit(body)).toEqual(record);
    await client().circuits.submit(body);
    await client().circuits.submit(body, { idempotencyKey: 'mine' });
    await client().request('POST /quantum/circuits', { body });
    const keys = service.asked.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([keys[1], keys[1], keys[2], 'mine', keys[4]]);
    expect(new Set(keys).size).toBe(4);
    expect(keys[1]).toMatch(/^[0-9a-f]{32}$/);
    expect(service.asked[0]?.headers).toMatchObject({
      prefer: 'respond-async',
      'content-type': 'application/json',
    });
  });
});

describe('a request is not sent again', () => {
  test.each([400, 401, 403, 404, 500])('after %i', async (status) => {
    refuse(1, status);
    await errorOf(client().request('GET /status'));
    expect(service.asked).toHaveLength(1);
  });

  test('more often than allowed', async () => {
    refuse(99, 503);
    await errorOf(client({ maxRetries: 2 }).request('GET /status'));
    expect(service.asked).toHaveLength(3);
    await errorOf(client().request('GET /status', { retry: { maxRetries: 0 } }));
    expect(service.asked).toHaveLength(4);
  });

  test('if it is to wait for longer than allowed', async () => {
    refuse(1, 429, { 'retry-after': '121' });
    const error = await errorOf(client().request('GET /status'));
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 121_000 });
    expect(service.asked).toHaveLength(1);
  });

  test('if the caller finds the error not worth it', async () => {
    refuse(1, 503);
    const isWorthRetrying = (error: QcsError) => error.code === 'RATE_LIMIT_EXCEEDED';
    await errorOf(client({ isWorthRetrying }).request('GET /status'));
    expect(service.asked).toHaveLength(1);
  });

  test('if the processor is offline and the service does not say until when', async () => {
    service.answer = (_, response) => {
      response.writeHead(503, { 'content-type': 'application/json' });
      const details = [{ code: 'FLEET_PROCESSOR_UNAVAILABLE', path: '', message: 'It is off.' }];
      const error = { code: 'SERVICE_UNAVAILABLE', message: 'It is off.', status: 503, details };
      response.end(JSON.stringify({ success: false, error, meta: {} }));
    };
    await errorOf(client().request('GET /status'));
    expect(service.asked).toHaveLength(1);
  });

  test('if it creates a key and nobody knows whether it did', async () => {
    const body = { name: 'a', tier: 'standard' } as const;
    service.answer = (_, response) => response.destroy();
    await errorOf(client().request('POST /admin/keys', { body }));
    expect(service.asked).toHaveLength(1);
    refuse(1, 502);
    await errorOf(client().request('POST /admin/keys', { body }));
    expect(service.asked).toHaveLength(2);
    refuse(1, 429, { 'retry-after': '1' });
    expect(await client().request('POST /admin/keys', { body })).toEqual({ fine: true });
  });

  test('if it is a submission that was to have no Idempotency-Key', async () => {
    service.answer = (_, response) => response.destroy();
    const body = { circuit: [], target_processor: 'statevector-sim', shots: 1 };
    await errorOf(client().circuits.submit(body, { idempotencyKey: null }));
    expect(service.asked).toHaveLength(1);
    expect(service.asked[0]?.headers).not.toHaveProperty('idempotency-key');
  });
});

describe('an error', () => {
  test.each([
    [400, 'BAD_REQUEST', BadRequestError],
    [401, 'UNAUTHORIZED', UnauthorizedError],
    [403, 'FORBIDDEN', ForbiddenError],
    [404, 'NOT_FOUND', NotFoundError],
    [429, 'RATE_LIMIT_EXCEEDED', RateLimitError],
    [500, 'INTERNAL_ERROR', InternalServerError],
    [503, 'SERVICE_UNAVAILABLE', ServiceUnavailableError],
  ])('%i %s has its class and all that the service said', async (status, code, ErrorClass) => {
    const details = [{ code: 'X_Y', path: 'circuit[3].qubit', message: 'It is wrong.' }];
    service.answer = (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '3' });
      const error = { code, message: 'It is all wrong.', status, details };
      response.end(JSON.stringify({ success: false, error, meta: { request_id: 'r-1' } }));
    };
    const error = await errorOf(client({ maxRetries: 0 }).request('GET /status'));
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toMatchObject({
      ...{ name: ErrorClass.name, message: 'It is all wrong.' },
      ...{ code, status, details, requestId: 'r-1', retryAfterMs: 3000 },
    });
  });

  test.each([
    [502, 'SERVICE_UNAVAILABLE', '502: Bad Gateway.'],
    [413, 'HTTP_ERROR', '413: Payload Too Large.'],
    [302, 'HTTP_ERROR', '302: Found, to http://elsewhere.test/.'],
  ])('of a proxy, %i, is recognised by its status', async (status, code, message) => {
    service.answer = (_, response) => {
      response.writeHead(status, status === 302 ? { location: 'http://elsewhere.test/' } : {});
      response.end('<html>');
    };
    const error = await errorOf(client({ maxRetries: 0 }).request('GET /status'));
    expect(error).toMatchObject({ code, status, message, details: [] });
  });

  test('names the reason if nothing answers', async () => {
    const { origin } = service;
    await service[Symbol.asyncDispose]();
    service = await openEventService(() => {});
    const error = await errorOf(client({ maxRetries: 0 }, origin).request('GET /status'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'CONNECTION_FAILED', reason: 'ECONNREFUSED' });
    expect(error.message).toBe(`No answer from ${origin}: ECONNREFUSED.`);
  });

  test.each([
    ['text', 'hello', 'it is not JSON'],
    ['other JSON', '{"a":1}', 'there is no `data`'],
  ])('says so where the answer is %s', async (_, text, fault) => {
    service.answer = (__, response) => response.end(text);
    const error = await errorOf(client().request('GET /status'));
    expect(error).toMatchObject({ code: 'UNREADABLE_ANSWER', fault });
  });
});

describe('an AbortSignal ends', () => {
  const reason = new Error('enough');

  test('a request, whose connection is closed', async () => {
    const interrupt = new AbortController();
    const closed = Promise.withResolvers<void>();
    service.answer = (_, response) => {
      response.once('close', closed.resolve);
      interrupt.abort(reason);
    };
    const { signal } = interrupt;
    await expect(client().request('GET /status', { signal })).rejects.toBe(reason);
    await closed.promise;
    expect(slept).toEqual([]);
  });

  test('the wait before a repeat, also that of the real clock', async () => {
    const interrupt = new AbortController();
    refuse(9, 429, { 'retry-after': '100' });
    const real = new QcsClient({
      baseUrl: service.origin,
      onRetry: () => queueMicrotask(() => interrupt.abort(reason)),
    });
    const { signal } = interrupt;
    await expect(real.request('GET /status', { signal })).rejects.toBe(reason);
    expect(service.asked).toHaveLength(1);
  });
});

describe('a listing', () => {
  async function allOf<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
    const all: T[] = [];
    for await (const item of items) all.push(item);
    return all;
  }

  const job = (n: number) => ({
    ...{ task_id: `task_${n}`, status: 'completed', created_at: '2026-01-02T03:04:05.678Z' },
  });

  test('is read page after page, as far as it is asked for', async () => {
    service.answer = ({ url }, response) => {
      const page = Number(new URL(url, service.origin).searchParams.get('cursor') ?? 0);
      const tasks = [job(2 * page), job(2 * page + 1)];
      sendJson(response, 200, { tasks, next_cursor: page === 2 ? null : String(page + 1) });
    };
    const filters = { status: ['failed', 'cancelled'], tag: 'a', pageSize: 2 } as const;
    const all = await allOf(client().tasks.list(filters));
    expect(all).toEqual([0, 1, 2, 3, 4, 5].map(job));
    expect(service.asked.map(({ url }) => url)).toEqual([
      '/api/v1/tasks?limit=2&status=failed&status=cancelled&tag=a',
      '/api/v1/tasks?limit=2&status=failed&status=cancelled&tag=a&cursor=1',
      '/api/v1/tasks?limit=2&status=failed&status=cancelled&tag=a&cursor=2',
    ]);
    for await (const first of client().tasks.list()) {
      expect(first).toEqual(job(0));
      break;
    }
    expect(service.asked).toHaveLength(4);
  });

  test('whose cursor stands still ends', async () => {
    service.answer = (_, response) =>
      sendJson(response, 200, { tasks: [job(1)], next_cursor: 'same' });
    expect(await allOf(client().tasks.list())).toHaveLength(2);
  });
});

test('an address that is none is refused at once', () => {
  expect(() => client({}, 'localhost:8080')).toThrow(/baseUrl is "localhost:8080"/);
});
