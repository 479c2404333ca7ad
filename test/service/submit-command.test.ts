// @needs processes
/** `qcs submit` against a real service, and against one that does not answer as it should. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Around, runQcs } from '../support/command-line.ts';
import { openEventService, sendJson } from '../support/event-service.ts';
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';

const folder = temporaryFolder();
let service: ServiceProcess;

beforeAll(async () => {
  service = await startServiceProcess(join(folder.path, 'data'), { QCS_ENGINE: 'cpu' });
});

afterAll(async () => {
  await service.stop('SIGTERM');
  folder[Symbol.dispose]();
});

function submit(args: readonly string[], around: Around = {}) {
  return runQcs(['submit', ...args], {
    ...around,
    environment: {
      QCS_URL: service.origin,
      QCS_API_KEY: service.key ?? '',
      ...around.environment,
    },
  });
}

const BELL = ['examples/bell.qasm', '--shots', '1000', '--seed', '7'];

describe('qcs submit', () => {
  test('prints the histogram that qcs run prints', async () => {
    const [submitted, run] = await Promise.all([submit(BELL), runQcs(['run', ...BELL])]);
    expect(submitted).toMatchObject({ code: 0, stderr: expect.stringContaining('completed in') });
    const rows = submitted.stdout.trim().split('\n');
    expect(rows).toHaveLength(2);
    expect(run.stdout).toContain(rows.join('\n'));
  });

  test('takes a JSON circuit, and prints its record with --json', async () => {
    const { code, stdout } = await submit(['examples/teleport.json', '--json', '--seed', '5']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', seed: 5, shots: 4000 });
  });

  test('prints the id with --async, and leaves; the job is followed by it', async () => {
    const { code, stdout, stderr } = await submit([...BELL, '--async', '--target', 'gpu-fleet']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^circ_[0-9a-f]{32}\n$/);
    const environment = { QCS_URL: service.origin, QCS_API_KEY: service.key ?? '' };
    const followed = await runQcs(['jobs', 'follow', stdout.trim(), '--json'], { environment });
    expect(JSON.parse(followed.stdout)).toMatchObject({ processor: 'gpu-fleet', seed: 7 });
  });

  test('lists what the service finds wrong with the circuit', async () => {
    const file = join(folder.path, 'wrong.json');
    writeFileSync(file, '[{"gate":"RX","qubit":0,"angle":1},{"gate":"HH","qubit":0}]');
    const { code, stdout, stderr } = await submit([file]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${file} is not taken.`);
    expect(stderr).toContain('circuit[0].angle: RX takes theta, not angle.');
    expect(stderr).toMatch(/^ {2}circuit\[1\]\.gate: There is no gate called "HH"\./m);
  });

  test.each([
    ['no key', { QCS_API_KEY: '' }, 2, 'set QCS_API_KEY'],
    ['a wrong key', { QCS_API_KEY: 'qcs_wrong' }, 2, 'refuses the key'],
    [
      'no service',
      { QCS_URL: 'http://127.0.0.1:9' },
      4,
      'No service answers at http://127.0.0.1:9',
    ],
    ['no address', { QCS_URL: 'here' }, 2, 'no address of a service'],
  ])('says what to do about %s', async (_, environment, code, text) => {
    const ended = await submit(BELL, { environment });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(text);
  });

  test('fails where the job fails', async () => {
    const record = {
      circuit_id: 'circ_0199f3a2c5d87c3e9b1f000000000001',
      status: 'failed',
      created_at: '2026-01-02T03:04:05.000Z',
      error: { code: 'FLEET_ENGINE_LOST', message: 'It died.' },
    };
    await using other = await openEventService(({ method, url }, response) => {
      if (url.endsWith('/events')) response.writeHead(204).end();
      else sendJson(response, method === 'POST' ? 202 : 200, record);
    });
    const ended = await submit(BELL, { environment: { QCS_URL: other.origin } });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('FLEET_ENGINE_LOST');
    expect(other.asked[0]).toMatchObject({
      method: 'POST',
      url: '/api/v1/quantum/circuits',
      headers: { prefer: 'respond-async', 'content-type': 'application/json' },
    });
  });
});
