/** Routes of circuits: submission, compilation, the catalog of gates, and noise models. */

import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { gateCatalog } from '../../circuit/gate-catalog.ts';
import { gateObject } from '../../circuit/gate-object-schema.ts';
import { noiseModelSchema } from '../../circuit/noise/noise-model-schema.ts';
import { NAMED_NOISE_MODELS } from '../../compiler/device/noise-models.ts';
import { callerOf } from '../http/authentication.ts';
import { readingCaller } from '../http/connections.ts';
import { errorResponses, successEnvelope } from '../http/envelope.ts';
import { NoiseModelNotFoundError, StateNotKeptError } from '../http/errors.ts';
import { sourceOf } from '../http/json-body.ts';
import { isKnown } from '../http/known-tag.ts';
import { readInProcess } from '../http/reading/reading.ts';
import { type RouteContext, type ServiceApp, showRoute } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import { CIRCUITS } from '../jobs/job-resources.ts';
import { jobParams } from '../jobs/job-schema.ts';
import { jobRecordRoutes, ownJob, submissionRoute } from '../jobs/record-routes.ts';
import { JobSubmissions } from '../jobs/submit-job.ts';
import { circuitBody } from './circuit-schema.ts';
import { COMPILE_READING } from './compile-circuit.ts';
import { compileBody, compiledCircuit } from './compile-schema.ts';
import { keptQubits, rangeOf, STATE_TYPES, stateBytes, stateSlice } from './kept-state.ts';
import { targetsOf } from './targets.ts';

/** Registers the routes below `/quantum/circuits`. */
export function circuitRoutes(app: ServiceApp, context: RouteContext): void {
  const { deps, envelopes } = context;
  const { circuit: circuits } = deps.kinds;
  const submissions = new JobSubmissions(deps, envelopes, circuits);

  submissionRoute(app, circuits.definition, submissions, {
    path: '/quantum/circuits',
    operationId: 'submitCircuit',
    tag: 'circuits',
    summary: 'Submit a circuit and wait for its counts',
    description:
      'The answer comes when the circuit has run, unless the header Prefer asks otherwise. An error with a Location header belongs to a job that was created and failed.',
    schema: circuitBody,
    body: () => circuits.body,
  });

  jobRecordRoutes(app, context, circuits, submissions);
  stateRoute(app, context);
}

const stateQuery = z.strictObject({
  dtype: z
    .enum(STATE_TYPES)
    .optional()
    .describe('Complex numbers of two floats of 64 bits (`<c16`, the default) or 32 bits (`<c8`)'),
});

/** Registers `/quantum/circuits/{circuit_id}/statevector`. */
function stateRoute(app: ServiceApp, { deps }: RouteContext): void {
  const { jobs } = deps;
  const { path, idName, scope, tag, kind } = CIRCUITS;
  const binary = { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } };
  app.get(
    `${path}/:${idName}/statevector`,
    {
      config: { scope },
      schema: {
        operationId: 'downloadStatevector',
        tags: [tag],
        summary: 'The state vector that a circuit keeps',
        description:
          'Amplitudes by basis index, of a circuit with `"statevector_format": "binary"`: little-endian, without a header. `Range` asks for some of the bytes (206; 416 beyond the end), and `ETag` stays the same.',
        params: jobParams(CIRCUITS),
        querystring: stateQuery,
        response: {
          200: { description: 'The amplitudes', content: binary },
          206: { description: 'Some of their bytes', content: binary },
          304: z.undefined().describe('The client has them: If-None-Match is their ETag'),
          416: z.undefined().describe('The range begins beyond their end'),
          ...errorResponses(400, 404),
        },
      },
    },
    async (request, answer) => {
      const reply: FastifyReply = answer;
      const keyId = callerOf(request).key.id;
      const asked = { id: request.params[idName] ?? '', kind, keyId };
      const job = await ownJob(
        asked,
        (each) => jobs.get(each),
        (each) => each.keyId,
      );
      const { dtype = '<c16' } = request.query;
      const numQubits = keptQubits(job.result ?? '');
      if (numQubits === undefined) throw new StateNotKeptError(job.id, job.status);
      const size = stateBytes(numQubits, dtype);
      const etag = `"${job.id}-${dtype.slice(1)}"`;
      reply.headers({ etag, 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' });
      if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
      const ifRange = request.headers['if-range'];
      const isHead = request.method === 'HEAD';
      // Ranges are those of GET alone.
      const isWhole = isHead || (ifRange !== undefined && ifRange !== etag);
      const range = isWhole ? undefined : rangeOf(request.headers.range, size);
      if (range === 'outside') {
        return reply.code(416).header('content-range', `bytes */${size}`).send();
      }
      const [first, last] = range ?? [0, size - 1];
      if (range !== undefined) {
        reply.code(206).header('content-range', `bytes ${first}-${last}/${size}`);
      }
      reply.header('content-length', last + 1 - first);
      reply.type('application/octet-stream');
      const bytes = isHead
        ? []
        : stateSlice((after) => jobs.parts(job.id, after), dtype, [first, last]);
      return reply.send(Readable.from(bytes, { objectMode: false }));
    },
  );
}

/** Registers `/quantum/compile`. */
export function compileRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  app.post(
    '/quantum/compile',
    {
      config: { scope: 'circuits', readsLargeBodies: true },
      // The body is validated where it is compiled.
      validatorCompiler: compileAllButBody,
      schema: {
        operationId: 'compileCircuit',
        tags: ['circuits'],
        summary: 'Compile a circuit without running it',
        description:
          'Answers the circuit compiled for the target, and what each compiler pass saved. A circuit without measurements keeps the state that it makes of |0…0⟩; one with measurements keeps the distribution of its outcomes.',
        body: compileBody,
        response: { 200: successEnvelope(compiledCircuit), ...errorResponses(400, 503) },
      },
    },
    async (request, reply) => {
      const caller = readingCaller(request, reply);
      const context = { targets: targetsOf(deps.fleet) };
      const source = sourceOf(request.body);
      const json = await readInProcess(deps.readers, COMPILE_READING, source, context, caller);
      return envelopes.sendText(request, reply, { json });
    },
  );
}

