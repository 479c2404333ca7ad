/** Keys, scopes, and the budget of those who have none. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '../../src/service/http/api-key.ts';
import { BELL, openTestService, type TestService } from './support/test-service.ts';

const UNKNOWN_KEY = `qcs_${'0'.repeat(16)}_${'0'.repeat(64)}`;

const KEYED_ROUTES: readonly (readonly [string, string, Scope])[] = [
  ['GET', '/status', 'read'],
  ['GET', '/quantum/processors', 'read'],
  ['GET', '/quantum/processors/statevector-sim', 'read'],
  ['GET', '/quantum/operations', 'read'],
  ['GET', '/keys/info', 'read'],
  ['POST', '/quantum/circuits', 'circuits'],
  ['POST', '/quantum/estimate', 'circuits'],
  ['GET', '/quantum/circuits', 'circuits'],
  ['GET', '/quantum/circuits/circ_1', 'circuits'],
  ['POST', '/quantum/circuits/circ_1/cancel', 'circuits'],
  ['POST', '/admin/processors/statevector-sim/maintenance', 'admin'],
  ['GET', '/admin/keys', 'admin'],
  ['POST', '/admin/keys', 'admin'],
  ['POST', '/admin/keys/0/rotate', 'admin'],
  ['GET', '/admin/audit', 'admin'],
];

let shared: TestService;
beforeAll(async () => {
  shared = await openTestService();
});
afterAll(() => shared[Symbol.asyncDispose]());

describe.each(KEYED_ROUTES)('%s %s', (verb, url, scope) => {
  const method = verb === 'GET' ? 'GET' : 'POST';

  test.each([
    ['no key', undefined, 'SERVICE_KEY_MISSING'],
    ['an empty key', '', 'SERVICE_KEY_MISSING'],
    ['a text that is no key', 'hello', 'SERVICE_KEY_INVALID'],
    ['a key that does not exist', UNKNOWN_KEY, 'SERVICE_KEY_INVALID'],
  ])('answers 401 to %s', async (_what, key, code) => {
    const headers = key === undefined ? {} : { 'x-api-key': key };
    const answer = await shared.app.inject({ method, url: `/api/v1${url}`, headers });
    expect(answer.statusCode).toBe(401);
    expect(answer.json().error).toMatchObject({ code: 'UNAUTHORIZED', details: [{ code }] });
  });

  test(`answers 403 to a key without the scope ${scope}, and names it`, async () => {
    const key = await shared.createKey(
      'standard',
      SCOPES.filter((other) => other !== scope),
    );
    const answer = await shared.request({ method, url, headers: { 'x-api-key': key } });
    expect(answer.statusCode).toBe(403);
    expect(answer.json().error).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining(`"${scope}"`),
      details: [{ code: 'SERVICE_SCOPE_MISSING' }],
    });
    expect(answer.headers['ratelimit']).toBe('"standard";r=99999;t=60');
  });

  test(`asks for no scope but ${scope}`, async () => {
    const key = await shared.createKey('standard', [scope]);
    const answer = await shared.request({ method, url, headers: { 'x-api-key': key } });
    expect([401, 403]).not.toContain(answer.statusCode);
  });
});

test('a secret that differs in its last character is refused', async () => {
  await using service = await openTestService();
  const last = service.key.endsWith('0') ? '1' : '0';
  const answer = await service.get('/status', { 'x-api-key': service.key.slice(0, -1) + last });
  expect(answer.statusCode).toBe(401);
});

test('a revoked key is refused from the next request on', async () => {
  await using service = await openTestService();
  expect((await service.get('/status')).statusCode).toBe(200);
  const [record] = await service.deps.keys.list();
  await service.deps.keys.revoke(record?.id ?? '', { actor: 'test', at: service.clock.now });
  expect((await service.get('/status')).statusCode).toBe(401);
});

test('a body is not read before the key is known to be good', async () => {
  await using service = await openTestService();
  const answer = await service.app.inject({
    method: 'POST',
    url: '/api/v1/quantum/circuits',
    headers: { 'content-type': 'application/json' },
    payload: '{',
  });
  expect(answer.statusCode).toBe(401);
});

describe('requests without a valid key', () => {
  const guess = (service: Awaited<ReturnType<typeof openTestService>>, remoteAddress: string) =>
    service.request({
      method: 'GET',
      url: '/status',
      remoteAddress,
      headers: { 'x-api-key': UNKNOWN_KEY },
    });

  test('are answered 401 sixty times a minute and address, then 429 with Retry-After', async () => {
    await using service = await openTestService();
    for (let i = 0; i < 60; i++) expect((await guess(service, '10.0.0.1')).statusCode).toBe(401);
    service.clock.now += 20_500;
    const answer = await guess(service, '10.0.0.1');
    expect(answer.statusCode).toBe(429);
    expect(answer.headers['retry-after']).toBe('40');
    expect(answer.json().error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: [{ code: 'SERVICE_TOO_MANY_ATTEMPTS' }],
    });
    expect((await guess(service, '10.0.0.2')).statusCode).toBe(401);
    service.clock.now += 39_500;
    expect((await guess(service, '10.0.0.1')).statusCode).toBe(401);
  });

  test('do not lock out a valid key of the same address, used before or not', async () => {
    await using service = await openTestService();
    const own = { method: 'GET', url: '/status', remoteAddress: '10.0.0.1' } as const;
    for (let i = 0; i < 61; i++) await guess(service, '10.0.0.1');
    expect((await service.request(own)).statusCode).toBe(200);
    const other = await service.createKey();
    const headers = { 'x-api-key': other };
    expect((await service.request({ ...own, headers })).statusCode).toBe(200);
    expect((await guess(service, '10.0.0.1')).statusCode).toBe(429);
  });

  test('count for the whole /64 of an IPv6 client', async () => {
    await using service = await openTestService();
    for (let i = 0; i < 60; i++) await guess(service, `2001:db8::${i.toString(16)}`);
    expect((await guess(service, '2001:db8:0:0:9::1')).statusCode).toBe(429);
    expect((await guess(service, '2001:db8:0:1::1')).statusCode).toBe(401);
  });

  /** A wrong key through a proxy that says which client it is from. */
  const through = async (service: TestService, headers: Readonly<Record<string, string>>) => {
    const all = { 'x-api-key': UNKNOWN_KEY, ...headers };
    const url = '/status';
    return service.request({ method: 'GET', url, remoteAddress: '10.9.1.1', headers: all });
  };

  test('count for the address that a trusted proxy names, however many there are', async () => {
    await using service = await openTestService({ settings: { trustedProxies: ['10.9.0.0/16'] } });
    for (let i = 0; i < 601; i++) {
      const headers = { 'x-forwarded-for': `192.0.${i >> 8}.${i & 255}` };
      expect((await through(service, headers)).statusCode).toBe(401);
    }
  });

  test.each([
    ['X-Forwarded-For', (client: string) => ({ 'x-forwarded-for': `203.0.113.9, ${client}` })],
    ['Forwarded', (client: string) => ({ forwarded: `for=203.0.113.9, for="${client}:80";by=x` })],
  ])(
    'of one client behind a proxy that is not named do not lock out another (%s)',
    async (_, from) => {
      await using service = await openTestService();
      for (let i = 0; i < 60; i++) {
        expect((await through(service, from('192.0.2.1'))).statusCode).toBe(401);
      }
      for (let i = 0; i < 600; i++) {
        expect((await through(service, from('192.0.2.1'))).statusCode).toBe(429);
      }
      expect((await through(service, from('192.0.2.2'))).statusCode).toBe(401);
      const valid = { 'x-api-key': service.key };
      expect((await through(service, { ...from('192.0.2.1'), ...valid })).statusCode).toBe(200);
    },
  );

  test('of one who makes up clients are ten times those of an address, and no more', async () => {
    await using service = await openTestService();
    const statuses: number[] = [];
    for (let i = 0; i < 620; i++) {
      const headers = { 'x-forwarded-for': `192.0.${i >> 8}.${i & 255}` };
      statuses.push((await through(service, headers)).statusCode);
    }
    expect(statuses.lastIndexOf(401)).toBe(599);
    expect(statuses.indexOf(429)).toBe(600);
    // Those without the header come from the address itself.
    expect((await through(service, {})).statusCode).toBe(401);
  });

  test('to unknown paths are answered 404, but a wrong key there costs the budget too', async () => {
    await using service = await openTestService();
    const url = '/api/v1/nowhere';
    expect((await service.app.inject({ url })).statusCode).toBe(404);
    const headers = { 'x-api-key': UNKNOWN_KEY };
    for (let i = 0; i < 60; i++) {
      expect((await service.app.inject({ url, headers })).statusCode).toBe(401);
    }
    expect((await service.app.inject({ url, headers })).statusCode).toBe(429);
  });
});

test('a submission works with a key of the scope circuits alone', async () => {
  await using service = await openTestService();
  const key = await service.createKey('standard', ['circuits']);
  expect((await service.submit(BELL, { 'x-api-key': key })).statusCode).toBe(201);
});
