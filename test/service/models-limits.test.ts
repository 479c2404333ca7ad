/** Who may have inferences and how many, and what becomes of them when nobody waits. */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { INFERENCE, infer, VIRGINICA } from './support/infer.ts';
import { type ModelService, openModelService } from './support/model-service.ts';

let models: ModelService;
beforeAll(async () => {
  models = await openModelService();
});
afterAll(() => models[Symbol.asyncDispose]());

describe('who may ask', () => {
  test('nobody without a key', async () => {
    const answer = await models.service.app.inject({
      method: 'POST',
      url: `/api/v1${INFERENCE}`,
      payload: { input: VIRGINICA },
    });
    expect(answer.statusCode).toBe(401);
  });

  test('a key with the scope models', async () => {
    const reader = await models.service.createKey('standard', ['read']);
    const { status, error } = await infer(models, { input: VIRGINICA }, INFERENCE, {
      'x-api-key': reader,
    });
    expect([status, error.code]).toEqual([403, 'FORBIDDEN']);
    const modeller = await models.service.createKey('standard', ['models']);
    const answer = await infer(models, { input: VIRGINICA }, INFERENCE, { 'x-api-key': modeller });
    expect(answer.status).toBe(200);
  });

  test('an Enterprise key goes ahead by its tier', async () => {
    const key = await models.service.createKey('enterprise');
    await infer(models, { input: VIRGINICA }, INFERENCE, { 'x-api-key': key });
    expect(models.fleet.batches.at(-1)).toMatchObject({ tier: 'enterprise', priority: 'normal' });
  });
});

test('work is dropped when its caller hangs up', async () => {
  await using own = await openModelService();
  const { service, fleet } = own;
  const origin = new URL(await service.app.listen({ port: 0, host: '127.0.0.1' }));
  fleet.isHolding = true;
  const body = JSON.stringify({ input: VIRGINICA });
  const socket = connect(Number(origin.port), origin.hostname);
  socket.write(
    [
      `POST /api/v1${INFERENCE} HTTP/1.1`,
      'host: localhost',
      'content-type: application/json',
      `x-api-key: ${service.key}`,
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
  await eventually(() => expect(fleet.heldBatches).toHaveLength(1));
  socket.destroy();
  await eventually(() => expect(fleet.heldBatches).toHaveLength(0));
});

test('a connection that is kept gathers nothing from its requests', async () => {
  await using own = await openModelService();
  const { service } = own;
  const sockets: Socket[] = [];
  service.app.server.on('connection', (socket) => sockets.push(socket));
  const origin = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'x-api-key': service.key };
      const sent = request(`${origin}/api/v1${INFERENCE}`, { method: 'POST', agent, headers });
      sent.on('error', reject);
      sent.on('response', (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      });
      sent.end(JSON.stringify({ input: VIRGINICA }));
    });
  expect(await ask()).toBe(200);
  const [socket] = sockets;
  const listeners = () =>
    socket?.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0);
  const before = listeners();
  for (let i = 0; i < 5; i++) await ask();
  expect(listeners()).toBe(before);
  expect(sockets).toHaveLength(1);
  agent.destroy();
});

test('a key may have so many inferences at once, then 429, and other keys are served', async () => {
  const inFlightLimits = { standard: 3, enterprise: 4 };
  await using own = await openModelService({ settings: { inFlightLimits } });
  const { service, fleet } = own;
  fleet.isHolding = true;
  const ask = (key: string) =>
    service.request({
      method: 'POST',
      url: INFERENCE,
      headers: { 'x-api-key': key },
      payload: { input: VIRGINICA },
    });
  const held = [ask(service.key), ask(service.key), ask(service.key)];
  await eventually(() => expect(fleet.heldBatches).toHaveLength(3));
  const refused = await ask(service.key);
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.json().error.details[0]).toMatchObject({
    code: 'SERVICE_IN_FLIGHT_LIMIT',
    message: expect.stringContaining('3 inferences'),
  });
  const other = ask(await service.createKey());
  await eventually(() => expect(fleet.heldBatches).toHaveLength(4));
  fleet.heldBatches[0]?.finish();
  expect((await Promise.race(held)).statusCode).toBe(200);
  const again = ask(service.key);
  await eventually(() => expect(fleet.heldBatches).toHaveLength(4));
  for (const batch of [...fleet.heldBatches]) batch.finish();
  const answers = await Promise.all([...held, other, again]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
});
