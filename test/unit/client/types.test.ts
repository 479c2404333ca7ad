/** Types of the client. `npm run check` compiles this file; running it compares the few facts of run time. */
import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  type ApiError,
  type Batch,
  type Circuit,
  type NumericArray,
  QcsClient,
  type QcsError,
  type RateLimitError,
} from '../../../src/client/client.ts';
import { createsJob, isRepeatable, methodAndPath } from '../../../src/client/routes.ts';
import { JOB_RESOURCES } from '../../../src/service/jobs/job-resources.ts';

const client = new QcsClient({ baseUrl: 'http://127.0.0.1:1' });

describe('the types know', () => {
  test('data of a route', () => {
    const ask = () => client.request('GET /quantum/processors');
    type Processors = Awaited<ReturnType<typeof ask>>['processors'];
    expectTypeOf<Processors[number]['max_qubits']>().toEqualTypeOf<number>();
    const remove = () => client.request('DELETE /tasks/{task_id}', { path: { task_id: 'task_1' } });
    expectTypeOf(remove).returns.resolves.toEqualTypeOf<undefined>();
  });

  test('which options a route needs', () => {
    expectTypeOf(client.request<'GET /status'>).parameters.toExtend<
      [route: 'GET /status', options?: object]
    >();
    // @ts-expect-error: the id is missing
    expectTypeOf(() => client.request('GET /tasks/{task_id}')).toBeFunction();
    // @ts-expect-error: the body is missing
    expectTypeOf(() => client.request('POST /quantum/circuits', {})).toBeFunction();
    // @ts-expect-error: there is no such route
    expectTypeOf(() => client.request('GET /quantum/circuit')).toBeFunction();
    expectTypeOf(() =>
      // @ts-expect-error: there is no such status
      client.request('GET /tasks', { query: { status: 'done' } }),
    ).toBeFunction();
  });

  test('records and results of jobs', () => {
    expectTypeOf(client.circuits.run).returns.resolves.toEqualTypeOf<Circuit>();
    expectTypeOf(client.batches.get).returns.resolves.toEqualTypeOf<Batch>();
    const run = () => client.batches.run({ target_processor: 'statevector-sim', programs: [] });
    type Program = Awaited<ReturnType<typeof run>>['programs'][number];
    expectTypeOf<Program['gradient']>().toEqualTypeOf<NumericArray | undefined>();
    expectTypeOf<Program['points']>().toEqualTypeOf<number>();
  });

  test('fields of submissions', () => {
    const shots = 10;
    // @ts-expect-error: it is target_processor
    expectTypeOf(() => client.circuits.run({ processor: 'statevector-sim', shots })).toBeFunction();
    const inputs = { theta: new Float64Array([0, 1]) };
    expectTypeOf(() =>
      client.batches.run({ target_processor: 'statevector-sim', programs: [{ qasm: '', inputs }] }),
    ).toBeFunction();
  });

  test('data of an event by its name, and the class of an error by its code', () => {
    const events = client.tasks.events('task_1');
    type Event = Awaited<ReturnType<typeof events.next>>['value'] & object;
    expectTypeOf<
      Extract<Event, { event: 'progress' }>['data']['progress']
    >().toEqualTypeOf<number>();
    expectTypeOf<RateLimitError['code']>().toEqualTypeOf<'RATE_LIMIT_EXCEEDED'>();
    expectTypeOf<ApiError>().toExtend<QcsError>();
  });
});

const DOCUMENT = z
  .object({
    paths: z.record(
      z.string(),
      z.record(
        z.string(),
        z.looseObject({ parameters: z.array(z.looseObject({ name: z.string().optional() })) }),
      ),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')));

test('an Idempotency-Key is sent on the routes that take one; of the other POSTs only keys are not repeated', () => {
  const routes = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters }]) => ({
      route: `${method.toUpperCase()} ${path}`,
      takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    })),
  );
  for (const { route, takesKey } of routes)
    expect([route, createsJob(route)]).toEqual([route, takesKey]);
  expect(routes.map(({ route }) => route).filter((route) => !isRepeatable(route))).toEqual([
    'POST /admin/keys',
    'POST /admin/keys/{key_id}/rotate',
  ]);
});

test('jobs of every kind are where the service has them', () => {
  const { circuits, batches, experiments, tasks, tpuJobs } = client;
  const places = [circuits, batches, experiments, tasks, tpuJobs].map(({ place }) => place);
  expect(places.map(({ path, idName, listName }) => ({ path, idName, listName }))).toEqual(
    JOB_RESOURCES.map(({ path, idName, listName }) => ({ path, idName, listName })),
  );
});

test('path parameters are escaped, and none is left out', () => {
  expect(
    methodAndPath('GET /a/{x}/{y}', { x: 'p/q', y: 1 }, { tag: ['a', 'b&c'], limit: undefined }),
  ).toEqual({ method: 'GET', path: '/a/p%2Fq/1?tag=a&tag=b%26c' });
  expect(() => methodAndPath('GET /a/{x}', { x: '' })).toThrow('GET /a/{x} needs x.');
});
