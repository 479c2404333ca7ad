// @needs processes
/**
 * The examples of the OpenAPI document: each body is accepted by a real service, and each answer is of the
 * form that is declared for it.
 */

import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { runQcs } from '../support/command-line.ts';
import {
  type ServiceProcess,
  SMALL_SERVICE,
  startServiceProcess,
  temporaryFolder,
} from '../support/service-process.ts';
import { TextUpstreamServer } from '../support/text-upstream.ts';

const media = z.looseObject({
  schema: z.looseObject({}),
  example: z.unknown().optional(),
  examples: z
    .record(z.string(), z.object({ value: z.unknown().optional(), $ref: z.string().optional() }))
    .optional(),
});
const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(
    z.looseObject({
      name: z.string().optional(),
      in: z.string().optional(),
      example: z.string().optional(),
    }),
  ),
  requestBody: z.looseObject({ content: z.object({ 'application/json': media }) }).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({ content: z.record(z.string(), media).optional() }),
  ),
});
const openApi = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ examples: z.record(z.string(), z.object({ value: z.unknown() })) }),
});

const document = openApi.parse(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, each]) => ({ path, method, ...each })),
);

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'document');
/** A validator of a schema that refers to the document's. */
function validatorOf(schema: object): ValidateFunction {
  return ajv.compile(
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')),
  );
}

test('every operation shows a real answer, of the form that is declared for it', () => {
  for (const { operationId, responses } of operations) {
    const [status, success] = Object.entries(responses)[0] ?? [];
    const answers = Object.entries(success?.content ?? {});
    // A deletion answers nothing, and texts have their examples in their schemas.
    if (answers.length === 0 || answers[0]?.[0] !== 'application/json') continue;
    const { examples = {}, schema } = answers[0]?.[1] ?? { schema: {} };
    const validate = validatorOf(schema);
    expect([operationId, status, Object.keys(examples)]).toEqual([
      operationId,
      status,
      ['recorded'],
    ]);
    validate(examples['recorded']?.value);
    expect([operationId, 'if this fails, run `npm run record`', validate.errors]).toEqual([
      operationId,
      expect.anything(),
      null,
    ]);
  }
});

test('every kind of refusal shows a real one', () => {
  for (const { operationId, responses } of operations) {
    for (const status of Object.keys(responses).filter(
      // A range beyond the end of a state is refused without a body.
      (each) => Number(each) >= 400 && !['416', '500'].includes(each),
    )) {
      const { examples, schema } = responses[status]?.content?.['application/json'] ?? {
        schema: {},
      };
      const name = `Error${status}`;
      expect([operationId, examples]).toEqual([
        operationId,
        { recorded: { $ref: `#/components/examples/${name}` } },
      ]);
      const validate = validatorOf(schema);
      const { value } = document.components.examples[name] ?? { value: undefined };
      validate(value);
      expect([name, validate.errors]).toEqual([name, null]);
      expect(value).toMatchObject({ error: { status: Number(status) } });
    }
  }
});

test('every id in a path has an example', () => {
  for (const { path, parameters } of operations) {
    for (const { name, in: place, example } of parameters) {
      if (place === 'path' && !/\/(events|csv|statevector)$/.test(path))
        expect([path, name, example]).toEqual([path, name, expect.any(String)]);
    }
  }
});

test('holds no secret of a key', () => {
  const secrets = [...JSON.stringify(document).matchAll(/qcs_[0-9a-f]{16}_([0-9a-f]+)/g)];
  for (const [, secret] of secrets) expect(secret).toMatch(/^f+$/);
});

const folder = temporaryFolder();
let upstream: TextUpstreamServer;
let service: ServiceProcess;
let key: string;
beforeAll(async () => {
  upstream = await TextUpstreamServer.open();
  service = await startServiceProcess(folder.path, {
    ...SMALL_SERVICE,
    QCS_RATE_LIMIT_ENTERPRISE: '100000',
    QCS_LLM_BASE_URL: upstream.baseUrl,
  });
  key = await newKey('admin');
});
afterAll(async () => {
  await service?.stop('SIGTERM');
  await upstream?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function newKey(name: string): Promise<string> {
  const scopes = 'read,circuits,agents,models,tpu,admin';
  const options = ['--name', name, '--tier', 'enterprise', '--scopes', scopes];
  const { stdout } = await runQcs(['keys', 'create', ...options], {
    environment: { QCS_DATA_DIR: folder.path },
  });
  return stdout.trim();
}

/** A path whose ids exist: those of agents, models and devices as the document has them. */
async function pathFor({ path, parameters }: (typeof operations)[number], body: unknown) {
  const isText = typeof Object(body).input === 'string';
  const keyId = path.includes('{key_id}') ? (await newKey('changed')).split('_')[1] : undefined;
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    if (name === 'key_id') return keyId ?? '';
    if (name === 'model_id' && isText) return 'llma-text';
    if (name === 'agent_id') return 'computation';
    return parameters.find((parameter) => parameter.name === name)?.example ?? '';
  });
}

test('every operation with a body shows whole bodies, each of which the service accepts', async () => {
  const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);
  expect(withBody.length).toBeGreaterThan(10);
  // Maintenance last: what it stops is used by the others.
  const isMaintenance = ({ path }: { readonly path: string }) => path.endsWith('/maintenance');
  for (const each of withBody.toSorted(
    (a, b) => Number(isMaintenance(a)) - Number(isMaintenance(b)),
  )) {
    const { example, examples: several = {} } = each.requestBody?.content['application/json'] ?? {};
    const examples = example === undefined ? Object.values(several) : [{ value: example }];
    expect([each.operationId, examples.length > 0]).toEqual([each.operationId, true]);
    for (const { value } of examples) {
      const answer = await fetch(`${service.origin}/api/v1${await pathFor(each, value)}`, {
        method: each.method.toUpperCase(),
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(value),
      });
      const text = await answer.text();
      expect([each.operationId, value, answer.ok, text.slice(0, 300)]).toEqual([
        each.operationId,
        value,
        true,
        expect.anything(),
      ]);
    }
  }
});
