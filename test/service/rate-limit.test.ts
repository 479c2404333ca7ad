/** Windows of sixty seconds a key, and the headers that tell of them. */
import { describe, expect, test } from 'vitest';
import {
  budgetAddress,
  FixedWindows,
  forwardedClient,
  type RequestWindows,
} from '../../src/service/http/limits.ts';
import { StorageUnwritableError } from '../../src/storage/errors.ts';
import { BELL, openTestService, START } from './support/test-service.ts';

const limits = { rateLimits: { standard: 3, enterprise: 5 } };
const RATE_HEADERS = [
  'ratelimit-policy',
  'ratelimit',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

describe('a key of the Standard tier', () => {
  test('gets its limit, what remains and the seconds until the reset', async () => {
    await using service = await openTestService({ settings: limits });
    const first = await service.get('/status');
    expect(RATE_HEADERS.map((name) => first.headers[name])).toEqual([
      '"standard";q=3;w=60',
      '"standard";r=2;t=60',
      '3',
      '2',
      '60',
    ]);
    service.clock.now += 14_200;
    const second = await service.get('/status');
    expect(second.headers['ratelimit']).toBe('"standard";r=1;t=46');
    expect(second.headers['x-ratelimit-reset']).toBe('46');
  });

  test('is answered 429 with Retry-After above its limit, until its window ends', async () => {
    await using service = await openTestService({ settings: limits });
    service.clock.now += 777;
    for (let i = 0; i < 3; i++) expect((await service.get('/status')).statusCode).toBe(200);
    service.clock.now += 30_000;
    const refused = await service.get('/status');
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('30');
    expect(refused.headers['ratelimit']).toBe('"standard";r=0;t=30');
    expect(refused.json().error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      status: 429,
      details: [{ code: 'SERVICE_RATE_LIMIT' }],
    });
    service.clock.now += 29_999;
    expect((await service.get('/status')).statusCode).toBe(429);
    service.clock.now += 1;
    const next = await service.get('/status');
    expect(next.statusCode).toBe(200);
    expect(next.headers['ratelimit']).toBe('"standard";r=2;t=60');
  });

  test('shares nothing with another key', async () => {
    await using service = await openTestService({ settings: limits });
    const other = await service.createKey('enterprise');
    for (let i = 0; i < 4; i++) await service.get('/status');
    const answer = await service.get('/status', { 'x-api-key': other });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['ratelimit-policy']).toBe('"enterprise";q=5;w=60');
    expect(answer.headers['ratelimit']).toBe('"enterprise";r=4;t=60');
  });
});

test('every answer to a keyed request bears the headers, errors and unknown paths too', async () => {
  await using service = await openTestService();
  const answers = [
    await service.submit(BELL),
    await service.submit({}),
    await service.submit('{'),
    await service.get('/quantum/circuits/circ_1'),
    await service.get('/nowhere'),
    await service.request({ method: 'DELETE', url: '/status' }),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 400, 400, 404, 404, 404]);
  for (const [i, { headers }] of answers.entries()) {
    for (const name of RATE_HEADERS) expect(headers).toHaveProperty(name);
    expect(headers['x-ratelimit-remaining']).toBe(String(99_999 - i));
  }
});

describe('a key whose requests are counted in a database', () => {
  test('waits for its outcome', async () => {
    const windows = new FixedWindows(60_000);
    const requestWindows: RequestWindows = { hit: async (...hit) => windows.hit(...hit) };
    await using service = await openTestService({ settings: limits, requestWindows });
    for (let i = 0; i < 3; i++) expect((await service.get('/status')).statusCode).toBe(200);
    const refused = await service.get('/status');
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['ratelimit']).toBe('"standard";r=0;t=60');
  });

  test('is answered 503 while that cannot be written', async () => {
    const requestWindows: RequestWindows = {
      hit: () => Promise.reject(new StorageUnwritableError('PostgreSQL cannot be reached')),
    };
    await using service = await openTestService({ requestWindows });
    const answer = await service.get('/status');
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('30');
    expect(answer.json().error.details).toMatchObject([{ code: 'STORAGE_UNWRITABLE' }]);
  });
});

test('answers without a key bear none of the headers', async () => {
  await using service = await openTestService();
  for (const url of ['/api/v1/', '/api/v1/status', '/api/v1/nowhere', '/api/v1/openapi.json']) {
    const { headers } = await service.app.inject({ url });
    for (const name of RATE_HEADERS) expect(headers).not.toHaveProperty(name);
  }
});

