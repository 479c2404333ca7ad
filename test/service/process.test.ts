// @needs processes
/** The real process on a real port, used as a stranger with curl would. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { QcsClient } from '../../src/client/client.ts';
import { ENDLESS_SHOTS, endlessCircuit } from '../support/lasting-circuit.ts';
import { ServiceClient } from '../support/service-client.ts';
import {
  type ServiceProcess,
  SMALL_SERVICE,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';
import { HALF_SENT } from './support/half-sent.ts';

const run = promisify(execFile);

/** How a service ends that cannot start. */
async function endOf(environment: Readonly<Record<string, string>>) {
  const end = await run(process.execPath, ['src/main.ts'], {
    env: { ...process.env, ...environment },
  }).catch((error: { readonly code: number; readonly stderr: string }) => error);
  return { code: 0, ...end };
}

describe('npm start', () => {
  const folder = temporaryFolder();
  let service: ServiceProcess;

  beforeAll(async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const failure = await endOf({ QCS_PORT: String(port), QCS_DATA_DIR: folder.path });
    holder.close();
    expect(failure).toMatchObject({
      code: 1,
      stderr: `Port ${port} is in use; choose another with QCS_PORT.\n`,
    });
    service = await startServiceProcess(folder.path);
  });
  afterAll(async () => {
    await service.stop('SIGTERM');
    folder[Symbol.dispose]();
  });

  test('prints its address, the documentation, what runs circuits, and a key, which a start on a taken port before it has not made', () => {
    expect(service.output()).toContain(`${service.origin}/api/v1`);
    expect(service.output()).toContain(`${service.origin}/docs`);
    expect(service.output()).toMatch(/CPU engine|WebGPU/);
    expect(service.key).toMatch(/^qcs_/);
  });

  test('prints a key and a curl command that submit a Bell circuit as pasted', async () => {
    const command = /^\s*(export QCS_API_KEY=(?:.|\n)*?'\{.*?\}')$/m.exec(service.output())?.[1];
    if (command === undefined) throw new Error(`no curl command in: ${service.output()}`);
    // Not what the environment of the tests has.
    const env = { PATH: process.env['PATH'] };
    const pasted = command.replace('curl ', 'curl --silent ');
    const { stdout } = await run('bash', ['-c', pasted], { env });
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ success: true, data: { status: 'completed' } });
    expect(Object.keys(answer.data.counts).sort()).toEqual(['00', '11']);
    expect(answer.data.counts['00'] + answer.data.counts['11']).toBe(answer.data.shots);
  });

  test('answers /status while a circuit runs that takes all threads for hours', async () => {
    const client = new ServiceClient(service.origin, service.key ?? '');
    const location = await startEndless(service, 18);
    // Were the circuit to hold the event loop, the answers would come at its end, or the test's.
    for (let i = 0; i < 20; i++) {
      expect((await client.request('GET', '/status')).status).toBe(200);
    }
    expect((await client.record(location)).status).toBe('running');
    const cancelled = await client.request('POST', `${location}/cancel`);
    expect(cancelled.data).toMatchObject({ status: 'cancelled' });
  });

  test('writes no key into its log', () => {
    expect(service.log()).toContain('/api/v1/status');
    expect(service.log()).not.toContain(service.key?.split('_')[2]);
  });

  test('prints at a second start how many keys there are; takes circuits, and ends on SIGTERM, while all else is still tested', async () => {
    const key = service.key ?? '';
    await service.stop('SIGTERM');
    service = await startServiceProcess(folder.path, {}, { says: 'Listening' });
    expect(service.key).toBeUndefined();
    expect(service.output()).toContain('There is 1 API key; a key is shown only when it is made.');
    expect(service.output()).toContain('npx qcs keys create --name NAME');
    const client = new ServiceClient(service.origin, key);
    const { data } = await client.request('POST', '/quantum/circuits', {
      body: {
        circuit: [{ gate: 'H', qubit: 0 }],
        target_processor: 'statevector-sim',
        shots: 10,
      },
    });
    expect(data).toMatchObject({ status: 'completed' });
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(service.output()).toContain('Stopped. Jobs: 0 finished');
  });
});

test('an environment that cannot be used ends the process with code 2 and lists every fault', async () => {
  const failure = await endOf({ QCS_PORT: 'x', QCS_ENGINE: 'abacus' });
  expect(failure.code).toBe(2);
  expect(failure.stderr).toContain('QCS_PORT');
  expect(failure.stderr).toContain('QCS_ENGINE');
});

