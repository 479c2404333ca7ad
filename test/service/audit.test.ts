/** The audit log: what is in it, what never is, and that nothing can be taken out of it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAuditLog } from '../../src/service/audit/audit-log.ts';
import { createSqliteKeyStore } from '../../src/service/keys/sqlite-key-store.ts';
import { createSqliteMaintenanceStore } from '../../src/service/systems/maintenance.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { openTestService, START, type TestService } from './support/test-service.ts';

const HOUR_MS = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

let service: TestService;
let admin: string;

beforeEach(async () => {
  service = await openTestService();
  admin = await service.createKey('standard', ['admin', 'read']);
});
afterEach(() => service[Symbol.asyncDispose]());

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

function ask(method: Method, url: string, body?: object, key = admin) {
  const headers = {
    'x-api-key': key,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return service.request({ method, url, headers, ...(body !== undefined && { payload: body }) });
}

async function entries(query = ''): Promise<readonly Record<string, unknown>[]> {
  const answer = await ask('GET', `/admin/audit${query}`);
  expect(answer.statusCode).toBe(200);
  return answer.json().data.entries;
}

/** The public part of a key. */
const idOf = (text: string) => text.split('_')[1] ?? '';

describe('GET /admin/audit', () => {
  test('has what became of a key, newest first, with who did it and without secrets', async () => {
    const made = await ask('POST', '/admin/keys', {
      name: 'n',
      tier: 'standard',
      scopes: ['read'],
    });
    const { id, key } = made.json().data;
    await ask('PATCH', `/admin/keys/${id}`, { name: 'm', scopes: ['read', 'tpu'] });
    await ask('PATCH', `/admin/keys/${id}`, { name: 'm' });
    const rotated = await ask('POST', `/admin/keys/${id}/rotate`, { grace_s: 60 });
    await ask('DELETE', `/admin/keys/${id}`);
    await ask('DELETE', `/admin/keys/${id}`);
    const listed = await entries();
    const common = { at: iso(START), actor: idOf(admin), subject: id };
    // What changed nothing, the second change and the second revocation, is not there.
    expect(listed.slice(0, 4)).toEqual([
      { ...common, action: 'key.revoked', details: {} },
      {
        ...common,
        action: 'key.rotated',
        details: { old_secret_until: iso(START + 60_000) },
      },
      {
        ...common,
        action: 'key.changed',
        details: {
          name: { from: 'n', to: 'm' },
          scopes: { from: ['read'], to: ['read', 'tpu'] },
        },
      },
      {
        ...common,
        action: 'key.created',
        details: { name: 'n', tier: 'standard', scopes: ['read'], expires_at: null },
      },
    ]);
    const text = JSON.stringify(listed);
    for (const secret of [key, rotated.json().data.key, admin]) {
      expect(text).not.toContain(secret.split('_')[2]);
    }
  });

  test('has maintenance of processors and devices', async () => {
    const body = { enabled: true, reason: 'new fans' };
    await ask('POST', '/admin/processors/statevector-sim/maintenance', body);
    await ask('POST', '/admin/fleet/devices/gpu-01/maintenance', body);
    for (let time = 0; time < 2; time++) {
      await ask('POST', '/admin/processors/statevector-sim/maintenance', { enabled: false });
    }
    await ask('POST', '/admin/fleet/devices/gpu-01/maintenance', { enabled: false });
    const listed = (await entries()).slice(0, 4);
    expect(listed.map(({ action, subject, details }) => [action, subject, details])).toEqual([
      ['device.maintenance_ended', 'gpu-01', {}],
      ['processor.maintenance_ended', 'statevector-sim', {}],
      ['device.maintenance_began', 'gpu-01', { reason: 'new fans' }],
      ['processor.maintenance_began', 'statevector-sim', { reason: 'new fans' }],
    ]);
    expect(new Set(listed.map(({ actor }) => actor))).toEqual(new Set([idOf(admin)]));
  });

  test('comes in pages that have every entry once', async () => {
    for (let number = 0; number < 5; number++) {
      await ask('POST', '/admin/keys', { name: `n${number}`, tier: 'standard' });
    }
    const whole = await entries();
    const found = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { data } = (await ask('GET', `/admin/audit?limit=3${query}`)).json();
      expect(data.entries.length).toBeLessThanOrEqual(3);
      found.push(...data.entries);
      cursor = data.next_cursor;
    }
    expect(found).toEqual(whole);
  });

  test.each(['?limit=0', '?limit=101', '?cursor=x', '?before=1'])('refuses %s', async (query) => {
    expect((await ask('GET', `/admin/audit${query}`)).statusCode).toBe(400);
  });
});