test('a machine’s clock that is set back or forth moves no window', async () => {
  const elapsed = { ms: 5000 };
  await using service = await openTestService({
    elapsedMs: () => elapsed.ms,
    settings: { rateLimits: { standard: 2, enterprise: 2 } },
  });
  expect((await service.get('/status')).statusCode).toBe(200);
  service.clock.now -= 3_600_000;
  elapsed.ms += 20_000;
  const usage = (await service.get('/keys/info')).json().data.usage;
  expect(usage).toMatchObject({
    window_started_at: new Date(service.clock.now - 20_000).toISOString(),
    resets_at: new Date(service.clock.now + 40_000).toISOString(),
  });
  const refused = await service.get('/status');
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '40']);
  service.clock.now += 7_200_000;
  expect((await service.get('/status')).statusCode).toBe(429);
  elapsed.ms += 40_000;
  expect((await service.get('/status')).statusCode).toBe(200);
});

describe('GET /keys/info', () => {
  test('tells tier, scopes, limits and the usage of the open window', async () => {
    await using service = await openTestService({ settings: limits });
    await service.get('/status');
    service.clock.now += 1500;
    const answer = await service.get('/keys/info');
    expect(answer.json().data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: 'test',
      tier: 'standard',
      scopes: ['read', 'circuits', 'agents', 'models', 'tpu'],
      created_at: '2026-01-02T03:04:05.678Z',
      storage_bytes: 0,
      storage_limit_bytes: expect.any(Number),
      limits: { requests: 3, window_s: 60, in_flight: 100_000 },
      usage: {
        window_started_at: '2026-01-02T03:04:05.678Z',
        requests: 2,
        remaining: 1,
        resets_at: '2026-01-02T03:05:05.678Z',
        in_flight: 0,
      },
      priority_queue: false,
    });
  });

  test('says that an Enterprise key has the priority queue', async () => {
    await using service = await openTestService();
    const key = await service.createKey('enterprise');
    const { data } = (await service.get('/keys/info', { 'x-api-key': key })).json();
    expect(data).toMatchObject({ tier: 'enterprise', priority_queue: true });
  });
});

describe('FixedWindows', () => {
  test('forgets windows that have ended, so that memory holds one window length of subjects', () => {
    const windows = new FixedWindows(1000);
    for (let i = 0; i < 50; i++) windows.hit(`early-${i}`, 1, START);
    for (let i = 0; i < 10; i++) windows.hit(`late-${i}`, 1, START + 600);
    expect(windows.size).toBe(60);
    windows.hit('last', 1, START + 1000);
    expect(windows.size).toBe(11);
    windows.hit('last', 1, START + 5000);
    expect(windows.size).toBe(1);
  });

  test('never holds more subjects than its bound, whatever the load', () => {
    const windows = new FixedWindows(1000, 8);
    for (let i = 0; i < 1000; i++) windows.hit(`subject-${i}`, 1, START);
    expect(windows.size).toBeLessThanOrEqual(9);
  });
});

test.each([
  [{}, undefined],
  [{ 'x-forwarded-for': '198.51.100.1, 192.0.2.7:80' }, '192.0.2.7'],
  [{ 'x-forwarded-for': '2001:db8:1:2::5' }, '2001:db8:1:2::/64'],
  [{ 'x-forwarded-for': `${'x'.repeat(10_000)}` }, 'unknown'],
  [{ 'x-forwarded-for': '' }, 'unknown'],
  [{ forwarded: 'for=198.51.100.1;proto=http, For="[2001:db8:1:2::5]:80"' }, '2001:db8:1:2::/64'],
  [{ forwarded: 'for=_hidden' }, 'unknown'],
  [{ forwarded: 'by=192.0.2.7' }, 'unknown'],
])('the headers %j name the client %s', (headers, expected) => {
  expect(forwardedClient(headers)).toBe(expected);
});

test.each<[string | undefined, string]>([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['192.0.2.7:4711', '192.0.2.7'],
  ['[2001:db8:1:2::5]:4711', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::5]', '2001:db8:1:2::/64'],
  ['[::ffff:192.0.2.7]:4711', '192.0.2.7'],
  ['proxy:4711', 'proxy:4711'],
  [undefined, 'unknown'],
])('the budget of %s is kept for %s', (ip, expected) => {
  expect(budgetAddress(ip)).toBe(expected);
});
