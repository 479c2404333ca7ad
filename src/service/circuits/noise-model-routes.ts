/** Routes of noise models, with their schemas. */
import { z } from 'zod';
import { noiseModelSchema } from '../../circuit/noise/noise-model-schema.ts';
import { NAMED_NOISE_MODELS } from '../../compiler/device/noise-models.ts';
import { errorResponses, successEnvelope } from '../http/envelope.ts';
import { NoiseModelNotFoundError } from '../http/errors.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';

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
export function noiseModelRoutes(app: ServiceApp, { envelopes }: RouteContext): void {
  app.get(
    '/quantum/noise-models',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listNoiseModels',
        tags: ['operations'],
        summary: 'List noise models that circuits may name',
        response: { 200: successEnvelope(noiseModelList) },
      },
    },
    async (request, reply) =>
      envelopes.send(request, reply, { noise_models: [...NAMED_NOISE_MODELS] }),
  );

  app.get(
    '/quantum/noise-models/:noise_model_id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getNoiseModel',
        tags: ['operations'],
        summary: 'One noise model',
        params: noiseModelParams,
        response: { 200: successEnvelope(namedNoiseModel), ...errorResponses(404) },
      },
    },
    async (request, reply) => {
      const id = request.params.noise_model_id;
      const found = NAMED_NOISE_MODELS.find((model) => model.id === id);
      if (found === undefined) {
        throw new NoiseModelNotFoundError(
          id,
          NAMED_NOISE_MODELS.map((model) => model.id),
        );
      }
      return envelopes.send(request, reply, found);
    },
  );
}
