import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { lockDataDirectory } from '../../../src/storage/service-lock.ts';
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
