/** Routes of models and inferences. */

import type { ApiKey } from '../http/api-key.ts';
import { callerOf } from '../http/authentication.ts';
import { callerSignal } from '../http/connections.ts';
import { errorResponses, successEnvelope } from '../http/envelope.ts';
import { InFlightLimitError } from '../http/errors.ts';
import { Slots } from '../http/limits.ts';
import { type RouteContext, type ServiceApp, showRoute } from '../http/route-context.ts';
import { compileAllButBody } from '../http/validation.ts';
import { readClassification, readTextRequest } from './inference-body.ts';
import {
  inferenceBody,
  inferenceResult,
  modelDetail,
  modelList,
  modelParams,
  type TextResultView,
} from './model-schema.ts';
import {
  findModel,
  viewClassification,
  viewClassifications,
  viewModel,
  viewModelDetail,
} from './model-view.ts';

/** Greatest size of a body, bytes: enough for the longest text, escaped, and for any rows and circuits. */
export const MAX_BODY_BYTES = 256 * 1024;

/** Text inferences that one key may have at once, so that no key fills the queue of the upstream. */
export const MAX_TEXTS_AT_ONCE = 8;

/** Registers the routes below `/models`. */
export function modelRoutes(app: ServiceApp, context: RouteContext): void {
  const { deps, envelopes } = context;
  const { models, settings, drawSeed } = deps;
  const slots = new Slots();
  const textSlots = new Slots();

  showRoute(app, context, {
    path: '/models',
    operationId: 'listModels',
    tag: 'models',
    summary: 'List models with their status now',
    answer: modelList,
    view: () => ({ models: models.models.map(viewModel) }),
  });

  showRoute(app, context, {
    path: '/models/:model_id',
    operationId: 'getModel',
    tag: 'models',
    summary: 'One model with its card',
    params: modelParams,
    answer: modelDetail,
    view: ({ model_id }) => viewModelDetail(models, model_id),
  });

  app.post(
    '/models/:model_id/inference',
    {
      bodyLimit: MAX_BODY_BYTES,
      config: { scope: 'models' },
      // The schema of the body depends on the model, so the handler validates it.
      validatorCompiler: compileAllButBody,
      schema: {
        operationId: 'runInference',
        tags: ['models'],
        summary: 'Run one inference',
        description:
          '`qnn-hybrid` takes `input`, or `inputs` with several rows, and runs its circuit; with `parameters.theta` it runs a circuit of your own. `llma-text` takes a text; a key may have 8 of these requests at once.',
        params: modelParams,
        body: inferenceBody,
        response: { 200: successEnvelope(inferenceResult), ...errorResponses(400, 404, 503) },
      },
    },
    async (request, reply) => {
      const { id } = findModel(models, request.params.model_id);
      const body: unknown = request.body;
      const signal = callerSignal(reply);
      const answer =
        id === models.classifier.id
          ? await classify(body, callerOf(request).key, signal)
          : await generate(body, callerOf(request).key, signal);
      return envelopes.send(request, reply, answer);
    },
  );

  async function classify(body: unknown, { id: keyId, tier }: ApiKey, signal: AbortSignal) {
    const { request, isBatch } = readClassification(body, drawSeed);
    const limit = settings.inFlightLimits[tier];
    using slot = slots.acquire(keyId, limit);
    if (slot === undefined) throw new InFlightLimitError(tier, limit, 'inferences', 1);
    const requester = { keyId, tier, priority: 'normal' } as const;
    const classification = await models.classifier.classify(request, requester, signal);
    const view = isBatch ? viewClassifications : viewClassification;
    return view(models.classifier.id, classification);
  }

  async function generate(
    body: unknown,
    { id: keyId, tier }: ApiKey,
    signal: AbortSignal,
  ): Promise<TextResultView> {
    const asked = readTextRequest(body, models.text.limits.maxTokens);
    const limit = Math.min(MAX_TEXTS_AT_ONCE, settings.inFlightLimits[tier]);
    using slot = textSlots.acquire(keyId, limit);
    if (slot === undefined) throw new InFlightLimitError(tier, limit, 'text inferences', 1);
    const result = await models.text.generate(asked, { tier }, signal);
    const { usage } = result;
    return {
      model_id: models.text.id,
      text: result.text,
      finish_reason: result.finishReason,
      backend: result.backend,
      upstream_model: result.upstreamModel,
      ...(usage && {
        usage: { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens },
      }),
      timing: { upstream_ms: Math.round(result.timing.upstreamMs) },
    };
  }
}
