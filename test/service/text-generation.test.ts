/** `llma-text` over HTTP, before a real upstream that the test starts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { completion, json, TextUpstreamServer } from '../support/text-upstream.ts';
import { type ModelService, openModelService } from './support/model-service.ts';

const KEY = 'sk-secret-of-the-operator';
/** Longer than any test: no answer is late, and no probe comes by itself. */
const NEVER_MS = 3_600_000;

let upstream: TextUpstreamServer;
let models: ModelService;
beforeAll(async () => {
  upstream = await TextUpstreamServer.open();
  models = await openModelService(
    {},
    {
      baseUrl: upstream.baseUrl,
      model: undefined,
      apiKey: KEY,
      timeoutMs: NEVER_MS,
      maxTokens: 500,
      probeIntervalMs: NEVER_MS,
    },
  );
});
afterAll(async () => {
  await models[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});

async function generate(payload: unknown) {
  const answer = await models.service.request({
    method: 'POST',
    url: '/models/llma-text/inference',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(payload),
  });
  return {
    status: answer.statusCode,
    text: answer.body,
    headers: answer.headers,
    ...answer.json(),
  };
}

test('answers with the text, what wrote it and what it took', async () => {
  const { status, data } = await generate({
    input: 'Say hello.',
    parameters: { max_tokens: 20, temperature: 0.5 },
  });
  expect(status).toBe(200);
  expect(data).toEqual({
    model_id: 'llma-text',
    text: 'Hello there.',
    finish_reason: 'stop',
    backend: 'tiny-1b-q4',
    upstream_model: 'tiny-1b-q4',
    usage: { prompt_tokens: 12, completion_tokens: 3 },
    timing: { upstream_ms: expect.any(Number) },
  });
  expect(upstream.received.at(-1)).toMatchObject({
    input: 'Say hello.',
    max_tokens: 20,
    temperature: 0.5,
    authorization: `Bearer ${KEY}`,
  });
});

test('is listed as available, with its limits on its card', async () => {
  const { data } = (await models.service.get('/models/llma-text')).json();
  expect(data).toMatchObject({
    available: true,
    model_card: { limits: { max_tokens: 500, default_max_tokens: 256 } },
  });
  for (const example of data.inference.examples) expect((await generate(example)).status).toBe(200);
});

test.each([
  ['a row of numbers', { input: [1, 2, 3, 4] }, 'input'],
  ['an empty text', { input: '' }, 'input'],
  ['too many tokens', { input: 'x', parameters: { max_tokens: 501 } }, 'parameters.max_tokens'],
  ['half a token', { input: 'x', parameters: { max_tokens: 0.5 } }, 'parameters.max_tokens'],
  ['too hot', { input: 'x', parameters: { temperature: 2.1 } }, 'parameters.temperature'],
  ['theta', { input: 'x', parameters: { theta: [1] } }, 'parameters.theta'],
])('refuses %s', async (_, body, path) => {
  const { status, error } = await generate(body);
  expect(status).toBe(400);
  expect(error.details).toEqual([expect.objectContaining({ path })]);
});

test.each([
  [
    { input: '', foo: 1, parameters: { max_tokens: 0, temperature: 3 } },
    ['foo', 'input', 'parameters.max_tokens', 'parameters.temperature'],
  ],
  [
    { input: 5, parameters: { max_tokens: 'x', temperature: -1 } },
    ['input', 'parameters.max_tokens', 'parameters.temperature'],
  ],
  [{ parameters: 5 }, ['input', 'parameters']],
  ['text', ['']],
])('tells every fault of %j', async (body, paths) => {
  const { status, error } = await generate(body);
  expect(status).toBe(400);
  expect(error.details.map(({ path }: { path: string }) => path)).toEqual(paths);
});

describe('what the upstream fails at', () => {
  test('answers 503, without a word of the upstream or its key', async () => {
    upstream.reply = json(500, { error: { message: `boom ${KEY}` } });
    const { status, text, error } = await generate({ input: 'x' });
    expect(status).toBe(503);
    expect(error.details[0].code).toBe('WORKLOADS_UPSTREAM');
    expect(text).not.toContain(KEY);
    expect(text).not.toContain('boom');
  });

  test('answers 503 with Retry-After where the upstream is full', async () => {
    upstream.reply = json(429, { error: { message: 'slow down' } }, { 'retry-after': '7' });
    const { status, headers } = await generate({ input: 'x' });
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('7');
    const [, text] = (await models.service.get('/models')).json().data.models;
    expect(text.available).toBe(false);
  });
});

test('answers the first 503 with Retry-After where a full upstream does not say how long', async () => {
  await using own = await TextUpstreamServer.open();
  await using service = await openModelService(
    {},
    {
      baseUrl: own.baseUrl,
      model: 'tiny',
      apiKey: undefined,
      timeoutMs: NEVER_MS,
      maxTokens: 100,
      probeIntervalMs: NEVER_MS,
    },
  );
  own.reply = json(429, {});
  const refused = await service.service.request({
    method: 'POST',
    url: '/models/llma-text/inference',
    payload: { input: 'x' },
  });
  expect(refused.statusCode).toBe(503);
  expect(refused.json().error.details[0].code).toBe('WORKLOADS_UPSTREAM');
  expect(refused.headers['retry-after']).toBe('5');
});

test('is unavailable with 503 once the upstream is gone', async () => {
  await using own = await TextUpstreamServer.open();
  await using service = await openModelService(
    {},
    {
      baseUrl: own.baseUrl,
      model: 'tiny',
      apiKey: undefined,
      timeoutMs: NEVER_MS,
      maxTokens: 100,
      probeIntervalMs: NEVER_MS,
    },
  );
  own.reply = json(200, completion('Fine.'));
  const ask = () =>
    service.service.request({
      method: 'POST',
      url: '/models/llma-text/inference',
      payload: { input: 'x' },
    });
  expect((await ask()).json().data.text).toBe('Fine.');
  own.reply = json(503, {});
  own.probeReply = json(503, {});
  expect((await ask()).statusCode).toBe(503);
  await eventually(async () => {
    const [, text] = (await service.service.get('/models')).json().data.models;
    expect(text.available).toBe(false);
  });
  const refused = await ask();
  expect(refused.statusCode).toBe(503);
  expect(refused.json().error.details[0].code).toBe('WORKLOADS_MODEL_UNAVAILABLE');
});

test('names a limit beside a fault of form', async () => {
  const { status, error } = await generate({ input: 'x', parameters: { max_tokens: 501 }, foo: 1 });
  expect(status).toBe(400);
  const paths = error.details.map(({ path }: { path: string }) => path).sort();
  expect(paths).toEqual(['foo', 'parameters.max_tokens']);
});

test('a key may have 8 texts at once, then 429; others are served, Enterprise keys first', async () => {
  await using own = await TextUpstreamServer.open();
  await using opened = await openModelService(
    {},
    {
      baseUrl: own.baseUrl,
      model: 'tiny',
      apiKey: undefined,
      timeoutMs: NEVER_MS,
      maxTokens: 100,
      probeIntervalMs: NEVER_MS,
    },
  );
  const { service, fleet } = opened;
  fleet.isHolding = true;
  const held: (() => void)[] = [];
  own.reply = (response, request) => {
    held.push(() => json(200, completion('x'))(response, request));
  };
  const ask = (key: string, model = 'llma-text', input: unknown = 'x') =>
    service.request({
      method: 'POST',
      url: `/models/${model}/inference`,
      headers: { 'x-api-key': key },
      payload: { input },
    });
  const classified = ask(service.key, 'qnn-hybrid', [5, 3, 5, 1]);
  await eventually(() => expect(fleet.heldBatches).toHaveLength(1));
  const before = own.requests.length;
  const eight = Array.from({ length: 8 }, () => ask(service.key));
  await eventually(() => expect(own.requests.length).toBe(before + 8));
  const refused = await ask(service.key);
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.json().error.details[0]).toMatchObject({
    code: 'SERVICE_IN_FLIGHT_LIMIT',
    message: expect.stringContaining('8 text inferences'),
  });
  fleet.heldBatches[0]?.finish();
  expect((await classified).statusCode).toBe(200);
  const others = [await service.createKey(), await service.createKey('enterprise')];
  const [standard, enterprise] = others.map((key, i) => ask(key, 'llma-text', `other ${i}`));
  // It is sent after both and refused at once, so both are in the line by then.
  await ask(service.key);
  held[0]?.();
  await eventually(() => expect(own.requests.length).toBe(before + 9));
  expect(own.requests.at(-1)?.input).toBe('other 1');
  own.reply = json(200, completion('x'));
  for (const answer of held.slice(1)) answer();
  const answers = await Promise.all([...eight, standard, enterprise]);
  expect(answers.map((answer) => answer?.statusCode)).toEqual(Array(10).fill(200));
  expect((await ask(service.key)).statusCode).toBe(200);
});
