/**
 * Set-up of test files that name no need: a test of them fails if it starts a child process, also if the
 * code under test catches the error. (Drivers and browsers are refused by `foundFacilities`.)
 */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect } from 'vitest';

/** Forbidden calls of the current test. */
const attempts: string[] = [];

function refuse(attempt: string): never {
  attempts.push(attempt);
  throw new Error(`${attempt}, so the test file has to begin with a line "// @needs …".`);
}

const refusing = (name: string) => () => refuse(`child_process.${name} was called`);
Object.assign(childProcess, {
  spawn: refusing('spawn'),
  spawnSync: refusing('spawnSync'),
  fork: refusing('fork'),
  exec: refusing('exec'),
  execSync: refusing('execSync'),
  execFile: refusing('execFile'),
  execFileSync: refusing('execFileSync'),
});
syncBuiltinESMExports();

afterEach(() => {
  expect(attempts.splice(0)).toEqual([]);
});
