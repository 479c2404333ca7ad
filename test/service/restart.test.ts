// @needs processes
/**
 * One service that is killed with kill -9 and started again: what each of its parts had stored is as it was. What
 * becomes of jobs that run while a service crashes is in crash.test.ts.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { QcsClient } from '../../src/client/client.ts';
import { runQcs } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { recordOf, ServiceClient } from '../support/service-client.ts';
import {
  type ServiceProcess,
  SMALL_SERVICE,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';

const SETTINGS = {
  ...SMALL_SERVICE,
  QCS_STORAGE_MIB_STANDARD: '1',
  QCS_RATE_LIMIT_STANDARD: '1000000',
  QCS_RATE_LIMIT_ENTERPRISE: '1000000',
};

const folder = temporaryFolder();
let running: ServiceProcess;
/** On the port of the first start, before and after the kill. */
let enterprise: ServiceClient;
let standard: ServiceClient;
/** Asserts what was before the kill. */
const claims: (() => Promise<void>)[] = [];

beforeAll(async () => {
  running = await startServiceProcess(folder.path, SETTINGS);
  const { origin } = running;
  standard = new ServiceClient(origin, running.key ?? '');
  const args = ['keys', 'create', '--name', 'enterprise', '--tier', 'enterprise'];
  const { stdout } = await runQcs(args, { environment: { QCS_DATA_DIR: folder.path } });
  enterprise = new ServiceClient(origin, stdout.trim());
  for (const [, before] of PARTS) claims.push(await before());
  await running.stop('SIGKILL');
  running = await startServiceProcess(folder.path, { ...SETTINGS, QCS_PORT: new URL(origin).port });
});
afterAll(async () => {
  await running.stop('SIGTERM');
  folder[Symbol.dispose]();
});

/** Stores as much as the Standard key may. */
async function storageLimit() {
  // Comments of random digits: half of a byte each, as far as any compression goes.
  const submit = async () => {
    const digits = randomBytes(400_000).toString('hex');
    const body = {
      qasm: `OPENQASM 3;include "stdgates.inc";qubit[1] q;h q[0];\n// ${digits}\n`,
      target_processor: 'statevector-sim',
      shots: 10,
    };
    return (await standard.request('POST', '/quantum/circuits', { body })).status;
  };
  const stored = async () => Number(Object(await standard.get('/keys/info')).storage_bytes);
  expect([await submit(), await submit()]).toEqual([201, 201]);
  // Below the limit the job was taken, and its whole result stored.
  expect(await stored()).toBeGreaterThan(2 ** 20 * 0.7);
  while ((await stored()) < 2 ** 20) expect(await submit()).toBe(201);
  expect(await submit()).toBe(429);
  const before = await stored();
  return async () => {
    expect(await stored()).toBe(before);
    expect(await submit()).toBe(429);
  };
}