test('starts with every limit of circuits at its least, and names the limit that a circuit exceeds', async () => {
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, {
    ...SMALL_SERVICE,
    QCS_MEMORY_MIB: '16',
    QCS_ENGINE_HEAP_MIB: '128',
    QCS_MAX_GATES: '1',
    QCS_MAX_SHOTS: '1',
    QCS_MAX_LOOP_ROUNDS: '1',
    QCS_MAX_RUN_MINUTES: '1',
    QCS_QUEUE_LIMIT: '1',
    QCS_IN_FLIGHT_STANDARD: '1',
    QCS_TASK_MEMORY_MIB: '64',
    QCS_BODY_LIMIT_MIB: '1',
    QCS_READ_CPU_MS: '10',
    QCS_READ_MIB: '1',
    QCS_STORAGE_MIB: '16',
    QCS_STORAGE_MIB_STANDARD: '1',
  });
  const client = new ServiceClient(service.origin, service.key ?? '');
  const submit = (circuit: readonly object[], shots = 1) =>
    client.request('POST', '/quantum/circuits', {
      body: { circuit, target_processor: 'statevector-sim', shots },
    });
  expect((await submit([{ gate: 'X', qubit: 0 }])).data).toMatchObject({ counts: { 1: 1 } });
  const refused = await Promise.all([
    submit([
      { gate: 'X', qubit: 0 },
      { gate: 'X', qubit: 0 },
    ]),
    submit([{ gate: 'X', qubit: 0 }], 2),
    submit([{ gate: 'X', qubit: 19 }]),
  ]);
  expect(refused.map(({ status, text }) => [status, JSON.parse(text).error.message])).toEqual([
    [400, 'circuit: The circuit has 2 gates; the limit max_gates is 1.'],
    [400, 'shots: 2 shots; the limit max_shots of statevector-sim is 1.'],
    [400, expect.stringContaining('this service holds 19 qubits (8 MiB). QCS_MEMORY_MIB')],
  ]);
  expect(await service.stop('SIGTERM')).toBe(0);
});

test('a reader of what it prints, and of its log, that goes away does not end the service', async () => {
  using folder = temporaryFolder();
  const service = await startServiceProcess(
    folder.path,
    { ...SMALL_SERVICE, QCS_RATE_LIMIT_STANDARD: '1000000' },
    { says: 'Listening', entry: ['src/cli.ts', 'serve'] },
  );
  const headers = { 'x-api-key': service.key ?? '' };
  service.process.stdout?.destroy();
  service.process.stderr?.destroy();
  // Each request is logged, and it measures its agents after it has printed that it is ready. A service that has
  // ended is asked once.
  for (let rate = 0; rate === 0; ) {
    const answer = await fetch(`${service.origin}/api/v1/agents`, { headers });
    const { data } = (await answer.json()) as { data: { agents: { tasks_per_sec: number }[] } };
    rate = data.agents[0]?.tasks_per_sec ?? 0;
  }
  expect(await service.stop('SIGTERM')).toBe(0);
});

/** Starts a circuit that takes hours; gives where it is once it runs. */
async function startEndless(service: ServiceProcess, numQubits: number): Promise<string> {
  const { circuits } = new QcsClient({ baseUrl: service.origin, key: service.key ?? '' });
  const { circuit_id: id } = await circuits.submit({
    circuit: [...endlessCircuit(numQubits)],
    target_processor: 'statevector-sim',
    shots: ENDLESS_SHOTS,
  });
  for await (const { event, data } of circuits.events(id)) {
    if (event === 'status' && data.status === 'running') break;
  }
  return `/quantum/circuits/${id}`;
}

/** So many inferences are in hand at once for the key of these services; more are answered 429. */
const IN_FLIGHT = 8;
const ONE_THREAD = {
  ...SMALL_SERVICE,
  QCS_IN_FLIGHT_STANDARD: String(IN_FLIGHT),
  QCS_LOG_LEVEL: 'warn',
};

/** Has the service take IN_FLIGHT inferences while the only thread is not free; gives their answers to be. */
async function fillWithInferences(service: ServiceProcess, rows: number) {
  const theta = Array.from({ length: 3 * 12 * 8 }, (_, i) => Math.sin(i));
  const body = JSON.stringify({
    inputs: Array(rows).fill([0.5, -0.5, 1, -1]),
    parameters: { theta, qubits: 12, shots: 8192 },
  });
  const headers = { 'content-type': 'application/json', 'x-api-key': service.key ?? '' };
  const send = async () => {
    const url = `${service.origin}/api/v1/models/qnn-hybrid/inference`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  };
  // One more than there may be: once one is refused, all others are in hand.
  const answers = Array.from({ length: IN_FLIGHT + 1 }, send);
  expect((await Promise.race(answers)).status).toBe(429);
  return answers;
}

test('SIGTERM answers inferences 503 that are not through with the grace, and ends, whatever half-sent requests there are', async () => {
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, {
    ...ONE_THREAD,
    QCS_SHUTDOWN_GRACE_S: '1',
  });
  const port = Number(new URL(service.origin).port);
  for (const [, bytes] of HALF_SENT) {
    // It never hangs up by itself.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    await once(socket, 'connect');
    socket.write(bytes.replace('KEY', service.key ?? ''));
  }
  // They arrive before what comes after them on other connections.
  await startEndless(service, 16);
  const answers = await fillWithInferences(service, 1);
  expect(await service.stop('SIGTERM')).toBe(0);
  const settled = await Promise.all(answers);
  expect(settled.map(({ status }) => status).sort()).toEqual([429, ...Array(IN_FLIGHT).fill(503)]);
  for (const { text } of settled.filter(({ status }) => status === 503)) {
    expect(JSON.parse(text).error.message).toContain('The service is stopping.');
  }
  expect(service.log()).not.toContain('"level":50');
});

test('SIGTERM gives inferences the grace, and ends once they are through', async () => {
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, {
    ...ONE_THREAD,
    QCS_SHUTDOWN_GRACE_S: '3600',
  });
  const client = new ServiceClient(service.origin, service.key ?? '');
  const location = await startEndless(service, 16);
  const answers = await fillWithInferences(service, 64);
  await client.request('POST', `${location}/cancel`);
  expect(await service.stop('SIGTERM')).toBe(0);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([...Array(IN_FLIGHT).fill(200), 429]);
});
