// @needs processes
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startOwnService } from '../../../../src/cli/capacity/own-service.ts';
import { eventually } from '../../../support/eventually.ts';
import { temporaryFolder } from '../../../support/service-process.ts';

/** A process in place of the service; it writes its id, and stays until it is ended. */
function stubbornService(folder: string, says: string) {
  const entry = join(folder, 'service.mjs');
  const pidFile = join(folder, 'pid');
  writeFileSync(
    entry,
    `import { writeFileSync } from 'node:fs';
     writeFileSync(${JSON.stringify(pidFile)}, process.pid + ' ' + process.env.QCS_DATA_DIR);
     process.stdout.write(${JSON.stringify(says)});
     setInterval(() => {}, 1000);`,
  );
  return { entry, started: () => readFileSync(pidFile, 'utf8').split(' ') };
}

async function expectEnded(
  { started }: ReturnType<typeof stubbornService>,
  start: Promise<unknown>,
) {
  await expect(start).rejects.toMatchObject({ code: 'CLI_LOAD_FAILED' });
  const [pid, data = ''] = started();
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  expect(existsSync(data)).toBe(false);
}

test('a service that is ready and does not say where it listens is ended, and its folder removed', async () => {
  using folder = temporaryFolder();
  const service = stubbornService(folder.path, 'Ready.');
  await expectEnded(service, startOwnService(service.entry, process.env));
});

test('a service that is not ready in time is ended, and its folder removed', async () => {
  using folder = temporaryFolder();
  const service = stubbornService(folder.path, 'Starting.');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const ended = expectEnded(service, startOwnService(service.entry, process.env, 1000));
    await eventually(() => expect(service.started()).toHaveLength(2));
    vi.advanceTimersByTime(1000);
    await ended;
  } finally {
    vi.useRealTimers();
  }
});

test('a service says its address and key, and is ended with its owner', async () => {
  using folder = temporaryFolder();
  const says = 'Listening on http://127.0.0.1:4321, key qcs_abc-1. Ready.';
  const { entry, started } = stubbornService(folder.path, says);
  {
    await using service = await startOwnService(entry, process.env);
    expect([service.origin.port, service.key]).toEqual(['4321', 'qcs_abc-1']);
  }

  const [pid] = started();
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});
