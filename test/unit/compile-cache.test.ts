/** The folder of compiled code that a process passes to its threads and children. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepCompiled } from '../../src/processes/compile-cache.ts';

test('threads and child processes get the folder that Node takes by default', () => {
  const environment: Record<string, string | undefined> = {};
  keepCompiled(environment);
  expect(environment).toEqual({ NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') });
});

test('a folder of the caller is kept', () => {
  const environment = { NODE_COMPILE_CACHE: '/elsewhere' };
  keepCompiled(environment);
  expect(environment.NODE_COMPILE_CACHE).toBe('/elsewhere');
});
