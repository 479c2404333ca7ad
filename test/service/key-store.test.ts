/** Key stores: one suite for both, and what only the file can show. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SCOPES, parseKeyText } from '../../src/service/keys/api-key.ts';
import type { KeyStore } from '../../src/service/keys/key-store.ts';
import { createMemoryKeyStore } from '../../src/service/keys/memory-key-store.ts';
import { createSqliteKeyStore } from '../../src/service/keys/sqlite-key-store.ts';
import {
  createMemoryMaintenanceStore,
  createSqliteMaintenanceStore,
} from '../../src/service/maintenance/maintenance-store.ts';
import { openDatabase } from '../../src/storage/database.ts';

const NEW_KEY = { name: 'n', tier: 'standard', scopes: DEFAULT_SCOPES, createdAt: 5 } as const;

const STORES: readonly (readonly [string, () => KeyStore])[] = [
  ['memory', createMemoryKeyStore],
  ['SQLite', () => createSqliteKeyStore(openDatabase(':memory:'))],
];

describe.each(STORES)('a key store in %s', (_name, open) => {
  test('finds a created key by its whole text', async () => {
    const store = open();
    const { key, text } = await store.create({ ...NEW_KEY, tier: 'enterprise', scopes: ['admin'] });
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
    const { key, text } = await store.create({ ...NEW_KEY, expiresAt: 77 });
    expect(key).toMatchObject({ expiresAt: 77 });
    expect(await store.find(text)).toEqual(key);
    expect(await store.list()).toEqual([key]);
  });

  test('makes texts of a public id and 256 random bits', async () => {
    const store = open();
    const { key, text } = await store.create(NEW_KEY);
    expect(text).toMatch(/^qcs_[0-9a-f]{16}_[0-9a-f]{64}$/);
    expect(parseKeyText(text)?.id).toBe(key.id);
    expect((await store.create(NEW_KEY)).text).not.toBe(text);
  });

  test('finds nothing by the id with another secret, by the id alone, or by nonsense', async () => {
    const store = open();
    const { key, text } = await store.create(NEW_KEY);
    const { text: other } = await store.create(NEW_KEY);
    const secret = parseKeyText(other)?.secret;
    for (const wrong of [`qcs_${key.id}_${secret}`, `qcs_${key.id}`, key.id, '', ` ${text}`]) {
      expect(await store.find(wrong)).toBeUndefined();
    }
  });

  test('lists keys in the order of creation, without secrets', async () => {
    const store = open();
    const created = [];
    for (const createdAt of [1, 2, 3]) created.push(await store.create({ ...NEW_KEY, createdAt }));
    const listed = await store.list();
    expect(listed).toEqual(created.map(({ key }) => key));
    for (const { text } of created) {
      expect(JSON.stringify(listed)).not.toContain(parseKeyText(text)?.secret);
    }
  });

  test('revokes a key once: it is found no more, and its first revocation stands', async () => {
    const store = open();
    const { key, text } = await store.create(NEW_KEY);
    expect(await store.revoke(key.id, 100)).toEqual({ ...key, revokedAt: 100 });
    expect(await store.revoke(key.id, 200)).toEqual({ ...key, revokedAt: 100 });
    expect(await store.find(text)).toBeUndefined();
    expect(await store.list()).toEqual([{ ...key, revokedAt: 100 }]);
  });

  test('refuses to revoke what does not exist', async () => {
    await expect(open().revoke('0', 1)).rejects.toMatchObject({ code: 'SERVICE_KEY_NOT_FOUND' });
  });
});

test('a key that another connection to the file creates or revokes is seen in the next turn of the event loop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'qcs-keys-'));
  try {
    const path = join(folder, 'keys.sqlite');
    const [service, command] = [openDatabase(path), openDatabase(path)];
    const [reader, writer] = [createSqliteKeyStore(service), createSqliteKeyStore(command)];
    const { key, text } = await writer.create(NEW_KEY);
    expect(await reader.find(text)).toEqual(key);
    // Found before, so that it may be kept in memory.
    expect(await reader.find(text)).toEqual(key);
    await writer.revoke(key.id, 9);
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
  const { key, text } = await writer.create(NEW_KEY);
  expect(await reader.find(text)).toEqual(key);
  await writer.revoke(key.id, 9);
  expect(await reader.find(text)).toBeUndefined();
});

describe.each([
  ['memory', createMemoryMaintenanceStore],
  ['SQLite', () => createSqliteMaintenanceStore(openDatabase(':memory:'))],
])('a maintenance store in %s', (_name, open) => {
  test('holds one record a processor or device until it leaves', async () => {
    const store = open();
    await store.enter({ kind: 'processor', id: 'a', reason: 'first', since: 1 });
    await store.enter({ kind: 'processor', id: 'b', reason: 'other', since: 2 });
    await store.enter({ kind: 'processor', id: 'a', reason: 'second', since: 3 });
    await store.enter({ kind: 'device', id: 'a', reason: 'third', since: 4 });
    expect(await store.list()).toEqual([
      { kind: 'processor', id: 'b', reason: 'other', since: 2 },
      { kind: 'processor', id: 'a', reason: 'second', since: 3 },
      { kind: 'device', id: 'a', reason: 'third', since: 4 },
    ]);
    await store.leave('processor', 'a');
    await store.leave('device', 'b');
    expect((await store.list()).map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'processor b',
      'device a',
    ]);
  });
});