describe('a refused admin call', () => {
  const refusedEntries = async () =>
    (await entries()).filter(({ action }) => action === 'admin.refused');

  test('is an entry; its repeats within an hour are one more', async () => {
    const { key } = service;
    const id = idOf(key);
    for (let time = 0; time < 30; time++) await ask('GET', '/admin/keys', undefined, key);
    await ask('DELETE', `/admin/keys/${id}`, undefined, key);
    const first = {
      at: iso(START),
      actor: id,
      action: 'admin.refused',
      subject: id,
      details: { calls: { 'GET /api/v1/admin/keys': 1 } },
    };
    expect(await refusedEntries()).toEqual([first]);
    service.clock.now = START + HOUR_MS;
    await ask('GET', '/admin/audit', undefined, key);
    const merged = {
      ...first,
      at: iso(START + HOUR_MS),
      details: {
        since: iso(START),
        calls: { 'GET /api/v1/admin/keys': 29, 'DELETE /api/v1/admin/keys/:key_id': 1 },
      },
    };
    expect(await refusedEntries()).toEqual([merged, first]);
    // An hour without any ends it: the next one is written at once.
    service.clock.now = START + 4 * HOUR_MS;
    await ask('GET', '/admin/audit', undefined, key);
    service.clock.now = START + 5 * HOUR_MS;
    await ask('GET', '/admin/audit', undefined, key);
    expect((await refusedEntries()).length).toBe(4);
  });

  test('is written by the end of the service at the latest', async () => {
    const database = openDatabase(':memory:');
    const audit = createAuditLog(database);
    await using other = await openTestService({ audit });
    for (let time = 0; time < 3; time++) await other.get('/admin/keys');
    await other.app.close();
    const listed = await audit.list({ limit: 5 });
    expect(listed.map(({ details }) => details['calls'])).toEqual([
      { 'GET /api/v1/admin/keys': 2 },
      { 'GET /api/v1/admin/keys': 1 },
    ]);
  });

  test('of an address without a valid key is none', async () => {
    await ask('GET', '/admin/keys', undefined, `${admin}0`);
    await ask('GET', '/quantum/circuits', undefined, admin);
    expect(await refusedEntries()).toEqual([]);
  });

  test('is still answered 403 where the log cannot be written', async () => {
    const audit = {
      ...service.deps.audit,
      append: () => {
        throw new Error('disk full');
      },
    };
    await using other = await openTestService({ audit });
    expect((await other.get('/admin/keys')).statusCode).toBe(403);
  });
});

describe('the table', () => {
  const NEW_KEY = { name: 'n', tier: 'standard', scopes: ['read'], createdAt: 5 } as const;

  test.each([
    ["UPDATE audit SET actor = 'nobody'"],
    ['DELETE FROM audit'],
    ["INSERT OR REPLACE INTO audit VALUES (1, 1, 'x', 'x', 'x', '{}')"],
    ['UPDATE OR REPLACE audit SET id = 2 WHERE id = 1'],
  ])('refuses %s', async (statement) => {
    using database = openDatabase(':memory:');
    await createSqliteKeyStore(database).create(NEW_KEY, 'a');
    const before = database.prepare('SELECT * FROM audit').all();
    expect(() => database.exec(statement)).toThrow('append-only');
    expect(database.prepare('SELECT * FROM audit').all()).toEqual(before);
    expect(before.length).toBe(1);
  });

  test.each([
    ['alone', 'ABORT'],
    ['with its transaction', 'ROLLBACK'],
  ])('has no entry missing: what fails %s takes its change with it', async (_how, how) => {
    using database = openDatabase(':memory:');
    const keys = createSqliteKeyStore(database);
    const maintenance = createSqliteMaintenanceStore(database);
    const { key } = await keys.create(NEW_KEY, 'a');
    await maintenance.enter({ kind: 'device', id: 'd', reason: 'r', since: 1 }, 'a');
    const state = async () => [
      await keys.list(),
      await maintenance.list(),
      await createAuditLog(database).list({ limit: 9 }),
    ];
    const before = await state();
    // Stands for whatever may keep the entry from being written.
    database.exec(`CREATE TEMP TRIGGER full BEFORE INSERT ON audit
      BEGIN SELECT RAISE(${how}, 'full'); END`);
    const order = { actor: 'a', at: 9 };
    for (const act of [
      () => keys.create(NEW_KEY, 'a'),
      () => keys.change(key.id, { name: 'm' }, order),
      () => keys.rotate(key.id, 10, order),
      () => keys.revoke(key.id, order),
      () => maintenance.enter({ kind: 'device', id: 'e', reason: 'r', since: 1 }, 'a'),
      () => maintenance.leave({ kind: 'device', id: 'd' }, 'a', 1),
    ]) {
      await expect(act()).rejects.toThrow('full');
      expect(await state()).toEqual(before);
    }
  });
});