/** Runs jobs of IonQ's interface, and leaves one that has not ended. */
async function ionq() {
  const bell = [
    { gate: 'h', target: 0 },
    { gate: 'cnot', control: 0, target: 1 },
  ];
  const input = { gateset: 'qis', qubits: 2 };
  const send = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await fetch(`${enterprise.origin}/v0.4${path}`, {
      method,
      headers: { authorization: `apiKey ${enterprise.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return JSON.parse(await answer.text());
  };
  const completed = (id: string) =>
    eventually(async () => (await send('GET', `/jobs/${id}`)).status === 'completed');
  const session = await send('POST', '/sessions', { backend: 'simulator' });
  const single = { type: 'ionq.circuit.v1', backend: 'simulator' };
  const { id } = await send('POST', '/jobs', {
    ...single,
    shots: 50,
    metadata: { a: 'b' },
    session_id: session.id,
    input: { ...input, circuit: bell },
  });
  await completed(id);
  const circuits = [{ circuit: bell }, { circuit: [{ gate: 'x', target: 1 }] }];
  const { id: several } = await send('POST', '/jobs', {
    type: 'ionq.multi-circuit.v1',
    backend: 'simulator',
    shots: 20,
    input: { ...input, circuits },
  });
  await completed(several);
  const read = async () => {
    const paths = [
      `/jobs/${id}`,
      `/jobs/${id}/results/shots`,
      `/jobs/${id}/results/histogram`,
      `/jobs/${several}`,
      `/jobs/${several}/results/probabilities/aggregated`,
      `/jobs/${several}-1/results/probabilities`,
    ];
    const answers = [];
    for (const path of paths) answers.push(await send('GET', path));
    return answers;
  };
  const before = await read();
  expect(before.filter(({ statusCode }) => statusCode !== undefined)).toEqual([]);
  // Wide enough that it has not ended when the service is killed.
  const wide = Array.from({ length: 40 }, () => ({ gate: 'h', targets: [...Array(22).keys()] }));
  const interrupted = await send('POST', '/jobs', {
    ...single,
    input: { ...input, qubits: 22, circuit: wide },
  });
  return async () => {
    expect(await read()).toEqual(before);
    expect(await send('GET', `/sessions/${session.id}`)).toMatchObject({ status: 'started' });
    await completed(interrupted.id);
    // An even number of Hadamard gates is none.
    expect(await send('GET', `/jobs/${interrupted.id}/results/probabilities`)).toEqual({ 0: 1 });
  };
}

/** Runs a program whose results its pragmas request, and leaves another running while a client waits for it. */
async function programResults() {
  const pragmas = [
    'result expectation z(q[0]) @ z(q[1])',
    'result expectation y(q[2])',
    'result sample z(q[0])',
  ];
  // Keeps an engine busy for seconds, beside the qubits that the results are of.
  const wide = `qubit[18] w;
for int k in [1:60] {
  for int i in [0:17] { rx(0.37 * k + 0.11 * i) w[i]; }
  for int i in [0:16] { cnot w[i], w[i + 1]; }
}
`;
  const send = async (register: string) => {
    const body = {
      qasm: `OPENQASM 3.0;
input float theta;
qubit[3] q;
h q[0];
cnot q[0], q[1];
rx(theta) q[2];
${register}${pragmas.map((text) => `#pragma braket ${text}\n`).join('')}`,
      inputs: { theta: 0.7 },
      shots: 50,
      seed: 5,
      target_processor: 'statevector-sim',
    };
    const headers = { prefer: 'respond-async' };
    const answer = await enterprise.request('POST', '/quantum/circuits', { body, headers });
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.anything()]);
    return answer.headers.get('location') ?? '';
  };
  const whole = await send('');
  const before = await enterprise.finalRecord(whole);
  expect(before['results']).toHaveLength(pragmas.length);

  const broken = await send(wide);
  const seen: string[] = [];
  let numReconnects = 0;
  const client = new QcsClient({ baseUrl: enterprise.origin, key: enterprise.key });
  const waiting = client.circuits.wait(broken.slice(broken.lastIndexOf('/') + 1), {
    onProgress: ({ status }) => seen.push(status),
    onReconnect: () => numReconnects++,
  });
  await eventually(() => seen.includes('running'));
  return async () => {
    expect((await enterprise.record(whole))['results']).toEqual(before['results']);
    // A client's wait goes on through the kill, and ends with the result.
    const after = await waiting;
    expect(after).toMatchObject({ status: 'completed' });
    expect(after.results).toHaveLength(pragmas.length);
    expect(after.results?.at(-1)).toMatchObject({ type: 'sample' });
    expect(after.results?.at(-1)).toHaveProperty('value.length', 50);
    expect(numReconnects).toBeGreaterThan(0);
    expect(seen.at(-1)).toBe('completed');

    const dropped = await send(wide);
    await enterprise.request('POST', `${dropped}/cancel`);
    const again = recordOf(await enterprise.request('POST', `${dropped}/retry`));
    const retried = await enterprise.finalRecord(`/quantum/circuits/${again['circuit_id']}`);
    expect(retried['results']).toEqual(after.results);
  };
}

const PARTS: readonly (readonly [string, () => Promise<() => Promise<void>>])[] = [
  ['the limit on what a key may store', storageLimit],
  ['jobs and sessions of IonQ’s interface', ionq],
  ['results of programs, also of a run that was broken off while a client waited', programResults],
];

test.each(PARTS.map(([name], i) => [name, i] as const))(
  'a kill -9 and another start change nothing of %s',
  async (_, i) => {
    await claims[i]?.();
  },
);
