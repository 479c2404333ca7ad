/** The OpenAPI document: valid in structure, complete, true, and committed. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateOpenApi } from '../../scripts/openapi-document.ts';
import { openTestService, type TestService } from './support/test-service.ts';

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly $ref?: string;
  }[];
  readonly responses: Readonly<Record<string, Response>>;
}
interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

let service: TestService;
let document: Document;
let operations: readonly (readonly [path: string, method: string, operation: Operation])[];
beforeAll(async () => {
  service = await openTestService();
  document = (await service.app.inject({ url: '/api/v1/openapi.json' })).json();
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [path, method, operation] as const),
  );
});
afterAll(() => service[Symbol.asyncDispose]());

test('is what the repository holds', async () => {
  const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
  expect(await generateOpenApi()).toBe(committed);
});

test('is an OpenAPI 3.1 document served without a key', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers).toEqual([{ url: '/api/v1' }]);
});

test('describes every route of the service and no other', () => {
  const described = operations.map(([path, method]) => `${method.toUpperCase()} ${path}`).sort();
  expect(described).toEqual([
    'DELETE /admin/keys/{key_id}',
    'DELETE /quantum/batches/{batch_id}',
    'DELETE /quantum/circuits/{circuit_id}',
    'DELETE /quantum/experiments/{experiment_id}',
    'DELETE /tasks/{task_id}',
    'DELETE /tpu/jobs/{job_id}',
    'GET /',
    'GET /admin/audit',
    'GET /admin/keys',
    'GET /agents',
    'GET /agents/{agent_id}',
    'GET /keys/info',
    'GET /models',
    'GET /models/{model_id}',
    'GET /quantum/batches',
    'GET /quantum/batches/{batch_id}',
    'GET /quantum/batches/{batch_id}/events',
    'GET /quantum/circuits',
    'GET /quantum/circuits/{circuit_id}',
    'GET /quantum/circuits/{circuit_id}/events',
    'GET /quantum/circuits/{circuit_id}/statevector',
    'GET /quantum/experiments',
    'GET /quantum/experiments/{experiment_id}',
    'GET /quantum/experiments/{experiment_id}/csv',
    'GET /quantum/experiments/{experiment_id}/events',
    'GET /quantum/noise-models',
    'GET /quantum/noise-models/{noise_model_id}',
    'GET /quantum/operations',
    'GET /quantum/processors',
    'GET /quantum/processors/{processor_id}',
    'GET /quantum/processors/{processor_id}/devices',
    'GET /quantum/processors/{processor_id}/devices/{device_id}',
    'GET /status',
    'GET /status/load',
    'GET /systems',
    'GET /systems/{system_id}',
    'GET /tasks',
    'GET /tasks/{task_id}',
    'GET /tasks/{task_id}/events',
    'GET /tpu/fleet',
    'GET /tpu/jobs',
    'GET /tpu/jobs/{job_id}',
    'GET /tpu/jobs/{job_id}/events',
    'PATCH /admin/keys/{key_id}',
    'POST /admin/fleet/devices/{device_id}/maintenance',
    'POST /admin/keys',
    'POST /admin/keys/{key_id}/rotate',
    'POST /admin/processors/{processor_id}/maintenance',
    'POST /agents/{agent_id}/execute',
    'POST /demo/qnn-hybrid',
    'POST /models/{model_id}/inference',
    'POST /quantum/batches',
    'POST /quantum/batches/{batch_id}/cancel',
    'POST /quantum/batches/{batch_id}/retry',
    'POST /quantum/circuits',
    'POST /quantum/circuits/{circuit_id}/cancel',
    'POST /quantum/circuits/{circuit_id}/retry',
    'POST /quantum/compile',
    'POST /quantum/estimate',
    'POST /quantum/experiments',
    'POST /quantum/experiments/{experiment_id}/cancel',
    'POST /quantum/experiments/{experiment_id}/retry',
    'POST /systems/asi/plans',
    'POST /tasks/{task_id}/cancel',
    'POST /tasks/{task_id}/retry',
    'POST /tpu/jobs',
    'POST /tpu/jobs/{job_id}/cancel',
    'POST /tpu/jobs/{job_id}/retry',
  ]);
});

test('every reference leads somewhere', () => {
  // Recorded answers show the schemas of tasks, whose references lead into themselves.
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/(?!\$defs\/)([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(20);
  for (const [, pointer] of references) {
    let value: unknown = document;
    for (const part of (pointer ?? '').split('/')) {
      value = new Map(Object.entries(value ?? {})).get(part);
    }
    expect([pointer, value]).toEqual([pointer, expect.any(Object)]);
  }
});

test('operation ids are unique, and every operation has a summary', () => {
  const ids = operations.map(([, , { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, , { operationId, summary }] of operations) {
    expect([operationId, summary]).toEqual([expect.any(String), expect.any(String)]);
  }
});

test('every parameter of a path is declared', () => {
  for (const [path, , { parameters = [] }] of operations) {
    const declared = parameters.filter((parameter) => parameter.in === 'path');
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(declared.map(({ name }) => name)).toEqual(names);
  }
});

test('every operation declares the errors that any request may meet, and asks for the key', () => {
  for (const [path, , { responses, security }] of operations) {
    const statuses = Object.keys(responses);
    const isPublic = ['/', '/demo/qnn-hybrid'].includes(path);
    const expected = ['400', '429', '500', ...(isPublic ? [] : ['401', '403', '503'])];
    expect(statuses).toEqual(expect.arrayContaining(expected));
    expect(security).toEqual(isPublic ? [] : [{ ApiKey: [] }]);
  }
});

/** Media types of an answer. */
function mediaTypes(path: string, status: number): readonly string[] {
  // What follows from a header of the request is said by headers.
  if ([204, 304, 416].includes(status)) return [];
  if (status >= 400) return ['application/json', 'application/problem+json'];
  if (path.endsWith('/statevector')) return ['application/octet-stream'];
  if (path.endsWith('/csv')) return ['text/csv'];
  return [path.endsWith('/events') ? 'text/event-stream' : 'application/json'];
}

