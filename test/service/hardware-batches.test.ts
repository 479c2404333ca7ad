/** Batches on a backend of IBM, as the mock of its interface has it. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HardwareProcessor } from '../../src/hardware/hardware-processor.ts';
import { IbmProvider } from '../../src/hardware/ibm-provider.ts';
import { eventually } from '../support/eventually.ts';
import { API_KEY, BACKEND, INSTANCE, MockIbm } from '../support/mock-ibm.ts';
import { ServiceClient } from '../support/service-client.ts';
import {
  GHZ,
  postBatch,
  programsOf,
  SWEEP,
  submitBatch,
  vendorJobIdsOf,
} from './support/hardware-batches.ts';
import { openTestService, type TestService } from './support/test-service.ts';

let mock: MockIbm;
let processor: HardwareProcessor;
let service: TestService;
let client: ServiceClient;

beforeEach(async () => {
  mock = await MockIbm.open();
  const now = Date.now;
  const timeoutMs = 60_000;
  processor = new HardwareProcessor({
    provider: new IbmProvider({
      baseUrl: `${mock.origin}/api/v1`,
      iamUrl: mock.origin,
      apiKey: API_KEY,
      instance: INSTANCE,
      backend: BACKEND,
      timeoutMs,
      now,
    }),
    maxJobs: 2,
    queueLimit: 10,
    maxGates: 1_000_000,
    maxShots: 1_000_000,
    refreshMs: 60_000,
    timeoutMs,
    times: { firstPollMs: 1, longestPollMs: 2, firstRetryMs: 1, longestRetryMs: 2 },
    now,
  });
  await processor.check();
  service = await openTestService({ processors: [processor] });
  const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
  client = new ServiceClient(origin, service.key);
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await processor.close();
  await mock[Symbol.asyncDispose]();
});

test('is a PUB for each point, at most 100 in a job, with progress by points', async () => {
  mock.isHolding = true;
  const a = Array.from({ length: 150 }, (_, k) => (k % 2 === 0 ? 0 : Math.PI));
  const location = await submitBatch(client, [{ circuit: GHZ, inputs: { a }, shots: 20 }]);
  await eventually(() => mock.jobs.length === 2);
  expect(mock.jobs.map(({ circuits }) => circuits.length).sort()).toEqual([100, 50]);
  const large = mock.jobs.find(({ circuits }) => circuits.length === 100);
  if (large !== undefined) mock.finish(large);
  await eventually(async () => {
    expect((await client.record(location))['progress']).toBeCloseTo(100 / 150);
  });
  for (const job of mock.jobs) if (job.status === 'Queued') mock.finish(job);
  const record = await client.finalRecord(location);
  expect(record.status).toBe('completed');
  const [program] = programsOf(record);
  expect(program?.counts).toEqual(a.map((angle) => (angle === 0 ? { '000': 20 } : { '111': 20 })));
  expect([...vendorJobIdsOf(record)].sort()).toEqual(['job0', 'job1']);
});

test('is cancelled there with its jobs', async () => {
  mock.isHolding = true;
  const location = await submitBatch(client, [SWEEP, { ...SWEEP, shots: 30 }]);
  await eventually(() => mock.jobs.length === 2);
  await client.request('POST', `${location}/cancel`);
  await eventually(() => mock.jobs.every(({ status }) => status === 'Cancelled'));
});

test('fails with the vendor’s reason, and its other jobs are cancelled', async () => {
  mock.isHolding = true;
  const location = await submitBatch(client, [SWEEP, { ...SWEEP, shots: 30 }]);
  await eventually(() => mock.jobs.length === 2);
  const [job, other] = mock.jobs;
  Object.assign(job!, { status: 'Failed', reason: 'The fridge is warm.' });
  const record = await client.finalRecord(location);
  expect(record['error']).toMatchObject({
    message: expect.stringContaining('failed at IBM Quantum: The fridge is warm.'),
  });
  await eventually(() => other?.status === 'Cancelled');
});

test('is refused, with the path and the figure, where it asks for too much or for what is exact', async () => {
  const faultsOf = async (programs: Parameters<typeof postBatch>[1]) => {
    const answer = await postBatch(client, programs);
    expect(answer.status).toBe(400);
    return JSON.parse(answer.text).error.details.map(
      ({ path, message }: Readonly<Record<string, string>>) => [path, message],
    );
  };
  const many = { circuit: GHZ, inputs: { a: Array(501).fill(1) }, shots: 10_000 };
  expect(await faultsOf([many])).toEqual([
    [
      'programs',
      expect.stringContaining('5010000 shots of all circuits on hardware; the limit is 5000000'),
    ],
  ]);
  const observables = [{ pauli: 'Z0' }, { pauli: 'X0' }];
  const points = { circuit: GHZ, inputs: { a: Array(5001).fill(1) }, observables, shots: 2 };
  expect(await faultsOf([points])).toEqual([
    ['programs', expect.stringContaining('10002 circuits for hardware')],
  ]);
  expect(await faultsOf([{ ...SWEEP, return: ['counts', 'probabilities'] }])).toEqual([
    ['programs[0].return', expect.stringContaining('can be computed only by a simulator')],
  ]);
  expect(mock.jobs).toEqual([]);
});
