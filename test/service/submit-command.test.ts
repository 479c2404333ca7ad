// @needs service
/** `qcs submit` against a real service, and against one that does not answer as it should. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { type Around, runQcs } from '../support/command-line.ts';
import { openEventService, sendJson } from '../support/event-service.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { type SharedService, test } from '../support/shared-service.ts';

const folder = temporaryFolder();
let service: SharedService;

test.beforeAll(({ service: shared }) => {
  service = shared;
});
afterAll(() => folder[Symbol.dispose]());

function submit(args: readonly string[], around: Around = {}) {
  return runQcs(['submit', ...args], {
    ...around,
    environment: {
      QCS_URL: service.origin,
      QCS_API_KEY: service.key,
      ...around.environment,
    },
  });
}

const BELL = ['examples/bell.qasm', '--shots', '1000', '--seed', '7'];
const RAMSEY = 'examples/ramsey.qasm';
const RANGE = ['--sweep', 'phase=0:2pi:41'];

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

  test('prints an estimate with --estimate, and submits nothing', async () => {
    const key = await service.createKey('standard');
    const environment = { QCS_API_KEY: key };
    const { code, stdout, stderr } = await submit([...BELL, '--estimate'], { environment });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^processor +statevector-sim\nshots +1,000\nmethod +statevector\. A state/,
    );
    expect(stdout).toMatch(/\ntime +[\d.]+ (ms|s)\nmemory +64 bytes\n/);
    const sweep = [RAMSEY, ...RANGE, '--shots', '10', '--estimate', '--json'];
    const swept = JSON.parse((await submit(sweep, { environment })).stdout);
    expect(swept).toMatchObject({ kind: 'batch', programs: [{ points: 41 }] });
    const listed = await runQcs(['jobs', 'list', '--json'], {
      environment: { QCS_URL: service.origin, ...environment },
    });
    expect(JSON.parse(listed.stdout)).toMatchObject({ jobs: [] });
  });

  test('prints the id with --async, and leaves; the job is followed by it', async () => {
    const { code, stdout, stderr } = await submit([...BELL, '--async', '--target', 'gpu-fleet']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^circ_[0-9a-f]{32}\n$/);
    const environment = { QCS_URL: service.origin, QCS_API_KEY: service.key };
    const followed = await runQcs(['jobs', 'follow', stdout.trim(), '--json'], { environment });
    expect(JSON.parse(followed.stdout)).toMatchObject({ processor: 'gpu-fleet', seed: 7 });
  });

  test('writes files of shots, as qcs run does', async () => {
    const options = ['--target', 'qvm', '--shots', '64', '--seed', '5', '--out-format', 'dets'];
    const filesOf = (name: string) => {
      const [events, bits] = ['events', 'bits'].map((each) => join(folder.path, `${name}.${each}`));
      return { events: events!, bits: bits! };
    };
    const read = ({ events, bits }: ReturnType<typeof filesOf>) =>
      [events, bits].map((path) => readFileSync(path, 'utf8'));
    const args = (files: ReturnType<typeof filesOf>) => [
      ...['examples/repetition-code.stim', ...options],
      ...['--detection-events', files.events, '--measurements', files.bits],
    ];
    const [submitted, run] = [filesOf('submitted'), filesOf('run')];
    const ended = await submit(args(submitted));
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('completed in') });
    expect(ended.stdout).not.toContain('detection_events');
    expect(await runQcs(['run', ...args(run)])).toMatchObject({ code: 0, stderr: '' });
    expect(read(submitted)).toEqual(read(run));
    expect(read(run)[0]!.trim().split('\n')).toHaveLength(64);
    expect(read(run).join()).toMatch(/^shot( D\d+)*( L0)?\n.*,shot( M\d+)*\n/s);
  });

  test.each([
    [['--async'], 'a job that goes on'],
    [['--out-format', 'ptb64'], 'a multiple of 64 shots, and not 1000'],
  ])('refuses files of shots with %j', async (options, problem) => {
    const file = join(folder.path, 'none');
    const ended = await submit([...BELL, '--measurements', file, ...options]);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(problem) });
    expect(existsSync(file)).toBe(false);
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
    [
      'a wrong key',
      { QCS_API_KEY: 'qcs_wrong' },
      2,
      'The key is that of QCS_API_KEY or --key-file.',
    ],
    ['no service', { QCS_URL: 'http://127.0.0.1:9' }, 4, 'No answer from http://127.0.0.1:9'],
    ['no address', { QCS_URL: 'here' }, 2, 'no address of a service'],
  ])('says what to do about %s', async (_, environment, code, text) => {
    const ended = await submit(BELL, { environment });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(text);
  });

  test.each([
    ['job', 'circuit_id', '/api/v1/quantum/circuits', BELL],
    ['batch of a sweep', 'batch_id', '/api/v1/quantum/batches', [RAMSEY, ...RANGE]],
  ])('fails where the %s fails', async (_, idName, path, args) => {
    const record = {
      [idName]: `${idName === 'batch_id' ? 'batch' : 'circ'}_0199f3a2c5d87c3e9b1f000000000001`,
      status: 'failed',
      created_at: '2026-01-02T03:04:05.000Z',
      error: { code: 'FLEET_ENGINE_LOST', message: 'It died.' },
    };
    await using other = await openEventService(({ method, url }, response) => {
      if (url.endsWith('/events')) response.writeHead(204).end();
      else sendJson(response, method === 'POST' ? 202 : 200, record);
    });
    const ended = await submit(args, { environment: { QCS_URL: other.origin } });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('FLEET_ENGINE_LOST');
    expect(other.asked[0]).toMatchObject({
      method: 'POST',
      url: path,
      headers: { prefer: 'respond-async', 'content-type': 'application/json' },
    });
  });
});

const TWO = ['--observable', 'Z0', '--observable', '0.5*X0 - Y0'];

/** Without what differs from one run to the next. */
const withoutTimes = (text: string) => text.replace(/compiled in .+$/m, '');

