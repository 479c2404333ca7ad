/** Requests to `llma-text` whose upstream fails, refuses or is full. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TextModel } from '../../../../../src/workloads/models/text-generation/text-model.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  completion,
  json,
  type Reply,
  TextUpstreamServer,
} from '../../../../support/text-upstream.ts';
import {
  HELLO,
  KEY,
  PATIENT,
  STANDARD,
  type TextModelChanges,
  TIMEOUT_MS,
  textModelOf,
} from './text-models.ts';

let upstream: TextUpstreamServer;
let model: TextModel | undefined;

beforeEach(async () => {
  upstream = await TextUpstreamServer.open();
});

afterEach(async () => {
  vi.useRealTimers();
  await model?.close();
  await upstream[Symbol.asyncDispose]();
});

async function started(changes?: TextModelChanges): Promise<TextModel> {
  model = textModelOf(upstream, changes);
  await model.start();
  expect(model.availability().available).toBe(true);
  return model;
}

/** The error of a request, which must fail. */
async function failureOf(asked: Promise<unknown>): Promise<unknown> {
  return await asked.then(
    (result) => expect.fail(`answered ${inspect(result)}`),
    (error: unknown) => error,
  );
}

const text =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** An answer of the upstream of which callers must see nothing. */
const SAID = { error: { message: `internal: ${KEY} at 10.0.0.7` } };
const CUT_SHORT = JSON.stringify(completion('x')).slice(0, -2);
const MIB = 1024 * 1024;

