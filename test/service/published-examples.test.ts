// @needs service
/** Everything that agents, the TPU fleet and the planner publish, asked for over HTTP of a real service. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { type JobRecord, type PublishedWork, ServiceClient } from '../support/service-client.ts';
import { test } from '../support/shared-service.ts';

let client: ServiceClient;
let published: readonly PublishedWork[];

test.beforeAll(async ({ service: { origin, key } }) => {
  client = new ServiceClient(origin, key);
  published = await client.publishedWork();
});

const procedures = () => published.filter(({ inputSchema }) => inputSchema !== undefined);

/** A validator of JSON Schema 2020-12. */
function validatorOf(schema: object): (input: unknown) => readonly object[] {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  return (input) => (validate(input) ? [] : [...(validate.errors ?? [])]);
}

test('all five agents and all four types of TPU jobs publish what they do', () => {
  const owners = new Set(procedures().map(({ name }) => name.split('.')[0]));
  expect([...owners].sort()).toEqual(
    ['computation', 'design', 'research', 'robotics', 'security', 'tpu'].sort(),
  );
  const tpu = procedures().filter(({ name }) => name.startsWith('tpu.'));
  expect(tpu.map(({ name }) => name)).toEqual([
    'tpu.training',
    'tpu.inference',
    'tpu.simulation',
    'tpu.optimization',
  ]);
});

describe('each published input schema', () => {
  test('is a JSON Schema that describes every field and takes the example', () => {
    for (const { name, inputSchema = {}, example } of procedures()) {
      const faultsOf = validatorOf(inputSchema);
      expect([name, faultsOf(example['input'])]).toEqual([name, []]);
      const properties = z.record(z.string(), z.looseObject({ description: z.string() }));
      const described = properties.safeParse(inputSchema['properties'] ?? {});
      expect([name, described.error?.issues]).toEqual([name, undefined]);
    }
  });

  test('refuses a field that there is not, as the service does', async () => {
    for (const { name, path, inputSchema = {}, example } of procedures()) {
      const input = { ...Object(example['input']), no_such_field: 1 };
      expect([name, validatorOf(inputSchema)(input).length]).toEqual([name, 1]);
      const { status } = await client.request('POST', path, { body: { ...example, input } });
      expect([name, status]).toEqual([name, 400]);
    }
  });
});

/** Submits an example; gives its record once it is final. */
async function run({ path, example }: PublishedWork): Promise<JobRecord> {
  const { status, headers, text } = await client.request('POST', path, { body: example });
  expect([status, text.slice(0, 500)]).toEqual([201, expect.anything()]);
  return await client.finalRecord(headers.get('location') ?? '');
}

test('each published example runs and says what ran it and for how long', async () => {
  const records = await Promise.all(
    procedures().map(async (work) => [work.name, await run(work)] as const),
  );
  for (const [name, record] of records) {
    expect([name, record]).toEqual([
      name,
      expect.objectContaining({
        status: 'completed',
        result: expect.any(Object),
        seed: expect.any(Number),
        executed_on: {
          process: { runtime: `Node.js ${process.versions.node}`, hardware: expect.any(String) },
          processors: expect.any(Array),
        },
        timing: { queue_ms: expect.any(Number), execution_ms: expect.any(Number) },
      }),
    ]);
    expect([name, Object.keys(Object(record['result'])).length > 0]).toEqual([name, true]);
    expect(Object(record['timing']).execution_ms).toBeGreaterThan(0);
  }
  const circuits = records.flatMap(([, record]) => Object(record['executed_on']).processors);
  expect(circuits.length).toBeGreaterThan(procedures().length / 2);
  for (const each of circuits) {
    expect(each).toMatchObject({ processor: 'statevector-sim', backend: { precision: 'f64' } });
    expect(each.circuits).toBeGreaterThan(0);
  }
});

test('each published example of a TPU job has a measured and a modelled duration', async () => {
  for (const work of procedures().filter(({ name }) => name.startsWith('tpu.'))) {
    const { measured, modelled } = await run(work);
    expect(measured).toEqual({ basis: 'measured', duration_ms: expect.any(Number) });
    expect(modelled).toMatchObject({ basis: 'modelled', duration_ms: expect.any(Number) });
    expect(Object(measured).duration_ms).not.toBe(Object(modelled).duration_ms);
  }
});

test("the planner's example runs, each of its tasks as a job of its own", async () => {
  const plan = published.find(({ name }) => name === 'asi.plan');
  if (plan === undefined) throw new Error('the planner publishes no example');
  const record = await run(plan);
  expect(record).toMatchObject({ status: 'completed', result: { output: expect.any(Object) } });
  const tasks = z
    .array(z.looseObject({ name: z.string(), task_id: z.string(), status: z.string() }))
    .parse(record['tasks']);
  expect(tasks).toHaveLength(Object(plan.example['tasks']).length);
  for (const { name, task_id } of tasks) {
    const task = await client.record(`/tasks/${task_id}`);
    expect([name, task]).toEqual([
      name,
      expect.objectContaining({
        status: 'completed',
        parent_id: record['task_id'],
        result: expect.any(Object),
      }),
    ]);
  }
});
