// @needs service
/** The client at the real service. */
import { describe, expect } from 'vitest';
import {
  type ApiError,
  BadRequestError,
  ForbiddenError,
  JobCancelledError,
  NotFoundError,
  QcsClient,
  UnauthorizedError,
} from '../../../src/client/client.ts';
import { ENDLESS_SHOTS, endlessCircuit } from '../../support/lasting-circuit.ts';
import { type SharedService, test } from '../../support/shared-service.ts';

let service: SharedService;
let client: QcsClient;

test.beforeAll(({ service: shared }) => {
  service = shared;
  client = new QcsClient({ baseUrl: service.origin, key: service.key });
});

const BELL = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
];
const target_processor = 'statevector-sim';

test('a circuit is run, found again, and deleted', async () => {
  const submission = { circuit: BELL, target_processor, shots: 500, seed: 7, tags: ['client'] };
  const { circuit_id, counts = {} } = await client.circuits.run(submission);
  expect(Object.keys(counts).toSorted()).toEqual(['00', '11']);
  expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(500);
  const again = await client.circuits.run({ ...submission, tags: ['client'] });
  expect(again.counts).toEqual(counts);

  const listed: string[] = [];
  for await (const each of client.circuits.list({ tag: 'client', pageSize: 1 })) {
    listed.push(each.circuit_id);
  }
  expect(listed).toEqual([again.circuit_id, circuit_id]);
  expect(await client.circuits.get(circuit_id)).toMatchObject({ counts, request: submission });

  await client.circuits.delete(circuit_id);
  await expect(client.circuits.get(circuit_id)).rejects.toBeInstanceOf(NotFoundError);
});

test('a kept state is downloaded as numbers; the state of a circuit that kept none is refused', async () => {
  const circuit = [{ gate: 'RX', qubit: 1, theta: Math.PI / 2 }];
  const submission = { circuit, target_processor, shots: 1, return: ['statevector'] as const };
  const kept = await client.circuits.run({ ...submission, statevector_format: 'binary' });
  const state = await client.statevector(kept.circuit_id);
  const half = Math.SQRT1_2;
  for (const [i, part] of [half, 0, 0, 0, 0, -half, 0, 0].entries()) {
    expect(state[i]).toBeCloseTo(part, 12);
  }
  expect(state).toHaveLength(8);
  const { circuit_id } = await client.circuits.run(submission);
  await expect(client.statevector(circuit_id)).rejects.toBeInstanceOf(NotFoundError);
});

test('a submission that is repeated with its key runs once', async () => {
  const submission = { circuit: BELL, target_processor, shots: 10 };
  const options = { idempotencyKey: 'client-test-1' };
  const first = await client.circuits.run(submission, options);
  const second = await client.circuits.run(submission, options);
  expect(second.circuit_id).toBe(first.circuit_id);
});

test('a batch takes inputs as Float64Array, and gives values and gradients as such', async () => {
  const theta = Float64Array.from({ length: 5 }, (_, i) => 0.3 * i);
  const { programs } = await client.batches.run({
    target_processor,
    return: ['expectation', 'gradient'],
    programs: [
      {
        circuit: [{ gate: 'RY', qubit: 0, theta: { input: 'theta' } }],
        inputs: { theta },
        observables: [{ pauli: 'Z0' }, { pauli: 'X0' }],
      },
    ],
  });
  const [program] = programs;
  expect(program?.expectation?.shape).toEqual([5, 2]);
  expect(program?.gradient?.shape).toEqual([5, 2, 1]);
  theta.forEach((angle, point) => {
    const [z, x] = [2 * point, 2 * point + 1];
    expect(program?.expectation?.data[z]).toBeCloseTo(Math.cos(angle), 12);
    expect(program?.expectation?.data[x]).toBeCloseTo(Math.sin(angle), 12);
    expect(program?.gradient?.data[z]).toBeCloseTo(-Math.sin(angle), 12);
    expect(program?.gradient?.data[x]).toBeCloseTo(Math.cos(angle), 12);
  });
});

test('the same batch read as JSON lists has the same numbers', async () => {
  const batch = {
    ...{ target_processor, array_format: 'json' as const },
    programs: [{ circuit: BELL, return: ['probabilities' as const] }],
  };
  const { programs } = await client.batches.run(batch);
  expect(programs[0]?.probabilities?.shape).toEqual([1, 4]);
  expect(programs[0]?.probabilities?.data[3]).toBeCloseTo(0.5, 12);
});

