/** Models over HTTP: the listing, the card, inference with the classifier. */
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ModelService, openModelService } from './support/model-service.ts';

const INFERENCE = '/models/qnn-hybrid/inference';
const VIRGINICA = [6.8, 3, 5.5, 2.1];
const VERSICOLOR = [5.7, 2.9, 4.2, 1.3];
const THETA = [0.1, 0.5, -0.2, 0.3, 0.5, 0, 0, 1, 0, 0, 1, 0.4];

let models: ModelService;
beforeAll(async () => {
  models = await openModelService();
});
afterAll(() => models[Symbol.asyncDispose]());

async function infer(payload: unknown, url = INFERENCE, headers = {}) {
  const { service } = models;
  const answer = await service.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(payload),
  });
  return { status: answer.statusCode, headers: answer.headers, ...answer.json() };
}

describe('GET /models', () => {
  test('tells of each model whether a request now would run, and if not, why', async () => {
    const { data } = (await models.service.get('/models')).json();
    expect(data.models).toEqual([
      expect.objectContaining({ id: 'qnn-hybrid', task: 'classification', available: true }),
      expect.objectContaining({
        id: 'llma-text',
        task: 'text-generation',
        available: false,
        reason: expect.stringContaining('QCS_LLM_BASE_URL'),
      }),
    ]);
  });

  test('has the same word in /status', async () => {
    const { data } = (await models.service.get('/status')).json();
    expect(data.models).toEqual([
      { id: 'qnn-hybrid', available: true, checked_at: expect.any(String) },
      expect.objectContaining({ id: 'llma-text', available: false }),
    ]);
  });
});

describe('GET /models/{model_id}', () => {
  test('has the card: features, deployed parameters, measured accuracy, and how to ask', async () => {
    const { data } = (await models.service.get('/models/qnn-hybrid')).json();
    expect(data.model_card).toMatchObject({
      feature_names: [
        'sepal length (cm)',
        'sepal width (cm)',
        'petal length (cm)',
        'petal width (cm)',
      ],
      trained_parameters_deployed: true,
      labels: ['versicolor', 'virginica'],
      metrics: { basis: 'measured', accuracy: { mean: expect.any(Number) } },
    });
    expect(data.inference.limits).toEqual({
      rows: 256,
      shots: 8192,
      custom_qubits: 12,
      custom_layers: 8,
    });
    expect(data.inference.custom_circuit.theta_lengths).toEqual([12, 24, 36, 48, 60, 72, 84, 96]);
  });

  test('has examples that run as they are', async () => {
    const { data } = (await models.service.get('/models/qnn-hybrid')).json();
    for (const example of data.inference.examples) {
      expect((await infer(example, data.inference.path.replace('/api/v1', ''))).status).toBe(200);
    }
  });

  test('has examples in the OpenAPI document that run as they are', async () => {
    const { components } = (await models.service.get('/openapi.json')).json();
    const { examples } = components.schemas.ClassificationInput;
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect((await infer(example)).status).toBe(200);
  });

  test('says of llma-text that nothing trained is deployed here', async () => {
    const { data } = (await models.service.get('/models/llma-text')).json();
    expect(data.model_card).toMatchObject({ trained_parameters_deployed: false });
  });

  test.each(['/models/resnet', '/models/qnn-hybrid%20'])('answers 404 for %s', async (path) => {
    const answer = await models.service.get(path);
    expect(answer.statusCode).toBe(404);
    expect(answer.json().error.details[0].code).toBe('SERVICE_MODEL_NOT_FOUND');
  });
});