describe('qcs submit with a sweep', () => {
  test.each([
    ['the chart of exact values', [...RANGE, ...TWO]],
    ['the charts of derivatives', [...RANGE, ...TWO, '--gradient']],
    ['the chart of estimates', [...RANGE, ...TWO, '--shots', '100', '--seed', '3']],
    ['the chart of shares', [...RANGE, '--seed', '3']],
    ['the table', [...RANGE, ...TWO, '--gradient', '--table']],
    ['the table of counts', [...RANGE, '--table', '--shots', '50', '--seed', '3']],
    ['values at a single point', ['--input', 'phase=0.8', ...TWO]],
  ])('prints %s that qcs run prints', async (_, options) => {
    const args = [RAMSEY, ...options];
    const environment = { QCS_THREADS: '2' };
    const [submitted, run] = await Promise.all([
      submit(args),
      runQcs(['run', ...args], { environment }),
    ]);
    expect(run.code).toBe(0);
    expect(submitted).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^batch_[0-9a-f]{32} completed in /m),
    });
    expect(withoutTimes(submitted.stdout)).toBe(withoutTimes(run.stdout));
  });

  test('prints the record of the batch with --json, with inputs and observables beside it', async () => {
    const labels = ['--name', 'fringes', '--tag', 'lab', '--priority', 'low'];
    const args = [RAMSEY, '--sweep', 'phase=0,pi/2', ...TWO, '--seed', '3', '--json'];
    const { code, stdout } = await submit([...args, ...labels]);
    expect(code).toBe(0);
    const run = JSON.parse((await runQcs(['run', ...args])).stdout);
    expect(JSON.parse(stdout)).toMatchObject({
      batch_id: expect.stringMatching(/^batch_/),
      status: 'completed',
      name: 'fringes',
      tags: ['lab'],
      priority: 'low',
      points: 2,
      inputs: { phase: [0, Math.PI / 2] },
      observables: ['Z0', '0.5*X0 - Y0'],
      programs: run.programs,
    });
  });

  test('takes the fields of a file, whose labels are those of the job', async () => {
    const file = join(folder.path, 'body.json');
    const content = {
      circuit: [
        { gate: 'RY', qubit: 0, theta: { input: 'a' } },
        { gate: 'RX', qubit: 1, theta: { input: 'b' } },
      ],
      inputs: { a: 1, b: { dtype: '<f8', shape: [2], data: 'AAAAAAAA8D8AAAAAAAAAQA==' } },
      observables: [{ pauli: 'Z0', coefficient: 2 }],
      gradient_inputs: ['b'],
      name: 'of the file',
      tags: ['one'],
    };
    writeFileSync(file, JSON.stringify(content));
    const { stdout } = await submit([file, '--gradient', '--json', '--tag', 'two']);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'of the file',
      tags: ['two'],
      inputs: { a: 1, b: [1, 2] },
      observables: ['2*Z0'],
    });
    const { stdout: table } = await submit([file, '--gradient', '--table']);
    expect(table.split('\n')[0]).toBe('b  2*Z0           d(2*Z0)/db');
  });

  test('names observables that only the text of the program requests by their numbers', async () => {
    const file = join(folder.path, 'pragma.qasm');
    const program = [
      ...[
        'OPENQASM 3.0;',
        'include "stdgates.inc";',
        'input float a;',
        'qubit[1] q;',
        'rx(a) q[0];',
      ],
      '#pragma braket result expectation z(q[0])',
    ];
    writeFileSync(file, program.join('\n'));
    const { code, stdout } = await submit([file, '--sweep', 'a=0,pi', '--table']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'a              observable 1\n0              1\n3.14159265359  -1\n',
    });
  });

  test('prints the id with --async, and leaves', async () => {
    const { code, stdout, stderr } = await submit([RAMSEY, ...RANGE, ...TWO, '--async']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^batch_[0-9a-f]{32}\n$/);
    const environment = { QCS_URL: service.origin, QCS_API_KEY: service.key };
    const followed = await runQcs(['jobs', 'follow', stdout.trim(), '--json'], { environment });
    const { status, points, programs } = JSON.parse(followed.stdout);
    expect({ status, points }).toEqual({ status: 'completed', points: 41 });
    expect(programs[0].expectation).toHaveLength(41);
  });

  test.each([
    ['an unknown input', ['--sweep', 'phse=0:1:5'], 'Did you mean phase?'],
    [
      'lists of other lengths',
      ['--sweep', 'phase=0,1', '--sweep', 'b=1,2,3'],
      'is not taken. inputs.b: This array has 3 values, and phase has 2',
    ],
    [
      'an observable of a qubit that is not there',
      ['--sweep', 'phase=0,1', '--observable', 'Z0 Z1'],
      'observables[0][0].pauli: "Z1" names qubit 1, but the circuit has 1 qubit',
    ],
    ['an unknown processor', [...RANGE, '--target', 'abacus'], 'There is no processor "abacus"'],
    ['a gradient of nothing', [...RANGE, '--gradient'], 'Add an --observable'],
  ])('is refused for %s, in the words of the service', async (_, args, text) => {
    const ended = await submit([RAMSEY, ...args]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(text);
    expect(ended.stderr).not.toContain('programs[0]');
  });

  test.each([
    ['while it runs', /^batch_\w+ running/],
    ['before the service has answered', undefined],
  ])('cancels its batch on Ctrl-C %s', async (_, moment) => {
    const file = join(folder.path, 'long.json');
    const circuit = Array.from({ length: 16 }, (_, qubit) => ({
      gate: 'RY',
      qubit,
      theta: { input: 'a' },
    }));
    writeFileSync(file, JSON.stringify(circuit));
    let interrupt = () => {};
    const ended = await submit([file, '--sweep', 'a=0:1:1000000', '--observable', 'Z0'], {
      onListening: (listener) => {
        interrupt = listener;
        if (moment === undefined) interrupt();
      },
      onError: (text) => {
        if (moment?.test(text)) interrupt();
      },
    });
    expect(ended).toMatchObject({ code: 130, stdout: '' });
    const [, id] = /^(batch_[0-9a-f]{32}) is cancelled\.\nInterrupted\.$/m.exec(ended.stderr) ?? [];
    const response = await fetch(`${service.origin}/api/v1/quantum/batches/${id}`, {
      headers: { 'x-api-key': service.key },
    });
    expect(await response.json()).toMatchObject({ data: { status: 'cancelled' } });
  });
});
