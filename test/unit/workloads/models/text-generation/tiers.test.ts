import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../../support/eventually.ts';
import { completion, json, TextUpstreamServer } from '../../../../support/text-upstream.ts';
import { ENTERPRISE, HELLO, PATIENT, STANDARD, textModelOf } from './text-models.ts';

let upstream: TextUpstreamServer;
beforeEach(async () => {
  upstream = await TextUpstreamServer.open();
});
afterEach(() => upstream[Symbol.asyncDispose]());

test('requests of Enterprise keys go ahead of Standard ones that wait, in their order', async () => {
  const model = textModelOf(upstream, { maxConcurrent: 1 });
  await model.start();
  const first = Promise.withResolvers<void>();
  upstream.reply = (response, request) => {
    void first.promise.then(() => json(200, completion(request.input))(response, request));
  };
  const before = upstream.requests.length;
  const ask = (input: string, requester: typeof STANDARD | typeof ENTERPRISE) =>
    model.generate({ input }, requester, PATIENT);
  const answers = [ask('s1', STANDARD), ask('s2', STANDARD), ask('s3', STANDARD)];
  answers.push(ask('e1', ENTERPRISE), ask('e2', ENTERPRISE));
  first.resolve();
  await Promise.all(answers);
  const served = upstream.requests.slice(before).map(({ input }) => input);
  expect(served).toEqual(['s1', 'e1', 'e2', 's2', 's3']);
  await model.close();
});

test('a line full of Standard requests keeps no Enterprise one out', async () => {
  const model = textModelOf(upstream, { maxConcurrent: 1, maxWaiting: 1 });
  await model.start();
  const before = upstream.requests.length;
  upstream.reply = () => {};
  const caller = new AbortController();
  const waiting = [STANDARD, STANDARD, ENTERPRISE].map((requester) =>
    model.generate(HELLO, requester, caller.signal),
  );
  const ends = Promise.allSettled(waiting);
  await eventually(() => expect(upstream.requests.length).toBe(before + 1));
  for (const requester of [STANDARD, ENTERPRISE]) {
    await expect(model.generate(HELLO, requester, PATIENT)).rejects.toMatchObject({
      code: 'WORKLOADS_MODEL_UNAVAILABLE',
    });
  }
  caller.abort(new Error('gone home'));
  expect((await ends).map((end) => end.status === 'rejected' && end.reason.message)).toEqual(
    Array(3).fill('gone home'),
  );
  await model.close();
});
