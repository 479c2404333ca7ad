/** Parts of the OpenAPI document that apply to all operations, added here once instead of in every route. */
import { readFileSync } from 'node:fs';
import type { SwaggerTransformObject } from '@fastify/swagger';
import type { OpenAPIV3_1 } from 'openapi-types';
import { z } from 'zod';
import { SPEC_CODES } from './error-table.ts';

type Document = OpenAPIV3_1.Document;
type Header = OpenAPIV3_1.HeaderObject;

const DESCRIPTION = `Quantum circuits over HTTP and JSON.

Every answer has an envelope: \`success\`, \`data\` or \`error\`, and \`meta\`. Errors have the form of
RFC 9457 (problem details) if the Accept header names \`application/problem+json\`.
Qubit 0 is the least significant bit everywhere: rightmost in bit strings, lowest in basis indices.
Unknown fields are refused. A known path with another method answers 404 with an Allow header.`;

/** Fixed part of the document. */
export function openApiBase(version: string): Partial<Document> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quantum Compute Service',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'Guides', url: '/docs/guides' },
    servers: [{ url: '/api/v1' }],
    tags: [
      { name: 'service', description: 'The service and its health' },
      { name: 'processors', description: 'Simulators and devices that run circuits' },
      { name: 'operations', description: 'Gates and other operations of circuits' },
      { name: 'circuits', description: 'Submitting circuits and reading their results' },
      { name: 'batches', description: 'Many programs and sweeps of their inputs in one job' },
      { name: 'experiments', description: 'Logical error rates of many circuits in one job' },
      { name: 'systems', description: 'Systems and plans' },
      { name: 'agents', description: 'Agents, and submitting tasks to them' },
      { name: 'tasks', description: "Records of agents' tasks and of plans" },
      { name: 'tpu', description: 'The modelled TPU fleet and its jobs' },
      { name: 'models', description: 'Models, their cards, and inference' },
      { name: 'keys', description: "The caller's key" },
      { name: 'administration', description: 'For operators' },
    ],
    components: {
      parameters: { RequestId: REQUEST_ID },
      headers: { ...HEADERS },
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
    },
  };
}

const REQUEST_ID: OpenAPIV3_1.ParameterObject = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description:
    'The request id, 1 to 64 characters of A-Za-z0-9._-. Any other value is replaced by a generated id',
  schema: { type: 'string' },
};

const text = (description: string): Header => ({ description, schema: { type: 'string' } });
const whole = (description: string): Header => ({ description, schema: { type: 'integer' } });

/** Response headers, each described once. */
const HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-Id': text('Also in `meta.request_id`'),
  'RateLimit-Policy': text('The quota and the seconds of its window: `"standard";q=100;w=60`'),
  RateLimit: text('Remaining requests, and the seconds until the reset: `"standard";r=99;t=60`'),
  'X-RateLimit-Limit': whole('Requests per window'),
  'X-RateLimit-Remaining': whole('Requests left in this window'),
  'X-RateLimit-Reset': whole('Seconds until the window ends'),
  'Retry-After': whole('Seconds after which to try again; with 503 only if known'),
  Location: text('Path of the record'),
  'Preference-Applied': text('The preferences of Prefer that were honoured'),
  'Idempotent-Replayed': text('`true` if the answer is that of an earlier request'),
};

/** Names of these headers, and of the one that identifies a document's version. */
export const ANSWER_HEADERS: readonly string[] = [...Object.keys(HEADERS), 'ETag'];

/** Names of the headers of an answer. */
function headerNames(status: string, isLimited: boolean): readonly string[] {
  const names = ['X-Request-Id'];
  // A 401 answer belongs to no key.
  if (isLimited && status !== '401') {
    names.push('RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit');
    names.push('X-RateLimit-Remaining', 'X-RateLimit-Reset');
  }
  if (status === '429' || status === '503') names.push('Retry-After');
  if (status === '201') names.push('Location', 'Preference-Applied', 'Idempotent-Replayed');
  return names;
}

/** Usual spelling of request headers; the framework has them in lower case. */
const HEADER_NAMES: Readonly<Record<string, string>> = {
  prefer: 'Prefer',
  'idempotency-key': 'Idempotency-Key',
  'last-event-id': 'Last-Event-ID',
};

const PROBLEM_REF = { $ref: '#/components/schemas/Problem' };

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Success',
  201: 'Created',
  204: 'No content',
  ...Object.fromEntries(Object.values(SPEC_CODES).map(({ status, meaning }) => [status, meaning])),
};

/** Adds headers, media types and descriptions to every operation, and drops unused schemas. */
export function completeOpenApi(document: ReturnType<SwaggerTransformObject>): Document {
  // The cast is safe: the base above makes it a 3.1 document.
  const complete = structuredClone(document) as Document;
  const recorded = readRecordedAnswers();
  for (const [path, item] of Object.entries(complete.paths ?? {})) {
    for (const operation of [item?.get, item?.post, item?.patch, item?.delete]) {
      if (operation === undefined) continue;
      completeOperation(operation);
      showBodies(operation, complete);
      showAnswers(path, operation, recorded);
    }
  }
  const errors = Object.entries(recorded.errors);
  complete.components = {
    ...complete.components,
    examples: Object.fromEntries(errors.map(([status, value]) => [`Error${status}`, { value }])),
  };
  dropUnusedSchemas(complete);
  sortSchemas(complete);
  return complete;
}

