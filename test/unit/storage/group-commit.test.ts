// @needs processes
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Durability, openDatabase } from '../../../src/storage/database.ts';
import { GroupCommit } from '../../../src/storage/group-commit.ts';
import { eventually } from '../../support/eventually.ts';
import { turn } from '../../support/jobs.ts';
import { temporaryFolder } from '../../support/service-process.ts';

function openNumbers() {
  const database = openDatabase(':memory:');
  database.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY CHECK (n < 100)) STRICT');
  const insert = database.prepare('INSERT INTO numbers VALUES (?)');
  const all = database.prepare('SELECT n FROM numbers ORDER BY n');
  return {
    database,
    writer: GroupCommit.of(database),
    insert: (n: number) => Number(insert.run(n).changes),
    stored: () => all.all().map((row) => row['n']),
    [Symbol.dispose]: () => database.close(),
  };
}

describe('a power cut', () => {
  /** Holds flushes back; gives how many were begun and what lets them go. */
  async function holdFlushes(folder: string) {
    await using file = await open(join(folder, 'any'), 'w');
    const prototype: FileHandle = Object.getPrototypeOf(file);
    const { promise: held, resolve: letGo, reject: fail } = Promise.withResolvers<void>();
    const spied = vi.spyOn(prototype, 'datasync').mockImplementation(() => held);
    return { spied, letGo, fail, [Symbol.dispose]: () => spied.mockRestore() };
  }

  function openRows(folder: string, durability: Durability) {
    const database = openDatabase(join(folder, 'rows.sqlite'), durability);
    database.exec('CREATE TABLE rows (n INTEGER) STRICT');
    const insert = database.prepare('INSERT INTO rows VALUES (?)');
    const writer = GroupCommit.of(database);
    const write = (n: number) => writer.write(() => insert.run(n).changes);
    return { database, writer, write, [Symbol.dispose]: () => database.close() };
  }

  test('does not lose acknowledged writes: the log is flushed between commit and acknowledgement', async () => {
    using folder = temporaryFolder();
    using rows = openRows(folder.path, 'power-loss');
    using flushes = await holdFlushes(folder.path);
    const answered: number[] = [];
    const first = rows.write(1).then(() => answered.push(1));
    await eventually(() => expect(flushes.spied).toHaveBeenCalledTimes(1));
    // What comes meanwhile is not committed before, and then together.
    const later = [2, 3].map((n) => rows.write(n).then(() => answered.push(n)));
    await turn();
    await turn();
    const { count } = rows.database.prepare('SELECT count(*) AS count FROM rows').get() ?? {};
    expect(count).toBe(1);
    expect(answered).toEqual([]);
    flushes.letGo();
    await Promise.all([first, ...later]);
    expect(answered).toEqual([1, 2, 3]);
    expect(flushes.spied).toHaveBeenCalledTimes(2);
  });

  test('a failed flush rejects the waiting writes, and is a fault until one succeeds', async () => {
    using folder = temporaryFolder();
    using rows = openRows(folder.path, 'power-loss');
    {
      using flushes = await holdFlushes(folder.path);
      const lost = { code: 'STORAGE_UNWRITABLE', message: expect.stringContaining('EIO') };
      const written = expect(rows.write(1)).rejects.toMatchObject(lost);
      await eventually(() => expect(flushes.spied).toHaveBeenCalledTimes(1));
      flushes.fail(new Error('EIO: i/o error, fdatasync'));
      await written;
      expect(rows.writer.fault).toMatchObject(lost);
    }
    await rows.write(2);
    expect(rows.writer.fault).toBeUndefined();
  });

  test('needs no flush with durability process-crash', async () => {
    using folder = temporaryFolder();
    using rows = openRows(folder.path, 'process-crash');
    using flushes = await holdFlushes(folder.path);
    await rows.write(1);
    expect(flushes.spied).not.toHaveBeenCalled();
  });

  test('is SQLite’s task for writes past the shared writer', async () => {
    using folder = temporaryFolder();
    using rows = openRows(folder.path, 'power-loss');
    await rows.write(1);
    expect(rows.database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  });
});

describe('GroupCommit', () => {
  test('there is one writer a database', () => {
    using a = openNumbers();
    using b = openNumbers();
    expect(GroupCommit.of(a.database)).toBe(a.writer);
    expect(b.writer).not.toBe(a.writer);
  });

  test('writes of one turn run in order in one transaction and resolve after its commit', async () => {
    using numbers = openNumbers();
    const exec = vi.spyOn(numbers.database, 'exec');
    const order: number[] = [];
    const answers = await Promise.all(
      [3, 1, 2].map(async (n) => {
        const changes = await numbers.writer.write(() => {
          expect(numbers.database.isTransaction).toBe(true);
          order.push(n);
          return numbers.insert(n);
        });
        return { changes, committed: !numbers.database.isTransaction };
      }),
    );
    expect(order).toStrictEqual([3, 1, 2]);
    await turn();
    expect(exec.mock.calls.flat()).toStrictEqual(['BEGIN IMMEDIATE', 'COMMIT']);
    expect(answers).toStrictEqual(
      Array.from({ length: 3 }, () => ({ changes: 1, committed: true })),
    );
    expect(numbers.stored()).toStrictEqual([1, 2, 3]);
  });

  test('a failing write is rejected alone', async () => {
    using numbers = openNumbers();
    const [first, second, third] = await Promise.allSettled(
      [1, 100, 2].map((n) => numbers.writer.write(() => numbers.insert(n))),
    );
    expect([first?.status, second?.status, third?.status]).toStrictEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(numbers.stored()).toStrictEqual([1, 2]);
  });

  test('if the transaction is rolled back during the writes, all are rejected and none is stored', async () => {
    using numbers = openNumbers();
    const outcomes = await Promise.allSettled([
      numbers.writer.write(() => numbers.insert(1)),
      // What SQLite does by itself when the disk is full.
      numbers.writer.write(() => {
        numbers.database.exec('ROLLBACK');
        throw new Error('database or disk is full');
      }),
      numbers.writer.write(() => numbers.insert(2)),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toStrictEqual([
      'rejected',
      'rejected',
      'rejected',
    ]);
    expect(numbers.stored()).toStrictEqual([]);
    expect(await numbers.writer.write(() => numbers.insert(3))).toBe(1);
  });

  test('a full database rejects writes that do not fit and stores those that do', async () => {
    using database = openDatabase(':memory:');
    database.exec('CREATE TABLE blobs (b BLOB) STRICT');
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    database.exec(`PRAGMA max_page_count = ${pages + 4}`);
    const insert = database.prepare('INSERT INTO blobs VALUES (zeroblob(?))');
    const writer = GroupCommit.of(database);
    await expect(writer.write(() => insert.run(1_000_000))).rejects.toThrow('full');
    await writer.write(() => insert.run(10));
    expect(database.prepare('SELECT count(*) AS n FROM blobs').get()?.['n']).toBe(1);
  });

  test('a full database is a fault until something can be written again', async () => {
    using database = openDatabase(':memory:');
    database.exec('CREATE TABLE blobs (b BLOB) STRICT');
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    const insert = database.prepare('INSERT INTO blobs VALUES (zeroblob(?))');
    const writer = GroupCommit.of(database);
    await writer.write(() => insert.run(10));
    expect(writer.fault).toBeUndefined();

    database.exec(`PRAGMA max_page_count = ${pages + 1}`);
    await expect(writer.write(() => insert.run(100_000))).rejects.toMatchObject({
      code: 'STORAGE_UNWRITABLE',
      message: expect.stringContaining('database or disk is full'),
    });
    expect(writer.fault?.code).toBe('STORAGE_UNWRITABLE');
    await writer.probe();
    expect(writer.fault).toBeUndefined();
  });

  test('a database that is read-only is a fault that a probe finds still there', async () => {
    using numbers = openNumbers();
    const { database, writer } = numbers;
    database.exec('PRAGMA query_only = 1');
    await expect(writer.write(() => numbers.insert(1))).rejects.toMatchObject({
      code: 'STORAGE_UNWRITABLE',
    });
    await writer.probe();
    expect(writer.fault?.code).toBe('STORAGE_UNWRITABLE');
    database.exec('PRAGMA query_only = 0');
    await writer.probe();
    expect(writer.fault).toBeUndefined();
  });

  test('a write after the database was closed is refused', async () => {
    const numbers = openNumbers();
    const { writer } = numbers;
    numbers.database.close();
    await expect(writer.write(() => 1)).rejects.toThrow('not open');
  });
});
