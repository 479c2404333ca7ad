// @needs service
/** `qcs jobs` against a service that answers as a test says, and once against the real one. */
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { type Around, runQcs } from '../support/command-line.ts';
import {
  type Asked,
  type EventService,
  openEventService,
  sendEvents,
  sendJson,
  type ToldEvent,
} from '../support/event-service.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { test } from '../support/shared-service.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 10);
const idOf = (prefix: string, number: number) =>
  `${prefix}_0199f3a2c5d87c3e9b1f${String(number).padStart(12, '0')}`;
const CIRCUIT = idOf('circ', 1);
const TASK = idOf('task', 2);
const TPU_JOB = idOf('tpujob', 3);
const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString();

let service: EventService;

beforeEach(async () => {
  service = await openEventService((_, response) => sendJson(response, 404, 'Nothing here.'));
});

afterEach(() => service[Symbol.asyncDispose]());

/** `qcs jobs …` with the address and a key from the environment. */
function jobs(args: readonly string[], around: Around = {}) {
  return runQcs(['jobs', ...args], {
    now: () => NOW,
    ...around,
    environment: { QCS_URL: service.origin, QCS_API_KEY: 'qcs_secret', ...around.environment },
  });
}

describe('list', () => {
  /** Two of each kind but batches and experiments, in turns: the newest is a circuit. */
  const RECORDS: Readonly<Record<string, readonly object[]>> = {
    circuits: [5, 2].map((n) => ({
      circuit_id: idOf('circ', n),
      status: n === 5 ? 'running' : 'completed',
      processor: 'gpu-fleet',
      created_at: at(n),
      started_at: at(n + 1),
      ...(n === 5 ? { progress: 0.257 } : { finished_at: at(n + 3) }),
    })),
    batches: [],
    experiments: [],
    tasks: [4, 1].map((n) => ({
      task_id: idOf('task', n),
      status: n === 4 ? 'queued' : 'failed',
      agent: 'research',
      task: 'vqe\u001b[31m',
      created_at: at(n),
      ...(n === 4 ? { queue_position: 3 } : {}),
    })),
    jobs: [3, 0].map((n) => ({
      job_id: idOf('tpujob', n),
      status: 'completed',
      job_type: 'training',
      tpu_type: 'v4',
      zone: 'us-central2-b',
      created_at: at(n),
    })),
  };
  const LIST_NAMES: Readonly<Record<string, string>> = {
    '/api/v1/quantum/circuits': 'circuits',
    '/api/v1/quantum/batches': 'batches',
    '/api/v1/quantum/experiments': 'experiments',
    '/api/v1/tasks': 'tasks',
    '/api/v1/tpu/jobs': 'jobs',
  };

  /** A page of one, whatever limit was asked for. */
  function sendPage({ url }: Asked, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, service.origin);
    const name = LIST_NAMES[pathname] ?? '';
    const place = Number(searchParams.get('cursor') ?? 0);
    const items = RECORDS[name]?.slice(place, place + 1) ?? [];
    const isLast = place > 0 || items.length === 0;
    sendJson(response, 200, { [name]: items, next_cursor: isLast ? null : '1' });
  }

  beforeEach(() => {
    service.answer = sendPage;
  });

  test('without a word is meant, and shows jobs of all kinds, the newest first', async () => {
    const { code, stdout, stderr } = await jobs([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(rows).toEqual([
      ['ID', 'KIND', 'TARGET', 'STATUS', 'PROGRESS', 'AGE', 'DURATION'],
      [idOf('circ', 5), 'circuit', 'gpu-fleet', 'running', '25%', '5 min', '5 min'],
      [idOf('task', 4), 'task', 'research vqe[31m', 'queued', '3 before it', '5 min'],
      [idOf('tpujob', 3), 'tpu_job', 'training v4 us-central2-b', 'completed', '5 min'],
      [idOf('circ', 2), 'circuit', 'gpu-fleet', 'completed', '5 min', '2.0 s'],
      [idOf('task', 1), 'task', 'research vqe[31m', 'failed', '5 min'],
      [idOf('tpujob', 0), 'tpu_job', 'training v4 us-central2-b', 'completed', '6 min'],
    ]);
  });

  test('reads no further than it has to', async () => {
    const { stdout } = await jobs(['list', '--limit', '2', '--json']);
    expect(JSON.parse(stdout).jobs).toMatchObject([
      { kind: 'circuit', circuit_id: idOf('circ', 5), progress: 0.257 },
      { kind: 'task', task_id: idOf('task', 4), queue_position: 3 },
    ]);
    expect(service.asked.map(({ url }) => url).toSorted()).toEqual([
      '/api/v1/quantum/batches?limit=2',
      '/api/v1/quantum/circuits?limit=2',
      '/api/v1/quantum/circuits?limit=2&cursor=1',
      '/api/v1/quantum/experiments?limit=2',
      '/api/v1/tasks?limit=2',
      '/api/v1/tpu/jobs?limit=2',
    ]);
  });

  test('of one kind asks for no other', async () => {
    const { stdout } = await jobs(['--kind', 'tpu_job', '--json']);
    expect(JSON.parse(stdout).jobs).toHaveLength(2);
    expect(new Set(service.asked.map(({ url }) => url.split('?')[0]))).toEqual(
      new Set(['/api/v1/tpu/jobs']),
    );
  });

  test('asks every page for what is sought', async () => {
    const sought = [
      '--status',
      'failed',
      '--name',
      'a & b',
      '--tag',
      'p',
      '--tag',
      'q,r',
      '--search',
      'bell',
    ];
    const times = [
      '--created-after',
      '2026-01-02',
      '--created-before',
      '2026-01-03T00:00:00+01:00',
    ];
    const { code } = await jobs(['--kind', 'task', ...sought, ...times]);
    expect(code).toBe(0);
    const query =
      'limit=20&status=failed&name=a+%26+b&tag=p&tag=q%2Cr&search=bell&created_after=2026-01-02&created_before=2026-01-03T00%3A00%3A00%2B01%3A00';
    expect(service.asked.map(({ url }) => url)).toEqual([
      `/api/v1/tasks?${query}`,
      `/api/v1/tasks?${query}&cursor=1`,
    ]);
  });

  test('shows names and tags where jobs have any', async () => {
    const [first, second] = RECORDS['tasks'] ?? [];
    const named = { ...first, name: 'Bell\u001b[31m', tags: ['p', 'q'] };
    service.answer = (_, response) =>
      sendJson(response, 200, { tasks: [named, second], next_cursor: null });
    const { stdout } = await jobs(['--kind', 'task']);
    const [head, row] = stdout.split('\n');
    expect(head).toMatch(/DURATION {2,}NAME {2,}TAGS$/);
    expect(row).toMatch(/Bell\[31m {2,}p, q$/);
  });

  test('leaves out what the key may not see and what an older service has not, and says so', async () => {
    service.answer = (asked, response) => {
      if (asked.url.startsWith('/api/v1/tasks')) sendJson(response, 403, 'The key lacks agents.');
      else if (asked.url.startsWith('/api/v1/tpu')) sendJson(response, 404, 'No route.');
      else sendPage(asked, response);
    };
    const { code, stdout, stderr } = await jobs(['--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).jobs).toHaveLength(2);
    expect(stderr.trimEnd().split('\n').toSorted()).toEqual([
      'Without TPU jobs: the service has no such listing.',
      'Without tasks: the key has no scope for them.',
    ]);
  });

  test('is refused where the key may see none', async () => {
    service.answer = (_, response) => sendJson(response, 403, 'The key lacks the scope.');
    const ended = await jobs(['--kind', 'task']);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('The key lacks the scope.');
  });

  test('waits where the rate limit is used up, and asks again', async () => {
    const waits: number[] = [];
    service.answer = (_, response) => {
      service.answer = sendPage;
      response.setHeader('retry-after', '11');
      sendJson(response, 429, 'The rate limit is used up.');
    };
    const sleep = async (ms: number) => void waits.push(ms);
    const { code, stdout, stderr } = await jobs(['--kind', 'circuit', '--json'], { sleep });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).jobs).toHaveLength(2);
    expect(stderr).toBe('The rate limit is used up. Waiting 11 s.\n');
    // Half of the random part, which is at most a tenth.
    expect(waits).toEqual([11_550]);
  });

  test('of a listing that never moves on ends', async () => {
    service.answer = (_, response) =>
      sendJson(response, 200, { circuits: RECORDS['circuits'], next_cursor: 'same' });
    const { stdout } = await jobs(['--kind', 'circuit', '--json']);
    expect(JSON.parse(stdout).jobs).toHaveLength(4);
  });

  test('of no jobs says so', async () => {
    service.answer = (_, response) => sendJson(response, 200, { tasks: [], next_cursor: null });
    expect(await jobs(['--kind', 'task'])).toMatchObject({ code: 0, stdout: 'No jobs.\n' });
  });

  test.each([
    ['no list', {}],
    ['a record without an id', { tasks: [{ status: 'queued', created_at: at(0) }] }],
    ['a record without a time', { tasks: [{ task_id: TASK, status: 'queued', created_at: 'x' }] }],
  ])('of a page with %s is an answer that cannot be read', async (_, page) => {
    service.answer = (__, response) => sendJson(response, 200, page);
    expect(await jobs(['--kind', 'task'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not answer as a quantum compute service does'),
    });
  });
});

describe('the key and the address', () => {
  test('are from the environment, or from a file and an option, which go first', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'key');
    writeFileSync(file, 'qcs_of_file\n');
    await jobs(['show', TASK]);
    await jobs(['show', TASK, '--key-file', file, '--url', `${service.origin}/api/v1/`], {
      environment: { QCS_URL: 'http://127.0.0.1:1' },
    });
    expect(service.asked.map(({ url }) => url)).toEqual(Array(2).fill(`/api/v1/tasks/${TASK}`));
    const keys = service.asked.map(({ headers }) => headers['x-api-key']);
    expect(keys).toEqual(['qcs_secret', 'qcs_of_file']);
  });

  test.each([
    ['no key', ['show', TASK], { QCS_API_KEY: '' }, 2, 'set QCS_API_KEY'],
    ['a key of two lines', ['show', TASK], { QCS_API_KEY: 'qcs_a\nb' }, 2, 'QCS_API_KEY holds no'],
    ['a key file that is not there', ['show', TASK, '--key-file', '/no'], {}, 3, 'no file /no'],
    ['an address of no service', ['--url', 'ftp://127.0.0.1'], {}, 2, 'no address of a service'],
    ['a word for an address', [], { QCS_URL: 'here' }, 2, '"here" is no address'],
    [
      'a service that is not there',
      ['--url', 'http://127.0.0.1:1'],
      {},
      4,
      'No answer from http://127.0.0.1:1',
    ],
    ['an id of no kind', ['show', 'job_1'], {}, 2, 'is no id of a job'],
    ['half an id', ['follow', 'circ_0199'], {}, 3, 'Nothing here.'],
    ['an id that leads elsewhere', ['show', `../${TASK}`], {}, 2, 'is no id of a job'],
    ['a job that is not there', ['show', TASK], {}, 3, 'Nothing here.'],
    ['one to cancel that is not there', ['cancel', TPU_JOB], {}, 3, 'Nothing here.'],
    ['one to follow that is not there', ['follow', CIRCUIT], {}, 3, 'Nothing here.'],
    ['a limit of none', ['--limit', '0'], {}, 2, 'from 1 to 10000'],
    ['an unknown kind', ['--kind', 'all'], {}, 2, 'circuit, batch, experiment, task, tpu_job'],
    ['an unknown status', ['--status', 'done'], {}, 2, 'queued, running'],
    ['a key as an option', ['--key', 'qcs_secret'], {}, 2, "unknown option '--key'"],
  ] as const)('%s is an error that says so', async (_, args, environment, code, text) => {
    const ended = await jobs(args, { environment });
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(text);
    expect(ended.stderr).not.toContain('qcs_a');
  });

  test('a password in an address is not shown', async () => {
    const { code, stderr } = await jobs(['--url', 'http://me:hidden@127.0.0.1']);
    expect(code).toBe(2);
    expect(stderr).not.toContain('hidden');
  });
});

describe('follow', () => {
  const status = (id: string, name: string, more: object = {}): ToldEvent => ({
    id,
    event: 'status',
    data: { status: name, at: at(0), attempt: 1, ...more },
  });
  const progress = (permille: number, message?: string): ToldEvent => ({
    id: `1.progress.1.${permille}`,
    event: 'progress',
    data: { progress: permille / 1000, percent: Math.floor(permille / 10), attempt: 1, message },
  });
  const end = (name: string): readonly ToldEvent[] => [
    status('1.final.2', name),
    { id: '1.done.2', event: 'done', data: { status: name, at: at(2), location: '/' } },
  ];
  const RECORD = {
    task_id: TASK,
    status: 'completed',
    agent: 'research',
    task: 'vqe',
    created_at: at(0),
    started_at: at(1),
    finished_at: at(4),
    result: { energy_ha: -1.137, note: 'a\u009bb' },
  };

  /** Streams the events of a job, each connection broken off after some bytes, and has its record. */
  function serve(events: readonly ToldEvent[], record: object, cuts: readonly number[] = []): void {
    const left = [...cuts];
    service.answer = (asked, response) => {
      if (!asked.url.endsWith('/events')) return sendJson(response, 200, record);
      const cutAfter = left.shift();
      return sendEvents(asked, response, events, cutAfter === undefined ? {} : { cutAfter });
    };
  }

  const RUN = [
    status('1.queued', 'queued', { queue_position: 2 }),
    status('1.queued', 'queued', { queue_position: 1 }),
    status('1.running.1', 'running'),
    progress(0),
    progress(95, 'first'),
    progress(250, 'second'),
    progress(257, 'second'),
    progress(1000, 'last'),
  ];

  test('says each status and each tenth, once, and prints the result', async () => {
    serve([...RUN, ...end('completed')], RECORD);
    const { code, stdout, stderr } = await jobs(['follow', TASK]);
    expect(code).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual([
      `${TASK} queued, 2 before it`,
      `${TASK} running`,
      `${TASK} 20%  second`,
      `${TASK} 100%  last`,
      `${TASK} completed in 3.0 s`,
    ]);
    expect(JSON.parse(stdout)).toEqual(RECORD.result);
    // JSON lets it stand as it is; a terminal would act on it.
    expect(stdout).toContain('a\\u009bb');
  });

  test('says the same over connections that break, and that they did', async () => {
    serve([...RUN, ...end('completed')], RECORD, [10, 300, 150, 0, 400]);
    const { code, stdout, stderr } = await jobs(['follow', TASK, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(RECORD);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.filter((line) => line.startsWith(TASK))).toEqual([
      `${TASK} queued, 2 before it`,
      `${TASK} running`,
      `${TASK} 20%  second`,
      `${TASK} 100%  last`,
      `${TASK} completed in 3.0 s`,
    ]);
    expect(lines.filter((line) => !line.startsWith(TASK))).toHaveLength(5);
    expect(lines[0]).toMatch(/^The connection was lost\. Coming back in 1\.1 s\.$/);
  });

  test('begins again, and says so, where the service restarted and runs the job again', async () => {
    const again = [
      status('2.queued', 'queued'),
      status('2.running.7', 'running', { attempt: 2 }),
      { ...progress(300), id: '2.progress.7.300' },
    ];
    serve([...RUN, ...again, ...end('completed')], RECORD);
    const { stderr } = await jobs(['follow', TASK]);
    expect(stderr.trimEnd().split('\n').slice(4, 7)).toEqual([
      `${TASK} queued`,
      `${TASK} running, attempt 2`,
      `${TASK} 30%`,
    ]);
  });

  test('draws a bar with the message on a terminal, and takes it away', async () => {
    let now = NOW;
    serve([...RUN, ...end('completed')], RECORD);
    const { stderr } = await jobs(['follow', TASK], { isTTY: true, now: () => (now += 1000) });
    expect(stderr).toMatch(/\rrunning|running █+░+ {2}25% {2}\d+ s left {2}second/);
    expect(stderr).toContain('queued ░');
    expect(stderr).toContain('1 before it');
    expect(stderr).not.toContain(`${TASK} 20%`);
    expect(stderr.split('\u001b[2K').at(-1)).toMatch(/^task_\w+ completed in /);
  });

  test.each([
    ['failed', 1, `${TASK} failed (WORKLOADS_TASK_INPUT): No such molecule.`],
    ['cancelled', 5, `${TASK} was cancelled.`],
  ])('ends with its own code where the job is %s', async (name, code, text) => {
    const error = { code: 'WORKLOADS_TASK_INPUT', message: 'No such\nmolecule.' };
    const record = { ...RECORD, status: name, ...(name === 'failed' ? { error } : {}) };
    serve([...RUN.slice(0, 1), ...end(name)], record);
    const ended = await jobs(['follow', TASK]);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr.trimEnd().split('\n').at(-1)).toBe(text);
    expect(JSON.parse((await jobs(['follow', TASK, '--json'])).stdout)).toEqual(record);
  });

  test('of a job all of which was told before prints its result', async () => {
    service.answer = ({ url }, response) =>
      url.endsWith('/events') ? response.writeHead(204).end() : sendJson(response, 200, RECORD);
    const { code, stdout } = await jobs(['follow', TASK]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(RECORD.result);
  });

  test('ends with Ctrl-C, says that the job goes on, and cancels nothing', async () => {
    let interrupt = () => {};
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1.running.1\nevent: status\ndata: {"status":"running"}\n\n');
    };
    const ended = await jobs(['follow', TASK], {
      onListening: (listener) => {
        interrupt = listener;
      },
      onError: (text) => {
        if (text.includes('running')) interrupt();
      },
    });
    expect(ended).toMatchObject({ code: 130, stdout: '' });
    expect(ended.stderr).toContain(`${TASK} goes on`);
    expect(service.asked.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('show and cancel', () => {
  const RECORD = {
    circuit_id: CIRCUIT,
    status: 'completed',
    processor: 'statevector-sim',
    created_at: at(0),
    started_at: at(1),
    finished_at: at(2),
    counts: { '00': 60, '11': 40 },
    expectation: { values: [0.5] },
    timing: { queue_ms: 1 },
  };

  test('show prints what the job is, its counts as a histogram, and what else was asked for', async () => {
    service.answer = (_, response) => sendJson(response, 200, RECORD);
    const { code, stdout } = await jobs(['show', CIRCUIT]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^target +statevector-sim$/m);
    expect(stdout).toMatch(/^duration +1\.0 s$/m);
    expect(stdout).toMatch(/^00 +60 +60\.00% +█/m);
    expect(stdout).toContain('"expectation"');
    expect(stdout).not.toContain('queue_ms');
    expect(JSON.parse((await jobs(['show', CIRCUIT, '--json'])).stdout)).toEqual(RECORD);
  });

  test('show prints why a job failed, which is no failure of the command', async () => {
    const error = { code: 'FLEET_ENGINE_LOST', message: 'It died.' };
    const record = { circuit_id: CIRCUIT, status: 'failed', created_at: at(0), error };
    service.answer = (_, response) => sendJson(response, 200, record);
    const { code, stdout } = await jobs(['show', CIRCUIT]);
    expect(code).toBe(0);
    expect(stdout).toContain('FLEET_ENGINE_LOST: It died.');
  });

  test('cancel asks for it and says how the job is', async () => {
    service.answer = (_, response) =>
      sendJson(response, 200, { ...RECORD, status: 'cancelled', counts: undefined });
    expect(await jobs(['cancel', CIRCUIT])).toMatchObject({
      code: 0,
      stdout: `${CIRCUIT} is cancelled.\n`,
    });
    expect(service.asked).toMatchObject([
      { method: 'POST', url: `/api/v1/quantum/circuits/${CIRCUIT}/cancel` },
    ]);
  });
});

test('jobs of the real service are followed to their results, listed and cancelled', async ({
  service: real,
}) => {
  const environment = { QCS_URL: real.origin, QCS_API_KEY: real.key };
  const submit = async (path: string, body: object) => {
    const answer = await fetch(`${real.origin}/api/v1${path}`, {
      method: 'POST',
      headers: {
        'x-api-key': environment.QCS_API_KEY,
        'content-type': 'application/json',
        prefer: 'respond-async',
      },
      body: JSON.stringify(body),
    });
    return /\b(?:circ|task|tpujob)_[0-9a-f]{32}\b/.exec(await answer.text())?.[0] ?? '';
  };
  const task = await submit('/agents/computation/execute', {
    task: 'evaluate',
    input: { expression: 'sqrt(3^2 + 4^2)' },
  });
  const computed = await runQcs(['jobs', 'follow', task], { environment });
  expect(computed).toMatchObject({ code: 0, stderr: expect.stringContaining('completed in') });
  expect(computed.stdout).toMatch(/\b5\b/);

  const bell = await submit('/quantum/circuits', {
    target_processor: 'statevector-sim',
    shots: 100,
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
    ],
  });
  const followed = await runQcs(['jobs', 'follow', bell], { environment });
  expect(followed.code).toBe(0);
  expect(followed.stdout).toMatch(/^00 +\d+ +\d+\.\d+% +█/m);
  expect(followed.stderr).toContain(`${bell} running\n`);
  expect(followed.stderr).toMatch(/completed in \d/);

  const again = await runQcs(['jobs', 'follow', bell, '--json'], { environment });
  expect(JSON.parse(again.stdout)).toMatchObject({ circuit_id: bell, status: 'completed' });
  const cancelled = await runQcs(['jobs', 'cancel', bell], { environment });
  expect(cancelled.stdout).toBe(`${bell} is completed.\n`);
  const listed = await runQcs(['jobs', '--json'], { environment });
  expect(listed.stderr).toBe('');
  expect(JSON.parse(listed.stdout).jobs).toMatchObject([
    { kind: 'circuit', circuit_id: bell },
    { kind: 'task', task_id: task, agent: 'computation', task: 'evaluate' },
  ]);
});
