// @needs processes
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ProcessGuard } from '../../../src/processes/process-guard.ts';

/** A process that ends by itself only long after the test. */
function sleeper(): { readonly pid: number; readonly ended: Promise<unknown> } {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const { pid } = child;
  if (pid === undefined) throw new Error('unreachable: sleep could not be started');
  return { pid, ended: once(child, 'exit') };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('ends what is there when it closes, and nothing that was taken out before', async () => {
  const guard = new ProcessGuard();
  const [first, second, spared] = [sleeper(), sleeper(), sleeper()];
  for (const { pid } of [first, spared, second]) guard.add(pid);
  guard.remove(spared.pid);
  guard.close();
  expect(await Promise.all([first.ended, second.ended])).toEqual([
    [null, 'SIGKILL'],
    [null, 'SIGKILL'],
  ]);
  expect(isThere(spared.pid)).toBe(true);
  process.kill(spared.pid, 'SIGKILL');
  await spared.ended;
});

test('with nothing left in it ends nothing', async () => {
  const guard = new ProcessGuard();
  const spared = sleeper();
  const last = sleeper();
  guard.add(spared.pid);
  guard.remove(spared.pid);
  guard.close();
  const other = new ProcessGuard();
  other.add(last.pid);
  other.close();
  await last.ended;
  expect(isThere(spared.pid)).toBe(true);
  process.kill(spared.pid, 'SIGKILL');
  await spared.ended;
});
