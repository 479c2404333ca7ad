// @needs processes

/** A heap is filled in a process of its own: what is claimed here is that the process survives. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Filling } from '../../support/full-heap-thread.ts';

const PROCESS = fileURLToPath(new URL('../../support/full-heap-process.ts', import.meta.url));

test.each<Filling>([
  'a chain of small objects',
  'values of JSON texts',
  'an array that doubles',
  'many arrays',
])('a thread whose heap is full of %s ends, and its process does not', async (filling) => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROCESS, filling]);
  expect(JSON.parse(stdout)).toEqual({
    how: 'its heap took more memory than 160 MiB',
    isOutOfMemory: true,
  });
});
