import { describe, expect, test } from 'vitest';
import { askService, type Outcome } from '../../../src/console/demo/demo-state.ts';
import { demoBody, demoErrorBody } from '../../support/demo-facts.ts';

/** The outcome of a run that is answered so. Without a body the answer is an empty text. */
async function outcomeOf(status: number, body?: unknown, retryAfter?: string): Promise<Outcome> {
  const headers = { ...(retryAfter !== undefined && { 'retry-after': retryAfter }) };
  const text = body === undefined ? '' : JSON.stringify(body);
  return await askService([1], async () => new Response(text, { status, headers }));
}

/** A good body with one field of its data replaced. */
function bodyWith(field: string, value: unknown): object {
  const body = structuredClone(demoBody('virginica'));
  Reflect.set(Object(Reflect.get(body, 'data')), field, value);
  return body;
}

describe('an answer of status', () => {
  test('200 is a result', async () => {
    const outcome = await outcomeOf(200, demoBody('virginica'));
    expect(outcome).toMatchObject({
      kind: 'answer',
      answer: {
        label: 'virginica',
        prediction: 1,
        shots: 1024,
        threshold: 0.062,
        backend: 'statevector-sim (cpu, f64)',
        outOfRange: [],
        executionMs: 1.84,
        queueMs: 0.21,
      },
    });
    expect(outcome.kind === 'answer' && outcome.answer.counts.get('0000')).toBe(214);
  });

  test('429 names the seconds to wait', async () => {
    const body = demoErrorBody('RATE_LIMIT_EXCEEDED', 429, 'Too many.');
    const outcome = await outcomeOf(429, body, '42');
    expect(outcome).toEqual({ kind: 'limited', retryAfterS: 42 });
  });

  test.each([undefined, '', 'Sat, 02 Jan 2027 00:00:00 GMT', '-3'])(
    '429 that names none (%j) waits a whole window',
    async (retryAfter) => {
      const outcome = await outcomeOf(429, undefined, retryAfter);
      expect(outcome).toEqual({ kind: 'limited', retryAfterS: 60 });
    },
  );

  test('503 gives the reason, with the seconds where they are known', async () => {
    const body = demoErrorBody('SERVICE_UNAVAILABLE', 503, 'In maintenance.');
    expect(await outcomeOf(503, body)).toEqual({
      kind: 'unavailable',
      reason: 'In maintenance.',
    });
    expect(await outcomeOf(503, body, '5')).toMatchObject({ retryAfterS: 5 });
  });

  test('503 of something before the service is shown as well', async () => {
    const outcome = await outcomeOf(503);
    expect(outcome).toMatchObject({ kind: 'unavailable', reason: expect.stringMatching(/\w/) });
  });

  test('400 gives what the service says of it', async () => {
    const body = demoErrorBody('BAD_REQUEST', 400, 'input[0] must be a number.');
    expect(await outcomeOf(400, body)).toEqual({
      kind: 'failed',
      message: 'input[0] must be a number.',
    });
  });

  test.each([
    [500, 'failed'],
    [502, 'unavailable'],
  ])('%i without a body names the status', async (status, kind) => {
    expect(await outcomeOf(status)).toMatchObject({ kind });
    expect(JSON.stringify(await outcomeOf(status))).toContain(`${status}`);
  });

  test.each([
    ['no body', undefined],
    ['a text', 'hello'],
    ['no data', { success: true }],
    ['no label', bodyWith('prediction_label', undefined)],
    ['an expectation that is no number', bodyWith('expectation', '0.5')],
    ['an expectation that is not finite', bodyWith('expectation', Number.NaN)],
    ['no threshold', bodyWith('threshold', null)],
    ['no margin', bodyWith('margin_in_shot_noise', undefined)],
    ['no shots', bodyWith('shots_per_circuit', undefined)],
    ['no counts', bodyWith('counts', undefined)],
    ['counts of nothing', bodyWith('counts', {})],
    ['counts that are no numbers', bodyWith('counts', { '0000': '1' })],
    ['outcomes that are no bit strings', bodyWith('counts', { abcd: 1 })],
  ])('200 with %s is no result', async (_, body) => {
    expect(await outcomeOf(200, body)).toMatchObject({ kind: 'failed' });
  });

  test('200 of a service that says less in passing is still a result', async () => {
    const body = bodyWith('timing', undefined);
    const outcome = await outcomeOf(200, body);
    expect(outcome).toMatchObject({ kind: 'answer', answer: { executionMs: 0, queueMs: 0 } });
  });

  test('200 names the features that were clipped', async () => {
    const body = bodyWith('out_of_range', ['petal length']);
    const outcome = await outcomeOf(200, body);
    expect(outcome).toMatchObject({ answer: { outOfRange: ['petal length'] } });
  });
});

test('a run is sent once to the demo, without a key', async () => {
  const sent: unknown[] = [];
  await askService([5.1, 3.5], async (url, init) => {
    sent.push(url, init?.method, init?.body, init?.headers);
    return new Response('', { status: 503, headers: { 'retry-after': '1' } });
  });
  expect(sent).toEqual([
    '/api/v1/demo/qnn-hybrid',
    'POST',
    '{"input":[5.1,3.5]}',
    { 'content-type': 'application/json' },
  ]);
});

test('a network that is not there is a failure that says so', async () => {
  const outcome = await askService([1], () => Promise.reject(new TypeError('Failed to fetch')));
  expect(outcome).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('network'),
  });
});
