/**
 * Bodies made from the schemas of the OpenAPI document: what a schema allows, the service does not refuse
 * for its form. What a schema cannot say (whether a gate exists, whether a time has passed) is meaning.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Schema, SchemaValues } from '../support/json-schema.ts';
import { numCases } from '../support/seeds.ts';
import { openWorkService, type WorkService } from './support/work-service.ts';

const RUNS = numCases(150);

/** Faults under this code that say what a body means, by what is at that path. */
const MEANINGS: readonly (readonly [path: RegExp, message: RegExp])[] = [
  [/^target_processor$/, /^There is no (processor|simulator) /],
  // The schema of a noise model says its form; names, ranges and what belongs together are meaning.
  [/\bnoise\b/, /./],
  [/(^|\.)method$/, / does not have |^(stabilizer|matrix_product_state|sparse) (takes|has|needs) /],
  [/(^|\.)(max_bond_dimension|truncation_threshold)$/, /^Only taken with the method /],
  // The numbers of a state depend on each other, and on the circuit.
  [
    /(^|\.)initial_state\b/,
    /^(The (norm|trace) is|It (is not Hermitian|has a negative)|\d+ (amplitudes|rows|entries|bytes)|A state of|This is not base64|a mixed initial_state needs)/,
  ],
  [/(^|\.)return$/, / needs (the method density_matrix|a pure state)/],
  // What a program needs follows from the defaults of its batch, too.
  [
    /^programs\[\d+\]\.(shots|observables)$/,
    /^(Required: return has|Only taken where return has) /,
  ],
  // How long a text of numbers is follows from the shape beside it.
  [/^programs\[\d+\]\.inputs\..*\.data$/, /^\d+ bytes; \d+ numbers |^This is not base64/],
  [/^programs\[\d+\]\.inputs\..*\.shape$/, /^An array of inputs has one dimension/],
  [/\bgradient_inputs\[\d+\]$/, /^The program has no input /],
  [/\bgradient_inputs$/, /^Only taken where return has "gradient"/],
  [/^programs\[\d+\]\.return$/, /^(gradient|variance|expectation|probabilities|statevector) /],
  // What a task does not say, its experiment may.
  [/^(tasks\[\d+\]\.)?\w+$/, /where shots are stratified/],
  [/^tasks\[\d+\]\.max_shots$/, /^Required, for the task or for the whole experiment/],
  [/^(tasks\[\d+\]\.)?task$/, /agent has no task/],
  [/^tasks\[\d+\]\.agent$/, /^There is no agent /],
  [/^tasks\[\d+\]\.name$/, /^Another task is called /],
  [/^tasks\[\d+\]\.after\[\d+\]$/, /^No task before this one is called /],
  // Their schemas are those of each task and job type, which `capabilities` list.
  [/^(tasks\[\d+\]\.)?input\b/, /./],
  [/^zone$/, / has no v\d/],
  [/^chips$/, / chips make no slice of /],
];

/** Paths with their parameters filled in. */
const TARGETS: Readonly<Record<string, string>> = {
  '{agent_id}': 'computation',
  '{processor_id}': 'statevector-sim',
  '{device_id}': 'gpu-01',
};

interface Operation {
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: Schema } };
  };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let work: WorkService;
let admin: string;
let document: Document;
beforeAll(async () => {
  work = await openWorkService();
  admin = await work.service.createKey('enterprise', [
    'read',
    'circuits',
    'agents',
    'models',
    'tpu',
    'admin',
  ]);
  document = (await work.service.app.inject({ url: '/api/v1/openapi.json' })).json();
});
afterAll(() => work[Symbol.asyncDispose]());

async function pathOf(path: string): Promise<string> {
  const name = /\{\w+\}/.exec(path)?.[0];
  if (name === undefined) return path;
  if (name !== '{key_id}') return path.replace(name, TARGETS[name] ?? '');
  const text = await work.service.createKey();
  return path.replace(name, text.split('_')[1] ?? '');
}

const BODIES = [
  ['post', '/admin/keys'],
  ['patch', '/admin/keys/{key_id}'],
  ['post', '/admin/keys/{key_id}/rotate'],
  ['post', '/admin/processors/{processor_id}/maintenance'],
  ['post', '/admin/fleet/devices/{device_id}/maintenance'],
  ['post', '/quantum/circuits'],
  ['post', '/quantum/batches'],
  ['post', '/quantum/compile'],
  ['post', '/quantum/estimate'],
  ['post', '/quantum/experiments'],
  ['post', '/agents/{agent_id}/execute'],
  ['post', '/systems/asi/plans'],
  ['post', '/tpu/jobs'],
  ['post', '/demo/qnn-hybrid'],
  ['post', '/models/qnn-hybrid/inference'],
  ['post', '/models/llma-text/inference'],
] as const;

test.each(BODIES)('%s %s', async (method, path) => {
  const described = describedPath(path);
  const schema =
    document.paths[described]?.[method]?.requestBody?.content['application/json'].schema;
  if (schema === undefined) throw new Error(`${path} has no body`);
  const url = await pathOf(path);
  await fc.assert(
    fc.asyncProperty(new SchemaValues(document).of(branchOf(schema, path)), async (body) => {
      const answer = await work.service.request({
        method: method === 'post' ? 'POST' : 'PATCH',
        url,
        headers: { 'x-api-key': admin, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      });
      expect(answer.statusCode).not.toBe(500);
      if (answer.statusCode !== 400) return;
      const { details } = answer.json().error;
      const ofForm = details.filter(
        (fault: { readonly code: string; readonly path: string; readonly message: string }) =>
          fault.code === 'SERVICE_REQUEST_INVALID' &&
          !MEANINGS.some(([at, says]) => at.test(fault.path) && says.test(fault.message)),
      );
      expect(ofForm).toEqual([]);
    }),
    { numRuns: RUNS, seed: 16 },
  );
});

test('every body of the document is among them', () => {
  const withBody = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { requestBody }]) =>
      requestBody === undefined ? [] : [`${method} ${path}`],
    ),
  );
  const tried = BODIES.map(([method, path]) => `${method} ${describedPath(path)}`);
  expect([...new Set(tried)].sort()).toEqual(withBody.sort());
});

/** The path in the document. */
function describedPath(path: string): string {
  return path.replace(/^\/models\/[^/]+/, '/models/{model_id}');
}

/** Each model takes one of the two bodies that the document lists. */
function branchOf(schema: Schema, path: string): Schema {
  if (!path.startsWith('/models/') || typeof schema === 'boolean') return schema;
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) throw new Error('The body of an inference has no alternatives.');
  return anyOf[path.includes('llma-text') ? 1 : 0];
}