describe('an upstream’s failure answers as one, and repeats nothing the upstream said', () => {
  const failures: readonly (readonly [string, Reply, string])[] = [
    ['an error of its own', json(500, SAID), 'failed (HTTP 500)'],
    ['a gateway without it', text(502, `<h1>${KEY}</h1>`), 'failed (HTTP 502)'],
    ['no money left', json(402, SAID), 'failed (HTTP 402)'],
    ['a wrong key', json(401, SAID), "does not accept the service's credentials (HTTP 401)"],
    ['a forbidden key', json(403, SAID), "does not accept the service's credentials (HTTP 403)"],
    [
      'an unknown model',
      json(404, SAID),
      'does not know the path or the model that it was asked for (HTTP 404)',
    ],
    ['no JSON', text(200, `${KEY}`), 'answered with something that is not JSON'],
    ['JSON that ends early', text(200, CUT_SHORT), 'answered with something that is not JSON'],
    ['an empty body', text(200, ''), 'answered with something that is not JSON'],
    [
      'bytes that are not UTF-8',
      text(200, Buffer.from(`{"a":"\xff${KEY}"}`, 'latin1')),
      'answered with something that is not JSON',
    ],
    [
      'an error in a good answer’s place',
      json(200, SAID),
      'answered with JSON of another shape than expected, at choices',
    ],
    [
      'no choice',
      json(200, { choices: [], [KEY]: 1 }),
      'answered with JSON of another shape than expected, at choices',
    ],
    [
      'a text that is none',
      json(200, { choices: [{ message: { content: [KEY] } }] }),
      'answered with JSON of another shape than expected, at choices.0.message.content',
    ],
    [
      'no object',
      json(200, KEY),
      'answered with JSON of another shape than expected, at its top level',
    ],
    [
      'a connection that ends before the answer',
      (response) => response.socket?.destroy(),
      'could not be reached, or hung up (UND_ERR_SOCKET)',
    ],
    [
      'a connection that ends within the answer',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write(KEY);
        setImmediate(() => response.socket?.destroy());
      },
      'could not be reached, or hung up (UND_ERR_SOCKET)',
    ],
  ];

  test.each(failures)('%s', async (_, reply, said) => {
    const asked = await started();
    upstream.reply = reply;
    const error = await failureOf(asked.generate(HELLO, STANDARD, PATIENT));
    expect(error).toMatchObject({ code: 'WORKLOADS_UPSTREAM', message: `The upstream ${said}.` });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(KEY);
    // And has it tested at once.
    await eventually(() => expect(upstream.probes).toHaveLength(2));
  });

  test('no answer in time, and the connection is closed', async () => {
    const asked = await started();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const held = Promise.withResolvers<ServerResponse>();
    upstream.reply = held.resolve;
    const failure = failureOf(asked.generate(HELLO, STANDARD, PATIENT));
    const closed = once(await held.promise, 'close');
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    await closed;
    expect(await failure).toMatchObject({
      code: 'WORKLOADS_UPSTREAM',
      message: `The upstream did not answer within ${TIMEOUT_MS} ms.`,
    });
    await eventually(() => expect(upstream.probes).toHaveLength(2));
  });

  test('an answer that begins in time and does not end in time', async () => {
    const asked = await started();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const begun = Promise.withResolvers<void>();
    upstream.reply = (response) => {
      response.writeHead(200).write('{"choices":');
      begun.resolve();
    };
    const failure = failureOf(asked.generate(HELLO, STANDARD, PATIENT));
    await begun.promise;
    await upstream.roundTrips();
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect(await failure).toMatchObject({
      message: `The upstream did not answer within ${TIMEOUT_MS} ms.`,
    });
  });

  test('an endless answer, which is cut off at 1 MiB', async () => {
    const asked = await started();
    const held = Promise.withResolvers<ServerResponse>();
    upstream.reply = (response) => {
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.writeHead(200).on('drain', pour);
      pour();
      held.resolve(response);
    };
    const failure = failureOf(asked.generate(HELLO, STANDARD, PATIENT));
    await once(await held.promise, 'close');
    expect(await failure).toMatchObject({
      code: 'WORKLOADS_UPSTREAM',
      message: 'The upstream answered with more than 1048576 bytes.',
    });
  });

  test('an answer that is small only as long as it is compressed', async () => {
    const asked = await started();
    const body = gzipSync(JSON.stringify(completion('x'.repeat(8 * MIB))));
    expect(body.length).toBeLessThan(MIB / 64);
    upstream.reply = text(200, body, { 'content-encoding': 'gzip' });
    expect(await failureOf(asked.generate(HELLO, STANDARD, PATIENT))).toMatchObject({
      message: 'The upstream answered with more than 1048576 bytes.',
    });
  });

  test('a redirect, which is not followed', async () => {
    await using elsewhere = await TextUpstreamServer.open();
    const asked = await started();
    const location = `${elsewhere.baseUrl}/chat/completions`;
    for (const status of [301, 302, 307, 308]) {
      upstream.reply = text(status, '', { location });
      expect(await failureOf(asked.generate(HELLO, STANDARD, PATIENT))).toMatchObject({
        code: 'WORKLOADS_UPSTREAM',
        message: `The upstream redirects (HTTP ${status}), which is not followed.`,
      });
    }
    expect(elsewhere.received).toEqual([]);
  });

  test('a long answer within the bound is no failure', async () => {
    const asked = await started();
    const long = 'x'.repeat(MIB - 1024);
    upstream.reply = json(200, completion(long));
    expect((await asked.generate(HELLO, STANDARD, PATIENT)).text).toBe(long);
  });
});