test('every stream of events has a schema for the data of each event', () => {
  const streams = operations.filter(([path]) => path.endsWith('/events'));
  expect(streams.length).toBeGreaterThanOrEqual(3);
  for (const [, , { responses }] of streams) {
    const schema = responses['200']?.content?.['text/event-stream']?.schema ?? {};
    expect(schema).toMatchObject({
      type: 'string',
      'x-event-data': {
        status: { $ref: '#/components/schemas/StatusEvent' },
        progress: { $ref: '#/components/schemas/ProgressEvent' },
        done: { $ref: '#/components/schemas/DoneEvent' },
      },
    });
  }
  expect(document.components['schemas']).toMatchObject({
    StatusEvent: { required: ['status', 'at', 'attempt'], additionalProperties: false },
    ProgressEvent: { required: ['progress', 'percent', 'attempt'], additionalProperties: false },
    DoneEvent: { required: ['status', 'at', 'location'], additionalProperties: false },
  });
});

test('every answer is described, bears X-Request-Id, and errors have both media types', () => {
  for (const [path, , { responses }] of operations) {
    for (const [status, { description, headers, content }] of Object.entries(responses)) {
      expect(description).not.toBe('Default Response');
      expect(headers).toHaveProperty('X-Request-Id');
      expect([path, status, Object.keys(content ?? {})]).toEqual([
        path,
        status,
        mediaTypes(path, Number(status)),
      ]);
    }
  }
});

describe('POST /quantum/circuits', () => {
  const submission = () => {
    const operation = document.paths['/quantum/circuits']?.['post'];
    if (operation === undefined) throw new Error('not described');
    return operation;
  };

  test('declares Prefer, Idempotency-Key and X-Request-Id', () => {
    const { parameters = [] } = submission();
    expect(parameters.map(({ name, $ref }) => name ?? $ref).sort()).toEqual([
      '#/components/parameters/RequestId',
      'Idempotency-Key',
      'Prefer',
    ]);
  });

  test('declares the headers of its answers', () => {
    const { responses } = submission();
    expect(Object.keys(responses['201']?.headers ?? {})).toEqual(
      expect.arrayContaining([
        'Location',
        'Preference-Applied',
        'Idempotent-Replayed',
        'RateLimit',
      ]),
    );
    expect(responses['503']?.headers).toHaveProperty('Retry-After');
    expect(responses['429']?.headers).toHaveProperty('Retry-After');
  });

  test('refuses unknown fields in writing too', () => {
    expect(document.components['schemas']?.['CircuitSubmissionInput']).toMatchObject({
      additionalProperties: false,
      required: ['target_processor', 'shots'],
    });
  });
});

describe('POST /models/{model_id}/inference', () => {
  test('declares the limits of every field that has some', () => {
    const { ClassificationInput, TextGenerationInput } = document.components['schemas'] ?? {};
    expect(ClassificationInput).toMatchObject({
      properties: {
        input: { minItems: 4, maxItems: 4, description: expect.stringContaining('up to 100') },
        inputs: { minItems: 1, maxItems: 256 },
        shots: { minimum: 1, maximum: 8192 },
        seed: { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        parameters: {
          properties: {
            theta: { minItems: 3, maxItems: 288 },
            qubits: { minimum: 1, maximum: 12 },
            threshold: { minimum: -1, maximum: 1 },
            shots: { minimum: 1, maximum: 8192 },
          },
        },
      },
    });
    expect(TextGenerationInput).toMatchObject({
      properties: {
        input: { minLength: 1, maxLength: 32_768 },
        parameters: {
          properties: {
            max_tokens: { minimum: 1, description: expect.stringContaining('operator') },
            temperature: { minimum: 0, maximum: 2 },
          },
        },
      },
    });
    // Its bound is the operator's, which no document knows.
    expect(TextGenerationInput).not.toHaveProperty(
      'properties.parameters.properties.max_tokens.maximum',
    );
  });
});
