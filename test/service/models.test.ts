/** Models over HTTP: the listing, the card, inference with the classifier. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INFERENCE, infer, THETA, VERSICOLOR, VIRGINICA } from './support/infer.ts';
import { type ModelService, openModelService } from './support/model-service.ts';

let models: ModelService;
beforeAll(async () => {
  models = await openModelService();
});
afterAll(() => models[Symbol.asyncDispose]());

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
      expect(
        (await infer(models, example, data.inference.path.replace('/api/v1', ''))).status,
      ).toBe(200);
    }
  });

  test('has examples in the OpenAPI document that run as they are', async () => {
    const { components } = (await models.service.get('/openapi.json')).json();
    const { examples } = components.schemas.ClassificationInput;
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect((await infer(models, example)).status).toBe(200);
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
    const { status, data } = await infer(models, { input: VIRGINICA, seed: 5 });
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
    const { data } = await infer(models, { input: [6.1, 2.9, 4.7, 1.4], shots: 500 });
    const standardError = Math.sqrt((1 - data.expectation ** 2) / 500);
    const distance = Math.abs(data.expectation - data.threshold);
    expect(data.margin_in_shot_noise).toBeCloseTo(distance / standardError, 9);
  });

  test('has the same answer for the same seed, and draws one where there is none', async () => {
    const first = await infer(models, { input: VERSICOLOR, shots: 8000, seed: 9 });
    const second = await infer(models, { input: VERSICOLOR, parameters: { shots: 8000, seed: 9 } });
    const third = await infer(models, { input: VERSICOLOR, shots: 8000, seed: 10 });
    expect(second.data).toEqual(first.data);
    expect(third.data.expectation).not.toBe(first.data.expectation);
    // The service under test draws 1234.
    expect((await infer(models, { input: VERSICOLOR })).data.seed).toBe(1234);
  });

  test('draws what is outside the range of the training data to its end, and says so', async () => {
    const outside = await infer(models, { input: [6.8, 3, 55, 2.1], seed: 1 });
    const atTheEnd = await infer(models, { input: [6.8, 3, 6.9, 2.1], seed: 1 });
    expect(outside.data.out_of_range).toEqual(['petal length (cm)']);
    expect({ ...outside.data, out_of_range: [] }).toEqual(atTheEnd.data);
  });

  test('runs several rows as one batch, row k with the seed after k others', async () => {
    const { fleet } = models;
    const before = fleet.batches.length;
    const inputs = [VIRGINICA, VERSICOLOR, [6.1, 2.9, 4.7, 1.4]];
    const { data } = await infer(models, { inputs, shots: 200, seed: 70 });
    expect(fleet.batches.length).toBe(before + 1);
    const singles = await Promise.all(
      inputs.map((input, k) => infer(models, { input, shots: 200, seed: 70 + k })),
    );
    const { results, ...common } = data;
    expect(singles.map((single) => single.data)).toEqual(
      results.map((result: object, k: number) => ({ ...common, ...result, seed: 70 + k })),
    );
  });

  test('takes 256 rows', async () => {
    const { status, data } = await infer(models, { inputs: Array(256).fill(VIRGINICA), shots: 1 });
    expect(status).toBe(200);
    expect(data.results).toHaveLength(256);
  });
});

describe('POST /models/qnn-hybrid/inference with parameters.theta', () => {
  test('runs the circuit of the caller, unscaled', async () => {
    const { data } = await infer(models, {
      input: [0.2, -0.1, 0.5, 1],
      parameters: { theta: THETA },
    });
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
    const { data } = await infer(models, { input: [-1, 0, 1, 0.5], parameters });
    expect(data).toMatchObject({ qubits, layers, parameters: theta.length, threshold: 0.25 });
  });
});

test('an unknown model answers 404, an inference by GET too', async () => {
  expect((await infer(models, { input: VIRGINICA }, '/models/resnet/inference')).status).toBe(404);
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