describe('a request that the upstream refuses', () => {
  test.each([
    [400, { error: { message: 'The prompt is too long.', code: 'context_length' } }],
    [413, { error: 'The prompt is too long.' }],
    [422, { object: 'error', message: 'The prompt is too long.' }],
  ])('with %i is its caller’s to correct, so the reason is passed on', async (status, body) => {
    const asked = await started();
    upstream.reply = json(status, body);
    expect(await failureOf(asked.generate(HELLO, STANDARD, PATIENT))).toMatchObject({
      code: 'WORKLOADS_UPSTREAM_REFUSED',
      message: `The upstream refused the request (HTTP ${status}): The prompt is too long.`,
    });
  });

  test('says nothing of the upstream’s health, so no self-test follows', async () => {
    const asked = await started();
    upstream.reply = json(400, SAID);
    await failureOf(asked.generate(HELLO, STANDARD, PATIENT));
    await upstream.roundTrips();
    expect(upstream.probes).toHaveLength(1);
    expect(asked.availability().available).toBe(true);
  });

  test('has a reason that does not say where the upstream is', async () => {
    const asked = await started();
    const url = `http://${upstream.host}/v1`;
    const message = `See ${url}/errors of ${upstream.host} (${upstream.host.split(':')[0]}).`;
    upstream.reply = json(400, { error: { message } });
    expect(await failureOf(asked.generate(HELLO, STANDARD, PATIENT))).toMatchObject({
      message: 'The upstream refused the request (HTTP 400): See …/errors of … (…).',
    });
  });

  test('has its reason on one line, cut short, and without the key', async () => {
    const asked = await started();
    const reason = `Not\r\n\u0007so \u202efast, ${KEY}: ${'é'.repeat(1000)}`;
    upstream.reply = json(400, { error: { message: reason } });
    const error = await failureOf(asked.generate(HELLO, STANDARD, PATIENT));
    const shown = `Not so fast, …: ${'é'.repeat(284)}…`;
    expect(error).toMatchObject({
      message: `The upstream refused the request (HTTP 400): ${shown}`,
    });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(KEY);
  });

  test.each([
    ['no JSON', text(400, '<h1>Bad request</h1>')],
    ['no text', json(400, { error: { message: 1 } })],
    ['an empty text', json(400, { error: { message: ' \n' } })],
  ])('for a reason that is %s has none', async (_, reply) => {
    const asked = await started();
    upstream.reply = reply;
    expect(await failureOf(asked.generate(HELLO, STANDARD, PATIENT))).toMatchObject({
      code: 'WORKLOADS_UPSTREAM_REFUSED',
      message: 'The upstream refused the request (HTTP 400).',
    });
  });
});

describe('a full upstream', () => {
  test('answers with the time it asks for, and is left alone until then', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const asked = await started();
    upstream.reply = json(429, SAID, { 'retry-after': '30' });
    expect(await failureOf(asked.generate(HELLO, STANDARD, PATIENT))).toMatchObject({
      code: 'WORKLOADS_UPSTREAM',
      message: 'The upstream takes no more requests for now (HTTP 429).',
      retryAfterS: 30,
    });
    expect(asked.availability()).toEqual({
      available: false,
      reason: 'The upstream takes no more requests for now.',
      checkedAt: 1_000_000,
      retryAfterS: 30,
    });
    expect(await failureOf(asked.generate(HELLO, STANDARD, PATIENT))).toMatchObject({
      code: 'WORKLOADS_MODEL_UNAVAILABLE',
      retryAfterS: 30,
    });
    await upstream.roundTrips();
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.probes).toHaveLength(1);
  });

  test('is tested, and asked again, when the time is over', async () => {
    const asked = await started();
    upstream.reply = json(429, SAID, { 'retry-after': '1' });
    await failureOf(asked.generate(HELLO, STANDARD, PATIENT));
    upstream.reply = json(200, completion('Again.'));
    await eventually(() => expect(upstream.probes).toHaveLength(2));
    await eventually(() => expect(asked.availability().available).toBe(true));
    expect((await asked.generate(HELLO, STANDARD, PATIENT)).text).toBe('Again.');
  });

  test('that does not say how long is left alone for 5 seconds, and its caller gets that time', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const asked = await started();
    upstream.reply = json(429, SAID);
    expect(await failureOf(asked.generate(HELLO, STANDARD, PATIENT))).toMatchObject({
      code: 'WORKLOADS_UPSTREAM',
      retryAfterS: 5,
    });
    expect(asked.availability()).toMatchObject({ available: false, retryAfterS: 5 });
  });

  test('passes on the time that an overloaded one asks for too', async () => {
    const asked = await started();
    upstream.reply = json(503, SAID, { 'retry-after': 'Thu, 01 Jan 1970 00:17:00 GMT' });
    expect(await failureOf(asked.generate(HELLO, STANDARD, PATIENT))).toMatchObject({
      retryAfterS: 20,
    });
    expect(asked.availability().available).toBe(true);
  });
});

