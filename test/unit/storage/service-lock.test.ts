// @needs processes
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DATABASE_FILE, openDatabase } from '../../../src/storage/database.ts';
import { lockDataDirectory, openServiceDatabase } from '../../../src/storage/service-lock.ts';
import { temporaryFolder } from '../../support/service-process.ts';

test('a second service on the same data directory is refused', () => {
  using folder = temporaryFolder();
  using _first = lockDataDirectory(folder.path);
  expect(() => lockDataDirectory(folder.path)).toThrow(
    expect.objectContaining({ code: 'STORAGE_DATA_DIRECTORY_IN_USE' }),
  );
});

test('the directory is free again once the first service has closed it', () => {
  using folder = temporaryFolder();
  lockDataDirectory(folder.path)[Symbol.dispose]();
  using second = lockDataDirectory(folder.path);
  expect(second[Symbol.dispose]).toBeTypeOf('function');
});

test('a process that was killed leaves no lock behind', () => {
  using folder = temporaryFolder();
  const script = `
    import { lockDataDirectory } from './src/storage/service-lock.ts';
    globalThis.lock = lockDataDirectory(${JSON.stringify(folder.path)});
    process.kill(process.pid, 'SIGKILL');`;
  expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', script])).toThrow();
  using lock = lockDataDirectory(folder.path);
  expect(lock[Symbol.dispose]).toBeTypeOf('function');
});

/** Opens the database as a service of its own process would, and ends with the error's code if it may not. */
function openElsewhere(folder: string): string {
  const script = `
    import { openServiceDatabase } from './src/storage/service-lock.ts';
    try {
      openServiceDatabase(${JSON.stringify(folder)}, 'process-crash');
      console.log('opened');
    } catch (error) {
      console.log(error.code);
    }`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  }).trim();
}

test('a lock file that was removed or replaced lets no second service in while the first runs', () => {
  using folder = temporaryFolder();
  {
    using _first = openServiceDatabase(folder.path, 'process-crash');
    rmSync(join(folder.path, 'service.lock'));
    expect(openElsewhere(folder.path)).toBe('STORAGE_DATA_DIRECTORY_IN_USE');
    // The file that the second one made is there now, and nobody has it locked.
    expect(openElsewhere(folder.path)).toBe('STORAGE_DATA_DIRECTORY_IN_USE');
  }
  expect(openElsewhere(folder.path)).toBe('opened');
  rmSync(join(folder.path, 'service.lock'));
  expect(openElsewhere(folder.path)).toBe('opened');
});

test('a moved data directory, or another command that has it open, does not count as a second service', () => {
  using folder = temporaryFolder();
  const before = join(folder.path, 'before');
  const after = join(folder.path, 'after');
  openServiceDatabase(before, 'process-crash')[Symbol.dispose]();
  renameSync(before, after);
  using _command = openDatabase(join(after, DATABASE_FILE));
  using service = openServiceDatabase(after, 'process-crash');
  expect(service.database.isOpen).toBe(true);
});

test('a missing database is not replaced by an empty one', () => {
  using folder = temporaryFolder();
  openServiceDatabase(folder.path, 'process-crash')[Symbol.dispose]();
  rmSync(join(folder.path, DATABASE_FILE));
  expect(() => openServiceDatabase(folder.path, 'process-crash')).toThrow(
    expect.objectContaining({
      code: 'STORAGE_DATABASE_MISSING',
      message: expect.stringContaining(`${DATABASE_FILE}.made is still there`),
    }),
  );
  expect(() => openDatabase(join(folder.path, DATABASE_FILE))).toThrow('is missing or empty');
});

test('a directory that is missing is made, with those above it', () => {
  using folder = temporaryFolder();
  using lock = lockDataDirectory(join(folder.path, 'a', 'b', 'c'));
  expect(lock.lockFile).toMatch(/^\d+:\d+$/);
});

test.each(['/proc/qcs', '/proc/qcs/data', 'package.json', 'package.json/data'])(
  'a directory that cannot be made (%s) is refused at once, with what to set',
  (path) => {
    expect(() => lockDataDirectory(path)).toThrow(
      expect.objectContaining({
        code: 'STORAGE_CANNOT_OPEN',
        message: expect.stringContaining('QCS_DATA_DIR names the folder'),
      }),
    );
  },
);
