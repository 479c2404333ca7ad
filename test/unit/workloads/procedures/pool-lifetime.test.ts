// @needs processes
/** Lifetime of a pool's processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';

const SERVICE = fileURLToPath(new URL('../../../support/procedure-service.ts', import.meta.url));

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a process whose calls are through ends by itself, and so does what it started', async () => {
  // Flags of its own that no process of the pool may inherit.
  const flags = ['--inspect=127.0.0.1:0', '--max-old-space-size=4000'];
  const service = spawn(process.execPath, [...flags, SERVICE, 'echo'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed, [code]] = await Promise.all([text(service.stdout), once(service, 'exit')]);
  expect(code).toBe(0);
  const { pid } = JSON.parse(printed);
  await eventually(() => !isThere(pid));
});

test.each(['wait-for-signal', 'spin-named'])(
  'a process of a pool ends with a service that is killed in the middle of its call: %s',
  async (name) => {
    const service = spawn(process.execPath, [SERVICE, name], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [printed] = await once(service.stdout, 'data');
    const pid = Number(printed);
    expect(isThere(pid)).toBe(true);
    service.kill('SIGKILL');
    await eventually(() => !isThere(pid));
  },
);
