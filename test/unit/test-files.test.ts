/** Test files declare what they need and are held to it. */
import childProcess, { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addressesIn } from '../support/loaded-by-address.ts';
import { needOf, testFilesThatNeed } from '../support/test-files.ts';

test('a file says what it needs in a line of its own', () => {
  expect(needOf('// @needs processes\n/** Kills. */\n')).toBe('processes');
  expect(needOf('/** Adds. */\n// @needs facilities\n')).toBe('facilities');
  expect(needOf('/** Adds. */\n')).toBeUndefined();
});

test('a need that nobody knows is an error', () => {
  expect(() => needOf('// @needs luck\n')).toThrow('needs "luck"');
});

test('files are found by their needs', () => {
  expect(testFilesThatNeed('facilities')).toContain('test/conformance/shaders.test.ts');
  expect(testFilesThatNeed('processes', 'minutes')).not.toContain('test/unit/test-files.test.ts');
});

test.fails('a test fails that starts a process without saying so, even if the error is caught', () => {
  try {
    spawn(process.execPath);
  } catch {}
});

test('no function that starts a process is forgotten', () => {
  const starting = Object.keys(childProcess).filter((name) => /^(spawn|fork|exec)/.test(name));
  for (const name of starting) {
    expect(String(Reflect.get(childProcess, name)), name).toContain('refuse');
  }
});

test.each([
  ['src/service/circuits/result-thread.ts', './result-thread-entry'],
  ['src/engine/cpu/cpu-engine.ts', './thread-pool-helper'],
  ['test/support/service-process.ts', '/src/main'],
  ['test/support/command-line.ts', '/src/cli'],
])('the module that %s loads by its address is found for --changed', (path, entry) => {
  expect(addressesIn(readFileSync(path, 'utf8'))).toEqual([`${entry}.ts`]);
});
