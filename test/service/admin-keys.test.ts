/** Keys over HTTP: made, listed, changed, rotated, revoked, expired; what becomes of their streams and jobs. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
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

function ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) {
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
      old_secret_until: null,
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

/** A new key: what is said of it, and its text. */
async function make(body: object = {}) {
  const made = await ask('POST', '/admin/keys', { name: 'n', tier: 'standard', ...body });
  return made.json().data as { readonly id: string; readonly key: string };
}

describe('PATCH /admin/keys/{key_id}', () => {
  test('changes what is named, from the next request on', async () => {
    const { id, key } = await make();
    expect(await statusWith(key)).toBe(200);
    const expires_at = iso(START + HOUR_MS);
    const body = { name: 'm', tier: 'enterprise', scopes: ['circuits', 'circuits'], expires_at };
    const changed = await ask('PATCH', `/admin/keys/${id}`, body);
    expect(changed.statusCode).toBe(200);
    expect(changed.json().data).toMatchObject({ id, ...body, scopes: ['circuits'] });
    expect(await statusWith(key)).toBe(403);
    const limits = (await service.submit(BELL, { 'x-api-key': key })).headers;
    expect(limits['ratelimit-policy']).toContain('"enterprise"');
    const endless = await ask('PATCH', `/admin/keys/${id}`, { expires_at: null });
    expect(endless.json().data).toMatchObject({ name: 'm', expires_at: null });
  });

  test.each([
    ['nothing to change', {}, ''],
    ['a body that is no object', [], ''],
    ['an unknown field', { key: 'x' }, 'key'],
    ['no scope', { scopes: [] }, 'scopes'],
    ['an end in the past', { expires_at: iso(START) }, 'expires_at'],
    ['an empty name', { name: ' ' }, 'name'],
  ])('refuses %s, with the path', async (_, body, path) => {
    const { id } = await make();
    const answer = await ask('PATCH', `/admin/keys/${id}`, body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.details).toMatchObject([{ path }]);
  });

  test('says what there is to change', async () => {
    const { id } = await make();
    const { message } = (await ask('PATCH', `/admin/keys/${id}`, {})).json().error;
    expect(message).toBe('Name something to change: name, tier, scopes or expires_at.');
  });

  test('does not let the last admin lock itself out', async () => {
    const { id } = (await service.deps.keys.find(admin)) ?? { id: '' };
    const refusals = [
      await ask('PATCH', `/admin/keys/${id}`, { scopes: ['read'] }),
      await ask('DELETE', `/admin/keys/${id}`),
    ];
    for (const refusal of refusals) {
      expect(refusal.statusCode).toBe(400);
      expect(refusal.json().error.details).toMatchObject([{ code: 'SERVICE_LAST_ADMIN_KEY' }]);
    }
    const { key } = await make({ scopes: ['admin'] });
    expect((await ask('PATCH', `/admin/keys/${id}`, { scopes: ['read'] })).statusCode).toBe(200);
    expect((await ask('GET', '/admin/keys')).statusCode).toBe(403);
    admin = key;
    expect((await ask('GET', '/admin/keys')).statusCode).toBe(200);
  });

  test('answers 400 for a revoked key, and 404 for none', async () => {
    const { id } = await make();
    await ask('DELETE', `/admin/keys/${id}`);
    const revoked = await ask('PATCH', `/admin/keys/${id}`, { name: 'm' });
    expect(revoked.json().error.details).toMatchObject([{ code: 'SERVICE_KEY_REVOKED' }]);
    expect((await ask('PATCH', '/admin/keys/0', { name: 'm' })).statusCode).toBe(404);
  });
});

