// @needs processes
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/storage/database.ts';
import { checkpointLog } from '../../../src/storage/write-ahead-log.ts';

const WRITER = fileURLToPath(new URL('../../support/log-writer.ts', import.meta.url));

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'log-'));
  path = join(directory, 'qcs.sqlite');
});
afterEach(() => rmSync(directory, { recursive: true }));

/**
 * Kills a process that writes to the database once it has said that it did so `numCommits` times, and a
 * little later.
 *
 * @param signal - The test's: the process does not outlive it.
 * @returns Rows that it had committed at least.
 */
async function writeAndKill(
  numCommits: number,
  laterMs: number,
  signal: AbortSignal,
): Promise<number> {
  const child = spawn(process.execPath, [WRITER, path], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let output = '';
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  child.stdout.on('data', (text) => {
    output += text;
    if (output.split('\n').length > numCommits) setTimeout(() => child.kill('SIGKILL'), laterMs);
  });
  const [code] = await once(child, 'exit');
  expect({ code, errors }).toEqual({ code: null, errors: '' });
  return Number(output.trim().split('\n').at(-1));
}

/** Rows that the writer ever wrote. */
function numRows(): number {
  using database = openDatabase(path);
  return Number(database.prepare('SELECT max(id) AS n FROM rows').get()?.['n']);
}

const lost = (message: string) =>
  expect.objectContaining({
    code: 'STORAGE_LOG_LOST',
    message: expect.stringMatching(new RegExp(`${path}-wal ${message}.*qcs restore.*accept-loss`)),
  });

describe('after kill -9', () => {
  test('at any moment, checkpoints included, the database opens with all that was committed', async ({
    signal,
  }) => {
    for (let kill = 0; kill < 8; kill++) {
      const committed = await writeAndKill(10 + 5 * kill, 2 * kill, signal);
      expect(numRows()).toBeGreaterThanOrEqual(committed);
    }
  });

  // Fifteen commits of 25 pages stay in the log; 60 have gone through a checkpoint before.
  test.for([15, 60])(
    'a log that is gone is noticed after %i commits, with its index and without',
    async (numCommits, { signal }) => {
      await writeAndKill(numCommits, 0, signal);
      rmSync(`${path}-wal`);
      expect(() => openDatabase(path)).toThrow(lost('is missing'));
      rmSync(`${path}-shm`);
      const before = readFileSync(path);
      expect(() => openDatabase(path)).toThrow(lost('is missing'));
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(existsSync(`${path}-wal`)).toBe(false);
    },
  );

  test('an index from before the machine booted is ignored', async ({ signal }) => {
    // What a power cut may leave: the index was written back, and not the last of the log.
    await writeAndKill(15, 0, signal);
    truncateSync(`${path}-wal`, 32 + 30 * 4120);
    expect(() => openDatabase(path)).toThrow(lost('ends after \\d+ of \\d+ pages'));
    utimesSync(`${path}-shm`, 1, 1);
    openDatabase(path).close();
  });

  test.for<[string, (log: string) => void, string]>([
    ['empty', (log) => truncateSync(log), 'is damaged \\(0 bytes'],
    ['garbage', (log) => writeFileSync(log, 'garbage'.repeat(10_000)), 'is damaged \\(70000 bytes'],
    ['with a damaged header', (log) => overwrite(log, 16), 'is damaged'],
    ['with a damaged page', (log) => overwrite(log, 32 + 3 * 4120 + 100), 'is damaged after page'],
    ['cut', (log) => truncateSync(log, 32 + 10 * 4120), 'ends after \\d+ of \\d+ pages'],
  ])('a log that is %s is noticed and kept', async ([_, damage, message], { signal }) => {
    await writeAndKill(15, 0, signal);
    damage(`${path}-wal`);
    const { size } = statSync(`${path}-wal`);
    for (let start = 0; start < 2; start++) {
      expect(() => openDatabase(path)).toThrow(lost(message));
      expect(statSync(`${path}-wal`).size).toBe(size);
    }
  });
});

function overwrite(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
  writeFileSync(file, bytes);
}

test('a database that is gone or empty beside its log is not replaced by a new one', async ({
  signal,
}) => {
  await writeAndKill(15, 0, signal);
  truncateSync(path);
  for (let start = 0; start < 2; start++) {
    expect(() => openDatabase(path)).toThrow(
      expect.objectContaining({
        code: 'STORAGE_DATABASE_MISSING',
        message: expect.stringContaining(`${path}-wal is still there`),
      }),
    );
    rmSync(path, { force: true });
  }
  expect(existsSync(`${path}-wal`)).toBe(true);
});

test.each<[string, (bytes: Buffer) => Buffer, string]>([
  ['no database', (bytes) => bytes.fill('x', 0, 50), 'not an SQLite database'],
  ['cut short', (bytes) => bytes.subarray(0, 8192), 'malformed'],
  ['damaged inside', (bytes) => bytes.fill(0xee, 4096 * 2, 4096 * 6), ''],
])('a file that is %s is called damaged', (_, damage, message) => {
  openDatabase(path).close();
  writeFileSync(path, damage(readFileSync(path)));
  expect(() => openDatabase(path)).toThrow(
    expect.objectContaining({
      code: 'STORAGE_DATABASE_DAMAGED',
      message: expect.stringMatching(new RegExp(`${path} is damaged: .*${message}.*qcs restore`)),
    }),
  );
});

test('an outdated log is detected by its index', () => {
  using database = openDatabase(path);
  database.exec('CREATE TABLE rows (n)');
  copyFileSync(`${path}-wal`, join(directory, 'earlier'));
  checkpointLog(database);
  database.exec('INSERT INTO rows VALUES (1)');

  // As the process would leave them if it was killed here.
  const copy = join(directory, 'copy.sqlite');
  for (const suffix of ['', '-shm', '-wal']) copyFileSync(path + suffix, copy + suffix);
  {
    using whole = openDatabase(copy);
    expect(whole.prepare('SELECT n FROM rows').all()).toEqual([{ n: 1 }]);
  }
  for (const suffix of ['', '-shm', '-wal']) copyFileSync(path + suffix, copy + suffix);
  copyFileSync(join(directory, 'earlier'), `${copy}-wal`);
  expect(() => openDatabase(copy)).toThrow('copy.sqlite-wal is older than the last one');
});

test('a closed database needs no log, whoever closed it', async ({ signal }) => {
  await writeAndKill(15, 0, signal);
  // As an operator looks at it with SQLite's own tool.
  const other = new DatabaseSync(path);
  const found = other.prepare('SELECT max(id) AS n FROM rows').get()?.['n'];
  other.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(numRows()).toBe(found);
});
