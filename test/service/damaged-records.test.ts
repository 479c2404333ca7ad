// @needs processes
/** A real service on a database with damaged rows: each fails by itself, and nothing else does. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../src/storage/database.ts';
import { runQcs } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceClient } from '../support/service-client.ts';
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

const settings = {
  QCS_LOG_LEVEL: 'warn',
  QCS_RATE_LIMIT_STANDARD: '1000000',
  ...SMALL_SERVICE,
  QCS_METRICS_ADDRESSES: '127.0.0.1',
};
const BELL = {
  circuit: [
    { gate: 'H', qubit: 0 },
    { gate: 'CX', control: 0, target: 1 },
  ],
  target_processor: 'statevector-sim',
  shots: 10,
};
const RECORDS = '/quantum/circuits';

test('damaged jobs, keys, maintenance and idempotency rows fail alone; the service starts and says which', async () => {
  using folder = temporaryFolder();
  const edit = (work: (database: DatabaseSync) => void) => {
    using database = new DatabaseSync(join(folder.path, DATABASE_FILE));
    work(database);
  };
  running = await startServiceProcess(folder.path, settings);
  const key = running.key ?? '';
  const before = new ServiceClient(running.origin, key);
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) {
    const headers = { 'idempotency-key': `number ${i}` };
    const { data } = await before.request('POST', RECORDS, { body: BELL, headers });
    ids.push(String(Object(data).circuit_id));
  }
  const task = { task: 'evaluate', input: { expression: '1 + 2' } };
  const { headers } = await before.request('POST', '/agents/computation/execute', { body: task });
  const taskLocation = headers.get('location') ?? '';
  await before.finalRecord(taskLocation);
  await running.stop('SIGTERM');

  const [status, result, request, facts, queued, body, well] = ids;
  const open = 'finished_at = NULL, started_at = NULL, result = NULL';
  edit((database) => {
    const set = (id: string | undefined, text: string) =>
      expect(database.prepare(`UPDATE jobs SET ${text} WHERE id = ?`).run(id ?? '').changes).toBe(
        1,
      );
    set(status, "status = 'banana'");
    set(result, `result = '{"counts":{"00":1'`);
    set(request, "request = 'x'");
    set(facts, `request = '{"facts":7,"body":{}}'`);
    set(queued, `status = 'queued', priority = '?', ${open}`);
    set(body, `status = 'queued', request = replace(request, '"body":{', '"body":['), ${open}`);
    database.exec(`
      UPDATE idempotency SET response = '}' WHERE idempotency_key = 'number 6';
      INSERT INTO api_keys (id, name, secret_hash, tier, scopes, created_at)
        VALUES ('deadbeef', 'odd', '00', 'platinum', 'read', 9000000000000000000);
      INSERT INTO maintenance VALUES ('moon', 'gpu-fleet', 'r', 5),
        ('processor', 'gpu-fleet', 'new fans', 9000000000000000000);`);
  });

  running = await startServiceProcess(folder.path, settings);
  const client = new ServiceClient(running.origin, key);
  const damage = async (id: string | undefined, path = '') => {
    const answer = await client.request('GET', `${RECORDS}/${id}${path}`);
    const { error } = JSON.parse(answer.text);
    return [answer.status, error.details[0].code, error.message];
  };
  const is = (what: string) => [500, 'JOBS_DAMAGED', expect.stringContaining(what)];
  expect(await damage(status)).toEqual(is('its status is "banana"'));
  expect(await damage(status, '/events')).toEqual(is('its status is "banana"'));
  expect(await damage(result)).toEqual(is('its result is no JSON'));
  expect(await damage(request)).toEqual(is('its request has no body'));
  expect(await damage(facts)).toEqual(is('its request has no facts'));
  expect(await damage(queued)).toEqual(is('its priority is "?"'));
  await eventually(async () => (await client.record(`${RECORDS}/${body}`)).status === 'failed');
  expect(await client.record(`${RECORDS}/${body}`)).toMatchObject({
    error: { code: 'JOBS_DAMAGED' },
  });
  // What came of it is reported without its request.
  expect(await client.record(`${RECORDS}/${body}`)).not.toHaveProperty('request');
  expect(await client.record(`${RECORDS}/${well}`)).toMatchObject({ status: 'completed' });
  expect(await client.record(taskLocation)).toMatchObject({ status: 'completed' });
  const listing = Object(await client.get(`${RECORDS}?limit=100`));
  const listed = listing.circuits.map((each: { circuit_id: string }) => each.circuit_id);
  // A listing reads no results.
  expect(listed).toEqual([well, body, result]);
  const again = await client.request('POST', RECORDS, {
    body: BELL,
    headers: { 'idempotency-key': 'number 6' },
  });
  expect(again.status).toBe(201);
  expect(again.headers.get('location')).toContain(well);

  // A stranger is not told that the record is there.
  const create = ['keys', 'create', '--name', 'admin', '--scopes', 'admin,read,circuits'];
  const { stdout } = await runQcs(create, { environment: { QCS_DATA_DIR: folder.path } });
  const stranger = new ServiceClient(running.origin, stdout.trim());
  for (const path of ['', '/events']) {
    const answer = await stranger.request('GET', `${RECORDS}/${status}${path}`);
    expect(answer.status).toBe(404);
  }
  const { keys } = Object(await stranger.get('/admin/keys'));
  expect(keys.map(({ name }: { name: string }) => name)).toEqual(['first key', 'admin']);
  const fleet = await client.get('/quantum/processors/gpu-fleet');
  expect(fleet).toMatchObject({ available: false, reason: expect.stringContaining('new fans') });

  const log = running.log();
  for (const id of [status, request, facts, queued]) {
    expect(log.split(`"id":"${id}"`)).toHaveLength(2);
  }
  expect(log).toContain('"table":"api_keys","id":"deadbeef"');
  expect(log).toContain('"table":"maintenance","id":"gpu-fleet"');
  const metrics = await (await fetch(`${running.origin}/metrics`)).text();
  expect(metrics).toContain('qcs_damaged_records_total{table="maintenance"} 1');
  await running.stop('SIGTERM');

  // Where no key can be read, none is made: there is one.
  edit((database) => database.exec(`UPDATE api_keys SET tier = 'platinum'`));
  running = await startServiceProcess(folder.path, settings, { says: 'Listening' });
  expect(running.key).toBeUndefined();
  const answer = await new ServiceClient(running.origin, key).request('GET', '/keys/info');
  expect(answer.status).toBe(500);
  expect(JSON.parse(answer.text).error.details[0].code).toBe('SERVICE_KEY_DAMAGED');
  await running.stop('SIGTERM');
});
