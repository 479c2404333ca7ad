/** The service answers requests of its own before it calls itself ready, and leaves no trace of them. */
import { expect, test } from 'vitest';
import { warmUp } from '../../src/service/warm-up.ts';
import { FakeProcessor } from './support/fake-processor.ts';
import { BELL, openTestService, type TestService } from './support/test-service.ts';

const NUM_GATES = 120;
const NUM_PROGRAMS = 60;
const NUM_REFUSED = 1;

/** A service with its warm-up over, on a processor with these limits. */
async function warmedService(limits: ConstructorParameters<typeof FakeProcessor>[0] = {}) {
  const processor = new FakeProcessor(limits);
  const service = await openTestService({ processors: [processor] });
  const { own: _, nodeFault: __, isWarm: ___, ...deps } = service.deps;
  const warm = (isOver = () => false) =>
    warmUp(deps, { processors: [processor], get: () => processor }, isOver);
  return { service, processor, warm };
}

/** Metrics of circuits, jobs and engines that are not zero. */
async function counted({ app, createKey }: TestService): Promise<readonly string[]> {
  const key = await createKey('enterprise', ['admin']);
  const { statusCode, body } = await app.inject({ url: '/metrics', headers: { 'x-api-key': key } });
  expect(statusCode).toBe(200);
  return body
    .split('\n')
    .filter((line) => /^qcs_\w*(circuit|engine|job)/.test(line) && / [1-9]/.test(line));
}

test('runs gate objects and programs, has wide programs refused, and leaves no trace of them', async () => {
  const { service, processor, warm } = await warmedService();
  await using _service = service;
  const before = await counted(service);
  expect(await warm()).toBe(NUM_GATES + NUM_PROGRAMS + NUM_REFUSED);
  const widths = processor.tasks.map(({ circuit }) => circuit.numQubits);
  expect(widths.length).toBe(NUM_GATES + NUM_PROGRAMS);
  expect(widths.filter((width) => width === 12).length).toBe(NUM_PROGRAMS);
  expect((await service.get('/quantum/circuits')).json().data.circuits).toEqual([]);
  expect((await service.deps.keys.list()).map(({ name }) => name)).not.toContain('warm-up');
  expect(await counted(service)).toEqual(before);
  expect((await service.submit(BELL)).statusCode).toBe(201);
  expect((await counted(service)).length).toBeGreaterThan(before.length);
});

test.each([{ maxGates: 1 }, { maxQubits: 1 }])(
  'ends without an error where the limits refuse its circuits: %j',
  async (limits) => {
    const { service, warm } = await warmedService(limits);
    await using _service = service;
    expect(await warm()).toBe(0);
  },
);

test('ends without an error where no engine runs', async () => {
  const { service, processor, warm } = await warmedService();
  await using _service = service;
  processor.reason = 'This node runs no jobs.';
  expect(await warm()).toBe(0);
});

test('ends when the service closes', async () => {
  const { service, warm } = await warmedService();
  await using _service = service;
  let asked = 0;
  expect(await warm(() => asked++ === 5)).toBe(5);
});
