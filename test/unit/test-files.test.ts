/** Test files declare what they need and are held to it. */
import childProcess, { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
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