/** Sorts schemas by name; otherwise they are in the order in which modules were loaded. */
function sortSchemas({ components }: Document): void {
  if (components?.schemas === undefined) return;
  const entries = Object.entries(components.schemas);
  components.schemas = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function completeOperation(operation: OpenAPIV3_1.OperationObject): void {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter || parameter.in !== 'header'
      ? parameter
      : { ...parameter, name: HEADER_NAMES[parameter.name] ?? parameter.name },
  );
  operation.parameters = [...parameters, { $ref: '#/components/parameters/RequestId' }];
  const isLimited = operation.responses?.[429] !== undefined;
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    if ('$ref' in response) continue;
    response.description = DESCRIPTIONS[status] ?? response.description;
    response.headers = Object.fromEntries(
      headerNames(status, isLimited).map((name) => [
        name,
        { $ref: `#/components/headers/${name}` },
      ]),
    );
    // An answer without a body, of a range beyond the end, is no problem in detail.
    if (Number(status) >= 400 && response.content !== undefined) {
      response.content = {
        ...response.content,
        'application/problem+json': { schema: PROBLEM_REF },
      };
    }
  }
}

/** Adds to an operation the examples of whole bodies that its schema, or each of its alternatives, has. */
function showBodies({ requestBody }: OpenAPIV3_1.OperationObject, document: Document): void {
  if (requestBody === undefined || '$ref' in requestBody) return;
  const media = requestBody.content['application/json'];
  // The examples of a schema without a name are there already.
  if (media === undefined || media.example !== undefined || media.examples !== undefined) return;
  const bodies = examplesOf(media.schema, document);
  if (bodies.length === 0) return;
  media.examples = Object.fromEntries(
    bodies.map((value, index) => [
      `example${index + 1}`,
      { summary: exampleName(value, bodies), value },
    ]),
  );
}

/** Name of an example: the fields that not all of the examples have, or all of its fields. */
function exampleName(body: unknown, bodies: readonly unknown[]): string {
  const fields = Object.keys(Object(body));
  const own = fields.filter((field) => !bodies.every((each) => field in Object(each)));
  return (own.length > 0 ? own : fields).join(', ');
}

function examplesOf(schema: unknown, document: Document): readonly unknown[] {
  const { $ref, anyOf = [], examples = [] } = schemaFields.parse(schema);
  if ($ref === undefined)
    return [...examples, ...anyOf.flatMap((one) => examplesOf(one, document))];
  return examplesOf(document.components?.schemas?.[$ref.replace(/^.*\//, '')], document);
}

const schemaFields = z.looseObject({
  $ref: z.string().optional(),
  anyOf: z.array(z.unknown()).optional(),
  examples: z.array(z.unknown()).optional(),
});

/** Adds recorded answers to an operation, and the ids of their paths. */
function showAnswers(
  path: string,
  operation: OpenAPIV3_1.OperationObject,
  { answers, errors }: RecordedAnswers,
): void {
  const answer = answers[operation.operationId ?? ''];
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    const media = '$ref' in response ? undefined : response.content?.['application/json'];
    if (media === undefined) continue;
    if (answer?.body !== undefined && status === String(answer.status)) {
      media.examples = { recorded: { value: answer.body } };
    } else if (errors[status] !== undefined) {
      media.examples = { recorded: { $ref: `#/components/examples/Error${status}` } };
    }
  }
  if (answer === undefined) return;
  const parts = answer.path.split(/[/?]/);
  const names = path.split('/').map((part) => /^\{(\w+)\}$/.exec(part)?.[1]);
  for (const parameter of operation.parameters ?? []) {
    if ('$ref' in parameter || parameter.in !== 'path') continue;
    parameter.example = parts[names.indexOf(parameter.name)];
  }
}

/** Removes unused schemas: each is generated for reading and for writing, and most are used in one form. */
function dropUnusedSchemas(document: Document): void {
  const schemas = document.components?.schemas;
  if (schemas === undefined) return;
  const used = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      follow(schemas[name]);
    }
  };
  follow(document.paths);
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
}

/** Recorded answers of the service, used as examples (scripts/record-answers.ts). */
const recordedAnswers = z.object({
  /** Answers by operation, with shortened lists. */
  answers: z.record(
    z.string(),
    z.object({
      /** Path of the request, below /api/v1. */
      path: z.string(),
      status: z.int(),
      /** Absent if the answer had no body. */
      body: z.unknown().optional(),
    }),
  ),
  /** Error answers by status. */
  errors: z.record(z.string(), z.unknown()),
});
export type RecordedAnswers = z.output<typeof recordedAnswers>;

/** Reads the recorded answers from the package. */
function readRecordedAnswers(): RecordedAnswers {
  const file = new URL('../../../docs/recorded-answers.json', import.meta.url);
  return recordedAnswers.parse(JSON.parse(readFileSync(file, 'utf8')));
}
