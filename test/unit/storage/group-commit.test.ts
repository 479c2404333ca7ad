import { describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../../src/storage/database.ts';
import { GroupCommit } from '../../../src/storage/group-commit.ts';
import { turn } from '../../support/jobs.ts';

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

describe('GroupCommit', () => {
  test('there is one writer a database', () => {
    using a = openNumbers();
    using b = openNumbers();
    expect(GroupCommit.of(a.database)).toBe(a.writer);
    expect(b.writer).not.toBe(a.writer);
  });

  test('writes of one turn run in order in one transaction and are answered after its commit', async () => {
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

  test('a write that fails is refused alone', async () => {
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

  test('when the transaction ends under the writes all of them are refused and none is stored', async () => {
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

  test('a real full database refuses what does not fit and takes what does', async () => {
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

  test('a write after the database was closed is refused', async () => {
    const numbers = openNumbers();
    const { writer } = numbers;
    numbers.database.close();
    await expect(writer.write(() => 1)).rejects.toThrow('not open');
  });
});
