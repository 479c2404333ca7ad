/** Public demo of `qnn-hybrid`: no key, a rate limit per address, and raw counts in the answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DemoFacts } from '../../console/demo/demo-facts.ts';
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import { ModelUnavailableError } from '../../workloads/errors.ts';
import type { ModelDirectory } from '../directories.ts';
import { callerSignal } from '../http/connections.ts';
import { errorResponses, successEnvelope } from '../http/envelope.ts';
import { DemoBusyError, DemoRateLimitError, DemoUnavailableError } from '../http/errors.ts';
import { ClientWindows, rateLimitHeaders, Slots, secondsLeft, WINDOW_S } from '../http/limits.ts';
import type { RouteContext, ServiceApp } from '../http/route-context.ts';
import { VISITORS } from '../metrics/inference-metrics.ts';
import { demoBody, demoResult } from './model-schema.ts';
import { viewDemoRun } from './model-view.ts';

/**
 * Greatest number of requests in progress over all addresses, so that visitors cannot fill the queue that
 * keys share.
 */
export const MAX_UNDER_WAY = 32;
/** Greatest body size, bytes; a body has four numbers. */
const MAX_BODY_BYTES = 4096;

/** Registers `/demo/qnn-hybrid`. */
export function demoRoutes(app: ServiceApp, { deps, envelopes }: RouteContext): void {
  const { models, settings, elapsedMs, drawSeed } = deps;
  const windows = new ClientWindows(WINDOW_S * 1000, settings.trustedProxies);
  const slots = new Slots();

  app.post(
    '/demo/qnn-hybrid',
    {
      // The demo has its own limit.
      config: { isUncounted: true },
      bodyLimit: MAX_BODY_BYTES,
      onRequest: async (request, reply) => countRequest(request, reply),
      schema: {
        operationId: 'runDemo',
        tags: ['models'],
        summary: 'Classify one flower, without a key',
        description:
          'An inference with `qnn-hybrid` with a fixed number of shots. The answer also has the raw counts: the expectation is (shots whose rightmost bit is 0 − shots whose rightmost bit is 1) / shots. Requests are limited per client address.',
        body: demoBody,
        response: { 200: successEnvelope(demoResult), ...errorResponses(400, 429, 503) },
      },
    },
    async (request, reply) => {
      using slot = slots.acquire(VISITORS.keyId, MAX_UNDER_WAY);
      if (slot === undefined) throw new DemoBusyError(MAX_UNDER_WAY);
      const { classifier } = models;
      const classification = await classifier
        .classify(
          { rows: [request.body.input], pathOf: () => 'input', seed: drawSeed() },
          VISITORS,
          callerSignal(reply),
        )
        .catch((error: unknown) => {
          throw forVisitors(error);
        });
      return envelopes.send(request, reply, viewDemoRun(classifier.id, classification));
    },
  );

  function countRequest(request: FastifyRequest, reply: FastifyReply): void {
    const at = elapsedMs();
    const limit = settings.demoRateLimit;
    const window = windows.hit(request, limit, at);
    reply.headers(rateLimitHeaders('demo', limit, window, at));
    if (!window.allowed) throw new DemoRateLimitError(limit, secondsLeft(window, at));
  }
}

/** Hides the operator's reason for an unavailable processor from visitors. */
function forVisitors(error: unknown): unknown {
  const isUnavailable =
    error instanceof ModelUnavailableError || error instanceof ProcessorUnavailableError;
  return isUnavailable ? new DemoUnavailableError(error.retryAfterS) : error;
}

/** Public reason for an unavailable processor; the operator's own reason is not shown to everybody. */
const OUT_OF_SERVICE = 'The model is out of service; try again later.';

/** Present facts of the model. */
export function demoFactsOf(
  classifier: ModelDirectory['classifier'],
  requestsPerMinute: number,
): DemoFacts {
  const { card, knownAnswers } = classifier;
  const { circuit, metrics, baselines, labels } = card;
  const [best] = [...baselines].sort((a, b) => b.accuracy.mean - a.accuracy.mean);
  if (best === undefined) throw new Error('unreachable: a card without a baseline');
  const { folds, repeats } = metrics.cross_validation;
  const { shots, mean, spread } = metrics.accuracy_at_deployed_shots;
  const { available } = classifier.availability();
  const lastSelfTest = classifier.lastSelfTest();
  return {
    model: { id: card.model_id, name: card.name, description: card.description },
    endpoint: `/api/v1/demo/${card.model_id}`,
    features: card.features.map(({ name, unit, minimum, maximum, mean: typical }) => ({
      name,
      unit,
      minimum,
      maximum,
      typical: Math.round(typical * 10) / 10,
    })),
    labels: [labels[0] ?? '0', labels[1] ?? '1'],
    labelAbove: 1,
    circuit: {
      qubits: circuit.qubits,
      layers: circuit.layers,
      parameters: circuit.parameters,
      observable: { text: '⟨Z₀⟩', qubits: [0] },
      operations: circuit.operations.map(({ gate, controls = [], targets, angle }) => ({
        gate,
        controls,
        targets,
        ...(angle && {
          angle: {
            offset: angle.offset,
            factor: angle.factor ?? 0,
            ...(angle.feature !== undefined && { feature: angle.feature }),
          },
        }),
      })),
    },
    threshold: circuit.threshold,
    shots: circuit.shots_per_circuit,
    accuracy: {
      mean,
      spread,
      basis:
        `Both by ${folds}-fold cross-validation, ${repeats} times over. Each prediction of the circuit ` +
        `rests on ${shots.toLocaleString('en')} shots; the classical model has none`,
      baseline: { name: best.name, ...best.accuracy },
    },
    requestsPerMinute,
    availability: available ? { available } : { available, reason: OUT_OF_SERVICE },
    examples: knownAnswers.map(({ name, input }) => ({
      name: name.charAt(0).toUpperCase() + name.slice(1),
      input,
    })),
    // A self-test runs the examples in their order.
    ...(lastSelfTest && { selfTest: { data: viewDemoRun(card.model_id, lastSelfTest) } }),
  };
}
