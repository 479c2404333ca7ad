/** Where keys and maintenance are kept, and what only the file can show. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SCOPES, parseKeyText } from '../../src/service/http/api-key.ts';
import type { KeyStore } from '../../src/service/keys/key-store.ts';
import { createSqliteKeyStore } from '../../src/service/keys/sqlite-key-store.ts';
import { createSqliteMaintenanceStore } from '../../src/service/systems/maintenance.ts';
import { openDatabase } from '../../src/storage/database.ts';

const ORDER = { actor: 'a', at: 100 };
const NEW_KEY = { name: 'n', tier: 'standard', scopes: DEFAULT_SCOPES, createdAt: 5 } as const;

describe('a key store', () => {
  const open = () => createSqliteKeyStore(openDatabase(':memory:'));

  test('finds a created key by its whole text', async () => {
    const store = open();
    const { key, text } = await store.create(
      { ...NEW_KEY, tier: 'enterprise', scopes: ['admin'] },
      'a',
    );
    expect(key).toEqual({
      id: key.id,
      name: 'n',
      tier: 'enterprise',
      scopes: ['admin'],
      createdAt: 5,
    });
    expect(await store.find(text)).toEqual(key);
  });

  test('keeps when a key expires, and finds it all the same', async () => {
    const store = open();
    const { key, text } = await store.create({ ...NEW_KEY, expiresAt: 77 }, 'a');
    expect(key).toMatchObject({ expiresAt: 77 });
    expect(await store.find(text)).toEqual(key);
    expect(await store.list()).toEqual([key]);
  });

  test('makes texts of a public id and 256 random bits', async () => {
    const store = open();
    const { key, text } = await store.create(NEW_KEY, 'a');
    expect(text).toMatch(/^qcs_[0-9a-f]{16}_[0-9a-f]{64}$/);
    expect(parseKeyText(text)?.id).toBe(key.id);
    expect((await store.create(NEW_KEY, 'a')).text).not.toBe(text);
  });

  test('finds nothing by the id with another secret, by the id alone, or by nonsense', async () => {
    const store = open();
    const { key, text } = await store.create(NEW_KEY, 'a');
    const { text: other } = await store.create(NEW_KEY, 'a');
    const secret = parseKeyText(other)?.secret;
    for (const wrong of [`qcs_${key.id}_${secret}`, `qcs_${key.id}`, key.id, '', ` ${text}`]) {
      expect(await store.find(wrong)).toBeUndefined();
    }
  });

  test('lists keys in the order of creation, without secrets', async () => {
    const store = open();
    const created = [];
    for (const createdAt of [1, 2, 3])
      created.push(await store.create({ ...NEW_KEY, createdAt }, 'a'));
    const listed = await store.list();
    expect(listed).toEqual(created.map(({ key }) => key));
    for (const { text } of created) {
      expect(JSON.stringify(listed)).not.toContain(parseKeyText(text)?.secret);
    }
  });

  test('revokes a key once: it is found no more, and its first revocation stands', async () => {
    const store = open();
    const { key, text } = await store.create(NEW_KEY, 'a');
    expect(await store.revoke(key.id, { actor: 'a', at: 100 })).toEqual({ ...key, revokedAt: 100 });
    expect(await store.revoke(key.id, { actor: 'a', at: 200 })).toEqual({ ...key, revokedAt: 100 });
    expect(await store.find(text)).toBeUndefined();
    expect(await store.list()).toEqual([{ ...key, revokedAt: 100 }]);
  });

  test.each([
    ['revoke', (store: KeyStore, id: string) => store.revoke(id, ORDER)],
    ['change', (store: KeyStore, id: string) => store.change(id, { name: 'o' }, ORDER)],
    ['rotate', (store: KeyStore, id: string) => store.rotate(id, 1, ORDER)],
  ])('refuses to %s what does not exist', async (_what, act) => {
    await expect(act(open(), '0')).rejects.toMatchObject({ code: 'SERVICE_KEY_NOT_FOUND' });
  });

  test.each([
    ['change', (store: KeyStore, id: string) => store.change(id, { name: 'o' }, ORDER)],
    ['rotate', (store: KeyStore, id: string) => store.rotate(id, 1, ORDER)],
  ])('refuses to %s a revoked key', async (_what, act) => {
    const store = open();
    const { key } = await store.create(NEW_KEY, 'a');
    await store.revoke(key.id, ORDER);
    await expect(act(store, key.id)).rejects.toMatchObject({ code: 'SERVICE_KEY_REVOKED' });
  });

  test('changes what is named and nothing else', async () => {
    const store = open();
    const { key, text } = await store.create({ ...NEW_KEY, expiresAt: 77 }, 'a');
    const changes = { tier: 'enterprise', scopes: ['read'] } as const;
    const changed = { ...key, ...changes };
    expect(await store.change(key.id, changes, ORDER)).toEqual(changed);
    expect(await store.find(text)).toEqual(changed);
    const { expiresAt: _, ...endless } = changed;
    expect(await store.change(key.id, { expiresAt: null }, ORDER)).toEqual(endless);
    expect(await store.list()).toEqual([endless]);
  });

  test('finds a rotated key by its new text, and by the one before until its time', async () => {
    const store = open();
    const { key, text } = await store.create({ ...NEW_KEY, expiresAt: 500 }, 'a');
    const first = await store.rotate(key.id, 300, ORDER);
    expect(first.key).toEqual({ ...key, oldSecretUntil: 300 });
    expect(parseKeyText(first.text)?.id).toBe(key.id);
    expect(first.text).not.toBe(text);
    expect(await store.find(first.text)).toMatchObject({ id: key.id, expiresAt: 500 });
    expect(await store.find(text)).toMatchObject({ id: key.id, expiresAt: 300 });
    const second = await store.rotate(key.id, 900, ORDER);
    expect(await store.find(second.text)).toMatchObject({ expiresAt: 500 });
    expect(await store.find(first.text)).toMatchObject({ expiresAt: 500 });
    expect(await store.find(text)).toBeUndefined();
    await store.revoke(key.id, ORDER);
    expect(await store.find(first.text)).toBeUndefined();
    expect(await store.find(second.text)).toBeUndefined();
  });

  test('keeps the last valid key with the scope admin where the order says so', async () => {
    const store = open();
    const order = { ...ORDER, keepsAdmin: true };
    const admin = { ...NEW_KEY, scopes: ['read', 'admin'] } as const;
    const { key: last } = await store.create(admin, 'a');
    const { key: expired } = await store.create({ ...admin, expiresAt: 9 }, 'a');
    const refused = { code: 'SERVICE_LAST_ADMIN_KEY' };
    const withoutAdmin = { scopes: ['read'] } as const;
    await expect(store.change(last.id, withoutAdmin, order)).rejects.toMatchObject(refused);
    await expect(store.revoke(last.id, order)).rejects.toMatchObject(refused);
    expect(await store.list()).toEqual([expired, last].sort((a, b) => (a.id < b.id ? -1 : 1)));
    // Others may still be changed, the last one in other ways, and by any way once there is another.
    await store.change(last.id, { name: 'renamed' }, order);
    await store.revoke(expired.id, order);
    await store.create(admin, 'a');
    expect(await store.change(last.id, withoutAdmin, order)).toMatchObject(withoutAdmin);
  });

  test('takes the scope from the last admin key where the order does not say so', async () => {
    const store = open();
    const { key } = await store.create({ ...NEW_KEY, scopes: ['admin'] }, 'a');
    expect(await store.revoke(key.id, ORDER)).toMatchObject({ revokedAt: ORDER.at });
  });
});

test('a key that another connection to the file creates or revokes is seen in the next turn of the event loop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'qcs-keys-'));
  try {
    const path = join(folder, 'keys.sqlite');
    const [service, command] = [openDatabase(path), openDatabase(path)];
    const [reader, writer] = [createSqliteKeyStore(service), createSqliteKeyStore(command)];
    const { key, text } = await writer.create(NEW_KEY, 'a');
    expect(await reader.find(text)).toEqual(key);
    // Found before, so that it may be kept in memory.
    expect(await reader.find(text)).toEqual(key);
    await writer.revoke(key.id, { actor: 'a', at: 9 });
    await setImmediate();
    expect(await reader.find(text)).toBeUndefined();
    service.close();
    command.close();
    const bytes = readFileSync(path).toString('latin1');
    expect(bytes).toContain(key.id);
    expect(bytes).not.toContain(parseKeyText(text)?.secret);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a key that another store of the same connection revokes is found no more', async () => {
  const database = openDatabase(':memory:');
  const [reader, writer] = [createSqliteKeyStore(database), createSqliteKeyStore(database)];
  const { key, text } = await writer.create(NEW_KEY, 'a');
  expect(await reader.find(text)).toEqual(key);
  await writer.revoke(key.id, { actor: 'a', at: 9 });
  expect(await reader.find(text)).toBeUndefined();
});

describe('a maintenance store', () => {
  test('holds one record a processor or device until it leaves', async () => {
    const store = createSqliteMaintenanceStore(openDatabase(':memory:'));
    await store.enter({ kind: 'processor', id: 'a', reason: 'first', since: 1 }, 'x');
    await store.enter({ kind: 'processor', id: 'b', reason: 'other', since: 2 }, 'x');
    await store.enter({ kind: 'processor', id: 'a', reason: 'second', since: 3 }, 'x');
    await store.enter({ kind: 'device', id: 'a', reason: 'third', since: 4 }, 'x');
    expect(await store.list()).toEqual([
      { kind: 'processor', id: 'b', reason: 'other', since: 2 },
      { kind: 'processor', id: 'a', reason: 'second', since: 3 },
      { kind: 'device', id: 'a', reason: 'third', since: 4 },
    ]);
    await store.leave({ kind: 'processor', id: 'a' }, 'x', 5);
    await store.leave({ kind: 'device', id: 'b' }, 'x', 5);
    expect((await store.list()).map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'processor b',
      'device a',
    ]);
  });
});