describe('POST /models/qnn-hybrid/inference in trained mode', () => {
  test('answers every field of a prediction, and what really ran it', async () => {
    const { status, data } = await infer({ input: VIRGINICA, seed: 5 });
    expect(status).toBe(200);
    expect(data).toEqual({
      model_id: 'qnn-hybrid',
      mode: 'trained',
      prediction: 1,
      prediction_label: 'virginica',
      expectation: expect.any(Number),
      threshold: expect.any(Number),
      margin_in_shot_noise: expect.any(Number),
      out_of_range: [],
      backend: 'gpu-fleet: cpu engine, f64, on a CPU',
      backend_details: {
        processor: 'gpu-fleet',
        engine: 'cpu',
        execution: 'cpu-fallback',
        precision: 'f64',
        hardware: 'a CPU',
        devices: ['gpu-05'],
      },
      qubits: 4,
      layers: 1,
      parameters: 12,
      shots_per_circuit: 1024,
      seed: 5,
      timing: { queue_ms: 0.123, compile_ms: 0.2, execution_ms: 0.3 },
    });
  });

  test('measures the margin in binomial standard errors of the expectation', async () => {
    const { data } = await infer({ input: [6.1, 2.9, 4.7, 1.4], shots: 500 });
    const standardError = Math.sqrt((1 - data.expectation ** 2) / 500);
    const distance = Math.abs(data.expectation - data.threshold);
    expect(data.margin_in_shot_noise).toBeCloseTo(distance / standardError, 9);
  });

  test('has the same answer for the same seed, and draws one where there is none', async () => {
    const first = await infer({ input: VERSICOLOR, shots: 8000, seed: 9 });
    const second = await infer({ input: VERSICOLOR, parameters: { shots: 8000, seed: 9 } });
    const third = await infer({ input: VERSICOLOR, shots: 8000, seed: 10 });
    expect(second.data).toEqual(first.data);
    expect(third.data.expectation).not.toBe(first.data.expectation);
    // The service under test draws 1234.
    expect((await infer({ input: VERSICOLOR })).data.seed).toBe(1234);
  });

  test('draws what is outside the range of the training data to its end, and says so', async () => {
    const outside = await infer({ input: [6.8, 3, 55, 2.1], seed: 1 });
    const atTheEnd = await infer({ input: [6.8, 3, 6.9, 2.1], seed: 1 });
    expect(outside.data.out_of_range).toEqual(['petal length (cm)']);
    expect({ ...outside.data, out_of_range: [] }).toEqual(atTheEnd.data);
  });

  test('runs several rows as one batch, row k with the seed after k others', async () => {
    const { fleet } = models;
    const before = fleet.batches.length;
    const inputs = [VIRGINICA, VERSICOLOR, [6.1, 2.9, 4.7, 1.4]];
    const { data } = await infer({ inputs, shots: 200, seed: 70 });
    expect(fleet.batches.length).toBe(before + 1);
    const singles = await Promise.all(
      inputs.map((input, k) => infer({ input, shots: 200, seed: 70 + k })),
    );
    const { results, ...common } = data;
    expect(singles.map((single) => single.data)).toEqual(
      results.map((result: object, k: number) => ({ ...common, ...result, seed: 70 + k })),
    );
  });

  test('takes 256 rows', async () => {
    const { status, data } = await infer({ inputs: Array(256).fill(VIRGINICA), shots: 1 });
    expect(status).toBe(200);
    expect(data.results).toHaveLength(256);
  });
});

describe('POST /models/qnn-hybrid/inference with parameters.theta', () => {
  test('runs the circuit of the caller, unscaled', async () => {
    const { data } = await infer({ input: [0.2, -0.1, 0.5, 1], parameters: { theta: THETA } });
    expect(data).toMatchObject({
      mode: 'custom',
      threshold: 0,
      qubits: 4,
      layers: 1,
      parameters: 12,
      shots_per_circuit: 1024,
      out_of_range: [],
    });
  });

  test.each([
    [1, 8],
    [3, 2],
    [12, 8],
  ])('runs %i qubits in %i layers', async (qubits, layers) => {
    const theta = Array.from({ length: 3 * qubits * layers }, (_, i) => Math.sin(i));
    const parameters = { theta, qubits, shots: 8192, threshold: 0.25 };
    const { data } = await infer({ input: [-1, 0, 1, 0.5], parameters });
    expect(data).toMatchObject({ qubits, layers, parameters: theta.length, threshold: 0.25 });
  });
});