describe('more requests than the upstream is to take at once', () => {
  test('wait, and go out in the order they came', async () => {
    const asked = await started({ maxConcurrent: 2 });
    const held: (() => void)[] = [];
    upstream.reply = (response, request) => {
      held.push(() => json(200, completion(request.input))(response, request));
    };
    const texts = ['1', '2', '3', '4', '5'];
    const answers = texts.map((input) => asked.generate({ input }, STANDARD, PATIENT));
    for (let i = 0; i < texts.length; i++) {
      await eventually(() => expect(held.length).toBe(Math.min(i + 2, texts.length)));
      held[i]?.();
      await answers[i];
    }
    expect((await Promise.all(answers)).map((answer) => answer.text)).toEqual(texts);
    // The first two start together, and may arrive in either order.
    expect(upstream.requests.slice(2).map(({ input }) => input)).toEqual(['3', '4', '5']);
  });

  test('are turned away when too many wait, with a time to come back', async () => {
    const asked = await started({ maxConcurrent: 1, maxWaiting: 1 });
    upstream.reply = () => {};
    const caller = new AbortController();
    const two = [HELLO, HELLO].map((hello) =>
      failureOf(asked.generate(hello, STANDARD, caller.signal)),
    );
    expect(await failureOf(asked.generate(HELLO, STANDARD, PATIENT))).toMatchObject({
      code: 'WORKLOADS_MODEL_UNAVAILABLE',
      message: 'Model llma-text is not available: 1 requests are with the upstream and 1 wait.',
      retryAfterS: 2000,
    });
    caller.abort(new Error('gone home'));
    expect(await Promise.all(two)).toEqual([new Error('gone home'), new Error('gone home')]);
  });

  test('are turned away when their turn does not come in time', async () => {
    const asked = await started({ maxConcurrent: 1 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const held = Promise.withResolvers<ServerResponse>();
    upstream.reply = held.resolve;
    // The second one's wait begins, and so ends, before the first one is sent.
    const both = [1, 2].map(() => failureOf(asked.generate(HELLO, STANDARD, PATIENT)));
    await held.promise;
    await vi.advanceTimersByTimeAsync(TIMEOUT_MS);
    expect(await Promise.all(both)).toMatchObject([
      { code: 'WORKLOADS_UPSTREAM' },
      { code: 'WORKLOADS_MODEL_UNAVAILABLE', retryAfterS: TIMEOUT_MS / 1000 },
    ]);
    expect(upstream.requests).toHaveLength(1);
  });

  test('wait while a self-test goes first', async () => {
    const asked = await started({ maxConcurrent: 1 });
    const held = Promise.withResolvers<void>();
    upstream.reply = (response, request) => {
      if (request.input === 'fails') json(500, SAID)(response, request);
      else void held.promise.then(() => json(200, completion('x'))(response, request));
    };
    const fails = failureOf(asked.generate({ input: 'fails' }, STANDARD, PATIENT));
    const others = ['held', 'waits'].map((input) => asked.generate({ input }, STANDARD, PATIENT));
    await fails;
    await eventually(() => expect(upstream.requests).toHaveLength(2));
    held.resolve();
    await Promise.all(others);
    expect(upstream.received.slice(1).map(({ input }) => input)).toEqual([
      'fails',
      'held',
      expect.stringMatching(/^Reply with/),
      'waits',
    ]);
  });

  test('that wait are not sent to an upstream that asked for a pause meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const asked = await started({ maxConcurrent: 1 });
    upstream.reply = json(429, SAID, { 'retry-after': '30' });
    const both = [1, 2].map(() => failureOf(asked.generate(HELLO, STANDARD, PATIENT)));
    expect(await Promise.all(both)).toMatchObject([
      { code: 'WORKLOADS_UPSTREAM' },
      { code: 'WORKLOADS_MODEL_UNAVAILABLE', retryAfterS: 30 },
    ]);
    expect(upstream.requests).toHaveLength(1);
  });
});
