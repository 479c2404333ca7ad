// @needs processes
/** `qcs backup`, `restore` and `check`, beside a running service and without one. */
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SqliteJobStore } from '../../src/jobs/sqlite-job-store.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { runQcs } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
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
async function start(folder: string): Promise<ServiceProcess> {
  const settings = { ...SMALL_SERVICE, QCS_RATE_LIMIT_STANDARD: '1000000' };
  running = await startServiceProcess(folder, settings, { says: 'Listening' });
  return running;
}

function inFolder(folder: string) {
  return (...args: readonly string[]) => runQcs(args, { environment: { QCS_DATA_DIR: folder } });
}

/** Sends a circuit; gives its id. */
async function submit({ origin }: ServiceProcess, key: string): Promise<string> {
  const answer = await fetch(`${origin}/api/v1/quantum/circuits`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      circuit: [{ gate: 'H', qubit: 0 }],
      target_processor: 'statevector-sim',
      shots: 10,
    }),
  });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { data: { circuit_id: string } }).data.circuit_id;
}

async function statusOf({ origin }: ServiceProcess, key: string, id: string): Promise<number> {
  const url = `${origin}/api/v1/quantum/circuits/${id}`;
  return (await fetch(url, { headers: { 'x-api-key': key } })).status;
}

test('a backup made while work arrives has what was answered before it, and can be restored', async () => {
  using folder = temporaryFolder();
  using elsewhere = temporaryFolder();
  const qcs = inFolder(folder.path);
  const file = join(elsewhere.path, 'backup');
  const service = await start(folder.path);
  const key = service.key ?? '';
  const before = await submit(service, key);

  let isBackedUp = false;
  let numMeanwhile = 0;
  const traffic = (async () => {
    while (!isBackedUp) {
      await submit(service, key);
      numMeanwhile += 1;
    }
  })();
  await eventually(() => numMeanwhile > 5);
  expect(await qcs('backup', file)).toMatchObject({ code: 0, stderr: '' });
  expect(await qcs('check')).toMatchObject({ code: 0, stderr: '' });
  isBackedUp = true;
  await traffic;
  const after = await submit(service, key);

  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(elsewhere.path)).toEqual(['backup']);
  const checked = await qcs('check', file, '--json');
  expect(checked.code).toBe(0);
  expect(JSON.parse(checked.stdout)).toMatchObject({ faults: [], rows: { api_keys: 1 } });
  expect(JSON.parse(checked.stdout).rows.jobs).toBeGreaterThan(5);

  expect(await qcs('backup', file)).toMatchObject({
    code: 1,
    stderr: `${file} exists. A backup is written to a new file.\n`,
  });
  const refused = await qcs('restore', file);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('Another service runs on the data directory');
  rmSync(join(folder.path, 'service.lock'));
  expect((await qcs('restore', file)).stderr).toContain('Another service runs on');

  await service.stop('SIGKILL');
  const restored = await qcs('restore', file);
  expect(restored.code).toBe(0);
  const aside = /is (\S+)\.\n$/.exec(restored.stderr)?.[1] ?? '';
  const again = await start(folder.path);
  expect(again.key).toBeUndefined();
  expect(await statusOf(again, key, before)).toBe(200);
  expect(await statusOf(again, key, after)).toBe(404);
  await again.stop('SIGTERM');

  // The database that was there, with its log, is whole.
  expect((await qcs('restore', aside)).code).toBe(0);
  const database = openDatabase(join(folder.path, 'qcs.sqlite'));
  expect(await new SqliteJobStore(database).get(after)).toMatchObject({ id: after });
  database.close();
});

test('a damaged backup replaces nothing', async () => {
  using folder = temporaryFolder();
  const qcs = inFolder(folder.path);
  const file = join(folder.path, 'backup');
  expect((await qcs('keys', 'create', '--name', 'kept')).code).toBe(0);
  expect((await qcs('backup', file)).code).toBe(0);
  const good = readFileSync(file);
  const database = readFileSync(join(folder.path, 'qcs.sqlite'));

  for (const bad of [
    Buffer.from('garbage'.repeat(1000)),
    good.subarray(0, 8192),
    Buffer.from(good).fill(0xee, 4096, 8192),
    Buffer.alloc(0),
  ]) {
    writeFileSync(file, bad);
    const refused = await qcs('restore', file);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(file);
    expect(readFileSync(join(folder.path, 'qcs.sqlite')).equals(database)).toBe(true);
    expect((await qcs('check', file)).code).toBe(1);
  }
  expect((await qcs('restore', join(folder.path, 'nowhere'))).code).toBe(3);
});

test('check finds a damaged page and changes nothing; without a database it says so', async () => {
  using folder = temporaryFolder();
  const qcs = inFolder(folder.path);
  expect((await qcs('check')).code).toBe(3);
  await qcs('keys', 'create', '--name', 'kept');
  const healthy = await qcs('check');
  expect(healthy).toMatchObject({ code: 0, stderr: '' });
  expect(healthy.stdout).toMatch(/ {2}api_keys: 1 rows\n(.|\n)*No damage found\./);

  const path = join(folder.path, 'qcs.sqlite');
  const damaged = readFileSync(path).fill(0xee, 4096, 3 * 4096);
  writeFileSync(path, damaged);
  const found = await qcs('check');
  expect(found.code).toBe(1);
  expect(found.stdout).toMatch(/Damaged, \d+ faults:\n {2}/);
  expect(found.stderr).toContain(`The database ${path} is damaged`);
  expect(readFileSync(path).equals(damaged)).toBe(true);
});

test('a service whose log is damaged goes on once the loss is accepted, with what can be read', async () => {
  using folder = temporaryFolder();
  const qcs = inFolder(folder.path);
  const key = (await qcs('keys', 'create', '--name', 'kept')).stdout.trim();
  const service = await start(folder.path);
  const lost = await submit(service, key);
  expect((await qcs('check', '--accept-loss')).stderr).toContain('Another service runs on');
  await service.stop('SIGKILL');

  const log = join(folder.path, 'qcs.sqlite-wal');
  copyFileSync(log, join(folder.path, 'kept'));
  writeFileSync(log, 'garbage'.repeat(1000));
  const found = await qcs('check');
  expect(found.code).toBe(1);
  expect(found.stdout).toContain(`${log} is damaged`);
  expect(readFileSync(log, 'utf8')).toBe('garbage'.repeat(1000));

  // Put back, nothing is lost.
  copyFileSync(join(folder.path, 'kept'), log);
  expect((await qcs('check', '--accept-loss')).stderr).toContain('Nothing of it is lost.');
  writeFileSync(log, 'garbage'.repeat(1000));
  expect(await qcs('check', '--accept-loss')).toMatchObject({ code: 0 });
  expect(readdirSync(folder.path)).toContainEqual(expect.stringMatching(/^qcs\.sqlite-wal\.lost-/));

  const again = await start(folder.path);
  expect(again.key).toBeUndefined();
  expect(await statusOf(again, key, lost)).toBe(404);
  expect(await statusOf(again, key, await submit(again, key))).toBe(200);
});