describe('POST /admin/keys/{key_id}/rotate', () => {
  test('gives a new secret under the same id, and takes the old one for the grace', async () => {
    const { id, key } = await make();
    const rotated = await ask('POST', `/admin/keys/${id}/rotate`, { grace_s: 60 });
    expect(rotated.statusCode).toBe(200);
    expect(rotated.headers['cache-control']).toBe('no-store');
    const { key: newKey, ...view } = rotated.json().data;
    expect(view).toMatchObject({ id, old_secret_until: iso(START + 60_000) });
    expect(newKey).toMatch(new RegExp(`^qcs_${id}_`));
    service.clock.now = START + 59_999;
    expect([await statusWith(key), await statusWith(newKey)]).toEqual([200, 200]);
    service.clock.now = START + 60_000;
    expect([await statusWith(key), await statusWith(newKey)]).toEqual([401, 200]);
    const refused = await service.get('/status', { 'x-api-key': key });
    expect(refused.json().error.details).toMatchObject([{ code: 'SERVICE_KEY_EXPIRED' }]);
  });

  test('takes the old secret for a day unless told otherwise, and not at all for 0', async () => {
    const { id, key } = await make();
    const first = await ask('POST', `/admin/keys/${id}/rotate`, {});
    expect(first.json().data.old_secret_until).toBe(iso(START + 24 * HOUR_MS));
    const second = await ask('POST', `/admin/keys/${id}/rotate`, { grace_s: 0 });
    const texts = [key, first.json().data.key, second.json().data.key];
    expect(await Promise.all(texts.map(statusWith))).toEqual([401, 401, 200]);
  });

  test.each([[-1], [1.5], [30 * 24 * 3600 + 1], ['1h']])(
    'refuses a grace of %j',
    async (grace_s) => {
      const { id } = await make();
      const answer = await ask('POST', `/admin/keys/${id}/rotate`, { grace_s });
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error.details).toMatchObject([{ path: 'grace_s' }]);
    },
  );
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

  const order = { actor: 'another process', at: START };

  test.each([
    ['is revoked', (id: string) => service.deps.keys.revoke(id, order)],
    ['loses the scope', (id: string) => service.deps.keys.change(id, { scopes: ['read'] }, order)],
    ['is rotated without a grace', (id: string) => service.deps.keys.rotate(id, START, order)],
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

  test('goes on when its key changes in other ways', async () => {
    const { id, key } = await make();
    using reader = await watched(key);
    expect((await reader.next())?.event).toBe('status');
    await ask('PATCH', `/admin/keys/${id}`, { tier: 'enterprise', scopes: ['circuits'] });
    await ask('POST', `/admin/keys/${id}/rotate`, { grace_s: 60 });
    service.processor.held[0]?.finish();
    const rest = [];
    for (let event = await reader.next(); event !== undefined; event = await reader.next()) {
      rest.push(event.event);
    }
    expect(rest.at(-1)).toBe('done');
  });
});

describe('the jobs of a revoked key', () => {
  /** One that runs and one that waits, of a key that is then revoked. */
  async function revokedWithJobs(revokedKeyJobs: 'finish' | 'cancel') {
    await service[Symbol.asyncDispose]();
    service = await openTestService({ settings: { revokedKeyJobs } });
    admin = await service.createKey('standard', ['admin']);
    const { id, key } = await make();
    service.processor.isHolding = true;
    const ids: string[] = [];
    for (const place of ['running', 'queued']) {
      const headers = { 'x-api-key': key, prefer: 'respond-async' };
      ids.push((await service.submit(BELL, headers)).json().data.circuit_id);
      await eventually(() => service.processor.held.length === ids.length);
      if (place === 'running') service.processor.held[0]?.hooks.onStarted?.();
    }
    const statuses = async () =>
      Promise.all(ids.map(async (job) => (await service.runner.get(job))?.status));
    expect(await statuses()).toEqual(['running', 'queued']);
    return { id, statuses };
  }

  test.each([
    ['finish', ['running', 'queued']],
    ['cancel', ['running', 'cancelled']],
  ] as const)('with QCS_REVOKED_KEY_JOBS=%s', async (setting, expected) => {
    const { id, statuses } = await revokedWithJobs(setting);
    await ask('DELETE', `/admin/keys/${id}`);
    expect(await statuses()).toEqual(expected);
  });

  test('are cancelled, too, where another process revoked it', async () => {
    const { id, statuses } = await revokedWithJobs('cancel');
    await service.deps.keys.revoke(id, { actor: 'another process', at: START });
    await eventually(async () => expect(await statuses()).toEqual(['running', 'cancelled']));
  });
});
