/**
 * Estimates and submissions of the recorded requests agree: what is refused of one is refused of the other, with the
 * same faults, and what is taken has the method and processor of the run.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GoldenRequest } from './requests/golden-request.ts';
import { GOLDEN_REQUESTS } from './requests.ts';
import { ended, type GoldenService, openGoldenService, send } from './service/golden-service.ts';

const API = '/api/v1';
const ESTIMATE = `${API}/quantum/estimate`;
const SUBMISSION = /^\/api\/v1\/quantum\/(circuits|batches|experiments)$/;

let golden: GoldenService;
beforeAll(async () => {
  golden = await openGoldenService();
});
afterAll(() => golden?.[Symbol.asyncDispose]());

const DECLARED = 'DETECTOR rec[-1]\nOBSERVABLE_INCLUDE(0) rec[-1]\n';
const EXPERIMENTS: readonly GoldenRequest[] = [
  ['a task', { tasks: [{ stim: `X_ERROR(0.1) 0\nM 0\n${DECLARED}` }], max_shots: 3000 }],
  ['no limit', { tasks: [{ stim: 'M 0\nDETECTOR rec[-1]\n' }] }],
  ['a bad detector', { tasks: [{ stim: 'M 0\nDETECTOR rec[-2]\n' }], max_shots: 10 }],
  ['no tasks', { tasks: [], max_shots: 10 }],
].map(([name, body]) => ({
  name: `experiments: ${name}`,
  path: `${API}/quantum/experiments`,
  body,
}));

/** Submissions that nothing but the body decides. A text that is no JSON belongs to every kind. */
const SUBMISSIONS = [...GOLDEN_REQUESTS, ...EXPERIMENTS].filter(
  ({ method = 'POST', path, headers, body }) =>
    method === 'POST' && SUBMISSION.test(path) && headers === undefined && body !== undefined,
);

/** The body names its kind by its list, so a batch or experiment without one is read as a circuit. */
const kindOf = (body: unknown) =>
  Object(body).programs !== undefined
    ? 'batches'
    : Object(body).tasks !== undefined
      ? 'experiments'
      : 'circuits';

test.each(SUBMISSIONS.map((request) => [request.name, request] as const))(
  '%s',
  async (_, { path, body }) => {
    const [, kind] = SUBMISSION.exec(path)!;
    const estimated = await send(golden, { method: 'POST', path: ESTIMATE, body });
    const submitted = await send(golden, { method: 'POST', path, body });
    const estimate = JSON.parse(estimated.text);
    const answer = JSON.parse(submitted.text);
    if (kind !== kindOf(body)) return;
    const location = submitted.headers['location'];
    if (location === undefined) {
      expect([estimated.status, estimate.error]).toEqual([submitted.status, answer.error]);
      return;
    }
    expect([estimated.status, estimate.error]).toEqual([200, undefined]);
    await ended(golden, location);
    const record = JSON.parse((await send(golden, { method: 'GET', path: location })).text).data;
    expect(estimate.data.processor).toBe(record.processor);
    if (record.status !== 'completed') return;
    if (kind === 'experiments') {
      expect(estimate.data.tasks).toHaveLength(record.num_tasks);
      return;
    }
    const parts = estimate.data.programs ?? [estimate.data];
    const ran = record.programs ?? [record];
    expect(parts.map(methodsOf)).toEqual(ran.map(methodsOf));
  },
);

const methodsOf = ({ method, method_reason }: { method?: string; method_reason?: string }) => [
  method,
  method_reason,
];

test('the requests are many, refused and taken', () => {
  expect(SUBMISSIONS.length).toBeGreaterThan(200);
});