/** One operation that a circuit may hold. */
const operation = z
  .strictObject({
    gate: z.string(),
    aliases: z.array(z.string()),
    summary: z.string(),
    kind: z.enum(['unitary', 'measurement', 'reset', 'directive', 'noise']),
    num_qubits: z.int().nullable().describe('Null if the operation acts on any number of qubits'),
    operands: z.array(
      z.strictObject({
        field: z.enum(['qubit', 'qubits', 'control', 'controls', 'target', 'targets']),
        min: z.int(),
        max: z.int().nullable().describe('Null if there is no maximum'),
      }),
    ),
    parameters: z.array(z.strictObject({ name: z.string(), unit: z.literal('radians') })),
    formula: z
      .string()
      .nullable()
      .describe('Matrix that acts on the targets if all controls are |1⟩'),
    matrix: z
      .array(z.array(z.tuple([z.number(), z.number()])))
      .nullable()
      .describe(
        'Whole matrix at the angles of the example, as rows of [re, im]; the first operand is the least significant bit',
      ),
    openqasm: z
      .strictObject({
        name: z.string(),
        library: z.enum(['qelib1+stdgates', 'qelib1', 'stdgates', 'builtin', 'none']),
      })
      .nullable(),
    traits: z.array(z.enum(['diagonal', 'permutation', 'real', 'self-inverse'])),
    example: gateObject.describe('Complete gate object; a circuit with only this object runs'),
  })
  .meta({ id: 'Operation' });

/** The catalog. */
const operationList = z.strictObject({ operations: z.array(operation) });

/** Registers `/quantum/operations`. */
export function operationRoutes(app: ServiceApp, { envelopes }: RouteContext): void {
  // Serialized once: the gate table does not change while the process runs.
  const catalog = { json: JSON.stringify({ operations: gateCatalog() }) };
  app.get(
    '/quantum/operations',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listOperations',
        tags: ['operations'],
        summary: 'Catalog of gates and other operations',
        response: { 200: successEnvelope(operationList) },
      },
    },
    async (request, reply) => envelopes.sendText(request, reply, catalog),
  );
}

/** A noise model with its name and its origin. */
const namedNoiseModel = z
  .strictObject({
    id: z.string().meta({ examples: ['ibm-fez'] }),
    description: z.string(),
    source: z.string().describe('Where the figures come from'),
    date: z
      .string()
      .optional()
      .describe('Day of the calibration that the figures come from, where it is known'),
    basis: z.literal('modelled').describe('The errors follow from a model of the device'),
    noise: noiseModelSchema.describe('The model in full, to copy and change'),
  })
  .meta({ id: 'NamedNoiseModel' });

/** All named noise models. */
const noiseModelList = z.strictObject({ noise_models: z.array(namedNoiseModel) });

/** Path of one noise model. */
const noiseModelParams = z.strictObject({ noise_model_id: z.string() });

/** Registers `/quantum/noise-models` and the route of one model. */
export function noiseModelRoutes(app: ServiceApp, context: RouteContext): void {
  showRoute(app, context, {
    path: '/quantum/noise-models',
    operationId: 'listNoiseModels',
    tag: 'operations',
    summary: 'List noise models that circuits may name',
    answer: noiseModelList,
    view: () => ({ noise_models: [...NAMED_NOISE_MODELS] }),
  });

  showRoute(app, context, {
    path: '/quantum/noise-models/:noise_model_id',
    operationId: 'getNoiseModel',
    tag: 'operations',
    summary: 'One noise model',
    params: noiseModelParams,
    answer: namedNoiseModel,
    view: ({ noise_model_id }) => {
      const id = noise_model_id;
      const found = NAMED_NOISE_MODELS.find((model) => model.id === id);
      if (found === undefined) {
        throw new NoiseModelNotFoundError(
          id,
          NAMED_NOISE_MODELS.map((model) => model.id),
        );
      }
      return found;
    },
  });
}
