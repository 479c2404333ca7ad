/** Routes of circuits: submission, compilation, the catalog of gates, and noise models. */

import { z } from 'zod';
import { gateCatalog } from '../../circuit/gate-catalog.ts';
import { gateObject } from '../../circuit/gate-object-schema.ts';
import { noiseModelSchema } from '../../circuit/noise/noise-model-schema.ts';
import { NAMED_NOISE_MODELS } from '../../compiler/device/noise-models.ts';
import { readingCaller } from '../http/connections.ts';
import { errorResponses, successEnvelope } from '../http/envelope.ts';
import { NoiseModelNotFoundError } from '../http/errors.ts';
import { sourceOf } from '../http/json-body.ts';
import { readInProcess } from '../http/reading/reading.ts';
import { type RouteContext, type ServiceApp, showRoute } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import { jobRecordRoutes, submissionRoute } from '../jobs/record-routes.ts';
import { JobSubmissions } from '../jobs/submit-job.ts';
import { circuitBody } from './circuit-schema.ts';
import { COMPILE_READING } from './compile-circuit.ts';
import { compileBody, compiledCircuit } from './compile-schema.ts';
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
