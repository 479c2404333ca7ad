/** The public demo over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type ModelService, openModelService } from './support/model-service.ts';
import { openTestService } from './support/test-service.ts';

const BORDERLINE = [6.1, 2.9, 4.7, 1.4];

let models: ModelService;
beforeAll(async () => {
  models = await openModelService();
});
afterAll(() => models[Symbol.asyncDispose]());

function visit(
  { service }: Pick<ModelService, 'service'>,
  payload: object = { input: BORDERLINE },
  remoteAddress = '192.0.2.1',
) {
  const url = '/api/v1/demo/qnn-hybrid';
  return service.app.inject({ method: 'POST', url, payload, remoteAddress });
}

test('classifies without a key, and the expectation is that of the raw counts', async () => {
  const answer = await visit(models);
  expect(answer.statusCode).toBe(200);
  const { data } = answer.json();
  expect(data).toMatchObject({
    mode: 'trained',
    shots_per_circuit: 1024,
    bit_order: 'little-endian',
  });
  let sum = 0;
  let shots = 0;
  for (const [label, times] of Object.entries<number>(data.counts)) {
    expect(label).toMatch(/^[01]{4}$/);
    sum += label.endsWith('0') ? times : -times;
    shots += times;
  }
  expect(shots).toBe(1024);
  expect(data.expectation).toBeCloseTo(sum / shots, 12);
  expect(data.prediction).toBe(data.expectation > data.threshold ? 1 : 0);
  expect(data.prediction_label).toBe(['versicolor', 'virginica'][data.prediction]);
});

test('has the answer of an inference with its seed', async () => {
  const { counts, bit_order: _, ...demo } = (await visit(models)).json().data;
  const inference = await models.service.request({
    method: 'POST',
    url: '/models/qnn-hybrid/inference',
    payload: { input: BORDERLINE, seed: demo.seed },
  });
  expect(inference.json().data).toEqual(demo);
  expect(Object.keys(counts).length).toBeGreaterThan(1);
});

test.each([
  ['shots, which are fixed', { input: BORDERLINE, shots: 5 }, 'shots'],
  ['parameters', { input: BORDERLINE, parameters: {} }, 'parameters'],
  ['a seed', { input: BORDERLINE, seed: 5 }, 'seed'],
  ['three values', { input: [5, 3, 5] }, 'input'],
  ['no length', { input: [5, 3, 5, -1] }, 'input[3]'],
  ['nothing', {}, 'input'],
])('refuses %s', async (_, payload, path) => {
  const answer = await visit(models, payload);
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.details).toEqual([expect.objectContaining({ path })]);
});

test('reads no more than four numbers need', async () => {
  const answer = await visit(models, { input: BORDERLINE, note: 'x'.repeat(5000) });
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.details[0]).toMatchObject({
    code: 'SERVICE_BODY_TOO_LARGE',
    message: expect.stringContaining('4096'),
  });
});

test('is to be asked by POST', async () => {
  const answer = await models.service.app.inject({ url: '/api/v1/demo/qnn-hybrid' });
  expect(answer.statusCode).toBe(404);
  expect(answer.headers['allow']).toBe('POST');
});

describe('the limit of an address', () => {
  test('is reported, is answered 429 with Retry-After, and is another address’s no concern', async () => {
    await using own = await openModelService({ settings: { demoRateLimit: 2 } });
    const first = await visit(own);
    expect(first.headers['ratelimit-policy']).toBe('"demo";q=2;w=60');
    expect(first.headers['ratelimit']).toBe('"demo";r=1;t=60');
    // What cannot be read counts, too.
    expect((await visit(own, { input: [] })).statusCode).toBe(400);
    own.service.clock.now += 20_000;
    const refused = await visit(own);
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('40');
    expect(refused.json().error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: [{ code: 'SERVICE_DEMO_RATE_LIMIT' }],
    });
    expect((await visit(own, undefined, '192.0.2.2')).statusCode).toBe(200);
    own.service.clock.now += 40_000;
    expect((await visit(own)).statusCode).toBe(200);
  });

  test('is one for all addresses below an IPv6 prefix', async () => {
    await using own = await openModelService({ settings: { demoRateLimit: 1 } });
    expect((await visit(own, undefined, '2001:db8:1:2::1')).statusCode).toBe(200);
    expect((await visit(own, undefined, '2001:db8:1:2:ffff::9')).statusCode).toBe(429);
    expect((await visit(own, undefined, '2001:db8:1:3::1')).statusCode).toBe(200);
  });

  test('is one for all ports that a trusted proxy names beside it', async () => {
    const settings = { demoRateLimit: 1, trustedProxies: ['10.0.0.1'] };
    await using own = await openModelService({ settings });
    const through = (client: string) =>
      own.service.app.inject({
        method: 'POST',
        url: '/api/v1/demo/qnn-hybrid',
        payload: { input: BORDERLINE },
        remoteAddress: '10.0.0.1',
        headers: { 'x-forwarded-for': client },
      });
    expect((await through('192.0.2.7:1111')).statusCode).toBe(200);
    expect((await through('192.0.2.7:2222')).statusCode).toBe(429);
    expect((await through('[2001:db8::1]:1111')).statusCode).toBe(200);
    expect((await through('[2001:db8::2]:2222')).statusCode).toBe(429);
  });

  test('is one for each client of a proxy that is not named, and ten for all of them', async () => {
    await using own = await openModelService({ settings: { demoRateLimit: 1 } });
    const through = (client: string) =>
      own.service.app.inject({
        method: 'POST',
        url: '/api/v1/demo/qnn-hybrid',
        payload: { input: BORDERLINE },
        headers: { 'x-forwarded-for': client },
      });
    for (let client = 0; client < 10; client++) {
      expect((await through(`192.0.2.${client}`)).statusCode).toBe(200);
      expect((await through(`192.0.2.${client}`)).statusCode).toBe(429);
    }
    expect((await through('192.0.2.10')).statusCode).toBe(429);
  });

  test('leaves the limits of keys alone', async () => {
    await using own = await openModelService({ settings: { demoRateLimit: 1 } });
    await visit(own);
    await visit(own);
    expect((await own.service.get('/models')).statusCode).toBe(200);
  });
});

test('comes after everyone who has a key', async () => {
  await visit(models);
  expect(models.fleet.batches.at(-1)).toMatchObject({
    keyId: 'demo',
    tier: 'standard',
    priority: 'low',
  });
});

test('runs 32 at once and answers 503 beyond, until one has ended', async () => {
  await using own = await openModelService();
  const { fleet } = own;
  fleet.isHolding = true;
  const held = Array.from({ length: 32 }, () => visit(own));
  await eventually(() => expect(fleet.heldBatches).toHaveLength(32));
  const refused = await visit(own);
  expect(refused.statusCode).toBe(503);
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.json().error.details[0].code).toBe('SERVICE_DEMO_BUSY');
  fleet.heldBatches[0]?.finish();
  await held[0];
  fleet.isHolding = false;
  expect((await visit(own)).statusCode).toBe(200);
  for (const batch of [...fleet.heldBatches]) batch.finish();
  expect((await Promise.all(held)).every(({ statusCode }) => statusCode === 200)).toBe(true);
});

test('answers 503 before the model has passed its self-test', async () => {
  await using service = await openTestService();
  const answer = await visit({ service });
  expect(answer.statusCode).toBe(503);
  expect(answer.json().error.details[0].code).toBe('SERVICE_DEMO_UNAVAILABLE');
});

test('does not tell visitors why, in the operator’s words', async () => {
  await using own = await openModelService();
  for (const processor of [own.fleet, own.simulator]) {
    processor.setMaintenance({ reason: 'Rack 12 leaks.' });
  }
  const answer = await visit(own);
  expect(answer.statusCode).toBe(503);
  expect(answer.body).not.toContain('Rack');
});
