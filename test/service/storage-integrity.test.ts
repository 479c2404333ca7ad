// @needs processes
/** A service whose files were damaged while it was down: it does not start, and makes no new key. */
import {
  cpSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type ServiceProcess,
  SMALL_SERVICE,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';

let running: ServiceProcess | undefined;
afterEach(async () => {
  await running?.stop('SIGKILL');
});

/** Starts the service as far as it takes circuits. */
const start = (folder: string) => startServiceProcess(folder, SMALL_SERVICE, { says: 'Listening' });

/** A data directory as a service that had done a circuit left it when it was killed; each test damages a copy. */
const left = temporaryFolder();
afterAll(() => left[Symbol.dispose]());
beforeAll(async () => {
  running = await start(left.path);
  const answer = await fetch(`${running.origin}/api/v1/quantum/circuits`, {
    method: 'POST',
    headers: { 'x-api-key': running.key ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({
      circuit: [{ gate: 'H', qubit: 0 }],
      target_processor: 'statevector-sim',
      shots: 10,
    }),
  });
  expect(answer.status).toBe(201);
  await running.stop('SIGKILL');
});

test.each<[string, (file: string) => void, string]>([
  ['its log is missing', (file) => rmSync(`${file}-wal`), 'qcs.sqlite-wal is missing'],
  [
    'its log and the index of it are missing',
    (file) => ['-wal', '-shm'].map((suffix) => rmSync(file + suffix)),
    'qcs.sqlite-wal is missing',
  ],
  [
    'its log is garbage',
    (file) => writeFileSync(`${file}-wal`, 'garbage'.repeat(1000)),
    'qcs.sqlite-wal is damaged',
  ],
  ['its database is missing', (file) => rmSync(file), 'qcs.sqlite is missing or empty'],
  ['its database is empty', (file) => truncateSync(file), 'qcs.sqlite is missing or empty'],
  [
    'its database is garbage',
    (file) => writeFileSync(file, 'garbage'.repeat(1000)),
    'qcs.sqlite is damaged',
  ],
])('where %s it names the file and what can be done', async (_, damage, message) => {
  using folder = temporaryFolder();
  cpSync(left.path, folder.path, { recursive: true });
  damage(join(folder.path, 'qcs.sqlite'));
  // SQLite tidies its journal of the lock file away.
  const sizes = () =>
    readdirSync(folder.path)
      .filter((name) => !name.endsWith('-journal'))
      .map((name) => [name, statSync(join(folder.path, name)).size]);
  const damaged = sizes();

  const failure = await start(folder.path).catch((error: Error) => error.message);
  expect(failure).toContain('the service ended (1)');
  expect(failure).toContain(message);
  expect(failure).toContain('qcs restore');
  expect(failure).not.toMatch(/\bqcs_/);
  expect(sizes()).toEqual(damaged);
});

test('a second service is refused also where the lock file of the first was removed', async () => {
  using folder = temporaryFolder();
  running = await start(folder.path);
  rmSync(join(folder.path, 'service.lock'));
  await expect(start(folder.path)).rejects.toThrow(
    `Another service runs on the data directory ${folder.path}`,
  );
  expect(await running.stop('SIGTERM')).toBe(0);
  running = await start(folder.path);
  expect(running.key).toBeUndefined();
  expect(existsSync(join(folder.path, 'service.lock'))).toBe(true);
});