describe('a body that cannot be', () => {
  const input = [0, 0, 0, 0];
  test.each([
    ['nothing', {}, 'input', 'array of 4 numbers'],
    [
      'both forms',
      { input: [5, 3, 5, 1], inputs: [[5, 3, 5, 1]] },
      'inputs',
      'in place of `input`',
    ],
    ['three values', { input: [1, 2, 3] }, 'input', 'takes 4'],
    ['a text', { input: 'flower' }, 'input', 'expected array'],
    ['no length', { input: [5, 3, 0, 1] }, 'input[2]', 'above 0'],
    ['no flower', { input: [5, 3, 5, 101] }, 'input[3]', 'at most 100'],
    ['no rows', { inputs: [] }, 'inputs', '1 to 256'],
    ['too many rows', { inputs: Array(257).fill([5, 3, 5, 1]) }, 'inputs', '1 to 256'],
    [
      'a bad row',
      {
        inputs: [
          [5, 3, 5, 1],
          [5, 3, 5],
        ],
      },
      'inputs[1]',
      'takes 4',
    ],
    ['too many shots', { input: [5, 3, 5, 1], shots: 8193 }, 'shots', '8192'],
    [
      'too many shots',
      { input: [5, 3, 5, 1], parameters: { shots: 8193 } },
      'parameters.shots',
      '8192',
    ],
    ['half a shot', { input: [5, 3, 5, 1], shots: 0.5 }, 'shots', 'int'],
    ['shots twice', { input: [5, 3, 5, 1], shots: 5, parameters: { shots: 5 } }, 'shots', 'once'],
    ['a seed below 0', { input: [5, 3, 5, 1], seed: -1 }, 'seed', '>=0'],
    [
      'qubits alone',
      { input: [5, 3, 5, 1], parameters: { qubits: 4 } },
      'parameters.qubits',
      'theta',
    ],
    [
      'an unscaled row',
      { input: [5.1, 0, 0, 0], parameters: { theta: THETA } },
      'input[0]',
      '[-1, 1]',
    ],
    [
      'one theta too many',
      { input, parameters: { theta: [...THETA, 0] } },
      'parameters.theta',
      '12, 24, 36',
    ],
    ['no theta', { input, parameters: { theta: [] } }, 'parameters.theta', '12, 24, 36'],
    [
      'nine layers',
      { input, parameters: { theta: Array(108).fill(0) } },
      'parameters.theta',
      '8 layers',
    ],
    [
      '13 qubits',
      { input, parameters: { theta: Array(39).fill(0), qubits: 13 } },
      'parameters.qubits',
      '12',
    ],
    ['a misspelt field', { input: [5, 3, 5, 1], shot: 5 }, 'shot', 'no such field'],
  ])('%s is refused with its path: %#', async (_, body, path, words) => {
    const { status, error } = await infer(body);
    expect(status).toBe(400);
    expect(error.code).toBe('BAD_REQUEST');
    expect(error.details).toEqual([
      expect.objectContaining({ path, message: expect.stringContaining(words) }),
    ]);
  });

  test('has all its faults listed', async () => {
    const body = {
      input: [2, 0, 0],
      shots: 0,
      parameters: { theta: [1], qubits: 13, threshold: 2 },
    };
    const { error } = await infer(body);
    expect(error.details.map(({ path }: { path: string }) => path)).toEqual([
      'shots',
      'parameters.qubits',
      'parameters.threshold',
      'input',
    ]);
  });

  test.each([
    [
      'an unknown field',
      { input: [0, 2, 9, 0], shots: 0, foo: 1 },
      ['foo', 'shots', 'input[0]', 'input[3]'],
    ],
    [
      'a malformed seed',
      { input: [0, 2, 9, 0], seed: -1, parameters: { theta: [1], qubits: 99 } },
      ['seed', 'parameters.qubits', 'input[1]', 'input[2]'],
    ],
    [
      'both forms of rows',
      {
        input: [0.5, 3, 0, 1],
        inputs: [],
        shots: 0,
        parameters: { theta: [1, 2], qubits: 99, threshold: 9 },
      },
      ['inputs', 'shots', 'parameters.qubits', 'parameters.threshold', 'input[1]', 'inputs'],
    ],
    [
      'shots given twice',
      { ...{ input: [5, 3, 5, 0], shots: 0 }, parameters: { shots: 8193 } },
      ['shots', 'shots', 'parameters.shots', 'input[3]'],
    ],
    ['neither form of rows', { shots: 0 }, ['input', 'shots']],
    [
      'values that are no numbers',
      { inputs: [[5, 'x', 0, 1], 7, [1, 2, 3]], shots: '5' },
      ['inputs[0][1]', 'inputs[1]', 'shots', 'inputs[0][2]', 'inputs[2]'],
    ],
    ['a malformed row alone', { input: 'flower', shots: 0 }, ['input', 'shots']],
    [
      'a malformed theta, which still says that rows are scaled',
      { input: [0, 0.5, -0.5, 2], parameters: { theta: 'x', qubits: 13 } },
      ['parameters.theta', 'parameters.qubits', 'input[3]'],
    ],
    [
      'a malformed number of qubits, which no count of theta can be held to',
      { input: [0, 0, 0, 0], parameters: { theta: [1e308], qubits: 'x' } },
      ['parameters.qubits', 'parameters.theta[0]'],
    ],
    [
      'parameters that cannot be read, so that nobody knows of scaled rows',
      { inputs: [[-1, 0, 0, 0], []], parameters: 5 },
      ['parameters', 'inputs[1]'],
    ],
    ['a seed beyond all integers', { input: [5, 3, 5, 1], seed: 2 ** 53 }, ['seed']],
    ['a seed below all integers', { input: [5, 3, 5, 1], seed: -(2 ** 53) }, ['seed']],
    [
      'a seed below 0 in both places',
      { input: [5, 3, 5, 1], seed: -1, parameters: { seed: -1 } },
      ['parameters.seed', 'seed', 'seed'],
    ],
    ['no object', [5, 3, 5, 1], ['']],
  ])('is told every fault, once each: %s', async (_, body, paths) => {
    const { status, error } = await infer(body);
    expect(status).toBe(400);
    expect(error.details.map(({ path }: { path: string }) => path)).toEqual(paths);
    const faults = error.details.map((fault: object) => JSON.stringify(fault));
    expect(new Set(faults).size).toBe(faults.length);
  });

  test('is told every theta that is too large, as far as an answer has room', async () => {
    const parameters = { theta: Array(1000).fill(1e308) };
    const { error } = await infer({ input, parameters });
    expect(error.details).toHaveLength(20);
    expect(error.details.at(-1).path).toBe('parameters.theta[18]');
    expect(error.message).toContain('289 faults');
  });

  test('is told of faults of form and of meaning together', async () => {
    const { error } = await infer({ input: [5, 3, 5], parameters: { qubits: 13 }, shots: 9999 });
    expect(error.details.map(({ path }: { path: string }) => path)).toEqual([
      'parameters.qubits',
      'shots',
      'input',
    ]);
  });
});

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
    const { status, error } = await infer({ input: VIRGINICA }, INFERENCE, { 'x-api-key': reader });
    expect([status, error.code]).toEqual([403, 'FORBIDDEN']);
    const modeller = await models.service.createKey('standard', ['models']);
    const answer = await infer({ input: VIRGINICA }, INFERENCE, { 'x-api-key': modeller });
    expect(answer.status).toBe(200);
  });

  test('an Enterprise key goes ahead by its tier', async () => {
    const key = await models.service.createKey('enterprise');
    await infer({ input: VIRGINICA }, INFERENCE, { 'x-api-key': key });
    expect(models.fleet.batches.at(-1)).toMatchObject({ tier: 'enterprise', priority: 'normal' });
  });
});

