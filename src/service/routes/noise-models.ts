/** Routes of the noise models that circuits may name. */
import { NAMED_NOISE_MODELS } from '../../compiler/device/noise-models.ts';
import { NoiseModelNotFoundError } from '../errors.ts';
import { errorResponses, successEnvelope } from '../schemas/envelope.ts';
import { namedNoiseModel, noiseModelList, noiseModelParams } from '../schemas/noise-models.ts';
import type { RouteContext, ServiceApp } from './route-context.ts';

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
