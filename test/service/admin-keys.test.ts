/** Keys over HTTP: made, listed, revoked, expired, and what becomes of their streams. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EventReader } from './support/event-reader.ts';
import { BELL, openTestService, START, settled, type TestService } from './support/test-service.ts';

const HOUR_MS = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

let service: TestService;
let admin: string;

beforeEach(async () => {
  service = await openTestService();
  admin = await service.createKey('standard', ['admin']);
});
afterEach(() => service[Symbol.asyncDispose]());

function ask(method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) {
  const headers = {
    'x-api-key': admin,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return service.request({ method, url, headers, ...(body !== undefined && { payload: body }) });
}

const statusWith = async (key: string) =>
  (await service.get('/status', { 'x-api-key': key })).statusCode;

describe('POST /admin/keys', () => {
  test('makes a key that works at once, and shows it once', async () => {
    const body = { name: 'notebooks', tier: 'enterprise', scopes: ['read', 'circuits', 'read'] };
    const made = await ask('POST', '/admin/keys', body);
    expect(made.statusCode).toBe(201);
    expect(made.headers['cache-control']).toBe('no-store');
    const { key, ...view } = made.json().data;
    expect(view).toEqual({
      id: key.split('_')[1],
      name: 'notebooks',
      tier: 'enterprise',
      scopes: ['read', 'circuits'],
      created_at: iso(START),
      expires_at: null,
      revoked_at: null,
    });
    expect(await statusWith(key)).toBe(200);
    const listed = await ask('GET', '/admin/keys');
    expect(listed.json().data.keys).toContainEqual(view);
    expect(listed.body).not.toContain(key.split('_')[2]);
  });

  test('gives all scopes but admin unless told otherwise', async () => {
    const { scopes } = (await ask('POST', '/admin/keys', { name: 'n', tier: 'standard' })).json()
      .data;
    expect(scopes).toEqual(['read', 'circuits', 'agents', 'models', 'tpu']);
  });

  test.each([
    ['without a name', { tier: 'standard' }, 'name'],
    ['with an unknown tier', { name: 'n', tier: 'gold' }, 'tier'],
    ['with an unknown scope', { name: 'n', tier: 'standard', scopes: ['all'] }, 'scopes[0]'],
    ['with no scope', { name: 'n', tier: 'standard', scopes: [] }, 'scopes'],
    ['with an unknown field', { name: 'n', tier: 'standard', expires: 1 }, 'expires'],
    ['with no time', { name: 'n', tier: 'standard', expires_at: 'soon' }, 'expires_at'],
    ['that has expired', { name: 'n', tier: 'standard', expires_at: iso(START) }, 'expires_at'],
  ])('refuses a key %s, with the path', async (_, body, path) => {
    const answer = await ask('POST', '/admin/keys', body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toMatchObject([{ path }]);
    expect((await service.deps.keys.list()).length).toBe(2);
  });
});

test('a key is refused once it has expired, and says when that was', async () => {
  const expires_at = iso(START + HOUR_MS);
  const made = await ask('POST', '/admin/keys', { name: 'n', tier: 'standard', expires_at });
  const { key } = made.json().data;
  service.clock.now = START + HOUR_MS - 1;
  expect(await statusWith(key)).toBe(200);
  service.clock.now = START + HOUR_MS;
  const refused = await service.get('/status', { 'x-api-key': key });
  expect(refused.statusCode).toBe(401);
  expect(refused.json().error).toMatchObject({
    code: 'UNAUTHORIZED',
    message: `The API key expired at ${expires_at}.`,
    details: [{ code: 'SERVICE_KEY_EXPIRED' }],
  });
});

describe('DELETE /admin/keys/{key_id}', () => {
  test('revokes a key, which stays listed', async () => {
    const { key, id } = (await ask('POST', '/admin/keys', { name: 'n', tier: 'standard' })).json()
      .data;
    const revoked = await ask('DELETE', `/admin/keys/${id}`);
    expect([revoked.statusCode, revoked.json().data.revoked_at]).toEqual([200, iso(START)]);
    expect(await statusWith(key)).toBe(401);
    const { keys } = (await ask('GET', '/admin/keys')).json().data;
    expect(keys).toContainEqual(revoked.json().data);
  });

  test('answers 404 to an id that no key has', async () => {
    expect((await ask('DELETE', '/admin/keys/0')).statusCode).toBe(404);
  });
});

describe('a stream of events', () => {
  /** A stream of a circuit that does not end. */
  async function watched(key: string): Promise<EventReader> {
    service.processor.isHolding = true;
    const headers = { 'x-api-key': key };
    const answer = await service.submit(BELL, { ...headers, prefer: 'respond-async' });
    await settled();
    const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    const url = `${origin}/api/v1/quantum/circuits/${answer.json().data.circuit_id}/events`;
    return EventReader.open(url, headers);
  }

  test.each([
    ['is revoked', (id: string) => service.deps.keys.revoke(id, START)],
    [
      'expires',
      () => {
        service.clock.now += HOUR_MS;
      },
    ],
  ])('ends when its key %s; its circuit goes on', async (_, end) => {
    const expires_at = iso(START + HOUR_MS);
    const made = await ask('POST', '/admin/keys', { name: 'n', tier: 'standard', expires_at });
    using reader = await watched(made.json().data.key);
    expect((await reader.next())?.event).toBe('status');
    await end(made.json().data.id);
    expect(await reader.next()).toBeUndefined();
    const [job] = await service.runner.list({ limit: 10 });
    expect(['queued', 'running']).toContain(job?.status);
  });
});