test('an unknown model answers 404, an inference by GET too', async () => {
  expect((await infer({ input: VIRGINICA }, '/models/resnet/inference')).status).toBe(404);
  const answer = await models.service.get(INFERENCE);
  expect(answer.statusCode).toBe(404);
  expect(answer.headers['allow']).toBe('POST');
});

describe('while what it runs on is in maintenance', () => {
  test('runs on the next processor, then answers 503 and says why, then runs again', async () => {
    await using own = await openModelService();
    const { service, fleet, simulator } = own;
    const ask = () =>
      service.request({ method: 'POST', url: INFERENCE, payload: { input: VIRGINICA } });
    fleet.setMaintenance({ reason: 'New fans.' });
    expect((await ask()).json().data.backend_details.processor).toBe('statevector-sim');
    simulator.setMaintenance({ reason: 'New disk.' });
    const refused = await ask();
    expect(refused.statusCode).toBe(503);
    expect(refused.json().error.message).toContain('New fans.');
    const [listed] = (await service.get('/models')).json().data.models;
    expect(listed).toMatchObject({
      available: false,
      reason: expect.stringContaining('New disk.'),
    });
    fleet.setMaintenance(undefined);
    expect((await ask()).statusCode).toBe(200);
  });
});

test('work is dropped when its caller hangs up', async () => {
  await using own = await openModelService();
  const { service, fleet } = own;
  const origin = new URL(await service.app.listen({ port: 0 }));
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
  await vi.waitFor(() => expect(fleet.heldBatches).toHaveLength(1));
  socket.destroy();
  await vi.waitFor(() => expect(fleet.heldBatches).toHaveLength(0));
});

test('a connection that is kept gathers nothing from its requests', async () => {
  await using own = await openModelService();
  const { service } = own;
  const sockets: Socket[] = [];
  service.app.server.on('connection', (socket) => sockets.push(socket));
  const origin = await service.app.listen({ port: 0 });
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
  await vi.waitFor(() => expect(fleet.heldBatches).toHaveLength(3));
  const refused = await ask(service.key);
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.json().error.details[0]).toMatchObject({
    code: 'SERVICE_IN_FLIGHT_LIMIT',
    message: expect.stringContaining('3 inferences'),
  });
  const other = ask(await service.createKey());
  await vi.waitFor(() => expect(fleet.heldBatches).toHaveLength(4));
  fleet.heldBatches[0]?.finish();
  expect((await Promise.race(held)).statusCode).toBe(200);
  const again = ask(service.key);
  await vi.waitFor(() => expect(fleet.heldBatches).toHaveLength(4));
  for (const batch of [...fleet.heldBatches]) batch.finish();
  const answers = await Promise.all([...held, other, again]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
});
