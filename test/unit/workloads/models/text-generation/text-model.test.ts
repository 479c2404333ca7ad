/** `llma-text` against an upstream over HTTP: answers, availability, and what is sent. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TextModel } from '../../../../../src/workloads/models/text-generation/text-model.ts';
import { eventually } from '../../../../support/eventually.ts';
import { completion, json, TextUpstreamServer } from '../../../../support/text-upstream.ts';
import {
  HELLO,
  KEY,
  PATIENT,
  STANDARD,
  type TextModelChanges,
  textModelOf,
} from './text-models.ts';

let upstream: TextUpstreamServer;
const models: TextModel[] = [];

beforeEach(async () => {
  upstream = await TextUpstreamServer.open();
});

afterEach(async () => {
  for (const model of models.splice(0)) await model.close();
  await upstream[Symbol.asyncDispose]();
});

function opened(changes?: TextModelChanges): TextModel {
  const model = textModelOf(upstream, changes);
  models.push(model);
  return model;
}

async function started(changes?: TextModelChanges): Promise<TextModel> {
  const model = opened(changes);
  await model.start();
  expect(model.availability()).toEqual({ available: true, checkedAt: 1_000_000 });
  return model;
}

describe('a request', () => {
  test('is answered with the text, why it ended, what wrote it and what it took', async () => {
    const model = await started();
    const result = await model.generate(HELLO, STANDARD, PATIENT);
    expect(result).toEqual({
      text: 'Hello there.',
      finishReason: 'stop',
      upstreamModel: 'tiny-1b-q4',
      usage: { promptTokens: 12, completionTokens: 3 },
      backend: 'tiny-1b-q4',
      timing: { upstreamMs: expect.any(Number) },
    });
    expect(result.timing.upstreamMs).toBeGreaterThan(0);
  });

  test('goes to the chat completions of the base URL, with the key as bearer token', async () => {
    const model = await started();
    await model.generate({ input: 'Hello', maxTokens: 7, temperature: 0 }, STANDARD, PATIENT);
    expect(upstream.requests).toEqual([
      {
        path: '/v1/chat/completions',
        authorization: `Bearer ${KEY}`,
        input: 'Hello',
        model: 'tiny',
        messages: [{ role: 'user', content: 'Hello' }],
        max_tokens: 7,
        temperature: 0,
        stream: false,
      },
    ]);
  });

  test('without parameters asks for 256 tokens and leaves the temperature to the upstream', async () => {
    const model = await started();
    await model.generate(HELLO, STANDARD, PATIENT);
    expect(upstream.requests[0]?.max_tokens).toBe(256);
    expect(upstream.requests[0]).not.toHaveProperty('temperature');
  });

  test('without parameters asks for no more tokens than the operator allows', async () => {
    const model = await started({ maxTokens: 100 });
    await model.generate(HELLO, STANDARD, PATIENT);
    expect(upstream.requests[0]?.max_tokens).toBe(100);
  });

  test('for more tokens than the operator allows is refused and not sent', async () => {
    const model = await started({ maxTokens: 100 });
    await expect(
      model.generate({ input: 'Hello', maxTokens: 101 }, STANDARD, PATIENT),
    ).rejects.toMatchObject({
      code: 'WORKLOADS_INFERENCE_INVALID',
      faults: [
        {
          path: 'parameters.max_tokens',
          message: 'must be a whole number from 1 to 100, not 101.',
        },
      ],
    });
    expect(upstream.requests).toEqual([]);
  });

  test('without a key is sent without one', async () => {
    const model = await started({ apiKey: undefined });
    await model.generate(HELLO, STANDARD, PATIENT);
    expect(upstream.requests[0]?.authorization).toBeUndefined();
  });

  test.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['tool_calls', 'other'],
    [null, 'other'],
  ])('that ended with %s is said to have ended with %s', async (finish, said) => {
    const model = await started();
    const choices = [{ message: { content: 'x' }, finish_reason: finish }];
    upstream.reply = json(200, completion('', { choices }));
    expect((await model.generate(HELLO, STANDARD, PATIENT)).finishReason).toBe(said);
  });

  test('is answered also where the upstream counts no tokens, names no model and wrote nothing', async () => {
    const model = await started();
    const choices = [{ message: { role: 'assistant', content: null }, finish_reason: 'length' }];
    upstream.reply = json(200, { model: null, choices, usage: null });
    expect(await model.generate(HELLO, STANDARD, PATIENT)).toEqual({
      text: '',
      finishReason: 'length',
      upstreamModel: 'tiny',
      backend: 'tiny',
      timing: { upstreamMs: expect.any(Number) },
    });
  });

  test('that is aborted ends with the reason, and its connection to the upstream is closed', async () => {
    const model = await started();
    const held = Promise.withResolvers<ServerResponse>();
    upstream.reply = held.resolve;
    const caller = new AbortController();
    const outcome = expect(model.generate(HELLO, STANDARD, caller.signal)).rejects.toThrow(
      'gone home',
    );
    const closed = once(await held.promise, 'close');
    caller.abort(new Error('gone home'));
    await outcome;
    await closed;
    expect(model.availability().available).toBe(true);
  });

  test('that is aborted before it begins is not sent', async () => {
    const model = await started();
    const gone = AbortSignal.abort(new Error('gone home'));
    await expect(model.generate(HELLO, STANDARD, gone)).rejects.toThrow('gone home');
    expect(upstream.requests).toEqual([]);
  });
});

describe('the model', () => {
  test('without an upstream is unavailable and says what is missing', async () => {
    const model = new TextModel({ upstream: undefined, now: () => 5 });
    await model.start();
    const reason = 'No text-generation upstream is configured (QCS_LLM_BASE_URL).';
    expect(model.availability()).toEqual({ available: false, reason, checkedAt: 5 });
    expect(model.describe()).toBe(`llma-text: ${reason}`);
    await expect(model.generate(HELLO, STANDARD, PATIENT)).rejects.toMatchObject({
      code: 'WORKLOADS_MODEL_UNAVAILABLE',
      message: `Model llma-text is not available: ${reason}`,
      retryAfterS: undefined,
    });
    await model.close();
  });

  test('is unavailable until its first self-test is through', async () => {
    const model = opened();
    expect(model.availability().available).toBe(false);
    await expect(model.generate(HELLO, STANDARD, PATIENT)).rejects.toMatchObject({
      code: 'WORKLOADS_MODEL_UNAVAILABLE',
    });
    expect(upstream.received).toEqual([]);
  });

  test('says at start-up that it is not tested yet, and then what the self-test found', async () => {
    const model = opened();
    const what = `llma-text: tiny at ${upstream.host}`;
    expect(model.describe()).toBe(
      `${what}, not available. The first self-test is not through yet.`,
    );
    upstream.probeReply = json(401, {});
    await model.start();
    expect(model.describe()).toBe(
      `${what}, not available. The self-test failed: The upstream does not accept the service's credentials (HTTP 401).`,
    );
  });

  test('tests itself with a completion of a few tokens, the way requests take', async () => {
    await started();
    expect(upstream.received).toHaveLength(1);
    expect(upstream.probes).toMatchObject([
      {
        path: '/v1/chat/completions',
        authorization: `Bearer ${KEY}`,
        model: 'tiny',
        max_tokens: 8,
      },
    ]);
  });

  test('is unavailable with an upstream that does not complete the self-test', async () => {
    upstream.probeReply = json(401, { error: { message: `Incorrect key ${KEY}` } });
    const model = opened();
    await model.start();
    expect(model.availability()).toMatchObject({
      available: false,
      reason:
        "The self-test failed: The upstream does not accept the service's credentials (HTTP 401).",
    });
  });

  test('is tested again and again while its upstream fails', async () => {
    upstream.probeReply = json(500, {});
    const model = opened();
    await model.start();
    await eventually(() => expect(upstream.probes.length).toBeGreaterThan(12));
  });

  test('repeats its self-test on the schedule, and so finds out by itself that the upstream went', async () => {
    const model = await started({ probeIntervalMs: 10 });
    await eventually(() => expect(upstream.probes.length).toBeGreaterThan(3));
    await upstream.close();
    // A test that was under way finds its connection reset; later ones find nobody.
    await eventually(() => expect(model.availability().reason).toContain('ECONNREFUSED'));
    expect(model.availability().available).toBe(false);
  });

  test('becomes unavailable after a request that found the upstream gone, and available when it is back', async () => {
    const model = await started();
    await upstream.close();
    await expect(model.generate(HELLO, STANDARD, PATIENT)).rejects.toMatchObject({
      code: 'WORKLOADS_UPSTREAM',
    });
    await eventually(() => expect(model.availability().available).toBe(false));
    await expect(model.generate(HELLO, STANDARD, PATIENT)).rejects.toMatchObject({
      code: 'WORKLOADS_MODEL_UNAVAILABLE',
    });
    await upstream.listen();
    await eventually(() => expect(model.availability().available).toBe(true));
    expect((await model.generate(HELLO, STANDARD, PATIENT)).text).toBe('Hello there.');
  });

  test('stays available after a request that the upstream failed when the self-test passes', async () => {
    const model = await started();
    upstream.reply = json(500, {});
    for (let i = 2; i < 8; i++) {
      await expect(model.generate(HELLO, STANDARD, PATIENT)).rejects.toMatchObject({
        code: 'WORKLOADS_UPSTREAM',
      });
      expect(model.availability().available).toBe(true);
      await eventually(() => expect(upstream.probes).toHaveLength(i));
    }
  });

  test('says why it takes nothing more once it is closed, also to requests under way', async () => {
    const model = await started();
    const held = Promise.withResolvers<ServerResponse>();
    upstream.reply = held.resolve;
    const underWay = expect(model.generate(HELLO, STANDARD, PATIENT)).rejects.toMatchObject({
      code: 'WORKLOADS_MODEL_UNAVAILABLE',
      message: 'Model llma-text is not available: The service is stopping.',
    });
    const closed = once(await held.promise, 'close');
    await model.close();
    await underWay;
    await closed;
    await expect(model.generate(HELLO, STANDARD, PATIENT)).rejects.toThrow(
      'The service is stopping.',
    );
  });

  test('ends its self-test when it is closed, and runs no other', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    upstream.probeReply = held.resolve;
    const model = opened();
    const start = model.start();
    const closed = once(await held.promise, 'close');
    await model.close();
    await start;
    await closed;
    await upstream.roundTrips();
    expect(upstream.received).toHaveLength(1);
  });

  test('shows its key to nobody who looks at it', async () => {
    const model = await started();
    expect(model.describe()).toBe(`llma-text: tiny at ${upstream.host}, available`);
    expect(inspect(model, { depth: 20, showHidden: true })).not.toContain('hunter2');
  });
});

describe('without QCS_LLM_MODEL', () => {
  test('the only model that the upstream lists is taken', async () => {
    const model = await started({ model: undefined });
    await model.generate(HELLO, STANDARD, PATIENT);
    expect(upstream.received.map((chat) => chat.model)).toEqual(['tiny', 'tiny']);
    expect(model.describe()).toBe(`llma-text: tiny at ${upstream.host}, available`);
  });

  test('an upstream with several leaves the model unavailable, with some of their names', async () => {
    const names = ['a\u0000b', 'c'.repeat(100), 'd', 'e', 'f', 'g'];
    upstream.models = { data: names.map((id) => ({ id })) };
    const model = opened({ model: undefined });
    await model.start();
    expect(model.availability().reason).toBe(
      `The upstream lists 6 models (a b, ${'c'.repeat(60)}…, d, e, f …): QCS_LLM_MODEL has to name one.`,
    );
    expect(upstream.received).toEqual([]);
  });

  test.each([[{ data: [] }], [{ data: null }]])(
    'an upstream that lists %j has none',
    async (list) => {
      upstream.models = list;
      const model = opened({ model: undefined });
      await model.start();
      expect(model.availability().reason).toBe('The upstream lists no model.');
    },
  );

  test('an upstream that lists something else says so', async () => {
    upstream.models = { data: [{ name: 'tiny' }] };
    const model = opened({ model: undefined });
    await model.start();
    expect(model.availability().reason).toBe(
      'The self-test failed: The upstream answered with JSON of another shape than expected, at data.0.id.',
    );
  });
});