test('tasks, plans and TPU jobs are run to their end', async () => {
  const statuses: string[] = [];
  const task = await client.tasks.run(
    { agent: 'computation', task: 'evaluate', input: { expression: 'sqrt(3^2 + 4^2)' } },
    { onProgress: ({ status }) => statuses.push(status) },
  );
  expect(task.result).toMatchObject({ result: 5 });
  expect(statuses.at(-1)).toBe('completed');

  const plan = await client.plans.run({
    tasks: [{ agent: 'computation', task: 'evaluate', input: { expression: '1 + 1' } }],
  });
  expect(client.jobsOf(plan.task_id).place).toBe(client.tasks.place);
  expect(plan.status).toBe('completed');

  const { capabilities } = await client.request('GET /tpu/fleet');
  const [example] = capabilities.map((capability) => capability.example);
  const job = await client.tpuJobs.run(example as Parameters<QcsClient['tpuJobs']['run']>[0]);
  expect(job).toMatchObject({ status: 'completed', result: expect.anything() });
});

test('events of a job that has ended are told from the beginning, or from the id given', async () => {
  const { circuit_id: id } = await client.circuits.submit({
    circuit: BELL,
    target_processor,
    shots: 1,
  });
  await client.circuits.wait(id);
  const all: string[] = [];
  for await (const { event, id: eventId } of client.circuits.events(id)) {
    all.push(`${event} ${eventId}`);
  }
  expect(all.map((each) => each.split(' ')[0])).toEqual(['status', 'status', 'status', 'done']);
  const [, second = ''] = all;
  const rest: string[] = [];
  const lastEventId = second.split(' ')[1] ?? '';
  for await (const { event, id: eventId } of client.circuits.events(id, { lastEventId })) {
    rest.push(`${event} ${eventId}`);
  }
  expect(rest).toEqual(all.slice(2));
});

test('a waiting that is aborted cancels the job, and a cancelled job is retried', async () => {
  const interrupt = new AbortController();
  const tag = 'cancelled by its signal';
  const run = client.circuits.run(
    { circuit: endlessCircuit(16), target_processor, shots: ENDLESS_SHOTS, tags: [tag] },
    {
      signal: interrupt.signal,
      cancelOnAbort: true,
      onProgress: ({ status }) => {
        if (status === 'running') interrupt.abort(new Error('enough'));
      },
    },
  );
  await expect(run).rejects.toThrow('enough');
  const { value: listed } = await client.circuits.list({ tag }).next();
  const id = listed?.circuit_id ?? '';
  await expect(client.circuits.wait(id)).rejects.toBeInstanceOf(JobCancelledError);
  const retried = await client.circuits.retry(id);
  expect(retried).toMatchObject({ retry_of: id, tags: [tag] });
  expect(await client.circuits.cancel(retried.circuit_id)).toMatchObject({
    circuit_id: retried.circuit_id,
  });
});

describe('a refusal', () => {
  test('of a faulty circuit lists every fault with its path', async () => {
    const circuit = [{ gate: 'H' }, { gate: 'NOPE', qubit: 0 }];
    const error = await client.circuits.run({ circuit, target_processor, shots: 1 }).then(
      () => undefined,
      (reason: ApiError) => reason,
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error?.details.map(({ path }) => path)).toEqual([
      expect.stringMatching(/^circuit\[0\]/),
      expect.stringMatching(/^circuit\[1\]/),
    ]);
    expect(error?.requestId).toMatch(/^[\w.-]+$/);
  });

  test('of an unknown key, and of a key without the scope', async () => {
    const stranger = new QcsClient({ baseUrl: service.origin, key: 'qcs_nobody' });
    await expect(stranger.request('GET /status')).rejects.toBeInstanceOf(UnauthorizedError);
    await expect(client.request('GET /admin/keys')).rejects.toBeInstanceOf(ForbiddenError);
  });
});

test('the public demo needs no key', async () => {
  const anyone = new QcsClient({ baseUrl: service.origin });
  const answer = await anyone.request('POST /demo/qnn-hybrid', {
    body: { input: [5.1, 3.5, 1.4, 0.2] },
  });
  expect(answer).toMatchObject({ counts: expect.any(Object) });
});
